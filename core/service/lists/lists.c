/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lists.c: lists items of the books, page by page. */
#include "service/lists/lists.h"

#include "service/instance/service.h"

#include "base/memory.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

void allot__row_write(const allot__books *books, allot_item kind, const allot__map_item *item,
                      int64_t now, allot__text *out)
{
    const allot__record *record = (const allot__record *)(const void *)item;
    const allot__victim *victim = NULL;
    allot_any_item it;
    if (!allot__books_get(books, kind, item->name, &it))
        return;
    if (kind == ALLOT_ITEM_JOB)
        it.job = allot__job_now(&it.job, now);
    if (kind == ALLOT_ITEM_TASK)
        victim = ((const allot__task_item *)(const void *)item)->named_by;
    allot__text_key(out, NULL);
    allot__item_open(out, books->plan, kind, &it);
    if (victim)
        allot__text_member(out, "reclaim", victim->flight->of.named.name);
    if (kind == ALLOT_ITEM_RECLAIM)
        allot__write_set(out, "since", ((const allot__flight_item *)(const void *)item)->since,
                         INT64_MIN);
    if (record->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, record->source);
    allot__text_puts(out, "}");
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { ROWS = 100 }; /* of a page, unless `limit` is given */

/* A listed kind, by the name of its call, and the param that selects its rows. */
typedef struct kind {
    const char *name;
    allot_item item;
    const char *of; /* "queue" or "consumer"; NULL: neither */
} kind;

static const kind kinds[] = {{"tasks", ALLOT_ITEM_TASK, "consumer"},
                             {"flights", ALLOT_ITEM_RECLAIM, "consumer"},
                             {"sessions", ALLOT_ITEM_SESSION, "consumer"},
                             {"jobs", ALLOT_ITEM_JOB, "queue"},
                             {"hosts", ALLOT_ITEM_HOST, NULL}};

static const kind *kind_of(const allot__request *call)
{
    const kind *it = kinds;
    while (strlen(it->name) != call->method_len || memcmp(it->name, call->method, call->method_len))
        it++;
    return it;
}

static bool by_queue(const kind *of)
{
    return of->item == ALLOT_ITEM_JOB;
}

/* The queue or the leaf of a row; -1: it is gone. */
static int32_t owner_of(const allot__books *books, const kind *of, const char *name)
{
    allot_any_item it;
    if (!allot__books_get(books, of->item, name, &it))
        return -1;
    return of->item == ALLOT_ITEM_TASK      ? it.task.consumer
           : of->item == ALLOT_ITEM_SESSION ? it.session.consumer
           : of->item == ALLOT_ITEM_JOB     ? it.job.queue
                                            : it.reclaim.consumer;
}

/* ---- The first by name ----------------------------------------------------------------------- */

/* The page's rows, by name. */
typedef struct page {
    const allot__books *books;
    const kind *of;
    const char *after;
    int32_t belongs; /* to that consumer or its descendants, or to that queue; -1: any */
    const allot__map_item **rows;
    size_t count, most;
    bool more;
} page;

static bool belongs(const page *it, const allot__map_item *item)
{
    if (it->belongs < 0)
        return true;
    int32_t of = owner_of(it->books, it->of, item->name);
    while (!by_queue(it->of) && of >= 0 && of != it->belongs)
        of = allot_plan_parent(it->books->plan, of);
    return of == it->belongs;
}

/* Inserts a row in its place; the last one gives way where the page is full. */
static void offer(page *it, const allot__map_item *item)
{
    size_t low = 0, high = it->count;
    if ((it->after && strcmp(item->name, it->after) <= 0) || !belongs(it, item))
        return;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(it->rows[middle]->name, item->name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    it->more = it->more || it->count == it->most;
    if (low == it->most)
        return;
    it->count += it->count < it->most;
    memmove(it->rows + low + 1, it->rows + low, (it->count - 1 - low) * sizeof *it->rows);
    it->rows[low] = item;
}

/* ---- The calls ------------------------------------------------------------------------------- */

enum { AFTER, LIMIT, BELONGS, FIELDS };

static void answer(allot__request *call, const page *it, const allot__map *map)
{
    allot__text *out = allot__rpc_begin(call);
    int64_t now = allot__service_now(call->service);
    allot__text_puts(out, "{");
    allot__text_open(out, it->of->name, "[");
    for (size_t i = 0; i < it->count; i++)
        allot__row_write(it->books, it->of->item, it->rows[i], now, out);
    allot__text_puts(out, "]");
    if (it->more)
        allot__text_member(out, "next", it->rows[it->count - 1]->name);
    ALLOT__MEMBERS(out, "count event", (int64_t)map->count, call->service->event);
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

void allot__list_call(allot__request *call)
{
    allot_service *service = call->service;
    const kind *of = kind_of(call);
    allot__param fields[] = {
        [AFTER] = {.name = "after", .type = ALLOT_MEMBER_TEXT},
        [LIMIT] = {.name = "limit",
                   .type = ALLOT_MEMBER_WHOLE,
                   .least = 1,
                   .most = ALLOT__LIST_MOST},
        [BELONGS] = {.name = of->of,
                     .type = by_queue(of) ? ALLOT_MEMBER_QUEUE : ALLOT_MEMBER_CONSUMER},
        [FIELDS] = {.name = NULL}};
    if (!allot__params_read(call, fields))
        return;
    page it = {.books = service->books,
               .of = of,
               .after = fields[AFTER].text,
               .belongs = fields[BELONGS].given ? fields[BELONGS].number : -1,
               .most = fields[LIMIT].given ? (size_t)fields[LIMIT].whole : ROWS};
    const allot__map *map = allot__books_map(service->books, of->item);
    it.rows = allot__new(service->engine, it.most, sizeof *it.rows);
    if (!it.rows) {
        allot__rpc_no_memory(call);
    } else {
        for (const allot__map_item *item = map->first; item; item = item->after)
            offer(&it, item);
        answer(call, &it, map);
    }
    allot__free(service->engine, it.rows, it.most, sizeof *it.rows);
}
