/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* trace.c: computes the fills again, for one row. */
#include "engine/quota/trace.h"

#include "engine/ownership/ledger.h"
#include "engine/rows/order.h"
#include "engine/rows/work.h"

int64_t allot__trace_slots(const allot__work *work, int32_t row)
{
    int32_t family = allot__siblings_of(work, row);
    int64_t slots = allot__family_slots(work, allot__rules_at(work, row), family);
    return family > 0 ? slots - allot__whole_part(work, work->group->parent[family]) : slots;
}

/* In 1/unit of a slot, so that own' is a whole number. */
static int64_t cap_of(const allot__work *work, const allot__rules *rules, allot_source source,
                      int32_t row)
{
    switch (source.kind) {
    case ALLOT_FROM_NEED:
        return ALLOT_AMOUNT_MAX * work->unit;
    case ALLOT_FROM_PART:
        return work->planned_part[row] * work->unit;
    case ALLOT_FROM_HELD:
        return work->held_part[row] * work->unit;
    case ALLOT_FROM_NUMBER:
        return source.value * work->unit;
    case ALLOT_FROM_FUNCTION:
        return rules->function_amounts[source.value][row] * work->unit;
    case ALLOT_FROM_PERCENT:
        return (int64_t)allot__percent_of(work, rules, source.value, row,
                                          allot__trace_slots(work, row)) *
               work->unit;
    case ALLOT_FROM_COLUMN:
        break;
    }
    int64_t whole = allot__value(work, rules, source.value, row);
    if (whole >= ALLOT_AMOUNT_MAX)
        return ALLOT_AMOUNT_MAX * work->unit;
    int32_t part = 0;
    if (source.value == ALLOT_OWNED)
        allot__own(work, rules, row, &part);
    return whole * work->unit + part;
}

int64_t allot__trace_weight(const allot__work *work, allot_source source, int32_t row)
{
    const allot__rules *rules = allot__rules_at(work, row);
    switch (source.kind) {
    case ALLOT_FROM_FUNCTION:
        return rules->function_amounts[source.value][row];
    case ALLOT_FROM_COLUMN:
        if (source.value == ALLOT_OWNED)
            return work->times > 0 || rules->policy->exact ? work->configured[row] : 0;
        return allot__value(work, rules, source.value, row);
    default:
        return source.value;
    }
}

static int64_t aim_of(const allot__work *work, const allot__fill *fill, int32_t row, int64_t level)
{
    int64_t cap = cap_of(work, allot__rules_at(work, row), fill->up_to, row);
    int64_t need = work->need[row] * work->unit;
    int64_t aim = cap < need ? cap : need;
    return aim > level && allot__trace_weight(work, fill->by, row) > 0 ? aim : level;
}

/* Splits the quota into whole slots by fill: each fill has the whole slots that its level passes,
 * and the last fill that gave anything has what rounding added. */
static void split_quota(const allot__work *work, int32_t row, allot__levels *out)
{
    int64_t quota = work->quota[row] - allot__whole_part(work, row);
    int64_t given = 0;
    int32_t last = 0;
    for (int32_t i = 0; i < out->fills; i++) {
        allot__u128 before = i > 0 ? out->level[i - 1] : 0;
        int64_t whole = (int64_t)(out->level[i] / out->denominator);
        whole = whole < quota ? whole : quota;
        out->part[i] = whole - given;
        given = whole;
        if (out->level[i] > before)
            last = i;
    }
    out->part[last] += quota - given;
}

const allot__critical *allot__trace_critical(const allot__work *work, int32_t row)
{
    int32_t family = allot__siblings_of(work, row);
    if (family == 0 && work->rules_count > 1)
        family = work->tree->families + allot__governing_of(work->plan, work->group, row);
    return &work->critical[family];
}

/* The level that the critical fill raises a row to, over unit * sum. */
static allot__u128 last_level(const allot__work *work, const allot__critical *critical,
                              const allot__fill *fill, int32_t row, int64_t level,
                              allot__levels *out)
{
    int64_t aim = aim_of(work, fill, row, level);
    int order =
        allot__order_compare(work, allot__rules_at(work, row), &fill->order, row, critical->row);
    allot__u128 sum = (allot__u128)critical->weight;
    if (order < 0)
        return (allot__u128)aim * sum;
    if (order > 0)
        return (allot__u128)level * sum;
    out->last_run = true;
    allot__u128 from = (allot__u128)level * sum, to = (allot__u128)aim * sum;
    allot__u128 due =
        (allot__u128)critical->amount * (allot__u128)allot__trace_weight(work, fill->by, row);
    due = fill->level ? due : from + due;
    out->above = from < to && due <= from;
    due = due > from ? due : from;
    return due < to ? due : to;
}

/* The parts of a ledger's row, which are whole. */
static void trace_ledger(const allot__work *work, int32_t row, allot__levels *out)
{
    allot__u128 level = 0;
    *out = (allot__levels){
        .fills = allot__rules_at(work, row)->policy->fill_count, .critical = -1, .denominator = 1};
    allot__ledger_parts(work, row, out->part);
    for (int32_t i = 0; i < out->fills; i++) {
        level += (allot__u128)out->part[i];
        out->level[i] = level;
    }
}

void allot__trace(const allot__work *work, int32_t row, allot__levels *out)
{
    if (allot__ledger_at(work, row)) {
        trace_ledger(work, row, out);
        return;
    }
    const allot_policy *policy = allot__rules_at(work, row)->policy;
    const allot__critical *critical = allot__trace_critical(work, row);
    allot__u128 sum = critical->fill < 0 ? 1 : (allot__u128)critical->weight;
    int64_t level = 0;
    *out = (allot__levels){.fills = policy->fill_count,
                           .critical = critical->fill,
                           .denominator = sum * (allot__u128)work->unit};
    for (int32_t i = 0; i < policy->fill_count; i++) {
        if (critical->fill < 0 || i < critical->fill) {
            level = aim_of(work, &policy->fills[i], row, level);
            out->level[i] = (allot__u128)level * sum;
        } else if (i == critical->fill) {
            out->level[i] = last_level(work, critical, &policy->fills[i], row, level, out);
        } else {
            out->level[i] = out->level[i - 1];
        }
    }
    split_quota(work, row, out);
}

allot_ratio allot__trace_owned(const allot__work *work, int32_t row)
{
    if (allot__rules_at(work, row)->policy->exact)
        return allot__ratio((allot__u128)work->configured[row], 1);
    return allot__ratio((allot__u128)work->configured[row] * (allot__u128)work->times,
                        (allot__u128)work->unit);
}

bool allot__rounding_only(const allot__work *work, int32_t row)
{
    allot__levels levels;
    allot__trace(work, row, &levels);
    allot__u128 exact = levels.level[levels.fills - 1] +
                        (allot__u128)allot__whole_part(work, row) * levels.denominator;
    return (allot__u128)work->allocated[row] * levels.denominator < exact + levels.denominator;
}
