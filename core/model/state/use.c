/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * use.c: the decayed use of leaves, and of users of jobs (C-14).
 *
 * Use is kept as it was when the slots of the leaf or user last changed. So it depends on these
 * changes alone, and neither on how often it is read nor on how often the state's time moves in
 * between.
 */
#include <allot/stated.h>

#include <math.h>

#include "base/least.h"
#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

/* Use until the state's time, with so many slots since. */
static allot__usage until_now(const allot_state *state, const allot__usage *usage, int64_t slots)
{
    return usage->at == INT64_MIN
               ? *usage
               : allot__usage_after(usage, slots, state->now, state->base->fades);
}

allot__usage allot__usage_now(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__group_state *of = &state->groups[group];
    return until_now(state, &of->usage[consumer],
                     of->allocated[allot__row(state->plan, group, consumer)]);
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

/* ---- Users ----------------------------------------------------------------------------------- */

bool allot__users_counted(const allot_state *state)
{
    return state->base->users_counted && allot__queue_count(state->base) > 0;
}

static allot__user_use *use_at(const allot_state *state, int32_t user)
{
    bool known = state->jobs && user >= 0 && (size_t)user < state->jobs->users.count;
    return known ? (allot__user_use *)state->jobs->users.items + user : NULL;
}

const allot__user_use *allot__user_use_of(const allot_state *state, int32_t user)
{
    return use_at(state, user);
}

int allot__user_room(allot_state *state, int32_t user)
{
    allot__vector *users = &state->jobs->users;
    while (allot__users_counted(state) && user >= 0 && (size_t)user >= users->count) {
        allot__user_use *added = allot__push(state->engine, users, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = (allot__user_use){.usage.at = state->begun ? state->now : INT64_MIN};
    }
    return ALLOT_OK;
}

allot__usage allot__user_usage(const allot_state *state, int32_t user)
{
    const int64_t most = (int64_t)1 << 40;
    const allot__user_use *of = use_at(state, user);
    return of ? until_now(state, &of->usage, allot__least(of->slots, most)) : (allot__usage){0};
}

bool allot__user_has_use(const allot_state *state, int32_t user)
{
    const allot__user_use *of = use_at(state, user);
    allot__usage usage = allot__user_usage(state, user);
    return of && (of->slots > 0 || allot__usage_whole(&usage) > 0);
}

static void hold_more(allot_state *state, int32_t user, int64_t slots)
{
    allot__user_use *of = use_at(state, user);
    if (!of || slots == 0)
        return;
    if (state->begun)
        of->usage = allot__user_usage(state, user);
    of->slots += slots;
}

static int64_t slots_of(const allot__job *job)
{
    return job && job->state == ALLOT_RUNNING ? job->slots : 0;
}

void allot__user_change(allot_state *state, const allot__job *old, const allot__job *made)
{
    bool same = old && made && old->user == made->user;
    if (!same && old)
        hold_more(state, old->user, -slots_of(old));
    if (made)
        hold_more(state, made->user, slots_of(made) - (same ? slots_of(old) : 0));
}

void allot__users_recount(allot_state *state)
{
    const allot__things *things = &state->all_jobs;
    for (int32_t i = 0; use_at(state, i); i++)
        use_at(state, i)->slots = 0;
    for (int32_t i = 0; (size_t)i < things->list.count; i++) {
        const allot__job *job = (const allot__job *)(const void *)allot__things_at(things, i);
        allot__user_use *of = job ? use_at(state, job->user) : NULL;
        if (of)
            of->slots += slots_of(job);
    }
}

/* ---- Times ----------------------------------------------------------------------------------- */

int allot_state_begin(allot_state *state)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    int64_t at = state->usage_at_set ? state->usage_at : state->now;
    for (int32_t g = 0; g < state->plan->group_count && !state->begun; g++)
        for (int32_t i = 0; state->groups[g].usage && i < state->plan->tree.rows; i++)
            if (state->groups[g].usage[i].at == INT64_MIN)
                state->groups[g].usage[i].at = at;
    for (int32_t i = 0; !state->begun && use_at(state, i); i++)
        if (use_at(state, i)->usage.at == INT64_MIN)
            use_at(state, i)->usage.at = at;
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
