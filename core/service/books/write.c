/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * write.c: the lines of a leaf, task, reclaim, ...; and the whole books as lines that make equal
 * books, also in parts while they change.
 *
 * The rows of leaves are copied at the beginning; they are few. Named things are walked in order. A
 * thing that changes or leaves before the walk reaches it is written at once, and its line waits
 * for its place. Things added meanwhile stand last, and are not written.
 *
 * This file owns: struct allot__books_listing.
 */
#include <stdlib.h>

#include <allot/dispatch.h>
#include <allot/json.h>

#include "base/memory.h"
#include "base/path.h"
#include "service/books/own.h"

static void open_line(allot__text *out, allot__event_kind kind)
{
    allot__text_puts(out, "{\"method\": \"");
    allot__text_puts(out, allot__event_name((int)kind));
    allot__text_puts(out, "\", \"params\": ");
}

void allot__entry_open(allot__text *out, allot__event_kind kind)
{
    open_line(out, kind);
    allot__text_puts(out, "{");
}

void allot__item_open(allot__text *out, const allot_plan *plan, allot_item kind, const void *item)
{
    if (allot_item_write(plan, kind, item, allot__text_sink, out) != ALLOT_OK)
        out->failed = true;
    out->len -= out->failed ? 0 : 1;
}

static void entry_item(allot__text *out, const allot_plan *plan, allot__event_kind kind,
                       allot_item item, const void *it)
{
    open_line(out, kind);
    allot__item_open(out, plan, item, it);
}

void allot__entry_close(allot__text *out)
{
    allot__text_add(out, "}}\n", 3);
}

static void write_leaf(allot__text *out, const allot_plan *plan, int32_t group, int32_t consumer)
{
    allot__text_key(out, "consumer");
    allot__text_json_path(out, plan, consumer);
    if (allot_plan_groups(plan) > 1)
        allot__text_member(out, "group", allot_plan_group_name(plan, group));
}

void allot__write_set(allot__text *out, const char *key, int64_t value, int64_t unset)
{
    if (value != unset)
        allot__text_number(out, key, value);
}

void allot__write_origin(allot__text *out, const allot__origin *source)
{
    if (source)
        allot__text_member(out, "source", source->named.name);
}

void allot__write_row(const allot__books *books, int32_t group, int32_t leaf,
                      const allot_stated_leaf *row, const allot__origin *source, allot__text *out)
{
    allot__entry_open(out, ALLOT__EVENT_KEEP_ROW);
    write_leaf(out, books->plan, group, leaf);
    allot__write_set(out, "demand", row->demand, 0);
    allot__write_set(out, "allocated", row->allocated, 0);
    allot__write_set(out, "unlisted", row->unlisted, 0);
    allot__write_set(out, "reclaimed_at", row->reclaimed_at, INT64_MIN);
    allot__write_set(out, "waiting_since", row->waiting_since, INT64_MIN);
    allot__write_set(out, "usage", row->usage, 0);
    allot__write_set(out, "usage_rest", row->usage_rest, 0);
    if (row->allocated > 0 || row->usage > 0 || row->usage_rest > 0)
        allot__write_set(out, "usage_at", row->usage_at, INT64_MIN);
    allot__write_origin(out, source);
    allot__entry_close(out);
}

/* A reclaim's claims and tasks have lines of their own. */
void allot__write_flight(const allot__books *books, const allot_in_flight *flight, int64_t since,
                         allot__text *out)
{
    allot_in_flight alone = *flight;
    alone.claim_count = alone.task_count = 0;
    entry_item(out, books->plan, ALLOT__EVENT_KEEP_FLIGHT, ALLOT_ITEM_RECLAIM, &alone);
    allot__write_set(out, "since", since, INT64_MIN);
    allot__entry_close(out);
    for (int32_t i = 0; i < flight->claim_count; i++) {
        allot__entry_open(out, ALLOT__EVENT_KEEP_CLAIM);
        allot__text_member(out, "id", flight->id);
        allot__text_key(out, "for");
        allot__text_json_path(out, books->plan, flight->claims[i].consumer);
        allot__text_number(out, "slots", flight->claims[i].slots);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__entry_open(out, ALLOT__EVENT_KEEP_VICTIM);
        allot__text_member(out, "id", flight->id);
        allot__text_member(out, "task", flight->tasks[i]);
        allot__entry_close(out);
    }
}

