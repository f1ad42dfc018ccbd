/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flights.c: reclaims in flight when a cycle begins. */
#include <stdio.h>
#include <string.h>

#include <allot/apply.h>

#include "model/jobs/queue.h"
#include "model/state/state.h"
#include "model/windows/say.h"

/* ---- Reclaims in flight ---- */

int allot__flights_fill(allot_state *state)
{
    const allot__things *things = &state->reclaims;
    state->flights.count = state->flight_tasks.count = 0;
    for (int32_t i = 0; (size_t)i < things->list.count; i++) {
        const allot_in_flight *told = allot__things_item(things, i);
        if (state->flight_tasks.count > (size_t)(INT32_MAX - told->task_count) ||
            allot__vector_room(state->engine, &state->flight_tasks, (size_t)told->task_count,
                               sizeof(int32_t)) != ALLOT_OK)
            return ALLOT_ENOMEM;
        allot__flight *added = allot__push(state->engine, &state->flights, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = (allot__flight){.id = told->id,
                                 .told = told,
                                 .group = told->group,
                                 .consumer = told->consumer,
                                 .slots = told->slots,
                                 .deadline = told->deadline,
                                 .claims = told->claims,
                                 .count = told->claim_count,
                                 .first_task = (int32_t)state->flight_tasks.count,
                                 .task_count = told->task_count,
                                 .gone = (int32_t)told->gone};
        state->flight_tasks.count += (size_t)told->task_count; /* allot__flights_seal finds them */
    }
    return ALLOT_OK;
}

/* ---- Coming back ---- */

/* Have its slots come back already? */
static bool is_back(const allot_state *state, const allot_in_flight *reclaim)
{
    bool runs = false;
    for (int32_t i = 0; i < reclaim->task_count; i++)
        runs = runs || allot__task_running(state, reclaim->tasks[i]);
    return !runs && (reclaim->task_count > 0 || reclaim->gone > 0);
}

static void take_allocated(allot_state *state, const allot_in_flight *reclaim)
{
    const allot__group_state *group = &state->groups[reclaim->group];
    int32_t row = allot__row(state->plan, reclaim->group, reclaim->consumer);
    int64_t left = allot__allocated_set(group, row) ? group->allocated[row] - reclaim->slots : 0;
    if (allot__allocated_set(group, row))
        allot__hold(state, reclaim->group, row, left > 0 ? (int32_t)left : 0);
    allot__row_changed(state, reclaim->group, row);
}

int allot_state_reclaim_return(allot_state *state, int32_t i, int32_t how)
{
    if (!state || state->sealed || i < 0 || (size_t)i >= state->reclaims.list.count)
        return ALLOT_EUSAGE;
    allot__thing *thing = allot__things_at(&state->reclaims, i);
    if (!thing)
        return ALLOT_ENOENT;
    allot_in_flight *reclaim = allot__thing_item(thing);
    if (!is_back(state, reclaim))
        take_allocated(state, reclaim);
    for (int32_t k = 0; k < reclaim->task_count; k++)
        if (allot__task_running(state, reclaim->tasks[k]))
            allot__task_stop(state, reclaim->tasks[k], (how & ALLOT_TASKS_WAIT) != 0);
    reclaim->gone += reclaim->gone < INT32_MAX;
    if (!(how & ALLOT_RECLAIM_STAYS))
        allot__things_end(&state->reclaims, thing);
    state->flights_stale = true;
    return ALLOT_OK;
}

/* The reclaim of that id, of an open state; NULL: none. */
static allot_in_flight *change_reclaim(allot_state *state, const char *id)
{
    allot__thing *thing = state && !state->sealed ? allot__things_find(&state->reclaims, id) : NULL;
    if (thing)
        state->flights_stale = true;
    return thing ? allot__thing_item(thing) : NULL;
}

int allot_state_reclaim_back(allot_state *state, const char *id, int64_t slots)
{
    allot_in_flight *reclaim = change_reclaim(state, id);
    if (!reclaim)
        return ALLOT_ENOENT;
    if (slots < 0 || slots > reclaim->slots)
        return ALLOT_ERANGE;
    allot_claim *claims = (allot_claim *)reclaim->claims; /* part of the same block */
    int32_t left = 0;
    reclaim->slots -= slots;
    for (int32_t i = 0; i < reclaim->claim_count; i++) {
        int64_t part = claims[i].slots < slots ? claims[i].slots : slots;
        slots -= part;
        if (claims[i].slots > part)
            claims[left++] = (allot_claim){claims[i].consumer, claims[i].slots - part};
    }
    reclaim->claim_count = left;
    return ALLOT_OK;
}

int allot_state_reclaim_leave(allot_state *state, const char *id, const char *task)
{
    allot_in_flight *reclaim = change_reclaim(state, id);
    const char **tasks = reclaim ? (const char **)(uintptr_t)reclaim->tasks : NULL;
    int32_t at = 0;
    while (reclaim && at < reclaim->task_count && strcmp(tasks[at], task) != 0)
        at++;
    if (!reclaim || at == reclaim->task_count)
        return ALLOT_ENOENT;
    reclaim->task_count--;
    reclaim->gone += reclaim->gone < INT32_MAX;
    for (; at < reclaim->task_count; at++)
        tasks[at] = tasks[at + 1];
    return ALLOT_OK;
}

void allot__flights_free(allot_state *state)
{
    allot__vector_free(state->engine, &state->flights);
    allot__vector_free(state->engine, &state->flight_tasks);
}

/* ---- Sealing ---- */

static void say_task(const allot_state *state, size_t flight, const char *id, const char *what,
                     allot_report *report)
{
    const allot__flight *it = (const allot__flight *)state->flights.items + flight;
    char path[40];
    snprintf(path, sizeof path, "reclaims[%zu].tasks", flight);
    allot__fault fault = {.report = report,
                          .severity = ALLOT_ERROR,
                          .code = "E-reclaim-task",
                          .group = it->group,
                          .consumer = it->consumer,
                          .field = ALLOT_IN_FLIGHT,
                          .path = path};
    allot__say(state->plan, &fault, "the task %s %s", id, what);
}

/* The task that a reclaim of a group names; for a task of several groups its number in that group;
 * -1: it has ended or waits again. */
static int32_t find_named(const allot_state *state, const char *id, int32_t group)
{
    const allot__tasks *tasks = &state->tasks;
    int32_t task = allot__task_find(state, id);
    if (task < 0 || allot__task_at(tasks, task)->pending)
        return -1;
    int32_t there = allot__task_in(tasks, task, group);
    return there >= 0 ? there : task;
}

void allot__flights_lose(allot_state *state)
{
    const int32_t *list = state->flight_tasks.items;
    allot__vector *flights = &state->tasks.flights;
    for (size_t i = 0; state->flights_found && i < state->flight_tasks.count; i++)
        if (list[i] >= 0 && (size_t)list[i] < flights->count)
            ((int32_t *)flights->items)[list[i]] = 0;
    state->flights_found = false;
}

/* Makes room for the flight of each task, if some are named. ENOMEM. */
static int take_room(allot_state *state)
{
    allot__vector *flights = &state->tasks.flights;
    size_t count = allot__task_count(&state->tasks), before = flights->count;
    if (state->flight_tasks.count == 0 || before >= count)
        return ALLOT_OK;
    if (allot__vector_room(state->engine, flights, count - before, sizeof(int32_t)))
        return ALLOT_ENOMEM;
    memset((int32_t *)flights->items + before, 0, (count - before) * sizeof(int32_t));
    flights->count = count;
    return ALLOT_OK;
}

int allot__flights_seal(allot_state *state, allot_report *report)
{
    const allot__flight *flights = state->flights.items;
    int result = ALLOT_OK;
    if (state->flights_found)
        return ALLOT_OK;
    if (take_room(state))
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < state->flights.count; i++) {
        const char *const *ids = flights[i].told->tasks;
        int32_t *list = (int32_t *)state->flight_tasks.items + flights[i].first_task;
        for (int32_t k = 0; k < flights[i].task_count; k++) {
            list[k] = find_named(state, ids[k], flights[i].group);
            if (list[k] < 0)
                continue;
            const allot__task *task = allot__task_at(&state->tasks, list[k]);
            int32_t *named = (int32_t *)state->tasks.flights.items + list[k];
            bool twice = *named != 0;
            bool own = task->consumer == flights[i].consumer && task->group == flights[i].group;
            *named = (int32_t)i + 1;
            if (twice || !own) {
                say_task(state, i, ids[k],
                         twice ? "is named by a reclaim already" : "is not of that consumer",
                         report);
                result = ALLOT_EINVALID;
            }
        }
    }
    state->flights_found = true;
    return result;
}
