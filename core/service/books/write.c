/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: the lines of a leaf, task, reclaim, ...; and the whole books as lines that make equal
 * books. */
#include <allot/dispatch.h>
#include <allot/json.h>

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

void allot__write_origins(const allot__books *books, allot__text *out)
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

void allot__write_declines(const allot__books *books, allot__text *out)
{
    for (size_t i = 0; i < books->decline_count; i++) {
        const allot__decline *it = &books->declines[i];
        allot__entry_open(out, ALLOT__EVENT_DECLINE);
        write_leaf(out, books->plan, it->group, it->consumer);
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

bool allot__row_is_bare(const allot_stated_leaf *row, const allot__origin *source)
{
    return !source && row->demand == 0 && row->allocated == 0 && row->unlisted == 0 &&
           row->reclaimed_at == INT64_MIN && row->waiting_since == INT64_MIN;
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

void allot__write_thing(const allot__books *books, allot_item kind, const allot__map_item *item,
                        allot__text *out)
{
    const allot__record *record = (const allot__record *)(const void *)item;
    allot__any it;
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

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_map(const allot__books *books, allot_item kind, allot__text *out)
{
    for (const allot__map_item *it = allot__books_map(books, kind)->first; it; it = it->after)
        allot__write_thing(books, kind, it, out);
}

int allot__books_write(const allot__books *books, allot__text *out)
{
    allot__write_clock(allot__books_last(books), out);
    allot__write_origins(books, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        allot__write_size(books, g, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            const allot_stated_leaf row = allot__leaf(books, g, i);
            const allot__origin *source = allot__leaf_beside(books, g, i)->source;
            if (!allot__row_is_bare(&row, source))
                allot__write_row(books, g, i, &row, source, out);
        }
    for (int i = 0; i < ALLOT__KINDS - 1; i++)
        write_map(books, allot__books_order[i], out);
    for (int32_t i = 0; i < allot_state_loans(books->state); i++)
        allot__write_loan(books, allot_state_loan_at(books->state, i), out);
    allot__write_contracts(books, out);
    write_map(books, allot__books_order[ALLOT__KINDS - 1], out);
    allot__write_use(books, out);
    allot__write_declines(books, out);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}
