/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pour.c: a fill in plain 128-bit integers; the fast one is compared with it. */
#include "engine/fill/pour.h"

#include "base/simd.h"

typedef allot__i128 wide;

ALLOT__CLONES static void whole_aims(allot__pour *pour)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict need = pour->need;
    const int32_t *restrict cap = pour->cap;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict aim = pour->aim;
    int64_t lack = 0;
    int64_t total = 0;
#pragma omp simd reduction(+ : lack, total)
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t from = level[i];
        int32_t heavy = weight[i];
        int32_t want = cap[i] < need[i] ? cap[i] : need[i];
        int32_t rises = (want > from) & (heavy > 0);
        aim[i] = rises ? want : from;
        lack += rises ? want - from : 0;
        total += rises ? heavy : 0;
    }
    pour->lack = lack;
    pour->lack_part = 0;
    pour->total = total;
}

ALLOT__CLONES static void split_aims(allot__pour *pour)
{
    const int32_t *restrict level = pour->level;
    const int32_t *restrict level_part = pour->level_part;
    const int32_t *restrict need = pour->need;
    const int32_t *restrict cap = pour->cap;
    const int32_t *restrict cap_part = pour->cap_part;
    const int32_t *restrict weight = pour->weight;
    int32_t *restrict aim = pour->aim;
    int32_t *restrict aim_part = pour->aim_part;
    int64_t lack = 0;
    int64_t lack_part = 0;
    int64_t total = 0;
#pragma omp simd reduction(+ : lack, lack_part, total)
    for (int32_t i = 0; i < pour->count; i++) {
        /* Loads come first and without conditions, so that the loop vectorises. */
        int32_t from = level[i];
        int32_t from_part = level_part[i];
        int32_t heavy = weight[i];
        int32_t needs = need[i];
        int32_t most = cap[i];
        int32_t most_part = cap_part[i];
        int32_t free = needs <= most;
        int32_t want = free ? needs : most;
        int32_t want_part = free ? 0 : most_part;
        int32_t higher = (want > from) | ((want == from) & (want_part > from_part));
        int32_t rises = higher & (heavy > 0);
        aim[i] = rises ? want : from;
        aim_part[i] = rises ? want_part : from_part;
        lack += rises ? want - from : 0;
        lack_part += rises ? want_part - from_part : 0;
        total += rises ? heavy : 0;
    }
    pour->lack = lack;
    pour->lack_part = lack_part;
    pour->total = total;
}

void allot__pour_aims(allot__pour *pour)
{
    if (pour->unit == 1)
        whole_aims(pour);
    else
        split_aims(pour);
}

bool allot__pour_all(allot__pour *pour)
{
    wide left = (wide)(pour->left - pour->lack) * pour->unit + pour->left_part - pour->lack_part;
    if (left < 0)
        return false;
    pour->left = (int64_t)(left / pour->unit);
    pour->left_part = (int64_t)(left % pour->unit);
    return true;
}

static wide level_of(const allot__pour *pour, int32_t i)
{
    return (wide)pour->level[i] * pour->unit + (pour->unit == 1 ? 0 : pour->level_part[i]);
}

static wide gap_of(const allot__pour *pour, int32_t i)
{
    wide aim = (wide)pour->aim[i] * pour->unit + (pour->unit == 1 ? 0 : pour->aim_part[i]);
    return aim - level_of(pour, i);
}

/*
 * Newton's steps on the rate, exact. The first rate, at which no row reaches its aim, is at most
 * the right one, since rows that reach theirs leave slots to the others. Each step can only raise
 * the rate, which is right once a step changes nothing: after at most `count` steps.
 */
static void find_rate(const allot__pour *pour, wide left, wide *amount, wide *sum)
{
    *amount = left;
    *sum = pour->total;
    for (;;) {
        wide met = 0;
        wide open = 0;
        for (int32_t i = 0; i < pour->count; i++) {
            wide gap = gap_of(pour, i);
            if (gap * *sum <= *amount * pour->weight[i])
                met += gap;
            else
                open += pour->weight[i];
        }
        if (left - met == *amount && open == *sum)
            return;
        *amount = left - met;
        *sum = open;
    }
}

static void raise_levels(allot__pour *pour)
{
    wide one = (wide)pour->sum * pour->unit;
    for (int32_t i = 0; i < pour->count; i++) {
        wide gap = gap_of(pour, i) * pour->sum;
        wide rise = (wide)pour->amount * pour->weight[i];
        wide level = level_of(pour, i) * pour->sum + (gap < rise ? gap : rise);
        wide fraction = level % one;
        pour->floor[i] = (int32_t)(level / one);
        pour->rest[i] = fraction != 0;
        if (pour->fraction)
            pour->fraction[i] = (allot__u128)fraction;
    }
    pour->left = 0;
    pour->left_part = 0;
}

