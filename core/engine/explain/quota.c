/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* quota.c: ownership, need, what each fill gave, how that became whole slots; or a ledger's
 * accounts. */
#include "engine/explain/explain.h"

#include "engine/hosts/hosts.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/enforce.h"

static void explain_owned(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t configured = work->configured[about->row];
    allot__phrase path = allot__phrase_path(about, about->verdict.consumer);
    if (about->work->group->no_ownership) {
        SAY(about, "{} shares with its siblings; nothing is its own.", path.text);
        return;
    }
    if (configured == 0) {
        SAY(about, "{} owns no slots: what it gets is others' or shared.", path.text);
        return;
    }
    if (about->rules->policy->exact || work->times == work->unit) {
        SAY(about, "{} owns {} slot{|s}.", path.text, configured);
        return;
    }
    allot__phrase owned = allot__phrase_ratio((allot__u128)configured * (allot__u128)work->times,
                                              (allot__u128)work->unit);
    SAY(about, "{} owns {} of the {} planned slots; the group has {} now, so it owns {} (C-1).",
        path.text, configured, work->group->slots, work->slots, owned.text);
}

/* Is it in no pool (E-23)? */
static bool is_left_out(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int32_t limit = about->work->limit[about->row];
    return about->rules->leaves_out && verdict->need < verdict->demand && verdict->need < limit &&
           verdict->need == verdict->reserve;
}

/* Explains what keeps its need below its demand: hosts, or a limit. */
static void explain_limit(const allot__explanation *about, const char *demands)
{
    const allot__work *work = about->work;
    const allot_verdict *verdict = &about->verdict;
    allot_attribute column = {0};
    int32_t index, limit = work->limit[about->row];
    int32_t planned = allot__limit_of(work->plan, work->group, about->row, &index);
    if (work->hosts && limit < work->hosts->limit[about->row]) {
        SAY(about,
            "{} {} slot{|s}, but hosts that it can use have {} for it beside others who use them, "
            "too: that is its need (H-17).",
            demands, verdict->demand, limit);
    } else if (limit < planned) {
        SAY(about, "{} {} slot{|s}, but hosts that it can use have {}: that is its need.", demands,
            verdict->demand, limit);
    } else {
        allot_plan_column_at(work->plan, index, &column);
        SAY(about, "{} {} slot{|s}, but its {} is {}, so its need is {} (C-2).", demands,
            verdict->demand, column.name, limit, verdict->need);
    }
}

static void explain_need(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int32_t limit = about->work->limit[about->row];
    const char *demands = about->family != 0 ? "Its children need" : "It demands";
    const allot__enforced *enforced = about->work->enforced;
    if (enforced && enforced->least && about->family == 0 && verdict->need > verdict->demand &&
        enforced->least[about->row] == verdict->need)
        SAY(about,
            "{} {} slot{|s}, but other windows hold now and what it owns changed: it needs at "
            "least that, {} (C-10).",
            demands, verdict->demand, verdict->need);
    else if (verdict->need == verdict->reserve && verdict->need > 0 &&
             (verdict->demand < verdict->reserve))
        SAY(about, "{} {} slot{|s}, but {} are reserved, so its need is {} (C-2).", demands,
            verdict->demand, verdict->reserve, verdict->need);
    else if (is_left_out(about))
        SAY(about,
            "{} {} slot{|s}, but its share is 0, so it is in no pool: its need is {} (E-23).",
            demands, verdict->demand, verdict->need);
    else if (verdict->demand > limit)
        explain_limit(about, demands);
    else
        SAY(about, "{} {} slot{|s}: that is its need (C-2).", demands, verdict->demand);
}

static void explain_family(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int32_t members = allot__family_size(work, about->siblings);
    if (about->siblings == 0) {
        SAY(about, "The group's {} slot{|s} are divided among {} first-level consumer{|s}.",
            work->slots, members);
        return;
    }
    int32_t parent = work->group->parent[about->siblings];
    SAY(about, "Its parent {} has a quota of {}, divided among {} child{|ren}.",
        allot__phrase_path(about, allot__handle(work, parent)).text, work->quota[parent], members);
}

