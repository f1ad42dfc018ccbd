/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour_fast.c: a fill in vector arithmetic.
 *
 * 1. Newton's steps guess which rows reach their aims: single floats compare, integers add up.
 * 2. The guessed set's sums make the rate a fraction amount / sum.
 * 3. At that rate every row's floor is guessed in double and mended by its remainder. The
 *    remainder is right modulo 2^32 (or 2^64) because it is known to be small; so floors and
 *    remainders are exact, and tell in integers which rows reach their aims.
 * 4. If their sums are those of step 2, that is the proof (pour.c ends on the same condition).
 *    Else they make the next rate: Newton's step done exactly, so this ends.
 *
 * Loops are plain C over 32-bit columns, which compilers vectorise.
 */
#include "engine/pour.h"

#include "base/simd.h"

#define SMALL      ((int64_t)1 << 29) /* remainders below fit 32 bits */
#define LARGE      ((int64_t)1 << 60) /* ... and 64 bits */
#define LEAST_GAPS ((int64_t)1 << 31) /* as many rows there may be, each less than a slot off */

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

ALLOT__CLONES static found guess_whole(const allot__pour *pour, float slope)
{
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict level = pour->level;
    const int32_t *restrict weight = pour->weight;
    int64_t met = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t gap = aim[i] - level[i];
        int32_t heavy = weight[i];
        int32_t reached = (float)gap <= slope * (float)heavy;
        met += reached ? gap : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, 0, open};
}

ALLOT__CLONES static found guess_split(const allot__pour *pour, float slope)
{
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict aim_part = pour->aim_part;
    const int32_t *restrict level = pour->level;
    const int32_t *restrict level_part = pour->level_part;
    const int32_t *restrict weight = pour->weight;
    float per_unit = 1.0F / (float)pour->unit;
    int64_t met = 0;
    int64_t met_part = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, met_part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t gap = aim[i] - level[i];
        int32_t part = aim_part[i] - level_part[i];
        int32_t heavy = weight[i];
        int32_t reached = (float)gap + (float)part * per_unit <= slope * (float)heavy;
        met += reached ? gap : 0;
        met_part += reached ? part : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, met_part, open};
}

static found guess_at(const allot__pour *pour, double slope)
{
    return pour->unit == 1 ? guess_whole(pour, (float)slope) : guess_split(pour, (float)slope);
}

/* The slope at which a set that adds up so leaves nothing. */
static double slope_of(const allot__pour *pour, const found *sums)
{
    double left = (double)(pour->left - sums->met) +
                  (double)(pour->left_part - sums->met_part) / (double)pour->unit;
    return left / (double)sums->open;
}

/* From a slope that may be near, else from the one at which nobody reaches an aim. */
static found guess(const allot__pour *pour)
{
    const found nobody = {0, 0, pour->total};
    double lowest = slope_of(pour, &nobody);
    double slope = pour->slope > lowest ? pour->slope : lowest;
    found sums = guess_at(pour, slope);
    for (int32_t k = 0; k < 64; k++) {
        double next = sums.open > 0 ? slope_of(pour, &sums) : lowest;
        next = next > lowest ? next : lowest;
        found now = guess_at(pour, next);
        if (now.open == sums.open && now.met == sums.met && now.met_part == sums.met_part) {
            break;
        }
        sums = now;
    }
    return sums;
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
        int32_t from = level[i];
        int32_t heavy = weight[i];
        int32_t rise = (int32_t)(slope * (double)heavy);
        uint32_t over = below * (uint32_t)heavy - (uint32_t)rise * (uint32_t)one;
        int32_t left = (int32_t)over;
        int32_t low = left < 0;
        int32_t high = left >= one;
        left += (low ? one : 0) - (high ? one : 0);
        rise += high - low + (int32_t)(whole * (uint32_t)heavy);
        int32_t gap = aim[i] - from;
        int32_t reached = (gap <= 0) | (gap <= rise);
        floor[i] = from + (reached ? gap : rise);
        rest[i] = reached ? 0 : left;
        met += reached ? gap : 0;
        open += reached ? 0 : heavy;
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
    const double slope = at->slope, per_unit = at->per_unit;
    int64_t met = 0;
    int64_t met_part = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, met_part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t from = level[i];
        int32_t part = level_part[i];
        int32_t to_part = aim_part[i];
        int32_t heavy = weight[i];
        int32_t rise = (int32_t)(slope * (double)heavy + per_unit * (double)part);
        uint32_t over =
            below * (uint32_t)heavy + sum * (uint32_t)part - (uint32_t)rise * (uint32_t)one;
        int32_t left = (int32_t)over;
        int32_t low = left < 0;
        int32_t high = left >= one;
        left += (low ? one : 0) - (high ? one : 0);
        rise += high - low + (int32_t)(whole * (uint32_t)heavy);
        int32_t gap = aim[i] - from;
        int32_t exact = (int32_t)(sum * (uint32_t)to_part);
        int32_t still = (gap == 0) & (to_part == part);
        int32_t reached = still | (gap < rise) | ((gap == rise) & (exact <= left));
        floor[i] = from + (reached ? gap : rise);
        rest[i] = reached ? to_part : left;
        met += reached ? gap : 0;
        met_part += reached ? to_part - part : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, met_part, open};
}