bool allot__pour_exact(allot__pour *pour)
{
    if (allot__pour_all(pour))
        return false;
    wide amount;
    wide sum;
    find_rate(pour, (wide)pour->left * pour->unit + pour->left_part, &amount, &sum);
    pour->amount = (int64_t)amount;
    pour->sum = (int64_t)sum;
    raise_levels(pour);
    return true;
}

/* ---- Raising totals (C-15) ------------------------------------------------------------------- */

/*
 * At the rate r a row has max(level, min(aim, r * weight)). Rows that rise give their levels back
 * and are poured anew, from zero. At the rate found, some of them may have less than before: these
 * keep their levels, and the others are poured again.
 *
 * A row that stays takes its level out of the amount, more than the last pour gave it. So the
 * others have less, the rate falls, and the row stays at every later rate, too. Before each pour
 * the rows that rise have aims above the amount: at first because the fill is critical, then
 * because the last rate used the amount up and gave rows that stay less than they take.
 */

/* Sets up one pour from zero over the rows with a weight. */
static void add_up(const allot__pour *pour, allot__pour *totals)
{
    const int32_t *weight = totals->weight;
    int64_t had = pour->left, had_part = pour->left_part, aims = 0, aims_part = 0, total = 0;
    for (int32_t i = 0; i < pour->count; i++) {
        had += weight[i] > 0 ? pour->level[i] : 0;
        aims += weight[i] > 0 ? pour->aim[i] : 0;
        total += weight[i];
    }
    for (int32_t i = 0; pour->unit != 1 && i < pour->count; i++) {
        had_part += weight[i] > 0 ? pour->level_part[i] : 0;
        aims_part += weight[i] > 0 ? pour->aim_part[i] : 0;
    }
    totals->left = had + had_part / pour->unit;
    totals->left_part = had_part % pour->unit;
    totals->lack = aims;
    totals->lack_part = aims_part;
    totals->total = total;
}

static bool rises(const allot__pour *pour, int32_t i)
{
    bool more = pour->aim[i] > pour->level[i];
    if (pour->unit != 1 && pour->aim[i] == pour->level[i])
        more = pour->aim_part[i] > pour->level_part[i];
    return more && pour->weight[i] > 0;
}

/* Does the pour from zero give a row less than its level? */
static bool falls(const allot__pour *pour, const allot__pour *totals, int32_t i)
{
    if (totals->floor[i] != pour->level[i] || pour->unit == 1)
        return totals->floor[i] < pour->level[i];
    allot__i128 had = (allot__i128)pour->level[i] * pour->unit + pour->level_part[i];
    return (allot__i128)totals->amount * totals->weight[i] < had * totals->sum;
}

/* Takes rows out that the pour would lower, so that they stay; were there any? */
static bool hold_back(const allot__pour *pour, const allot__pour *totals, int32_t *weight)
{
    bool any = false;
    for (int32_t i = 0; i < pour->count; i++) {
        if (weight[i] > 0 && falls(pour, totals, i)) {
            weight[i] = 0;
            any = true;
        }
    }
    return any;
}

static void leave_others(allot__pour *pour, const int32_t *weight)
{
    for (int32_t i = 0; i < pour->count; i++) {
        int32_t part = pour->unit == 1 ? 0 : pour->level_part[i];
        if (weight[i] > 0)
            continue;
        pour->floor[i] = pour->level[i];
        pour->rest[i] = part != 0;
        if (pour->fraction)
            pour->fraction[i] = (allot__u128)part * (allot__u128)pour->sum;
    }
}

bool allot__pour_level(allot__pour *pour, const int32_t *zeros, int32_t *weight)
{
    if (allot__pour_all(pour))
        return false;
    if (pour->left == 0 && pour->left_part == 0)
        return allot__pour_exact(pour);
    allot__pour totals = *pour;
    totals.level = zeros;
    totals.level_part = zeros;
    totals.weight = weight;
    for (int32_t i = 0; i < pour->count; i++)
        weight[i] = rises(pour, i) ? pour->weight[i] : 0;
    do {
        add_up(pour, &totals);
        allot__pour_exact(&totals);
    } while (hold_back(pour, &totals, weight));
    pour->amount = totals.amount;
    pour->sum = totals.sum;
    pour->left = 0;
    pour->left_part = 0;
    leave_others(pour, weight);
    return true;
}
