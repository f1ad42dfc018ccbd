/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books.c: making and ending the books; the state, unsealed for changes, sealed for a cycle,
 * copied; its next due time; and which function enters which event.
 */
#include "base/memory.h"
#include "service/books/books.h"
#include "service/books/own.h"

/* ---- Opened ---------------------------------------------------------------------------------- */

void allot__books_unseal(allot__books *books)
{
    if (books->sealed)
        allot_state_open(books->state);
    books->sealed = false;
}

/* ---- Sealed ---------------------------------------------------------------------------------- */

static bool is_nowhere(const allot__books *books)
{
    return books->queues > 0 && books->sizes[0] < 0 && books->hosts.count == 0 &&
           allot_plan_hosts(books->plan) == 0 && allot_plan_group_slots(books->plan, 0) == 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static int put_times(const allot__books *books, allot_state *state, int64_t now)
{
    int status = allot_state_now(state, now);
    if (books->queues > 0 && books->sizes[0] < 0)
        allot_state_slots(state, 0, is_nowhere(books) ? 0 : -1);
    if (status == ALLOT_OK)
        status = allot_state_now_rounded(state, !books->unrounded);
    return status;
}

void allot__books_round(allot__books *books, bool rounded)
{
    books->unrounded = !rounded;
}

int allot__books_state(allot__books *books, int64_t now, allot_report *report,
                       const allot_state **out)
{
    allot__books_unseal(books);
    allot__declines_end(books, now);
    int status = put_times(books, books->state, now);
    if (status == ALLOT_OK)
        status = allot_state_seal(books->state, report);
    if (status != ALLOT_OK)
        return status;
    books->sealed = true;
    *out = books->state;
    return ALLOT_OK;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

int allot__books_copy(const allot__books *books, allot_state **out)
{
    return allot_state_copy(books->state, books->plan, NULL, out);
}

allot_state *allot__books_take_state(allot__books *books)
{
    allot_state *state = books->state;
    books->state = NULL;
    return state;
}

bool allot__books_few(const allot__books *books)
{
    enum { FEW = 1000 };
    return books->tasks.count + books->jobs.count + books->sessions.count + books->flights.count <
           FEW;
}

bool allot__books_use(const allot__books *books)
{
    bool uses = false;
    allot_job job;
    for (int32_t i = 0; i < allot_state_jobs(books->state) && !uses; i++)
        uses = allot_state_job_at(books->state, i, &job) == ALLOT_OK && job.state == ALLOT_RUNNING;
    return uses;
}

/* ---- A clock that was ahead is set back ------------------------------------------------------ */

typedef struct back {
    int64_t now, by;
} back;

/* Unknown times are 0, INT64_MIN or INT64_MAX, and stay unchanged. */
static bool is_behind(const back *it, int64_t time)
{
    return time > it->now && time != INT64_MAX;
}

static void set(const back *it, int64_t *time)
{
    if (is_behind(it, *time))
        *time = *time - it->by < it->now ? *time - it->by : it->now;
}

/* A deadline moves with the time at which its reclaim was ordered. */
static int set_flight(const back *it, const allot__books *books, allot__flight_item *item)
{
    allot_in_flight flight;
    if (!is_behind(it, item->since) ||
        !allot__books_get(books, ALLOT_ITEM_RECLAIM, item->of.named.name, &flight))
        return ALLOT_OK;
    flight.deadline -= flight.deadline != INT64_MAX ? it->by : 0;
    int status = allot_state_set(books->state, ALLOT_ITEM_RECLAIM, &flight);
    if (status == ALLOT_OK)
        set(it, &item->since);
    return status;
}

/* Sets the time back to `now`: later times, and those derived from them such as deadlines, move
 * back by `by`. No list may be in progress. ENOMEM: partly done, call it again. */
static int set_back(allot__books *books, int64_t now, int64_t by)
{
    const back it = {.now = now, .by = by};
    int status = ALLOT_OK;
    for (allot__map_item *at = books->flights.first; at && status == ALLOT_OK; at = at->after)
        status = set_flight(&it, books, (allot__flight_item *)(void *)at);
    if (status != ALLOT_OK)
        return status;
    allot_state_set_back(books->state, now, by);
    for (size_t i = 0; i < books->leaf_count; i++) {
        set(&it, &books->leaves[i].unmet_since);
        set(&it, &books->leaves[i].until);
    }
    for (allot__map_item *item = books->sources.first; item; item = item->after)
        set(&it, &((allot__origin *)(void *)item)->at);
    return ALLOT_OK;
}

/* ---- When something is due ------------------------------------------------------------------- */

static void sooner(int64_t *due, int64_t now, int64_t when)
{
    if (when > now && when < *due)
        *due = when;
}

static int64_t later(int64_t when, int64_t by)
{
    return when > INT64_MAX - by ? INT64_MAX : when + by;
}

int64_t allot__books_due(const allot__books *books, int64_t now)
{
    int64_t due = INT64_MAX, when;
    if (allot_plan_switch(books->plan, now, &when) == ALLOT_OK)
        sooner(&due, now, when);
    for (int32_t i = 0; i < allot_state_reclaims(books->state); i++) {
        allot_in_flight flight;
        if (allot_state_reclaim_at(books->state, i, &flight) != ALLOT_OK)
            continue;
        int64_t leeway = allot_plan_option_get(books->plan, flight.group, ALLOT_OPTION_LEEWAY);
        sooner(&due, now, flight.deadline);
        sooner(&due, now, later(flight.deadline, leeway));
    }
    for (size_t i = 0; books->declined > 0 && i < books->leaf_count; i++)
        sooner(&due, now, books->leaves[i].until);
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK)
            sooner(&due, now, job.begin);
    }
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_now is;
        if (allot_state_lease_at(books->state, i, &is) == ALLOT_OK &&
            allot_plan_lease_at(books->plan, i, &lease) == ALLOT_OK)
            sooner(&due, now, later(is.since, lease.reclaim_delay));
    }
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++) {
        int64_t wait = allot_plan_option_get(books->plan, g, ALLOT_OPTION_CLAIM_DELAY);
        int64_t rest = allot_plan_option_get(books->plan, g, ALLOT_OPTION_RECLAIM_INTERVAL);
        for (int32_t i = 0; wait + rest > 0 && i < (int32_t)books->consumers; i++) {
            allot_stated_leaf row;
            if (allot_state_row_get(books->state, g, i, &row) != ALLOT_OK)
                continue;
            if (row.waiting_since != INT64_MIN)
                sooner(&due, now, later(row.waiting_since, wait));
            if (row.reclaimed_at != INT64_MIN)
                sooner(&due, now, later(row.reclaimed_at, rest));
        }
    }
    return due;
}

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

