/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* place.c: puts a job that is to start on hosts. */
#include "base/least.h"
#include "engine/jobs/reserve.h"

int32_t allot__place_on_hosts(allot__turns *turns, int32_t number, int32_t *from, int32_t *binding)
{
    const allot__job_brief *job = &turns->jobs->briefs[number];
    const allot__host_view *view = &turns->out->view;
    allot__bounds *bounds = &turns->out->bounds;
    int32_t set = turns->queues->set_of[job->queue], left = job->slots;
    bool by_host = allot__bounds_by_host(bounds, number);
    turns->place_count = 0;
    *binding = -1;
    for (int32_t host = allot__host_view_next(view, set, *from); host >= 0 && left > 0;
         host = allot__host_view_next(view, set, host + 1)) {
        int32_t slots = (int32_t)allot__least(view->free[host], left);
        if (job->exclusive && !allot__host_view_empty(view, host))
            slots = 0;
        slots = allot__reserve_least(turns, host, slots);
        if (by_host && slots > 0) {
            int32_t bound, may = allot__bounds_on_host(bounds, number, host, slots, &bound);
            *binding = may < slots && *binding == -1 ? bound : *binding;
            slots = may;
        }
        if (slots > 0) {
            allot__reserve_use(turns, host, slots);
            *from = turns->place_count == 0 ? host : *from;
            allot__bounds_try(bounds, number, host, slots);
            turns->places[turns->place_count++] =
                (allot__job_place){.site = view->site[host], .slots = slots};
            left -= slots;
        }
    }
    allot__bounds_tried(bounds, number);
    return left;
}
