/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* back.c: hosts as they were before an order: the cycle's orders gone through again. */
#include "engine/explain/job.h"

static bool stops(const allot_job_order *order)
{
    return order->kind == ALLOT_ORDER_SUSPEND || order->kind == ALLOT_ORDER_KILL;
}

static int32_t host_of(const allot__tell_past *of, const allot_place *place)
{
    int32_t planned = (int32_t)of->work.plan->hosts.list.count;
    return allot__room_host(&of->room, place->host >= 0 ? place->host : planned + ~place->host);
}

static void redo_stop(allot__tell_past *of, const allot_job_order *order)
{
    const allot__job *job = allot__job_at(of->work.state->jobs, order->job);
    const allot__job_place *all = of->work.state->jobs->places.items;
    for (int32_t i = 0; i < job->place_count + job->grown_count; i++) {
        bool grown = i >= job->place_count;
        int32_t at = grown ? job->grown + i - job->place_count : job->place + i;
        int32_t host = allot__room_host(&of->room, all[at].site);
        if (host >= 0 && grown)
            allot__room_take(&of->room, host, -all[at].slots);
        else if (host >= 0)
            allot__room_stop(&of->room, job, host, all[at].slots);
    }
    if (order->action == ALLOT_SUSPEND || order->action == ALLOT_CHECKPOINT)
        allot__room_keep(&of->room, order->job);
}

static void redo(allot__tell_past *of, const allot_job_order *order)
{
    const allot__job *job = allot__job_at(of->work.state->jobs, order->job);
    if (stops(order)) {
        if (!order->held)
            redo_stop(of, order);
        return;
    }
    if (order->kind == ALLOT_ORDER_RESUME)
        allot__room_unkeep(&of->room, order->job);
    if (order->place_count == 0)
        allot__room_run(&of->room, job, 0, (int32_t)order->slots);
    for (int32_t i = 0; i < order->place_count; i++) {
        int32_t host = host_of(of, &order->places[i]);
        int32_t slots = (int32_t)order->places[i].slots;
        if (order->kind == ALLOT_ORDER_RESIZE && of->room.running[host] > 0)
            allot__room_take(&of->room, host, slots);
        else
            allot__room_run(&of->room, job, host, slots);
    }
}

int allot__tell_back(allot__job_teller *it, int32_t orders, int32_t viewer, allot__tell_past *out)
{
    const allot_job_order *all = it->out->orders.items;
    out->work = *it->teller.work;
    out->work.arena = &it->arena;
    int status = allot__room_make(&out->work, &out->room);
    if (status == ALLOT_OK)
        status = allot__room_lease(&out->room, it->teller.decision->leases);
    for (int32_t i = 0; i < orders && status == ALLOT_OK; i++)
        redo(out, &all[i]);
    if (status == ALLOT_OK)
        allot__room_view(&out->room, viewer);
    return status;
}
