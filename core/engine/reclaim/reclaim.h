/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reclaim.h: how much each leaf gives back (C-6, C-7, C-9).
 *
 * Bottom-up, each inner node takes from its own members the slots owed to its leaves, or those that
 * would break its limit once promises are kept; the root takes those that would break the group's
 * size. So siblings settle first. Slots that a limit takes beyond deficits inside are freed: the
 * next nodes up give them to leaves that lack slots and can use them (E-30), the nearest first, and
 * take only the rest. Under a policy that enforces shares at the leaves (E-22) inner nodes take
 * only slots that break their limit, and the root takes from all leaves alike.
 *
 * If a policy tests who may take from whom (takes.h), a node serves the deficits inside that may be
 * served, and takes what breaks its limit from all alike.
 *
 * Forced slots (C-10) go before others, in a sweep of their own; those that no node takes go last,
 * without a claimant. If leaves keep slots (over.h), lacks beyond a limit are not served, and a
 * broken limit takes slots that damping keeps.
 */
#ifndef ALLOT_ENGINE_RECLAIM_RECLAIM_H
#define ALLOT_ENGINE_RECLAIM_RECLAIM_H

#include "engine/reclaim/split.h"
#include "engine/reclaim/over.h"

/* Callbacks of reclaim. `node` is called for every node that takes slots, before its leaves' parts:
 * the family below it, the slots taken, and of these, slots owed to deficits inside. ALLOT__FORCE
 * in place of a family: forced slots that are owed to no consumer. */
enum { ALLOT__FORCE = -1 };
typedef struct allot__reclaim_log {
    allot__split_listener listener;
    void (*node)(struct allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed);
    /* Up to `slots` that limits freed below the node serve deficits inside; returns how many do. */
    int64_t (*freed)(struct allot__reclaim_log *log, int32_t family, int64_t slots);
    /* So many slots of deficits inside, worst first, are not served. */
    void (*waive)(struct allot__reclaim_log *log, int32_t family, int64_t slots);
    /* A ledger's slots, from one leaf to another; after all moves, the slots that those leaves do
     * not lack, which serve others. */
    void (*move)(struct allot__reclaim_log *log, int32_t from, int32_t to, int64_t slots);
    void (*moved)(struct allot__reclaim_log *log, int64_t spare);
    /* Serves deficits inside by slots of leaves inside that are over, as far as claimants may take
     * them: at most `most`; returns how many (takes.h). */
    int64_t (*match)(struct allot__reclaim_log *log, allot__reclaim_split *split, int32_t family,
                     int64_t most);
    /* The slots by which promises inside may still grow. */
    void (*room)(struct allot__reclaim_log *log, int32_t family, int64_t slots);
    /* Returns the deficits inside that are not served yet. */
    int64_t (*unmatched)(struct allot__reclaim_log *log, int32_t family);
} allot__reclaim_log;

/* Writes over, reclaimed, and sums' over ... ordered. `log` may be NULL unless slots are forced or
 * hosts differ (reach.h): then it matters which slots serve which consumer. A second run decides
 * the same. */
int allot__reclaim(allot__work *work, allot__reclaim_log *log);
/* One node, after those inside: passes freed slots on, and takes slots. */
void allot__reclaim_node(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family);
/* Slots below a family's parent above its limit, or above the group's size, once all promises are
 * kept; INT64_MIN: no limit. Where claimants may not take from all, what is not served yet is not
 * promised. */
int64_t allot__reclaim_excess(const allot__work *work, int32_t family);

#endif