static void make_tables(allot__books *books, bool *failed)
{
    books->sizes = make(books, books->group_count, sizeof *books->sizes, failed);
    books->leaves = make(books, books->leaf_count, sizeof *books->leaves, failed);
    for (size_t i = 0; !*failed && i < books->group_count; i++)
        books->sizes[i] = -1;
    for (size_t i = 0; !*failed && i < books->leaf_count; i++)
        books->leaves[i].unmet_since = books->leaves[i].until = INT64_MIN;
}

enum { MAPS = 7 };
static allot__map *map_at(allot__books *books, int i)
{
    allot__map *const maps[MAPS] = {&books->tasks,   &books->ties,    &books->jobs,
                                    &books->hosts,   &books->flights, &books->sources,
                                    &books->sessions};
    return maps[i];
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
    books->leaf_count = books->consumers * books->group_count;
    for (int i = 0; i < MAPS; i++)
        map_at(books, i)->engine = engine;
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
    allot_state_begin(books->state);
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
    end(books, books->leaves, books->leaf_count, sizeof *books->leaves);
    end(books, books->sizes, books->group_count, sizeof *books->sizes);
    for (allot__map_item *it = books->tasks.first; it; it = it->after)
        allot__victim_forget(books, allot__task_of(it));
    for (int i = 0; i < MAPS; i++)
        free_items(books->engine, map_at(books, i));
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
    for (size_t i = 0; i < books->leaf_count; i++)
        longer(&waits.demand, now, books->leaves[i].unmet_since);
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

/* ---- Lines only of snapshots: rows, reclaims in flight, loans, times ------------------------- */

static int keep_row(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
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

static int keep_flight(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    allot_in_flight old;
    bool known = allot__books_get(books, ALLOT_ITEM_RECLAIM, event->id, &old);
    int status = put_flight(books, &event->flight, event->since);
    if (status == ALLOT_OK && known)
        allot__victims_end(books, allot__item_find(&books->flights, event->id), &old);
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
    int status = allot__victims_add(books, item, &named);
    if (status == ALLOT_OK && (status = put_flight(books, &flight, item->since)) != ALLOT_OK)
        allot__victims_end(books, item, &named);
    allot__free(books->engine, list, count + 1, size);
    return status;
}

static int end_flight(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    if (item)
        allot__flight_end(books, item, true);
    return ALLOT_OK;
}

static int tell_task(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
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

static int keep_usage(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    int status =
        allot_state_usage(books->state, event->queue, event->use, (int32_t)event->millionths);
    return status == ALLOT_OK ? allot_state_usage_at(books->state, allot__books_last(books))
                              : status;
}

static int keep_user(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    allot_stated_user user = event->user;
    user.name = event->id;
    return allot_state_user_set(books->state, &user);
}

/* Ends all loans, or adds one. */
static int keep_loan(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    return event->kind == ALLOT__EVENT_KEEP_LOANS ? allot_state_loans_end(books->state)
                                                  : allot_state_loan(books->state, &event->loan);
}

/* The time of the last cycle, or a clock that is set back. */
static int keep_time(allot__books *books, const allot__event *event, allot__error *fault)
{
    (void)fault;
    return event->kind == ALLOT__EVENT_KEEP_BACK ? set_back(books, event->since, event->by)
                                                 : allot_state_last(books->state, event->since);
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
    [ALLOT__EVENT_KEEP_CLOCK] = keep_time,
    [ALLOT__EVENT_KEEP_BACK] = keep_time,
    [ALLOT__EVENT_KEEP_ROW] = keep_row,
    [ALLOT__EVENT_KEEP_FLIGHT] = keep_flight,
    [ALLOT__EVENT_KEEP_CLAIM] = add_to_flight,
    [ALLOT__EVENT_KEEP_VICTIM] = add_to_flight,
    [ALLOT__EVENT_KEEP_LANDED] = end_flight,
    [ALLOT__EVENT_KEEP_TOLD] = tell_task,
    [ALLOT__EVENT_KEEP_LOANS] = keep_loan,
    [ALLOT__EVENT_KEEP_LOAN] = keep_loan,
    [ALLOT__EVENT_KEEP_JOB] = allot__apply_job,
    [ALLOT__EVENT_KEEP_USAGE] = keep_usage,
    [ALLOT__EVENT_KEEP_USER] = keep_user,
    [ALLOT__EVENT_KEEP_RESOURCE] = keep_resource,
};

int allot__books_apply(allot__books *books, const allot__event *event, allot__error *fault)
{
    int status = check_plan(books, event, fault);
    if (status != ALLOT_OK)
        return status;
    allot__books_unseal(books);
    books->when = event->at_given || event->at != 0 ? event->at : allot__books_last(books);
    allot_state_now(books->state, books->when);
    return applies[event->kind](books, event, fault);
}
