/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * window.c: building a plan: zones, windows, and what these change.
 *
 * This file owns: the life of struct allot__windows.
 */
#include "model/windows/window.h"

#include <stdio.h>
#include <string.h>

#include "base/getter.h"
#include "model/names/names.h"

enum { DAY = 86400, DAYS = 0x7f };

static void free_hours(allot_engine *engine, allot__hours *hours)
{
    allot__vector_free(engine, &hours->lend);
    allot__vector_free(engine, &hours->borrow);
    allot__vector_free(engine, &hours->changes);
    allot_policy_free(hours->policy);
}

void allot__windows_free(allot_plan *plan)
{
    struct allot__windows *windows = plan->windows;
    if (!windows)
        return;
    allot__zone *zones = windows->zones.items;
    for (size_t i = 0; i < windows->zones.count; i++)
        allot__zone_free(plan->engine, &zones[i]);
    allot__hours *hours = windows->hours.items;
    for (size_t i = 0; i < windows->hours.count; i++)
        free_hours(plan->engine, &hours[i]);
    allot__vector_free(plan->engine, &windows->zones);
    allot__vector_free(plan->engine, &windows->hours);
    allot__vector_free(plan->engine, &windows->variants);
    allot__free(plan->engine, windows, 1, sizeof *windows);
    plan->windows = NULL;
}

static int make_windows(allot_plan *plan)
{
    if (!plan->windows)
        plan->windows = allot__new(plan->engine, 1, sizeof *plan->windows);
    return plan->windows ? ALLOT_OK : ALLOT_ENOMEM;
}

int32_t allot__hours_count(const allot_plan *plan)
{
    return plan->windows ? (int32_t)plan->windows->hours.count : 0;
}

uint64_t allot__windows_of(const allot_plan *plan, int32_t group)
{
    uint64_t found = 0;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        int32_t about = allot__hours_at(plan, i)->window.group;
        if (about == ALLOT_ALL || about == group)
            found |= UINT64_C(1) << i;
    }
    return found;
}

int allot_plan_zone(allot_plan *plan, const char *name, const void *data, size_t len, int32_t *out)
{
    if (!plan || plan->sealed || !data || !out)
        return ALLOT_EUSAGE;
    if (!name || !*name)
        return ALLOT_ENAME;
    if (make_windows(plan))
        return ALLOT_ENOMEM;
    if (allot_plan_zone_find(plan, name) >= 0)
        return ALLOT_EEXIST;
    allot__zone zone;
    int status = allot__zone_read(plan->engine, name, data, len, &zone);
    if (status)
        return status;
    allot__zone *added = allot__push(plan->engine, &plan->windows->zones, sizeof *added);
    if (!added) {
        allot__zone_free(plan->engine, &zone);
        return ALLOT_ENOMEM;
    }
    *added = zone;
    *out = (int32_t)plan->windows->zones.count - 1;
    return ALLOT_OK;
}

