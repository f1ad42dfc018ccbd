/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* units.c: the columns of a group's units, and faults of its sessions. */
#include <stdio.h>
#include <string.h>

#include "model/state/state.h"
#include "model/windows/say.h"

/* ---- Columns ---- */

/* One block: the wide columns, the narrow ones, then the pointers to those of attributes. */
static int make_columns(const allot_state *state, allot__units *units)
{
    size_t count = (size_t)units->room, attributes = state->plan->task_attributes.count;
    size_t pointers = attributes * sizeof *units->attributes;
    size_t each = sizeof *units->started + (3 + attributes) * sizeof *units->slots;
    units->bytes = count * each + pointers;
    units->block = allot__new(state->engine, units->bytes, 1);
    units->held =
        allot__new(state->engine, (size_t)state->plan->tree.rows + 1, sizeof *units->held);
    if (!units->block || !units->held)
        return ALLOT_ENOMEM;
    units->attributes = attributes > 0 ? units->block : NULL;
    units->started = (int64_t *)((char *)units->block + pointers);
    units->slots = (int32_t *)(units->started + count);
    units->session = units->slots + count;
    units->site = units->session + count;
    for (size_t i = 0; i < attributes; i++)
        units->attributes[i] = units->site + (1 + i) * count;
    return ALLOT_OK;
}

static int32_t shown(int32_t value)
{
    return value == ALLOT_NONE ? ALLOT_AMOUNT_MAX : value;
}

static int32_t tagged(const char *const *tags, int32_t count, const char *tag)
{
    for (int32_t i = 0; i < count; i++)
        if (strcmp(tags[i], tag) == 0)
            return 1;
    return 0;
}

int32_t allot__attribute_of(const allot_plan *plan, const char *const *tags, int32_t tag_count,
                            const allot_task_value *values, int32_t value_count, int32_t attribute)
{
    const allot_attribute *of = (const allot_attribute *)plan->task_attributes.items + attribute;
    if (of->type == ALLOT_TAG)
        return tagged(tags, tag_count, of->name);
    for (int32_t i = value_count - 1; i >= 0; i--)
        if (values[i].attribute == attribute)
            return shown((int32_t)values[i].value);
    return shown(of->fallback);
}

