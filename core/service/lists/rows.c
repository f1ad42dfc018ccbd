/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: what the books have, each as documents of states have it. */
#include "service/lists/rows.h"

#include <allot/json.h>

/* Opens a row: what documents have of the item, and more can follow. */
static void open_row(allot__text *out, const allot__books *books, allot_item kind, const void *item)
{
    allot__text_key(out, NULL);
    allot_item_write(books->plan, kind, item, allot__text_sink, out); /* `failed` is kept */
    out->len -= out->failed ? 0 : 1;
}

void allot__row_task(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    const allot__task_item *item = (const allot__task_item *)(const void *)named;
    const allot__victim_item *victim =
        books->victims.count > 0 ? allot__item_find(&books->victims, item->it.id) : NULL;
    (void)now;
    open_row(out, books, ALLOT_ITEM_TASK, &item->it);
    if (victim)
        allot__text_member(out, "reclaim", victim->flight);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

void allot__row_session(const allot__books *books, const allot__map_item *named, int64_t now,
                        allot__text *out)
{
    const allot__session_item *item = (const allot__session_item *)(const void *)named;
    (void)now;
    open_row(out, books, ALLOT_ITEM_SESSION, &item->it);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

void allot__row_flight(const allot__books *books, const allot__map_item *named, int64_t now,
                       allot__text *out)
{
    const allot__flight_item *item = (const allot__flight_item *)(const void *)named;
    (void)now;
    open_row(out, books, ALLOT_ITEM_RECLAIM, &item->it);
    allot__write_set(out, "since", item->since, INT64_MIN);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__text_puts(out, "}");
}

void allot__row_job(const allot__books *books, const allot__map_item *named, int64_t now,
                    allot__text *out)
{
    const allot__job_item *item = (const allot__job_item *)(const void *)named;
    allot_job job = allot__job_now(item, now);
    open_row(out, books, ALLOT_ITEM_JOB, &job);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

void allot__row_host(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    const allot__host_item *item = (const allot__host_item *)(const void *)named;
    (void)now;
    open_row(out, books, ALLOT_ITEM_HOST, &item->it);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}
