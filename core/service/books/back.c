/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* back.c: a clock that was ahead is set back, and what was noted meanwhile with it. */
#include "service/books/own.h"

typedef struct back {
    int64_t now, by;
} back;

/* Times that are not known are 0, INT64_MIN or INT64_MAX, and stay it. */
static bool is_behind(const back *it, int64_t time)
{
    return time > it->now && time != INT64_MAX;
}

static void set(const back *it, int64_t *time)
{
    if (is_behind(it, *time))
        *time = *time - it->by < it->now ? *time - it->by : it->now;
}

/* A deadline follows when what it is for was ordered. */
static int set_flight(const back *it, const allot__books *books, allot__flight_item *item)
{
    allot_in_flight flight;
    if (!is_behind(it, item->since) ||
        !allot__books_get(books, ALLOT_ITEM_RECLAIM, item->named.name, &flight))
        return ALLOT_OK;
    flight.deadline -= flight.deadline != INT64_MAX ? it->by : 0;
    int status = allot_state_set(books->state, ALLOT_ITEM_RECLAIM, &flight);
    if (status == ALLOT_OK)
        set(it, &item->since);
    return status;
}

static void set_rows(const back *it, const allot__books *books, allot__books_group *group)
{
    for (size_t i = 0; i < books->consumers; i++) {
        set(it, &group->unmet_since[i]);
        if (group->reclaimed_at)
            set(it, &group->reclaimed_at[i]);
        if (group->waiting_since)
            set(it, &group->waiting_since[i]);
    }
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
        set_rows(&it, books, &books->groups[g]);
    for (size_t i = 0; i < books->decline_count; i++)
        set(&it, &books->declines[i].until);
    for (allot__map_item *item = books->sources.first; item; item = item->after)
        set(&it, &((allot__origin *)(void *)item)->at);
    return ALLOT_OK;
}
