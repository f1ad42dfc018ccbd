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

static void explain_owned(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t configured = work->configured[about->row];
    allot__phrase path = allot__phrase_path(about, about->verdict.consumer);
    if (about->work->group->no_ownership) {
        allot__explain(about, "%s shares with its siblings; nothing is its own.", path.text);
        return;
    }
    if (configured == 0) {
        allot__explain(about, "%s owns no slots: what it gets is others' or shared.", path.text);
        return;
    }
    if (about->rules->policy->exact || work->times == work->unit) {
        allot__explain(about, "%s owns %s.", path.text, allot__phrase_slots(configured).text);
        return;
    }
    allot__phrase owned = allot__phrase_ratio((allot__u128)configured * (allot__u128)work->times,
                                              (allot__u128)work->unit);
    allot__explain(about,
                   "%s owns %" PRId64 " of the %" PRId64 " planned slots; the group has %" PRId64
                   " now, so it owns %s (C-1).",
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

/* What keeps its need below its demand: hosts, or a limit. */
static void explain_limit(const allot__explanation *about, const char *demands)
{
    const allot__work *work = about->work;
    const allot_verdict *verdict = &about->verdict;
    allot_attribute column = {0};
    int32_t index, limit = work->limit[about->row];
    int32_t planned = allot__limit_of(work->plan, work->group, about->row, &index);
    if (work->hosts && limit < work->hosts->limit[about->row]) {
        allot__explain(about,
                       "%s %s, but hosts that it can use have %" PRId32
                       " for it beside others who use them, too: that is its need (H-17).",
                       demands, allot__phrase_slots(verdict->demand).text, limit);
    } else if (limit < planned) {
        allot__explain(about,
                       "%s %s, but hosts that it can use have %" PRId32 ": that is its need.",
                       demands, allot__phrase_slots(verdict->demand).text, limit);
    } else {
        allot_plan_column_at(work->plan, index, &column);
        allot__explain(about, "%s %s, but its %s is %" PRId32 ", so its need is %" PRId64 " (C-2).",
                       demands, allot__phrase_slots(verdict->demand).text, column.name, limit,
                       verdict->need);
    }
}

static void explain_need(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int32_t limit = about->work->limit[about->row];
    const char *demands = about->family != 0 ? "Its children need" : "It demands";
    const allot__enforced *enforced = about->work->enforced;
    if (enforced && enforced->least && about->family == 0 && verdict->need > verdict->demand &&
        enforced->least[about->row] == verdict->need) {
        allot__explain(about,
                       "%s %s, but other windows hold now and what it owns changed: it needs at "
                       "least that, %" PRId64 " (C-10).",
                       demands, allot__phrase_slots(verdict->demand).text, verdict->need);
    } else if (verdict->need == verdict->reserve && verdict->need > 0 &&
               (verdict->demand < verdict->reserve)) {
        allot__explain(
            about, "%s %s, but %" PRId64 " are reserved, so its need is %" PRId64 " (C-2).",
            demands, allot__phrase_slots(verdict->demand).text, verdict->reserve, verdict->need);
    } else if (is_left_out(about)) {
        allot__explain(about,
                       "%s %s, but its share is 0, so it is in no pool: its need is %" PRId64
                       " (E-23).",
                       demands, allot__phrase_slots(verdict->demand).text, verdict->need);
    } else if (verdict->demand > limit) {
        explain_limit(about, demands);
    } else {
        allot__explain(about, "%s %s: that is its need (C-2).", demands,
                       allot__phrase_slots(verdict->demand).text);
    }
}

static void explain_family(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int32_t members = allot__family_size(work, about->siblings);
    if (about->siblings == 0) {
        allot__explain(about,
                       "The group's %s are divided among %" PRId32 " first-level consumer%s.",
                       allot__phrase_slots(work->slots).text, members, members == 1 ? "" : "s");
        return;
    }
    int32_t parent = work->group->parent[about->siblings];
    allot__explain(about,
                   "Its parent %s has a quota of %" PRId32 ", divided among %" PRId32 " child%s.",
                   allot__phrase_path(about, allot__handle(work, parent)).text, work->quota[parent],
                   members, members == 1 ? "" : "ren");
}

static allot__u128 gain(const allot__levels *levels, int32_t fill)
{
    return levels->level[fill] - (fill > 0 ? levels->level[fill - 1] : 0);
}

/* "owned", "number 1", "a function": what a source reads, for people. */
static const char *source_name(const allot__explanation *about, allot_source source, char *buf,
                               size_t size)
{
    if (source.kind == ALLOT_FROM_FUNCTION)
        return "the policy's function";
    if (source.kind == ALLOT_FROM_COLUMN) {
        return source.value < ALLOT_COLUMN_COUNT
                   ? allot_column_name(source.value)
                   : about->rules->policy->attributes[source.value - ALLOT_COLUMN_COUNT].name;
    }
    snprintf(buf, size, "%" PRId32, source.value);
    return buf;
}

/* Its level is its need: it takes no part in what comes. */
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
    if (gain(levels, fill) == 0) {
        allot__explain(about,
                       "  %s: 0, since it has %s from before. Slots ran out here, where totals are "
                       "raised to %s %s (C-15).",
                       label, had.text, rate, by);
    } else {
        allot__explain(about,
                       "  %s: %s, which raises its total from %s to %s%s. Slots ran out here, "
                       "where totals are raised to %s %s (C-15).",
                       label, part.text, had.text, total.text,
                       content(about, levels->level[fill]) ? " and meets its need" : "", rate, by);
    }
}

/* The fill in which slots ran out: its rate is told, since everybody's part follows from it. */
static void explain_critical(const allot__explanation *about, int32_t fill)
{
    const allot__levels *levels = &about->levels;
    const allot__critical *critical = allot__trace_critical(about->work, about->row);
    const allot__fill *rule = &about->rules->policy->fills[fill];
    char room[32], each[160] = "each";
    const char *by = source_name(about, rule->by, room, sizeof room);
    bool same = rule->by.kind == ALLOT_FROM_NUMBER;
    if (!same)
        snprintf(each, sizeof each, "per unit of %s", by);
    allot__phrase part = allot__phrase_ratio(gain(levels, fill), levels->denominator);
    allot__phrase rate =
        allot__phrase_ratio((allot__u128)critical->amount * (same ? (uint32_t)rule->by.value : 1U),
                            (allot__u128)critical->weight * (allot__u128)about->work->unit);
    bool weighs = allot__trace_weight(about->work, rule->by, about->row) > 0;
    if (critical->amount == 0) {
        allot__explain(about, "  %s: nothing was left for it%s.", rule->label,
                       fill + 1 < levels->fills ? ", nor for the fills behind it" : "");
    } else if (gain(levels, fill) == 0 && weighs && !levels->above) {
        allot__explain(about, "  %s: 0, since it has all that this may give it.", rule->label);
    } else if (gain(levels, fill) == 0 && !weighs) {
        allot__explain(about, "  %s: 0, since this goes by %s, and that is 0 here.", rule->label,
                       by);
    } else if (rule->level) {
        explain_level(about, fill, rate.text, each);
    } else {
        allot__explain(about, "  %s: %s%s. Slots ran out here, at %s %s.", rule->label, part.text,
                       content(about, levels->level[fill]) ? ", which meets its need" : "",
                       rate.text, each);
    }
}

/* A fill that met all aims. */
static void explain_met(const allot__explanation *about, int32_t fill)
{
    const allot__fill *rule = &about->rules->policy->fills[fill];
    allot__phrase gave = allot__phrase_ratio(gain(&about->levels, fill), about->levels.denominator);
    char room[32];
    if (rule->up_to.kind == ALLOT_FROM_PART) {
        allot__explain(about, "  %s: %s. Its planned share, by %s, is %" PRId32 " (E-21).",
                       rule->label, gave.text, source_name(about, rule->by, room, sizeof room),
                       about->work->planned_part[about->row]);
    } else if (rule->up_to.kind == ALLOT_FROM_HELD) {
        allot__explain(about, "  %s: %s, up to the %" PRId32 " that it %s.", rule->label, gave.text,
                       about->work->held_part[about->row],
                       about->rules->policy->switches[ALLOT_SWITCH_ACROSS] &&
                               about->work->tree->families > 1
                           ? "keeps, leaves of the best ranks first, whatever their branches (E-22)"
                           : "holds or that are planned");
    } else {
        allot__explain(about, "  %s: %s.", rule->label, gave.text);
    }
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
        allot__explain(about, "  %s: %s.", policy->fills[out].label, part.text);
    } else {
        allot__explain(about, "  %s: 0: slots ran out among those served before it.",
                       policy->fills[out].label);
    }
    if (out + 1 < levels->fills && !content(about, levels->level[out]) &&
        allot__trace_critical(about->work, about->row)->amount > 0) {
        allot__explain(about, "  Nothing was left for \"%s\"%s.", policy->fills[out + 1].label,
                       out + 2 < levels->fills ? " and the fills behind it" : "");
    }
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
        if (whole > levels.level[levels.fills - 1]) {
            allot__sentence_next(&words);
            allot__sentence_add(&words, "%s",
                                allot__phrase_path(about, allot__handle(work, first + i)).text);
        }
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
    allot__explain(about, "That is %s exactly, rounded %s to %" PRId64 ": %s%s%s.", share.text,
                   up ? "up" : "down", quota, ways[about->rules->policy->rounding],
                   names.len > 0 ? "; rounded up: " : "", names.text);
}

static void explain_parts(const allot__explanation *about)
{
    allot__sentence sum = {.len = 0};
    for (int32_t i = 0; i < about->verdict.parts; i++)
        if (about->verdict.part[i] != 0)
            allot__sentence_add(&sum, "%s%" PRId64 " %s", sum.len > 0 ? " + " : " = ",
                                about->verdict.part[i],
                                allot_decision_part_label(about->decision, about->group,
                                                          about->verdict.consumer, i));
    allot__explain(about, "Its quota is %" PRId64 "%s.", about->verdict.quota, sum.text);
}

void allot__explain_quota(const allot__explanation *about)
{
    explain_owned(about);
    explain_need(about);
    allot__explain_used(about);
    if (allot__ledger_at(about->work, about->row)) {
        allot__explain_ledger(about);
    } else {
        explain_family(about);
        explain_fills(about);
        explain_rounding(about);
    }
    allot__explain_whole_part(about);
    explain_parts(about);
}
