/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: the jobs of a turn, in the order in which they are tried. */
#include "engine/jobs/preempt/job_rows.h"
#include "engine/jobs/turn.h"
#include "engine/rows/order.h"

/* Is it a column that needs only the job? */
static bool plain(allot_source source)
{
    return source.kind == ALLOT_FROM_COLUMN &&
           (source.value == ALLOT_TASK_PRIORITY || source.value == ALLOT_TASK_SUBMITTED ||
            source.value == ALLOT_TASK_SLOTS);
}

static int64_t value_of(const allot__job *job, int32_t column)
{
    if (column == ALLOT_TASK_PRIORITY)
        return job->priority;
    if (column == ALLOT_TASK_SLOTS)
        return job->slots;
    return job->submitted == INT64_MIN ? 0 : job->submitted;
}

int allot__turn_keys_take(allot__turns *turns)
{
    const allot__order *order = &turns->work->rules[0].policy->dispatch;
    size_t count = turns->jobs->list.count + 1;
    turns->key_count = order->count;
    for (int32_t i = 0; i < order->count; i++) {
        if (!plain(order->keys[i].source))
            continue;
        turns->keys[i] = allot__arena_take(turns->work->arena, count, sizeof *turns->keys[i]);
        if (!turns->keys[i])
            return ALLOT_ENOMEM;
    }
    return ALLOT_OK;
}

void allot__turn_keys_read(allot__turns *turns, int32_t number, const allot__job *job)
{
    const allot_key *keys = turns->work->rules[0].policy->dispatch.keys;
    for (int32_t i = 0; i < turns->key_count; i++) {
        if (!turns->keys[i])
            continue;
        int64_t value = value_of(job, keys[i].source.value);
        turns->keys[i][number] = keys[i].descending ? ~value : value;
    }
}

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
    allot__job_rows rows;
    bool made = false;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < order->count && status == ALLOT_OK; i++) {
        if (turns->keys[i])
            continue; /* read already */
        status = made ? ALLOT_OK : make_rows(turns, &rows);
        made = status == ALLOT_OK;
        if (made)
            status = allot__rowset_key(&rows.rows, &order->keys[i], &turns->keys[i]);
    }
    return status;
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

static int32_t gather(allot__turns *turns, const allot__turn *turn, int state, int32_t *jobs)
{
    const int32_t *first = turns->jobs->first, *by_queue = turns->jobs->by_queue;
    int32_t count = 0;
    for (int32_t q = 0; q < turn->queue_count; q++)
        for (int32_t i = first[turn->queues[q]]; i < first[turn->queues[q] + 1]; i++)
            if (turns->states[by_queue[i]] == state) {
                allot__job_announce(turns, by_queue[i]);
                jobs[count++] = by_queue[i];
            }
    if (turn->queue_count > 1) /* ties as in the state */
        allot__sort_numbers(jobs, count);
    allot__turn_sort(turns, turns->keys, turns->key_count, jobs, count);
    return count;
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

void allot__turn_list(allot__turns *turns, allot__turn *turn)
{
    if (!turn->listed)
        take_room(turns, turn);
    turn->suspended = gather(turns, turn, ALLOT_SUSPENDED, turn->jobs);
    turn->count =
        turn->suspended + gather(turns, turn, ALLOT_PENDING, turn->jobs + turn->suspended);
    turn->at = turn->waiting = 0;
    turn->anew = false;
}

void allot__turn_claim_stopped(allot__turns *turns, const allot__turn *turn)
{
    const int32_t *first = turns->jobs->first, *by_queue = turns->jobs->by_queue;
    for (int32_t q = 0; turns->stopped && q < turn->queue_count; q++)
        for (int32_t i = first[turn->queues[q]]; i < first[turn->queues[q] + 1]; i++)
            if (turns->states[by_queue[i]] == ALLOT_STOPPED)
                allot__host_view_claim(&turns->out->view, by_queue[i]);
}
