/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* line.c: lines of the books: what one leaf, reclaim, loan, contract or job says. */
#include <allot/dispatch.h>
#include <allot/json.h>

#include "service/books/own.h"

#include "base/path.h"

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
    allot_item_write(plan, kind, item, allot__text_sink, out); /* `failed` is kept */
    out->len -= out->failed ? 0 : 1;
}

void allot__entry_item(allot__text *out, const allot_plan *plan, allot__event_kind kind,
                       allot_item item, const void *it)
{
    open_line(out, kind);
    allot__item_open(out, plan, item, it);
}

void allot__entry_close(allot__text *out)
{
    allot__text_add(out, "}}\n", 3);
}

void allot__write_leaf(allot__text *out, const allot_plan *plan, int32_t group, int32_t consumer)
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

void allot__write_row(const allot__books *books, const allot__books_group *of, int32_t group,
                      int32_t leaf, allot__text *out)
{
    int64_t reclaimed = of->reclaimed_at ? of->reclaimed_at[leaf] : INT64_MIN;
    int64_t waiting = of->waiting_since ? of->waiting_since[leaf] : INT64_MIN;
    allot__entry_open(out, ALLOT__EVENT_KEEP_ROW);
    allot__write_leaf(out, books->plan, group, leaf);
    allot__write_set(out, "demand", of->demand[leaf], 0);
    allot__write_set(out, "allocated", of->allocated[leaf], 0);
    allot__write_set(out, "unlisted", of->unlisted[leaf], 0);
    allot__write_set(out, "reclaimed_at", reclaimed, INT64_MIN);
    allot__write_set(out, "waiting_since", waiting, INT64_MIN);
    allot__write_origin(out, allot__leaf_origin(of, leaf));
    allot__entry_close(out);
}

/* Its claims and tasks have lines of their own. */
void allot__write_flight(const allot__books *books, const allot_in_flight *flight, int64_t since,
                         allot__text *out)
{
    allot_in_flight alone = *flight;
    alone.claim_count = alone.task_count = 0;
    allot__entry_item(out, books->plan, ALLOT__EVENT_KEEP_FLIGHT, ALLOT_ITEM_RECLAIM, &alone);
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

/* Places and what grows are written as events tell them, and not as documents have them. */
void allot__write_job(const allot__books *books, const allot_job *job, const allot__origin *source,
                      allot__text *out)
{
    allot_job alone = *job;
    alone.flags &= ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_FORCED;
    alone.host_count = alone.grown_count = 0;
    alone.grow = alone.notifying = 0;
    alone.begin = INT64_MIN;
    allot__entry_item(out, books->plan, ALLOT__EVENT_KEEP_JOB, ALLOT_ITEM_JOB, &alone);
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
    allot__write_leaf(out, books->plan, loan->group, loan->lender);
    allot__text_key(out, "borrower");
    allot__text_json_path(out, books->plan, loan->borrower);
    allot__text_number(out, "slots", loan->slots);
    allot__entry_close(out);
}

void allot__write_contracts(const allot__books *books, const allot_decision *decision,
                            allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_part part;
        if ((!decision || allot_decision_lease(decision, i, &part) != ALLOT_OK) &&
            allot_state_lease_at(books->state, i, &part.now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(books->plan, i, &lease);
        allot__entry_open(out, ALLOT__EVENT_LEASE);
        allot__text_member(out, "name", lease.name);
        write_side(out, "provider", &part.now.provider);
        write_side(out, "consumer", &part.now.consumer);
        allot__text_member(out, "phase", allot_lease_phase_name((int)part.now.phase));
        allot__text_number(out, "since", part.now.since);
        allot__entry_close(out);
    }
}

void allot__write_use(const allot__books *books, const allot_decision *decision, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->queues; i++) {
        allot_queue queue;
        allot_queue_part part;
        if ((!decision || allot_decision_queue(decision, i, &part) != ALLOT_OK) &&
            allot_state_usage_get(books->state, i, &part.usage, &part.usage_millionths) != ALLOT_OK)
            continue;
        allot_plan_queue_at(books->plan, i, &queue);
        allot__entry_open(out, ALLOT__EVENT_KEEP_USAGE);
        allot__text_member(out, "queue", queue.name);
        allot__text_number(out, "usage", part.usage);
        allot__text_number(out, "millionths", part.usage_millionths);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        allot_resource resource;
        int64_t at;
        if ((!decision || allot_decision_resource_preempted(decision, i, &at) != ALLOT_OK) &&
            allot_state_resource_time(books->state, i, &at) != ALLOT_OK)
            continue;
        allot_plan_resource_at(books->plan, i, &resource);
        allot__entry_open(out, ALLOT__EVENT_KEEP_RESOURCE);
        allot__text_member(out, "name", resource.name);
        allot__text_number(out, "preempted_at", at);
        allot__entry_close(out);
    }
}
