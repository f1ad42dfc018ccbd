/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pass.h: the quotas of a family at a time. */
#ifndef ALLOT_ENGINE_QUOTA_PASS_H
#define ALLOT_ENGINE_QUOTA_PASS_H

#include "engine/rows/order.h"
#include "engine/fill/round.h"

/* What a fill reads, resolved once a cycle: columns by row, or `widest` times the same number. */
typedef struct allot__fill_columns {
    allot__amounts by, up_to;
} allot__fill_columns;

/* Rows brought into a fill's order. */
typedef struct allot__sorted {
    int32_t *rows; /* the row at each place */
    int32_t *level, *level_part, *need, *cap, *cap_part, *weight;
    int32_t *floor, *rest;
    allot__u128 *fraction;
} allot__sorted;

typedef struct allot__quota_pass {
    allot__work *work;
    allot__rules *rules;
    bool exact; /* pours by the plain implementation */
    bool plain; /* no fill has an order, and rounding is by rank */
    allot__fill_columns fills[ALLOT_FILLS_MAX];
    allot__pour rows;        /* of the family at hand */
    int32_t *whole[2];       /* levels and aims, swapped by each fill; `widest` entries each */
    int32_t *part[2];        /* likewise their parts; NULL when unit is 1 */
    int32_t *low, *rest;     /* for quota/again.h: exact shares before rounding; else NULL */
    const int32_t *zeros;    /* `widest` of them */
    int32_t *totals;         /* likewise, if a fill raises totals (C-15) */
    int32_t *own, *own_part; /* likewise, own' of the family at hand, or a percentage */
    double slope[ALLOT_FILLS_MAX]; /* the last family's rates: guesses for the next one */
    allot__late *late;             /* functions that read what families divide, */
    int32_t late_count, late_to;   /* ... called for families before `late_to` */
    allot__sorted sorted;          /* likewise; empty when plain */
    allot__sorter sorter;
    /* planned.c, if fills go up to what is held: sums by family, or instead of them the columns by
     * which it compares leaves of all families. */
    const bool *only; /* by row of the first level: is it in the pass? NULL: all are */
    int64_t *held, *lacking;
    struct allot__leaf_ranks *leaf_ranks;
} allot__quota_pass;

/* The columns of a family's rows for a fill. */
void allot__quota_columns(allot__quota_pass *pass, int32_t fill, int32_t family);

/* Resolves what a pass reads, after allot__planned_begin, and allocates. ENOMEM, or what a policy's
 * function failed with. Then the quotas of a family, whose parent's quota is known. */
int allot__quota_open(allot__quota_pass *pass);
/* Calls the policy's functions that read what the family divides. */
int allot__quota_late(allot__quota_pass *pass, int32_t family);
void allot__quota_family(allot__quota_pass *pass, int32_t family);

/* The same by the path for any fills and rounding, of so many slots.
 * `only`, unless NULL, flags the rows of the family that take part; quotas of the others stay. The
 * rate goes to `critical`. */
void allot__quota_order_family(allot__quota_pass *pass, int32_t family, int64_t slots,
                               const bool *only, allot__critical *critical);

/*
 * planned.c: planned shares, and the slots that rows hold within and beyond them (E-21).
 *
 * A row has its planned share if all rows are busy: the parent's planned share, or at the first
 * level the policy's slots, is divided by weight among all siblings and rounded to whole slots.
 * Planned shares depend on neither demand nor quotas: they stay while slots change hands.
 *
 * A leaf holds, up to its need, the slots that it has and is not giving back, slots in flight to
 * it, and slots that came back for it: slots in flight count once, for their claimant. A parent
 * holds what its leaves hold. Of these slots a row keeps:
 *  - if siblings settle first, all of them, or its planned share if that is more. So a leaf that
 *    lacks slots of its planned share gets them from its siblings, and its branch gets from other
 *    branches no more than its own planned share. Slots that no row keeps (idle, in flight, or not
 *    needed) count for branches whose leaves lack slots they are sure of: so slots that a leaf gave
 *    for its sibling stay in the branch until the sibling has them, and so does a reserve that is
 *    held idle;
 *  - if shares are enforced at the leaves (E-22), first their planned shares, for all leaves; slots
 *    beyond planned shares are kept by the leaves that hold them, the best rank first, whatever
 *    their branches. Leaves of one rank divide them by the fill's weight, branch by branch.
 */
/* Allocates the columns if the policy has fills up to them. ENOMEM. */
int allot__planned_begin(allot__quota_pass *pass);
/* Fills the columns in for the rows of a pass, once need is known; does nothing if the policy has
 * no such fills. `slots`: the policy's at the first level; `only`: see allot__quota_order_family.
 */
void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only);

/* The slots that a leaf holds, as above. */
int32_t allot__planned_counts(const allot__work *work, int32_t row);

#endif
