/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* kept.c: lines only of snapshots: rows, reclaims in flight, loans, times. */
#include "service/books/own.h"

#include "base/memory.h"

static int keep_row(allot__books *books, const allot__event *event)
{
    allot_stated_leaf row = event->row;
    const allot__origin *source;
    row.demand = row.demand > 0 ? row.demand : 0;
    row.allocated = row.allocated > 0 ? row.allocated : 0;
    if (!books->damped)
        row.reclaimed_at = row.waiting_since = INT64_MIN;
    int status = allot__origin_find(books, event->source, &source);
    if (status == ALLOT_OK)
        status = allot_state_row_set(books->state, event->group, event->consumer, &row);
    if (status != ALLOT_OK)
        return status;
    allot__leaf_beside(books, event->group, event->consumer)->source = source;
    allot__leaf_demand(books, event->group, event->consumer, row.demand);
    return ALLOT_OK;
}

/* Adds a reclaim, or replaces the one of its id. */
static int put_flight(allot__books *books, const allot_in_flight *flight, int64_t since)
{
    allot__record *record;
    int status = allot__record_put(books, ALLOT_ITEM_RECLAIM, flight, &record);
    if (status == ALLOT_OK)
        ((allot__flight_item *)(void *)record)->since = since;
    return status;
}

static int keep_flight(allot__books *books, const allot__event *event)
{
    allot_in_flight old;
    bool known = allot__books_get(books, ALLOT_ITEM_RECLAIM, event->id, &old);
    int status = put_flight(books, &event->flight, event->since);
    if (status == ALLOT_OK && known)
        allot__victims_end(books, &old);
    return status;
}

/* Adds a claim or a task. */
static int add_to_flight(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_in_flight flight;
    const allot__flight_item *item = allot__item_find(&books->flights, event->id);
    if (!item || !allot__books_get(books, ALLOT_ITEM_RECLAIM, event->id, &flight))
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-reclaim", "id", NULL,
                                "id: nothing is in flight as \"%.100s\"", event->id);
    bool claim = event->kind == ALLOT__EVENT_KEEP_CLAIM;
    size_t size = claim ? sizeof(allot_claim) : sizeof(char *);
    size_t count = (size_t)(claim ? flight.claim_count : flight.task_count);
    void *list = allot__new(books->engine, count + 1, size);
    if (!list)
        return ALLOT_ENOMEM;
    if (count > 0)
        memcpy(list, claim ? (const void *)flight.claims : (const void *)flight.tasks,
               count * size);
    if (claim) {
        ((allot_claim *)list)[flight.claim_count++] = (allot_claim){event->other, event->slots};
        flight.claims = list;
    } else {
        ((const char **)list)[flight.task_count++] = event->key;
        flight.tasks = list;
    }
    const allot_in_flight named = {
        .id = event->id, .tasks = &event->key, .task_count = claim ? 0 : 1};
    int status = allot__victims_add(books, &named);
    if (status == ALLOT_OK && (status = put_flight(books, &flight, item->since)) != ALLOT_OK)
        allot__victims_end(books, &named);
    allot__free(books->engine, list, count + 1, size);
    return status;
}

static int end_flight(allot__books *books, const allot__event *event)
{
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    if (item)
        allot__flight_end(books, item, true);
    return ALLOT_OK;
}

static int tell_task(allot__books *books, const allot__event *event)
{
    allot__map_item *item = allot__item_find(&books->tasks, event->id);
    if (item)
        allot__task_tell(books, allot__task_of(item),
                         event->told || !allot__event_said(event, "told"));
    return ALLOT_OK;
}

static int keep_resource(allot__books *books, const allot__event *event, allot__error *fault)
{
    int32_t resource = allot_plan_resource_find(books->plan, event->id);
    if (resource < 0)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-resource", "name", NULL,
                                "name: the plan has no \"%.100s\"", event->id);
    return allot_state_resource_preempted(books->state, resource, event->since);
}

static int keep_usage(allot__books *books, const allot__event *event)
{
    int status =
        allot_state_usage(books->state, event->queue, event->use, (int32_t)event->millionths);
    return status == ALLOT_OK ? allot_state_usage_at(books->state, allot__books_last(books))
                              : status;
}

int allot__apply_kept(allot__books *books, const allot__event *event, allot__error *fault)
{
    switch (event->kind) {
    case ALLOT__EVENT_KEEP_CLOCK:
        return allot_state_last(books->state, event->since);
    case ALLOT__EVENT_KEEP_BACK:
        return allot__books_set_back(books, event->since, event->by);
    case ALLOT__EVENT_KEEP_ROW:
        return keep_row(books, event);
    case ALLOT__EVENT_KEEP_FLIGHT:
        return keep_flight(books, event);
    case ALLOT__EVENT_KEEP_CLAIM:
    case ALLOT__EVENT_KEEP_VICTIM:
        return add_to_flight(books, event, fault);
    case ALLOT__EVENT_KEEP_LANDED:
        return end_flight(books, event);
    case ALLOT__EVENT_KEEP_TOLD:
        return tell_task(books, event);
    case ALLOT__EVENT_KEEP_LOANS:
        return allot_state_loans_end(books->state);
    case ALLOT__EVENT_KEEP_LOAN:
        return allot_state_loan(books->state, &event->loan);
    case ALLOT__EVENT_KEEP_JOB:
        return allot__apply_job(books, event, fault);
    case ALLOT__EVENT_KEEP_USAGE:
        return keep_usage(books, event);
    default:
        return keep_resource(books, event, fault);
    }
}
