/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* line.c: lines of the books: what one leaf, reclaim, loan, contract or job says. */
#include "service/books/own.h"

#include "base/path.h"

void allot__entry_open(allot__text *out, allot__event_kind kind)
{
    allot__text_puts(out, "{\"method\": \"");
    allot__text_puts(out, allot__event_name((int)kind));
    allot__text_puts(out, "\", \"params\": {");
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

void allot__write_extras(const allot__books *books, const char *const *tags, int32_t tag_count,
                         const allot_task_value *values, int32_t value_count, allot__text *out)
{
    if (tag_count > 0) {
        allot__text_open(out, "tags", "[");
        for (int32_t i = 0; i < tag_count; i++) {
            allot__text_key(out, NULL);
            allot__text_json(out, tags[i]);
        }
        allot__text_puts(out, "]");
    }
    for (int32_t i = 0; i < value_count; i++) {
        allot_attribute attribute;
        if (allot_plan_task_attribute_at(books->plan, values[i].attribute, &attribute) == ALLOT_OK)
            allot__text_number(out, attribute.name, values[i].value);
    }
}

void allot__write_flight(const allot__books *books, const allot_in_flight *flight, int64_t since,
                         allot__text *out)
{
    allot__entry_open(out, ALLOT__EVENT_KEEP_FLIGHT);
    allot__text_member(out, "id", flight->id);
    allot__write_leaf(out, books->plan, flight->group, flight->consumer);
    allot__text_number(out, "slots", flight->slots);
    allot__write_set(out, "deadline", flight->deadline, INT64_MAX);
    allot__write_set(out, "gone", flight->gone, 0);
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

static void write_needs(const allot__books *books, const allot_job *job, allot__text *out)
{
    if (job->resource_count == 0)
        return;
    allot__text_open(out, "resources", "{");
    for (int32_t i = 0; i < job->resource_count; i++) {
        allot_resource resource;
        if (allot_plan_resource_at(books->plan, job->resources[i].resource, &resource) == ALLOT_OK)
            allot__text_number(out, resource.name, job->resources[i].amount);
    }
    allot__text_puts(out, "}");
}

void allot__write_job(const allot__books *books, const allot_job *job, const allot__origin *source,
                      allot__text *out)
{
    allot_queue queue;
    allot_plan_queue_at(books->plan, job->queue, &queue);
    allot__entry_open(out, ALLOT__EVENT_KEEP_JOB);
    allot__text_member(out, "id", job->id);
    allot__text_member(out, "queue", queue.name);
    allot__text_number(out, "slots", job->slots);
    allot__text_member(out, "state", allot_job_state_name((int)job->state));
    allot__write_set(out, "submitted", job->submitted, INT64_MIN);
    allot__write_set(out, "started", job->started, INT64_MIN);
    allot__write_set(out, "ran", job->ran, -1);
    allot__write_set(out, "suspended_for", job->suspended_for, 0);
    allot__write_set(out, "preempted", job->preempted, 0);
    allot__write_set(out, "priority", job->priority, 0);
    allot__text_member(out, "user", job->user);
    allot__text_member(out, "group", job->group);
    allot__text_member(out, "app", job->application);
    allot__write_set(out, "run_limit", job->run_limit, -1);
    if (job->flags & ALLOT_JOB_EXCLUSIVE)
        allot__text_bool(out, "exclusive", true);
    if (job->flags & ALLOT_JOB_FORCED)
        allot__text_bool(out, "forced", true);
    allot__write_set(out, "grow", job->grow, 0);
    allot__text_number(out, "since", job->since);
    allot__write_set(out, "until", job->begin, INT64_MIN);
    allot__write_origin(out, source);
    write_places(out, "hosts", job->hosts, job->host_count);
    write_places(out, "grown", job->grown, job->grown_count);
    write_needs(books, job, out);
    allot__write_extras(books, job->tags, job->tag_count, job->values, job->value_count, out);
    allot__entry_close(out);
}

void allot__write_id(allot__text *out, allot__event_kind kind, const char *id)
{
    allot__entry_open(out, kind);
    allot__text_member(out, "id", id);
    allot__entry_close(out);
}

void allot__write_clock(const allot__books *books, allot__text *out)
{
    if (books->last == INT64_MIN)
        return;
    allot__entry_open(out, ALLOT__EVENT_KEEP_CLOCK);
    allot__text_number(out, "now", books->last);
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

void allot__write_contracts(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        const allot_lease_now *now = &books->lease[i];
        if (!books->lease_told[i] || allot_plan_lease_at(books->plan, i, &lease) != ALLOT_OK)
            continue;
        allot__entry_open(out, ALLOT__EVENT_LEASE);
        allot__text_member(out, "name", lease.name);
        write_side(out, "provider", &now->provider);
        write_side(out, "consumer", &now->consumer);
        allot__text_member(out, "phase", allot_lease_phase_name((int)now->phase));
        allot__text_number(out, "since", now->since);
        allot__entry_close(out);
    }
}

void allot__write_use(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->queues && books->usage_at != INT64_MIN; i++) {
        allot_queue queue;
        allot_plan_queue_at(books->plan, i, &queue);
        allot__entry_open(out, ALLOT__EVENT_KEEP_USAGE);
        allot__text_member(out, "queue", queue.name);
        allot__text_number(out, "usage", books->usage[i].slot_seconds);
        allot__text_number(out, "millionths", books->usage[i].millionths);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        allot_resource resource;
        if (books->resource_at[i] == INT64_MIN ||
            allot_plan_resource_at(books->plan, i, &resource) != ALLOT_OK)
            continue;
        allot__entry_open(out, ALLOT__EVENT_KEEP_RESOURCE);
        allot__text_member(out, "name", resource.name);
        allot__text_number(out, "preempted_at", books->resource_at[i]);
        allot__entry_close(out);
    }
}
