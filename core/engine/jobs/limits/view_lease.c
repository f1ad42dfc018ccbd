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

static void lease(allot__room *room, const allot_lease *of, int64_t slots)
{
    const allot_plan *plan = room->work->plan;
    for (int32_t i = of->host_count - 1; i >= 0 && slots > 0; i--) {
        int32_t site;
        bool known = allot__host_number(&allot__plan_base(plan)->hosts, of->hosts[i].host, &site);
        int32_t host = known ? allot__room_host(room, site) : -1;
        int64_t there = host >= 0 ? room->slots[host] : 0;
        there = there < of->hosts[i].slots ? there : of->hosts[i].slots;
        there = there < slots ? there : slots;
        slots -= there;
        if (there > 0) {
            allot__room_take(room, host, (int32_t)there);
            room->leased[host] += (int32_t)there;
        }
    }
}

int allot__room_lease(allot__room *room, const allot_lease_part *parts)
{
    int32_t count = parts ? allot_plan_leases(room->work->plan) : 0;
    size_t hosts = (size_t)room->count + 1;
    if (count == 0)
        return ALLOT_OK;
    room->leased = allot__arena_take(room->work->arena, hosts, sizeof *room->leased);
    if (!room->leased)
        return ALLOT_ENOMEM;
    memset(room->leased, 0, hosts * sizeof *room->leased);
    for (int32_t i = 0; i < count; i++) {
        allot_lease of;
        const allot_lease_now *now = &parts[i].now;
        int64_t slots = now->consumer.available;
        if (now->phase == ALLOT_LEASE_INACTIVE)
            slots += now->provider.available - now->provider.used;
        if (allot_plan_lease_at(room->work->plan, i, &of) == ALLOT_OK && of.shared)
            lease(room, &of, slots);
    }
    return ALLOT_OK;
}

int64_t allot__room_leased(const allot__room *room, int32_t set)
{
    int64_t sum = 0;
    for (int32_t host = 0; room->leased && host < room->count; host++)
        sum += allot__room_has(room, set, host) ? room->leased[host] : 0;
    return sum;
}
