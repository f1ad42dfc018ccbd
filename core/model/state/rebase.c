/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rebase.c: a state rebased on the plan of its time: rows move where siblings' order differs. */
#include <string.h>

#include "model/state/state.h"

/* Moves a column's entries from one plan's rows to another's. */
typedef struct move {
    const allot__group *from, *to;
    int32_t rows;
    unsigned char *spare; /* room for a column of 8-byte entries */
} move;

static int32_t group_row(const allot__group *group, int32_t row)
{
    return group->group_row ? group->group_row[row] : row;
}

static void move_column(const move *move, void *column, size_t size)
{
    unsigned char *entries = column;
    if (!entries)
        return;
    for (int32_t row = 0; row < move->rows; row++)
        memcpy(move->spare + (size_t)group_row(move->to, row) * size,
               entries + (size_t)group_row(move->from, row) * size, size);
    memcpy(entries, move->spare, (size_t)move->rows * size);
}

static void move_bits(const move *move, uint8_t *bits)
{
    size_t size = (size_t)move->rows / 8 + 1;
    memset(move->spare, 0, size);
    for (int32_t row = 0; row < move->rows; row++) {
        int32_t from = group_row(move->from, row), to = group_row(move->to, row);
        move->spare[to / 8] |= (uint8_t)((bits[from / 8] >> from % 8 & 1) << to % 8);
    }
    memcpy(bits, move->spare, size);
}

/* Every column of a group's state that is by row. */
static void move_group(const move *move, allot__group_state *group)
{
    move_column(move, group->demand, sizeof *group->demand);
    move_column(move, group->allocated, sizeof *group->allocated);
    move_bits(move, group->set);
    move_bits(move, group->demanded);
}

/* A group that both plans share, or that neither orders otherwise than the tree, is left as it
 * is. */
static int tree_row(allot_state *state, const allot_plan *to)
{
    size_t rows = (size_t)to->tree.rows + 1;
    move move = {.rows = to->tree.rows};
    for (int32_t i = 0; i < to->group_count; i++) {
        move.from = &state->plan->groups[i];
        move.to = &to->groups[i];
        if (move.from->group_row == move.to->group_row)
            continue;
        if (!move.spare)
            move.spare = allot__new(state->engine, rows, sizeof(int64_t));
        if (!move.spare)
            return ALLOT_ENOMEM; /* at the first: nothing has moved */
        move_group(&move, &state->groups[i]);
    }
    allot__free(state->engine, move.spare, rows, sizeof(int64_t));
    return ALLOT_OK;
}

int allot__state_rebase(allot_state *state)
{
    int64_t last = state->now > INT64_MIN ? state->now - 1 : state->now;
    const allot_plan *plan, *former;
    int status = allot_plan_at(state->base, state->now, &plan);
    if (status == ALLOT_OK)
        status = allot_plan_at(state->base, state->last_set ? state->last : last, &former);
    if (status == ALLOT_OK && plan != state->plan)
        status = tree_row(state, plan);
    if (status)
        return status;
    state->plan = plan;
    state->former = former != plan ? former : NULL;
    return ALLOT_OK;
}
