/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * round.h: whole slots from exact shares, family by family: the four roundings, and that of
 * reclaim.
 */
#ifndef ALLOT_ENGINE_FILL_ROUND_H
#define ALLOT_ENGINE_FILL_ROUND_H

#include "base/wide.h"
#include "engine/fill/pour.h"
#include "engine/rows/work.h"

/* A family after its fills: `count` rows in the order in which they get slots lost to rounding: by
 * rank, then plan order (for ceil_in_order: the policy's). */
typedef struct allot__shares {
    int32_t count;
    int64_t whole; /* whole slots that the exact shares sum to: the most that is given */
    const int32_t *floor;
    const int32_t *rest;         /* nonzero: there is a fraction */
    const allot__u128 *fraction; /* for largest_remainder: all over one denominator */
    const int32_t *reserve;      /* for ceil_in_order */
    const int32_t *weight;   /* for webster, as the next five: of the critical fill; NULL: none */
    bool level;              /* it raises totals (C-15): all slots of a row count as its seats */
    const int32_t *base;     /* whole slots before it */
    const int32_t *aim;      /* the most that a row may have */
    allot__u128 amount, one; /* its rate in slots per weight: amount / one */
    int32_t *order;          /* scratch space for a heap or a sort */
    int32_t *quota;          /* out; may be `floor` */
} allot__shares;

/*
 * rank (C-4, H-6): floors; the slots still missing go one each to rows with a fraction, in order.
 * ceil_in_order: each share rounded up, in order, while there are slots.
 * largest_remainder: as rank, but larger fractions first.
 * webster: the slots of the critical fill go one after another to the row with the largest
 *   weight / (2 * slots of this fill + 1). If earlier levels are whole, a larger amount only adds
 *   slots (house-monotone). No row gets more than min(cap, need) rounded up. If the fill raises
 *   totals (C-15), slots of earlier fills count, too, and are never taken away.
 */
void allot__round(allot_rounding rounding, const allot__shares *shares);
/* Pours over rows of whole levels and rounds by rank; writes the new whole levels to `level`. */
void allot__round_pour(allot__pour *rows, int32_t *level);
/* C-7: each row gives of `slots` in proportion to what it is over, rounded down; the remainder
 * comes one each from rows that are over by most, the later first. `sum`: of `over`, more than
 * slots. */
void allot__round_over(const int32_t *over, int32_t *part, int32_t count, int64_t slots,
                       int64_t sum);

#endif