/* How important a session is when victims are chosen. */
static int64_t importance(const allot_state *state, int32_t number)
{
    const allot_session *session = allot__things_item(&state->sessions, number);
    if (!session)
        return 0;
    return session->scheduling == ALLOT_PRIORITY ? session->priority : session->preemption_rank;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Which of two sessions a unit belongs to: the more important, then the one added first, so that
 * the order of tasks does not matter. -1: none. */
static int32_t session_of(const allot_state *state, int32_t a, int32_t b)
{
    int64_t ahead = importance(state, a) - importance(state, b);
    if (ahead == 0)
        ahead = a < 0 ? -1 : b < 0 ? 1 : b - a;
    return ahead > 0 ? a : b;
}

/* Adds a task to its unit; `alone`: it is the first. */
static void put(const allot_state *state, allot__units *units, int32_t unit,
                const allot__task *task, bool alone)
{
    static const allot_task none = {.tag_count = 0};
    const allot_task *rest = allot__task_rest(task), *more = rest ? rest : &none;
    int32_t session = allot__task_session(&state->tasks, task);
    if (alone) {
        units->started[unit] = task->started;
        units->slots[unit] = task->slots;
        units->session[unit] = session;
        units->site[unit] = task->host < 0 ? -1 : allot__label_at(&state->tasks, task->host)->site;
    } else {
        units->started[unit] = later(units->started[unit], task->started);
        units->slots[unit] = (int32_t)later(units->slots[unit], task->slots);
        units->session[unit] = session_of(state, session, units->session[unit]);
    }
    for (size_t i = 0; i < state->plan->task_attributes.count; i++) {
        int32_t *column = units->attributes[i],
                value = allot__attribute_of(state->plan, more->tags, more->tag_count, more->values,
                                            more->value_count, (int32_t)i);
        column[unit] = alone ? value : (int32_t)later(column[unit], value);
    }
}

/* Counts the units of a leaf on their sites, and finds the most important session there: without
 * one a task has the least importance. */
static void put_on_sites(allot_state *state, const allot__units *units, int32_t leaf)
{
    const int32_t *first = units->session_first;
    const allot_session *any =
        first && first[leaf] < first[leaf + 1]
            ? allot__things_item(&state->sessions, units->sessions[first[leaf]])
            : NULL;
    int64_t least = any && any->scheduling == ALLOT_PRIORITY;
    for (int32_t unit = units->first[leaf]; unit < units->end[leaf]; unit++) {
        allot__site *site = units->site[unit] >= 0 ? &state->tasks.sites[units->site[unit]] : NULL;
        int32_t session = units->session[unit];
        if (!site)
            continue;
        int64_t here = session >= 0 ? importance(state, session) : least;
        site->busy += units->slots[unit];
        site->important = (int32_t)later(site->important, here);
    }
}

/* Counts a unit among its leaf's and its session's, or (-1) no longer. */
static void count_held(const allot_state *state, const allot__units *units, int32_t leaf,
                       int32_t unit, int32_t times)
{
    units->held[leaf] += times * units->slots[unit];
    if (units->session[unit] >= 0)
        state->tasks.session_held[units->session[unit]] += times * units->slots[unit];
}

int allot__units_fill(allot_state *state, allot__units *units)
{
    if (make_columns(state, units))
        return ALLOT_ENOMEM;
    for (int32_t unit = 0; unit < units->count; unit++) {
        int32_t count;
        const int32_t *tasks = allot__unit_tasks(units, unit, &count);
        for (int32_t i = 0; i < count; i++)
            put(state, units, unit, allot__task_at(&state->tasks, tasks[i]), i == 0);
        count_held(state, units, allot__task_at(&state->tasks, tasks[0])->consumer, unit, 1);
    }
    for (int32_t leaf = 0; leaf < state->plan->tree.rows; leaf++)
        put_on_sites(state, units, leaf);
    return ALLOT_OK;
}

/* ---- Leaves whose tasks change ---- */

static void move_unit(const allot_state *state, allot__units *units, int32_t from, int32_t to)
{
    units->tasks[to] = units->tasks[from];
    units->started[to] = units->started[from];
    units->slots[to] = units->slots[from];
    units->session[to] = units->session[from];
    units->site[to] = units->site[from];
    for (size_t i = 0; i < state->plan->task_attributes.count; i++)
        units->attributes[i][to] = units->attributes[i][from];
}

/* Moves a leaf's units to the end, with room for so many and some more. False: there is none. */
static bool move_leaf(const allot_state *state, allot__units *units, int32_t consumer,
                      int32_t count)
{
    int32_t from = units->first[consumer], to = units->count, room = count + count / 4 + 2;
    if (room > units->room - to)
        return false;
    for (int32_t i = from; i < units->end[consumer]; i++)
        move_unit(state, units, i, to + i - from);
    units->first[consumer] = to;
    units->end[consumer] += to - from;
    units->limit[consumer] = units->count = to + room;
    return true;
}

/* Once the first leaf changes, leaves no longer stand next to each other. */
static bool part_leaves(const allot_state *state, int32_t **end, int32_t **limit)
{
    size_t leaves = (size_t)state->plan->tree.rows;
    int32_t *both = *limit ? NULL : allot__new(state->engine, 2 * leaves, sizeof *both);
    if (*limit || !both)
        return *limit != NULL;
    memcpy(both, *end, leaves * sizeof *both);
    memcpy(both + leaves, *end, leaves * sizeof *both);
    *end = both;
    *limit = both + leaves;
    return true;
}

/* Does a leaf's task still run, or wait, as it did before the changes, which are by number? */
static bool is_same(const allot_state *state, int32_t number, bool pending,
                    const allot__task_change *changes, size_t count)
{
    const allot__task *task = allot__task_at(&state->tasks, number);
    bool same = task->thing.number >= 0 && task->pending == pending;
    for (size_t low = 0, high = count; low < high && same;) {
        size_t middle = low + (high - low) / 2;
        same = changes[middle].number != number;
        *(changes[middle].number < number ? &low : &high) =
            changes[middle].number < number ? middle + 1 : middle;
    }
    return same;
}

/* The task of a change, if it runs, or waits, and is not that of the change before; or NULL. */
static const allot__task *changed_task(const allot_state *state, bool pending,
                                       const allot__task_change *changes, size_t i)
{
    const allot__thing *thing = allot__things_at(&state->tasks.things, changes[i].number);
    const allot__task *task = (const allot__task *)(const void *)thing;
    bool again = i > 0 && changes[i - 1].number == changes[i].number;
    return task && task->pending == pending && !again ? task : NULL;
}

static int32_t changed_count(const allot_state *state, bool pending,
                             const allot__task_change *changes, size_t count)
{
    int32_t more = 0;
    for (size_t i = 0; i < count; i++)
        more += changed_task(state, pending, changes, i) != NULL;
    return more;
}

bool allot__units_change(const allot_state *state, allot__units *units, int32_t consumer,
                         const allot__task_change *changes, size_t count)
{
    int32_t more = changed_count(state, false, changes, count);
    if (!units->first)
        return more == 0;
    if (units->begin || !part_leaves(state, &units->end, &units->limit))
        return false;
    int32_t first = units->first[consumer], end = first;
    for (int32_t i = first; i < units->end[consumer]; i++)
        if (is_same(state, units->tasks[i], false, changes, count))
            move_unit(state, units, i, end++);
        else
            count_held(state, units, consumer, i, -1);
    units->end[consumer] = end;
    if (more > units->limit[consumer] - end &&
        !move_leaf(state, units, consumer, end - first + more))
        return false;
    for (size_t i = 0; i < count; i++) {
        const allot__task *task = changed_task(state, false, changes, i);
        if (!task)
            continue;
        int32_t at = units->end[consumer]++;
        for (; at > units->first[consumer] && units->tasks[at - 1] > changes[i].number; at--)
            move_unit(state, units, at - 1, at);
        units->tasks[at] = changes[i].number;
        put(state, units, at, task, true);
        count_held(state, units, consumer, at, 1);
    }
    return true;
}

/* As move_leaf. */
static bool move_waiting(allot__waiting *waiting, int32_t consumer, int32_t count)
{
    int32_t from = waiting->first[consumer], to = waiting->count, room = count + count / 4 + 2;
    size_t size = (size_t)(waiting->end[consumer] - from) * sizeof(int32_t);
    if (room > waiting->room - to)
        return false;
    memcpy(waiting->tasks + to, waiting->tasks + from, size);
    memcpy(waiting->slots + to, waiting->slots + from, size);
    waiting->first[consumer] = to;
    waiting->end[consumer] += to - from;
    waiting->limit[consumer] = waiting->count = to + room;
    return true;
}

static void put_waiting(const allot_state *state, allot__waiting *waiting, int32_t consumer,
                        int32_t number)
{
    int32_t at = waiting->end[consumer]++;
    for (; at > waiting->first[consumer] &&
           allot__task_starts_before(&state->tasks, number, waiting->tasks[at - 1]);
         at--) {
        waiting->tasks[at] = waiting->tasks[at - 1];
        waiting->slots[at] = waiting->slots[at - 1];
    }
    waiting->tasks[at] = number;
    waiting->slots[at] = allot__task_at(&state->tasks, number)->slots;
}

bool allot__waiting_change(const allot_state *state, int32_t group, int32_t consumer,
                           const allot__task_change *changes, size_t count)
{
    allot__waiting *waiting = state->tasks.waiting ? &state->tasks.waiting[group] : NULL;
    int32_t more = changed_count(state, true, changes, count);
    if (!waiting || !waiting->first)
        return more == 0;
    if (!part_leaves(state, &waiting->end, &waiting->limit))
        return false;
    int32_t first = waiting->first[consumer], end = first;
    for (int32_t i = first; i < waiting->end[consumer]; i++)
        if (is_same(state, waiting->tasks[i], true, changes, count)) {
            waiting->tasks[end] = waiting->tasks[i];
            waiting->slots[end++] = waiting->slots[i];
        }
    waiting->end[consumer] = end;
    if (more > waiting->limit[consumer] - end &&
        !move_waiting(waiting, consumer, end - first + more))
        return false;
    for (size_t i = 0; i < count; i++)
        if (changed_task(state, true, changes, i))
            put_waiting(state, waiting, consumer, changes[i].number);
    return true;
}

bool allot__units_wide(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__units *units = &state->tasks.units[group];
    int32_t first = allot__units_first(units, consumer), end = allot__units_end(units, consumer);
    bool wide = allot__units_held(units, consumer) > end - first;
    for (int32_t i = first; i < end && !wide && state->tasks.coupled > 0; i++) {
        int32_t count;
        const int32_t *tasks = allot__unit_tasks(units, i, &count);
        wide = allot__task_at(&state->tasks, tasks[0])->part > 0;
    }
    return wide;
}

/* ---- What is wrong with sessions ---- */

static int say_scheduling(const allot_state *state, int32_t number, int32_t other,
                          allot_report *report)
{
    const allot_session *session = allot__things_item(&state->sessions, number);
    char path[48];
    snprintf(path, sizeof path, "sessions[%d].scheduling", (int)number);
    allot__fault fault = {.report = report,
                          .severity = ALLOT_ERROR,
                          .code = "E-scheduling",
                          .group = session->group,
                          .consumer = session->consumer,
                          .field = -1,
                          .path = path};
    allot__say(state->plan, &fault,
               "found the session %s scheduled by %s, allowed %s: as the others of its consumer",
               session->id, allot_scheduling_name(session->scheduling),
               allot_scheduling_name(other));
    return ALLOT_EINVALID;
}

static int check_schedulings(const allot_state *state, const allot__units *units,
                             allot_report *report)
{
    int result = ALLOT_OK;
    const allot_session *before = NULL;
    for (int32_t i = 0; i < units->session_count; i++) {
        const allot_session *it = allot__things_item(&state->sessions, units->sessions[i]);
        if (!before || before->consumer != it->consumer)
            before = it;
        if (it->scheduling != before->scheduling)
            result = say_scheduling(state, units->sessions[i], (int32_t)before->scheduling, report);
    }
    return result;
}

static int check_session(allot_state *state, int32_t number, allot_report *report)
{
    const allot__task *task = allot__task_at(&state->tasks, number);
    const allot__label *label = allot__label_at(&state->tasks, task->session);
    const int32_t *first = state->tasks.units[task->group].session_first;
    if (!label || allot__task_session(&state->tasks, task) >= 0)
        return ALLOT_OK;
    if (label->session < 0 && (!first || first[task->consumer] == first[task->consumer + 1]))
        return ALLOT_OK; /* the leaf has no session */
    char path[48];
    snprintf(path, sizeof path, "tasks[%d].session", (int)allot__task_place(&state->tasks, number));
    allot__fault fault = {.report = report,
                          .severity = label->session < 0 ? ALLOT_WARNING : ALLOT_ERROR,
                          .code = label->session < 0 ? "W-session" : "E-session",
                          .group = task->group,
                          .consumer = task->consumer,
                          .field = -1,
                          .path = path};
    if (label->session < 0) {
        allot__say(state->plan, &fault,
                   "the task %s is of the session %s, which the state does not list",
                   task->thing.id, label->text);
        state->tasks.unlisted = true;
        return ALLOT_OK;
    }
    allot__say(state->plan, &fault,
               "found the task %s in the session %s, which is another consumer's", task->thing.id,
               label->text);
    return ALLOT_EINVALID;
}

int allot__tasks_check(allot_state *state, allot_report *report)
{
    allot__tasks *tasks = &state->tasks;
    int result = ALLOT_OK;
    int32_t count = (int32_t)allot__task_count(tasks);
    tasks->unlisted = false;
    if (tasks->sessions.count == 0)
        return ALLOT_OK;
    for (int32_t i = 0; i < state->plan->group_count; i++)
        if (check_schedulings(state, &tasks->units[i], report))
            result = ALLOT_EINVALID;
    for (int32_t i = 0; i < count; i++)
        if (check_session(state, i, report))
            result = ALLOT_EINVALID;
    return result;
}
