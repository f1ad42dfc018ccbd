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

static allot__usage after(const allot_state *state, const allot__usage *usage, int32_t slots,
                          allot__spans *spans)
{
    if (usage->at == INT64_MIN || usage->at >= state->now)
        return *usage;
    int64_t seconds = allot__seconds_between(usage->at, state->now);
    allot__span *span = &spans->of[seconds % (int64_t)(sizeof spans->of / sizeof *spans->of)];
    if (span->seconds != seconds)
        *span = allot__span_of(seconds, state->base->fades);
    return allot__usage_after(usage, slots, span);
}

allot__usage allot__usage_now(const allot_state *state, int32_t group, int32_t consumer,
                              allot__spans *spans)
{
    const allot__group_state *of = &state->groups[group];
    return after(state, &of->usage[consumer],
                 of->allocated[allot__row(state->plan, group, consumer)], spans);
}

void allot__hold(allot_state *state, int32_t group, int32_t row, int32_t slots)
{
    allot__group_state *of = &state->groups[group];
    int32_t before = of->allocated[row];
    of->allocated[row] = slots;
    if (!of->usage || !state->begun || slots == before)
        return;
    allot__usage *usage = &of->usage[allot__consumer(state->plan, group, row)];
    if (usage->slot_seconds > 0 || usage->millionths > 0 || before > 0) {
        allot__spans spans = {.of[0].seconds = 0};
        *usage = after(state, usage, before, &spans);
    } else if (usage->at < state->now) {
        usage->at = state->now;
    }
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
