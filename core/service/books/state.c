/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state that a cycle decides on, made from the books. */
#include <stddef.h>

#include "service/books/own.h"

#include "base/memory.h"

/* ---- What stays from cycle to cycle ---------------------------------------------------------- */

static int put_rows(const allot__books *books, allot_state *state)
{
    int status = ALLOT_OK;
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        const allot__books_group *group = &books->groups[g];
        if (group->slots >= 0)
            status = allot_state_slots(state, g, group->slots);
        for (int32_t i = 0; i < (int32_t)books->consumers && books->queues == 0; i++) {
            if (allot_plan_children(books->plan, i) > 0)
                continue;
            allot_state_demand(state, g, i,
                               group->demand[i] != 0 ? allot__books_demand(books, g, i) : 0);
            allot_state_allocated(state, g, i, group->allocated[i]);
            if (group->unlisted[i] != 0 && status == ALLOT_OK)
                status = allot_state_unlisted(state, g, i, group->unlisted[i]);
        }
    }
    return status;
}

bool allot__books_nowhere(const allot__books *books)
{
    return books->queues > 0 && books->groups[0].slots < 0 && books->hosts.count == 0 &&
           allot_plan_hosts(books->plan) == 0 && allot_plan_group_slots(books->plan, 0) == 0;
}

static int put_hosts(const allot__books *books, allot_state *state)
{
    int status = ALLOT_OK;
    for (const allot__map_item *it = books->hosts.first; it && status == ALLOT_OK; it = it->after)
        status = allot_state_host_set(state, &((const allot__host_item *)(const void *)it)->it);
    return status;
}

/* All that maps have of a kind. */
static int put_map(const allot__map *map, allot_state *state, allot_item kind, size_t at)
{
    int status = ALLOT_OK;
    for (const allot__map_item *it = map->first; it && status == ALLOT_OK; it = it->after)
        status = allot_state_add(state, kind, (const char *)it + at);
    return status;
}

static int put_lists(const allot__books *books, allot_state *state)
{
    int status =
        put_map(&books->sessions, state, ALLOT_ITEM_SESSION, offsetof(allot__session_item, it));
    if (status == ALLOT_OK)
        status = put_map(&books->tasks, state, ALLOT_ITEM_TASK, offsetof(allot__task_item, it));
    if (status == ALLOT_OK)
        status = put_map(&books->jobs, state, ALLOT_ITEM_JOB, offsetof(allot__job_item, it));
    if (status == ALLOT_OK)
        status =
            put_map(&books->flights, state, ALLOT_ITEM_RECLAIM, offsetof(allot__flight_item, it));
    for (size_t i = 0; i < books->loan_count && status == ALLOT_OK; i++)
        status = allot_state_loan(state, &books->loans[i]);
    return status;
}

static int make_state(allot__books *books)
{
    allot_state *state;
    int status = allot_state_new(books->plan, &state);
    if (status != ALLOT_OK)
        return status;
    status = put_rows(books, state);
    if (status == ALLOT_OK && allot__books_nowhere(books))
        status = allot_state_slots(state, 0, 0);
    if (status == ALLOT_OK)
        status = put_hosts(books, state);
    if (status == ALLOT_OK)
        status = put_lists(books, state);
    if (status != ALLOT_OK) {
        allot_state_free(state);
        return status;
    }
    books->state = state;
    return ALLOT_OK;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static int put_times(const allot__books *books, allot_state *state, int64_t now)
{
    int status = allot_state_now(state, now);
    if (status == ALLOT_OK)
        status = allot_state_now_rounded(state, !books->unrounded);
    if (status == ALLOT_OK && books->last != INT64_MIN)
        status = allot_state_last(state, books->last);
    for (int32_t i = 0; i < (int32_t)books->leases && status == ALLOT_OK; i++)
        if (books->lease_told[i])
            status = allot_state_lease(state, i, &books->lease[i]);
    for (int32_t i = 0; i < (int32_t)books->queues && status == ALLOT_OK; i++)
        if (books->usage_at != INT64_MIN)
            status = allot_state_usage(state, i, books->usage[i].slot_seconds,
                                       books->usage[i].millionths);
    if (status == ALLOT_OK && books->queues > 0 && books->usage_at != INT64_MIN)
        status = allot_state_usage_at(state, books->usage_at);
    for (int32_t i = 0; i < (int32_t)books->resources && status == ALLOT_OK; i++)
        if (books->resource_at[i] != INT64_MIN)
            status = allot_state_resource_preempted(state, i, books->resource_at[i]);
    return status;
}

/* Who does not wait waits since now, if it does after all. */
static int put_damping(const allot__books *books, allot_state *state, int64_t now)
{
    int status = ALLOT_OK;
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++) {
        const allot__books_group *group = &books->groups[g];
        for (int32_t i = 0; i < (int32_t)books->consumers && status == ALLOT_OK; i++) {
            if (allot_plan_children(books->plan, i) > 0 || books->queues > 0)
                continue;
            int64_t since = group->waiting_since[i], reclaimed = group->reclaimed_at[i];
            if (reclaimed != INT64_MIN)
                status = allot_state_reclaimed_at(state, g, i, reclaimed);
            if (status == ALLOT_OK)
                status = allot_state_waiting_since(state, g, i, since != INT64_MIN ? since : now);
        }
    }
    return status;
}

void allot__books_round(allot__books *books, bool rounded)
{
    books->unrounded = !rounded;
}

int allot__books_state(allot__books *books, int64_t now, allot_report *report,
                       const allot_state **out)
{
    allot__books_unseal(books);
    allot__declines_end(books, now);
    int status = !books->state ? make_state(books) : ALLOT_OK;
    if (status == ALLOT_OK)
        status = put_times(books, books->state, now);
    if (status == ALLOT_OK)
        status = put_damping(books, books->state, now);
    if (status == ALLOT_OK)
        status = allot_state_seal(books->state, report);
    if (status != ALLOT_OK) {
        allot__books_forget(books);
        return status;
    }
    books->sealed = true;
    *out = books->state;
    return ALLOT_OK;
}

/* ---- Given away ------------------------------------------------------------------------------ */

allot_state *allot__books_take_state(allot__books *books)
{
    allot__books_change(books);
    allot_state *state = books->state;
    books->state = NULL;
    books->sealed = false;
    return state;
}

allot_state *allot__books_hand_over(allot__books *books)
{
    return books->sealed ? allot__books_take_state(books) : NULL;
}

bool allot__books_made_anew(const allot__books *books)
{
    enum { FEW = 1000 };
    return !books->state ||
           books->tasks.count + books->jobs.count + books->sessions.count + books->flights.count <
               FEW;
}