static allot__u128 gain(const allot__levels *levels, int32_t fill)
{
    return levels->level[fill] - (fill > 0 ? levels->level[fill - 1] : 0);
}

/* What a fill divides by; a number as it is. */
static allot__phrase rate_of(const allot__explanation *about, allot_source by)
{
    return by.kind == ALLOT_FROM_NUMBER
               ? PHRASE("{}", by.value)
               : PHRASE("{}", allot__explain_source(about, ALLOT_CONSUMERS, by));
}

/* Does the level meet its need? Then it takes no part in later fills. */
static bool content(const allot__explanation *about, allot__u128 level)
{
    return level == (allot__u128)about->work->need[about->row] * about->levels.denominator;
}

/* A fill that raises totals: what it has from before counts (C-15). */
static void explain_level(const allot__explanation *about, int32_t fill, const char *rate,
                          const char *by)
{
    const allot__levels *levels = &about->levels;
    const char *label = about->rules->policy->fills[fill].label;
    allot__u128 before = fill > 0 ? levels->level[fill - 1] : 0;
    allot__phrase had = allot__phrase_ratio(before, levels->denominator);
    allot__phrase part = allot__phrase_ratio(gain(levels, fill), levels->denominator);
    allot__phrase total = allot__phrase_ratio(levels->level[fill], levels->denominator);
    if (gain(levels, fill) == 0)
        SAY(about,
            "  {}: 0, since it has {} from before. Slots ran out here, where totals are raised to "
            "{} {} (C-15).",
            label, had.text, rate, by);
    else
        SAY(about,
            "  {}: {}, which raises its total from {} to {}{? and meets its need|}. Slots ran out "
            "here, where totals are raised to {} {} (C-15).",
            label, part.text, had.text, total.text, content(about, levels->level[fill]), rate, by);
}

/* The fill in which slots ran out: states its rate, from which every part follows. */
static void explain_critical(const allot__explanation *about, int32_t fill)
{
    const allot__levels *levels = &about->levels;
    const allot__critical *critical = allot__trace_critical(about->work, about->row);
    const allot__fill *rule = &about->rules->policy->fills[fill];
    bool same = rule->by.kind == ALLOT_FROM_NUMBER;
    allot__phrase by = rate_of(about, rule->by);
    allot__phrase each = PHRASE("{?each|per unit of {}}", same, by.text);
    allot__phrase part = allot__phrase_ratio(gain(levels, fill), levels->denominator);
    allot__phrase rate =
        allot__phrase_ratio((allot__u128)critical->amount * (same ? (uint32_t)rule->by.value : 1U),
                            (allot__u128)critical->weight * (allot__u128)about->work->unit);
    bool weighs = allot__trace_weight(about->work, rule->by, about->row) > 0;
    if (critical->amount == 0)
        SAY(about, "  {}: nothing was left for it{?, nor for the fills behind it|}.", rule->label,
            fill + 1 < levels->fills);
    else if (gain(levels, fill) == 0 && weighs && !levels->above)
        SAY(about, "  {}: 0, since it has all that this may give it.", rule->label);
    else if (gain(levels, fill) == 0 && !weighs)
        SAY(about, "  {}: 0, since this goes by {}, and that is 0 here.", rule->label, by.text);
    else if (rule->level)
        explain_level(about, fill, rate.text, each.text);
    else
        SAY(about, "  {}: {}{?, which meets its need|}. Slots ran out here, at {} {}.", rule->label,
            part.text, content(about, levels->level[fill]), rate.text, each.text);
}

