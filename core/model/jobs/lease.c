/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease.c: contracts about leased slots. */
#include "model/jobs/queue.h"
#include "model/names/names.h"

static bool amount(int64_t value)
{
    return value >= 0 && value <= ALLOT_AMOUNT_MAX;
}

static const allot_lease *lease_at(const allot_plan *plan, int32_t i)
{
    bool known = i >= 0 && i < allot_plan_leases(plan);
    return known ? (const allot_lease *)allot__queues_of(plan)->leases.items + i : NULL;
}

static int check_hosts(const allot_plan *plan, const allot_lease *lease)
{
    int64_t sum = 0;
    bool sound = amount(lease->slots) && amount(lease->reclaim_delay);
    if (lease->host_count < 0 || (lease->host_count > 0 && !lease->hosts))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < lease->host_count; i++) {
        const allot_lease_host *it = &lease->hosts[i];
        if (!it->host || !allot__host_find(&plan->hosts, it->host))
            return ALLOT_EUSAGE;
        sound = sound && it->slots >= 1 && it->slots <= ALLOT_AMOUNT_MAX - sum;
        sum += sound ? it->slots : 0;
    }
    bool agrees =
        lease->host_count == 0 ? lease->slots >= 1 : lease->slots == 0 || lease->slots == sum;
    return sound && agrees ? ALLOT_OK : ALLOT_ERANGE;
}

static int check_lease(const allot_plan *plan, const allot_lease *lease)
{
    if (!plan || plan->sealed || !lease)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(lease->name) || !allot__label_valid(lease->provider) ||
        !allot__label_valid(lease->consumer))
        return ALLOT_ENAME;
    if (allot_plan_lease_find(plan, lease->name) >= 0)
        return ALLOT_EEXIST;
    return check_hosts(plan, lease);
}

static int copy_lease(allot_engine *engine, allot__pool *pool, const allot_lease *from,
                      allot_lease *out)
{
    allot_lease copy = *from;
    allot_lease_host *hosts = NULL;
    if (from->host_count > 0) {
        copy.slots = 0;
        hosts = allot__pool_take(engine, pool, (size_t)from->host_count * sizeof *hosts,
                                 sizeof hosts->slots);
        if (!hosts)
            return ALLOT_ENOMEM;
    }
    for (int32_t i = 0; i < from->host_count; i++) {
        hosts[i].slots = from->hosts[i].slots;
        copy.slots += from->hosts[i].slots;
        if (allot__text_copy(engine, pool, from->hosts[i].host, &hosts[i].host))
            return ALLOT_ENOMEM;
    }
    copy.hosts = hosts;
    if (allot__text_copy(engine, pool, from->provider, &copy.provider) ||
        allot__text_copy(engine, pool, from->consumer, &copy.consumer))
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot_plan_lease(allot_plan *plan, const allot_lease *lease)
{
    int status = check_lease(plan, lease);
    if (status)
        return status;
    allot_engine *engine = plan->engine;
    allot__queues *queues = allot__queues_open(plan);
    allot_lease made;
    if (!queues || copy_lease(engine, &queues->pool, lease, &made))
        return ALLOT_ENOMEM;
    allot_lease *added = allot__named_add(engine, &queues->pool, &queues->leases,
                                          &queues->lease_index, lease->name, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    made.name = added->name;
    *added = made;
    return ALLOT_OK;
}

int32_t allot_plan_leases(const allot_plan *plan)
{
    const allot__queues *queues = plan ? allot__queues_of(plan) : NULL;
    return queues ? (int32_t)queues->leases.count : 0;
}

int allot_plan_lease_at(const allot_plan *plan, int32_t i, allot_lease *out)
{
    const allot_lease *it = lease_at(plan, i);
    if (!it || !out)
        return ALLOT_EUSAGE;
    *out = *it;
    return ALLOT_OK;
}

int32_t allot_plan_lease_find(const allot_plan *plan, const char *name)
{
    const allot__queues *queues = plan && name ? allot__queues_of(plan) : NULL;
    return queues ? allot__named_find(&queues->leases, &queues->lease_index, name) : -1;
}
