/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour.h: the verb `fill` over one run of rows: an amount poured in proportion to weights, each
 * row up to its aim (C-3).
 *
 * Levels are whole slots and parts of 1/unit. While the amount covers all aims, levels stay such
 * numbers. Where it does not, the fill is critical: every row with a weight rises by
 * rate * weight, rate = amount / (unit * sum), until its aim, and nothing is left.
 *
 * Two implementations agree bit by bit: `exact` is the plain one, in 128-bit integers; `fast`
 * lets doubles guess which rows reach their aims, then proves the guess in integers, row by row.
 */
#ifndef ALLOT_ENGINE_FILL_POUR_H
#define ALLOT_ENGINE_FILL_POUR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"

/* Rows of one run, side by side; arrays of `count`. Arrays of parts are unused when unit is 1. */
typedef struct allot__pour {
    int32_t count;
    int64_t unit;                      /* 1 ... ALLOT_AMOUNT_MAX */
    int64_t left, left_part;           /* to pour: whole slots, and parts below one */
    const int32_t *level, *level_part; /* where rows stand */
    const int32_t *need;               /* 0 ... ALLOT_AMOUNT_MAX */
    const int32_t *cap;                /* likewise */
    const int32_t *cap_part;           /* all zero where caps are whole */
    const int32_t *weight;             /* like need; 0: the row takes no part */

    /* Set by allot__pour_aims. */
    int32_t *aim, *aim_part; /* max(level, min(cap, need)) where there is a weight, else level */
    int64_t lack, lack_part; /* sums of aim - level */
    int64_t total;           /* weights of rows that lack */

    /* Set when critical. */
    int32_t *floor;        /* whole slots */
    int32_t *rest;         /* nonzero: there is a fraction above */
    allot__u128 *fraction; /* it, in 1/(unit * sum); NULL: not wanted; `exact` only */
    int64_t amount, sum;   /* the rate: amount / sum parts of 1/unit per weight */
    double slope;          /* in: a rate of slots per weight that may be near, 0: none; out: it */
} allot__pour;

/* Sets aims and their sums; to be called before each pouring. */
void allot__pour_aims(allot__pour *pour);

/* Pours. True: it was critical: floor, rest, amount and sum are set, nothing is left. False: all
 * aims are met, so that they are the levels now, and left is what remains. */
bool allot__pour_exact(allot__pour *pour);
/* The same; hands over to `exact` where the numbers are too large for 64 bits. */
bool allot__pour_fast(allot__pour *pour);

/* The part of pouring that both share: meets all aims when there is enough. */
bool allot__pour_all(allot__pour *pour);

/* The same by `plain`, one of the two, for a fill that raises totals (C-15): where it is critical,
 * amount / sum is the rate of totals, and rows that have more than that stay. It is 0 where nothing
 * was left to pour. `zeros` and `weight`, which is overwritten, are as long as `level`. */
bool allot__pour_level(allot__pour *pour, bool (*plain)(allot__pour *), const int32_t *zeros,
                       int32_t *weight);

#endif