/* A fill that met all aims. */
static void explain_met(const allot__explanation *about, int32_t fill)
{
    const allot__fill *rule = &about->rules->policy->fills[fill];
    allot__phrase gave = allot__phrase_ratio(gain(&about->levels, fill), about->levels.denominator);
    if (rule->up_to.kind == ALLOT_FROM_PART)
        SAY(about, "  {}: {}. Its planned share, by {}, is {} (E-21).", rule->label, gave.text,
            rate_of(about, rule->by).text, about->work->planned_part[about->row]);
    else if (rule->up_to.kind == ALLOT_FROM_HELD)
        SAY(about,
            "  {}: {}, up to the {} that it {?keeps, leaves of the best ranks first, whatever "
            "their branches (E-22)|holds or that are planned}.",
            rule->label, gave.text, about->work->held_part[about->row],
            about->rules->policy->switches[ALLOT_SWITCH_ACROSS] && about->work->tree->families > 1);
    else
        SAY(about, "  {}: {}.", rule->label, gave.text);
}

static void explain_fills(const allot__explanation *about)
{
    const allot__levels *levels = &about->levels;
    const allot_policy *policy = about->rules->policy;
    int32_t out = levels->critical;
    for (int32_t i = 0; i < levels->fills && (out < 0 || i < out); i++)
        if (gain(levels, i) > 0)
            explain_met(about, i);
    if (out < 0 || content(about, out > 0 ? levels->level[out - 1] : 0))
        return;
    if (levels->last_run || allot__trace_critical(about->work, about->row)->amount == 0) {
        explain_critical(about, out);
    } else if (gain(levels, out) > 0) {
        allot__phrase part = allot__phrase_ratio(gain(levels, out), levels->denominator);
        SAY(about, "  {}: {}.", policy->fills[out].label, part.text);
    } else {
        SAY(about, "  {}: 0: slots ran out among those served before it.",
            policy->fills[out].label);
    }
    if (out + 1 < levels->fills && !content(about, levels->level[out]) &&
        allot__trace_critical(about->work, about->row)->amount > 0)
        SAY(about, "  Nothing was left for \"{}\"{? and the fills behind it|}.",
            policy->fills[out + 1].label, out + 2 < levels->fills);
}

/* Up to three siblings that were rounded up. */
static allot__sentence winners(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int32_t first = allot__family_first(work, about->siblings);
    allot__sentence words = {.len = 0};
    for (int32_t i = 0; i < allot__family_size(work, about->siblings) && words.items < 3; i++) {
        allot__levels levels;
        allot__trace(work, first + i, &levels);
        int32_t slots = work->quota[first + i] - allot__whole_part(work, first + i);
        allot__u128 whole = (allot__u128)slots * levels.denominator;
        if (whole > levels.level[levels.fills - 1])
            LIST(&words, "{}", allot__phrase_path(about, allot__handle(work, first + i)).text);
    }
    return words;
}

static void explain_rounding(const allot__explanation *about)
{
    static const char *const ways[] = {
        "lost slots go one each to fractions by rank, then plan order (C-4)",
        "shares are rounded up in order while slots last (Q-30)",
        "lost slots go to the largest fractions",
        "slots go one by one to the largest weight / (2 * slots + 1)"};
    const allot__levels *levels = &about->levels;
    allot__u128 exact = levels->level[levels->fills - 1];
    int64_t quota = about->verdict.quota - allot__whole_part(about->work, about->row);
    if (exact % levels->denominator == 0 && exact / levels->denominator == (allot__u128)quota)
        return;
    allot__phrase share = allot__phrase_ratio(exact, levels->denominator);
    bool up = (allot__u128)quota * levels->denominator > exact;
    allot__sentence names = winners(about);
    SAY(about, "That is {} exactly, rounded {?up|down} to {}: {}{?; rounded up: |}{}.", share.text,
        up, quota, ways[about->rules->policy->rounding], names.len > 0, names.text);
}

