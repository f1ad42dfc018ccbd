/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fills.c: what each fill gave a consumer, in which slots ran out and who was served before it, and
 * how that became whole slots. */
#include "engine/explain/facts.h"

#include "engine/rows/order.h"

static allot__u128 level_before(const allot__levels *levels, int32_t fill)
{
    return fill > 0 ? levels->level[fill - 1] : 0;
}

/* Does the level meet its need? Then it takes no part in later fills. */
static bool content(const allot__explanation *about, allot__u128 level)
{
    return level == (allot__u128)about->work->need[about->row] * about->levels.denominator;
}

/* ---- Served in order ------------------------------------------------------------------------- */

/* Did the critical fill give the row anything? */
static bool served(const allot__explanation *about, int32_t row)
{
    allot__levels levels;
    allot__trace(about->work, row, &levels);
    return levels.level[levels.critical] > level_before(&levels, levels.critical);
}

/* The last row that the critical fill served before this one; -1: none. */
static int32_t served_before(const allot__explanation *about, const allot__order *order)
{
    const allot__work *work = about->work;
    int32_t first = allot__family_first(work, about->siblings), last = -1;
    for (int32_t row = first; row < first + allot__family_size(work, about->siblings); row++) {
        if (allot__trace_critical(work, row) != allot__trace_critical(work, about->row) ||
            allot__order_compare(work, about->rules, order, row, about->row) >= 0)
            continue;
        int later = last < 0 ? 1 : allot__order_compare(work, about->rules, order, row, last);
        if (later == 0)
            later = allot__tree_row(work, row) > allot__tree_row(work, last) ? 1 : -1;
        if (later > 0 && served(about, row))
            last = row;
    }
    return last;
}

/* The keys of the fill's order, with the row's values and those of the one served before it. */
static void put_served(const allot__explanation *about, const allot__order *order)
{
    const allot__work *work = about->work;
    int32_t before = served_before(about, order);
    allot__facts_open(about, "served", "{");
    if (before >= 0)
        FACTS(about, "before", allot__path(about, allot__handle(work, before)).text);
    allot__facts_open(about, "keys", "[");
    for (int32_t i = 0; i < order->count; i++) {
        const allot_key *key = &order->keys[i];
        allot__facts_open(about, NULL, "{");
        FACTS(about, "name falls? flag? mine",
              allot__explain_source(about, ALLOT_CONSUMERS, key->source), key->descending != 0,
              allot__explain_is_flag(about, ALLOT_CONSUMERS, key->source),
              allot__order_key(work, about->rules, key, about->row));
        if (before >= 0)
            FACTS(about, "its", allot__order_key(work, about->rules, key, before));
        allot__facts_end(about, "}");
    }
    allot__facts_end(about, "]");
    allot__facts_end(about, "}");
}

/* ---- Fills ----------------------------------------------------------------------------------- */

static void put_fill(const allot__explanation *about, int32_t i)
{
    const allot__work *work = about->work;
    const allot__levels *levels = &about->levels;
    const allot_policy *policy = about->rules->policy;
    const allot__fill *fill = &policy->fills[i];
    allot__u128 before = level_before(levels, i);
    allot__facts_open(about, NULL, "{");
    FACTS(about, "label gives? gave had_all? met?", fill->label, levels->level[i] > before,
          allot__ratio_words(levels->level[i] - before, levels->denominator).text,
          content(about, before), content(about, levels->level[i]));
    if (fill->by.kind == ALLOT_FROM_NUMBER)
        FACTS(about, "each", fill->by.value);
    else
        FACTS(about, "by", allot__explain_source(about, ALLOT_CONSUMERS, fill->by));
    if (fill->up_to.kind == ALLOT_FROM_PERCENT) {
        int64_t of = allot__trace_slots(work, about->row), most;
        most = allot__percent_of(work, about->rules, fill->up_to.value, about->row, of);
        if (levels->level[i] >= (allot__u128)most * levels->denominator)
            FACTS(about, "percent of most",
                  allot__value(work, about->rules, fill->up_to.value, about->row), of, most);
    } else if (fill->up_to.kind == ALLOT_FROM_PART) {
        FACTS(about, "planned", work->planned_part[about->row]);
    } else if (fill->up_to.kind == ALLOT_FROM_HELD) {
        FACTS(about, "keeps across?", work->held_part[about->row],
              policy->switches[ALLOT_SWITCH_ACROSS] && work->tree->families > 1);
    }
    allot__facts_end(about, "}");
}

/* The fill in which slots ran out, and its rate, from which every part follows. */
static void put_critical(const allot__explanation *about)
{
    const allot__levels *levels = &about->levels;
    const allot__critical *critical = allot__trace_critical(about->work, about->row);
    int32_t i = levels->critical;
    const allot__fill *fill = &about->rules->policy->fills[i];
    bool same = fill->by.kind == ALLOT_FROM_NUMBER;
    allot__facts_open(about, "critical", "{");
    FACTS(about, "fill empty? last_run? above? weighs? rate", i + 1, critical->amount == 0,
          levels->last_run, levels->above,
          allot__trace_weight(about->work, fill->by, about->row) > 0,
          allot__ratio_words((allot__u128)critical->amount * (same ? (uint32_t)fill->by.value : 1U),
                             (allot__u128)critical->weight * (allot__u128)about->work->unit)
              .text);
    FACTS(about, "first?",
          allot__order_compare(about->work, about->rules, &fill->order, about->row, critical->row) <
              0);
    if (fill->order.count > 0)
        put_served(about, &fill->order);
    if (fill->level) { /* it raises totals (C-15) */
        FACTS(about, "had total",
              allot__ratio_words(level_before(levels, i), levels->denominator).text,
              allot__ratio_words(levels->level[i], levels->denominator).text);
    }
    allot__facts_end(about, "}");
}

static void explain_each(const allot__explanation *about)
{
    allot__facts_open(about, "fills", "[");
    for (int32_t i = 0; i < about->levels.fills; i++)
        put_fill(about, i);
    allot__facts_end(about, "]");
    if (about->levels.critical >= 0)
        put_critical(about);
}

/* Up to three siblings that were rounded up. */
static void put_winners(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int32_t first = allot__family_first(work, about->siblings), count = 0;
    allot__facts_open(about, "winners", "[");
    for (int32_t i = 0; i < allot__family_size(work, about->siblings) && count < 3; i++) {
        allot__levels levels;
        allot__trace(work, first + i, &levels);
        int32_t slots = work->quota[first + i] - allot__whole_part(work, first + i);
        if ((allot__u128)slots * levels.denominator > levels.level[levels.fills - 1]) {
            allot__facts_item(about, allot__path(about, allot__handle(work, first + i)).text);
            count++;
        }
    }
    allot__facts_end(about, "]");
}

static void explain_rounding(const allot__explanation *about)
{
    static const char *const ways[] = {"rank", "ceil_in_order", "largest_remainder", "webster"};
    const allot__levels *levels = &about->levels;
    allot__u128 exact = levels->level[levels->fills - 1];
    int64_t quota = about->verdict.quota - allot__whole_part(about->work, about->row);
    if (exact % levels->denominator == 0 && exact / levels->denominator == (allot__u128)quota)
        return;
    allot__facts_open(about, "rounding", "{");
    FACTS(about, "exact up? to way", allot__ratio_words(exact, levels->denominator).text,
          (allot__u128)quota * levels->denominator > exact, quota,
          ways[about->rules->policy->rounding]);
    put_winners(about);
    allot__facts_end(about, "}");
}

void allot__explain_fills(const allot__explanation *about)
{
    explain_each(about);
    explain_rounding(about);
}
