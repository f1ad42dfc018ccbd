/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* quota.c: ownership, need, what each fill gave, and how it became whole slots. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/rows/enforce.h"
#include "engine/ownership/ledger.h"
#include "engine/hosts/hosts.h"
#include "engine/explain/explain.h"

static void tell_owned(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    int64_t configured = work->configured[teller->row];
    allot__phrase path = allot__tell_path(teller, teller->verdict.consumer);
    if (teller->work->group->no_ownership) {
        allot__tell(teller, "%s shares with its siblings; nothing is its own.", path.text);
        return;
    }
    if (configured == 0) {
        allot__tell(teller, "%s owns no slots: what it gets is others' or shared.", path.text);
        return;
    }
    if (teller->rules->policy->exact || work->times == work->unit) {
        allot__tell(teller, "%s owns %s.", path.text, allot__tell_slots(configured).text);
        return;
    }
    allot__phrase owned = allot__tell_ratio((allot__u128)configured * (allot__u128)work->times,
                                            (allot__u128)work->unit);
    allot__tell(teller,
                "%s owns %" PRId64 " of the %" PRId64 " planned slots; the group has %" PRId64
                " now, so it owns %s (C-1).",
                path.text, configured, work->group->slots, work->slots, owned.text);
}

/* Is it in no pool (E-23)? */
static bool is_left_out(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    int32_t limit = teller->work->limit[teller->row];
    return teller->rules->leaves_out && verdict->need < verdict->demand && verdict->need < limit &&
           verdict->need == verdict->reserve;
}

/* What keeps its need below its demand: hosts, or a limit. */
static void tell_limit(const allot__teller *teller, const char *demands)
{
    const allot__work *work = teller->work;
    const allot_verdict *verdict = &teller->verdict;
    allot_attribute column = {0};
    int32_t index, limit = work->limit[teller->row];
    int32_t planned = allot__limit_of(work->plan, work->group, teller->row, &index);
    if (work->hosts && limit < work->hosts->limit[teller->row]) {
        allot__tell(teller,
                    "%s %s, but hosts that it can use have %" PRId32
                    " for it beside others who use them, too: that is its need (H-17).",
                    demands, allot__tell_slots(verdict->demand).text, limit);
    } else if (limit < planned) {
        allot__tell(teller, "%s %s, but hosts that it can use have %" PRId32 ": that is its need.",
                    demands, allot__tell_slots(verdict->demand).text, limit);
    } else {
        allot_plan_column_at(work->plan, index, &column);
        allot__tell(teller, "%s %s, but its %s is %" PRId32 ", so its need is %" PRId64 " (C-2).",
                    demands, allot__tell_slots(verdict->demand).text, column.name, limit,
                    verdict->need);
    }
}

static void tell_need(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    int32_t limit = teller->work->limit[teller->row];
    const char *demands = teller->family != 0 ? "Its children need" : "It demands";
    const allot__enforced *enforced = teller->work->enforced;
    if (enforced && enforced->least && teller->family == 0 && verdict->need > verdict->demand &&
        enforced->least[teller->row] == verdict->need) {
        allot__tell(teller,
                    "%s %s, but other windows hold now and what it owns changed: it needs at "
                    "least that, %" PRId64 " (C-10).",
                    demands, allot__tell_slots(verdict->demand).text, verdict->need);
    } else if (verdict->need == verdict->reserve && verdict->need > 0 &&
               (verdict->demand < verdict->reserve)) {
        allot__tell(
            teller, "%s %s, but %" PRId64 " are reserved, so its need is %" PRId64 " (C-2).",
            demands, allot__tell_slots(verdict->demand).text, verdict->reserve, verdict->need);
    } else if (is_left_out(teller)) {
        allot__tell(teller,
                    "%s %s, but its share is 0, so it is in no pool: its need is %" PRId64
                    " (E-23).",
                    demands, allot__tell_slots(verdict->demand).text, verdict->need);
    } else if (verdict->demand > limit) {
        tell_limit(teller, demands);
    } else {
        allot__tell(teller, "%s %s: that is its need (C-2).", demands,
                    allot__tell_slots(verdict->demand).text);
    }
}

