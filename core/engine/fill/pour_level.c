/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pour_level.c: a fill that raises totals (C-15): at the rate r a row has max(level, min(aim, r *
 * weight)).
 *
 * Rows that rise give their levels back and are poured anew, from zero. At the rate found, some of
 * them may have less than before: these keep their levels, and the others are poured again.
 *
 * A row that stays takes its level out of the amount, more than the last pour gave it. So the
 * others have less, the rate falls, and the row stays at every later rate, too. Before each pour
 * the rows that rise have aims above the amount: at first because the fill is critical, then
 * because the last rate used the amount up and gave rows that stay less than they take.
 */
#include "engine/fill/pour.h"

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

bool allot__pour_level(allot__pour *pour, bool (*plain)(allot__pour *), const int32_t *zeros,
                       int32_t *weight)
{
    if (allot__pour_all(pour))
        return false;
    if (pour->left == 0 && pour->left_part == 0)
        return plain(pour);
    allot__pour totals = *pour;
    totals.level = zeros;
    totals.level_part = zeros;
    totals.weight = weight;
    for (int32_t i = 0; i < pour->count; i++)
        weight[i] = rises(pour, i) ? pour->weight[i] : 0;
    do {
        add_up(pour, &totals);
        plain(&totals);
    } while (hold_back(pour, &totals, weight));
    pour->amount = totals.amount;
    pour->sum = totals.sum;
    pour->slope = totals.slope;
    pour->left = 0;
    pour->left_part = 0;
    leave_others(pour, weight);
    return true;
}
