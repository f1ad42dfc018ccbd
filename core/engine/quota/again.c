/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* again.c: marks changed families, and pours them from the top down. */
#include "engine/quota/again.h"

#include <string.h>

#include "engine/quota/quota.h"
#include "engine/quota/pass.h"
#include "engine/rows/enforce.h"
#include "engine/rows/work.h"

/* Is a source independent of demand? */
static bool stays(allot_source source)
{
    switch (source.kind) {
    case ALLOT_FROM_FUNCTION:
        return false;
    case ALLOT_FROM_PERCENT: /* of the slots of a family, which is poured again if they change */
    case ALLOT_FROM_COLUMN:
        return source.value < ALLOT_PLAN_COLUMNS || source.value == ALLOT_CONFIGURED ||
               source.value == ALLOT_GROUP_SLOTS || source.value == ALLOT_ALLOCATED ||
               source.value == ALLOT_IN_FLIGHT || source.value >= ALLOT_COLUMN_COUNT;
    default:
        return true;
    }
}

static bool fill_stays(const allot__fill *fill)
{
    bool stay = stays(fill->by) && stays(fill->up_to) && stays(fill->weight);
    for (int32_t i = 0; i < fill->order.count; i++)
        stay = stay && stays(fill->order.keys[i].source);
    return stay;
}

bool allot__quota_lasting(const allot__work *work)
{
    const allot_policy *policy = work->rules[0].policy;
    bool lasting = work->rules_count == 1 && (!work->enforced || !work->enforced->least);
    for (int32_t i = 0; i < policy->fill_count; i++)
        lasting = lasting && fill_stays(&policy->fills[i]);
    return lasting && policy->rounding != ALLOT_ROUND_CEIL_IN_ORDER;
}

static int take_room(allot__quota_kept *kept, bool shares)
{
    const allot__work *work = kept->pass.work;
    size_t widest = (size_t)work->widest + 1;
    bool alone =
        shares && work->tree->families == 1 && work->rules[0].policy->rounding == ALLOT_ROUND_RANK;
    int status = ALLOT__TAKE_ALL(work->arena, ALLOT__WANTED(kept->before, widest));
    if (status == ALLOT_OK && alone)
        status = ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(widest, kept->low, kept->rest));
    bool made = allot__bits_take(&kept->changed, work->arena, work->tree->families);
    return made ? status : ALLOT_ENOMEM;
}

int allot__quota_keep(allot__work *work, bool shares, allot__quota_kept **out)
{
    *out = NULL;
    if (work->ledger || !allot__quota_lasting(work))
        return ALLOT_OK;
    allot__quota_kept *kept = allot__arena_take(work->arena, 1, sizeof *kept);
    if (!kept)
        return ALLOT_ENOMEM;
    *kept = (allot__quota_kept){.pass = {.work = work, .rules = &work->rules[0]}};
    int status = take_room(kept, shares);
    if (status == ALLOT_OK)
        status = allot__planned_begin(&kept->pass);
    if (status == ALLOT_OK)
        status = allot__quota_open(&kept->pass);
    if (status != ALLOT_OK)
        return status;
    kept->pass.low = kept->low;
    kept->pass.rest = kept->rest;
    kept->open = kept->pass.plain;
    if (kept->low) /* fills in the present shares */
        allot__quota_family(&kept->pass, 0);
    *out = kept;
    return ALLOT_OK;
}

/* ---- What changed ---------------------------------------------------------------------------- */

void allot__quota_change(allot__quota_kept *kept, int32_t row)
{
    allot__need_again(kept->pass.work, row, kept->open, &kept->changed);
}

int32_t allot__quota_next_changed(allot__quota_kept *kept)
{
    int32_t family = allot__bits_next(&kept->changed, 0);
    if (family == kept->changed.bound)
        return -1;
    allot__bits_remove(&kept->changed, family);
    return family;
}

void allot__quota_pour_changed(allot__quota_kept *kept, int32_t family)
{
    const allot__work *work = kept->pass.work;
    int32_t first = allot__family_first(work, family), left = work->tree->inner[family];
    size_t count = (size_t)allot__family_size(work, family);
    memcpy(kept->before, work->quota + first, count * sizeof *kept->before);
    allot__quota_family(&kept->pass, family);
    /* A parent with a new quota changes the family below it. */
    for (int32_t row = first; left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        left -= below > 0;
        if (below > 0 && work->quota[row] != kept->before[row - first])
            allot__bits_add(&kept->changed, below);
    }
}

void allot__quota_again(allot__quota_kept *kept)
{
    const allot__work *work = kept->pass.work;
    if (work->held_part) { /* held parts depend on all families */
        for (int32_t family = 0; family < work->tree->families; family++)
            allot__bits_add(&kept->changed, family);
        allot__planned(&kept->pass, work->slots, NULL);
    }
    for (int32_t family; (family = allot__quota_next_changed(kept)) >= 0;)
        allot__quota_pour_changed(kept, family);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static int32_t at(const allot__amounts *amounts, int32_t row)
{
    return amounts->number < 0 ? amounts->column[0] : amounts->column[row];
}

/* The cap of a fill if the row needed `need`: held slots count up to need. */
static int64_t cap_of(const allot__quota_pass *pass, int32_t fill, int32_t row, int64_t need)
{
    const allot__amounts *up_to = &pass->fills[fill].up_to;
    const allot__work *work = pass->work;
    if (pass->rules->policy->fills[fill].up_to.kind == ALLOT_FROM_HELD) {
        int32_t now = work->need[row];
        work->need[row] = (int32_t)need;
        int32_t held = allot__planned_counts(work, row);
        work->need[row] = now;
        return held > work->planned_part[row] ? held : work->planned_part[row];
    }
    if (up_to->percent) /* of the only family */
        return allot__percent_of(work, pass->rules, pass->rules->policy->fills[fill].up_to.value,
                                 row, work->slots);
    return up_to->own ? (int64_t)allot__own(work, pass->rules, row, NULL) + 1 : at(up_to, row);
}

int64_t allot__quota_most(allot__quota_kept *kept, int32_t row, int64_t need)
{
    const allot__quota_pass *pass = &kept->pass;
    const allot__work *work = pass->work;
    const allot__critical *critical = &work->critical[0];
    const allot_policy *policy = pass->rules->policy;
    int64_t level = 0;
    for (int32_t i = 0; i < policy->fill_count; i++) {
        int64_t weight = at(&pass->fills[i].by, row), cap = cap_of(pass, i, row, need);
        int64_t aim = cap < need ? cap : need;
        if (weight > 0 && i == critical->fill && policy->fills[i].order.count == 0) {
            allot__i128 one = (allot__i128)critical->weight * work->unit;
            allot__i128 rise = ((allot__i128)weight * critical->amount + one - 1) / one;
            aim = rise < aim - level ? level + (int64_t)rise : aim;
        }
        level = weight > 0 && aim > level ? aim : level;
        if (i == critical->fill)
            break;
    }
    return level;
}
