/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * in_flight.h: a group's columns of reclaims in flight (flight.h), and of slots on closed hosts.
 */
#ifndef ALLOT_ENGINE_ROWS_IN_FLIGHT_H
#define ALLOT_ENGINE_ROWS_IN_FLIGHT_H

#include "engine/rows/flight.h"
#include "engine/rows/work.h"

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
/* Cuts slots that came back to what their claimants lack of their quotas, within the limits above
 * them and the idle slots. A second call cuts more if there is less room by then. */
void allot__flights_returned(allot__work *work);

#endif
