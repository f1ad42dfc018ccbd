/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hold.c: slots that tasks hold of their leaves, group by group; adding, changing and ending tasks.
 *
 * A waiting task holds nothing. The slots of a running task are allocated to its leaf.
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

static allot__unit *unit_of(const allot__books *books, const allot_task *task)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    return len > 0 ? (void *)allot__map_find(&books->units, key, len) : NULL;
}

/* The unit of a running task with a slot, made if new; ENOMEM. *out NULL: the task needs none. */
static int join_unit(allot__books *books, const allot_task *task, allot__unit **out)
{
    char key[600];
    size_t len = allot__task_runs(task) ? allot__unit_key(task, key) : 0;
    *out = len > 0 ? unit_of(books, task) : NULL;
    if (len == 0 || *out)
        return ALLOT_OK;
    allot__unit *unit = allot__unit_make(books->engine, key, len);
    if (!unit || allot__item_put(books->engine, &books->units, unit) != ALLOT_OK)
        return ALLOT_ENOMEM;
    *out = unit;
    return ALLOT_OK;
}

/* The most slots of a task of a unit, except one task. */
static int64_t most_of(const allot__books *books, const allot__unit *unit,
                       const allot__task_item *but)
{
    int64_t most = 0;
    allot_task task;
    for (const allot__task_item *it = unit->first; it; it = it->next)
        if (it != but && allot__books_get(books, ALLOT_ITEM_TASK, it->of.named.name, &task) &&
            task.slots > most)
            most = task.slots;
    return most;
}

/* Recomputes the slots of a unit; frees a unit without tasks. */
static void sum_unit(allot__books *books, allot__unit *unit)
{
    if (unit && unit->first)
        unit->slots = most_of(books, unit, NULL);
    else if (unit)
        allot__item_end(books->engine, &books->units, unit);
}

static void link_task(allot__task_item *task, allot__unit *unit)
{
    task->unit = unit;
    task->next = unit ? unit->first : NULL;
    if (unit)
        unit->first = task;
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

int64_t allot__task_more(const allot__books *books, const allot__known *old, const allot_task *task,
                         int32_t group)
{
    const allot__unit *from = old && old->it.group == group ? old->item->unit : NULL;
    int64_t others = from ? most_of(books, from, old->item) : 0;
    int64_t less = from ? from->slots - others : old ? allot__task_held(&old->it, group) : 0;
    int64_t more = task ? allot__task_held(task, group) : 0;
    const allot__unit *to = more > 0 && task->group == group ? unit_of(books, task) : NULL;
    if (to) {
        int64_t there = from == to ? others : to->slots;
        more = more > there ? more - there : 0;
    }
    return more - less;
}

static int64_t awaited_by(const allot_task *task, int32_t group)
{
    return task && !allot__task_runs(task) ? allot__task_slots(task, group) : 0;
}

/* Updates what a leaf holds and is allocated, with a task in place of the old one (NULL: none);
 * `keep`: slots that come back stay the leaf's. */
static void hold(allot__books *books, int32_t leaf, const allot__known *old, const allot_task *task,
                 bool keep)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        allot__books_leaf *of = allot__leaf_beside(books, g, leaf);
        int64_t more = allot__task_more(books, old, task, g);
        int64_t allocated = allot__leaf(books, g, leaf).allocated;
        int64_t after = allocated + (more < 0 && !keep ? more : 0);
        of->held += (int32_t)more;
        of->awaited += awaited_by(task, g) - awaited_by(old ? &old->it : NULL, g);
        after = after < of->held ? of->held : after;
        if (after != allocated)
            allot__leaf_allocate(books, g, leaf, after);
    }
}

/* Updates what a leaf demands, with a task in place of the old one. */
static void want(allot__books *books, int32_t leaf, const allot__known *old, const allot_task *task)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        int64_t before = !old                         ? 0
                         : allot__task_runs(&old->it) ? -allot__task_more(books, old, NULL, g)
                                                      : allot__task_slots(&old->it, g);
        int64_t more = (task ? allot__task_slots(task, g) : 0) - before;
        int64_t demand = allot__leaf(books, g, leaf).demand + more;
        demand = demand < 0 ? 0 : demand > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : demand;
        if (more != 0)
            allot__leaf_demand(books, g, leaf, demand);
    }
}

/* ---- Tasks that come, change and go ---------------------------------------------------------- */

