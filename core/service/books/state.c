/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state that a cycle decides on, made from the books. */
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

/* Jobs run on slots that somebody says; until then there are none. */
static bool is_nowhere(const allot__books *books)
{
    return books->queues > 0 && books->groups[0].slots < 0 && books->hosts.count == 0 &&
           allot_plan_hosts(books->plan) == 0 && allot_plan_group_slots(books->plan, 0) == 0;
}

static int put_hosts(const allot__books *books, allot_state *state)
{
    int status = ALLOT_OK;
    for (const allot__map_item *it = books->hosts.first; it && status == ALLOT_OK; it = it->after) {
        const allot__host_item *host = (const allot__host_item *)(const void *)it;
        status = allot_state_host(state, it->name, host->slots, host->closed);
        if (status == ALLOT_OK && host->load >= 0)
            status = allot_state_host_load(state, it->name, host->load);
        if (status == ALLOT_OK && host->exclusive_given)
            status = allot_state_host_exclusive(state, it->name, host->exclusive_to);
    }
    return status;
}

static int make_state(allot__books *books)
{
    allot_state *state;
    int status = allot_state_new(books->plan, &state);
    if (status != ALLOT_OK)
        return status;
    status = put_rows(books, state);
    if (status == ALLOT_OK && is_nowhere(books))
        status = allot_state_slots(state, 0, 0);
    if (status == ALLOT_OK)
        status = put_hosts(books, state);
    if (status != ALLOT_OK) {
        allot_state_free(state);
        return status;
    }
    books->state = state;
    books->lists_dirty = true;
    return ALLOT_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* One that is not to be started yet is not there. */
static int put_job(const allot__job_item *item, allot_state *state, int64_t now)
{
    allot_job job = allot__job_now(item, now);
    if (job.state == ALLOT_PENDING && item->until > now)
        return ALLOT_OK;
    return allot_state_job(state, &job);
}

allot__flight_item *allot__books_flight(const allot__books *books, int32_t number, const char *id)
{
    if ((size_t)number < books->numbered_count)
        return books->numbered[number];
    return id ? allot__item_find(&books->flights, id) : NULL;
}

/* Tells the state of reclaims in flight from that one on, and numbers them; without memory for the
 * numbers they are looked up by their ids. */
static int put_flights(allot__books *books, allot__map_item *from)
{
    int status = ALLOT_OK;
    allot__flight_item **numbered =
        allot__grow(books->engine, books->numbered, &books->numbered_room, books->flights.count + 1,
                    sizeof *books->numbered);
    if (!numbered)
        books->numbered_count = 0;
    else
        books->numbered = numbered;
    for (allot__map_item *it = from; it && status == ALLOT_OK; it = it->after) {
        allot__flight_item *item = (allot__flight_item *)(void *)it;
        status = allot_state_in_flight(books->state, &item->it);
        if (numbered)
            numbered[books->numbered_count++] = item;
    }
    return status;
}

static int put_orders(allot__books *books, allot_state *state)
{
    int status = allot_state_clear_orders(state);
    books->numbered_count = 0;
    if (status == ALLOT_OK)
        status = put_flights(books, books->flights.first);
    for (size_t i = 0; i < books->loan_count && status == ALLOT_OK; i++)
        status = allot_state_loan(state, &books->loans[i]);
    return status;
}

/* Those that came last stand behind those that the state has. */
static int add_orders(allot__books *books, allot_state *state)
{
    size_t count = books->numbered_count;
    return count > 0 ? put_flights(books, books->numbered[count - 1]->named.after)
                     : put_orders(books, state);
}

static int put_lists(allot__books *books, allot_state *state, int64_t now)
{
    int status = allot_state_clear(state);
    for (const allot__map_item *it = books->sessions.first; it && status == ALLOT_OK;
         it = it->after)
        status = allot_state_session(state, &((const allot__session_item *)(const void *)it)->it);
    for (const allot__map_item *it = books->tasks.first; it && status == ALLOT_OK; it = it->after)
        status = allot_state_task(state, &((const allot__task_item *)(const void *)it)->it);
    for (const allot__map_item *it = books->jobs.first; it && status == ALLOT_OK; it = it->after)
        status = put_job((const allot__job_item *)(const void *)it, state, now);
    return status == ALLOT_OK ? put_orders(books, state) : status;
}

/* What ran and what is on its way: the changes alone, or all anew. What tasks that ended have left
 * in the state's memory is never more than what those that run have there, and a little. */
static int bring_lists(allot__books *books, int64_t now)
{
    enum { ENDED_LEAST = 10000 };
    int status = ALLOT_OK;
    books->lists_dirty = books->lists_dirty || books->jobs.count > 0 ||
                         books->ended > books->tasks.count + ENDED_LEAST;
    if (books->lists_dirty) {
        status = put_lists(books, books->state, now);
        books->ended = 0;
    } else if (books->orders_dirty) {
        status = put_orders(books, books->state);
    } else if (books->orders_more) {
        status = add_orders(books, books->state);
    }
    books->lists_dirty = status != ALLOT_OK;
    books->orders_dirty = books->orders_more = false;
    return status;
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
        status = bring_lists(books, now);
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

allot_state *allot__books_hand_over(allot__books *books)
{
    allot__books_change(books);
    if (!books->sealed)
        return NULL;
    allot_state *state = books->state;
    books->state = NULL;
    books->sealed = false;
    books->granted_count = 0; /* the next one is told all */
    return state;
}

bool allot__books_made_anew(const allot__books *books)
{
    enum { FEW = 1000 };
    return books->lists_dirty || books->jobs.count > 0 ||
           books->tasks.count + books->sessions.count + books->flights.count < FEW;
}
