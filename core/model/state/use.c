/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * use.c: the decayed use of leaves (C-14).
 *
 * A leaf's use is kept as it was when its slots last changed. So it depends on these changes alone,
 * and neither on how often it is read nor on how often the state's time moves in between.
 */
#include <allot/stated.h>

#include <math.h>

#include "base/least.h"
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

/* ---- Near it --------------------------------------------------------------------------------- */

/*
 * Use of a leaf that holds its slots is what these come to at last, and what it has above that,
 * which fades alike for all leaves. `above` is that as if of the time above_at, near it, so that a
 * product and a sum a leaf tell its use, mostly with certainty (engine/rows/used.c).
 */
static const double LEAST_LEFT = 0x1p-8; /* beyond, precision gets lost */

static double above_of(const allot_state *state, int32_t group, int32_t row)
{
    const allot__group_state *of = &state->groups[group];
    const allot__usage *usage = &of->usage[allot__consumer(state->plan, group, row)];
    const allot__decay *fades = state->base->fades;
    bool later = usage->at >= state->above_at;
    int64_t seconds = later ? allot__seconds_between(state->above_at, usage->at)
                            : allot__seconds_between(usage->at, state->above_at);
    double left = allot__left_near(fades, seconds);
    double above = (double)usage->slot_seconds + (double)usage->millionths / ALLOT__MILLION -
                   fades->lasting * (double)of->allocated[row];
    bool much = later || fabs(above) > 0x1p36; /* what is left is known within 2^-61 */
    if (usage->at == INT64_MIN || usage->at > state->now || left < (much ? LEAST_LEFT : 0))
        return ALLOT__ABOVE_UNKNOWN;
    return later ? above / left : above * left;
}

void allot__above_fill(allot_state *state)
{
    const allot__decay *fades = state->base->fades;
    if (!fades || fades->pace.part == 0)
        return;
    double left = allot__left_near(fades, allot__seconds_between(state->above_at, state->now));
    bool stale = state->above_stale || state->now < state->above_to || left < LEAST_LEFT;
    state->above_to = state->now;
    state->above_stale = false;
    if (stale)
        state->above_at = state->now;
    for (int32_t g = 0; g < state->plan->group_count && stale; g++)
        for (int32_t row = 0; state->groups[g].above && row < state->plan->tree.rows; row++)
            state->groups[g].above[row] = above_of(state, g, row);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

void allot__hold(allot_state *state, int32_t group, int32_t row, int32_t slots)
{
    allot__group_state *of = &state->groups[group];
    if (slots == of->allocated[row])
        return;
    if (of->usage && state->begun) {
        int32_t consumer = allot__consumer(state->plan, group, row);
        of->usage[consumer] = allot__usage_now(state, group, consumer);
    }
    of->allocated[row] = slots;
    if (!of->usage)
        return;
    state->above_to = allot__most(state->above_to, state->now);
    if (state->base->fades->pace.part != 0)
        of->above[row] = above_of(state, group, row);
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
    state->above_stale = state->above_stale || !state->begun;
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