int32_t allot_plan_zone_find(const allot_plan *plan, const char *name)
{
    size_t count = plan && plan->windows ? plan->windows->zones.count : 0;
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(((const allot__zone *)plan->windows->zones.items)[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

const char *allot_plan_zone_name(const allot_plan *plan, int32_t zone)
{
    int32_t count = plan && plan->windows ? (int32_t)plan->windows->zones.count : 0;
    if (zone == -1)
        return "UTC";
    return zone >= 0 && zone < count ? ((const allot__zone *)plan->windows->zones.items)[zone].name
                                     : NULL;
}

ALLOT__GETTER(int32_t, allot_plan_windows, allot_plan, allot__hours_count(it), 0)

int allot_plan_window_at(const allot_plan *plan, int32_t i, allot_window *out)
{
    if (!out || i < 0 || i >= allot_plan_windows(plan))
        return ALLOT_EUSAGE;
    *out = allot__hours_at(plan, i)->window;
    return ALLOT_OK;
}

size_t allot_plan_window_text(const allot_plan *plan, int32_t i, char *buf, size_t size)
{
    static const char *const names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    allot_window it;
    char days[40] = "";
    if (allot_plan_window_at(plan, i, &it) != ALLOT_OK)
        return 0;
    for (size_t day = 0, len = 0; day < 7 && it.days != 0x7f; day++)
        if (it.days >> day & 1)
            len += (size_t)snprintf(days + len, sizeof days - len, " %s", names[day]);
    bool one = it.group != ALLOT_ALL && plan->group_count > 1;
    int len = snprintf(buf, size, "window %d (%02d:%02d to %02d:%02d%s, %s%s%s)", (int)i,
                       (int)(it.from / 3600), (int)(it.from / 60 % 60), (int)(it.to / 3600),
                       (int)(it.to / 60 % 60), days, allot_plan_zone_name(plan, it.zone),
                       one ? ", group " : "", one ? allot_plan_group_name(plan, it.group) : "");
    return len > 0 ? (size_t)len : 0;
}

int allot_plan_window(allot_plan *plan, const allot_window *window, int32_t *out)
{
    if (!plan || plan->sealed || !window || !out || window->zone < -1 ||
        allot__hours_count(plan) >= ALLOT_WINDOWS_MAX)
        return ALLOT_EUSAGE;
    if (window->from < 0 || window->from > DAY || window->to < 0 || window->to > DAY ||
        window->days > DAYS)
        return ALLOT_ERANGE;
    if (make_windows(plan))
        return ALLOT_ENOMEM;
    if (window->zone >= (int32_t)plan->windows->zones.count)
        return ALLOT_EUSAGE;
    if (window->group != ALLOT_ALL) {
        int32_t from, to;
        int status = allot__plan_range(plan, window->group, &from, &to);
        if (status)
            return status;
    }
    allot__hours *hours = allot__push(plan->engine, &plan->windows->hours, sizeof *hours);
    if (!hours)
        return ALLOT_ENOMEM;
    hours->window = *window;
    *out = allot__hours_count(plan) - 1;
    return ALLOT_OK;
}

/* ---- What a window says ---------------------------------------------------------------------- */

/* A window of a plan that is being built, or NULL. */
static allot__hours *open_window(allot_plan *plan, int32_t window)
{
    bool known = plan && !plan->sealed && window >= 0 && window < allot__hours_count(plan);
    return known ? allot__hours_at(plan, window) : NULL;
}

int allot_plan_window_slots(allot_plan *plan, int32_t window, int64_t slots)
{
    allot__hours *hours = open_window(plan, window);
    if (!hours)
        return ALLOT_EUSAGE;
    if (slots < 0 || slots > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    hours->slots = slots;
    hours->slots_set = true;
    return ALLOT_OK;
}

int allot_plan_window_policy(allot_plan *plan, int32_t window, allot_policy *policy)
{
    allot__hours *hours = open_window(plan, window);
    int status = hours ? allot__plan_adopt(plan, policy) : ALLOT_EUSAGE;
    if (status)
        return status;
    policy->holds++;
    allot_policy_free(hours->policy);
    hours->policy = policy;
    return ALLOT_OK;
}

int allot_plan_window_option(allot_plan *plan, int32_t window, allot_option option, int64_t value)
{
    allot__hours *hours = open_window(plan, window);
    int status = hours ? allot__option_check(option, value) : ALLOT_EUSAGE;
    if (status)
        return status;
    hours->options[option] = value;
    hours->options_set |= UINT32_C(1) << option;
    return ALLOT_OK;
}

int allot_plan_window_set(allot_plan *plan, int32_t window, int32_t consumer, int32_t column,
                          int64_t value)
{
    allot__hours *hours = open_window(plan, window);
    if (!hours || consumer < 0 || consumer >= plan->names->count)
        return ALLOT_EUSAGE;
    int status = allot__column_check(plan, column, value);
    if (status)
        return status;
    allot__window_change *change = allot__push(plan->engine, &hours->changes, sizeof *change);
    if (!change)
        return ALLOT_ENOMEM;
    *change = (allot__window_change){consumer, allot__column_index(plan, column), (int32_t)value};
    return ALLOT_OK;
}

static int window_peers(allot_plan *plan, int32_t window, int32_t consumer, const int32_t *list,
                        int32_t n, bool lend)
{
    allot__hours *hours = open_window(plan, window);
    if (!hours || !allot__peers_valid(plan, consumer, list, n))
        return ALLOT_EUSAGE;
    return allot__peers_add(plan, lend ? &hours->lend : &hours->borrow, consumer, list, n);
}

int allot_plan_window_lend(allot_plan *plan, int32_t window, int32_t consumer, const int32_t *list,
                           int32_t n)
{
    return window_peers(plan, window, consumer, list, n, true);
}

int allot_plan_window_borrow(allot_plan *plan, int32_t window, int32_t consumer,
                             const int32_t *list, int32_t n)
{
    return window_peers(plan, window, consumer, list, n, false);
}

/* ---- What the windows of a variant change ---------------------------------------------------- */

uint64_t allot__held_windows(const allot_plan *plan, const allot__group *group)
{
    return plan->held & allot__windows_of(plan, (int32_t)(group - plan->groups));
}

/* The last change of a column (or, index < 0, of any) of a consumer (or, < 0, of any) in a
 * window. */
static const allot__window_change *change_of(const allot__hours *hours, int32_t consumer,
                                             int32_t index)
{
    const allot__window_change *changes = hours->changes.items;
    for (size_t i = hours->changes.count; i > 0; i--) {
        const allot__window_change *it = &changes[i - 1];
        if ((consumer < 0 || it->consumer == consumer) && (index < 0 || it->index == index))
            return it;
    }
    return NULL;
}

void allot__variant_fill(const allot_plan *plan, const allot__group *group, int32_t index)
{
    uint64_t held = allot__held_windows(plan, group);
    int32_t *out = group->columns[index];
    for (int32_t i = 0; held >> i != 0; i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        const allot__window_change *changes = hours->changes.items;
        for (size_t k = 0; held >> i & 1 && k < hours->changes.count; k++) {
            int32_t row = plan->tree.row_of[changes[k].consumer];
            if (changes[k].index == index)
                out[group->group_row ? group->group_row[row] : row] = changes[k].value;
        }
        if (i == ALLOT_WINDOWS_MAX - 1)
            return;
    }
}

bool allot__variant_states(const allot_plan *plan, const allot__group *group, int32_t consumer,
                           int32_t index)
{
    uint64_t held = allot__held_windows(plan, group);
    for (int32_t i = 0; i < allot__hours_count(plan); i++)
        if (held >> i & 1 && change_of(allot__hours_at(plan, i), consumer, index))
            return true;
    return false;
}

static bool below(const allot_plan *plan, int32_t consumer, int32_t parent)
{
    while (consumer >= 0 && consumer != parent)
        consumer = plan->names->entries[consumer].parent;
    return consumer >= 0;
}

/* How likely a window is the cause of a fault: larger is likelier. */
static int guilt(const allot_plan *plan, const allot__hours *hours, const allot__fault *fault)
{
    int32_t index = fault->field < 0 ? -1 : allot__column_index(plan, fault->field);
    if (fault->consumer < 0)
        return hours->slots_set ? 3 : change_of(hours, -1, ALLOT_OWNED) != NULL;
    if (change_of(hours, fault->consumer, index))
        return 4;
    if (change_of(hours, fault->consumer, -1))
        return 3;
    const allot__window_change *changes = hours->changes.items;
    for (size_t i = 0; i < hours->changes.count; i++)
        if (below(plan, changes[i].consumer, fault->consumer))
            return 2;
    return hours->policy != NULL || hours->options_set != 0;
}

int32_t allot__variant_blames(const allot_plan *plan, const allot__fault *fault)
{
    uint64_t held = plan->held & allot__windows_of(plan, fault->group);
    int32_t found = -1;
    int most = -1;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        int here = held >> i & 1 ? guilt(plan, allot__hours_at(plan, i), fault) : -1;
        if (here >= most && here >= 0) {
            most = here;
            found = i;
        }
    }
    return found;
}
