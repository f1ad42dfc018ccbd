/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* stated.c: what a state states, read back. */
#include <allot/stated.h>

#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

static bool is_sealed(const allot_state *state)
{
    return state && state->sealed;
}

const allot_plan *allot_state_plan(const allot_state *state)
{
    return state ? state->base : NULL;
}

/* ---- Times and sizes ------------------------------------------------------------------------- */

int allot_state_last_get(const allot_state *state, int64_t *out)
{
    if (!state || !out)
        return ALLOT_EUSAGE;
    if (!state->last_set)
        return ALLOT_ENOENT;
    *out = state->last;
    return ALLOT_OK;
}

int allot_state_now_is_rounded(const allot_state *state)
{
    return state && state->now_rounded;
}

static const allot__group_state *group_at(const allot_state *state, int32_t group)
{
    bool known = is_sealed(state) && group >= 0 && group < state->plan->group_count;
    return known ? &state->groups[group] : NULL;
}

int allot_state_size_get(const allot_state *state, int32_t group, int64_t *out)
{
    const allot__group_state *of = group_at(state, group);
    if (!of || !out)
        return ALLOT_EUSAGE;
    if (of->stated < 0)
        return ALLOT_ENOENT;
    *out = of->stated;
    return ALLOT_OK;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* Is a leaf's demand other than that of its tasks? */
static bool states_demand(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__group_state *of = &state->groups[group];
    const allot__units *units = &state->tasks.units[group];
    int32_t row = allot__row(state->plan, group, consumer), waiting;
    bool runs = units->first && units->first[consumer] < units->first[consumer + 1];
    allot__waiting_of(&state->tasks, group, consumer, &waiting);
    return allot__demand_set(of, row) && (of->demand[row] > 0 || runs || waiting > 0);
}

/* ... and what it holds other than what they do? 0 is so without a running task, and is stated as
 * well as not. */
static bool states_allocated(const allot__group_state *of, int32_t row)
{
    return allot__allocated_set(of, row) && of->allocated[row] > 0;
}

int allot_state_leaf_get(const allot_state *state, int32_t group, int32_t consumer,
                         allot_stated_leaf *out)
{
    const allot__group_state *of = group_at(state, group);
    if (!of || !out || allot__queue_count(state->plan) > 0 ||
        !allot__plan_leaf(state->plan, consumer))
        return ALLOT_EUSAGE;
    int32_t row = allot__row(state->plan, group, consumer);
    *out = (allot_stated_leaf){
        .demand = states_demand(state, group, consumer) ? of->demand[row] : -1,
        .allocated = states_allocated(of, row) ? of->allocated[row] : -1,
        .unlisted = of->unlisted ? of->unlisted[consumer] : 0,
        .reclaimed_at = of->reclaimed_at ? of->reclaimed_at[consumer] : INT64_MIN,
        .waiting_since = of->waiting_since ? of->waiting_since[consumer] : INT64_MIN};
    return ALLOT_OK;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

int32_t allot_state_hosts(const allot_state *state)
{
    return state ? (int32_t)state->hosts.list.count : 0;
}

int allot_state_host_at(const allot_state *state, int32_t i, allot_stated_host *out)
{
    if (!out || i < 0 || i >= allot_state_hosts(state))
        return ALLOT_EUSAGE;
    const allot__host *host = (const allot__host *)state->hosts.list.items + i;
    *out = (allot_stated_host){.name = host->name,
                               .slots = host->slots,
                               .closed = (allot_closed)host->closed,
                               .load = host->load - 1,
                               .exclusive_to =
                                   host->exclusive_to > 0 ? host->exclusive_to - 1 : ALLOT_ROOT,
                               .planned = host->planned};
    return ALLOT_OK;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

int allot_state_usage_get(const allot_state *state, int32_t queue, int64_t *slot_seconds,
                          int32_t *millionths)
{
    if (!state || queue < 0 || queue >= allot__queue_count(state->plan) || !slot_seconds ||
        !millionths)
        return ALLOT_EUSAGE;
    const allot__usage *of = state->jobs ? state->jobs->usage : NULL;
    if (!of || !of[queue].told)
        return ALLOT_ENOENT;
    *slot_seconds = of[queue].slot_seconds;
    *millionths = of[queue].millionths;
    return ALLOT_OK;
}

int allot_state_usage_time(const allot_state *state, int64_t *out)
{
    if (!state || !out)
        return ALLOT_EUSAGE;
    if (!state->jobs || !state->jobs->usage_at_set)
        return ALLOT_ENOENT;
    *out = state->jobs->usage_at;
    return ALLOT_OK;
}

int allot_state_resource_time(const allot_state *state, int32_t resource, int64_t *out)
{
    if (!state || !out || resource < 0 || resource >= allot_plan_resources(state->plan))
        return ALLOT_EUSAGE;
    const int64_t *of = state->jobs ? state->jobs->preempted_at : NULL;
    if (!of || of[resource] == INT64_MIN)
        return ALLOT_ENOENT;
    *out = of[resource];
    return ALLOT_OK;
}
