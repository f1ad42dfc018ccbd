/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour_fast.c: a fill in vector arithmetic.
 *
 * 1. Newton's steps in doubles guess the rate, and so which rows reach their aims.
 * 2. That set's sums make the rate a fraction amount / sum. The sums are of whole numbers below
 *    2^53, which doubles add without error.
 * 3. At that rate every row's floor is guessed in double and mended by its remainder. The
 *    remainder is right modulo 2^32 (or 2^64) because it is known to be small; so floors and
 *    remainders are exact, and tell in integers which rows reach their aims.
 * 4. If their sums are those of step 2, that is the proof (pour.c ends on the same condition).
 *    Else they make the next rate: Newton's step done exactly, so this ends.
 *
 * Loops are plain C that compilers vectorise: whole columns of 32-bit integers or of doubles.
 */
#include "engine/pour.h"

#include <stddef.h>

#include "base/simd.h"

enum { ROWS = 1 << 22 };         /* more could add up to 2^53 */
#define SMALL ((int64_t)1 << 29) /* remainders below fit 32 bits */
#define LARGE ((int64_t)1 << 60) /* ... and 64 bits */

/* A rate as the rows see it: whole + below / one slots per weight, one = unit * sum. */
typedef struct rate {
    int64_t amount, sum, one, whole, below;
    double slope, per_unit;
} rate;

/* What the rows at a rate add up to. */
typedef struct found {
    int64_t met, met_part; /* gaps of the rows that reach their aims */
    int64_t open;          /* weights of the others */
} found;

ALLOT__CLONES static void widen(const allot__pour *pour)
{
    double *restrict gap = pour->gap;
    double *restrict scale = pour->scale;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict level = pour->level;
    const int32_t *restrict weight = pour->weight;
#pragma omp simd
    for (int32_t i = 0; i < pour->count; i++) {
        gap[i] = (double)(aim[i] - level[i]);
        scale[i] = (double)weight[i];
    }
    if (pour->unit != 1) {
        const int32_t *restrict aim_part = pour->aim_part;
        const int32_t *restrict level_part = pour->level_part;
        double one = 1.0 / (double)pour->unit;
#pragma omp simd
        for (int32_t i = 0; i < pour->count; i++) {
            gap[i] += (double)(aim_part[i] - level_part[i]) * one;
        }
    }
}

ALLOT__CLONES static void step(const allot__pour *pour, double slope, double *met, double *open)
{
    const double *restrict gap = pour->gap;
    const double *restrict scale = pour->scale;
    double sum = 0;
    double weights = 0;
#pragma omp simd reduction(+ : sum, weights)
    for (int32_t i = 0; i < pour->count; i++) {
        int reached = gap[i] <= slope * scale[i];
        sum += reached ? gap[i] : 0.0;
        weights += reached ? 0.0 : scale[i];
    }
    *met = sum;
    *open = weights;
}

/* The guess: slots per weight. */
static double guess(const allot__pour *pour)
{
    double left = (double)pour->left + (double)pour->left_part / (double)pour->unit;
    double open = (double)pour->total;
    double slope = left / open;
    for (int32_t k = 0; k < 64; k++) {
        double met;
        double now;
        step(pour, slope, &met, &now);
        if (now == open || now <= 0) {
            break;
        }
        open = now;
        double next = (left - met) / open;
        if (next <= slope) {
            break;
        }
        slope = next;
    }
    return slope;
}

/* Sums over the guessed set; every one is a whole number of which a double loses nothing. */
ALLOT__CLONES static found guessed(const allot__pour *pour, double slope)
{
    const double *restrict gap = pour->gap;
    const double *restrict scale = pour->scale;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict level = pour->level;
    double met = 0;
    double part = 0;
    double open = 0;
    if (pour->unit == 1) {
        step(pour, slope, &met, &open);
        return (found){(int64_t)met, 0, (int64_t)open};
    }
    const int32_t *restrict aim_part = pour->aim_part;
    const int32_t *restrict level_part = pour->level_part;
#pragma omp simd reduction(+ : met, part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int reached = gap[i] <= slope * scale[i];
        met += reached ? (double)(aim[i] - level[i]) : 0.0;
        part += reached ? (double)(aim_part[i] - level_part[i]) : 0.0;
        open += reached ? 0.0 : scale[i];
    }
    return (found){(int64_t)met, (int64_t)part, (int64_t)open};
}

/* Rows at a rate whose `one` is SMALL: 32-bit lanes. No parts. The rise of a row that lacks nothing
 * may wrap, since its weight is not in `total`: hence the test for that. */
ALLOT__CLONES static found small_whole(const allot__pour *pour, const rate *at)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict floor = pour->floor;
    int32_t *restrict rest = pour->rest;
    uint32_t below = (uint32_t)at->below;
    uint32_t whole = (uint32_t)at->whole;
    int32_t one = (int32_t)at->one;
    double slope = at->slope;
    int64_t met = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t rise = (int32_t)(slope * (double)weight[i]);
        uint32_t over = below * (uint32_t)weight[i] - (uint32_t)rise * (uint32_t)one;
        int32_t left = (int32_t)over;
        int32_t low = left < 0;
        int32_t high = left >= one;
        left += low ? one : 0;
        left -= high ? one : 0;
        rise += high - low + (int32_t)(whole * (uint32_t)weight[i]);
        int32_t gap = aim[i] - level[i];
        int32_t reached = gap <= 0 || gap <= rise;
        floor[i] = level[i] + (reached ? gap : rise);
        rest[i] = reached ? 0 : left;
        met += reached ? gap : 0;
        open += reached ? 0 : weight[i];
    }
    return (found){met, 0, open};
}

