/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* planned.c: planned shares top-down, then what is held bottom-up. */
#include "engine/planned.h"

#include <string.h>

static int take_column(allot__work *work, int32_t **column)
{
    size_t rows = (size_t)work->tree->rows;
    if (*column != NULL) {
        return ALLOT_OK;
    }
    *column = allot__arena_take(work->arena, rows, sizeof **column);
    if (*column == NULL) {
        return ALLOT_ENOMEM;
    }
    memset(*column, 0, rows * sizeof **column);
    return ALLOT_OK;
}

int allot__planned_begin(allot__work *work, const allot_policy *policy)
{
    if (allot__policy_parted(policy) < 0) {
        return ALLOT_OK;
    }
    int status = take_column(work, &work->planned_part);
    return status ? status : take_column(work, &work->held_part);
}

static bool takes_part(const bool *only, int32_t row)
{
    return only == NULL || only[row];
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
    for (int32_t i = 0; i < count; i++) {
        sum += takes_part(only, i) ? weight[i] : 0;
    }
    for (int32_t i = 0; i < count; i++) {
        if (takes_part(only, i)) {
            planned[i] = sum > 0 ? (int32_t)(slots * weight[i] / sum) : 0;
        }
    }
}

/* Of a row that holds so many, or a parent whose children do; what it has by fills before. */
static int32_t held_of(const allot__work *work, int32_t row, int64_t slots)
{
    int64_t sure =
        work->planned_part[row] > work->reserve[row] ? work->planned_part[row] : work->reserve[row];
    int64_t most = slots > sure ? slots : sure;
    return most < work->need[row] ? (int32_t)most : work->need[row];
}

static void hold_family(const allot__work *work, int32_t family, const bool *only)
{
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    int64_t sum = 0;
    for (int32_t row = first; row < first + count; row++) {
        if (!takes_part(only, row - first)) {
            continue;
        }
        if (allot__family_of(work, row) == 0) {
            int32_t flying = work->in_flight != NULL ? work->in_flight[row] : 0;
            work->held_part[row] = held_of(work, row, work->allocated[row] - flying);
        }
        sum += work->held_part[row];
    }
    if (family > 0) {
        int32_t parent = work->group->parent[family];
        work->held_part[parent] = held_of(work, parent, sum);
    }
}

void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only)
{
    const allot__work *work = pass->work;
    int32_t fill = allot__policy_parted(pass->rules->policy);
    if (fill < 0) {
        return;
    }
    plan_family(pass, fill, 0, slots, only);
    for (int32_t family = 1; family < work->tree->families; family++) {
        if (allot__rules_of(work, family) == pass->rules) {
            int32_t parent = work->group->parent[family];
            plan_family(pass, fill, family, work->planned_part[parent], NULL);
        }
    }
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        if (allot__rules_of(work, family) == pass->rules) {
            hold_family(work, family, NULL);
        }
    }
    hold_family(work, 0, only);
}