/* Rows at a rate whose `one` is LARGE: 64-bit lanes. */
ALLOT__CLONES static found large(const allot__pour *pour, const rate *at, const int32_t *from,
                                 const int32_t *to)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict floor = pour->floor;
    int32_t *restrict rest = pour->rest;
    uint64_t below = (uint64_t)at->below;
    uint64_t whole = (uint64_t)at->whole;
    uint64_t sum = (uint64_t)at->sum;
    int64_t one = at->one;
    const double slope = at->slope, per_unit = at->per_unit;
    int64_t met = 0;
    int64_t met_part = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, met_part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t start = level[i];
        int32_t part = from[i];
        int32_t to_part = to[i];
        int32_t heavy = weight[i];
        int32_t guess = (int32_t)(slope * (double)heavy + per_unit * (double)part);
        int64_t left = (int64_t)(below * (uint32_t)heavy + sum * (uint32_t)part -
                                 (uint64_t)one * (uint32_t)guess);
        int64_t low = left < 0;
        int64_t high = left >= one;
        left += (low ? one : 0) - (high ? one : 0);
        int64_t rise = guess + high - low + (int64_t)(whole * (uint32_t)heavy);
        int64_t gap = aim[i] - start;
        int64_t exact = (int64_t)(sum * (uint32_t)to_part);
        int64_t reached = (gap < rise) | ((gap == rise) & (exact <= left));
        floor[i] = start + (int32_t)(reached ? gap : rise);
        rest[i] = (reached ? exact : left) != 0;
        met += reached ? gap : 0;
        met_part += reached ? to_part - part : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, met_part, open};
}

/* The rate at which a set that adds up so leaves exactly nothing; false: not one of ours. */
static bool rate_of(const allot__pour *pour, const found *sums, rate *at)
{
    if (sums->open <= 0 || sums->open > LARGE / pour->unit || sums->met - pour->left > LEAST_GAPS) {
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

static found rows_at(const allot__pour *pour, const rate *at)
{
    /* Where there are no parts, `sum * part` must be nothing; rest is overwritten row by row. */
    bool small = at->one < SMALL && at->whole * pour->total < SMALL;
    if (pour->unit != 1) {
        return small ? small_split(pour, at) : large(pour, at, pour->level_part, pour->aim_part);
    }
    if (small) {
        return small_whole(pour, at);
    }
    return large(pour, at, pour->cap_part, pour->cap_part);
}

bool allot__pour_fast(allot__pour *pour)
{
    if (allot__pour_all(pour)) {
        return false;
    }
    if (pour->fraction != NULL || pour->total > LARGE / pour->unit) {
        return allot__pour_exact(pour);
    }
    found sums = guess(pour);
    rate at;
    for (int32_t k = 0; k < 16 && rate_of(pour, &sums, &at); k++) {
        found now = rows_at(pour, &at);
        if (now.met == sums.met && now.met_part == sums.met_part && now.open == sums.open) {
            pour->amount = at.amount;
            pour->sum = at.sum;
            pour->slope = at.slope + (double)at.whole;
            pour->left = 0;
            pour->left_part = 0;
            return true;
        }
        sums = now;
    }
    return allot__pour_exact(pour);
}
