/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour_fast.c: a fill in vector arithmetic.
 *
 * 1. Newton's steps guess which rows reach their aims, and which stay where the fill raises totals
 *    (C-15): they compare floats and add integers.
 * 2. The guessed set's sums make the rate a fraction amount / sum.
 * 3. At that rate every row's floor is guessed in double and corrected by its remainder. The
 *    remainder is small, so computing it modulo 2^32 is exact. Floors and remainders are then exact
 *    integers that show which rows reach their aims.
 * 4. If their sums are those of step 2, the guess is proved (pour.c ends on the same condition).
 *    Else they give the next rate: an exact Newton step, so the loop ends.
 *
 * Loops are plain C over 32-bit columns, which compilers vectorise. `totals` (the fill raises
 * totals) is a constant in each of their copies.
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

/* Sums over the rows at a rate; together they rise by met + rate * open. */
typedef struct found {
    int64_t met, met_part; /* gaps of the rows that reach their aims; if totals are raised, less the
                              levels of the open rows */
    int64_t open;          /* weights of the open rows: those that rise, but less than that */
} found;

ALLOT__INLINE found guess_whole(const allot__pour *pour, float slope, bool totals)
{
    const int32_t *restrict aim = pour->aim;
    const int32_t *restrict level = pour->level;
    const int32_t *restrict weight = pour->weight;
    int64_t met = 0;
    int64_t open = 0;
#pragma omp simd reduction(+ : met, open)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t base = totals ? level[i] : 0;
        int32_t gap = aim[i] - level[i];
        int32_t heavy = weight[i];
        float due = slope * (float)heavy;
        int32_t rises = totals ? (gap > 0) & (due >= (float)base) : 1;
        int32_t reached = (float)(gap + base) <= due;
        int32_t ends = rises & reached;
        int32_t opens = rises & !reached;
        met += (ends ? gap : 0) - (opens ? base : 0);
        open += opens ? heavy : 0;
    }
    return (found){met, 0, open};
}

ALLOT__INLINE found guess_split(const allot__pour *pour, float slope, bool totals)
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
        int32_t base = totals ? level[i] : 0;
        int32_t base_part = totals ? level_part[i] : 0;
        int32_t gap = aim[i] - level[i];
        int32_t part = aim_part[i] - level_part[i];
        int32_t heavy = weight[i];
        float due = slope * (float)heavy;
        float had = (float)base + (float)base_part * per_unit;
        int32_t rises = totals ? ((gap | part) != 0) & (due >= had) : 1;
        int32_t reached = had + ((float)gap + (float)part * per_unit) <= due;
        int32_t ends = rises & reached;
        int32_t opens = rises & !reached;
        met += (ends ? gap : 0) - (opens ? base : 0);
        met_part += (ends ? part : 0) - (opens ? base_part : 0);
        open += opens ? heavy : 0;
    }
    return (found){met, met_part, open};
}

ALLOT__INLINE found guess_at(const allot__pour *pour, double slope, bool totals)
{
    return pour->unit == 1 ? guess_whole(pour, (float)slope, totals)
                           : guess_split(pour, (float)slope, totals);
}

/* What is left, in slots, once the rows met have risen. */
ALLOT__INLINE double left_of(const allot__pour *pour, const found *sums)
{
    return (double)(pour->left - sums->met) +
           (double)(pour->left_part - sums->met_part) / (double)pour->unit;
}

/* Starts from the given slope, else from the one at which no row reaches its aim. A step that leads
 * beyond slopes known to be too low or too high ends between them: only where totals are raised,
 * save for the first one, which starts anew from the lowest. */
ALLOT__INLINE found guess(const allot__pour *pour, bool totals)
{
    const found nobody = {0, 0, 0};
    double low = left_of(pour, &nobody) / (double)pour->total, high = 0;
    double slope = pour->slope > low ? pour->slope : low;
    found sums = guess_at(pour, slope, totals);
    for (int32_t k = 0; k < 64; k++) {
        double left = left_of(pour, &sums);
        bool above = slope * (double)sums.open > left;
        low = above ? low : slope;
        high = above ? slope : high;
        slope = sums.open > 0 ? left / (double)sums.open : low;
        bool beyond = totals && (sums.open <= 0 || slope < low || (high > 0 && slope > high));
        if (beyond)
            slope = high > 0 ? (low + high) / 2 : 2 * low;
        slope = slope > low ? slope : low;
        found now = guess_at(pour, slope, totals);
        bool same = now.open == sums.open && now.met == sums.met && now.met_part == sums.met_part;
        if (same && !beyond)
            break;
        sums = now;
    }
    return sums;
}

