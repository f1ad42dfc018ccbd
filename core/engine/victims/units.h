/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * units.h: the units on a leaf's slots as rows of rules: the columns of ALLOT_TASK_COLUMN_MAP.
 *
 * A row is a unit of the model: the tasks that share a slot, which go or stay together. Columns of
 * sessions and hosts come from tables, which are made when a rule first reads them.
 */
#ifndef ALLOT_ENGINE_VICTIMS_UNITS_H
#define ALLOT_ENGINE_VICTIMS_UNITS_H

#include "engine/rows/rowset.h"

typedef struct allot__unit_rows {
    allot__rowset rows; /* first: functions get a pointer to it */
    const allot__units *units;
    int32_t base; /* the leaf's first unit; row i is unit base + i */
    /* By session + 1 and by site + 1; at 0 the value without one. NULL: not made yet. */
    int64_t *of_session[ALLOT_TASK_COLUMN_COUNT], *of_site[ALLOT_TASK_COLUMN_COUNT];
    allot_scheduling scheduling; /* of the leaf's sessions; proportional if there is none */
    bool guarded; /* all of the leaf's units on hosts count as the best there (XV-4) */
    bool shared;  /* ... units on some of its hosts do */
} allot__unit_rows;

/* Is a column always the same for all tasks of a session? Importance is not: on some hosts all
 * tasks count as the best there. */
bool allot__session_column(int32_t column);
/* The units of a group; NULL: the group has none. */
static inline const allot__units *allot__units_of(const allot__work *work)
{
    const allot__units *units = work->state->tasks.units;
    return units != NULL && units[work->index].count > 0 ? &units[work->index] : NULL;
}
/* Begins without a leaf; the group must have units. */
void allot__unit_rows_init(allot__unit_rows *rows, const allot__work *work);
/* Switches to the units of a leaf, to read columns that are ready: their tables are made, and they
 * need no function. */
void allot__unit_rows_turn(allot__unit_rows *rows, int32_t leaf);
bool allot__unit_rows_ready(const allot__unit_rows *rows, int32_t column);
/* Switches to the units of a leaf, to read any source; ENOMEM. */
int allot__unit_rows_leaf(allot__unit_rows *rows, int32_t leaf);
/* Makes the tables, or a function's values, that a source reads. ENOMEM, or what a policy's
 * function failed with. */
int allot__unit_rows_prepare(allot__unit_rows *rows, allot_source source);

/* Does a reclaim in flight name a task of a unit, in any group? */
bool allot__unit_going(const allot_state *state, const allot__units *units, int32_t unit);
/* Seconds from a start until now; 0 if the start is in the future. */
int64_t allot__ran(int64_t now, int64_t started);
/* Seconds since a submission; 0 if it is unknown (0). */
static inline int64_t allot__waited(int64_t now, int64_t submitted)
{
    return submitted == 0 ? 0 : allot__ran(now, submitted);
}
/* A number drawn from a seed and a name, 0 ... ALLOT__LOT_LAST - 1: always the same. */
#define ALLOT__LOT_LAST ((int64_t)1 << 53)
int64_t allot__lot_of(int64_t seed, const char *name);
/* The id of a unit, for ties: the largest of its tasks'. */
const char *allot__unit_id(const allot_state *state, const allot__units *units, int32_t unit);
/* Seconds that a unit has run; of several tasks the sum. */
int64_t allot__unit_ran(const allot_state *state, const allot__units *units, int32_t unit);

#endif
