/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * victim.h: which tasks go (C-8).
 *
 * Rules, in this order, for a leaf that gives slots back and of which the state tells tasks:
 *  0. slots that none of its tasks uses go first: nobody names them. Those that run work which the
 *     state does not list (`unlisted`) and those on their way are not among them;
 *  1. candidates are its units that are not already going, not on a closed host (what runs there
 *     goes by itself), and not protected by a guard of its policy;
 *  2. they go by the policy's victims, or by importance, then (where priority schedules sessions)
 *     the last created session, then the last started; ties: larger id first (byte order). A task
 *     of which the state does not tell when it started counts as running since 1970: what may have
 *     run for long goes behind what has not;
 *     What a session holds above what it deserves is asked anew for each slot, tasks that are on
 *     their way already left out (5.5, PolicyDefault);
 *  3. until their slots cover what the leaf gives; then backwards everybody is spared that is not
 *     needed (pick.h);
 *     Where hosts are not all alike, those on hosts that serve a claimant go for it before others
 *     (E-30, hosts.c);
 *  4. slots of what the state does not list cover the rest: nobody names them either.
 */
#ifndef ALLOT_ENGINE_VICTIMS_VICTIM_H
#define ALLOT_ENGINE_VICTIMS_VICTIM_H

#include "engine/reclaim/orders.h"
#include "engine/victims/pick.h"
#include "engine/victims/units.h"

/* A leaf's units in the order in which they go. */
typedef struct allot__queue {
    allot__pick pick; /* first: what pick is handed */
    allot__unit_rows rows;
    allot__order order;
    /* The first `fused` + 1 keys of the order are one of the pick: the places of sessions, by
     * session + 1 (fuse.c). NULL: they are not. */
    const int64_t *places;
    int32_t fused;
    int32_t row;          /* of the leaf */
    int64_t owed;         /* by tasks or not */
    int64_t idle;         /* slots that no task uses, */
    int64_t gone;         /* ... and those of them that go for what is owed */
    allot__picked picked; /* rows of `rows`, first to last */
    bool whole;           /* all of these go, since hosts are left whole (hosts.c) */
} allot__queue;

typedef struct allot__victims {
    uint8_t *ineligible; /* by unit; NULL: all may go */
    /* By session + 1, what it holds above what it deserves, without all that goes or is going; at 0
     * that of none. NULL: nobody asked. */
    int64_t *over;
    allot__queue *queues; /* one for each leaf that names tasks */
    int32_t queue_count;
} allot__victims;

/* Before reclaim: finds out who is ineligible, and writes work->protected where guards or hosts
 * that drain keep something. ENOMEM, and what a policy's function fails with. */
int allot__victims_protect(allot__work *work, allot__victims *out);
/* After orders: names the tasks of every reclaim. Likewise. */
int allot__victims_choose(allot__work *work, allot__victims *out, allot__orders *orders);

/* Fills queue->picked for `count` reclaims of its leaf, of all orders. ENOMEM. */
int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count);

/* Is it a key that changes as tasks go? */
static inline bool allot__key_changes(const allot_key *key)
{
    return key->source.kind == ALLOT_FROM_COLUMN && key->source.value == ALLOT_TASK_SESSION_OVER;
}
/* Tells the pick of the order's keys, those first ones that sessions alone decide as one where that
 * is worth it; ENOMEM. And each by itself, for who asks which key decides. */
int allot__queue_fuse(allot__queue *queue, allot__victims *victims);
void allot__queue_split(allot__queue *queue);

/* line.c: all that may go of a leaf, in the order in which they would. */
typedef struct allot__line {
    const allot__queue *queue;
    allot__picked all;
    int64_t *over; /* where a key changes: as in allot__victims, before any of them goes */
    size_t sessions;
} allot__line;

/* Of a queue from which was picked, a copy, whose keys that change are then its own; ENOMEM. */
int allot__line_make(allot__queue *queue, allot__arena *arena, allot__line *out);
/* Where a row stands, and the slots of those before it. */
int32_t allot__line_place(const allot__line *line, int32_t row);
int64_t allot__line_before(const allot__line *line, int32_t row);
/* The place of the last one that goes. Where hosts are not all alike, others before it may stay. */
int32_t allot__line_last(const allot__line *line);
/* Keys that change are now what they were when the first of two rows was to go. */
void allot__line_turn_back(const allot__line *line, int32_t row, int32_t other);

/* The queue of a leaf that is asked for later, for explanations; `out` is zeroed. Likewise. */
const allot__queue *allot__victims_queue(const allot__victims *victims, int32_t row);

#endif
