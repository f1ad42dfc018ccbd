/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: the jobs of a turn, in the order in which they are tried. */
#include "engine/jobs/preempt/job_rows.h"
#include "engine/jobs/turn.h"
#include "engine/rows/order.h"

static int make_rows(allot__turns *turns, allot__job_rows *out)
{
    size_t count = turns->jobs->list.count;
    int32_t *all = allot__arena_take(turns->work->arena, count + 1, sizeof *all);
    if (!all)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        all[i] = (int32_t)i;
    return allot__job_rows_make(turns->work, &turns->out->view, all, (int32_t)count, out);
}

int allot__turn_keys(allot__turns *turns)
{
    const allot__order *order = &turns->work->rules[0].policy->dispatch;
    static const allot__job nothing = {.queue = 0};
    allot__job_rows rows;
    int64_t value;
    bool made = false;
    int status = ALLOT_OK;
    turns->key_count = order->count;
    for (int32_t i = 0; i < order->count && status == ALLOT_OK; i++) {
        if (allot__job_key(&nothing, &order->keys[i], &value))
            continue; /* read as jobs are sorted */
        status = made ? ALLOT_OK : make_rows(turns, &rows);
        made = status == ALLOT_OK;
        if (made)
            status = allot__rowset_key(&rows.rows, &order->keys[i], &turns->keys[i]);
    }
    return status;
}

/* Reads the keys that need only the job. ENOMEM. */
static int read_keys(allot__turns *turns, const int32_t *jobs, int32_t count)
{
    const allot_key *keys = turns->work->rules[0].policy->dispatch.keys;
    int64_t value;
    for (int32_t k = 0; k < turns->key_count; k++) {
        if (!turns->keys[k])
            turns->keys[k] = allot__arena_take(turns->work->arena, turns->jobs->list.count + 1,
                                               sizeof *turns->keys[k]);
        if (!turns->keys[k])
            return ALLOT_ENOMEM;
        for (int32_t i = 0; i < count; i++)
            if (allot__job_key(allot__job_at(turns->jobs, jobs[i]), &keys[k], &value))
                turns->keys[k][jobs[i]] = value;
    }
    return ALLOT_OK;
}

void allot__turn_sort(allot__turns *turns, int64_t *const *keys, int32_t key_count, int32_t *jobs,
                      int32_t count)
{
    for (int32_t i = key_count - 1; i >= 0; i--)
        allot__sort_rows(jobs, turns->other, keys[i], 0, count);
}

void allot__sort_numbers(int32_t *numbers, int32_t count)
{
    for (int32_t gap = count / 2; gap > 0; gap /= 2)
        for (int32_t i = gap; i < count; i++) {
            int32_t number = numbers[i], k = i;
            for (; k >= gap && numbers[k - gap] > number; k -= gap)
                numbers[k] = numbers[k - gap];
            numbers[k] = number;
        }
}

/* Appends the turn's jobs of a state to its list, in order. ENOMEM. */
static int gather(allot__turns *turns, allot__turn *turn, int state)
{
    const allot__jobs *all = turns->jobs;
    int32_t *jobs = turn->jobs + turn->count, count = 0;
    bool waits = state == ALLOT_PENDING;
    for (int32_t q = 0; q < turn->queue_count; q++) {
        int32_t from = all->first[turn->queues[q]], end = all->first[turn->queues[q] + 1];
        if (waits) /* others may be suspended by now */
            end = allot__jobs_of(all, turn->queues[q], state, &from);
        else if (all->ordered)
            end = all->waits[turn->queues[q]];
        for (int32_t i = from; i < end; i++)
            if (turns->states[all->by_queue[i]] == state) {
                allot__job_announce(turns, all->by_queue[i]);
                jobs[count++] = all->by_queue[i];
            }
    }
    turn->count += count;
    if (count < 2 || (turn->queue_count == 1 && all->ordered && waits))
        return ALLOT_OK;
    if (turn->queue_count > 1) /* ties as in the state */
        allot__sort_numbers(jobs, count);
    int status = read_keys(turns, jobs, count);
    if (status == ALLOT_OK)
        allot__turn_sort(turns, turns->keys, turns->key_count, jobs, count);
    return status;
}

/* Allocates once for all jobs of its queues, so that jobs suspended later fit in. */
static void take_room(allot__turns *turns, allot__turn *turn)
{
    turn->jobs = turns->list + turns->listed;
    turn->waits = turns->waits + turns->listed;
    for (int32_t q = 0; q < turn->queue_count; q++)
        turns->listed +=
            turns->jobs->first[turn->queues[q] + 1] - turns->jobs->first[turn->queues[q]];
    turn->listed = true;
}

int allot__turn_list(allot__turns *turns, allot__turn *turn)
{
    if (!turn->listed)
        take_room(turns, turn);
    turn->count = 0;
    int status = gather(turns, turn, ALLOT_SUSPENDED);
    turn->suspended = turn->count;
    status = status ? status : gather(turns, turn, ALLOT_PENDING);
    turn->at = turn->waiting = 0;
    turn->anew = false;
    return status;
}

void allot__turn_claim_stopped(allot__turns *turns, const allot__turn *turn)
{
    const int32_t *first = turns->jobs->first, *by_queue = turns->jobs->by_queue;
    for (int32_t q = 0; turns->stopped && q < turn->queue_count; q++)
        for (int32_t i = first[turn->queues[q]]; i < first[turn->queues[q] + 1]; i++)
            if (turns->states[by_queue[i]] == ALLOT_STOPPED)
                allot__host_view_claim(&turns->out->view, by_queue[i]);
}
