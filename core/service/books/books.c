/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* books.c: making and ending the books, and which function enters which event. */
#include "service/books/books.h"

#include "service/books/own.h"
#include "base/memory.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static void *make(allot__books *books, size_t count, size_t size, bool *failed)
{
    void *block = allot__new(books->engine, count > 0 ? count : 1, size);
    *failed = *failed || !block;
    return block;
}

static void end(allot__books *books, void *block, size_t count, size_t size)
{
    allot__free(books->engine, block, count > 0 ? count : 1, size);
}

static void make_group(allot__books *books, allot__books_group *group, bool *failed)
{
    group->slots = -1;
    group->leaves = make(books, books->consumers, sizeof *group->leaves, failed);
    for (size_t i = 0; !*failed && i < books->consumers; i++)
        group->leaves[i].unmet_since = INT64_MIN;
}

static void make_tables(allot__books *books, bool *failed)
{
    books->groups = make(books, books->group_count, sizeof *books->groups, failed);
    for (size_t i = 0; !*failed && i < books->group_count; i++)
        make_group(books, &books->groups[i], failed);
}

int allot__books_make(allot_engine *engine, const allot_plan *plan, allot__books **out)
{
    allot__books *books = allot__new(engine, 1, sizeof *books);
    bool failed = false;
    if (!books)
        return ALLOT_ENOMEM;
    *books = (allot__books){.engine = engine,
                            .plan = plan,
                            .consumers = (size_t)allot_plan_consumers(plan),
                            .group_count = (size_t)allot_plan_groups(plan),
                            .queues = (size_t)allot_plan_queues(plan),
                            .leases = (size_t)allot_plan_leases(plan),
                            .resources = (size_t)allot_plan_resources(plan),
                            .damped = allot_plan_damps(plan) != 0};
    allot__map *maps[] = {&books->tasks, &books->units,   &books->indexes,
                          &books->jobs,  &books->flights, &books->victims,
                          &books->hosts, &books->sources, &books->sessions};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        maps[i]->engine = engine;
    for (int32_t i = 0; i < allot_plan_hosts(plan); i++)
        if (allot_plan_host_slots(plan, i) > books->host_most)
            books->host_most = allot_plan_host_slots(plan, i);
    make_tables(books, &failed);
    if (failed) {
        allot__books_end(books);
        return ALLOT_ENOMEM;
    }
    *out = books;
    return ALLOT_OK;
}

int allot__books_new(allot_engine *engine, const allot_plan *plan, allot__books **out)
{
    allot__books *books;
    int status = allot__books_make(engine, plan, &books);
    if (status != ALLOT_OK)
        return status;
    status = allot_state_new(plan, &books->state);
    if (status != ALLOT_OK) {
        allot__books_end(books);
        return status;
    }
    allot__leaves_begin(books);
    *out = books;
    return ALLOT_OK;
}

static void free_items(allot_engine *engine, allot__map *map)
{
    for (allot__map_item *it = map->first, *next; it; it = next) {
        next = it->after;
        allot__item_free(engine, it);
    }
    allot__map_free(map);
}

void allot__books_end(allot__books *books)
{
    if (!books)
        return;
    allot__books_list_end(books);
    allot_state_free(books->state);
    for (size_t i = 0; books->groups && i < books->group_count; i++)
        end(books, books->groups[i].leaves, books->consumers, sizeof *books->groups->leaves);
    end(books, books->groups, books->group_count, sizeof *books->groups);
    free_items(books->engine, &books->tasks);
    free_items(books->engine, &books->units);
    free_items(books->engine, &books->indexes);
    allot__victims_free(books);
    free_items(books->engine, &books->victims);
    free_items(books->engine, &books->sessions);
    free_items(books->engine, &books->jobs);
    free_items(books->engine, &books->flights);
    free_items(books->engine, &books->hosts);
    free_items(books->engine, &books->sources);
    allot__free(books->engine, books->declines, books->decline_room, sizeof *books->declines);
    allot__free(books->engine, books, 1, sizeof *books);
}

const allot_plan *allot__books_plan(const allot__books *books)
{
    return books->plan;
}

allot__books_count allot__books_size(const allot__books *books)
{
    return (allot__books_count){.tasks = (int64_t)books->tasks.count,
                                .pending = books->pending,
                                .sessions = (int64_t)books->sessions.count,
                                .jobs = (int64_t)books->jobs.count,
                                .flights = (int64_t)books->flights.count};
}

