/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* back.c: hosts as they were before an order: the cycle's orders gone through again. */
#include "engine/explain/job.h"
#include "engine/jobs/turn.h"

static void redo(allot__past *of, const allot_job_order *order, allot__job_place *room)
{
    const allot__job_place *places;
    if (order->kind > ALLOT_ORDER_RESIZE) {
        if (!order->held)
            allot__host_view_job(&of->view, order->job, order->kind == ALLOT_ORDER_SUSPEND, -1);
        return;
    }
    int32_t count = allot__order_places(&of->work, order, order->places, room, &places);
    allot__host_view_order(&of->view, order->kind, order->job, places, count, 1);
}

int allot__explain_back(allot__job_explanation *it, int32_t orders, int32_t viewer,
                        allot__past *out)
{
    const allot_job_order *all = it->out->orders.items;
    out->work = *it->about.work;
    out->work.arena = &it->arena;
    int status = allot__host_view_make(&out->work, &out->view);
    if (status == ALLOT_OK)
        status = allot__host_view_lease(&out->view, it->about.decision->leases);
    allot__job_place *places =
        allot__arena_take(&it->arena, (size_t)out->view.count + 1, sizeof *places);
    if (!places)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < orders && status == ALLOT_OK; i++)
        redo(out, &all[i], places);
    if (status == ALLOT_OK)
        allot__host_view_as(&out->view, viewer);
    return status;
}
