/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * in_flight.h: a group's columns of reclaims in flight (flight.h), and of slots on closed hosts.
 */
#ifndef ALLOT_ENGINE_ROWS_IN_FLIGHT_H
#define ALLOT_ENGINE_ROWS_IN_FLIGHT_H

#include "engine/rows/flight.h"
#include "engine/rows/work.h"

/* What leaves have on hosts that are closed and reclaimed. */
typedef struct allot__closed_slots {
    int32_t *held, *flying;         /* by row: all, and what of it is in flight already */
    int64_t *held_sum, *flying_sum; /* by family */
    const int32_t *tasks;           /* those not in flight, by leaf, in the state's order */
    const int32_t *first;           /* by row, rows + 1 entries: where a leaf's begin */
} allot__closed_slots;

/* Columns that reclaims in flight are counted in; `returned` NULL: nothing has come back. */
typedef struct allot__flight_columns {
    int32_t *out, *in, *returned;
} allot__flight_columns;
/* Adds one. What has come back serves the claims first to last, then what is on its way the rest.
 */
void allot__flight_count(const allot__work *work, const allot__flight *flight,
                         const allot__flown *flown, const allot__flight_columns *columns);
/* Writes in_flight, earmarked, returned; closed, and then allocated without it. ENOMEM. */
int allot__flights_count(allot__work *work, const allot__flown_all *flown);
/* Cuts what has come back to what its claimants lack of their quotas, within limits above them and
 * what is idle. Doing it again cuts more where there is less room. */
void allot__flights_returned(allot__work *work);

#endif
