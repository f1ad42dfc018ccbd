/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* since.c: what changed in a state since the decision that the next cycle follows. */
#include "model/state/state.h"

int allot_state_full(allot_state *state, int32_t full)
{
    if (!state)
        return ALLOT_EUSAGE;
    state->since->full = full != 0;
    return ALLOT_OK;
}

/* More changed rows cost about as much as a full pass: one in twelve, and where leaves have tasks,
 * one in thirty to a hundred. */
static size_t most_changes(const allot_state *state)
{
    int32_t part = allot__task_count(&state->tasks) > 0 ? 64 : 16;
    return (size_t)(state->plan->tree.rows / part + 16);
}

void allot__row_changed(allot_state *state, int32_t group, int32_t row)
{
    allot__vector *rows = &state->groups[group].changed;
    int32_t *it = NULL;
    if (!state->since->kept && !state->slight)
        return;
    if (rows->count <= most_changes(state))
        it = allot__push(state->engine, rows, sizeof *it);
    if (it)
        *it = row;
    else
        state->since->other = true; /* too many changes to follow */
}

void allot__since_now(const allot_state *state)
{
    for (int32_t i = 0; i < state->plan->group_count; i++)
        state->groups[i].changed.count = 0;
    state->since->other = false;
}

void allot__since_end(const allot_state *state)
{
    allot__since *since = state->since;
    if (since->kept)
        since->end(since->kept);
    since->kept = NULL;
}