/* How much of the quota tasks that start whole can use. */
static void explain_used(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (!work->whole)
        return;
    int64_t used =
        about->family != 0 ? work->sums[about->family].demand : work->whole->demand[about->row];
    if (used >= about->verdict.demand)
        return;
    SAY(about,
        "{?Tasks of its leaves|Its tasks} start whole and can use {} of the slots that it could "
        "get: that counts as its demand below (C-13).",
        about->family != 0, used);
}

/* ... and the rest that was left over for the next task. */
static void explain_whole_part(const allot__explanation *about)
{
    int32_t whole = allot__whole_part(about->work, about->row);
    if (whole > 0)
        SAY(about,
            "  whole: {} that {was|were} left over make{s|} {?tasks of its leaves|its next task} "
            "fit (C-13).",
            whole, about->family != 0);
}

static void explain_parts(const allot__explanation *about)
{
    allot__sentence sum = {.len = 0};
    for (int32_t i = 0; i < about->verdict.parts; i++)
        if (about->verdict.part[i] != 0)
            ADD(&sum, "{? + | = }{} {}", sum.len > 0, about->verdict.part[i],
                allot_decision_part_label(about->decision, about->group, about->verdict.consumer,
                                          i));
    SAY(about, "Its quota is {}{}.", about->verdict.quota, sum.text);
}

/* ---- Of a ledger ----------------------------------------------------------------------------- */

static void explain_held(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    SAY(about,
        "Before this cycle {?its leaves held|it held} {} own, {} shared and {} borrowed slots; {} "
        "of its own were lent.",
        about->family != 0, verdict->own_used, verdict->shared, verdict->borrowed, verdict->lent);
}

static void explain_loan(const allot__explanation *about, const allot__lent *loan, bool lends)
{
    const allot__work *work = about->work;
    const allot__ledger *ledger = work->ledger;
    int32_t other = ledger->holders[lends ? loan->borrower : loan->lender].row;
    allot__phrase path = allot__phrase_path(about, allot__handle(work, other));
    allot__phrase slots = PHRASE("{} slot{|s}", loan->slots);
    const char *from = lends ? "to" : "from";
    const char *how = lends ? "lends" : "borrows";
    const char *why = allot__why_text(loan->why);
    const char *code = allot__why_code(loan->why);
    if (loan->slots == loan->before)
        SAY(about, "It {} {} {} {}, as before.", how, slots.text, from, path.text);
    else if (loan->before == 0)
        SAY(about, "It {} {} {} {}: {} ({}).", how, slots.text, from, path.text, why, code);
    else
        SAY(about, "It {} {} {} {}, {} before: {} ({}).", how, slots.text, from, path.text,
            loan->before, why, code);
}

/* Slots that are reclaimed, each with its reason. */
static void explain_recalls(const allot__explanation *about, const allot__holder *holder)
{
    const allot__ledger *ledger = about->work->ledger;
    for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        int32_t slots = recall->slots - recall->cut;
        if (slots > 0)
            SAY(about, "Called back from it: {} slot{|s}; {} ({}).", slots,
                allot__why_text(recall->why), allot__why_code(recall->why));
    }
}

static void explain_ledger(const allot__explanation *about)
{
    const allot__ledger *ledger = about->work->ledger;
    const allot__holder *holder = allot__ledger_holder(about->work, about->row);
    explain_held(about);
    if (!holder)
        return;
    int32_t index = (int32_t)(holder - ledger->holders);
    for (int32_t i = 0; i < ledger->loan_count; i++) {
        const allot__lent *loan = &ledger->loans[i];
        if (loan->lender == index || loan->borrower == index)
            explain_loan(about, loan, loan->lender == index);
    }
    explain_recalls(about, holder);
}

/* ---- The whole ------------------------------------------------------------------------------- */

void allot__explain_quota(const allot__explanation *about)
{
    explain_owned(about);
    explain_need(about);
    explain_used(about);
    if (allot__ledger_at(about->work, about->row)) {
        explain_ledger(about);
    } else {
        explain_family(about);
        explain_fills(about);
        explain_rounding(about);
    }
    explain_whole_part(about);
    explain_parts(about);
}
