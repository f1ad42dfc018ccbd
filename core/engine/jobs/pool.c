/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool.c: pools: the order of queues, slices, and what is left after the last queue. */
#include "engine/jobs/turn.h"

/* Slots that the pool may still get: free on its hosts, and left by MAX_SLOTS_IN_POOL. */
static int64_t left_of(allot__turns *turns, int32_t pool, int64_t *free)
{
    const allot__slot_pool *of = &turns->queues->pools[pool];
    *free = allot__host_view_total(&turns->out->view, of->set);
    int64_t left = allot__pool_left(turns, pool);
    return left < *free ? left : *free;
}

/* Cuts slices for those that were not reached yet. */
static void cut(allot__turns *turns, int32_t pool)
{
    allot__pool_turn *turn = &turns->pools[pool];
    const allot__slot_pool *of = &turns->queues->pools[pool];
    int32_t count = 0;
    allot__host_view_as(&turns->out->view, turn->order[0]);
    int64_t used = 0, free, left = left_of(turns, pool, &free);
    for (int32_t i = 0; i < of->count; i++) {
        int32_t queue = turn->order[i];
        if (turns->reached[queue])
            continue;
        int64_t pending = turns->pending[queue], held = turns->out->used[queue];
        used += held;
        turns->out->cuts[queue].place = i;
        turns->rows[count++] = (allot__slice_row){
            .queue = queue,
            .share = allot__queue_at(turns->queues, queue)->slot_share,
            .used = held,
            .wants = held + allot__bounds_wants(&turns->out->bounds, queue, pending)};
    }
    allot__slices_cut(turns->rows, count, used + left, !of->by_priority, NULL);
    for (int32_t i = 0; i < count; i++) {
        int32_t queue = turns->rows[i].queue;
        turns->slice[queue] = turns->rows[i].slice;
        turns->first[queue] = turns->rows[i].first;
        turns->out->parts[queue].slice = turns->rows[i].slice;
        turns->out->cuts[queue] = (allot__cut){.row = turns->rows[i],
                                               .base = used + left,
                                               .place = turns->out->cuts[queue].place,
                                               .number = turn->cuts + 1};
    }
    if (turn->reached == 0)
        turns->out->pools[pool] =
            (allot_pool_part){.slots = used + left, .used = used, .free = free};
    turn->cuts++;
    turn->taken_at = turns->taken;
    turn->own_at = turns->own[pool];
    turn->orders_at = (int32_t)turns->out->orders.count;
    turn->places_at = (int32_t)turns->out->places.count;
}

static bool on_hosts(const allot__turns *turns, const allot_place *place, int32_t set)
{
    int32_t site = allot__place_site(turns->work->plan, place);
    int32_t host = allot__host_view_host(&turns->out->view, site);
    return host >= 0 && allot__host_view_has(&turns->out->view, set, host);
}

/* did queues of no pool, or of others, take slots of its hosts since the last cut? */
static bool others_took(allot__turns *turns, int32_t pool)
{
    allot__pool_turn *turn = &turns->pools[pool];
    const allot_job_order *orders = turns->out->orders.items;
    int32_t set = turns->queues->pools[pool].set, from = turn->orders_at;
    const allot_place *places = turns->out->places.items;
    int32_t at = turn->places_at;
    turn->orders_at = (int32_t)turns->out->orders.count;
    turn->places_at = (int32_t)turns->out->places.count;
    if (turns->taken - turn->taken_at == turns->own[pool] - turn->own_at)
        return false;
    for (int32_t i = from; i < turn->orders_at; at += orders[i].place_count, i++) {
        int32_t queue = allot__job_at(turns->jobs, orders[i].job)->queue;
        if (orders[i].kind > ALLOT_ORDER_RESIZE || allot__turn_pool(turns, queue) == pool)
            continue;
        if (orders[i].place_count == 0)
            return true;
        for (int32_t k = 0; k < orders[i].place_count; k++)
            if (on_hosts(turns, &places[at + k], set))
                return true;
    }
    return false;
}

/* Makes the order in which slices are cut, by use; turns go by queues' own PRIORITY. */
static int put_in_order(allot__turns *turns, int32_t pool)
{
    const allot__slot_pool *of = &turns->queues->pools[pool];
    allot__pool_turn *turn = &turns->pools[pool];
    if (!turn->order)
        turn->order = allot__arena_take(turns->work->arena, (size_t)of->count, sizeof(int32_t));
    if (!turn->order)
        return ALLOT_ENOMEM;
    return allot__slices_order(turns->work, pool, turns->out->used, turns->pending,
                               turns->out->usage, turn->order);
}

/* Slots that earlier queues of the pool's order lack of their slices are reserved for them, though
 * their turn comes later: else a queue above its slice could stay there at their cost for ever. */
