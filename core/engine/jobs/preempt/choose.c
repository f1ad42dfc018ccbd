/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* choose.c: chooses candidates for a job one by one, and spares them again. */
#include "engine/jobs/preempt/search.h"

#include <string.h>

/* Rows are found by host if the square of their number on these hosts is below NEAR times all rows:
 * then sorting them costs less than skipping the others. */
enum { NEAR = 8 };

bool allot__backfill_reserved(const allot__queues *queues, const allot__job *job, int32_t high)
{
    return (job->flags & ALLOT_JOB_BACKFILL) && job->more->reserved_by >= 0 &&
           allot__queue_at(queues, high)->priority <=
               allot__queue_at(queues, job->more->reserved_by)->priority;
}

bool allot__search_may(const allot__search *search, int32_t job)
{
    const allot__candidates *candidates = search->candidates;
    const allot__jobs *jobs = candidates->work->state->jobs;
    int32_t high = search->fit.job->queue;
    return candidates->ineligible[job] == ALLOT__ELIGIBLE &&
           allot__may_preempt(candidates->work->plan->relation, high, jobs->briefs[job].queue) &&
           (allot__jobs_flagged(jobs, ALLOT_JOB_BACKFILL) == 0 ||
            !allot__backfill_reserved(allot__queues_of(candidates->work->plan),
                                      allot__job_at(jobs, job), high));
}

void allot__search_take(allot__search *search, int32_t job)
{
    allot__fit_turn(&search->fit, job, -1);
    search->candidates->gone[job] = 1;
    search->candidates->chosen[search->count++] = job;
}

static void forget(allot__search *search, int32_t place)
{
    int32_t *chosen = search->candidates->chosen;
    search->candidates->gone[chosen[place]] = 0;
    search->count--;
    memmove(&chosen[place], &chosen[place + 1], (size_t)(search->count - place) * sizeof *chosen);
}

void allot__search_leave(allot__search *search, int32_t place)
{
    allot__fit_turn(&search->fit, search->candidates->chosen[place], 1);
    forget(search, place);
}

void allot__search_spare(allot__search *search)
{
    for (int32_t i = search->count - 1; i >= 0; i--) {
        int32_t job = search->candidates->chosen[i];
        allot__fit_turn(&search->fit, job, 1);
        if (allot__fits(&search->fit))
            forget(search, i);
        else
            allot__fit_turn(&search->fit, job, -1);
    }
}

allot__candidate_list *allot__search_list(allot__search *search)
{
    allot__candidate_rows *rows = &search->candidates->rows;
    const allot__fit *fit = &search->fit;
    int64_t on_set = -1;
    bool near = !fit->resumes && fit->over <= 0 && !fit->whole && fit->set != 0;
    if (near && (on_set = allot__candidate_on_set(rows, fit->set)) < 0)
        return NULL;
    near = near && on_set * on_set < (int64_t)NEAR * rows->count;
    return allot__candidate_list_of(rows, fit->job->queue, near);
}
