/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flight.h: reclaims in flight: slots that came back, slots still held, claimants, and tasks whose
 * deadline has passed.
 *
 * A named task that is gone has freed its slots. If a reclaim names no tasks, all its slots are
 * held as long as the state lists the reclaim. Slots that came back serve its claims first to last,
 * slots still held serve the other claims. Slots on hosts that are closed and reclaimed serve no
 * claimant: claims on them are void, the last first, and the deadline is now + grace at the latest
 * (A-80).
 *
 * The host of slots without a task is unknown. Slots without task and claimant are assumed to be on
 * closed hosts. Slots without a task but with a claimant are assumed to be on open hosts, as far as
 * their leaf has slots there that no reclaim names, else on closed hosts. Such slots on closed
 * hosts are not reclaimed again, and belong to the reclaims that the state lists last.
 */
#ifndef ALLOT_ENGINE_ROWS_FLIGHT_H
#define ALLOT_ENGINE_ROWS_FLIGHT_H

#include <stdbool.h>

#include <allot/decision.h>

#include "base/memory.h"
#include "engine/rows/work.h"

/* One reclaim, by its number in the state. */
typedef struct allot__flown {
    int64_t returned;
    int64_t lost;   /* still held, on closed hosts */
    int64_t hidden; /* ... of these, slots without a task */
    /* Slots on other hosts that its tasks hold beyond what it reclaims: they come free with it. */
    int64_t beyond;
    int64_t deadline, left;
    allot_phase phase;
} allot__flown;

typedef struct allot__flown_kill {
    int32_t task, flight;
} allot__flown_kill;

typedef struct allot__flown_all {
    allot__flown *flights;
    allot__flown_kill *kills;
    int32_t count, kill_count;
} allot__flown_all;

/* Reclaims of all groups of the state's plan; warns of overdue ones. ENOMEM. */
int allot__flights_make(const allot_state *state, allot__arena *arena, allot_report *report,
                        allot__flown_all *out);
/* Is the site's host closed and reclaimed? False for no site (-1). */
bool allot__site_reclaimed(const allot_state *state, int32_t site);
/* Is any host closed in this way? */
bool allot__any_closed(const allot_state *state, allot_closed how);
/* The end of a grace that begins now. */
int64_t allot__grace_end(const allot_state *state, int64_t grace);

/* ---- A group's columns ----------------------------------------------------------------------- */

/* Slots of leaves on hosts that are closed and reclaimed. */
typedef struct allot__closed_slots {
    int32_t *held, *flying;         /* by row: all, and those in flight already */
    int64_t *held_sum, *flying_sum; /* by family */
    const int32_t *tasks;           /* not in flight, by leaf, in the state's order */
    const int32_t *first;           /* by row, rows + 1 entries: where a leaf's begin */
} allot__closed_slots;

/* Columns that count reclaims in flight; `returned` NULL: slots that came back are not counted. */
typedef struct allot__flight_columns {
    int32_t *out, *in, *returned;
} allot__flight_columns;
/* Adds one reclaim. Slots that came back serve its claims first to last, slots in flight the rest.
 */
void allot__flight_count(const allot__work *work, const allot__flight *flight,
                         const allot__flown *flown, const allot__flight_columns *columns);
/* Slots that a reclaim's tasks hold beyond the reclaim come free with it: they are in flight, too,
 * without a claimant. Adds them to `out`, which has the slots of all reclaims. */
void allot__flights_beyond(const allot__work *work, const allot__flown_all *flown, int32_t *out);
/* Writes in_flight, earmarked, returned and closed; takes closed slots off allocated. ENOMEM. */
int allot__flights_count(allot__work *work, const allot__flown_all *flown);
/* Slots that a leaf can be given of those that came back: what it lacks, within the limits above
 * it, which `returned` of parents counts. */
int64_t allot__returned_room(const allot__work *work, int32_t row);
/* Cuts slots that came back to what their claimants lack of their quotas, within the limits above
 * them and the idle slots. A second call cuts more if there is less room by then. */
void allot__flights_returned(allot__work *work);

#endif
