/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flight.h: reclaims in flight: what has come back, what is still held, the claimants, and the
 * tasks whose time is over.
 *
 * Tasks that a reclaim names and that are gone have freed their slots; of a reclaim that names no
 * tasks all slots are held as long as the state has the reclaim. Slots that came back serve its
 * claims first to last, slots still held serve the others. Tasks on hosts that are closed and
 * reclaimed bring no claimant a slot: claims on them are void, the last first, and the deadline is
 * now + grace at the latest.
 *
 * The host of slots without a task is unknown. Such slots without a claimant are assumed to be on
 * closed hosts, the others on open hosts, as far as their leaf has slots there that no reclaim
 * names; the rest can only be on closed hosts, too. They are not reclaimed there again, and belong
 * to the reclaims that the state lists last.
 */
#ifndef ALLOT_ENGINE_ROWS_FLIGHT_H
#define ALLOT_ENGINE_ROWS_FLIGHT_H

#include <stdbool.h>

#include <allot/decision.h>

#include "base/memory.h"
#include "model/state/state.h"

/* One reclaim, by its number in the state. */
typedef struct allot__flown {
    int64_t returned;
    int64_t lost;   /* still held, on closed hosts */
    int64_t hidden; /* ... of which none of its tasks tells */
    /* Slots on other hosts that its tasks hold above what it is to give: they come free with it. */
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

/* Reclaims of all groups of the state's plan; those overdue are warned of. ENOMEM. */
int allot__flights_make(const allot_state *state, allot__arena *arena, allot_report *report,
                        allot__flown_all *out);
/* Is that site's host closed and reclaimed? -1: no site. */
bool allot__site_reclaimed(const allot_state *state, int32_t site);
/* Is any host closed in this way? */
bool allot__any_closed(const allot_state *state, allot_closed how);
/* now + seconds, at most INT64_MAX; seconds >= 0. */
int64_t allot__later(int64_t now, int64_t seconds);
/* When a grace that begins now is over. */
int64_t allot__grace_end(const allot_state *state, int64_t grace);

#endif
