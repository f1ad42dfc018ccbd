/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour.h: the verb `fill` over one run of rows: an amount poured in proportion to weights, each
 * row up to its aim (C-3).
 *
 * Levels are whole slots and parts of 1/unit. If the amount covers all aims, levels stay such
 * numbers. If it does not, the fill is critical: every row with a weight rises by rate * weight, up
 * to its aim, where rate = amount / (unit * sum), and nothing is left.
 *
 * Two implementations agree bit by bit: `exact` is the plain one, in 128-bit integers; `fast`
 * guesses in doubles which rows reach their aims, then proves the guess in integers, row by row.
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
    const int32_t *level, *level_part; /* what rows have before the fill */
    const int32_t *need;               /* 0 ... ALLOT_AMOUNT_MAX */
    const int32_t *cap;                /* likewise */
    const int32_t *cap_part;           /* all zero where caps are whole */
    const int32_t *weight;             /* like need; 0: the row takes no part */

    /* Set by allot__pour_aims. */
    int32_t *aim, *aim_part; /* max(level, min(cap, need)) where there is a weight, else level */
    int64_t lack, lack_part; /* sums of aim - level */
    int64_t total;           /* sum of weights of rows below their aims */

    /* Set when critical. */
    int32_t *floor;        /* whole slots */
    int32_t *rest;         /* nonzero: there is a fraction above */
    allot__u128 *fraction; /* that fraction, in 1/(unit * sum); `exact` only; NULL: not wanted */
    int64_t amount, sum;   /* the rate: amount / sum parts of 1/unit per weight */
    double slope;          /* slots per weight; in: a guess of the rate, or 0; out: the rate */
} allot__pour;

/* Sets aims and their sums; to be called before each pour. */
void allot__pour_aims(allot__pour *pour);

/* Pours. True: the fill was critical; floor, rest, amount and sum are set, and nothing is left.
 * False: all aims are met and are the new levels; `left` is what remains. */
bool allot__pour_exact(allot__pour *pour);
/* The same; calls `exact` if the numbers are too large for 64 bits. */
bool allot__pour_fast(allot__pour *pour);

/* The part that both share: meets all aims if there is enough; else false. */
bool allot__pour_all(allot__pour *pour);

/* The same for a fill that raises totals (C-15). If critical, amount / sum is the rate of totals,
 * or 0 if nothing was left to pour; rows above that rate keep their levels. `zeros` and `weight`,
 * which is overwritten, are as long as `level`. */
bool allot__pour_level(allot__pour *pour, const int32_t *zeros, int32_t *weight);
bool allot__pour_level_fast(allot__pour *pour, const int32_t *zeros, int32_t *weight);

#endif
