/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* choose.c: candidates chosen for a job one by one, and let go again. */
#include "engine/jobs/preempt/search.h"

#include <string.h>

/* By host where so many rows are on the hosts that their square is below so many times all rows:
 * sorting them costs less than passing by the others. */
enum { NEAR = 8 };

bool allot__backfill_reserved(const allot__queues *queues, const allot__job *job, int32_t high)
{
    return (job->flags & ALLOT_JOB_BACKFILL) && job->reserved_by >= 0 &&
           allot__queue_at(queues, high)->priority <=
               allot__queue_at(queues, job->reserved_by)->priority;
}

bool allot__prey_may(const allot__chase *chase, int32_t job)
{
    const allot__prey *prey = chase->prey;
    const allot__job *it = allot__job_at(prey->work->state->jobs, job);
    int32_t high = chase->fit.job->queue;
    return prey->spared[job] == ALLOT__ELIGIBLE &&
           allot__may_preempt(prey->work->plan->relation, high, it->queue) &&
           !allot__backfill_reserved(allot__queues_of(prey->work->plan), it, high);
}

void allot__chase_take(allot__chase *chase, int32_t job)
{
    allot__fit_away(&chase->fit, job);
    chase->prey->gone[job] = 1;
    chase->prey->chosen[chase->count++] = job;
}

static void forget(allot__chase *chase, int32_t place)
{
    int32_t *chosen = chase->prey->chosen;
    chase->prey->gone[chosen[place]] = 0;
    chase->count--;
    memmove(&chosen[place], &chosen[place + 1], (size_t)(chase->count - place) * sizeof *chosen);
}

void allot__chase_leave(allot__chase *chase, int32_t place)
{
    allot__fit_back(&chase->fit, chase->prey->chosen[place]);
    forget(chase, place);
}

void allot__chase_spare(allot__chase *chase)
{
    for (int32_t i = chase->count - 1; i >= 0; i--) {
        int32_t job = chase->prey->chosen[i];
        allot__fit_back(&chase->fit, job);
        if (allot__fits(&chase->fit))
            forget(chase, i);
        else
            allot__fit_away(&chase->fit, job);
    }
}

allot__prey_list *allot__chase_list(allot__chase *chase)
{
    allot__prey_rows *rows = &chase->prey->rows;
    const allot__fit *fit = &chase->fit;
    if (fit->resumes || fit->over > 0 || fit->whole || fit->set == 0)
        return allot__prey_list_of(rows, fit->job->queue);
    int64_t on_set = allot__prey_on_set(rows, fit->set);
    if (on_set < 0)
        return NULL;
    return on_set * on_set < (int64_t)NEAR * rows->count
               ? allot__prey_list_near(rows, fit->job->queue)
               : allot__prey_list_of(rows, fit->job->queue);
}