/* Rows at a rate, without parts. Tests for rows that lack nothing: their weight is not in `total`,
 * so their rise may wrap. */
ALLOT__INLINE found rows_whole(const allot__pour *pour, const rate *at, bool totals)
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
        int32_t base = totals ? from : 0;
        int32_t gap = aim[i] - from;
        int32_t rises = totals ? (gap <= 0) | (rise >= base) : 1;
        int32_t reached = (gap <= 0) | (gap + base <= rise);
        int32_t ends = rises & reached;
        int32_t opens = rises & !reached;
        floor[i] = from + (ends ? gap : 0) + (opens ? rise - base : 0);
        rest[i] = opens ? left : 0;
        met += (ends ? gap : 0) - (opens ? base : 0);
        open += opens ? heavy : 0;
    }
    return (found){met, 0, open};
}

/* The same with parts: first the rise in parts, rounded down, then whole slots of level and rise
 * together; both are corrected by their remainders. */
ALLOT__INLINE found rows_split(const allot__pour *pour, const rate *at, bool totals)
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
        int32_t base = totals ? from : 0, base_part = totals ? from_part : 0;
        int32_t above = from_part - base_part;
        int32_t rise = (int32_t)(slope * (double)heavy + per_unit * (double)above);
        int32_t part = (int32_t)((uint32_t)above + parts * (uint32_t)heavy + (uint32_t)some -
                                 (uint32_t)rise * (uint32_t)unit);
        rise += (part >= unit) - (part < 0);
        rise = (int32_t)((uint32_t)rise + whole * (uint32_t)heavy);
        part += (part < 0 ? unit : 0) - (part >= unit ? unit : 0);
        int32_t gap = aim[i] - from, to = gap + base;
        int32_t still = (gap == 0) & (to_part == from_part);
        int32_t reached = still | (to < rise) | ((to == rise) & (to_part <= part));
        int32_t falls = (rise < base) | ((rise == base) & (part < base_part));
        int32_t rises = totals ? still | !falls : 1;
        int32_t ends = rises & reached;
        int32_t opens = rises & !reached;
        floor[i] = from + (ends ? gap : 0) + (opens ? rise - base : 0);
        rest[i] = opens ? part | left : ends ? to_part : from_part;
        met += (ends ? gap : 0) - (opens ? base : 0);
        met_part += (ends ? to_part - from_part : 0) - (opens ? base_part : 0);
        open += opens ? heavy : 0;
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

/* Pours what is critical; false: no rate was proved. */
ALLOT__INLINE bool prove(allot__pour *pour, bool totals)
{
    found sums = guess(pour, totals);
    rate at;
    for (int32_t k = 0; k < 16 && rate_of(pour, &sums, &at); k++) {
        found now = pour->unit == 1 ? rows_whole(pour, &at, totals) : rows_split(pour, &at, totals);
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
    return false;
}

ALLOT__CLONES static bool pour_fast(allot__pour *pour)
{
    return prove(pour, false);
}

ALLOT__CLONES static bool level_fast(allot__pour *pour)
{
    return prove(pour, true);
}

/* A symbol with clones by CPU cannot be hidden: hence two functions each. */
bool allot__pour_fast(allot__pour *pour)
{
    if (allot__pour_all(pour))
        return false;
    return (!pour->fraction && pour_fast(pour)) || allot__pour_exact(pour);
}

bool allot__pour_level_fast(allot__pour *pour, const int32_t *zeros, int32_t *weight)
{
    bool some = pour->left > 0 || pour->left_part > 0;
    if (allot__pour_all(pour))
        return false;
    return (some && !pour->fraction && level_fast(pour)) || allot__pour_level(pour, zeros, weight);
}
