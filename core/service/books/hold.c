/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hold.c: what tasks hold of the slots of their leaves, group by group; tasks that come, change and
 * go.
 *
 * A task that waits holds nothing. What one that runs holds is allocated to its leaf.
 */
#include <stdio.h>

#include "service/books/own.h"

/* ---- Slots that tasks share ------------------------------------------------------------------ */

size_t allot__unit_key(const allot_task *task, char key[600])
{
    if (!task->slot)
        return 0;
    const char *host = task->host ? task->host : "";
    int len = snprintf(key, 600, "%d %d %zu %s %s", (int)task->group, (int)task->consumer,
                       strlen(host), host, task->slot);
    return len > 0 && len < 600 ? (size_t)len : 0;
}

allot__unit *allot__unit_of(const allot__books *books, const allot_task *task)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    return len > 0 ? (void *)allot__map_find(&books->units, key, len) : NULL;
}

/* The unit of a task that runs with a slot, made where there is none; ENOMEM. *out NULL: it needs
 * none. */
static int join_unit(allot__books *books, const allot_task *task, allot__unit **out)
{
    char key[600];
    size_t len = allot__task_runs(task) ? allot__unit_key(task, key) : 0;
    *out = len > 0 ? allot__unit_of(books, task) : NULL;
    if (len == 0 || *out)
        return ALLOT_OK;
    allot__unit *unit = allot__unit_make(books->engine, key, len);
    if (!unit || allot__item_put(books->engine, &books->units, unit) != ALLOT_OK)
        return ALLOT_ENOMEM;
    *out = unit;
    return ALLOT_OK;
}

/* What a unit has with the tasks that are in it; one without any ends. */
static void sum_unit(allot__books *books, allot__unit *unit)
{
    int64_t most = 0;
    for (const allot__task_item *it = unit->first; it; it = it->next)
        most = it->it.slots > most ? it->it.slots : most;
    unit->slots = most;
    if (!unit->first)
        allot__item_end(books->engine, &books->units, unit);
}

static void link_task(allot__task_item *task)
{
    if (!task->unit)
        return;
    task->next = task->unit->first;
    task->unit->first = task;
}

static void unlink_task(const allot__task_item *task)
{
    allot__task_item **at = task->unit ? &task->unit->first : NULL;
    while (at && *at && *at != task)
        at = &(*at)->next;
    if (at && *at)
        *at = task->next;
}

/* ---- Group by group -------------------------------------------------------------------------- */

/* What the others of its unit hold. */
static int64_t others_of(const allot__task_item *task)
{
    int64_t most = 0;
    for (const allot__task_item *it = task->unit->first; it; it = it->next)
        most = it != task && it->it.slots > most ? it->it.slots : most;
    return most;
}

int64_t allot__task_more(const allot__books *books, const allot__task_item *old,
                         const allot_task *task, int32_t group)
{
    bool shared = old && old->unit && old->it.group == group;
    int64_t less = shared ? old->unit->slots - others_of(old)
                   : old  ? allot__task_held(&old->it, group)
                          : 0;
    int64_t more = task ? allot__task_held(task, group) : 0;
    const allot__unit *to = more > 0 && task->group == group ? allot__unit_of(books, task) : NULL;
    if (to) {
        int64_t there = shared && old->unit == to ? others_of(old) : to->slots;
        more = more > there ? more - there : 0;
    }
    return more - less;
}

static int64_t awaited_by(const allot_task *task, int32_t group)
{
    return task && !allot__task_runs(task) ? allot__task_slots(task, group) : 0;
}

/* What a leaf holds, and is allocated, with a task in the place of the old one (NULL: there is
 * none); `keep`: slots that come back stay the leaf's. */
static void hold(allot__books *books, int32_t leaf, const allot__task_item *old,
                 const allot_task *task, bool keep)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        allot__books_group *group = &books->groups[g];
        int64_t more = allot__task_more(books, old, task, g);
        int64_t after = group->allocated[leaf] + (more < 0 && !keep ? more : 0);
        group->held[leaf] += (int32_t)more;
        group->awaited[leaf] += awaited_by(task, g) - awaited_by(old ? &old->it : NULL, g);
        after = after < group->held[leaf] ? group->held[leaf] : after;
        if (after != group->allocated[leaf])
            allot__books_allocate(books, g, leaf, after);
    }
}

