/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * index.c: indexes of tasks: by session, and by the reclaim that names them.
 *
 * This file owns: allot__task_index, allot__victim_item.
 */
#include <stdio.h>

#include "service/books/own.h"

/* ---- Sessions -------------------------------------------------------------------------------- */

int allot__task_index_find(allot__books *books, const char *session, allot__task_index **out)
{
    allot__task_index *index = session ? allot__item_find(&books->indexes, session) : NULL;
    if (session && !index) {
        index = allot__item_make(books->engine, sizeof *index, session, strlen(session), 0);
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

static int add_victim(allot__books *books, const char *task, const char *flight)
{
    allot__victim_item *first = allot__item_find(&books->victims, task);
    for (const allot__victim_item *it = first; it; it = it->next)
        if (strcmp(it->flight, flight) == 0)
            return ALLOT_OK;
    size_t len = strlen(task), more = strlen(flight) + 1;
    allot__victim_item *item = allot__item_make(books->engine, sizeof *item, task, len, more);
    if (!item)
        return ALLOT_ENOMEM;
    item->flight = memcpy((char *)(item + 1) + len + 1, flight, more);
    if (!first)
        return allot__item_put(books->engine, &books->victims, item);
    item->next = first->next;
    first->next = item;
    return ALLOT_OK;
}

/* The map has the first entry of a task. */
static void end_victim(allot__books *books, allot__victim_item *first, const char *flight)
{
    allot__victim_item *it = first, *before = NULL;
    while (it && strcmp(it->flight, flight) != 0) {
        before = it;
        it = it->next;
    }
    if (it && before)
        before->next = it->next;
    else if (it)
        allot__map_take(&books->victims, &it->named);
    if (it && !before && it->next)
        allot__map_put(&books->victims, &it->next->named); /* capacity is reserved */
    allot__item_free(books->engine, it);
}

void allot__victims_free(allot__books *books)
{
    for (const allot__map_item *at = books->victims.first; at; at = at->after)
        for (allot__victim_item *it = ((const allot__victim_item *)(const void *)at)->next, *next;
             it; it = next) {
            next = it->next;
            allot__item_free(books->engine, it);
        }
}

void allot__victims_end(allot__books *books, const allot_in_flight *flight)
{
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__victim_item *item = allot__item_find(&books->victims, flight->tasks[i]);
        end_victim(books, item, flight->id);
    }
}

int allot__victims_add(allot__books *books, const allot_in_flight *flight)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < flight->task_count && status == ALLOT_OK; i++)
        status = add_victim(books, flight->tasks[i], flight->id);
    if (status != ALLOT_OK)
        allot__victims_end(books, flight);
    return status;
}

void allot__victim_gone(allot__books *books, const char *task, const allot_task *now)
{
    allot__victim_item *it =
        books->victims.count > 0 ? allot__item_find(&books->victims, task) : NULL;
    for (allot__victim_item *next; it; it = next) {
        allot__flight_item *item = allot__books_flight(books, it->flight);
        allot_in_flight flight;
        next = it->next;
        if (item && now && allot__books_get(books, ALLOT_ITEM_RECLAIM, it->flight, &flight) &&
            allot__task_held(now, flight.group) > 0)
            continue;
        if (item) {
            allot__map_touch(&books->flights, &item->of.named);
            allot_state_reclaim_leave(books->state, it->flight, task);
        }
        end_victim(books, allot__item_find(&books->victims, task), it->flight);
    }
}
