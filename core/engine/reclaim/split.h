/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * split.h: which leaves of a subtree give back an amount (C-7).
 *
 * Rules, in this order, for the members of a family that are over:
 *  1. groups of equal keys of the policy's reclaim order one after another (worst rank first);
 *  2. in a group in proportion to `by` (by default what is over), rounded down, no member above
 *     what it is over;
 *  3. the remainder one each to larger over, later in plan order first.
 * A parent's part goes down by the same rules. If a policy enforces shares at the leaves (E-22),
 * members of its families take the place of their parents: all its leaves are one family.
 */
#ifndef ALLOT_ENGINE_RECLAIM_SPLIT_H
#define ALLOT_ENGINE_RECLAIM_SPLIT_H

#include "base/bits.h"
#include "base/wide.h"
#include "engine/rows/order.h"

/* Called with leaves' parts, in no particular order: those of `count` leaves from row `first` on;
 * some may be 0. */
typedef struct allot__split_listener {
    void (*parts)(struct allot__split_listener *listener, int32_t first, int32_t count,
                  const int32_t *part);
} allot__split_listener;

/* A donor: a member of a family that gives back. */
typedef struct allot__donor {
    int32_t row;
    int64_t over, weight, part;
} allot__donor;

/* How families of a policy give back. */
typedef struct allot__split_rule {
    const allot__rules *rules;
    bool natural; /* worst rank first, in proportion to over */
    bool by_over;
    allot__amounts by; /* unless by_over */
} allot__split_rule;

typedef struct allot__reclaim_split {
    allot__work *work;
    allot__split_listener *listener; /* may be NULL */
    allot__split_rule *split_rules;  /* by the work's rules */
    const allot__split_rule *rule;   /* of the family at hand */
    allot__sorter sorter;
    int32_t *order;          /* rows of a family in order; unused when natural and not listed */
    int32_t family;          /* the family at hand */
    bool listed;             /* `order` lists the members at hand, of any family */
    const allot__bits *over; /* rows of leaves that are over; NULL: look at all leaves */
    int status;              /* ENOMEM: no memory for donors */
    int32_t room;            /* for donors */
    struct allot__across *across; /* NULL: no policy enforces shares at the leaves */
    allot__donor *donors;         /* those of a group that are over */
    int32_t *heap;
    int32_t *left, *part; /* rows of a run, for families of leaves */
    int32_t *stack;       /* families whose part must still go down, */
    int64_t *due;         /* and that part, by family */
} allot__reclaim_split;

/* Does a policy give back by the default rules; do all policies at work? */
bool allot__split_rule_natural(const allot_policy *policy);
bool allot__split_natural(const allot__work *work);
int allot__split_init(allot__reclaim_split *split, allot__work *work,
                      allot__split_listener *listener);
/* Takes `slots` from the leaves below a family's parent, at most what these are over: adds to
 * reclaimed of leaves, and lowers over_left of the families inside, but not of `family`. */
void allot__split_take(allot__reclaim_split *split, int32_t family, int64_t slots);

#endif
