/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* window_time.c: which windows hold when, by local clocks. */
#include "base/calendar.h"
#include "model/windows/window.h"

enum { DAY = 86400, WEEK = 7 * DAY };

static const allot__zone *zone_of(const allot_plan *plan, int32_t zone)
{
    return zone < 0 ? NULL : (const allot__zone *)plan->windows->zones.items + zone;
}

/* Seconds since Monday, 00:00, of the local week. 1970-01-01 was a Thursday. */
static int32_t week_second(const allot_plan *plan, int32_t zone, int64_t when)
{
    const allot__zone *it = zone_of(plan, zone);
    int64_t days = allot__floor_div(when, DAY), second = (when % DAY + DAY) % DAY;
    int64_t weekday = days % 7 + 3; /* -3 ... 9 */
    int64_t local = weekday * DAY + second + (it ? allot__zone_offset(it, when) : 0);
    return (int32_t)(local - allot__floor_div(local, WEEK) * WEEK);
}

static bool begins_on(const allot_window *window, int32_t weekday)
{
    return window->days >> (weekday + 7) % 7 & 1;
}

static bool holds(const allot_window *window, int32_t week_second)
{
    int32_t weekday = week_second / DAY, second = week_second % DAY;
    if (window->from < window->to)
        return second >= window->from && second < window->to && begins_on(window, weekday);
    return (second >= window->from && begins_on(window, weekday)) ||
           (second < window->to && begins_on(window, weekday - 1));
}

/* The windows of one zone that hold. */
static uint64_t holding(const allot_plan *plan, int32_t zone, int32_t week_second)
{
    uint64_t found = 0;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        const allot_window *window = &allot__hours_at(plan, i)->window;
        if (window->zone == zone && holds(window, week_second))
            found |= UINT64_C(1) << i;
    }
    return found;
}

/* The next zone after `zone` (-2: the first) that one of the windows has; INT32_MAX: none. */
static int32_t next_zone(const allot_plan *plan, uint64_t about, int32_t zone)
{
    int32_t next = INT32_MAX;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        int32_t other = allot__hours_at(plan, i)->window.zone;
        if (about >> i & 1 && other > zone && other < next)
            next = other;
    }
    return next;
}

static uint64_t windows_at(const allot_plan *plan, int64_t when)
{
    uint64_t found = 0;
    for (int32_t zone = -2; (zone = next_zone(plan, UINT64_MAX, zone)) != INT32_MAX;)
        found |= holding(plan, zone, week_second(plan, zone, when));
    return found;
}

uint64_t allot_plan_windows_at(const allot_plan *plan, int64_t when)
{
    return plan && plan->sealed && plan->windows ? windows_at(plan, when) : 0;
}

/* ---- The next switch ------------------------------------------------------------------------- */

/* Seconds until a local time of day comes again, 1 ... DAY. */
static int32_t until(int32_t second, int32_t time)
{
    int32_t wait = (time % DAY - second % DAY + DAY) % DAY;
    return wait > 0 ? wait : DAY;
}

/* A time after `when` before which no window of the zone begins or ends. */
static int64_t calm_until(const allot_plan *plan, int32_t zone, int64_t when)
{
    const allot__zone *it = zone_of(plan, zone);
    int32_t second = week_second(plan, zone, when), wait = DAY;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        const allot_window *window = &allot__hours_at(plan, i)->window;
        if (window->zone != zone)
            continue;
        int32_t from = until(second, window->from), to = until(second, window->to);
        wait = from < wait ? from : wait;
        wait = to < wait ? to : wait;
    }
    int64_t next = it ? allot__zone_until(it, when) : INT64_MAX;
    return next > when && next - when < wait ? next : when + wait;
}

int allot_plan_switch(const allot_plan *plan, int64_t when, int64_t *out)
{
    const int64_t days = 400;
    if (!plan || !plan->sealed || !out)
        return ALLOT_EUSAGE;
    if (!plan->windows || when > INT64_MAX - (days + 1) * DAY)
        return ALLOT_ENOENT;
    uint64_t before = windows_at(plan, when);
    for (int64_t at = when; at - when <= days * DAY;) {
        int64_t next = at + DAY;
        for (int32_t zone = -2; (zone = next_zone(plan, UINT64_MAX, zone)) != INT32_MAX;) {
            int64_t calm = calm_until(plan, zone, at);
            next = calm < next ? calm : next;
        }
        at = next;
        if (windows_at(plan, at) != before) {
            *out = at;
            return ALLOT_OK;
        }
    }
    return ALLOT_ENOENT;
}

/* ---- Sets that hold together ----------------------------------------------------------------- */

typedef struct sets {
    allot_engine *engine;
    allot__vector list; /* of uint64_t, each once */
} sets;

static int add_set(sets *sets, uint64_t set)
{
    if (sets->list.count >= ALLOT__SETS_MAX)
        return ALLOT_ERANGE;
    uint64_t *added = allot__push(sets->engine, &sets->list, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = set;
    return ALLOT_OK;
}

static bool has_set(const sets *sets, uint64_t set)
{
    const uint64_t *list = sets->list.items;
    size_t i = 0;
    while (i < sets->list.count && list[i] != set)
        i++;
    return i < sets->list.count;
}

/* The sets of one zone: they change only where a window begins or ends. */
static int find_sets(const allot_plan *plan, uint64_t about, int32_t zone, sets *out)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < 2 * allot__hours_count(plan) && status == ALLOT_OK; i++) {
        const allot_window *window = &allot__hours_at(plan, i / 2)->window;
        int32_t second = (i % 2 ? window->to : window->from) % DAY;
        for (; second < WEEK && window->zone == zone && status == ALLOT_OK; second += DAY) {
            uint64_t set = holding(plan, zone, second) & about;
            status = has_set(out, set) ? ALLOT_OK : add_set(out, set);
        }
    }
    return status;
}

/* Combines each set so far with each of the zone's: all differ, as zones share no window. */
static int add_zone(const allot_plan *plan, uint64_t about, int32_t zone, sets *all)
{
    sets own = {.engine = plan->engine}, more = {.engine = plan->engine};
    int status = find_sets(plan, about, zone, &own);
    size_t count = all->list.count * own.list.count;
    for (size_t i = 0; i < count && status == ALLOT_OK; i++) {
        const uint64_t *before = all->list.items, *here = own.list.items;
        status = add_set(&more, before[i / own.list.count] | here[i % own.list.count]);
    }
    allot__vector_free(plan->engine, &own.list);
    allot__vector_free(plan->engine, &all->list);
    *all = more;
    return status;
}

static int members(uint64_t set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

int allot__windows_each(const allot_plan *plan, uint64_t about,
                        int (*visit)(void *ud, uint64_t windows), void *ud)
{
    sets all = {.engine = plan->engine};
    int status = add_set(&all, 0);
    for (int32_t zone = -2; (zone = next_zone(plan, about, zone)) != INT32_MAX && !status;)
        status = add_zone(plan, about, zone, &all);
    const uint64_t *list = all.list.items;
    for (size_t i = 0; i < 65 * all.list.count && status == ALLOT_OK; i++) {
        uint64_t set = list[i % all.list.count];
        if (members(set) == (int)(i / all.list.count))
            status = visit(ud, set);
    }
    allot__vector_free(plan->engine, &all.list);
    return status;
}
