/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lists.c: lists items of the books, page by page. */
#include "service/lists/lists.h"

#include <stdlib.h>

#include "service/events/fields.h"

#include "service/instance/service.h"

#include "base/memory.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

void allot__row_write(const allot__books *books, allot_item kind, const allot__map_item *item,
                      int64_t now, allot__text *out)
{
    const allot__record *record = (const allot__record *)(const void *)item;
    const allot__victim *victim = NULL;
    allot__any it;
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

/* A listed kind, and the param that selects its rows. */
typedef struct kind {
    const char *name;
    allot_item item;
    const char *of; /* "queue" or "consumer"; NULL: neither */
} kind;

static const kind tasks = {"tasks", ALLOT_ITEM_TASK, "consumer"};
static const kind flights = {"flights", ALLOT_ITEM_RECLAIM, "consumer"};
static const kind sessions = {"sessions", ALLOT_ITEM_SESSION, "consumer"};
static const kind jobs = {"jobs", ALLOT_ITEM_JOB, "queue"};
static const kind hosts = {"hosts", ALLOT_ITEM_HOST, NULL};

static bool by_queue(const kind *of)
{
    return of->item == ALLOT_ITEM_JOB;
}

/* The queue or the leaf of a row; -1: it is gone. */
static int32_t owner_of(const allot__books *books, const kind *of, const char *name)
{
    allot__any it;
    if (!allot__books_get(books, of->item, name, &it))
        return -1;
    return of->item == ALLOT_ITEM_TASK      ? it.task.consumer
           : of->item == ALLOT_ITEM_SESSION ? it.session.consumer
           : of->item == ALLOT_ITEM_JOB     ? it.job.queue
                                            : it.reclaim.consumer;
}

/* ---- The first by name ----------------------------------------------------------------------- */

/* A heap of the page's rows, the last by name first. */
typedef struct page {
    const allot__books *books;
    const kind *of;
    const char *after;
    int32_t belongs; /* to that consumer or its descendants, or to that queue; -1: any */
    const allot__map_item **rows;
    size_t count, most;
    bool more;
} page;

static int by_name(const allot__map_item *a, const allot__map_item *b)
{
    return strcmp(a->name, b->name);
}

static bool belongs(const page *it, const allot__map_item *item)
{
    if (it->belongs < 0)
        return true;
    int32_t of = owner_of(it->books, it->of, item->name);
    while (!by_queue(it->of) && of >= 0 && of != it->belongs)
        of = allot_plan_parent(it->books->plan, of);
    return of == it->belongs;
}

/* Sifts a row down until no row below it has a later name. */
static void sift(page *it, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < it->count; at = child) {
        if (child + 1 < it->count && by_name(it->rows[child + 1], it->rows[child]) > 0)
            child++;
        if (by_name(it->rows[at], it->rows[child]) >= 0)
            return;
        const allot__map_item *row = it->rows[at];
        it->rows[at] = it->rows[child];
        it->rows[child] = row;
    }
}

static void offer(page *it, const allot__map_item *item)
{
    if ((it->after && strcmp(item->name, it->after) <= 0) || !belongs(it, item))
        return;
    if (it->count < it->most) {
        it->rows[it->count++] = item;
        for (size_t i = it->count / 2; it->count == it->most && i-- > 0;)
            sift(it, i);
        return;
    }
    it->more = true;
    if (by_name(item, it->rows[0]) >= 0)
        return;
    it->rows[0] = item;
    sift(it, 0);
}

static int compare(const void *a, const void *b)
{
    return by_name(*(const allot__map_item *const *)a, *(const allot__map_item *const *)b);
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
    allot__text_number(out, "count", (int64_t)map->count);
    allot__text_number(out, "event", call->service->event);
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

static int find_owner(page *it, const allot__param *param, allot__error *fault)
{
    const allot_plan *plan = it->books->plan;
    it->belongs = -1;
    if (!param->text)
        return ALLOT_OK;
    const allot_member field = {
        .name = param->name, .type = by_queue(it->of) ? ALLOT_MEMBER_QUEUE : ALLOT_MEMBER_CONSUMER};
    return allot__name_find(plan, &field, param->text, strlen(param->text), &it->belongs, fault);
}

static void list(allot__request *call, const kind *of)
{
    allot_service *service = call->service;
    allot__param fields[] = {
        [AFTER] = {.name = "after", .kind = ALLOT_JSON_TEXT},
        [LIMIT] = {.name = "limit", .kind = ALLOT_JSON_WHOLE, .least = 1, .most = ALLOT__LIST_MOST},
        [BELONGS] = {.name = of->of, .kind = ALLOT_JSON_TEXT},
        [FIELDS] = {.name = NULL}};
    allot__error fault = {.message = ""};
    if (!allot__params_read(call, fields))
        return;
    page it = {.books = service->books,
               .of = of,
               .after = fields[AFTER].text,
               .most = fields[LIMIT].given ? (size_t)fields[LIMIT].whole : ROWS};
    const allot__map *map = allot__books_map(service->books, of->item);
    int status = find_owner(&it, &fields[BELONGS], &fault);
    it.rows = allot__new(service->engine, it.most, sizeof *it.rows);
    if (status != ALLOT_OK) {
        fault.status = status;
        allot__rpc_fault(call, &fault);
    } else if (!it.rows) {
        allot__rpc_no_memory(call);
    } else {
        for (const allot__map_item *item = map->first; item; item = item->after)
            offer(&it, item);
        qsort(it.rows, it.count, sizeof *it.rows, compare);
        answer(call, &it, map);
    }
    allot__free(service->engine, it.rows, it.most, sizeof *it.rows);
}

void allot__list_tasks(allot__request *call)
{
    list(call, &tasks);
}

void allot__list_flights(allot__request *call)
{
    list(call, &flights);
}

void allot__list_hosts(allot__request *call)
{
    list(call, &hosts);
}

void allot__list_sessions(allot__request *call)
{
    list(call, &sessions);
}

void allot__list_jobs(allot__request *call)
{
    list(call, &jobs);
}