/* Counts a waiting task, and one whose start was sent. */
static void count(allot__books *books, const allot__task_item *item, const allot_task *task, int by)
{
    books->pending += allot__task_runs(task) ? 0 : by;
    books->starts_told += !allot__task_runs(task) && item->of.told ? by : 0;
}

void allot__task_tell(allot__books *books, allot__task_item *item, bool told)
{
    allot_task task;
    if (!allot__books_get(books, ALLOT_ITEM_TASK, item->of.named.name, &task))
        return;
    allot__map_touch(&books->tasks, &item->of.named);
    count(books, item, &task, -1);
    item->of.told = told;
    count(books, item, &task, 1);
}

/* The unit and session index that a task shares with others. */
typedef struct ties {
    allot__task_index *index;
    allot__unit *unit;
} ties;

/* Updates the unit and index of a task that joined or left; frees empty ones. */
static void settle(allot__books *books, const ties *of)
{
    allot__task_index_end(books, of->index);
    sum_unit(books, of->unit);
}

/* All steps that may fail: puts the task in the state, and sets `of` to what it joins. */
static int prepare(allot__books *books, const allot_task *task, ties *of)
{
    *of = (ties){.index = NULL};
    int status = allot__task_index_find(books, task->session, &of->index);
    if (status == ALLOT_OK)
        status = join_unit(books, task, &of->unit);
    if (status == ALLOT_OK)
        status = allot_state_set(books->state, ALLOT_ITEM_TASK, task);
    if (status != ALLOT_OK)
        settle(books, of);
    return status;
}

/* Appends it, as in the state. */
static void put(allot__books *books, allot__task_item *item, const allot_task *task, const ties *of)
{
    link_task(item, of->unit);
    allot__task_index_join(item, of->index);
    settle(books, of);
    count(books, item, task, 1);
    allot__map_put(&books->tasks, &item->of.named);
}

/* Sets `of` to what it leaves, for settle. */
static void take(allot__books *books, const allot__known *task, ties *of)
{
    allot__task_item *item = task->item;
    *of = (ties){item->index, item->unit};
    unlink_task(item);
    allot__task_index_leave(item);
    count(books, item, &task->it, -1);
    allot__map_take(&books->tasks, &item->of.named);
}

int allot__task_new(allot__books *books, const allot_task *task, const allot__event *event,
                    bool wanted)
{
    const allot__origin *source;
    allot__task_item *item = NULL;
    ties of;
    int status = allot__origin_of(books, event, &source);
    if (status == ALLOT_OK)
        status = allot__map_reserve(&books->tasks);
    if (status == ALLOT_OK)
        item = allot__item_make(books->engine, sizeof *item, task->id, strlen(task->id), 0);
    if (!item || (status = prepare(books, task, &of)) != ALLOT_OK) {
        allot__item_free(books->engine, item);
        return item ? status : ALLOT_ENOMEM;
    }
    item->of.told = event->told;
    item->of.source = source;
    hold(books, task->consumer, NULL, task, false);
    if (wanted)
        want(books, task->consumer, NULL, task);
    put(books, item, task, &of);
    return ALLOT_OK;
}

void allot__task_end(allot__books *books, const allot__known *task, bool keep, bool wanted)
{
    const char *id = task->item->of.named.name;
    ties of;
    hold(books, task->it.consumer, task, NULL, keep);
    if (wanted)
        want(books, task->it.consumer, task, NULL);
    allot__victim_gone(books, id, NULL);
    take(books, task, &of);
    settle(books, &of);
    allot_state_end(books->state, ALLOT_ITEM_TASK, id);
    allot__item_free(books->engine, task->item);
}

int allot__task_replace(allot__books *books, const allot__known *old, const allot_task *task,
                        const allot__origin *source, bool wanted)
{
    allot__task_item *item = old->item;
    ties of, was;
    allot__map_touch(&books->tasks, &item->of.named);
    int status = prepare(books, task, &of);
    if (status != ALLOT_OK)
        return status;
    hold(books, task->consumer, old, task, false);
    if (wanted)
        want(books, task->consumer, old, task);
    allot__victim_gone(books, task->id, task);
    take(books, old, &was);
    item->of.told = item->of.told && old->it.state == task->state;
    item->of.source = source;
    put(books, item, task, &of);
    settle(books, &was);
    return ALLOT_OK;
}
