/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* planned.c: planned shares top-down, then held slots bottom-up. */
#include "engine/quota/planned.h"

static int take_column(allot__work *work, int32_t **column)
{
    size_t rows = (size_t)work->tree->rows;
    if (*column)
        return ALLOT_OK;
    *column = allot__arena_zeroed(work->arena, rows, sizeof **column);
    if (!*column)
        return ALLOT_ENOMEM;
    return ALLOT_OK;
}

int allot__planned_begin(allot__quota_pass *pass)
{
    allot__work *work = pass->work;
    size_t families = (size_t)work->tree->families;
    if (allot__policy_parted(pass->rules->policy) < 0)
        return ALLOT_OK;
    int status = take_column(work, &work->planned_part);
    status = status ? status : take_column(work, &work->held_part);
    if (status != ALLOT_OK || allot__planned_by_leaves(pass))
        return status ? status : allot__planned_room(pass);
    pass->held = allot__arena_take(work->arena, families, sizeof *pass->held);
    pass->lacking = allot__arena_take(work->arena, families, sizeof *pass->lacking);
    return pass->held != NULL && pass->lacking ? ALLOT_OK : ALLOT_ENOMEM;
}

static bool takes_part(const bool *only, int32_t row)
{
    return !only || only[row];
}

static void plan_family(allot__quota_pass *pass, int32_t fill, int32_t family, int64_t slots,
                        const bool *only)
{
    int32_t first = allot__family_first(pass->work, family);
    int32_t count = allot__family_size(pass->work, family);
    int32_t *planned = pass->work->planned_part + first;
    int64_t sum = 0;
    allot__quota_columns(pass, fill, family);
    const int32_t *weight = pass->rows.weight;
    for (int32_t i = 0; i < count; i++)
        sum += takes_part(only, i) ? weight[i] : 0;
    for (int32_t i = 0; i < count; i++)
        if (takes_part(only, i))
            planned[i] = sum > 0 ? (int32_t)(slots * weight[i] / sum) : 0;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Sums over a family's leaves: slots they hold, and slots they are sure of but lack. */
static void count_family(const allot__quota_pass *pass, int32_t family, const bool *only)
{
    const allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    int64_t held = 0, lacking = 0;
    for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
        int32_t below = allot__family_of(work, row);
        if (!takes_part(only, row - first))
            continue;
        if (below != 0) {
            held += pass->held[below];
            lacking += pass->lacking[below];
            continue;
        }
        int32_t holds = allot__planned_counts(work, row);
        int32_t sure = larger(work->planned_part[row], work->reserve[row]);
        sure = sure < work->need[row] ? sure : work->need[row];
        held += holds;
        lacking += larger(sure - holds, 0);
    }
    int64_t reserve = family > 0 ? work->reserve[work->group->parent[family]] : 0;
    pass->held[family] = held;
    pass->lacking[family] = lacking + held < reserve ? reserve - held : lacking;
}

/* Writes the slots that rows of a family keep; `free` slots of the policy are kept by no row. */
static void hold_family(const allot__quota_pass *pass, int32_t family, int64_t free,
                        const bool *only)
{
    const allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
        int32_t below = allot__family_of(work, row);
        if (!takes_part(only, row - first))
            continue;
        int64_t holds = below == 0 ? allot__planned_counts(work, row) : pass->held[below];
        if (below != 0)
            holds += pass->lacking[below] < free ? pass->lacking[below] : free;
        holds = holds > work->planned_part[row] ? holds : work->planned_part[row];
        work->held_part[row] = holds < work->need[row] ? (int32_t)holds : work->need[row];
    }
}

static bool is_of(const allot__quota_pass *pass, int32_t family)
{
    return family == 0 || allot__rules_of(pass->work, family) == pass->rules;
}

static void hold(allot__quota_pass *pass, int64_t slots, const bool *only)
{
    int32_t families = pass->work->tree->families;
    for (int32_t family = families - 1; family >= 0; family--)
        if (is_of(pass, family))
            count_family(pass, family, family == 0 ? only : NULL);
    int64_t free = slots > pass->held[0] ? slots - pass->held[0] : 0;
    for (int32_t family = 0; family < families; family++)
        if (is_of(pass, family))
            hold_family(pass, family, free, family == 0 ? only : NULL);
}

void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only)
{
    const allot__work *work = pass->work;
    int32_t fill = allot__policy_parted(pass->rules->policy);
    if (fill < 0)
        return;
    plan_family(pass, fill, 0, slots, only);
    for (int32_t family = 1; family < work->tree->families; family++) {
        if (allot__rules_of(work, family) == pass->rules) {
            int32_t parent = work->group->parent[family];
            plan_family(pass, fill, family, work->planned_part[parent], NULL);
        }
    }
    if (allot__planned_by_leaves(pass))
        allot__planned_leaves(pass, slots, only);
    else
        hold(pass, slots, only);
}
