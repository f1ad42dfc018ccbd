/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: the view, computed on demand, and a short history. */
#include "service/view/view.h"

#include <string.h>

#include "base/memory.h"

const int64_t allot__view_bounds[ALLOT__VIEW_BOUNDS] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 1000000,
};

#define OF(member) ALLOT__NUMBER_OF(allot_verdict, member)
const allot__number allot__view_numbers[ALLOT__VIEW_NUMBERS] = {
    [ALLOT__VIEW_OWNED] = OF(owned),
    OF(reserve),
    OF(demand),
    OF(quota),
    OF(allocated),
    OF(in_flight),
    OF(own_used),
    OF(lent),
    OF(borrowed),
    OF(shared),
    OF(planned),
    OF(over),
    OF(deficit),
};
#undef OF

/* A row's place in `rows` plus one; 0: nobody wants it. */
static int32_t *place_of(const allot__view *view, int32_t group, int32_t consumer)
{
    return &view->place[(size_t)group * (size_t)view->consumers + (size_t)consumer];
}

bool allot__view_has(const allot__view *view, int32_t group, int32_t consumer)
{
    int32_t place = view->computed ? *place_of(view, group, consumer) : 0;
    return place > 0 && place <= view->filled;
}

const int64_t *allot__view_row(const allot__view *view, int32_t group, int32_t consumer)
{
    return view->rows[*place_of(view, group, consumer) - 1].numbers;
}

/* ---- Its memory ------------------------------------------------------------------------------ */

static void forget(allot_service *service, allot__view *view)
{
    size_t groups = (size_t)view->groups, rows = groups * (size_t)view->consumers;
    allot__free(service->engine, view->place, rows, sizeof *view->place);
    allot__free(service->engine, view->totals, groups, sizeof *view->totals);
    allot__free(service->engine, view->rows, view->capacity, sizeof *view->rows);
    view->place = NULL;
    view->totals = NULL;
    view->rows = NULL;
    view->capacity = 0;
    view->groups = view->consumers = view->count = view->filled = 0;
    view->computed = false;
}

static int make_room(allot_service *service, allot__view *view)
{
    const allot_plan *plan = service->generation->plan;
    if (view->place)
        return ALLOT_OK;
    view->groups = allot_plan_groups(plan);
    view->consumers = allot_plan_consumers(plan);
    size_t groups = (size_t)view->groups, rows = groups * (size_t)view->consumers;
    view->place = allot__new(service->engine, rows, sizeof *view->place);
    view->totals = allot__new(service->engine, groups, sizeof *view->totals);
    if (view->place && view->totals)
        return ALLOT_OK;
    forget(service, view);
    return ALLOT_ENOMEM;
}

/* ---- Its numbers ----------------------------------------------------------------------------- */

int64_t allot__view_hundredths(const allot_ratio *ratio)
{
    if (ratio->num_high == 0 && ratio->den_high == 0 && ratio->num_low < UINT64_MAX / 200 &&
        ratio->den_low > 0)
        return (int64_t)((ratio->num_low * 100 + ratio->den_low / 2) / ratio->den_low);
    return (int64_t)(allot_ratio_value(ratio) * 100 + 0.5);
}

static void put_row(int64_t *to, const allot_verdict *from)
{
    for (int i = 0; i < ALLOT__VIEW_NUMBERS; i++)
        to[i] = i == ALLOT__VIEW_OWNED ? allot__view_hundredths(&from->owned)
                                       : allot__number_of(&allot__view_numbers[i], from);
}

/* Drops rows that were not wanted recently. */
static void drop_old(allot__view *view, uint64_t since)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < view->count; i++) {
        allot__view_wanted *row = &view->rows[i];
        int32_t *place = place_of(view, row->group, row->consumer);
        *place = row->when < since ? 0 : kept + 1;
        if (row->when >= since)
            view->rows[kept++] = *row;
    }
    view->count = kept;
}

static int fill(allot_service *service, allot__view *view, const allot_decision *decision)
{
    uint64_t now = uv_now(service->loop);
    int status = ALLOT_OK;
    drop_old(view, now > ALLOT__VIEW_KEPT ? now - ALLOT__VIEW_KEPT : 0);
    for (int32_t i = 0; i < view->count && status == ALLOT_OK; i++) {
        allot__view_wanted *row = &view->rows[i];
        allot_verdict verdict;
        status = allot_decision_verdict(decision, row->group, row->consumer, &verdict);
        if (status == ALLOT_OK)
            put_row(row->numbers, &verdict);
    }
    for (int32_t group = 0; group < view->groups && status == ALLOT_OK; group++)
        status = allot_decision_totals(decision, group, &view->totals[group]);
    view->filled = status == ALLOT_OK ? view->count : 0;
    return status;
}

int allot__view_want(allot_service *service, int32_t group, int32_t consumer)
{
    allot__view *view = service->components.view;
    int status = make_room(service, view);
    if (status != ALLOT_OK)
        return status;
    int32_t *place = place_of(view, group, consumer);
    if (*place == 0) {
        allot__view_wanted *rows = allot__grow(service->engine, view->rows, &view->capacity,
                                               (size_t)view->count + 1, sizeof *rows);
        if (!rows)
            return ALLOT_ENOMEM;
        view->rows = rows;
        rows[view->count] = (allot__view_wanted){.group = group, .consumer = consumer};
        *place = ++view->count;
    }
    view->rows[*place - 1].when = uv_now(service->loop);
    return ALLOT_OK;
}

