/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rows.c: writes the rows of queues, which are consumers of the first level.
 *
 * A queue demands what its jobs have and want, needs that up to its own limit, and holds what runs;
 * its quota is what runs once the decision is carried out.
 */
#include <string.h>

#include "engine/jobs/turn.h"
#include "engine/rows/flight.h"

static int32_t amount(int64_t n)
{
    return n > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : n < 0 ? 0 : (int32_t)n;
}

static void add_up(allot__sums *sums, const allot_queue_part *part, int64_t demand, int64_t need)
{
    sums->demand += demand;
    sums->need += need;
    sums->allocated += part->running;
    sums->received += part->started + part->resumed + part->grown;
    sums->over += part->preempted;
    sums->reclaimed += part->preempted;
    sums->given += part->preempted;
}

static void fill_row(allot__turns *turns, int32_t queue, int32_t *demand, int32_t *allocated)
{
    allot__work *work = turns->work;
    const allot_queue_part *part = &turns->out->parts[queue];
    int32_t row = allot__row(work->plan, work->index, queue);
    const allot__host_view *view = &turns->out->view;
    const allot_queue *of = allot__queue_at(turns->queues, queue);
    int32_t limit = allot__queue_allows(of, allot__host_view_slots(view)).slots;
    int64_t wants = part->pending + part->running + part->suspended;
    int64_t received = part->started + part->resumed + part->grown;
    demand[row] = amount(wants);
    allocated[row] = amount(part->running);
    work->need[row] = amount(limit != ALLOT_NONE && limit < wants ? limit : wants);
    work->quota[row] = amount(part->running + received - part->preempted);
    work->received[row] = amount(received);
    work->reserve[row] = 0;
    work->over[row] = amount(part->preempted);
    work->reclaimed[row] = amount(part->preempted);
    add_up(&work->sums[0], part, wants, work->need[row]);
}

/* Slots in use on hosts that offer none: closed ones, or those of another group. */
static int64_t used_elsewhere(const allot__turns *turns, bool after)
{
    const allot__host_view *view = &turns->out->view;
    int64_t slots = 0;
    if (!view->host_of)
        return 0;
    for (size_t i = 0; i < turns->jobs->list.count; i++) {
        const allot__job *job = allot__job_at(turns->jobs, (int32_t)i);
        if (job->state != ALLOT_RUNNING || (after && turns->out->jobs[i].now != ALLOT_RUNNING))
            continue;
        for (int32_t k = 0; k < allot__job_all_places(job); k++) {
            int32_t host = allot__job_host_at(view, job, k);
            bool elsewhere = host < 0 || view->slots[host] == 0;
            slots += elsewhere ? allot__job_places(job)[k].slots : 0;
        }
    }
    return slots;
}

static bool any_shut(const allot__turns *turns)
{
    const allot_state *state = turns->work->state;
    return allot__any_closed(state, ALLOT_DRAIN) || allot__any_closed(state, ALLOT_CLOSED_NOW);
}

static int64_t idle_slots(const allot__turns *turns, bool after)
{
    int64_t slots = allot__host_view_slots(&turns->out->view), used = 0;
    for (int32_t q = 0; q < allot__queue_count(turns->work->plan); q++) {
        const allot_queue_part *part = &turns->out->parts[q];
        used += part->running;
        if (after)
            used += part->started + part->resumed + part->grown - part->preempted;
    }
    used -= any_shut(turns) ? used_elsewhere(turns, after) : 0;
    return slots > used ? slots - used : 0;
}

int allot__dispatch_rows(allot__turns *turns)
{
    allot__work *work = turns->work;
    size_t rows = (size_t)work->tree->rows + 1;
    int32_t *demand = allot__arena_take(work->arena, rows, sizeof *demand);
    int32_t *allocated = allot__arena_take(work->arena, rows, sizeof *allocated);
    if (!demand || !allocated)
        return ALLOT_ENOMEM;
    memset(&work->sums[0], 0, sizeof work->sums[0]);
    work->critical[0] = (allot__critical){.fill = -1};
    for (int32_t q = 0; q < allot__queue_count(work->plan); q++)
        fill_row(turns, q, demand, allocated);
    work->demand = demand;
    work->allocated = allocated;
    work->idle = idle_slots(turns, false);
    work->idle_left = idle_slots(turns, true);
    return ALLOT_OK;
}
