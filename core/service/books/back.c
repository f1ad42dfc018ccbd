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
static void set_flight(const back *it, allot__flight_item *flight)
{
    if (!is_behind(it, flight->since))
        return;
    set(it, &flight->since);
    if (flight->it.deadline != INT64_MAX)
        flight->it.deadline -= it->by;
}

static void set_job(const back *it, allot__job_item *job)
{
    set(it, &job->it.since);
    set(it, &job->it.begin);
    set(it, &job->it.submitted);
    set(it, &job->it.started);
}

static void set_items(const back *it, allot__books *books)
{
    for (allot__map_item *item = books->flights.first; item; item = item->after)
        set_flight(it, (allot__flight_item *)(void *)item);
    for (allot__map_item *item = books->jobs.first; item; item = item->after)
        set_job(it, (allot__job_item *)(void *)item);
    for (allot__map_item *item = books->tasks.first; item; item = item->after) {
        set(it, &allot__task_of(item)->it.started);
        set(it, &allot__task_of(item)->it.submitted);
    }
    for (allot__map_item *item = books->sessions.first; item; item = item->after)
        set(it, &((allot__session_item *)(void *)item)->it.created);
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

void allot__books_set_back(allot__books *books, int64_t now, int64_t by)
{
    const back it = {.now = now, .by = by};
    set_items(&it, books);
    for (size_t g = 0; g < books->group_count; g++)
        set_rows(&it, books, &books->groups[g]);
    for (size_t i = 0; i < books->leases; i++)
        set(&it, &books->lease[i].since);
    for (size_t i = 0; i < books->resources; i++)
        set(&it, &books->resource_at[i]);
    for (size_t i = 0; i < books->decline_count; i++)
        set(&it, &books->declines[i].until);
    for (allot__map_item *item = books->sources.first; item; item = item->after)
        set(&it, &((allot__origin *)(void *)item)->at);
    set(&it, &books->usage_at);
    set(&it, &books->last);
}
