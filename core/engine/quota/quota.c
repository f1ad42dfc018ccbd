/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* quota.c: one pass over the families, first to last: parents before children. */
#include "engine/quota/quota.h"

#include <string.h>

#include "engine/ownership/ledger.h"
#include "engine/rows/own.h"
#include "engine/quota/planned.h"
#include "engine/quota/pass.h"

/* Turns a number into a column that serves every family. */
static bool spread(allot__quota_pass *pass, allot__amounts *amounts)
{
    int32_t *same;
    if (amounts->column)
        return true;
    if (!allot__quota_take(pass, &same, sizeof *same))
        return false;
    for (int32_t i = 0; i < pass->work->widest; i++)
        same[i] = amounts->number;
    amounts->number = -1; /* marks a column of equal numbers */
    amounts->column = same;
    return true;
}

static int resolve(allot__quota_pass *pass)
{
    const allot_policy *policy = pass->rules->policy;
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        allot__fill_columns *columns = &pass->fills[i];
        int status = allot__amounts_of(pass->work, pass->rules, fill->by, true, &columns->by);
        if (status == ALLOT_OK) {
            status =
                allot__amounts_of(pass->work, pass->rules, fill->up_to, false, &columns->up_to);
        }
        if (status == ALLOT_OK)
            status = allot__order_prepare(pass->work, pass->rules, &fill->order);
        if (status != ALLOT_OK)
            return status;
        if (!spread(pass, &columns->by) || !spread(pass, &columns->up_to))
            return ALLOT_ENOMEM;
        if (fill->level && !pass->totals &&
            !allot__quota_take(pass, &pass->totals, sizeof *pass->totals))
            return ALLOT_ENOMEM;
        pass->plain = pass->plain && fill->order.count == 0;
    }
    /* ceil_in_order rounds by `distribute`, which then reads no quota (allot/policy.h). */
    return policy->rounding == ALLOT_ROUND_CEIL_IN_ORDER
               ? allot__order_prepare(pass->work, pass->rules, &policy->distribute)
               : ALLOT_OK;
}

static bool take_rows(allot__quota_pass *pass)
{
    allot__pour *rows = &pass->rows;
    size_t size = sizeof(int32_t);
    int32_t *zeros;
    rows->unit = pass->work->unit;
    if (!allot__quota_take(pass, &pass->whole[0], size) ||
        !allot__quota_take(pass, &pass->whole[1], size) ||
        !allot__quota_take(pass, &rows->floor, size) ||
        !allot__quota_take(pass, &rows->rest, size) || !allot__quota_take(pass, &zeros, size) ||
        !allot__quota_take(pass, &pass->own, size) ||
        !allot__quota_take(pass, &pass->own_part, size))
        return false;
    memset(zeros, 0, (size_t)pass->work->widest * size);
    pass->zeros = zeros;
    return rows->unit == 1 || (allot__quota_take(pass, &pass->part[0], size) &&
                               allot__quota_take(pass, &pass->part[1], size));
}

