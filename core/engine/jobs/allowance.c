/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* allowance.c: what limits, resources and pools will allow, and what reservations keep of them. */
#include "base/least.h"
#include "engine/jobs/limits/resource.h"
#include "engine/jobs/reserve.h"

static int32_t resource_count(const allot__turns *turns)
{
    const allot__resources *resources = turns->out->bounds.resources;
    return resources ? resources->count : 0;
}

static int32_t pool_number(const allot__turns *turns, int32_t pool)
{
    return ~(resource_count(turns) + pool);
}

static int add(allot__turns *turns, allot__vector *to, int32_t number, int64_t amount)
{
    allot__bound_part *part = allot__push(turns->work->plan->engine, to, sizeof *part);
    if (!part)
        return ALLOT_ENOMEM;
    *part = (allot__bound_part){.bound = number, .amount = amount};
    return ALLOT_OK;
}

/* The pool that bounds what a queue's jobs have together; -1: none does. */
static int32_t bounding_pool(const allot__turns *turns, int32_t queue)
{
    int32_t pool = allot__turn_pool(turns, queue);
    return pool >= 0 && turns->queues->pools[pool].most != ALLOT_NONE ? pool : -1;
}

/* A suspended job has its resources, and counts in its pool. */
int allot__allowance_parts(allot__turns *turns, int32_t number, allot_order_kind kind,
                           const allot__job_place *places, int32_t count, allot__vector *to)
{
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    int status = turns->out->bounds.class_of
                     ? allot__bounds_parts(&turns->out->bounds, number, kind, places, count, to)
                     : ALLOT_OK;
    int32_t asks = 0, pool = bounding_pool(turns, job->queue);
    const allot_job_resource *has = NULL;
    if (resource_count(turns) > 0 && kind == ALLOT_ORDER_START)
        has = allot__job_resources(turns->jobs, number, &asks);
    for (int32_t i = 0; i < asks && status == ALLOT_OK; i++)
        status = add(turns, to, ~has[i].resource, has[i].amount);
    int64_t slots = 0;
    for (int32_t i = 0; i < count; i++)
        slots += places[i].slots;
    if (status == ALLOT_OK && pool >= 0 && kind != ALLOT_ORDER_RESUME)
        status = add(turns, to, pool_number(turns, pool), slots);
    return status;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static int64_t left_now(const allot__turns *turns, int32_t number)
{
    const allot__bounds *bounds = &turns->out->bounds;
    int32_t resources = resource_count(turns);
    if (number >= 0)
        return allot__bound_at(bounds, number)->most - allot__bound_at(bounds, number)->used;
    if (~number >= resources) {
        int32_t pool = ~number - resources;
        return turns->queues->pools[pool].most - turns->held[pool];
    }
    return allot__resources_amount(bounds->resources, ~number) - bounds->resources->used[~number];
}

const allot__profile *allot__allowance_at(const allot__turns *turns, int32_t number)
{
    const allot__reserve *reserve = turns->reserve;
    if (number >= 0 && (size_t)number >= reserve->by_bound.count)
        return NULL;
    const allot__profile *profiles = reserve->by_bound.items;
    const allot__profile *profile = number < 0 ? &reserve->others[~number] : &profiles[number];
    return profile->count > 0 ? profile : NULL;
}

/* The same, with a step for now. NULL: out of memory. */
static allot__profile *begin(allot__turns *turns, int32_t number)
{
    allot__reserve *reserve = turns->reserve;
    while (number >= 0 && reserve->by_bound.count <= (size_t)number)
        if (!allot__push(turns->work->plan->engine, &reserve->by_bound, sizeof(allot__profile)))
            return NULL;
    allot__profile *profiles = reserve->by_bound.items;
    allot__profile *profile = number < 0 ? &reserve->others[~number] : &profiles[number];
    if (profile->count == 0 &&
        allot__profile_put(turns->work->arena, profile, turns->work->state->now,
                           left_now(turns, number)) != ALLOT_OK)
        return NULL;
    return profile;
}

int allot__allowance_free(allot__turns *turns, int32_t number, int64_t at, int64_t amount)
{
    allot__profile *profile = begin(turns, number);
    if (!profile)
        return ALLOT_ENOMEM;
    return allot__profile_put(turns->work->arena, profile, at,
                              profile->free[profile->count - 1] + amount);
}

int allot__allowance_take(allot__turns *turns, int32_t number, int64_t from, int64_t until,
                          int64_t amount)
{
    allot__profile *profile = begin(turns, number);
    if (!profile)
        return ALLOT_ENOMEM;
    return allot__profile_take(turns->work->arena, profile, from, until, amount);
}

void allot__allowances_clear(allot__turns *turns)
{
    allot__profile *profiles = turns->reserve->by_bound.items;
    for (size_t i = 0; i < turns->reserve->by_bound.count; i++)
        profiles[i].count = 0;
    for (int32_t i = 0; i < turns->reserve->other_count; i++)
        turns->reserve->others[i].count = 0;
}

/* ---- As of a time ---------------------------------------------------------------------------- */

/* Visits the allowances of a job that have steps, one after another. `number`: in: the one before,
 * or INT32_MAX. */
typedef struct visit {
    const allot__turns *turns;
    const allot__bound_entry *entries;
    const allot_job_resource *asks;
    int32_t job, queue, set, entry, entry_count, host, ask, ask_count;
    bool pool;
} visit;

static visit visit_all(const allot__turns *turns, int32_t job)
{
    visit it = {.turns = turns, .job = job, .queue = allot__reserve_brief(turns, job)->queue};
    it.set = turns->queues->set_of[it.queue];
    it.entries = allot__bounds_entries(&turns->out->bounds, job, &it.entry_count);
    if (resource_count(turns) > 0)
        it.asks = allot__job_resources(turns->jobs, job, &it.ask_count);
    it.pool = bounding_pool(turns, it.queue) >= 0;
    return it;
}

/* The bound of an entry by hosts on the next of the job's hosts; -1: there is none. */
static int32_t next_on_host(visit *it, const allot__bound_entry *entry)
{
    const allot__host_view *view = &it->turns->out->view;
    while (it->host < view->count) {
        int32_t host = it->host++;
        int32_t bound = allot__host_view_has(view, it->set, host)
                            ? allot__bound_find(&it->turns->out->bounds, entry, host)
                            : -1;
        if (bound >= 0)
            return bound;
    }
    it->host = 0;
    return -1;
}

static bool next_number(visit *it, int32_t *number)
{
    while (it->entry < it->entry_count) {
        const allot__bound_entry *entry = &it->entries[it->entry];
        *number = entry->bound >= 0 ? entry->bound : next_on_host(it, entry);
        it->entry += entry->bound >= 0 || *number < 0;
        if (*number >= 0)
            return true;
    }
    if (it->ask < it->ask_count) {
        *number = ~it->asks[it->ask++].resource;
        return true;
    }
    bool pool = it->pool;
    it->pool = false;
    if (pool)
        *number = pool_number(it->turns, bounding_pool(it->turns, it->queue));
    return pool;
}

static const allot__profile *next_profile(visit *it, int32_t *number)
{
    const allot__profile *profile = NULL;
    while (!profile && next_number(it, number))
        profile = allot__allowance_at(it->turns, *number);
    return profile;
}

static int64_t *kept_of(const allot__turns *turns, int32_t number)
{
    int32_t resources = resource_count(turns);
    return number >= 0           ? &allot__bound_at(&turns->out->bounds, number)->kept
           : ~number < resources ? &turns->out->bounds.resources->kept[~number]
                                 : &turns->kept[~number - resources];
}

int allot__allowances_as_of(allot__turns *turns, int32_t job, int64_t from, int64_t until)
{
    visit it = visit_all(turns, job);
    const allot__profile *profile;
    int32_t number;
    while ((profile = next_profile(&it, &number)) != NULL) {
        int32_t *set = allot__push(turns->work->plan->engine, &turns->reserve->set, sizeof *set);
        if (!set)
            return ALLOT_ENOMEM;
        *set = number;
        *kept_of(turns, number) =
            left_now(turns, number) - allot__profile_look(profile, from, until, INT64_MIN).least;
    }
    return ALLOT_OK;
}

void allot__allowances_now(allot__turns *turns)
{
    const int32_t *set = turns->reserve->set.items;
    for (size_t i = 0; i < turns->reserve->set.count; i++)
        *kept_of(turns, set[i]) = 0;
    turns->reserve->set.count = 0;
}

bool allot__allowances_let(const allot__turns *turns, int32_t job, int64_t slots, int32_t *number)
{
    const allot__resources *resources = turns->out->bounds.resources;
    bool starts = turns->states[job] == ALLOT_PENDING;
    int32_t pool = bounding_pool(turns, allot__reserve_brief(turns, job)->queue), resource;
    if (!allot__bounds_allow(&turns->out->bounds, job, slots, number))
        return false;
    if (starts && resources && !allot__resources_allow(resources, job, &resource)) {
        *number = ~resource;
        return false;
    }
    if (pool >= 0 && turns->states[job] != ALLOT_SUSPENDED &&
        slots > allot__pool_left(turns, pool)) {
        *number = pool_number(turns, pool);
        return false;
    }
    return true;
}

int64_t allot__allowances_next(const allot__turns *turns, int32_t job, int64_t at)
{
    visit it = visit_all(turns, job);
    const allot__profile *profile;
    int32_t number;
    int64_t next = ALLOT__FOREVER;
    while ((profile = next_profile(&it, &number)) != NULL)
        next = allot__least(next, allot__profile_next(profile, at));
    return next;
}
