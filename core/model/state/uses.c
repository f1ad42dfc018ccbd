/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* uses.c: what a state records of queues, resources and contracts. */
#include <allot/stated.h>

#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

int allot_state_usage(allot_state *state, int32_t queue, int64_t slot_seconds, int32_t millionths)
{
    int32_t queues = state ? allot__queue_count(state->plan) : 0;
    if (!allot__state_changes(state) || !within(queue, 0, (int64_t)queues - 1))
        return ALLOT_EUSAGE;
    if (!within(slot_seconds, 0, ALLOT__USAGE_MOST) || !within(millionths, 0, ALLOT__MILLION - 1))
        return ALLOT_ERANGE;
    if (allot__jobs_room(state) != ALLOT_OK)
        return ALLOT_ENOMEM;
    state->jobs->usage[queue] =
        (allot__usage){.told = true, .slot_seconds = slot_seconds, .millionths = millionths};
    return ALLOT_OK;
}

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

/* ---- Users ----------------------------------------------------------------------------------- */

int32_t allot_state_users(const allot_state *state)
{
    return state && state->jobs ? (int32_t)state->jobs->users.count : 0;
}

int allot_state_user_at(const allot_state *state, int32_t i, allot_stated_user *out)
{
    if (!out || i < 0 || i >= allot_state_users(state))
        return ALLOT_EUSAGE;
    if (!allot__user_has_use(state, i))
        return ALLOT_ENOENT;
    const allot__usage *of = &allot__user_use_of(state, i)->usage;
    *out = (allot_stated_user){.name = allot__job_user(state, i),
                               .usage = of->slot_seconds,
                               .usage_rest = of->millionths,
                               .usage_at = of->at};
    return ALLOT_OK;
}

int allot_state_user_set(allot_state *state, const allot_stated_user *user)
{
    if (!allot__state_changes(state) || !user)
        return ALLOT_EUSAGE;
    int status = allot__item_check(state->plan, ALLOT_ITEM_USER, user);
    return status == ALLOT_OK ? allot__user_set(state, user) : status;
}

/* ---- Resources ------------------------------------------------------------------------------- */

int allot_state_resource_preempted(allot_state *state, int32_t resource, int64_t when)
{
    int32_t count = state ? allot_plan_resources(state->base) : 0;
    if (!allot__state_changes(state) || !within(resource, 0, (int64_t)count - 1))
        return ALLOT_EUSAGE;
    if (allot__jobs_room(state) != ALLOT_OK)
        return ALLOT_ENOMEM;
    state->jobs->preempted_at[resource] = when;
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

/* ---- Contracts ------------------------------------------------------------------------------- */

static bool known(const allot_state *state, int32_t lease)
{
    return lease >= 0 && lease < allot_plan_leases(state->plan);
}

int allot_state_lease(allot_state *state, int32_t lease, const allot_lease_now *now)
{
    if (!allot__state_changes(state) || !now || !known(state, lease))
        return ALLOT_EUSAGE;
    int status = allot__item_check(state->plan, ALLOT_ITEM_LEASE, now);
    if (status == ALLOT_OK)
        status = allot__jobs_room(state);
    if (status == ALLOT_OK)
        state->jobs->leases[lease] = (allot__lease_told){true, *now};
    return status;
}

int allot_state_lease_at(const allot_state *state, int32_t lease, allot_lease_now *out)
{
    if (!state || !out || !known(state, lease))
        return ALLOT_EUSAGE;
    if (!state->jobs || !state->jobs->leases || !state->jobs->leases[lease].told)
        return ALLOT_ENOENT;
    *out = state->jobs->leases[lease].now;
    return ALLOT_OK;
}
