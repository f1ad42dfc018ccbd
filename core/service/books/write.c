/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: the books whole, as lines that make the same books again. */
#include "service/books/own.h"

bool allot__row_is_empty(const allot__books_group *group, int32_t leaf)
{
    return allot__row_is_bare(group, leaf) && !allot__leaf_origin(group, leaf);
}

bool allot__row_is_bare(const allot__books_group *group, int32_t leaf)
{
    return group->demand[leaf] == 0 && group->allocated[leaf] == 0 && group->unlisted[leaf] == 0 &&
           (!group->reclaimed_at || group->reclaimed_at[leaf] == INT64_MIN) &&
           (!group->waiting_since || group->waiting_since[leaf] == INT64_MIN);
}

void allot__write_size(const allot__books *books, int32_t g, allot__text *out)
{
    if (books->groups[g].slots < 0)
        return;
    allot__entry_open(out, ALLOT__EVENT_SLOTS);
    if (books->group_count > 1)
        allot__text_member(out, "group", allot_plan_group_name(books->plan, g));
    allot__text_number(out, "slots", books->groups[g].slots);
    allot__entry_close(out);
}

void allot__write_host(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_stated_host host;
    if (!allot__books_host(books, item->name, &host))
        return;
    allot__entry_item(out, books->plan, ALLOT__EVENT_HOST, ALLOT_ITEM_HOST, &host);
    allot__write_origin(out, allot__source_of(item));
    allot__entry_close(out);
}

void allot__write_session(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_session session;
    if (!allot__books_get(books, ALLOT_ITEM_SESSION, item->name, &session))
        return;
    allot__entry_item(out, books->plan, ALLOT__EVENT_SESSION, ALLOT_ITEM_SESSION, &session);
    allot__write_origin(out, allot__source_of(item));
    allot__entry_close(out);
}

void allot__write_task(const allot__books *books, const allot__map_item *named, allot__text *out)
{
    const allot__task_item *item = (const allot__task_item *)(const void *)named;
    allot_task task;
    if (!allot__books_get(books, ALLOT_ITEM_TASK, named->name, &task))
        return;
    bool runs = allot__task_runs(&task);
    allot__entry_item(out, books->plan, runs ? ALLOT__EVENT_START : ALLOT__EVENT_TASK,
                      ALLOT_ITEM_TASK, &task);
    if (!runs)
        allot__text_bool(out, "whole", true);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, item->of.source);
    allot__entry_close(out);
}

static void write_flight(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_in_flight flight;
    if (allot__books_get(books, ALLOT_ITEM_RECLAIM, item->name, &flight))
        allot__write_flight(books, &flight, ((const allot__flight_item *)(const void *)item)->since,
                            out);
}

static void write_job(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_job job;
    if (allot__books_get(books, ALLOT_ITEM_JOB, item->name, &job))
        allot__write_job(books, &job, allot__source_of(item), out);
}

void allot__books_kinds(allot__books *books, allot__books_kind kinds[ALLOT__KINDS])
{
    const allot__books_kind all[ALLOT__KINDS] = {
        [ALLOT__HOSTS] = {ALLOT_ITEM_HOST, &books->hosts, allot__write_host},
        [ALLOT__SESSIONS] = {ALLOT_ITEM_SESSION, &books->sessions, allot__write_session},
        [ALLOT__TASKS] = {ALLOT_ITEM_TASK, &books->tasks, allot__write_task},
        [ALLOT__FLIGHTS] = {ALLOT_ITEM_RECLAIM, &books->flights, write_flight},
        [ALLOT__JOBS] = {ALLOT_ITEM_JOB, &books->jobs, write_job}};
    memcpy(kinds, all, sizeof all);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_map(const allot__books *books, const allot__books_kind *kind, allot__text *out)
{
    for (const allot__map_item *it = kind->map->first; it; it = it->after)
        kind->write(books, it, out);
}

int allot__books_write(const allot__books *books, allot__text *out)
{
    allot__books_kind kinds[ALLOT__KINDS];
    allot__books_kinds((allot__books *)books, kinds);
    allot__write_clock(allot__books_last(books), out);
    allot__write_origins(books, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        allot__write_size(books, g, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++)
            if (!allot__row_is_bare(&books->groups[g], i))
                allot__write_row(books, &books->groups[g], g, i, out);
    for (int kind = 0; kind < ALLOT__JOBS; kind++)
        write_map(books, &kinds[kind], out);
    for (int32_t i = 0; i < allot_state_loans(books->state); i++)
        allot__write_loan(books, allot_state_loan_at(books->state, i), out);
    allot__write_contracts(books, NULL, out);
    write_map(books, &kinds[ALLOT__JOBS], out);
    allot__write_use(books, NULL, out);
    allot__write_declines(books, out);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}
