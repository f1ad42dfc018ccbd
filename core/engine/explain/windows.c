/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* windows.c: which windows hold, and what of a consumer and its group is otherwise for them.
 */
#include <string.h>

#include "engine/explain/explain.h"
#include "model/windows/window.h"

static void explain_held(const allot__explanation *about, const allot_plan *base, uint64_t held)
{
    allot__sentence list = {.len = 0};
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        char window[200];
        if (held >> i & 1) {
            allot_plan_window_text(base, i, window, sizeof window);
            allot__sentence_next(&list);
            allot__sentence_add(&list, "%s", window);
        }
    }
    allot__explain(about, "Now %s: %s.", list.items == 1 ? "a window holds" : "windows hold",
                   list.text);
}

static void add_value(allot__sentence *to, const char *name, bool flag, int64_t before, int64_t now)
{
    allot__phrase was = allot__phrase_value(flag, before), is = allot__phrase_value(flag, now);
    allot__sentence_next(to);
    allot__sentence_add(to, "%s %s to %s", name, before != ALLOT_NONE ? was.text : "none",
                        now != ALLOT_NONE ? is.text : "none");
}

/* Is a consumer one of those whose peers are stated? */
static bool stated(const allot__vector *peers, int32_t consumer)
{
    const allot__peers *list = peers->items;
    for (size_t i = 0; i < peers->count; i++)
        if (list[i].consumer == consumer)
            return true;
    return false;
}

/* What windows change of the consumer. */
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
    const char *const words[] = {"whom it lends to", "whom it borrows from"};
    for (int i = 0; i < 2; i++)
        if (i == 0 ? lend : borrow) {
            allot__sentence_next(to);
            allot__sentence_add(to, "%s", words[i]);
        }
}

/* What they change of the group. */
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
    allot__sentence_next(to);
    if (strcmp(was, is) != 0)
        allot__sentence_add(to, "policy %s to %s", was, is);
    else
        allot__sentence_add(to, "options of its policy");
}

void allot__explain_windows(const allot__explanation *about)
{
    const allot_plan *base = allot__plan_base(about->decision->plan);
    uint64_t ours = base->windows ? allot__windows_of(base, about->group) : 0;
    uint64_t held = about->decision->plan->held & ours;
    if (ours == 0)
        return;
    if (held == 0) {
        allot__explain(about, "None of the plan's windows holds now.");
        return;
    }
    explain_held(about, base, held);
    allot__sentence own = {.len = 0}, all = {.len = 0};
    add_columns(about, base, &own);
    add_group(about, base, &all);
    allot__explain(about, "For %s that changes %s%s%s.",
                   allot__phrase_path(about, about->verdict.consumer).text,
                   own.items > 0 ? own.text : "nothing", all.items > 0 ? "; for all " : "",
                   all.text);
}
