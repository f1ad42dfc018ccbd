/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * victim.h: which tasks go (C-8).
 *
 * Rules, in this order, for a leaf that gives slots back and whose tasks the state lists:
 *  0. slots that none of its tasks uses go first, without a name. Slots that run work which the
 *     state does not list (`unlisted`) and slots in flight are not among them;
 *  1. candidates are its units that are not in flight, not on a closed host (such units go by
 *     themselves), and not protected by a guard of its policy;
 *  2. they go by the policy's victims, or by importance, then (where priority schedules sessions)
 *     the last created session, then the last started; ties: larger id first (byte order). A task
 *     whose start is unknown counts as running since 1970: it goes after tasks with a known start;
 *     What a session holds above what it deserves is computed anew for each slot, without tasks in
 *     flight (5.5, PolicyDefault);
 *  3. until their slots cover what the leaf gives; then backwards every unit that is not needed is
 *     spared (pick.h). If hosts differ, units on hosts that serve a claimant go for it before
 *     others (E-30, hosts.c);
 *  4. slots of unlisted work cover the rest, without a name, too.
 * A task that has slots of several groups goes in all: victims of its leaf are chosen for all
 * groups at once (leavers.h), whatever hosts they are on.
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
    bool whole; /* all of these go: hosts are left whole (hosts.c), or groups are coupled */
} allot__queue;

typedef struct allot__victims {
    uint8_t *ineligible; /* by unit; NULL: all may go */
    /* By session + 1, what it holds above what it deserves, without units that go or are in flight;
     * at 0 of units without a session. NULL: no rule reads it. */
    int64_t *over;
    allot__queue *queues; /* one for each leaf that names tasks */
    int32_t queue_count;
} allot__victims;

/* Before reclaim: finds ineligible units, and writes work->protected if guards or draining hosts
 * keep some. ENOMEM, and the failure of a policy's function. */
int allot__victims_protect(allot__work *work, allot__victims *out);
/* After orders: names the tasks of every reclaim. Likewise. */
int allot__victims_choose(allot__work *work, allot__victims *out, allot__orders *orders);

/* Fills queue->picked for `count` reclaims of its leaf, of all orders. ENOMEM. */
int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count);

/* The queue of a leaf that has tasks, owed nothing yet; `tables` are those made so far, zeroed but
 * for allot__unit_rows_init at first. Statuses as above. */
int allot__victims_begin(allot__victims *victims, allot__unit_rows *tables, int32_t leaf,
                         allot__queue *out);

/* Is it a key that changes as tasks go? */
static inline bool allot__key_changes(const allot_key *key)
{
    return key->source.kind == ALLOT_FROM_COLUMN && key->source.value == ALLOT_TASK_SESSION_OVER;
}
/* Gives the pick the order's keys, with the first keys that only sessions decide as one if that is
 * worth it; ENOMEM. And each key by itself, to explain which key decides. */
int allot__queue_fuse(allot__queue *queue, allot__victims *victims);
void allot__queue_split(allot__queue *queue);

/* line.c: all that may go of a leaf, in the order in which they would. */
typedef struct allot__victim_line {
    const allot__queue *queue;
    allot__picked all;
    int64_t *over; /* where a key changes: as in allot__victims, before any of them goes */
    size_t sessions;
} allot__victim_line;

/* Of a queue from which was picked, a copy, whose keys that change are then its own; ENOMEM. */
int allot__victim_line_make(allot__queue *queue, allot__arena *arena, allot__victim_line *out);
/* Where a row stands, and the slots of those before it. */
int32_t allot__victim_line_place(const allot__victim_line *line, int32_t row);
int64_t allot__victim_line_before(const allot__victim_line *line, int32_t row);
/* The place of the last one that goes. Where hosts are not all alike, others before it may stay. */
int32_t allot__victim_line_last(const allot__victim_line *line);
/* Keys that change are now what they were when the first of two rows was to go. */
void allot__victim_line_turn_back(const allot__victim_line *line, int32_t row, int32_t other);

/* The queue of a leaf that is asked for later, for explanations; `out` is zeroed. Likewise. */
const allot__queue *allot__victims_queue(const allot__victims *victims, int32_t row);

#endif
