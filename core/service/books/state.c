/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state that a cycle decides on: times, and sealed. */
#include "service/books/own.h"

bool allot__books_nowhere(const allot__books *books)
{
    return books->queues > 0 && books->groups[0].slots < 0 && books->hosts.count == 0 &&
           allot_plan_hosts(books->plan) == 0 && allot_plan_group_slots(books->plan, 0) == 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static int put_times(const allot__books *books, allot_state *state, int64_t now)
{
    int status = allot_state_now(state, now);
    if (books->queues > 0 && books->groups[0].slots < 0)
        allot_state_slots(state, 0, allot__books_nowhere(books) ? 0 : -1);
    if (status == ALLOT_OK)
        status = allot_state_now_rounded(state, !books->unrounded);
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
    int status = put_times(books, books->state, now);
    if (status == ALLOT_OK)
        status = put_damping(books, books->state, now);
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