int allot__quota_open(allot__quota_pass *pass)
{
    pass->plain = pass->rules->policy->rounding == ALLOT_ROUND_RANK;
    int status = allot__planned_begin(pass);
    status = status ? status : resolve(pass);
    if (status != ALLOT_OK)
        return status;
    bool mixed = pass->work->rules_count > 1;
    bool enough = take_rows(pass) && ((pass->plain && !mixed) || allot__quota_order_begin(pass));
    return enough ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Returns the number of fills done: 1 if slots cover the first, reserves up to reserves; else 0. */
static int32_t pour_reserves(allot__quota_pass *pass, int32_t family)
{
    allot__pour *rows = &pass->rows;
    int64_t reserves = pass->work->sums[family].reserve;
    if (reserves > rows->left)
        return 0;
    rows->level = pass->work->reserve + allot__family_first(pass->work, family);
    rows->left -= reserves;
    return 1;
}

static bool pour_fill(allot__quota_pass *pass, int32_t fill, int32_t family)
{
    allot__pour *rows = &pass->rows;
    allot__quota_columns(pass, fill, family);
    allot__pour_aims(rows);
    rows->slope = pass->slope[fill];
    if (!allot__quota_pour(pass, fill, rows, pass->pour)) {
        allot__quota_next(pass);
        return false;
    }
    pass->slope[fill] = rows->slope;
    pass->work->critical[family] =
        (allot__critical){fill, allot__family_first(pass->work, family), rows->amount, rows->sum};
    return true;
}

static void plain_family(allot__quota_pass *pass, int32_t family, int64_t slots)
{
    allot__work *work = pass->work;
    allot__pour *rows = &pass->rows;
    int32_t *scratch = rows->floor;
    allot__quota_begin(pass, family, slots);
    work->critical[family] = (allot__critical){.fill = -1};
    rows->floor = work->quota + allot__family_first(work, family);
    bool critical = false;
    for (int32_t i = pour_reserves(pass, family); i < pass->rules->policy->fill_count && !critical;
         i++)
        critical = pour_fill(pass, i, family);
    allot__shares shares = {.count = rows->count,
                            .whole = slots - rows->left - (rows->left_part > 0),
                            .floor = critical ? rows->floor : rows->level,
                            .rest = critical          ? rows->rest
                                    : rows->unit == 1 ? pass->zeros
                                                      : rows->level_part,
                            .quota = work->quota + allot__family_first(work, family)};
    allot__quota_note(pass, &shares);
    allot__round(ALLOT_ROUND_RANK, &shares);
    rows->floor = scratch;
}

/* A family without slots: as if the first fill ran out at once. */
static void empty_family(allot__work *work, int32_t family)
{
    int32_t first = allot__family_first(work, family);
    size_t count = (size_t)allot__family_size(work, family);
    memset(work->quota + first, 0, count * sizeof *work->quota);
    work->critical[family] = (allot__critical){0, first, 0, 1};
}

static allot__quota_pass *begin_all(allot__work *work, bool (*pour)(allot__pour *), int *status)
{
    allot__quota_pass *passes =
        allot__arena_take(work->arena, (size_t)work->rules_count, sizeof *passes);
    *status = passes ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < work->rules_count && *status == ALLOT_OK; i++) {
        passes[i] = (allot__quota_pass){.work = work, .rules = &work->rules[i], .pour = pour};
        *status = allot__ledger_rules(&work->rules[i]) ? ALLOT_OK : allot__quota_open(&passes[i]);
    }
    return passes;
}

void allot__quota_family(allot__quota_pass *pass, int32_t family)
{
    allot__work *work = pass->work;
    int64_t slots = family == 0 ? work->slots : work->quota[work->group->parent[family]];
    if (slots == 0)
        empty_family(work, family);
    else if (pass->plain)
        plain_family(pass, family, slots);
    else
        allot__quota_order_family(pass, family, slots, NULL, &work->critical[family]);
}

static int quota(allot__work *work, bool (*pour)(allot__pour *))
{
    int status;
    allot__quota_pass *passes = begin_all(work, pour, &status);
    bool mixed = work->rules_count > 1 && !allot__ledger_family(work, 0);
    if (status == ALLOT_OK && mixed)
        status = allot__quota_mixed(passes);
    else if (status == ALLOT_OK && work->rules_count == 1)
        allot__planned(&passes[0], work->slots, NULL);
    for (int32_t family = mixed; family < work->tree->families && status == ALLOT_OK; family++) {
        allot__quota_pass *pass = &passes[allot__rules_of(work, family) - work->rules];
        if (!allot__ledger_family(work, family))
            allot__quota_family(pass, family);
    }
    return status == ALLOT_OK && work->ledger ? allot__ledger_run(work) : status;
}

int allot__quota(allot__work *work)
{
    return quota(work, allot__pour_fast);
}

int allot__quota_exact(allot__work *work)
{
    return quota(work, allot__pour_exact);
}