static void write_side(allot__text *out, const char *key, const allot_lease_side *side)
{
    allot__text_open(out, key, "{");
    allot__text_number(out, "available", side->available);
    allot__text_number(out, "used", side->used);
    allot__write_set(out, "demand", side->demand, -1);
    allot__text_puts(out, "}");
}

static void write_places(allot__text *out, const char *key, const allot_job_host *hosts,
                         int32_t count)
{
    if (count == 0)
        return;
    allot__text_open(out, key, "{");
    for (int32_t i = 0; i < count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out, hosts[i].host ? hosts[i].host : "");
        allot__text_puts(out, ": ");
        allot__text_int(out, hosts[i].slots);
    }
    allot__text_puts(out, "}");
}

/* Places and growing values are written as in events, not as in documents. */
void allot__write_job(const allot__books *books, const allot_job *job, const allot__origin *source,
                      allot__text *out)
{
    allot_job alone = *job;
    alone.flags &= ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_FORCED;
    alone.host_count = alone.grown_count = 0;
    alone.grow = alone.notifying = 0;
    alone.begin = INT64_MIN;
    entry_item(out, books->plan, ALLOT__EVENT_KEEP_JOB, ALLOT_ITEM_JOB, &alone);
    allot__write_set(out, "grow", job->grow, 0);
    allot__write_set(out, "until", job->begin, INT64_MIN);
    allot__write_origin(out, source);
    write_places(out, "hosts", job->hosts, job->host_count);
    write_places(out, "grown", job->grown, job->grown_count);
    allot__entry_close(out);
}

void allot__write_id(allot__text *out, allot__event_kind kind, const char *id)
{
    allot__entry_open(out, kind);
    allot__text_member(out, "id", id);
    allot__entry_close(out);
}

void allot__write_clock(int64_t now, allot__text *out)
{
    if (now == INT64_MIN)
        return;
    allot__entry_open(out, ALLOT__EVENT_KEEP_CLOCK);
    allot__text_number(out, "now", now);
    allot__entry_close(out);
}

static void write_origins(const allot__books *books, allot__text *out)
{
    for (const allot__map_item *it = books->sources.first; it; it = it->after) {
        const allot__origin *source = (const allot__origin *)(const void *)it;
        allot__entry_open(out, ALLOT__EVENT_KEEP_SYNC);
        allot__write_origin(out, source);
        allot__write_set(out, "at", source->at, INT64_MIN);
        allot__entry_close(out);
    }
}

void allot__write_loan(const allot__books *books, const allot_loan *loan, allot__text *out)
{
    allot__entry_open(out, ALLOT__EVENT_KEEP_LOAN);
    write_leaf(out, books->plan, loan->group, loan->lender);
    allot__text_key(out, "borrower");
    allot__text_json_path(out, books->plan, loan->borrower);
    allot__text_number(out, "slots", loan->slots);
    allot__entry_close(out);
}

static void write_declines(const allot__books *books, allot__text *out)
{
    for (int32_t g = 0; books->declined > 0 && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            const allot__books_leaf *it = allot__leaf_beside(books, g, i);
            if (it->until == INT64_MIN)
                continue;
            allot__entry_open(out, ALLOT__EVENT_DECLINE);
            write_leaf(out, books->plan, g, i);
            allot__text_number(out, "until", it->until);
            allot__text_number(out, "most", it->most);
            allot__entry_close(out);
        }
}

