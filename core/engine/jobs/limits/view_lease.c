/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view_lease.c: slots that contracts of shared lease keep from queues.
 *
 * The plan's hosts are the provider's. Of a contract's slots, which stand in the order of its
 * hosts, the consumer has the last; while the contract is inactive nothing starts on idle
 * ones of the provider either (L-7, A-43). An exclusive one leaves the provider's own count of
 * slots as it is (L-8).
 */
#include <string.h>

#include "engine/jobs/limits/view.h"

static void lease(allot__host_view *view, const allot_lease *of, int64_t slots)
{
    const allot_plan *plan = view->work->plan;
    for (int32_t i = of->host_count - 1; i >= 0 && slots > 0; i--) {
        int32_t site;
        bool known = allot__host_number(&allot__plan_base(plan)->hosts, of->hosts[i].host, &site);
        int32_t host = known ? allot__host_view_host(view, site) : -1;
        int64_t there = host >= 0 ? view->slots[host] : 0;
        there = there < of->hosts[i].slots ? there : of->hosts[i].slots;
        there = there < slots ? there : slots;
        slots -= there;
        if (there > 0) {
            allot__host_view_take(view, host, (int32_t)there);
            view->leased[host] += (int32_t)there;
        }
    }
}

int allot__host_view_lease(allot__host_view *view, const allot_lease_part *parts)
{
    int32_t count = parts ? allot_plan_leases(view->work->plan) : 0;
    size_t hosts = (size_t)view->count + 1;
    if (count == 0)
        return ALLOT_OK;
    view->leased = allot__arena_take(view->work->arena, hosts, sizeof *view->leased);
    if (!view->leased)
        return ALLOT_ENOMEM;
    memset(view->leased, 0, hosts * sizeof *view->leased);
    for (int32_t i = 0; i < count; i++) {
        allot_lease of;
        const allot_lease_now *now = &parts[i].now;
        int64_t slots = now->consumer.available;
        if (now->phase == ALLOT_LEASE_INACTIVE)
            slots += now->provider.available - now->provider.used;
        if (allot_plan_lease_at(view->work->plan, i, &of) == ALLOT_OK && of.shared)
            lease(view, &of, slots);
    }
    return ALLOT_OK;
}

int64_t allot__host_view_leased(const allot__host_view *view, int32_t set)
{
    int64_t sum = 0;
    for (int32_t host = 0; view->leased && host < view->count; host++)
        sum += allot__host_view_has(view, set, host) ? view->leased[host] : 0;
    return sum;
}