static bool is_stale(const allot_service *service, const allot__view *view)
{
    if (!view->computed || view->filled < view->count)
        return true;
    return (view->seen_cycle != service->tally.cycles || view->event != service->event) &&
           uv_now(service->loop) - view->made >= view->rest;
}

static int make(allot_service *service, allot__view *view, allot_report *report)
{
    const allot_state *state;
    allot_decision *decision;
    int64_t now = allot__service_now(service);
    int status = make_room(service, view);
    if (status == ALLOT_OK)
        status = allot__books_state(service->books, now, report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(service->generation->plan, state, report, &decision);
    if (status != ALLOT_OK)
        return status;
    status = fill(service, view, decision);
    allot_decision_free(decision);
    if (status != ALLOT_OK)
        return status;
    view->seen_cycle = service->tally.cycles;
    view->cycle = service->cycle;
    view->event = service->event;
    view->seq = service->seq;
    view->now = now;
    view->computed = true;
    view->version++;
    return ALLOT_OK;
}

int allot__view_refresh(allot_service *service, allot_report *report)
{
    allot__view *view = service->components.view;
    if (!is_stale(service, view) || (allot__hold_is(service) && view->computed))
        return ALLOT_OK;
    allot__hold_settle(service);
    uint64_t began = uv_hrtime();
    int status = make(service, view, report);
    /* At most a tenth of the loop's time. */
    view->rest = (uv_hrtime() - began) / 100000;
    if (view->rest < ALLOT__VIEW_AGE)
        view->rest = ALLOT__VIEW_AGE;
    /* A failure is retried no sooner than a success is repeated. */
    view->made = uv_now(service->loop);
    if (status != ALLOT_OK && !view->computed)
        forget(service, view);
    return status;
}

/* ---- History --------------------------------------------------------------------------------- */

static void count_lists(const allot_decision *decision, int64_t *counts)
{
    counts[ALLOT__VIEW_GRANTS] = allot_decision_grants(decision);
    for (int32_t i = 0; i < counts[ALLOT__VIEW_GRANTS]; i++) {
        allot_grant grant;
        allot_decision_grant(decision, i, &grant);
        counts[ALLOT__VIEW_GRANTED] += grant.slots;
    }
    counts[ALLOT__VIEW_RECLAIMS] = allot_decision_reclaims(decision);
    for (int32_t i = 0; i < counts[ALLOT__VIEW_RECLAIMS]; i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(decision, i, &reclaim);
        counts[ALLOT__VIEW_RECLAIMED] += reclaim.slots;
    }
}

static void count_jobs(const allot_service *service, const allot_decision *decision,
                       int64_t *counts)
{
    for (int32_t i = 0; i < allot_decision_kills(decision); i++)
        counts[ALLOT__VIEW_KILLS] += !allot__books_told(service->books, decision, i);
    for (int32_t i = 0; i < allot_decision_job_orders(decision); i++) {
        allot_job_order order;
        allot_decision_job_order(decision, i, &order);
        counts[ALLOT__VIEW_STARTS] += order.kind == ALLOT_ORDER_START;
        counts[ALLOT__VIEW_RESUMES] += order.kind == ALLOT_ORDER_RESUME;
        counts[ALLOT__VIEW_SUSPENDS] += order.kind == ALLOT_ORDER_SUSPEND;
        counts[ALLOT__VIEW_KILLS] += order.kind == ALLOT_ORDER_KILL;
    }
}

static void keep_orders(allot_service *service, allot__view *view, const allot__cycle_done *done)
{
    allot__view_orders now = {.seq = done->seq, .now = done->now};
    count_lists(done->decision, now.counts);
    count_jobs(service, done->decision, now.counts);
    for (int i = 0; i < ALLOT__VIEW_ORDERS; i++)
        view->sum.counts[i] += now.counts[i];
    view->told[view->told_count++ % ALLOT__VIEW_TOLD] = now;
}

static void keep_point(allot_service *service, allot__view *view, const allot__cycle_done *done)
{
    int32_t groups = allot_plan_groups(service->generation->plan);
    view->history_groups = groups < ALLOT__VIEW_GROUPS ? groups : ALLOT__VIEW_GROUPS;
    int64_t last = view->point > 0 ? (view->point - 1) % ALLOT__VIEW_HISTORY : 0;
    if (view->point == 0 || view->history[0][last].now != done->now)
        last = view->point++ % ALLOT__VIEW_HISTORY;
    for (int32_t group = 0; group < view->history_groups; group++) {
        allot_totals totals = {0};
        allot_decision_totals(done->decision, group, &totals);
        view->history[group][last] = (allot__view_point){
            done->now, totals.slots, totals.allocated + totals.granted, totals.demand, 0};
    }
    for (int32_t i = 0; i < allot_decision_flights(done->decision); i++) {
        allot_flight flight;
        allot_decision_flight(done->decision, i, &flight);
        if (flight.group < view->history_groups)
            view->history[flight.group][last].in_flight += flight.slots - flight.returned;
    }
}

void allot__view_cycle(allot_service *service, const allot__cycle_done *done)
{
    allot__view *view = service->components.view;
    int bound = 0;
    while (bound < ALLOT__VIEW_BOUNDS && done->took > allot__view_bounds[bound])
        bound++;
    view->took[bound]++;
    view->failures = service->tally.failures;
    if (done->text)
        keep_orders(service, view, done);
    keep_point(service, view, done);
}

void allot__view_swapped(allot_service *service)
{
    allot__view *view = service->components.view;
    forget(service, view);
    view->point = 0;
    view->plan++;
    view->version++;
}

void allot__view_free(allot_service *service)
{
    forget(service, service->components.view);
}