static void longer(int64_t *wait, int64_t now, int64_t since)
{
    if (since != INT64_MIN && since < now && now - since > *wait)
        *wait = now - since;
}

allot__books_waits allot__books_longest(const allot__books *books, int64_t now)
{
    allot__books_waits waits = {0};
    for (size_t g = 0; g < books->group_count; g++)
        for (size_t i = 0; i < books->consumers; i++)
            longer(&waits.demand, now, books->groups[g].leaves[i].unmet_since);
    for (const allot__map_item *it = books->flights.first; it; it = it->after) {
        const allot__flight_item *flight = (const allot__flight_item *)(const void *)it;
        longer(&waits.reclaim, now, flight->since);
    }
    for (int32_t i = 0; i < allot_state_reclaims(books->state); i++) {
        allot_in_flight flight;
        waits.overdue +=
            allot_state_reclaim_at(books->state, i, &flight) == ALLOT_OK && flight.deadline < now;
    }
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK && job.state == ALLOT_PENDING)
            longer(&waits.job, now, job.submitted);
    }
    return waits;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static int check_plan(const allot__books *books, const allot__event *event, allot__error *fault)
{
    bool queues = books->queues > 0;
    if (allot__event_fits(event->kind, queues))
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_EUSAGE, "E-queues", NULL,
                            queues ? "jobs are submitted: `submit` and `finish`" : NULL,
                            "the plan has %s: \"%s\" has no meaning",
                            queues ? "queues" : "no queues", allot__event_name((int)event->kind));
}

/* Notes a source's last word; `whole`: leaves without a source become the source's. */
static int say_source(allot__books *books, const allot__event *event, allot__error *fault)
{
    const allot__origin *source;
    (void)fault;
    int status = allot__origin_of(books, event, &source);
    for (int32_t g = 0; event->whole && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers && status == ALLOT_OK; i++)
            if (allot_plan_children(books->plan, i) == 0 &&
                !allot__leaf_beside(books, g, i)->source)
                allot__leaf_beside(books, g, i)->source = source;
    return status;
}

static int finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    return books->queues > 0 ? allot__apply_job(books, event, fault)
                             : allot__apply_finish(books, event, fault);
}

/* The function for each kind; others: allot__apply_kept. */
static int (*const applies[ALLOT__EVENTS])(allot__books *, const allot__event *, allot__error *) = {
    [ALLOT__EVENT_DEMAND] = allot__apply_row,
    [ALLOT__EVENT_RELEASE] = allot__apply_row,
    [ALLOT__EVENT_ALLOCATED] = allot__apply_row,
    [ALLOT__EVENT_START] = allot__apply_start,
    [ALLOT__EVENT_FINISH] = finish,
    [ALLOT__EVENT_TASK] = allot__apply_task,
    [ALLOT__EVENT_DECLINE] = allot__apply_decline,
    [ALLOT__EVENT_RETURNED] = allot__apply_returned,
    [ALLOT__EVENT_SESSION] = allot__apply_session,
    [ALLOT__EVENT_SESSION_END] = allot__apply_session,
    [ALLOT__EVENT_HOST] = allot__apply_host,
    [ALLOT__EVENT_HOST_GONE] = allot__apply_host,
    [ALLOT__EVENT_SLOTS] = allot__apply_host,
    [ALLOT__EVENT_LEASE] = allot__apply_lease,
    [ALLOT__EVENT_SUBMIT] = allot__apply_job,
    [ALLOT__EVENT_STOP] = allot__apply_job,
    [ALLOT__EVENT_CONT] = allot__apply_job,
    [ALLOT__EVENT_WITHDRAW] = allot__apply_job,
    [ALLOT__EVENT_RUN] = allot__apply_job,
    [ALLOT__EVENT_REQUEUE] = allot__apply_job,
    [ALLOT__EVENT_FAIL] = allot__apply_job,
    [ALLOT__EVENT_KEEP_SYNC] = say_source,
};

int allot__books_apply(allot__books *books, const allot__event *event, allot__error *fault)
{
    int status = check_plan(books, event, fault);
    if (status != ALLOT_OK)
        return status;
    allot__books_unseal(books);
    books->when = event->at_given || event->at != 0 ? event->at : allot__books_last(books);
    if (!applies[event->kind])
        return allot__apply_kept(books, event, fault);
    return applies[event->kind](books, event, fault);
}
