/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * round.h: whole slots from exact shares, family by family: the four roundings.
 */
#ifndef ALLOT_ENGINE_FILL_ROUND_H
#define ALLOT_ENGINE_FILL_ROUND_H

#include "base/wide.h"
#include "engine/fill/pour.h"
#include "engine/rows/work.h"

/* A family after its pouring: `count` rows side by side, in the order that lost slots take: by
 * rank, then plan order (for ceil_in_order: the policy's). */
typedef struct allot__shares {
    int32_t count;
    int64_t whole; /* slots that the exact shares cover: what may be given */
    const int32_t *floor;
    const int32_t *rest;         /* nonzero: there is a fraction */
    const allot__u128 *fraction; /* for largest_remainder: all over one denominator */
    const int32_t *reserve;      /* for ceil_in_order */
    const int32_t *weight;       /* for webster: the critical fill's; NULL: none was critical */
    bool level;                  /* ... which raises totals (C-15): its seats are all of a row's */
    const int32_t *base;         /* ... whole slots before it */
    const int32_t *aim;          /* ... and the most it may give a row */
    allot__u128 amount, one;     /* ... its rate in slots per weight: amount / one */
    int32_t *order;              /* room for a heap or a sort */
    int32_t *quota;              /* out; may be `floor` */
} allot__shares;

/*
 * rank (C-4, H-6): floors; the slots still missing go one each to rows with a fraction, in order.
 * ceil_in_order: each share rounded up, in order, while there are slots.
 * largest_remainder: as rank, but larger fractions first.
 * webster: the slots of the critical fill go one after another to the row with the largest
 *   weight / (2 * slots of this fill + 1): a larger amount only adds slots (house-monotone),
 *   where earlier levels are whole. Nobody gets more than min(cap, need) rounded up. Where the fill
 *   raises totals (C-15), slots of earlier fills count, too, and are never taken away.
 */
void allot__round(allot_rounding rounding, const allot__shares *shares);
/* Pours over rows of whole levels, which become the levels after it: whole again, by rank. */
void allot__round_pour(allot__pour *rows, int32_t *level);

#endif
