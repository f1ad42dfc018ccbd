/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * index.c: tasks of a session, and reclaims that name a task.
 *
 * This file owns: allot__task_index, allot__victim.
 */
#include "service/books/own.h"

#include "base/memory.h"

/* ---- Sessions -------------------------------------------------------------------------------- */

int allot__task_index_find(allot__books *books, const char *session, allot__task_index **out)
{
    allot__task_index *index = session ? allot__item_find(&books->indexes, session) : NULL;
    if (session && !index) {
        index = allot__item_make(books->engine, sizeof *index, session, strlen(session));
        if (!index || allot__item_put(books->engine, &books->indexes, index) != ALLOT_OK)
            return ALLOT_ENOMEM;
    }
    *out = index;
    return ALLOT_OK;
}

void allot__task_index_join(allot__task_item *task, allot__task_index *index)
{
    task->index = index;
    task->index_after = index ? index->first : NULL;
    if (task->index_after)
        task->index_after->index_before = task;
    if (index)
        index->first = task;
}

void allot__task_index_leave(allot__task_item *task)
{
    if (task->index_after)
        task->index_after->index_before = task->index_before;
    if (task->index_before)
        task->index_before->index_after = task->index_after;
    else if (task->index)
        task->index->first = task->index_after;
    task->index = NULL;
    task->index_before = task->index_after = NULL;
}

void allot__task_index_end(allot__books *books, allot__task_index *index)
{
    if (index && !index->first)
        allot__item_end(books->engine, &books->indexes, index);
}

static int other_leaf(const allot__books *books, const char *path, const char *session,
                      int32_t owner, allot__error *fault)
{
    char of[128];
    size_t len = allot_plan_path(books->plan, owner, of, sizeof of);
    return allot__error_set(fault, ALLOT_EINVALID, "E-session", path, NULL,
                            "%s: the session \"%.80s\" is of %.100s%s, and a task runs for the "
                            "consumer of its session",
                            path, session, of, len >= sizeof of ? "..." : "");
}

int allot__task_index_check_task(const allot__books *books, const allot_task *task,
                                 allot__error *fault)
{
    allot_session of;
    if (!allot__books_get(books, ALLOT_ITEM_SESSION, task->session, &of) ||
        (of.consumer == task->consumer && of.group == task->group))
        return ALLOT_OK;
    return other_leaf(books, "session", task->session, of.consumer, fault);
}

int allot__task_index_check_session(const allot__books *books, const char *id, int32_t group,
                                    int32_t consumer, allot__error *fault)
{
    const allot__task_index *index = allot__item_find(&books->indexes, id);
    allot_task task;
    for (const allot__task_item *it = index ? index->first : NULL; it; it = it->index_after)
        if (allot__books_get(books, ALLOT_ITEM_TASK, it->of.named.name, &task) &&
            (task.consumer != consumer || task.group != group))
            return other_leaf(books, "consumer", id, task.consumer, fault);
    return ALLOT_OK;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

/* Where the reclaim stands in the task's list, or its end. */
static allot__victim **victim_at(allot__task_item *task, const allot__flight_item *flight)
{
    allot__victim **at = &task->named_by;
    while (*at && (*at)->flight != flight)
        at = &(*at)->next;
    return at;
}

static void end_victim(allot__books *books, allot__victim **at)
{
    allot__victim *it = *at;
    if (!it)
        return;
    *at = it->next;
    allot__free(books->engine, it, 1, sizeof *it);
}

void allot__victim_forget(allot__books *books, allot__task_item *task)
{
    while (task->named_by)
        end_victim(books, &task->named_by);
}

void allot__victims_end(allot__books *books, const allot__flight_item *item,
                        const allot_in_flight *flight)
{
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__task_item *task = allot__item_find(&books->tasks, flight->tasks[i]);
        if (task)
            end_victim(books, victim_at(task, item));
    }
}

int allot__victims_add(allot__books *books, const allot__flight_item *item,
                       const allot_in_flight *flight)
{
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__task_item *task = allot__item_find(&books->tasks, flight->tasks[i]);
        allot__victim **at = task ? victim_at(task, item) : NULL;
        if (!at || *at)
            continue;
        *at = allot__new(books->engine, 1, sizeof **at);
        if (!*at) {
            allot__victims_end(books, item, flight);
            return ALLOT_ENOMEM;
        }
        (*at)->flight = item;
    }
    return ALLOT_OK;
}

void allot__victim_gone(allot__books *books, allot__task_item *task, const allot_task *now)
{
    for (allot__victim **at = &task->named_by; *at;) {
        const allot__flight_item *item = (*at)->flight;
        const char *id = item->of.named.name;
        allot_in_flight flight;
        if (now && allot__books_get(books, ALLOT_ITEM_RECLAIM, id, &flight) &&
            allot__task_held(now, flight.group) > 0) {
            at = &(*at)->next;
            continue;
        }
        allot__map_touch(&books->flights, (allot__map_item *)&item->of.named);
        allot_state_reclaim_leave(books->state, id, task->of.named.name);
        end_victim(books, at);
    }
}
