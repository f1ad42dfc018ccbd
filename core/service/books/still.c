/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* still.c: whether a decision leaves the books as they are, but for the time. */
#include "service/books/own.h"

static bool same_side(const allot_lease_side *a, const allot_lease_side *b)
{
    return a->available == b->available && a->used == b->used && a->demand == b->demand;
}

static bool leases_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease_now was;
        allot_lease_part part;
        if (allot_decision_lease(decision, i, &part) != ALLOT_OK)
            continue;
        if (allot_state_lease_at(books->state, i, &was) != ALLOT_OK ||
            !same_side(&was.provider, &part.now.provider) ||
            !same_side(&was.consumer, &part.now.consumer) || was.phase != part.now.phase ||
            was.since != part.now.since)
            return false;
    }
    return true;
}

/* The state lists them in the same order. */
static bool flights_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < allot_decision_flights(decision); i++) {
        allot_flight flight;
        allot_decision_flight(decision, i, &flight);
        allot_in_flight was;
        if (allot_state_reclaim_at(books->state, i, &was) == ALLOT_OK &&
            (flight.phase == ALLOT_RETURNED || was.deadline != flight.deadline))
            return false;
    }
    return true;
}

static bool times_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        int64_t at, was = INT64_MIN;
        allot_state_resource_time(books->state, i, &was);
        at = was;
        allot_decision_resource_preempted(decision, i, &at);
        if (at != was)
            return false;
    }
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot_verdict verdict;
            if (allot_plan_children(books->plan, i) == 0 &&
                allot_decision_verdict(decision, g, i, &verdict) == ALLOT_OK &&
                (verdict.reclaimed > 0 ||
                 verdict.waiting_since != books->groups[g].waiting_since[i]))
                return false;
        }
    return true;
}

bool allot__books_still(const allot__books *books, const allot_decision *decision)
{
    int64_t last = allot__books_last(books);
    return last != INT64_MIN && allot__books_due(books, last) > allot_decision_now(decision) &&
           allot__starts_stay(books, decision) && flights_stay(books, decision) &&
           leases_stay(books, decision) && times_stay(books, decision);
}

bool allot__books_use(const allot__books *books)
{
    bool uses = false;
    allot_job job;
    for (int32_t i = 0; i < allot_state_jobs(books->state) && !uses; i++)
        uses = allot_state_job_at(books->state, i, &job) == ALLOT_OK && job.state == ALLOT_RUNNING;
    return uses;
}