/* The same with parts. */
ALLOT__CLONES static found small_split(const allot__pour *pour, const rate *at)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict level_part = pour->level_part;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict aim_part = pour->aim_part;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict floor = pour->floor;
    int32_t *restrict rest = pour->rest;
    uint32_t below = (uint32_t)at->below;
    uint32_t whole = (uint32_t)at->whole;
    uint32_t sum = (uint32_t)at->sum;
    int32_t one = (int32_t)at->one;
    double slope = at->slope;
    double per_unit = at->per_unit;
    int64_t met = 0;
    int64_t met_part = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, met_part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t rise = (int32_t)(slope * (double)weight[i] + per_unit * (double)level_part[i]);
        uint32_t over = below * (uint32_t)weight[i] + sum * (uint32_t)level_part[i] -
                        (uint32_t)rise * (uint32_t)one;
        int32_t left = (int32_t)over;
        int32_t low = left < 0;
        int32_t high = left >= one;
        left += low ? one : 0;
        left -= high ? one : 0;
        rise += high - low + (int32_t)(whole * (uint32_t)weight[i]);
        int32_t gap = aim[i] - level[i];
        int32_t exact = (int32_t)(sum * (uint32_t)aim_part[i]);
        int32_t still = gap == 0 && aim_part[i] == level_part[i];
        int32_t reached = still || gap < rise || (gap == rise && exact <= left);
        floor[i] = level[i] + (reached ? gap : rise);
        rest[i] = reached ? aim_part[i] : left;
        met += reached ? gap : 0;
        met_part += reached ? aim_part[i] - level_part[i] : 0;
        open += reached ? 0 : weight[i];
    }
    return (found){met, met_part, open};
}

/* Rows at a rate whose `one` is LARGE: 64 bits, one row at a time. */
static found large(const allot__pour *pour, const rate *at)
{
    found sums = {0, 0, 0};
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t from = pour->unit == 1 ? 0 : pour->level_part[i];
        int32_t to = pour->unit == 1 ? 0 : pour->aim_part[i];
        int32_t weight = pour->weight[i];
        int64_t rise = (int64_t)(at->slope * (double)weight + at->per_unit * (double)from);
        uint64_t over = (uint64_t)at->below * (uint64_t)weight +
                        (uint64_t)at->sum * (uint64_t)from - (uint64_t)rise * (uint64_t)at->one;
        int64_t left = (int64_t)over;
        if (left < 0) {
            left += at->one;
            rise--;
        } else if (left >= at->one) {
            left -= at->one;
            rise++;
        }
        rise += at->whole * weight;
        int32_t gap = pour->aim[i] - pour->level[i];
        bool reached = gap < rise || (gap == rise && at->sum * to <= left);
        pour->floor[i] = pour->level[i] + (reached ? gap : (int32_t)rise);
        pour->rest[i] = (reached ? to : left) != 0;
        sums.met += reached ? gap : 0;
        sums.met_part += reached ? to - from : 0;
        sums.open += reached ? 0 : weight;
    }
    return sums;
}

/* The rate at which a set that adds up so leaves exactly nothing; false: not one of ours. */
static bool rate_of(const allot__pour *pour, const found *sums, rate *at)
{
    if (sums->open <= 0 || sums->open > LARGE / pour->unit || sums->met - pour->left > ROWS) {
        return false;
    }
    at->sum = sums->open;
    at->amount = (pour->left - sums->met) * pour->unit + pour->left_part - sums->met_part;
    if (at->amount < 0) {
        return false;
    }
    at->one = at->sum * pour->unit;
    at->whole = at->amount / at->one;
    at->below = at->amount % at->one;
    at->slope = (double)at->below / (double)at->one;
    at->per_unit = 1.0 / (double)pour->unit;
    /* A weight beyond the open ones' sum reaches its aim long before: keep products in range. */
    if (at->whole > (int64_t)1 << 30) {
        at->whole = (int64_t)1 << 30;
    }
    return true;
}

bool allot__pour_fast(allot__pour *pour)
{
    if (allot__pour_all(pour)) {
        return false;
    }
    if (pour->count > ROWS || pour->fraction != NULL || pour->total > LARGE / pour->unit) {
        return allot__pour_exact(pour);
    }
    widen(pour);
    found sums = guessed(pour, guess(pour));
    rate at;
    for (int32_t k = 0; k < pour->count + 2 && rate_of(pour, &sums, &at); k++) {
        bool small = at.one < SMALL && at.whole * pour->total < SMALL;
        found now = !small            ? large(pour, &at)
                    : pour->unit == 1 ? small_whole(pour, &at)
                                      : small_split(pour, &at);
        if (now.met == sums.met && now.met_part == sums.met_part && now.open == sums.open) {
            pour->amount = at.amount;
            pour->sum = at.sum;
            pour->left = 0;
            pour->left_part = 0;
            return true;
        }
        sums = now;
    }
    return allot__pour_exact(pour);
}
