/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * back.c: takes orders of this cycle back, and keeps slots for jobs that wait for victims.
 *
 * Once something has become free, a job has its turn again, after jobs of lower queues. Jobs that
 * it may preempt and that were given slots in this cycle do not run yet: if the job fits or finds
 * victims without their orders, these orders are taken back, and those jobs wait again. Jobs that
 * do not run yet have no protection.
 *
 * A job waits while victims of it are being notified of new slots: no order is given, but
 * its free slots, its part of limits and resources, and its victims are kept for it. If something
 * becomes free, the job releases all of these and is tried again.
 *
 * A job that was suspended for another and then resumed on slots that became free has two orders
 * that cancel each other: both are taken back, and the job runs on.
 */
#include <string.h>

#include "base/least.h"
#include "engine/jobs/reserve.h"
#include "engine/jobs/limits/resource.h"

static void spare(allot__turns *turns, const allot_job_order *order, bool again)
{
    if (order->kind != ALLOT_ORDER_RESIZE || !turns->out->searched)
        return;
    if (again)
        allot__candidates_drop(&turns->out->candidates, order->job, ALLOT__INELIGIBLE_TAKEN);
    else
        allot__candidates_restore(&turns->out->candidates, order->job);
}

/* From the last order on: undoes (-1) those that the job may take back, or does them again (1). */
static int turn_orders(allot__turns *turns, int32_t number, int32_t sign, int32_t *count)
{
    const allot_job_order *orders = turns->out->orders.items;
    int32_t high = allot__job_at(turns->jobs, number)->queue;
    size_t at = turns->out->places.count;
    int status = ALLOT_OK;
    *count = 0;
    for (size_t i = turns->out->orders.count; i-- > 0 && status == ALLOT_OK;) {
        int32_t low = allot__job_at(turns->jobs, orders[i].job)->queue;
        at -= (size_t)orders[i].place_count;
        if (orders[i].kind > ALLOT_ORDER_RESIZE ||
            !allot__may_preempt(turns->work->plan->relation, high, low))
            continue;
        const allot__job_place *of;
        const allot_place *places = allot__vector_from(&turns->out->places, at, sizeof *places);
        int32_t n = allot__order_places(turns->work, &orders[i], places, turns->back_places, &of);
        if (sign < 0)
            status = allot__again_mark_places(turns, orders[i].job, of, n);
        if (status == ALLOT_OK)
            status = allot__order_effect(turns, orders[i].kind, orders[i].job, of, n, sign);
        spare(turns, &orders[i], sign > 0);
        ++*count;
    }
    return status;
}

/* Drops these orders for good; their jobs wait for their turn. */
static void forget(allot__turns *turns, int32_t number, size_t end)
{
    allot_job_order *orders = turns->out->orders.items;
    int32_t high = allot__job_at(turns->jobs, number)->queue;
    for (size_t i = 0; i < end; i++) {
        int32_t low = allot__job_at(turns->jobs, orders[i].job)->queue;
        if (orders[i].kind > ALLOT_ORDER_RESIZE ||
            !allot__may_preempt(turns->work->plan->relation, high, low))
            continue;
        orders[i].kind = ALLOT_ORDER_COUNT;
        allot__job_verdict *verdict = &turns->out->jobs[orders[i].job];
        verdict->order = verdict->order == (int32_t)i ? -1 : verdict->order;
        turns->fresh[low]--;
        turns->of_queue[low]->anew = true;
    }
    turns->cancels = true;
}

static bool asks(const allot__turns *turns, int32_t job)
{
    const allot__resources *resources = turns->out->bounds.resources;
    return resources != NULL && allot__resources_asks(resources, job);
}

