/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the books' state: unsealed for changes, sealed for a cycle, copied; its next due
 * time. */
#include "service/books/own.h"

/* ---- Opened ---------------------------------------------------------------------------------- */

void allot__books_unseal(allot__books *books)
{
    if (books->sealed)
        allot_state_open(books->state);
    books->sealed = false;
}

/* ---- Sealed ---------------------------------------------------------------------------------- */

static bool is_nowhere(const allot__books *books)
{
    return books->queues > 0 && books->groups[0].slots < 0 && books->hosts.count == 0 &&
           allot_plan_hosts(books->plan) == 0 && allot_plan_group_slots(books->plan, 0) == 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static int put_times(const allot__books *books, allot_state *state, int64_t now)
{
    int status = allot_state_now(state, now);
    if (books->queues > 0 && books->groups[0].slots < 0)
        allot_state_slots(state, 0, is_nowhere(books) ? 0 : -1);
    if (status == ALLOT_OK)
        status = allot_state_now_rounded(state, !books->unrounded);
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
    int status = put_times(books, books->state, now);
    if (status == ALLOT_OK)
        status = allot_state_seal(books->state, report);
    if (status != ALLOT_OK)
        return status;
    books->sealed = true;
    *out = books->state;
    return ALLOT_OK;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

int allot__books_copy(const allot__books *books, allot_state **out)
{
    return allot_state_copy(books->state, books->plan, NULL, out);
}

allot_state *allot__books_take_state(allot__books *books)
{
    allot_state *state = books->state;
    books->state = NULL;
    return state;
}

bool allot__books_few(const allot__books *books)
{
    enum { FEW = 1000 };
    return books->tasks.count + books->jobs.count + books->sessions.count + books->flights.count <
           FEW;
}

bool allot__books_use(const allot__books *books)
{
    bool uses = false;
    allot_job job;
    for (int32_t i = 0; i < allot_state_jobs(books->state) && !uses; i++)
        uses = allot_state_job_at(books->state, i, &job) == ALLOT_OK && job.state == ALLOT_RUNNING;
    return uses;
}

/* ---- A clock that was ahead is set back ------------------------------------------------------ */

typedef struct back {
    int64_t now, by;
} back;

/* Unknown times are 0, INT64_MIN or INT64_MAX, and stay unchanged. */
static bool is_behind(const back *it, int64_t time)
{
    return time > it->now && time != INT64_MAX;
}

static void set(const back *it, int64_t *time)
{
    if (is_behind(it, *time))
        *time = *time - it->by < it->now ? *time - it->by : it->now;
}

/* A deadline moves with the time at which its reclaim was ordered. */
static int set_flight(const back *it, const allot__books *books, allot__flight_item *item)
{
    allot_in_flight flight;
    if (!is_behind(it, item->since) ||
        !allot__books_get(books, ALLOT_ITEM_RECLAIM, item->of.named.name, &flight))
        return ALLOT_OK;
    flight.deadline -= flight.deadline != INT64_MAX ? it->by : 0;
    int status = allot_state_set(books->state, ALLOT_ITEM_RECLAIM, &flight);
    if (status == ALLOT_OK)
        set(it, &item->since);
    return status;
}

int allot__books_set_back(allot__books *books, int64_t now, int64_t by)
{
    const back it = {.now = now, .by = by};
    int status = ALLOT_OK;
    for (allot__map_item *at = books->flights.first; at && status == ALLOT_OK; at = at->after)
        status = set_flight(&it, books, (allot__flight_item *)(void *)at);
    if (status != ALLOT_OK)
        return status;
    allot_state_set_back(books->state, now, by);
    for (size_t g = 0; g < books->group_count; g++)
        for (size_t i = 0; i < books->consumers; i++)
            set(&it, &books->groups[g].leaves[i].unmet_since);
    for (size_t i = 0; i < books->decline_count; i++)
        set(&it, &books->declines[i].until);
    for (allot__map_item *item = books->sources.first; item; item = item->after)
        set(&it, &((allot__origin *)(void *)item)->at);
    return ALLOT_OK;
}

/* ---- When something is due ------------------------------------------------------------------- */

static void sooner(int64_t *due, int64_t now, int64_t when)
{
    if (when > now && when < *due)
        *due = when;
}

static int64_t later(int64_t when, int64_t by)
{
    return when > INT64_MAX - by ? INT64_MAX : when + by;
}

int64_t allot__books_due(const allot__books *books, int64_t now)
{
    int64_t due = INT64_MAX, when;
    if (allot_plan_switch(books->plan, now, &when) == ALLOT_OK)
        sooner(&due, now, when);
    for (int32_t i = 0; i < allot_state_reclaims(books->state); i++) {
        allot_in_flight flight;
        if (allot_state_reclaim_at(books->state, i, &flight) != ALLOT_OK)
            continue;
        int64_t leeway = allot_plan_option_get(books->plan, flight.group, ALLOT_OPTION_LEEWAY);
        sooner(&due, now, flight.deadline);
        sooner(&due, now, later(flight.deadline, leeway));
    }
    for (size_t i = 0; i < books->decline_count; i++)
        sooner(&due, now, books->declines[i].until);
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK)
            sooner(&due, now, job.begin);
    }
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_now is;
        if (allot_state_lease_at(books->state, i, &is) == ALLOT_OK &&
            allot_plan_lease_at(books->plan, i, &lease) == ALLOT_OK)
            sooner(&due, now, later(is.since, lease.reclaim_delay));
    }
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++) {
        int64_t wait = allot_plan_option_get(books->plan, g, ALLOT_OPTION_CLAIM_DELAY);
        int64_t rest = allot_plan_option_get(books->plan, g, ALLOT_OPTION_RECLAIM_INTERVAL);
        for (int32_t i = 0; wait + rest > 0 && i < (int32_t)books->consumers; i++) {
            allot_stated_leaf row;
            if (allot_state_row_get(books->state, g, i, &row) != ALLOT_OK)
                continue;
            if (row.waiting_since != INT64_MIN)
                sooner(&due, now, later(row.waiting_since, wait));
            if (row.reclaimed_at != INT64_MIN)
                sooner(&due, now, later(row.reclaimed_at, rest));
        }
    }
    return due;
}
