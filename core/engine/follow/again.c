/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* again.c: the groups of a state, from one cycle to the next. */
#include <string.h>

#include "engine/follow/follow.h"

/* How often in a row a state is decided about by full passes before it pays to keep one: more often
 * if that was in vain. */
enum { PATIENCE = 1, MOST_PATIENCE = 256 };

static void end_all(void *what)
{
    allot__followed *all = what;
    allot_engine *engine = all->arena.engine;
    for (int32_t i = 0; i < all->count; i++)
        allot__follow_end(&all->groups[i]);
    allot__arena_free(&all->arena);
    allot__free(engine, all, 1, sizeof *all);
}

/* Drops the kept groups, and waits longer before groups are kept again; the first time not at all
 * if too much changed, for that may not happen again soon. */
static void give_up(const allot_state *state)
{
    allot__since *since = state->since;
    bool at_once = since->other && since->patience == 0;
    allot__since_end(state);
    since->cycles = at_once ? 2 * PATIENCE : 0;
    since->patience = since->patience < MOST_PATIENCE ? 2 * since->patience + 1 : MOST_PATIENCE;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Estimates the bytes that a group takes. */
static size_t group_size(const allot_plan *plan)
{
    enum { COLUMNS = 19, PER_ROW = 11, PIECES = 80 }; /* bits, classes, room for what may change */
    size_t rows = (size_t)plan->tree.rows, families = (size_t)plan->tree.families;
    return rows * (COLUMNS * sizeof(int32_t) + 1) + rows * PER_ROW +
           families * (sizeof(allot__sums) + sizeof(allot__critical) +
                       sizeof(allot__follow_family) + 8 * sizeof(int64_t)) +
           (size_t)PIECES * 64 + allot__broad_size(&plan->tree);
}

static int begin_all(const allot_state *state, const allot__flown_all *flown, allot__followed *all)
{
    int32_t count = state->plan->group_count;
    int status = allot__arena_reserve(&all->arena, (size_t)count * group_size(state->plan));
    all->groups = allot__arena_take(&all->arena, (size_t)count, sizeof *all->groups);
    if (status != ALLOT_OK || !all->groups)
        return ALLOT_ENOMEM;
    while (all->count < count && status == ALLOT_OK) {
        status =
            allot__follow_begin(state, all->count, flown, &all->arena, &all->groups[all->count]);
        all->count++;
    }
    return status;
}

/* The feature of the state that always prevents following; NULL: none. */
static const char *why_never(const allot_state *state)
{
    const char *why = state->since->full ? "it was asked for" : NULL;
    for (int32_t i = 0; i < state->plan->group_count && !why; i++)
        why = allot__follow_why(state, i);
    return why;
}

/* Is everything that is reclaimed still in flight? */
static bool all_fly(const allot__flown_all *flown)
{
    bool fly = true;
    for (int32_t i = 0; i < flown->count; i++)
        fly = fly && flown->flights[i].returned == 0;
    return fly;
}

void allot__follow_keep(const allot_state *state, const allot__flown_all *flown)
{
    allot__since *since = state->since;
    if (since->kept || since->cycles++ < since->patience + PATIENCE || !all_fly(flown) ||
        why_never(state))
        return;
    allot__followed *all = allot__new(state->engine, 1, sizeof *all);
    if (!all)
        return;
    all->plan = state->plan;
    allot__spare_free(state->engine); /* it is larger, and would be kept */
    allot__arena_init(&all->arena, state->engine);
    since->kept = all;
    since->end = end_all;
    if (begin_all(state, flown, all) == ALLOT_OK)
        allot__since_now(state);
    else
        give_up(state);
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void tell_rows(allot__follow *follow, const allot__group_state *group)
{
    const int32_t *rows = group->changed.items;
    for (size_t i = 0; i < group->changed.count; i++) {
        allot__follow_demand(follow, rows[i], group->demand[rows[i]]);
        allot__follow_allocated(follow, rows[i], group->allocated[rows[i]]);
    }
}

static bool same_size(const allot_state *state, const allot__followed *all)
{
    bool same = state->plan == all->plan && !state->former;
    for (int32_t i = 0; i < all->count && same; i++)
        same = state->groups[i].slots == all->groups[i].work->slots;
    return same;
}

static int go_on(const allot_state *state, const allot__flown_all *flown, allot__followed *all)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < all->count && status == ALLOT_OK; i++) {
        allot__follow *follow = &all->groups[i];
        allot__follow_open(follow);
        tell_rows(follow, &state->groups[i]);
        status = allot__follow_flights(follow, flown);
        if (status == ALLOT_OK)
            status = allot__follow_cycle(follow);
    }
    return status;
}

/* Why what is kept can no longer be followed; NULL: it can. */
static const char *why_over(const allot_state *state)
{
    const char *why = why_never(state);
    bool other =
        state->since->kept && (state->since->other || !same_size(state, state->since->kept));
    return why || !other ? why : "too much changed";
}

const char *allot__follow_again(const allot_state *state, const allot__flown_all *flown,
                                allot__followed **out)
{
    allot__since *since = state->since;
    allot__followed *all = since->kept;
    const char *why = why_over(state);
    *out = NULL;
    if (!why && !all)
        why = "nothing is kept of the cycle before";
    else if (!why && all->lent)
        why = "another decision reads what is kept";
    if (!all || all->lent)
        return why;
    int status = why ? ALLOT_OK : go_on(state, flown, all);
    if (status != ALLOT_OK)
        why = status == ALLOT_ENOMEM ? "no memory" : "a limit frees slots";
    if (why) {
        give_up(state);
        return why;
    }
    since->patience /= 2;
    allot__since_now(state);
    all->lent = true;
    *out = all;
    return NULL;
}