int allot__back_take(allot__turns *turns, int32_t number, bool *done)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    allot__host_view *view = &turns->out->view;
    allot__missed *known = allot__fit_back_known(turns, number);
    int64_t orders = (int64_t)turns->out->orders.count;
    bool alike = turns->states[number] == ALLOT_PENDING && !asks(turns, number);
    bool misses =
        alike && known->gains == view->gains && known->most == orders && job->slots >= known->slots;
    allot__job_verdict *verdict = &turns->out->jobs[number], before = *verdict;
    if (!turns->turned_back || turns->withdraws || misses ||
        allot__sum_below(turns->work->plan->relation, job->queue, turns->fresh) == 0)
        return ALLOT_OK;
    int64_t gains = view->gains;
    int32_t count;
    turns->withdraws = true;
    size_t end = turns->out->orders.count;
    int status = turn_orders(turns, number, -1, &count);
    allot__host_view_as(view, job->queue);
    if (status == ALLOT_OK)
        *done = turns->states[number] == ALLOT_PENDING ? allot__fit_start(turns, number)
                                                       : allot__fit_resume(turns, number);
    if (status == ALLOT_OK && !*done)
        status = allot__fit_preempting(turns, number, done);
    turns->withdraws = false;
    if (status == ALLOT_OK && *done) {
        forget(turns, number, end);
    } else if (status == ALLOT_OK) {
        status = turn_orders(turns, number, 1, &count);
        view->gains = gains;
        *verdict = before;
        turns->marks.count = 0;
        if (alike)
            *known = (allot__missed){.gains = gains, .most = orders, .slots = job->slots};
    }
    return status;
}

/* ---- Held ------------------------------------------------------------------------------------ */

/* Its entries of turns->holding, from `first` on: its places, then the free slots of each place,
 * then its victims (`site` is a job). */
typedef struct held {
    int32_t job, first, place_count, victim_count;
    size_t orders, order_count;
} held;

static int note(allot__turns *turns, int32_t site, int64_t slots)
{
    allot__job_place *at = allot__push(turns->work->plan->engine, &turns->holding, sizeof *at);
    if (!at)
        return ALLOT_ENOMEM;
    *at = (allot__job_place){.site = site, .slots = (int32_t)slots};
    return ALLOT_OK;
}

/* Keeps the free slots of its places; its victims still have the others. */
static int keep_slots(allot__turns *turns)
{
    allot__host_view *view = &turns->out->view;
    int status = ALLOT_OK;
    for (int32_t i = 0; status == ALLOT_OK && i < turns->place_count; i++)
        status = note(turns, turns->places[i].site, turns->places[i].slots);
    for (int32_t i = 0; status == ALLOT_OK && i < turns->place_count; i++) {
        int32_t host = allot__host_view_host(view, turns->places[i].site);
        int64_t slots = allot__least(turns->places[i].slots, view->free[host]);
        slots = allot__most(slots, 0);
        status = note(turns, turns->places[i].site, slots);
        if (status == ALLOT_OK && slots > 0)
            allot__host_view_take(view, host, (int32_t)slots);
    }
    return status;
}

static int keep_victims(allot__turns *turns, const allot__found *found)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; status == ALLOT_OK && i < found->count; i++) {
        const allot__job *job = allot__job_at(turns->jobs, found->victims[i]);
        allot_action action = allot__queue_at(turns->queues, job->queue)->on_preempt;
        status = note(turns, found->victims[i], 0);
        allot__candidates_drop(&turns->out->candidates, found->victims[i], ALLOT__INELIGIBLE_TAKEN);
        if (status == ALLOT_OK && job->notifying)
            status = allot__order_stop(turns, &(allot__stop){.job = found->victims[i],
                                                             .preemptor = found->job,
                                                             .action = action,
                                                             .held = true,
                                                             .reason = "preempted"});
    }
    return status;
}

/* Counts the job in limits and resources as if it ran (1), or no longer (-1). A suspended job keeps
 * its own slots. */
static int count(allot__turns *turns, int32_t number, const allot__job_place *places, int32_t n,
                 int32_t sign)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    allot__reserve_stale(turns);
    if (turns->states[number] == ALLOT_PENDING)
        return allot__bounds_change(&turns->out->bounds, number, ALLOT_ORDER_START, places, n,
                                    sign);
    return allot__bounds_change(&turns->out->bounds, number, ALLOT_ORDER_RESUME,
                                allot__job_places(job), job->place_count, sign);
}

