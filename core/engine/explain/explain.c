/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: a verdict in sentences, all of it read from the decision. */
#include "engine/explain/explain.h"

#include <string.h>

#include "model/windows/window.h"

static void explain_held(const allot__explanation *about, const allot_plan *base, uint64_t held)
{
    allot__sentence list = {.len = 0};
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        char window[200];
        if (held >> i & 1) {
            allot_plan_window_text(base, i, window, sizeof window);
            LIST(&list, "{}", window);
        }
    }
    SAY(about, "Now {?a window holds|windows hold}: {}.", list.items, list.text);
}

static void add_value(allot__sentence *to, const char *name, bool flag, int64_t before, int64_t now)
{
    allot__phrase was = allot__phrase_value(flag, before), is = allot__phrase_value(flag, now);
    LIST(to, "{} {} to {}", name, before != ALLOT_NONE ? was.text : "none",
         now != ALLOT_NONE ? is.text : "none");
}

/* Are peers of the consumer stated? */
static bool stated(const allot__vector *peers, int32_t consumer)
{
    const allot__peers *list = peers->items;
    for (size_t i = 0; i < peers->count; i++)
        if (list[i].consumer == consumer)
            return true;
    return false;
}

/* Lists what windows change for the consumer. */
static void add_columns(const allot__explanation *about, const allot_plan *base,
                        allot__sentence *to)
{
    const allot_plan *plan = about->decision->plan;
    const allot__group *group = &plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int32_t consumer = about->verdict.consumer;
    int32_t row = allot__row(base, about->group, consumer);
    bool lend = false, borrow = false;
    for (int32_t i = 0; i < plan->column_count; i++) {
        int32_t now = group->columns[i][about->row], before = other->columns[i][row];
        if (now != before) {
            allot_attribute column;
            allot_plan_column_at(base, i, &column);
            add_value(to, column.name, column.type == ALLOT_BOOLEAN, before, now);
        }
    }
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        const allot__hours *hours = allot__hours_at(base, i);
        bool holds = plan->held >> i & allot__windows_of(base, about->group) >> i & 1;
        lend = lend || (holds && stated(&hours->lend, consumer));
        borrow = borrow || (holds && stated(&hours->borrow, consumer));
    }
    if (lend)
        LIST(to, "whom it lends to");
    if (borrow)
        LIST(to, "whom it borrows from");
}

/* Lists what windows change for the group. */
static void add_group(const allot__explanation *about, const allot_plan *base, allot__sentence *to)
{
    const allot__group *group = &about->decision->plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int64_t planned = allot_plan_group_slots(about->decision->plan, about->group);
    int64_t before = allot_plan_group_slots(base, about->group);
    if (planned != before)
        add_value(to, "planned slots", false, before, planned);
    const char *was = other->policy->name, *is = group->policy->name;
    if (group->policy == other->policy)
        return;
    if (strcmp(was, is) != 0)
        LIST(to, "policy {} to {}", was, is);
    else
        LIST(to, "options of its policy");
}

static void explain_windows(const allot__explanation *about)
{
    const allot_plan *base = allot__plan_base(about->decision->plan);
    uint64_t ours = base->windows ? allot__windows_of(base, about->group) : 0;
    uint64_t held = about->decision->plan->held & ours;
    if (ours == 0)
        return;
    if (held == 0) {
        SAY(about, "None of the plan's windows holds now.");
        return;
    }
    explain_held(about, base, held);
    allot__sentence own = {.len = 0}, all = {.len = 0};
    add_columns(about, base, &own);
    add_group(about, base, &all);
    SAY(about, "For {} that changes {}{?; for all |}{}.",
        allot__phrase_path(about, about->verdict.consumer).text,
        own.items > 0 ? own.text : "nothing", all.items > 0, all.text);
}

/* Finds what becomes of a leaf's pending tasks, if it has any. */
static int find_starting(allot__explanation *about, allot__arena *arena, allot__starting *out)
{
    const allot__whole *whole = about->work->whole;
    const allot__side *side = whole ? whole->sides[about->row] : NULL;
    if (!side || side->asker->waits == side->asker->going)
        return ALLOT_OK;
    about->starting = out;
    return allot__starting_find(side, arena, out);
}

static int explain(allot__explanation *about)
{
    allot__starting starting;
    allot__arena arena;
    allot__arena_init(&arena, about->decision->plan->engine);
    int status = find_starting(about, &arena, &starting);
    allot__arena_free(&arena);
    if (status != ALLOT_OK)
        return status;
    allot__trace(about->work, about->row, &about->levels);
    explain_windows(about);
    allot__explain_quota(about);
    allot__explain_changes(about);
    allot__explain_hosts(about);
    return ALLOT_OK;
}

int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                  void (*line)(void *ud, const char *text), void *ud)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0 || !line || decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    const allot__decided *decided = &decision->groups[group];
    allot__explanation about = {.decision = decision,
                                .decided = decided,
                                .work = &decided->work,
                                .rules = allot__rules_at(&decided->work, row),
                                .group = group,
                                .row = row,
                                .family = allot__family_of(&decided->work, row),
                                .siblings = allot__siblings_of(&decided->work, row),
                                .line = line,
                                .ud = ud};
    int status = allot_decision_verdict(decision, group, consumer, &about.verdict);
    if (status != ALLOT_OK)
        return status;
    if (decision->dispatched)
        return allot__explain_queue(&about, consumer);
    return explain(&about);
}
