/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * over.h: the slots that a leaf has too many or too few, and how many of them count in reclaim
 * (C-6).
 *
 * Without force and damping a leaf gives back what it is over. Forced slots (C-10) are over
 * whatever the leaf's quota is; guards and a site's damping let a leaf keep slots that are not
 * forced:
 *  1. slots that guards protect stay; at a switch of windows so do all the others of a leaf that
 *     drains; under a policy that reclaims nothing (E-21: shared slots) so do all the
 *     others;
 *  2. so do slots on hosts that serve no consumer that lacks slots (reach.h);
 *  3. a leaf over by no more than `dead_zone` gives nothing;
 *  4. nor does one that gave less than `reclaim_interval` seconds ago;
 *  5. of what it holds it gives at most `most_reclaimed` percent a cycle, but at least one slot.
 * Damping does not apply where a limit or a group's size would be broken: there only guards
 * protect. A lack younger than `claim_delay` seconds takes no slot from any leaf.
 */
#ifndef ALLOT_ENGINE_RECLAIM_OVER_H
#define ALLOT_ENGINE_RECLAIM_OVER_H

#include "engine/rows/work.h"

/* Sums over a subtree, where something stands between being over and giving back. */
typedef struct allot__kept {
    int64_t over;      /* of all leaves, whatever they keep of it */
    int64_t held_back; /* ... what they do */
    int64_t unserved;  /* lacks that take no slot now: too young, or a limit leaves no room */
} allot__kept;

/* What a leaf keeps of what it is over, by rule, and what it may have to give. */
typedef struct allot__damped {
    int64_t over; /* whatever it keeps */
    int64_t protected, elsewhere, drains, policy, dead_zone, interval, most_reclaimed;
    int64_t may;  /* the rest */
    int64_t most; /* what a limit or the group's size can take: all but what is protected */
} allot__damped;

/* Finds out whether there is anything of the kind: writes kept, NULL when not. ENOMEM. */
int allot__kept_init(allot__work *work);
/* After reclaim: adds up what is kept, and of deficits those that are too young. */
void allot__kept_sum(allot__work *work);
void allot__damping(const allot__work *work, int32_t row, allot__damped *out);

/* C-6: what a leaf may keep: its quota, or more where its ownership shrank (H-11). */
int64_t allot__target(const allot__work *work, int32_t row);
/* What a leaf is over its target, force and damping aside; 0 where C-9 says so. */
int64_t allot__over(const allot__work *work, int32_t row);
/* Slots that it must give whatever the demand. */
int64_t allot__forced(const allot__work *work, int32_t row);
/* What a leaf still lacks once its grants and earmarked slots are there; and what of it counts. */
static inline int64_t allot__lack(const allot__work *work, int32_t row)
{
    int64_t coming = work->earmarked ? work->earmarked[row] : 0;
    int64_t lack = (int64_t)work->quota[row] - work->allocated[row] - work->received[row] - coming;
    return lack > 0 ? lack : 0;
}
int64_t allot__claim(const allot__work *work, int32_t row, int64_t lack);
static inline int64_t allot__deficit(const allot__work *work, int32_t row)
{
    int64_t lack = allot__lack(work, row);
    return lack > 0 ? allot__claim(work, row, lack) : 0;
}
/* What a parent's own reserve lacks: the last member of its family (C-5). Quota above the reserve
 * that no fill passed on does not count. */
int64_t allot__spare_deficit(const allot__work *work, int32_t family);
/* Since when a leaf that lacks slots has waited; INT64_MIN: it lacks none. */
int64_t allot__waiting_since(const allot__work *work, int32_t row);

#endif