int allot__hold_take(allot__turns *turns, const allot__found *found)
{
    bool pending = turns->states[found->job] == ALLOT_PENDING;
    held it = {.job = found->job,
               .first = (int32_t)turns->holding.count,
               .place_count = pending ? turns->place_count : 0,
               .victim_count = found->count,
               .orders = turns->out->orders.count};
    int status = count(turns, found->job, turns->places, turns->place_count, 1);
    if (status == ALLOT_OK && pending)
        status = keep_slots(turns);
    if (status == ALLOT_OK)
        status = keep_victims(turns, found);
    held *kept = status == ALLOT_OK
                     ? allot__push(turns->work->plan->engine, &turns->holds, sizeof *kept)
                     : NULL;
    if (!kept)
        return status == ALLOT_OK ? ALLOT_ENOMEM : status;
    it.order_count = turns->out->orders.count - it.orders;
    *kept = it;
    turns->out->jobs[found->job].why = ALLOT_PEND_HELD;
    turns->out->jobs[found->job].binding = -1;
    return ALLOT_OK;
}

static held *find(allot__turns *turns, int32_t job)
{
    held *all = turns->holds.items;
    size_t i = turns->holds.count;
    while (i > 0 && all[i - 1].job != job)
        i--;
    return i > 0 ? &all[i - 1] : NULL;
}

static void leave_orders(allot__turns *turns, const held *it)
{
    allot_job_order *orders = turns->out->orders.items;
    for (size_t i = it->orders; i < it->orders + it->order_count; i++) {
        orders[i].kind = ALLOT_ORDER_COUNT;
        turns->out->jobs[orders[i].job].order = -1;
    }
    turns->cancels = turns->cancels || it->order_count > 0;
}

int allot__hold_leave(allot__turns *turns, int32_t job)
{
    const held *it = find(turns, job);
    allot__host_view *view = &turns->out->view;
    if (!it)
        return ALLOT_OK;
    size_t first = (size_t)it->first, step = (size_t)it->place_count;
    const allot__job_place *places = allot__vector_from(&turns->holding, first, sizeof *places);
    const allot__job_place *kept = allot__vector_from(&turns->holding, first + step, sizeof *kept);
    const allot__job_place *victims =
        allot__vector_from(&turns->holding, first + 2 * step, sizeof *victims);
    for (int32_t i = 0; i < it->place_count; i++)
        if (kept[i].slots > 0)
            allot__host_view_take(view, allot__host_view_host(view, kept[i].site), -kept[i].slots);
    for (int32_t i = 0; i < it->victim_count; i++)
        allot__candidates_restore(&turns->out->candidates, victims[i].site);
    leave_orders(turns, it);
    return count(turns, job, places, it->place_count, -1);
}

/* ---- At the end ------------------------------------------------------------------------------ */

/* Takes back both orders of a job that was suspended and resumed. */
static void pair_off(allot__turns *turns)
{
    allot_job_order *orders = turns->out->orders.items;
    for (size_t i = 0; i < turns->out->orders.count; i++) {
        allot__job_verdict *verdict = &turns->out->jobs[orders[i].job];
        const allot__job *job = allot__job_at(turns->jobs, orders[i].job);
        if (orders[i].kind == ALLOT_ORDER_SUSPEND && !orders[i].held)
            turns->gone_by[orders[i].job] = (int32_t)i;
        if (orders[i].kind != ALLOT_ORDER_RESUME || job->state != ALLOT_RUNNING)
            continue;
        allot_queue_part *part = &turns->out->parts[job->queue];
        part->resumed -= orders[i].slots;
        part->preempted -= orders[i].slots;
        int32_t gone = turns->gone_by[orders[i].job];
        orders[gone].kind = orders[i].kind = ALLOT_ORDER_COUNT;
        if (verdict->now == ALLOT_RUNNING) {
            verdict->why = ALLOT_PEND_NOT;
            verdict->binding = -1;
            turns->runs_on[orders[i].job] = 1 + orders[gone].preemptor;
        }
    }
}

