/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * victim.h: which tasks go (C-8).
 *
 * Rules, in this order, for a leaf that gives slots back:
 *  1. candidates are its units that are not already going, not on a closed host (what runs there
 *     goes by itself), and not sheltered by a guard of its policy;
 *  2. they go by the policy's victims, or by importance, then (where priority schedules sessions)
 *     the last created session, then the last started; ties: larger id first (byte order). A task
 *     of which the state does not tell when it started counts as running since 1970: what may have
 *     run for long goes behind what has not;
 *  3. until their slots cover what the leaf gives; then backwards everybody is spared that is not
 *     needed (pick.h);
 *     Where hosts are not all alike, those on hosts that serve a claimant go for it before others
 *     (E-30, victim_hosts.c);
 *  4. slots that no task accounts for cover the rest: nobody names them.
 */
#ifndef ALLOT_ENGINE_VICTIM_H
#define ALLOT_ENGINE_VICTIM_H

#include "engine/orders.h"
#include "engine/pick.h"
#include "engine/units.h"

/* Why a unit is no candidate; guard g is ALLOT__STAYS_GUARD + g. */
enum {
    ALLOT__MAY_GO = 0,
    ALLOT__STAYS_FLYING,
    ALLOT__STAYS_CLOSED,
    ALLOT__STAYS_DRAINS,
    ALLOT__STAYS_GUARD
};

/* A leaf's units in the order in which they go. */
typedef struct allot__queue {
    allot__pick pick; /* first: what pick is handed */
    allot__unit_rows rows;
    allot__order order;
    /* The first `fused` + 1 keys of the order are one of the pick: the places of sessions, by
     * session + 1 (victim_fuse.c). NULL: they are not. */
    const int64_t *places;
    int32_t fused;
    int32_t row; /* of the leaf */
    int64_t owed;
    allot__picked picked; /* rows of `rows`, first to last */
    bool whole;           /* all of these go, since hosts are left whole (victim_hosts.c) */
} allot__queue;

typedef struct allot__victims {
    uint8_t *stays;       /* by unit; NULL: all may go */
    allot__queue *queues; /* one for each leaf that names tasks */
    int32_t queue_count;
} allot__victims;

/* Marks what runs on closed hosts; by row, adds what runs on those that drain to `sheltered`. */
void allot__victims_close(const allot__work *work, const allot__units *units, uint8_t *stays,
                          int32_t *sheltered);
/* Before reclaim: finds out who stays, and writes work->sheltered where guards or hosts that
 * drain keep something.
 * ENOMEM, and what a policy's function fails with. */
int allot__victims_shelter(allot__work *work, allot__victims *out);
/* After orders: names the tasks of every reclaim. Likewise. */
int allot__victims_choose(allot__work *work, allot__victims *out, allot__orders *orders);

/* Fills queue->picked for `count` reclaims of its leaf, of all orders. ENOMEM. */
int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count);

/* Tells the pick of the order's keys, those first ones that sessions alone decide as one where that
 * is worth it; ENOMEM. And each by itself, for who asks which key decides. */
int allot__queue_fuse(allot__queue *queue);
void allot__queue_split(allot__queue *queue);

/* The queue of a leaf that is asked for later, for explanations; `out` is zeroed. Likewise. */
const allot__queue *allot__victims_queue(const allot__victims *victims, int32_t row);

#endif
