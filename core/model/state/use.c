/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * use.c: the decayed use of leaves (C-14).
 *
 * A leaf's use is kept as it was when its slots last changed. So it depends on these changes alone,
 * and neither on how often it is read nor on how often the state's time moves in between.
 */
#include <allot/stated.h>

#include "model/jobs/queue.h"
#include "model/state/state.h"

allot__usage allot__usage_now(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__group_state *of = &state->groups[group];
    const allot__usage *usage = &of->usage[consumer];
    int32_t slots = of->allocated[allot__row(state->plan, group, consumer)];
    return usage->at == INT64_MIN
               ? *usage
               : allot__usage_after(usage, slots, state->now, state->base->fades);
}

void allot__hold(allot_state *state, int32_t group, int32_t row, int32_t slots)
{
    allot__group_state *of = &state->groups[group];
    if (of->usage && state->begun && slots != of->allocated[row]) {
        int32_t consumer = allot__consumer(state->plan, group, row);
        of->usage[consumer] = allot__usage_now(state, group, consumer);
    }
    of->allocated[row] = slots;
}

int allot_state_begin(allot_state *state)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    int64_t at = state->usage_at_set ? state->usage_at : state->now;
    for (int32_t g = 0; g < state->plan->group_count && !state->begun; g++)
        for (int32_t i = 0; state->groups[g].usage && i < state->plan->tree.rows; i++)
            if (state->groups[g].usage[i].at == INT64_MIN)
                state->groups[g].usage[i].at = at;
    state->usage_at_set = state->usage_at_set && allot__queue_count(state->plan) > 0;
    state->begun = true;
    return ALLOT_OK;
}

int allot_state_usage_at(allot_state *state, int64_t when)
{
    if (!allot__state_changes(state) || !state->base->fades)
        return ALLOT_EUSAGE;
    state->usage_at = when;
    state->usage_at_set = true;
    return ALLOT_OK;
}

int allot_state_usage_time(const allot_state *state, int64_t *out)
{
    if (!state || !out)
        return ALLOT_EUSAGE;
    if (!state->usage_at_set)
        return ALLOT_ENOENT;
    *out = state->usage_at;
    return ALLOT_OK;
}