/* Victims of a job that runs on become victims of its own preemptor. */
static void hand_on(allot__turns *turns)
{
    allot_job_order *orders = turns->out->orders.items;
    const allot__relation *relation = turns->work->plan->relation;
    for (size_t i = 0; i < turns->out->orders.count; i++) {
        int32_t low = allot__job_at(turns->jobs, orders[i].job)->queue, by = orders[i].preemptor;
        while (orders[i].kind < ALLOT_ORDER_COUNT && by >= 0 && turns->runs_on[by] > 0)
            by = turns->runs_on[by] - 1;
        if (by >= 0 && allot__may_preempt(relation, allot__job_at(turns->jobs, by)->queue, low))
            orders[i].preemptor = by;
    }
}

/* A job whose victims all run on started on free slots. */
static void give_reasons(allot__turns *turns)
{
    allot_job_order *orders = turns->out->orders.items;
    memset(turns->runs_on, 0, turns->jobs->list.count * sizeof *turns->runs_on);
    for (size_t i = 0; i < turns->out->orders.count; i++)
        if (orders[i].kind < ALLOT_ORDER_COUNT && orders[i].preemptor >= 0)
            turns->runs_on[orders[i].preemptor] = 1;
    for (size_t i = 0; i < turns->out->orders.count; i++)
        if (orders[i].kind <= ALLOT_ORDER_RESUME && strcmp(orders[i].reason, "preempted") == 0 &&
            turns->runs_on[orders[i].job] == 0)
            orders[i].reason = "free";
}

/* Copies the orders that stop jobs, or all others. */
static void put_down(const allot__turns *turns, bool stops, allot_job_order *orders,
                     allot_place *places, size_t *order_count, size_t *place_count)
{
    const allot_job_order *all = turns->out->orders.items;
    const allot_place *from = turns->out->places.items;
    size_t at = 0;
    for (size_t i = 0; i < turns->out->orders.count; at += (size_t)all[i].place_count, i++) {
        bool stop = all[i].kind == ALLOT_ORDER_SUSPEND || all[i].kind == ALLOT_ORDER_KILL;
        if (all[i].kind == ALLOT_ORDER_COUNT || stop != stops)
            continue;
        allot__job_verdict *verdict = &turns->out->jobs[all[i].job];
        verdict->order = verdict->order < 0 ? (int32_t)*order_count : verdict->order;
        orders[(*order_count)++] = all[i];
        for (int32_t k = 0; k < all[i].place_count; k++)
            places[(*place_count)++] = from[at + (size_t)k];
    }
}

/* Orders that stop jobs come before all others: as some of them were taken back, a job may now have
 * slots of jobs that were stopped after it started. */
static int compact(allot__turns *turns)
{
    allot__dispatched *out = turns->out;
    size_t orders = 0, places = 0;
    allot_job_order *kept =
        allot__arena_take(turns->work->arena, out->orders.count + 1, sizeof *kept);
    allot_place *at = allot__arena_take(turns->work->arena, out->places.count + 1, sizeof *at);
    if (!kept || !at)
        return ALLOT_ENOMEM;
    const allot_job_order *all = out->orders.items;
    for (size_t i = 0; i < out->orders.count; i++)
        out->jobs[all[i].job].order = -1;
    put_down(turns, true, kept, at, &orders, &places);
    put_down(turns, false, kept, at, &orders, &places);
    if (orders > 0)
        memcpy(out->orders.items, kept, orders * sizeof *kept);
    if (places > 0)
        memcpy(out->places.items, at, places * sizeof *at);
    out->orders.count = orders;
    out->places.count = places;
    return ALLOT_OK;
}

int allot__back_finish(allot__turns *turns)
{
    size_t jobs = turns->jobs->list.count + 1;
    turns->runs_on = allot__arena_take(turns->work->arena, jobs, sizeof *turns->runs_on);
    turns->gone_by = allot__arena_take(turns->work->arena, jobs, sizeof *turns->gone_by);
    if (!turns->runs_on || !turns->gone_by)
        return ALLOT_ENOMEM;
    memset(turns->runs_on, 0, jobs * sizeof *turns->runs_on);
    pair_off(turns);
    hand_on(turns);
    give_reasons(turns);
    return compact(turns);
}
