/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tie.c: what running tasks have to do with others by name: their session, and the reclaim
 * that names them.
 *
 * This file owns: allot__roster, allot__victim_item.
 */
#include <stdio.h>

#include "service/books/own.h"

/* A name, and behind it what is `extra` bytes long; NULL: ENOMEM. */
static void *make(allot_engine *engine, size_t head, const char *name, const char *extra)
{
    size_t len = strlen(name), more = extra ? strlen(extra) + 1 : 0;
    char *block = allot__sv_new(engine, 1, head + len + 1 + more);
    if (!block)
        return NULL;
    memcpy(block + head, name, len + 1);
    if (extra)
        memcpy(block + head + len + 1, extra, more);
    ((allot__map_item *)(void *)block)->name = block + head;
    ((allot__map_item *)(void *)block)->len = len;
    return block;
}

static void *find(const allot__map *map, const char *name)
{
    return allot__map_find(map, name, strlen(name));
}

/* ---- Sessions -------------------------------------------------------------------------------- */

int allot__roster_join(allot__books *books, allot__task_item *task)
{
    const char *session = task->it.session;
    if (!session)
        return ALLOT_OK;
    allot__roster *roster = find(&books->rosters, session);
    if (!roster) {
        roster = make(books->engine, sizeof *roster, session, NULL);
        if (!roster)
            return ALLOT_ENOMEM;
        roster->size = sizeof *roster + roster->named.len + 1;
        if (allot__map_put(&books->rosters, &roster->named) != ALLOT_OK) {
            ALLOT__ITEM_FREE(books->engine, roster);
            return ALLOT_ENOMEM;
        }
    }
    task->roster = roster;
    task->roster_after = roster->first;
    if (roster->first)
        roster->first->roster_before = task;
    roster->first = task;
    return ALLOT_OK;
}

void allot__roster_leave(allot__books *books, allot__task_item *task)
{
    allot__roster *roster = task->roster;
    if (!roster)
        return;
    if (task->roster_after)
        task->roster_after->roster_before = task->roster_before;
    if (task->roster_before)
        task->roster_before->roster_after = task->roster_after;
    else
        roster->first = task->roster_after;
    task->roster = NULL;
    task->roster_before = task->roster_after = NULL;
    if (roster->first)
        return;
    allot__map_take(&books->rosters, &roster->named);
    ALLOT__ITEM_FREE(books->engine, roster);
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

int allot__roster_check_task(const allot__books *books, const allot_task *task, allot__error *fault)
{
    const allot__session_item *of =
        task->session != NULL ? find(&books->sessions, task->session) : NULL;
    if (!of || (of->it.consumer == task->consumer && of->it.group == task->group))
        return ALLOT_OK;
    return other_leaf(books, "session", task->session, of->it.consumer, fault);
}

int allot__roster_check_session(const allot__books *books, const char *id, int32_t group,
                                int32_t consumer, allot__error *fault)
{
    const allot__roster *roster = find(&books->rosters, id);
    for (const allot__task_item *it = roster ? roster->first : NULL; it; it = it->roster_after)
        if (it->it.consumer != consumer || it->it.group != group)
            return other_leaf(books, "consumer", id, it->it.consumer, fault);
    return ALLOT_OK;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

int allot__victim_add(allot__books *books, const char *task, const char *flight)
{
    if (find(&books->victims, task))
        return ALLOT_OK;
    allot__victim_item *item = make(books->engine, sizeof *item, task, flight);
    if (!item)
        return ALLOT_ENOMEM;
    item->flight = item->named.name + item->named.len + 1;
    item->size = sizeof *item + item->named.len + 1 + strlen(flight) + 1;
    if (allot__map_put(&books->victims, &item->named) == ALLOT_OK)
        return ALLOT_OK;
    ALLOT__ITEM_FREE(books->engine, item);
    return ALLOT_ENOMEM;
}

static void end_victim(allot__books *books, allot__victim_item *item)
{
    allot__map_take(&books->victims, &item->named);
    ALLOT__ITEM_FREE(books->engine, item);
}

void allot__victims_end(allot__books *books, const allot__flight_item *flight)
{
    for (int32_t i = 0; i < flight->it.task_count; i++) {
        allot__victim_item *item = find(&books->victims, flight->it.tasks[i]);
        if (item && strcmp(item->flight, flight->named.name) == 0)
            end_victim(books, item);
    }
}

int allot__victims_add(allot__books *books, const allot__flight_item *flight)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < flight->it.task_count && status == ALLOT_OK; i++)
        status = allot__victim_add(books, flight->it.tasks[i], flight->named.name);
    if (status != ALLOT_OK)
        allot__victims_end(books, flight);
    return status;
}

void allot__victim_gone(allot__books *books, const char *task)
{
    allot__victim_item *item = books->victims.count > 0 ? find(&books->victims, task) : NULL;
    if (!item)
        return;
    allot__flight_item *flight = find(&books->flights, item->flight);
    if (flight) {
        const char **tasks = (const char **)(uintptr_t)flight->it.tasks; /* of the same block */
        int32_t at = 0;
        while (at < flight->it.task_count && strcmp(tasks[at], task) != 0)
            at++;
        if (at < flight->it.task_count) {
            allot__map_touch(&books->flights, &flight->named);
            flight->it.task_count--;
            flight->it.gone++;
            for (; at < flight->it.task_count; at++)
                tasks[at] = tasks[at + 1];
        }
        books->orders_dirty = true;
    }
    end_victim(books, item);
}
