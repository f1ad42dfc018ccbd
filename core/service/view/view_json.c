/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view_json.c: the view as JSON, branch by branch. */
#include <string.h>

#include "base/path.h"
#include "service/view/view.h"

void allot__view_put(allot__text *out, int number, int64_t value)
{
    allot__text_key(out, allot__view_numbers[number].key);
    if (number != ALLOT__VIEW_OWNED || value % 100 == 0)
        allot__text_int(out, number == ALLOT__VIEW_OWNED ? value / 100 : value);
    else
        allot__text_printf(out, "%lld.%02d", (long long)(value / 100), (int)(value % 100));
}

static void put_limit(allot__text *out, const char *name, int32_t value)
{
    allot__text_key(out, name);
    if (value == ALLOT_NONE)
        allot__text_puts(out, "null");
    else
        allot__text_int(out, value);
}

void allot__view_put_row(allot__text *out, const allot_service *service, const allot__view *view,
                         int32_t group, int32_t consumer)
{
    const allot_plan *plan = service->generation->plan;
    const int64_t *numbers = allot__view_row(view, group, consumer);
    allot__text_key(out, NULL);
    allot__text_puts(out, "{\"path\": ");
    allot__text_json_path(out, plan, consumer);
    ALLOT__MEMBERS(out, "name children rank", allot_plan_name(plan, consumer),
                   allot_plan_children(plan, consumer),
                   allot_plan_get(plan, group, consumer, ALLOT_RANK));
    put_limit(out, "limit", allot_plan_get(plan, group, consumer, ALLOT_LIMIT));
    for (int i = 0; i < ALLOT__VIEW_NUMBERS; i++)
        allot__view_put(out, i, numbers[i]);
    allot__text_puts(out, "}");
}

void allot__view_put_branch(allot__text *out, const allot_service *service, const allot__view *view,
                            int32_t group, int32_t parent, int32_t from, int32_t most)
{
    const allot_plan *plan = service->generation->plan;
    int32_t of = allot_plan_children(plan, parent);
    allot__text_puts(out, "{\"path\": ");
    if (parent == ALLOT_ROOT)
        allot__text_puts(out, "\"/\"");
    else
        allot__text_json_path(out, plan, parent);
    ALLOT__MEMBERS(out, "of from", of, from);
    allot__text_open(out, "rows", "[");
    for (int32_t i = from; i < of && i - from < most; i++)
        allot__view_put_row(out, service, view, group, allot_plan_child(plan, parent, i));
    allot__text_puts(out, "]}");
}

/* ---- Search ---------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool within(const char *text, const char *word)
{
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (word[i] != '\0' && lower(text[i]) == lower(word[i]))
            i++;
        if (word[i] == '\0')
            return true;
    }
    return *word == '\0';
}

/* A word with a slash is searched in paths, others in names. */
static bool fits(const allot_plan *plan, int32_t consumer, const char *text, bool whole)
{
    if (!whole)
        return within(allot_plan_name(plan, consumer), text);
    char path[2048];
    allot_plan_path(plan, consumer, path, sizeof path);
    return within(path, text);
}

int32_t allot__view_find(const allot_plan *plan, const char *text, int32_t most, int32_t *list)
{
    bool whole = strchr(text, '/') != NULL;
    int32_t count = 0, i = allot_plan_next(plan, ALLOT_ROOT);
    for (; i != ALLOT_ROOT && count < most; i = allot_plan_next(plan, i))
        if (fits(plan, i, text, whole))
            list[count++] = i;
    return count;
}

void allot__view_put_found(allot__text *out, const allot_service *service, const allot__view *view,
                           int32_t group, const char *text, const int32_t *list, int32_t count,
                           int32_t most)
{
    allot__text_puts(out, "{\"text\": ");
    allot__text_json(out, text);
    allot__text_open(out, "rows", "[");
    for (int32_t i = 0; i < count && i < most; i++)
        allot__view_put_row(out, service, view, group, list[i]);
    allot__text_puts(out, "]");
    allot__text_bool(out, "more", count > most);
    allot__text_puts(out, "}");
}

/* ---- Head and history ------------------------------------------------------------------------ */

#define OF(member) ALLOT__NUMBER_OF(allot_totals, member)
static void put_totals(allot__text *out, const allot_totals *totals)
{
    static const allot__number numbers[] = {OF(slots),    OF(idle),    OF(demand),   OF(allocated),
                                            OF(own_used), OF(lent),    OF(borrowed), OF(shared),
                                            OF(reserve),  OF(planned), OF(blocked)};
    allot__text_open(out, "totals", "{");
    allot__text_numbers(out, numbers, sizeof numbers / sizeof *numbers, totals);
    allot__view_put(out, ALLOT__VIEW_OWNED, allot__view_hundredths(&totals->owned));
    allot__text_puts(out, "}");
}

void allot__view_put_head(allot__text *out, const allot_service *service, const allot__view *view,
                          int32_t group)
{
    const allot_plan *plan = service->generation->plan;
    const allot_policy *policy = allot_plan_group_policy(plan, group);
    ALLOT__MEMBERS(out, "cycle seq event now plan consumers group policy", view->cycle, view->seq,
                   view->event, view->now, view->plan, view->consumers,
                   allot_plan_group_name(plan, group), policy ? allot_policy_name(policy) : NULL);
    allot__text_open(out, "groups", "[");
    for (int32_t i = 0; i < view->groups && i < ALLOT__VIEW_GROUPS; i++)
        allot__text_member(out, NULL, allot_plan_group_name(plan, i));
    allot__text_puts(out, "]");
    put_totals(out, &view->totals[group]);
}

void allot__view_put_history(allot__text *out, const allot__view *view, int32_t group,
                             int64_t behind)
{
    int64_t first = view->point > ALLOT__VIEW_HISTORY ? view->point - ALLOT__VIEW_HISTORY : 0;
    if (first < behind)
        first = behind;
    allot__text_open(out, "history", "[");
    for (int64_t i = first; i < view->point && group < view->history_groups; i++) {
        const allot__view_point *point = &view->history[group][i % ALLOT__VIEW_HISTORY];
        const int64_t numbers[] = {point->now, point->slots, point->allocated, point->demand,
                                   point->in_flight};
        allot__text_open(out, NULL, "[");
        for (int k = 0; k < 5; k++)
            allot__text_number(out, NULL, numbers[k]);
        allot__text_puts(out, "]");
    }
    allot__text_puts(out, "]");
}

void allot__view_put_orders(allot__text *out, const allot__view_orders *orders, int count)
{
    static const char *const names[] = {"granted",  "reclaimed", "kills",  "starts",
                                        "suspends", "resumes",   "grants", "reclaims"};
    for (int i = 0; i < count; i++)
        allot__text_number(out, names[i], orders->counts[i]);
}

void allot__view_put_told(allot__text *out, const allot__view *view, int64_t behind)
{
    int64_t first = view->told_count > ALLOT__VIEW_TOLD ? view->told_count - ALLOT__VIEW_TOLD : 0;
    if (first < behind)
        first = behind;
    allot__text_open(out, "told", "[");
    for (int64_t i = first; i < view->told_count; i++) {
        const allot__view_orders *orders = &view->told[i % ALLOT__VIEW_TOLD];
        allot__text_open(out, NULL, "{");
        ALLOT__MEMBERS(out, "seq now", orders->seq, orders->now);
        allot__view_put_orders(out, orders, ALLOT__VIEW_GRANTS);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}