/* What a leaf demands with a task in the place of the old one. */
static void want(allot__books *books, int32_t leaf, const allot__task_item *old,
                 const allot_task *task)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        int64_t before = !old                         ? 0
                         : allot__task_runs(&old->it) ? -allot__task_more(books, old, NULL, g)
                                                      : allot__task_slots(&old->it, g);
        int64_t more = (task ? allot__task_slots(task, g) : 0) - before;
        int64_t demand = books->groups[g].demand[leaf] + more;
        demand = demand < 0 ? 0 : demand > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : demand;
        if (more == 0)
            continue;
        books->groups[g].demand[leaf] = (int32_t)demand;
        allot__demand_tell(books, g, leaf);
    }
}

/* ---- Tasks that come, change and go ---------------------------------------------------------- */

/* How many wait, and are told to start. */
static void count(allot__books *books, const allot__task_item *task, int by)
{
    books->pending += allot__task_runs(&task->it) ? 0 : by;
    books->starts_told += !allot__task_runs(&task->it) && task->told ? by : 0;
}

void allot__task_tell(allot__books *books, allot__task_item *task, bool told)
{
    allot__map_touch(&books->tasks, &task->of.named);
    count(books, task, -1);
    task->told = told;
    count(books, task, 1);
}

/* All that may fail; the state has the task from here on. */
static int prepare(allot__books *books, allot__task_item *task)
{
    if (allot__map_reserve(&books->tasks) != ALLOT_OK ||
        allot__task_index_join(books, task) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = join_unit(books, &task->it, &task->unit);
    if (status == ALLOT_OK)
        status = allot_state_set(books->state, ALLOT_ITEM_TASK, &task->it);
    if (status == ALLOT_OK)
        return ALLOT_OK;
    if (task->unit && !task->unit->first)
        sum_unit(books, task->unit);
    allot__task_index_leave(books, task);
    return status;
}

/* It comes to stand behind all others, as in the state, which is told of changes alone. */
static void put(allot__books *books, allot__task_item *task)
{
    link_task(task);
    if (task->unit)
        sum_unit(books, task->unit);
    count(books, task, 1);
    allot__map_put(&books->tasks, &task->of.named);
}

static void take(allot__books *books, allot__task_item *task)
{
    allot__unit *unit = task->unit;
    unlink_task(task);
    if (unit)
        sum_unit(books, unit);
    count(books, task, -1);
    allot__task_index_leave(books, task);
    allot__item_end(books->engine, &books->tasks, task);
}

int allot__task_begin(allot__books *books, allot__task_item *task, bool wanted)
{
    int status = prepare(books, task);
    if (status != ALLOT_OK)
        return status;
    hold(books, task->it.consumer, NULL, &task->it, false);
    if (wanted)
        want(books, task->it.consumer, NULL, &task->it);
    put(books, task);
    return ALLOT_OK;
}

void allot__task_end(allot__books *books, allot__task_item *task, bool keep, bool wanted)
{
    hold(books, task->it.consumer, task, NULL, keep);
    if (wanted)
        want(books, task->it.consumer, task, NULL);
    allot__victim_gone(books, task->it.id, NULL);
    allot_state_end(books->state, ALLOT_ITEM_TASK, task->it.id);
    take(books, task);
}

int allot__task_replace(allot__books *books, allot__task_item *old, const allot_task *task,
                        const allot__origin *source, bool wanted)
{
    allot__task_item *item = allot__task_make(books->engine, task);
    bool same = item && old->it.state == item->it.state;
    int status = item ? prepare(books, item) : ALLOT_ENOMEM;
    if (status != ALLOT_OK) {
        allot__item_free(books->engine, item);
        return status;
    }
    item->told = same && old->told;
    item->of.source = source;
    item->of.seen = old->of.seen;
    hold(books, item->it.consumer, old, &item->it, false);
    if (wanted)
        want(books, item->it.consumer, old, &item->it);
    allot__victim_gone(books, old->it.id, &item->it);
    link_task(item); /* before the other leaves: they may share a unit */
    take(books, old);
    unlink_task(item);
    put(books, item);
    return ALLOT_OK;
}
