/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch_walk.c: queues in their order, and the jobs of each. */

#include <string.h>

#include "engine/dispatch_turn.h"
#include "engine/order.h"
#include "engine/resource.h"

/* Jobs of a turn are scattered in memory: so far ahead they are called for. */
enum { AHEAD = 8 };

int allot__turn_start(allot__turns *turns, int32_t job, const char *reason, bool *started)
{
    bool preempts = false;
    *started = allot__fit_start(turns, job);
    int status = *started ? ALLOT_OK : allot__fit_preempting(turns, job, &preempts);
    *started = *started || preempts;
    if (status == ALLOT_OK && *started)
        status = allot__order_start(turns, job, preempts ? "preempted" : reason);
    return status;
}

static int resume(allot__turns *turns, int32_t job)
{
    bool preempts = false, fits = allot__fit_resume(turns, job);
    int status = fits ? ALLOT_OK : allot__fit_preempting(turns, job, &preempts);
    if (status == ALLOT_OK && (fits || preempts))
        status = allot__order_resume(turns, job, preempts ? "preempted" : "free");
    return status;
}

static int take_turn(allot__turns *turns, const int32_t *queues, int32_t count, allot__turn *out)
{
    int status = ALLOT_OK;
    allot__turn_list(turns, queues, count, out);
    for (int32_t i = 0; i < out->count && status == ALLOT_OK; i++) {
        bool started;
        if (i + AHEAD < out->count)
            __builtin_prefetch(allot__job_at(turns->jobs, out->jobs[i + AHEAD]));
        status = i < out->suspended ? resume(turns, out->jobs[i])
                                    : allot__turn_start(turns, out->jobs[i], "free", &started);
    }
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = allot__turn_grow(turns, queues[i]);
    return status;
}

static int pool_turn(allot__turns *turns, int32_t pool)
{
    int32_t queue;
    int status = allot__pool_reach(turns, pool, &queue);
    if (status != ALLOT_OK)
        return status;
    const int32_t *at = turns->pools[pool].order + turns->pools[pool].reached - 1;
    status = take_turn(turns, at, 1, &turns->of_queue[queue]);
    return status == ALLOT_OK ? allot__pool_rest(turns, pool) : status;
}

static bool alone(const allot__turns *turns, int32_t queue)
{
    return allot__turn_pool(turns, queue) >= 0 ||
           allot__queue_at(turns->queues, queue)->fairshare != 0;
}

/* Those of the same PRIORITY that go with the queue at `at`, itself first, moved behind each other;
 * what is between goes behind them. */
static int32_t merge(const allot__turns *turns, int32_t *sequence, int32_t at, int32_t count,
                     int32_t *other)
{
    int32_t priority = allot__queue_at(turns->queues, sequence[at])->priority;
    int32_t together = at, others = 0, end = at;
    for (; end < count && allot__queue_at(turns->queues, sequence[end])->priority == priority;
         end++) {
        if (alone(turns, sequence[end]))
            other[others++] = sequence[end];
        else
            sequence[together++] = sequence[end];
    }
    memcpy(sequence + together, other, (size_t)others * sizeof *other);
    return together - at;
}

static int walk(allot__turns *turns)
{
    int32_t count = allot__queue_count(turns->work->plan);
    int32_t *sequence = turns->out->sequence;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK;) {
        int32_t pool = allot__turn_pool(turns, sequence[i]), together = 1;
        allot__turn turn;
        if (pool < 0 && !alone(turns, sequence[i]))
            together = merge(turns, sequence, i, count, turns->other);
        status =
            pool >= 0 ? pool_turn(turns, pool) : take_turn(turns, sequence + i, together, &turn);
        i += together;
    }
    return status;
}

/* By PRIORITY, then as in the file. */
static int make_sequence(allot__turns *turns)
{
    int32_t count = allot__queue_count(turns->work->plan);
    int64_t *keys = allot__arena_take(turns->work->arena, (size_t)count + 1, sizeof *keys);
    if (keys == NULL)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        turns->out->sequence[i] = i;
        keys[i] = ~(int64_t)allot__queue_at(turns->queues, i)->priority;
    }
    allot__sort_rows(turns->out->sequence, turns->other, keys, 0, count);
    return ALLOT_OK;
}

/* Orders get their places, now that these do not move any more. */
static void finish_orders(allot__dispatched *out)
{
    allot_job_order *orders = out->orders.items;
    allot_place *places = out->places.items;
    for (size_t i = 0; i < out->orders.count; i++) {
        orders[i].places = NULL;
        if (orders[i].place_count == 0)
            continue;
        orders[i].places = places;
        places += orders[i].place_count;
    }
}

int allot__dispatch(allot__work *work, const allot_lease_part *leases, allot__dispatched *out)
{
    *out = (allot__dispatched){.preys = false};
    allot__turns turns = {.work = work,
                          .out = out,
                          .queues = allot__queues_of(work->plan),
                          .jobs = work->state->jobs};
    int status = allot__room_make(work, &out->room);
    if (status == ALLOT_OK)
        status = allot__room_lease(&out->room, leases);
    if (status == ALLOT_OK)
        status = allot__bounds_make(work, &out->room, &out->bounds);
    if (status == ALLOT_OK)
        status = allot__resources_make(work, &out->bounds.resources);
    if (status == ALLOT_OK)
        status = allot__turns_make(&turns);
    if (status == ALLOT_OK)
        status = allot__dispatch_begin(&turns);
    if (status == ALLOT_OK)
        status = make_sequence(&turns);
    if (status == ALLOT_OK)
        status = allot__turn_keys(&turns);
    if (status == ALLOT_OK)
        status = walk(&turns);
    if (status == ALLOT_OK)
        status = allot__dispatch_rows(&turns);
    out->tried = turns.list;
    out->tried_count = turns.listed;
    if (status == ALLOT_OK)
        finish_orders(out);
    else
        allot__dispatched_free(work, out);
    return status;
}

void allot__dispatched_free(allot__work *work, allot__dispatched *dispatched)
{
    allot_engine *engine = work->plan->engine;
    allot__bounds_free(&dispatched->bounds);
    allot__vector_free(engine, &dispatched->orders);
    allot__vector_free(engine, &dispatched->places);
    *dispatched = (allot__dispatched){.preys = false};
}
