/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * over.h: the slots that a leaf has too many or too few, and how many of them count in reclaim
 * (C-6).
 *
 * Without force and damping a leaf gives back all slots over its target. Forced slots (C-10) are
 * over whatever the leaf's quota. Guards and damping let a leaf keep slots that are not forced:
 *  1. slots that guards protect stay; so do all others, at a switch of windows if the leaf drains
 *     and under a policy that reclaims nothing (E-21: shared slots);
 *  2. so do slots on hosts that serve no consumer that lacks slots (reach.h);
 *  3. a leaf over by no more than `dead_zone` gives nothing;
 *  4. nor does a leaf that gave slots less than `reclaim_interval` seconds ago;
 *  5. a leaf gives at most `most_reclaimed` percent of its slots a cycle, but at least one slot.
 * If a limit or the group's size would be broken, damping does not apply: only guards protect. A
 * lack younger than `claim_delay` seconds takes no slot from any leaf.
 */
#ifndef ALLOT_ENGINE_RECLAIM_OVER_H
#define ALLOT_ENGINE_RECLAIM_OVER_H

#include "engine/rows/work.h"

/* Sums over a subtree, if guards, force, hosts or damping matter. */
typedef struct allot__kept {
    int64_t over;      /* of all leaves, including slots that they keep */
    int64_t held_back; /* ... slots that they keep */
    int64_t unserved;  /* lacks that take no slot now: too young, or without room below a limit */
} allot__kept;

/* The slots over a leaf's target: those that it keeps, by rule, and those that it may give. */
typedef struct allot__damped {
    int64_t over; /* all of them */
    int64_t protected, elsewhere, drains, policy, dead_zone, interval, most_reclaimed;
    int64_t may;  /* the rest */
    int64_t most; /* the most that a limit or the group's size can take: all but protected slots */
} allot__damped;

/* Allocates work->kept, or leaves it NULL if no rule above applies. ENOMEM. */
int allot__kept_init(allot__work *work);
/* After reclaim: sums up slots kept, and deficits that are too young. */
void allot__kept_sum(allot__work *work);
void allot__damping(const allot__work *work, int32_t row, allot__damped *out);

/* C-6: a leaf's target: its quota, or more if its ownership shrank (H-11). */
int64_t allot__target(const allot__work *work, int32_t row);
/* A leaf's slots over its target, force and damping aside; 0 if only by rounding (C-9). */
int64_t allot__over(const allot__work *work, int32_t row);
/* Slots that a leaf lacks beyond its grants and earmarked slots; and those that it may claim. */
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
/* Slots that a family's last member lacks (C-5): the parent's own reserve. Quota above the reserve
 * that no fill passed on does not count. */
int64_t allot__spare_deficit(const allot__work *work, int32_t family);
/* The time since which a leaf has lacked slots; INT64_MIN: it lacks none. */
int64_t allot__waiting_since(const allot__work *work, int32_t row);

#endif