static int64_t may_use(allot__turns *turns, int32_t pool, int32_t queue)
{
    const int32_t *order = turns->pools[pool].order;
    int64_t theirs = 0, free, slice = turns->slice[queue];
    for (int32_t i = 0; order[i] != queue; i++)
        if (!turns->reached[order[i]])
            theirs += turns->slice[order[i]] - turns->out->used[order[i]];
    if (theirs == 0)
        return slice;
    allot__host_view_as(&turns->out->view, queue);
    int64_t left = left_of(turns, pool, &free) - theirs;
    int64_t most = turns->out->used[queue] + (left > 0 ? left : 0);
    return most < slice ? most : slice;
}

int allot__pool_reach(allot__turns *turns, int32_t queue)
{
    int32_t pool = allot__turn_pool(turns, queue);
    allot__pool_turn *turn = &turns->pools[pool];
    bool first = turn->reached == 0;
    int status = first ? put_in_order(turns, pool) : ALLOT_OK;
    if (status != ALLOT_OK)
        return status;
    if (first || others_took(turns, pool))
        cut(turns, pool);
    turns->out->cuts[queue].may = may_use(turns, pool, queue);
    turns->reached[queue] = 1;
    turn->reached++;
    return ALLOT_OK;
}

void allot__pools_reset(allot__turns *turns)
{
    for (int32_t pool = 0; pool < turns->queues->pool_count; pool++) {
        const allot__slot_pool *of = &turns->queues->pools[pool];
        turns->pools[pool].reached = turns->pools[pool].cuts = 0;
        for (int32_t i = 0; i < of->count; i++)
            turns->reached[of->queues[i]] = 0;
    }
}

/* Gives a queue its part of a round: jobs that do not fit now do not fit later. */
static int serve(allot__turns *turns, allot__turn *turn, int64_t part, int64_t *given)
{
    int64_t sum = 0;
    int status = ALLOT_OK;
    while (turn->next < turn->count && status == ALLOT_OK) {
        int32_t job = turn->jobs[turn->next];
        int32_t slots = allot__job_at(turns->jobs, job)->slots;
        bool started = false;
        if (sum > 0 && sum + slots > part)
            break;
        if (turns->out->jobs[job].now == ALLOT_PENDING)
            status = allot__turn_start(turns, job, "leftover", &started);
        sum += started ? slots : 0;
        turn->next++;
    }
    *given += sum;
    return status;
}

static int in_rounds(allot__turns *turns, int32_t pool)
{
    const allot__slot_pool *of = &turns->queues->pools[pool];
    int64_t free, left = left_of(turns, pool, &free), given = 1;
    int status = ALLOT_OK;
    while (left > 0 && given > 0 && status == ALLOT_OK) {
        given = 0;
        for (int32_t i = 0; i < of->count && status == ALLOT_OK; i++) {
            int32_t queue = turns->pools[pool].order[i];
            int64_t share = allot__queue_at(turns->queues, queue)->slot_share;
            allot__host_view_as(&turns->out->view, queue);
            status = serve(turns, turns->of_queue[queue], (left * share + 99) / 100, &given);
        }
        left = left_of(turns, pool, &free);
    }
    return status;
}

/* The waiting jobs of a pool's queues, by number; and keys: priority, PRIORITY, submitted. */
static int32_t waiting(allot__turns *turns, int32_t pool, int32_t *jobs, int64_t **keys)
{
    const allot__slot_pool *of = &turns->queues->pools[pool];
    int32_t count = 0;
    for (int32_t i = 0; i < of->count; i++) {
        const allot__jobs *all = turns->jobs;
        int32_t queue = of->queues[i];
        for (int32_t k = all->first[queue]; k < all->first[queue + 1]; k++) {
            int32_t job = all->by_queue[k];
            const allot__job *of_job = allot__job_at(all, job);
            if (of_job->state != ALLOT_PENDING || turns->out->jobs[job].now != ALLOT_PENDING)
                continue;
            keys[0][job] = ~(int64_t)of_job->priority;
            keys[1][job] = ~(int64_t)allot__queue_at(turns->queues, queue)->priority;
            keys[2][job] = of_job->submitted;
            keys[3][job] = job;
            jobs[count++] = job;
        }
    }
    return count;
}

/* */
static int by_priority(allot__turns *turns, int32_t pool)
{
    size_t room = turns->jobs->list.count + 1;
    int32_t *jobs = allot__arena_take(turns->work->arena, room, sizeof *jobs);
    int64_t *keys[4] = {NULL, NULL, NULL, NULL};
    for (int32_t i = 0; i < 4; i++) {
        keys[i] = allot__arena_take(turns->work->arena, room, sizeof **keys);
        if (!keys[i] || !jobs)
            return ALLOT_ENOMEM;
    }
    int32_t count = waiting(turns, pool, jobs, keys);
    allot__turn_sort(turns, keys, 4, jobs, count);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        bool started;
        status = allot__turn_start(turns, jobs[i], "priority", &started);
    }
    return status;
}

int allot__pool_rest(allot__turns *turns, int32_t pool)
{
    const allot__slot_pool *of = &turns->queues->pools[pool];
    if (turns->pools[pool].reached < of->count)
        return ALLOT_OK;
    turns->leftover = true;
    int status = of->by_priority ? by_priority(turns, pool) : in_rounds(turns, pool);
    turns->leftover = false;
    return status;
}