static void tell_family(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    int32_t members = allot__family_size(work, teller->siblings);
    if (teller->siblings == 0) {
        allot__tell(teller, "The group's %s are divided among %" PRId32 " first-level consumer%s.",
                    allot__tell_slots(work->slots).text, members, members == 1 ? "" : "s");
        return;
    }
    int32_t parent = work->group->parent[teller->siblings];
    allot__tell(teller,
                "Its parent %s has a quota of %" PRId32 ", divided among %" PRId32 " child%s.",
                allot__tell_path(teller, allot__handle(work, parent)).text, work->quota[parent],
                members, members == 1 ? "" : "ren");
}

static allot__u128 gain(const allot__levels *levels, int32_t fill)
{
    return levels->level[fill] - (fill > 0 ? levels->level[fill - 1] : 0);
}

/* "owned", "number 1", "a function": what a source reads, for people. */
static const char *source_name(const allot__teller *teller, allot_source source, char *buf,
                               size_t size)
{
    if (source.kind == ALLOT_FROM_FUNCTION)
        return "the policy's function";
    if (source.kind == ALLOT_FROM_COLUMN) {
        return source.value < ALLOT_COLUMN_COUNT
                   ? allot_column_name(source.value)
                   : teller->rules->policy->attributes[source.value - ALLOT_COLUMN_COUNT].name;
    }
    snprintf(buf, size, "%" PRId32, source.value);
    return buf;
}

/* Its level is its need: it takes no part in what comes. */
static bool content(const allot__teller *teller, allot__u128 level)
{
    return level == (allot__u128)teller->work->need[teller->row] * teller->levels.denominator;
}

/* The fill in which slots ran out: its rate is told, since everybody's part follows from it. */
static void tell_critical(const allot__teller *teller, int32_t fill)
{
    const allot__levels *levels = &teller->levels;
    const allot__critical *critical = allot__trace_critical(teller->work, teller->row);
    const allot__fill *rule = &teller->rules->policy->fills[fill];
    char room[32];
    const char *by = source_name(teller, rule->by, room, sizeof room);
    bool same = rule->by.kind == ALLOT_FROM_NUMBER;
    allot__phrase part = allot__tell_ratio(gain(levels, fill), levels->denominator);
    allot__phrase rate =
        allot__tell_ratio((allot__u128)critical->amount,
                          (allot__u128)critical->weight * (allot__u128)teller->work->unit);
    if (critical->amount == 0) {
        allot__tell(teller, "  %s: nothing was left for it%s.", rule->label,
                    fill + 1 < levels->fills ? ", nor for the fills behind it" : "");
    } else if (gain(levels, fill) == 0 &&
               allot__trace_weight(teller->work, rule->by, teller->row) > 0) {
        allot__tell(teller, "  %s: 0, since it has all that this may give it.", rule->label);
    } else if (gain(levels, fill) == 0) {
        allot__tell(teller, "  %s: 0, since this goes by %s, and that is 0 here.", rule->label, by);
    } else {
        allot__tell(teller, "  %s: %s%s. Slots ran out here, at %s %s%s.", rule->label, part.text,
                    content(teller, levels->level[fill]) ? ", which meets its need" : "", rate.text,
                    same ? "each" : "per unit of ", same ? "" : by);
    }
}

/* A fill that met all aims. */
static void tell_met(const allot__teller *teller, int32_t fill)
{
    const allot__fill *rule = &teller->rules->policy->fills[fill];
    allot__phrase gave = allot__tell_ratio(gain(&teller->levels, fill), teller->levels.denominator);
    char room[32];
    if (rule->up_to.kind == ALLOT_FROM_PART) {
        allot__tell(teller, "  %s: %s. Its planned share, by %s, is %" PRId32 " (E-21).",
                    rule->label, gave.text, source_name(teller, rule->by, room, sizeof room),
                    teller->work->planned_part[teller->row]);
    } else if (rule->up_to.kind == ALLOT_FROM_HELD) {
        allot__tell(teller, "  %s: %s, up to the %" PRId32 " that it %s.", rule->label, gave.text,
                    teller->work->held_part[teller->row],
                    teller->rules->policy->switches[ALLOT_SWITCH_ACROSS] &&
                            teller->work->tree->families > 1
                        ? "keeps, leaves of the best ranks first, whatever their branches (E-22)"
                        : "holds or that are planned");
    } else {
        allot__tell(teller, "  %s: %s.", rule->label, gave.text);
    }
}

