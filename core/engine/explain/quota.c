/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* quota.c: ownership, need, what each fill gave, how that became whole slots; or a ledger's
 * accounts. */
#include "engine/explain/facts.h"

#include "engine/hosts/hosts.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/enforce.h"

static void explain_owned(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t configured = work->configured[about->row];
    bool exact = about->rules->policy->exact || work->times == work->unit;
    FACTS(about, "no_ownership? configured planned_slots slots", work->group->no_ownership,
          configured, work->group->slots, work->slots);
    if (!exact)
        FACTS(about, "owned",
              allot__ratio_words((allot__u128)configured * (allot__u128)work->times,
                                 (allot__u128)work->unit)
                  .text);
}

/* What keeps its need below its demand: hosts, or a limit. */
static void explain_limit(const allot__explanation *about)
{
    const allot__work *work = about->work;
    allot_attribute column = {0};
    int32_t index, limit = work->limit[about->row];
    int32_t planned = allot__limit_of(work->plan, work->group, about->row, &index);
    if (about->verdict.demand <= limit)
        return;
    FACTS(about, "limit", limit);
    if (work->hosts && limit < work->hosts->limit[about->row]) {
        FACTS(about, "limited", "others");
    } else if (limit < planned) {
        FACTS(about, "limited", "hosts");
    } else {
        allot_plan_column_at(work->plan, index, &column);
        FACTS(about, "column", column.name);
    }
}

static void explain_need(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    const allot__enforced *enforced = about->work->enforced;
    bool raised = enforced && enforced->least && about->family == 0 &&
                  verdict->need > verdict->demand && enforced->least[about->row] == verdict->need;
    bool left_out = about->rules->leaves_out && verdict->need < verdict->demand &&
                    verdict->need < about->work->limit[about->row] &&
                    verdict->need == verdict->reserve;
    FACTS(about, "raised? left_out?", raised, left_out);
    explain_limit(about);
}

static void explain_family(const allot__explanation *about)
{
    const allot__work *work = about->work;
    FACTS(about, "members", allot__family_size(work, about->siblings));
    if (about->siblings != 0) {
        int32_t above = work->group->parent[about->siblings];
        FACTS(about, "above above_quota", allot__path(about, allot__handle(work, above)).text,
              work->quota[above]);
    }
}

/* ---- Fills ----------------------------------------------------------------------------------- */

static allot__u128 level_before(const allot__levels *levels, int32_t fill)
{
    return fill > 0 ? levels->level[fill - 1] : 0;
}

/* Does the level meet its need? Then it takes no part in later fills. */
static bool content(const allot__explanation *about, allot__u128 level)
{
    return level == (allot__u128)about->work->need[about->row] * about->levels.denominator;
}

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
    if (fill->up_to.kind == ALLOT_FROM_PART) {
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
    if (fill->level) { /* it raises totals (C-15) */
        FACTS(about, "had total",
              allot__ratio_words(level_before(levels, i), levels->denominator).text,
              allot__ratio_words(levels->level[i], levels->denominator).text);
    }
    allot__facts_end(about, "}");
}

static void explain_fills(const allot__explanation *about)
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

/* How much of the quota tasks that start whole can use, and leftovers for the next task. */
static void explain_whole(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (work->whole)
        FACTS(about, "used",
              about->family != 0 ? work->sums[about->family].demand
                                 : work->whole->demand[about->row]);
    FACTS(about, "whole_part", allot__whole_part(work, about->row));
}

static void explain_parts(const allot__explanation *about)
{
    allot__facts_open(about, "parts", "[");
    for (int32_t i = 0; i < about->verdict.parts; i++) {
        if (about->verdict.part[i] == 0)
            continue;
        OBJECT(
            about, NULL, "slots label", about->verdict.part[i],
            allot_decision_part_label(about->decision, about->group, about->verdict.consumer, i));
    }
    allot__facts_end(about, "]");
}

/* ---- Of a ledger ----------------------------------------------------------------------------- */

static void put_why(const allot__explanation *about, allot__why why)
{
    FACTS(about, "why code", allot__why_text(why), allot__why_code(why));
}

static void put_loan(const allot__explanation *about, const allot__lent *loan, bool lends)
{
    const allot__ledger *ledger = about->work->ledger;
    int32_t other = ledger->holders[lends ? loan->borrower : loan->lender].row;
    allot__facts_open(about, NULL, "{");
    FACTS(about, "lends? other slots before", lends,
          allot__path(about, allot__handle(about->work, other)).text, loan->slots, loan->before);
    put_why(about, loan->why);
    allot__facts_end(about, "}");
}

static void explain_ledger(const allot__explanation *about)
{
    const allot__ledger *ledger = about->work->ledger;
    const allot__holder *holder = allot__ledger_holder(about->work, about->row);
    int32_t index = holder ? (int32_t)(holder - ledger->holders) : -1;
    allot__facts_open(about, "loans", "[");
    for (int32_t i = 0; i < ledger->loan_count && holder; i++) {
        const allot__lent *loan = &ledger->loans[i];
        if (loan->lender == index || loan->borrower == index)
            put_loan(about, loan, loan->lender == index);
    }
    allot__facts_end(about, "]");
    allot__facts_open(about, "recalls", "[");
    for (int32_t i = holder ? holder->recalls : -1; i >= 0; i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        if (recall->slots > recall->cut) {
            allot__facts_open(about, NULL, "{");
            FACTS(about, "slots", recall->slots - recall->cut);
            put_why(about, recall->why);
            allot__facts_end(about, "}");
        }
    }
    allot__facts_end(about, "]");
}

void allot__explain_quota(const allot__explanation *about)
{
    explain_owned(about);
    explain_need(about);
    if (allot__ledger_at(about->work, about->row)) {
        explain_ledger(about);
    } else {
        explain_family(about);
        explain_fills(about);
        explain_rounding(about);
    }
    explain_whole(about);
    explain_parts(about);
}
