/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour_fast.c: a fill in vector arithmetic.
 *
 * 1. Newton's steps guess which rows reach their aims: they compare floats and add integers.
 * 2. The guessed set's sums make the rate a fraction amount / sum.
 * 3. At that rate every row's floor is guessed in double and corrected by its remainder. The
 *    remainder is small, so computing it modulo 2^32 is exact. Floors and remainders are then exact
 *    integers that show which rows reach their aims.
 * 4. If their sums are those of step 2, the guess is proved (pour.c ends on the same condition).
 *    Else they give the next rate: an exact Newton step, so the loop ends.
 *
 * Loops are plain C over 32-bit columns, which compilers vectorise.
 */
#include "engine/fill/pour.h"

#include "base/simd.h"

#define SMALL      ((int64_t)1 << 30) /* remainders by divisors below fit 32 bits */
#define LEAST_GAPS ((int64_t)1 << 31) /* of at most so many rows, each less than a slot off */

/*
 * A rate per weight: `whole` slots and parts + below / sum parts of 1/unit.
 */
typedef struct rate {
    int64_t amount, sum, whole;
    int32_t parts, below;
    double slope;     /* the rate above `whole`, in slots */
    double below_sum; /* below / sum */
    double per_unit;
} rate;

/* Sums over the rows at a rate. */
typedef struct found {
    int64_t met, met_part; /* gaps of the rows that reach their aims */
    int64_t open;          /* weights of the other rows */
} found;

ALLOT__INLINE found guess_whole(const allot__pour *pour, float slope)
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

ALLOT__INLINE found guess_split(const allot__pour *pour, float slope)
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

ALLOT__INLINE found guess_at(const allot__pour *pour, double slope)
{
    return pour->unit == 1 ? guess_whole(pour, (float)slope) : guess_split(pour, (float)slope);
}

/* The slope at which nothing is left, given the sums of a set. */
ALLOT__INLINE double slope_of(const allot__pour *pour, const found *sums)
{
    double left = (double)(pour->left - sums->met) +
                  (double)(pour->left_part - sums->met_part) / (double)pour->unit;
    return left / (double)sums->open;
}

/* Starts from the given slope, else from the one at which no row reaches its aim. */
ALLOT__INLINE found guess(const allot__pour *pour)
{
    const found nobody = {0, 0, pour->total};
    double lowest = slope_of(pour, &nobody);
    double slope = pour->slope > lowest ? pour->slope : lowest;
    found sums = guess_at(pour, slope);
    for (int32_t k = 0; k < 64; k++) {
        double next = sums.open > 0 ? slope_of(pour, &sums) : lowest;
        next = next > lowest ? next : lowest;
        found now = guess_at(pour, next);
        if (now.open == sums.open && now.met == sums.met && now.met_part == sums.met_part)
            break;
        sums = now;
    }
    return sums;
}

/* Rows at a rate, without parts. Tests for rows that lack nothing: their weight is not in `total`,
 * so their rise may wrap. */
ALLOT__INLINE found rows_whole(const allot__pour *pour, const rate *at)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict floor = pour->floor;
    int32_t *restrict rest = pour->rest;
    const uint32_t below = (uint32_t)at->below, whole = (uint32_t)at->whole;
    const int32_t sum = (int32_t)at->sum;
    const double slope = at->slope;
    int64_t met = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t from = level[i];
        int32_t heavy = weight[i];
        int32_t rise = (int32_t)(slope * (double)heavy);
        int32_t left = (int32_t)(below * (uint32_t)heavy - (uint32_t)rise * (uint32_t)sum);
        int32_t low = left < 0;
        int32_t high = left >= sum;
        left += (low ? sum : 0) - (high ? sum : 0);
        rise = (int32_t)((uint32_t)(rise + high - low) + whole * (uint32_t)heavy);
        int32_t gap = aim[i] - from;
        int32_t reached = (gap <= 0) | (gap <= rise);
        floor[i] = from + (reached ? gap : rise);
        rest[i] = reached ? 0 : left;
        met += reached ? gap : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, 0, open};
}