void allot__write_contracts(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_now now;
        if (allot_state_lease_at(books->state, i, &now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(books->plan, i, &lease);
        allot__entry_open(out, ALLOT__EVENT_LEASE);
        allot__text_member(out, "name", lease.name);
        write_side(out, "provider", &now.provider);
        write_side(out, "consumer", &now.consumer);
        allot__text_member(out, "phase", allot_lease_phase_name((int)now.phase));
        allot__text_number(out, "since", now.since);
        allot__entry_close(out);
    }
}

void allot__write_users(const allot__books *books, int64_t since, allot__text *out)
{
    for (int32_t i = 0; i < allot_state_users(books->state); i++) {
        allot_stated_user user;
        if (allot_state_user_at(books->state, i, &user) != ALLOT_OK || user.usage_at < since)
            continue;
        entry_item(out, books->plan, ALLOT__EVENT_KEEP_USER, ALLOT_ITEM_USER, &user);
        allot__entry_close(out);
    }
}

void allot__write_use(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->queues; i++) {
        allot_queue queue;
        int64_t usage;
        int32_t millionths;
        if (allot_state_usage_get(books->state, i, &usage, &millionths) != ALLOT_OK)
            continue;
        allot_plan_queue_at(books->plan, i, &queue);
        allot__entry_open(out, ALLOT__EVENT_KEEP_USAGE);
        allot__text_member(out, "queue", queue.name);
        allot__text_number(out, "usage", usage);
        allot__text_number(out, "millionths", millionths);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        allot_resource resource;
        int64_t at;
        if (allot_state_resource_time(books->state, i, &at) != ALLOT_OK)
            continue;
        allot_plan_resource_at(books->plan, i, &resource);
        allot__entry_open(out, ALLOT__EVENT_KEEP_RESOURCE);
        allot__text_member(out, "name", resource.name);
        allot__text_number(out, "preempted_at", at);
        allot__entry_close(out);
    }
}

/* ---- By kind --------------------------------------------------------------------------------- */

/* Whether nothing is known of a leaf. */
static bool is_bare(const allot_stated_leaf *row, const allot__origin *source)
{
    return !source && row->demand == 0 && row->allocated == 0 && row->unlisted == 0 &&
           row->reclaimed_at == INT64_MIN && row->waiting_since == INT64_MIN && row->usage == 0 &&
           row->usage_rest == 0;
}

static void write_size(const allot__books *books, int32_t g, allot__text *out)
{
    if (books->sizes[g] < 0)
        return;
    allot__entry_open(out, ALLOT__EVENT_SLOTS);
    if (books->group_count > 1)
        allot__text_member(out, "group", allot_plan_group_name(books->plan, g));
    allot__text_number(out, "slots", books->sizes[g]);
    allot__entry_close(out);
}

/* The line of a thing of a kind. */
static void write_thing(const allot__books *books, allot_item kind, const allot__map_item *item,
                        allot__text *out)
{
    const allot__record *record = (const allot__record *)(const void *)item;
    allot_any_item it;
    if (!allot__books_get(books, kind, item->name, &it))
        return;
    if (kind == ALLOT_ITEM_RECLAIM) {
        allot__write_flight(books, &it.reclaim,
                            ((const allot__flight_item *)(const void *)item)->since, out);
        return;
    }
    if (kind == ALLOT_ITEM_JOB) {
        allot__write_job(books, &it.job, record->source, out);
        return;
    }
    bool waits = kind == ALLOT_ITEM_TASK && !allot__task_runs(&it.task);
    entry_item(out, books->plan,
               kind == ALLOT_ITEM_HOST      ? ALLOT__EVENT_HOST
               : kind == ALLOT_ITEM_SESSION ? ALLOT__EVENT_SESSION
               : waits                      ? ALLOT__EVENT_TASK
                                            : ALLOT__EVENT_START,
               kind, &it);
    if (waits)
        allot__text_bool(out, "whole", true);
    if (record->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, record->source);
    allot__entry_close(out);
}

const allot_item allot__books_order[ALLOT__KINDS] = {
    ALLOT_ITEM_HOST, ALLOT_ITEM_SESSION, ALLOT_ITEM_TASK, ALLOT_ITEM_RECLAIM, ALLOT_ITEM_JOB};

/* ---- Copies of what is few ------------------------------------------------------------------- */

/* A line that waits for its place. */
typedef struct early {
    uint64_t order; /* of its thing */
    size_t from, len;
} early;

typedef struct walk {
    allot__walker walker;
    struct allot__books_listing *listing;
    allot_item kind;
    allot__map *map;
    allot__map_item *next; /* NULL: done */
    allot__vector earlies; /* of early; once sorted, the first in order is the last */
    bool unsorted;
} walk;

