/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * victim.h: which tasks are victims (C-8).
 *
 * Rules, in this order, for a leaf that gives slots back and whose tasks the state lists:
 *  0. slots that none of its tasks uses go first, without naming a task. Slots of work that the
 *     state does not list (`unlisted`) and slots in flight are not among them;
 *  1. candidates are its units that are not in flight, not on a closed host (such units go by
 *     themselves), and not protected by a guard of its policy;
 *  2. they go by the policy's victims; by default by importance, then (if priority schedules
 *     sessions) the last created session, then the last started; ties: larger id first (byte
 *     order). A task whose start is unknown counts as running since 1970: it goes after tasks with
 *     a known start. The slots of a session above its quota are computed anew for each slot,
 *     without tasks in flight (5.5, PolicyDefault);
 *  3. units go until their slots cover what the leaf gives; then, backwards, units that are not
 *     needed are spared (pick.h). If hosts differ, units on hosts that serve a claimant go for it
 *     before others (E-30, hosts.c);
 *  4. slots of unlisted work cover the rest, also without naming a task.
 * Where the policy's victims or guards read the claimant, rules 1 to 3 hold claimant by claimant
 * (C-16, claimant.h); what goes for no claimant goes last, and is chosen without them.
 * A task that has slots of several groups goes in all of them: victims of its leaf are chosen for
 * all groups at once (leavers.h), whatever their hosts.
 */
#ifndef ALLOT_ENGINE_VICTIMS_VICTIM_H
#define ALLOT_ENGINE_VICTIMS_VICTIM_H

#include "engine/reclaim/orders.h"
#include "engine/victims/pick.h"
#include "engine/victims/units.h"

/* A leaf's units in the order in which they go. */
typedef struct allot__queue {
    allot__pick pick; /* first: pick gets a pointer to it */
    allot__unit_rows rows;
    allot__order order;
    /* Places of sessions, by session + 1 (fuse.c): the pick's first key, in place of the first
     * `fused` + 1 keys of the order. NULL: keys are not fused. */
    const int64_t *places;
    int32_t fused;
    int32_t row;          /* of the leaf */
    int64_t owed;         /* slots that the leaf must give */
    int64_t idle;         /* slots that no task uses, */
    int64_t gone;         /* ... and those of them that cover part of `owed` */
    int64_t unlisted;     /* slots of work that the state does not list; below 0: slots in flight
                             that are none of idle ones */
    allot__picked picked; /* rows of `rows`, first to last */
    bool whole; /* all picked rows go: hosts are left whole (hosts.c), or groups are coupled */
} allot__queue;

typedef struct allot__victims {
    uint8_t *ineligible; /* by unit; NULL: all may go that do not go already */
    /* By session + 1, its slots above its quota, without units that go or are in flight; at 0, of
     * units without a session. NULL: no rule reads it. */
    int64_t *over;
    allot__queue *queues; /* one for each leaf that names tasks */
    int32_t queue_count;
    struct allot__choosing *choosing; /* victims by claimant (claimant.h); NULL: none are */
} allot__victims;

/* Before reclaim: finds ineligible units, and writes work->protected if guards or draining hosts
 * protect any. ENOMEM, or what a policy's function failed with. */
int allot__victims_protect(allot__work *work, allot__victims *out);
/* After orders: names the tasks of every reclaim. Likewise. */
int allot__victims_choose(allot__work *work, allot__victims *out, allot__orders *orders);

/* Names the tasks of one reclaim: picked ones from place *at on, until they cover `owed`; ENOMEM.
 */
int allot__victims_name(const allot__queue *queue, int32_t *at, int64_t owed,
                        allot__order_back *order);
/* Fills queue->picked for `count` reclaims of its leaf, of all orders. ENOMEM. */
int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count);

/* Makes the queue of a leaf that has tasks, with `owed` 0. `tables` has the tables made so far; at
 * first, as from allot__unit_rows_init. Keys that read the claimant are left out unless
 * tables->rows.claimant states one. Statuses as above. */
int allot__victims_begin(allot__victims *victims, allot__unit_rows *tables, int32_t leaf,
                         allot__queue *out);

/* Does the key change as tasks go? */
static inline bool allot__key_changes(const allot_key *key)
{
    return key->source.kind == ALLOT_FROM_COLUMN && key->source.value == ALLOT_TASK_SESSION_OVER;
}
/* fuse: gives the pick the order's keys, making one key of the first keys that only sessions decide
 * if that pays; ENOMEM. split: gives it each key by itself, to explain which key decides. */
int allot__queue_fuse(allot__queue *queue, allot__victims *victims);
void allot__queue_split(allot__queue *queue);

/* All candidates of a leaf, in the order in which they would go. */
typedef struct allot__victim_line {
    const allot__queue *queue;
    allot__picked all;
    int64_t *over; /* if a key changes: as in allot__victims, before any of them goes */
    size_t sessions;
} allot__victim_line;

/* Makes the line of a queue after its pick: a copy, whose changing keys become its own; ENOMEM. */
int allot__victim_line_make(allot__queue *queue, allot__arena *arena, allot__victim_line *out);
/* A row's place, and the slots of the rows before it. */
int32_t allot__victim_line_place(const allot__victim_line *line, int32_t row);
int64_t allot__victim_line_before(const allot__victim_line *line, int32_t row);
/* The place of the last row that goes. If hosts differ, rows before it may stay. */
int32_t allot__victim_line_last(const allot__victim_line *line);
/* Sets keys that change to their values when the first of two rows was to go. */
void allot__victim_line_turn_back(const allot__victim_line *line, int32_t row, int32_t other);

/* The queue of a leaf by its row, for explanations; NULL: the leaf names no tasks. */
const allot__queue *allot__victims_queue(const allot__victims *victims, int32_t row);

/*
 * session.c: a leaf's quota divided among its sessions, one level further down the tree.
 *
 * Rules, in this order:
 *  1. a session needs what it demands, or its leaf's demand if the session states none;
 *  2. the fills of its scheduling, the policy's or these, divide the leaf's quota, each up to need:
 *       proportional  by priority
 *       minimum       by minimum up to minimum, then by priority
 *       priority      highest priority first, then the first created, then as the state lists
 *                     them: each gets all it needs before the next gets any (5.6)
 *  3. whole slots: floors, and slots lost go one each to sessions with a fraction, by priority
 *     (highest first), then by creation (first first), then in the order of the state.
 */
/* Writes session_need and session_quota of the group's sessions, once quotas are known; does
 * nothing if those are NULL. ENOMEM, or what a policy's function failed with. */
int allot__sessions(allot__work *work);

#endif
