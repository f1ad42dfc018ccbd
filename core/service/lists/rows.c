/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: what the books have, each as documents of states have it. */
#include "service/lists/rows.h"

/* Opens a row: what documents have of the item, and more can follow. */
static void open_row(allot__text *out, const allot__books *books, allot_item kind, const void *item)
{
    allot__text_key(out, NULL);
    allot__item_open(out, books->plan, kind, item);
}

static void open_named(allot__text *out, const allot__books *books, allot_item kind,
                       const char *name)
{
    allot__any it;
    if (allot__books_get(books, kind, name, &it))
        open_row(out, books, kind, &it);
}

static void close_record(allot__text *out, const allot__map_item *record)
{
    allot__write_origin(out, allot__source_of(record));
    allot__text_puts(out, "}");
}

void allot__row_task(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    const allot__task_item *item = (const allot__task_item *)(const void *)named;
    const allot__victim_item *victim =
        books->victims.count > 0 ? allot__item_find(&books->victims, named->name) : NULL;
    (void)now;
    open_named(out, books, ALLOT_ITEM_TASK, named->name);
    if (victim)
        allot__text_member(out, "reclaim", victim->flight);
    if (item->told)
        allot__text_bool(out, "told", true);
    close_record(out, named);
}

void allot__row_session(const allot__books *books, const allot__map_item *named, int64_t now,
                        allot__text *out)
{
    (void)now;
    open_named(out, books, ALLOT_ITEM_SESSION, named->name);
    close_record(out, named);
}

void allot__row_flight(const allot__books *books, const allot__map_item *named, int64_t now,
                       allot__text *out)
{
    const allot__flight_item *item = (const allot__flight_item *)(const void *)named;
    (void)now;
    open_named(out, books, ALLOT_ITEM_RECLAIM, named->name);
    allot__write_set(out, "since", item->since, INT64_MIN);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__text_puts(out, "}");
}

void allot__row_job(const allot__books *books, const allot__map_item *named, int64_t now,
                    allot__text *out)
{
    allot_job job;
    if (!allot__books_get(books, ALLOT_ITEM_JOB, named->name, &job))
        return;
    job = allot__job_now(&job, now);
    open_row(out, books, ALLOT_ITEM_JOB, &job);
    close_record(out, named);
}

void allot__row_host(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    allot_stated_host host;
    (void)now;
    if (!allot__books_host(books, named->name, &host))
        return;
    open_row(out, books, ALLOT_ITEM_HOST, &host);
    close_record(out, named);
}