/* A leaf in a group with something to write. */
typedef struct row {
    int32_t group, leaf;
    allot_stated_leaf told;
    const allot__origin *source;
} row;

/* The steps in order; walks are numbered as in allot__books_order. */
enum { ROWS = ALLOT__KINDS, LOANS, CONTRACTS, USE, STEPS };
static const int steps[STEPS] = {ROWS, 0, 1, 2, 3, LOANS, CONTRACTS, 4, USE};

typedef struct allot__books_listing {
    const allot__books *books;
    bool at_once; /* the books do not change meanwhile */
    walk walks[ALLOT__KINDS];
    allot__text lines;  /* of all `earlies` */
    allot__vector rows; /* of row: copies of leaves' rows */
    allot_loan *loans;
    size_t loan_count;
    allot__text head, contracts, use; /* few lines, made at the beginning */
    size_t step, at;                  /* the step; the position in rows and loans */
    bool failed;                      /* no memory for a line */
} listing;

static void copy_rows(listing *it)
{
    const allot__books *books = it->books;
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers && !it->failed; i++) {
            const row made = {g, i, allot__leaf(books, g, i),
                              allot__leaf_beside(books, g, i)->source};
            if (is_bare(&made.told, made.source))
                continue;
            row *added = allot__push(books->engine, &it->rows, sizeof *added);
            it->failed = !added;
            if (added)
                *added = made;
        }
}

static void copy_loans(listing *it)
{
    it->loan_count = (size_t)allot_state_loans(it->books->state);
    it->loans = allot__new(it->books->engine, it->loan_count, sizeof *it->loans);
    it->failed = it->failed || (it->loan_count > 0 && !it->loans);
    for (size_t i = 0; it->loans && i < it->loan_count; i++)
        it->loans[i] = *allot_state_loan_at(it->books->state, (int32_t)i);
}

static void write_few(listing *it)
{
    const allot__books *books = it->books;
    it->lines.engine = it->head.engine = it->contracts.engine = it->use.engine = books->engine;
    allot__write_clock(allot__books_last(books), &it->head);
    write_origins(books, &it->head);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        write_size(books, g, &it->head);
    allot__write_contracts(books, &it->contracts);
    allot__write_use(books, &it->use);
    allot__write_users(books, INT64_MIN, &it->use);
    write_declines(books, &it->use);
    it->failed = it->failed || it->head.failed || it->contracts.failed || it->use.failed;
}

/* ---- While it changes ------------------------------------------------------------------------ */

static void changes(allot__walker *walker, allot__map_item *item)
{
    walk *of = (walk *)(void *)walker;
    listing *it = of->listing;
    if (item->walk == of->map->walk)
        return;
    early *made = allot__push(it->books->engine, &of->earlies, sizeof *made);
    it->failed = it->failed || !made;
    item->walk = of->map->walk;
    if (!made)
        return;
    *made = (early){.order = item->order, .from = it->lines.len};
    write_thing(it->books, of->kind, item, &it->lines);
    made->len = it->lines.len - made->from;
    it->failed = it->failed || it->lines.failed;
    of->unsorted = true;
}

static void leaves(allot__walker *walker, allot__map_item *item)
{
    walk *of = (walk *)(void *)walker;
    changes(walker, item);
    if (of->next == item)
        of->next = item->after;
}

static int later_first(const void *a, const void *b)
{
    const early *one = a, *other = b;
    return (one->order < other->order) - (one->order > other->order);
}

