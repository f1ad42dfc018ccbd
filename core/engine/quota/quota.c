/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * quota.c: one pass over the families, first to last: parents before children.
 *
 * In a plan whose branches have several policies (H-15) the first level goes first. Slots owned
 * under policies that do not scale are set apart. The other policies share the rest as if each were
 * a sibling under hybrid, with the sums of its branches: reserves, owned, then by ownership, then
 * equally. Each policy divides its part among its branches as usual.
 */
#include "engine/quota/quota.h"

#include <string.h>

#include "engine/ownership/ledger.h"
#include "engine/quota/pass.h"
#include "engine/rows/work.h"

/* ---- Several policies ------------------------------------------------------------------------ */

enum { POLICIES = UINT8_MAX + 1 };

/* Policies side by side, as rows to pour over. */
typedef struct parts {
    int32_t count;
    int64_t left;
    int32_t zero[POLICIES], level[POLICIES], aim[POLICIES], floor[POLICIES], rest[POLICIES];
    int32_t reserve[POLICIES], owned[POLICIES], own[POLICIES], need[POLICIES];
    int32_t one[POLICIES], most[POLICIES];
} parts;

static int32_t plus(int32_t sum, int64_t more)
{
    return sum + more > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)(sum + more);
}

/* Sums over the branches of each policy, exact ones or others; 0 for the other kind. */
static void add_up(const allot__work *work, bool exact, parts *to)
{
    const uint8_t *governing = work->group->branch_policy;
    memset(to, 0, sizeof *to);
    to->count = work->rules_count;
    for (int32_t row = 0; row < work->tree->first[1]; row++) {
        int32_t k = governing[row];
        if (work->rules[k].policy->exact != exact)
            continue;
        to->reserve[k] = plus(to->reserve[k], work->reserve[row]);
        to->owned[k] = plus(to->owned[k], work->times > 0 || exact ? work->configured[row] : 0);
        to->own[k] = plus(to->own[k], allot__own(work, &work->rules[k], row, NULL));
        to->need[k] = plus(to->need[k], work->need[row]);
    }
    for (int32_t k = 0; k < to->count; k++) {
        to->one[k] = work->rules[k].policy->exact == exact;
        to->most[k] = ALLOT_AMOUNT_MAX;
    }
}

/* One fill over the policies, in whole slots; slots lost to rounding go by their order. */
static void pour(parts *over, const int32_t *weight, const int32_t *need, const int32_t *cap)
{
    allot__pour rows = {.count = over->count,
                        .unit = 1,
                        .left = over->left,
                        .level = over->level,
                        .level_part = over->zero,
                        .need = need,
                        .cap = cap,
                        .cap_part = over->zero,
                        .weight = weight,
                        .aim = over->aim,
                        .floor = over->floor,
                        .rest = over->rest};
    allot__round_pour(&rows, over->level);
    over->left = rows.left;
}

/* Writes the part of each policy to `level`. */
static void divide(const allot__work *work, parts *exact, parts *scaled)
{
    add_up(work, true, exact);
    add_up(work, false, scaled);
    exact->left = work->slots;
    pour(exact, exact->owned, exact->owned, exact->most);
    scaled->left = exact->left;
    pour(scaled, scaled->reserve, scaled->need, scaled->reserve);
    pour(scaled, scaled->owned, scaled->need, scaled->own);
    pour(scaled, scaled->owned, scaled->need, scaled->most);
    pour(scaled, scaled->one, scaled->need, scaled->most);
}

static int quota_mixed(allot__quota_pass *passes)
{
    allot__work *work = passes->work;
    int32_t count = work->tree->first[1];
    parts *exact = allot__arena_take(work->arena, 2, sizeof *exact);
    bool *only = allot__arena_take(work->arena, (size_t)count + 1, sizeof *only);
    if (!exact || !only)
        return ALLOT_ENOMEM;
    divide(work, &exact[0], &exact[1]);
    if (work->ledger)
        work->ledger->slots = 0;
    for (int32_t k = 0; k < work->rules_count; k++) {
        for (int32_t row = 0; row < count; row++)
            only[row] = work->group->branch_policy[row] == k;
        int64_t slots = work->divided[k] = (int64_t)exact[0].level[k] + exact[1].level[k];
        if (allot__ledger_rules(&work->rules[k])) {
            work->ledger->slots += slots;
            continue;
        }
        int status = allot__quota_late(&passes[k], 0);
        if (status != ALLOT_OK)
            return status;
        allot__planned(&passes[k], slots, only);
        allot__quota_order_family(&passes[k], 0, slots, only,
                                  &work->critical[work->tree->families + k]);
    }
    return ALLOT_OK;
}

/* ---- All families ---------------------------------------------------------------------------- */

static allot__quota_pass *begin_all(allot__work *work, bool exact, int *status)
{
    allot__quota_pass *passes =
        allot__arena_take(work->arena, (size_t)work->rules_count, sizeof *passes);
    *status = passes ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < work->rules_count && *status == ALLOT_OK; i++) {
        passes[i] = (allot__quota_pass){.work = work, .rules = &work->rules[i], .exact = exact};
        if (!allot__ledger_rules(&work->rules[i]))
            *status = allot__planned_begin(&passes[i]);
        if (*status == ALLOT_OK && !allot__ledger_rules(&work->rules[i]))
            *status = allot__quota_open(&passes[i]);
    }
    return passes;
}

static int quota(allot__work *work, bool exact)
{
    int status;
    allot__quota_pass *passes = begin_all(work, exact, &status);
    bool mixed = work->rules_count > 1 && !allot__ledger_family(work, 0);
    if (status == ALLOT_OK && mixed)
        status = quota_mixed(passes);
    else if (status == ALLOT_OK && work->rules_count == 1)
        allot__planned(&passes[0], work->slots, NULL);
    for (int32_t family = mixed; family < work->tree->families && status == ALLOT_OK; family++) {
        allot__quota_pass *pass = &passes[allot__rules_of(work, family) - work->rules];
        if (allot__ledger_family(work, family))
            continue;
        status = allot__quota_late(pass, family);
        if (status == ALLOT_OK)
            allot__quota_family(pass, family);
    }
    return status == ALLOT_OK && work->ledger ? allot__ledger_run(work) : status;
}

int allot__quota(allot__work *work)
{
    return quota(work, false);
}

int allot__quota_exact(allot__work *work)
{
    return quota(work, true);
}
