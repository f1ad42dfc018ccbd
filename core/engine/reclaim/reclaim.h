/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reclaim.h: how much each leaf gives back (C-6, C-7, C-9).
 *
 * Bottom-up, each inner node takes from its own members what its leaves are owed, or what would
 * break its limit once promises are kept; the root takes what would break the group's size. So
 * siblings settle first. Slots that a limit takes beyond that are freed: the next nodes up give
 * them to leaves that lack slots there and can use them (E-30), the nearest first, and take only
 * the rest. Under a policy that enforces shares at the leaves (E-22) inner nodes take only what
 * breaks their limit, and the root from all leaves alike.
 *
 * Slots that are forced (C-10) go before others, in a sweep of their own; those that no node takes
 * then go last, without a claimant. Where leaves keep what they are over (over.h), lacks beyond a
 * limit are not served, and a limit that is broken takes what damping keeps.
 */
#ifndef ALLOT_ENGINE_RECLAIM_RECLAIM_H
#define ALLOT_ENGINE_RECLAIM_RECLAIM_H

#include "engine/reclaim/split.h"
#include "engine/reclaim/over.h"

/* Gets every node that takes, before its leaves' parts: the family below it, how much it takes, and
 * how much of that is for deficits inside. ALLOT__FORCE: no node, but forced slots that no consumer
 * is owed. */
enum { ALLOT__FORCE = -1 };
typedef struct allot__reclaim_log {
    allot__split_listener listener;
    void (*node)(struct allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed);
    /* Up to so many of the slots that limits freed below it serve deficits inside; how many do. */
    int64_t (*freed)(struct allot__reclaim_log *log, int32_t family, int64_t slots);
    /* So many of the deficits inside, worst first, are not served. */
    void (*waive)(struct allot__reclaim_log *log, int32_t family, int64_t slots);
    /* A ledger's slots, from one leaf to another; after all, the number beyond what those leaves
     * lack, which serve others. */
    void (*move)(struct allot__reclaim_log *log, int32_t from, int32_t to, int64_t slots);
    void (*moved)(struct allot__reclaim_log *log, int64_t spare);
    /* What deficits inside nothing has served yet. */
    int64_t (*unmatched)(struct allot__reclaim_log *log, int32_t family);
} allot__reclaim_log;

/* Writes over, reclaimed, and sums' over ... ordered. log may be NULL unless something is forced,
 * or hosts are not all alike (reach.h): then it matters which slots serve which consumer. Running
 * it again decides the same. */
int allot__reclaim(allot__work *work, allot__reclaim_log *log);
/* One node of it, those inside being known: what it passes on, and takes. */
void allot__reclaim_node(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family);
/* What the limit, or the group's size, does not hold below a family's parent once all promises are
 * kept; INT64_MIN: no limit. */
int64_t allot__reclaim_excess(const allot__work *work, int32_t family);

#endif