/* Adds the lines whose places come before or at that order. */
static void put_earlies(listing *it, walk *of, uint64_t order, allot__text *out)
{
    if (of->unsorted)
        qsort(of->earlies.items, of->earlies.count, sizeof(early), later_first);
    of->unsorted = false;
    while (of->earlies.count > 0) {
        const early *first = (const early *)of->earlies.items + of->earlies.count - 1;
        if (first->order > order)
            return;
        allot__text_add(out, it->lines.bytes + first->from, first->len);
        of->earlies.count--;
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void end_listing(listing *it)
{
    allot_engine *engine = it->books->engine;
    for (int i = 0; i < ALLOT__KINDS; i++) {
        if (!it->at_once)
            it->walks[i].map->walker = NULL;
        allot__vector_free(engine, &it->walks[i].earlies);
    }
    allot__vector_free(engine, &it->rows);
    allot__free(engine, it->loans, it->loan_count, sizeof *it->loans);
    allot__text *texts[] = {&it->lines, &it->head, &it->contracts, &it->use};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        allot__text_free(texts[i]);
    allot__free(engine, it, 1, sizeof *it);
}

/* NULL: ENOMEM. */
static listing *begin_listing(const allot__books *books, bool at_once)
{
    listing *it = allot__new(books->engine, 1, sizeof *it);
    if (!it)
        return NULL;
    it->books = books;
    it->at_once = at_once;
    copy_rows(it);
    copy_loans(it);
    write_few(it);
    for (int i = 0; i < ALLOT__KINDS; i++) {
        allot__map *map = allot__books_map(books, allot__books_order[i]);
        it->walks[i] = (walk){.walker = {changes, leaves},
                              .listing = it,
                              .kind = allot__books_order[i],
                              .map = map,
                              .next = map->first};
        if (at_once)
            continue;
        map->walker = &it->walks[i].walker;
        map->walk++;
    }
    if (!it->failed)
        return it;
    end_listing(it);
    return NULL;
}

int allot__books_list_begin(allot__books *books)
{
    allot__books_list_end(books);
    books->listing = begin_listing(books, false);
    return books->listing ? ALLOT_OK : ALLOT_ENOMEM;
}

void allot__books_list_end(allot__books *books)
{
    if (books->listing)
        end_listing(books->listing);
    books->listing = NULL;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Each of these returns whether it is done. */
static bool list_rows(listing *it, allot__text *out, size_t until)
{
    const row *rows = it->rows.items;
    allot__text_add(out, it->head.bytes, it->head.len);
    allot__text_free(&it->head);
    for (; it->at < it->rows.count && out->len < until; it->at++) {
        const row *of = &rows[it->at];
        allot__write_row(it->books, of->group, of->leaf, &of->told, of->source, out);
    }
    return it->at == it->rows.count;
}

static bool list_loans(listing *it, allot__text *out, size_t until)
{
    for (; it->at < it->loan_count && out->len < until; it->at++)
        allot__write_loan(it->books, &it->loans[it->at], out);
    return it->at == it->loan_count;
}

static bool list_walk(listing *it, walk *of, allot__text *out, size_t until)
{
    for (; of->next && out->len < until; of->next = of->next->after) {
        allot__map_item *item = of->next;
        put_earlies(it, of, item->order, out);
        if (it->at_once || item->walk != of->map->walk)
            write_thing(it->books, of->kind, item, out);
        if (!it->at_once)
            item->walk = of->map->walk;
    }
    if (of->next)
        return false;
    put_earlies(it, of, UINT64_MAX, out);
    return true;
}

static bool list_step(listing *it, allot__text *out, size_t until)
{
    int step = steps[it->step];
    if (step < ALLOT__KINDS)
        return list_walk(it, &it->walks[step], out, until);
    if (step == ROWS)
        return list_rows(it, out, until);
    if (step == LOANS)
        return list_loans(it, out, until);
    const allot__text *few = step == CONTRACTS ? &it->contracts : &it->use;
    allot__text_add(out, few->bytes, few->len);
    return true;
}

static int list(listing *it, allot__text *out, size_t most, bool *over)
{
    size_t until = most < SIZE_MAX - out->len ? out->len + most : SIZE_MAX;
    while (it->step < STEPS && out->len < until && list_step(it, out, until)) {
        it->step++;
        it->at = 0;
    }
    *over = it->step == STEPS;
    return it->failed || out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

int allot__books_list(allot__books *books, allot__text *out, size_t most, bool *over)
{
    int status = books->listing ? list(books->listing, out, most, over) : ALLOT_EUSAGE;
    if (status != ALLOT_OK || *over)
        allot__books_list_end(books);
    return status;
}

int allot__books_write(const allot__books *books, allot__text *out)
{
    bool over;
    listing *it = begin_listing(books, true);
    int status = it ? list(it, out, SIZE_MAX, &over) : ALLOT_ENOMEM;
    if (it)
        end_listing(it);
    return status;
}