static void tell_fills(const allot__teller *teller)
{
    const allot__levels *levels = &teller->levels;
    const allot_policy *policy = teller->rules->policy;
    int32_t out = levels->critical;
    for (int32_t i = 0; i < levels->fills && (out < 0 || i < out); i++)
        if (gain(levels, i) > 0)
            tell_met(teller, i);
    if (out < 0 || content(teller, out > 0 ? levels->level[out - 1] : 0))
        return;
    if (levels->last_run || allot__trace_critical(teller->work, teller->row)->amount == 0) {
        tell_critical(teller, out);
    } else if (gain(levels, out) > 0) {
        allot__phrase part = allot__tell_ratio(gain(levels, out), levels->denominator);
        allot__tell(teller, "  %s: %s.", policy->fills[out].label, part.text);
    } else {
        allot__tell(teller, "  %s: 0: slots ran out among those served before it.",
                    policy->fills[out].label);
    }
    if (out + 1 < levels->fills && !content(teller, levels->level[out]) &&
        allot__trace_critical(teller->work, teller->row)->amount > 0) {
        allot__tell(teller, "  Nothing was left for \"%s\"%s.", policy->fills[out + 1].label,
                    out + 2 < levels->fills ? " and the fills behind it" : "");
    }
}

/* Up to three siblings that were rounded up. */
static allot__sentence winners(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    int32_t first = allot__family_first(work, teller->siblings);
    allot__sentence words = {.len = 0};
    for (int32_t i = 0; i < allot__family_size(work, teller->siblings) && words.items < 3; i++) {
        allot__levels levels;
        allot__trace(work, first + i, &levels);
        allot__u128 whole = (allot__u128)work->quota[first + i] * levels.denominator;
        if (whole > levels.level[levels.fills - 1]) {
            allot__sentence_next(&words);
            allot__sentence_add(&words, "%s",
                                allot__tell_path(teller, allot__handle(work, first + i)).text);
        }
    }
    return words;
}

static void tell_rounding(const allot__teller *teller)
{
    static const char *const ways[] = {
        "lost slots go one each to fractions by rank, then plan order (C-4)",
        "shares are rounded up in order while slots last (Q-30)",
        "lost slots go to the largest fractions",
        "slots go one by one to the largest weight / (2 * slots + 1)"};
    const allot__levels *levels = &teller->levels;
    allot__u128 exact = levels->level[levels->fills - 1];
    if (exact % levels->denominator == 0 &&
        exact / levels->denominator == (allot__u128)teller->verdict.quota)
        return;
    allot__phrase share = allot__tell_ratio(exact, levels->denominator);
    bool up = (allot__u128)teller->verdict.quota * levels->denominator > exact;
    allot__sentence names = winners(teller);
    allot__tell(teller, "That is %s exactly, rounded %s to %" PRId64 ": %s%s%s.", share.text,
                up ? "up" : "down", teller->verdict.quota, ways[teller->rules->policy->rounding],
                names.len > 0 ? "; rounded up: " : "", names.text);
}

static void tell_parts(const allot__teller *teller)
{
    allot__sentence sum = {.len = 0};
    const allot_policy *policy = teller->rules->policy;
    for (int32_t i = 0; i < teller->verdict.parts; i++)
        if (teller->verdict.part[i] != 0)
            allot__sentence_add(&sum, "%s%" PRId64 " %s", sum.len > 0 ? " + " : " = ",
                                teller->verdict.part[i], policy->fills[i].label);
    allot__tell(teller, "Its quota is %" PRId64 "%s.", teller->verdict.quota, sum.text);
}

void allot__tell_quota(const allot__teller *teller)
{
    tell_owned(teller);
    tell_need(teller);
    if (allot__ledger_at(teller->work, teller->row)) {
        allot__tell_ledger(teller);
    } else {
        tell_family(teller);
        tell_fills(teller);
        tell_rounding(teller);
    }
    tell_parts(teller);
}