/* The same with parts: first the rise in parts, rounded down, then whole slots of level and rise
 * together; both are corrected by their remainders. */
ALLOT__INLINE found rows_split(const allot__pour *pour, const rate *at)
{
    const int32_t *restrict level = pour->level, *restrict level_part = pour->level_part;
    const int32_t *restrict aim = pour->aim, *restrict aim_part = pour->aim_part;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict floor = pour->floor, *restrict rest = pour->rest;
    const uint32_t below = (uint32_t)at->below, parts = (uint32_t)at->parts;
    const uint32_t whole = (uint32_t)at->whole;
    const int32_t sum = (int32_t)at->sum, unit = (int32_t)pour->unit;
    const double slope = at->slope, below_sum = at->below_sum, per_unit = at->per_unit;
    int64_t met = 0, met_part = 0, open = 0;
#pragma omp simd reduction(+ : met, met_part, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t from = level[i], from_part = level_part[i], to_part = aim_part[i];
        int32_t heavy = weight[i];
        int32_t some = (int32_t)(below_sum * (double)heavy);
        int32_t left = (int32_t)(below * (uint32_t)heavy - (uint32_t)some * (uint32_t)sum);
        some += (left >= sum) - (left < 0);
        left += (left < 0 ? sum : 0) - (left >= sum ? sum : 0);
        int32_t rise = (int32_t)(slope * (double)heavy + per_unit * (double)from_part);
        int32_t part = (int32_t)((uint32_t)from_part + parts * (uint32_t)heavy + (uint32_t)some -
                                 (uint32_t)rise * (uint32_t)unit);
        rise += (part >= unit) - (part < 0);
        rise = (int32_t)((uint32_t)rise + whole * (uint32_t)heavy);
        part += (part < 0 ? unit : 0) - (part >= unit ? unit : 0);
        int32_t gap = aim[i] - from;
        int32_t still = (gap == 0) & (to_part == from_part);
        int32_t reached = still | (gap < rise) | ((gap == rise) & (to_part <= part));
        floor[i] = from + (reached ? gap : rise);
        rest[i] = reached ? to_part : part | left;
        met += reached ? gap : 0;
        met_part += reached ? to_part - from_part : 0;
        open += reached ? 0 : heavy;
    }
    return (found){met, met_part, open};
}

/* The rate at which exactly nothing is left, given the sums of a set; false: no rate fits. */
ALLOT__INLINE bool rate_of(const allot__pour *pour, const found *sums, rate *at)
{
    if (sums->open <= 0 || sums->open >= SMALL || sums->met - pour->left > LEAST_GAPS)
        return false;
    at->sum = sums->open;
    at->amount = (pour->left - sums->met) * pour->unit + pour->left_part - sums->met_part;
    if (at->amount < 0)
        return false;
    int64_t one = at->sum * pour->unit;
    int64_t above = at->amount % one;
    at->whole = at->amount / one;
    at->parts = (int32_t)(above / at->sum);
    at->below = (int32_t)(above % at->sum);
    at->slope = (double)above / (double)one;
    at->below_sum = (double)at->below / (double)at->sum;
    at->per_unit = 1.0 / (double)pour->unit;
    return at->whole <= SMALL / pour->total;
}

ALLOT__CLONES static bool pour_fast(allot__pour *pour)
{
    if (allot__pour_all(pour))
        return false;
    if (pour->fraction)
        return allot__pour_exact(pour);
    found sums = guess(pour);
    rate at;
    for (int32_t k = 0; k < 16 && rate_of(pour, &sums, &at); k++) {
        found now = pour->unit == 1 ? rows_whole(pour, &at) : rows_split(pour, &at);
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

bool allot__pour_fast(allot__pour *pour)
{
    return pour_fast(pour); /* has clones by CPU; a symbol with clones cannot be hidden */
}
