/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hold.c: jobs whose victims are being notified of new slots.
 *
 * Nothing happens yet, but what the job needs is kept for it: free slots that it would have, what
 * limits and resources allow it, and its victims. Should something become free, it leaves all that,
 * and is tried again.
 */
#include "base/least.h"
#include "engine/jobs/turn.h"

/* Among turns->holding from `first` on: its places, as many with what was free of each, and its
 * victims as sites. */
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

/* Free slots of those places; the others are its victims' still. */
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

/* Limits and resources, as if it ran, or (-1) no longer. Suspended, it keeps its own slots. */
static int count(allot__turns *turns, int32_t number, const allot__job_place *places, int32_t n,
                 int32_t sign)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    if (turns->states[number] == ALLOT_PENDING)
        return allot__bounds_change(&turns->out->bounds, number,
                                    sign > 0 ? ALLOT__BOUND_START : ALLOT__BOUND_END, places, n);
    return allot__bounds_change(&turns->out->bounds, number,
                                sign > 0 ? ALLOT__BOUND_RESUME : ALLOT__BOUND_SUSPEND,
                                allot__job_places(turns->jobs, job), job->place_count);
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
