/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_seal.c: makes what a cycle reads of queues: sets of hosts, pools, user groups. */
#include <stdio.h>
#include <string.h>

#include "model/jobs/queue.h"

static void *take(allot_plan *plan, size_t count, size_t size)
{
    return allot__pool_take(plan->engine, &plan->queues->sealed, count * size, sizeof(void *));
}

/* ---- Hosts ---- */

static int make_sets(allot_plan *plan, allot_report *report)
{
    allot__queues *queues = plan->queues;
    size_t count = queues->list.count;
    int32_t all;
    int result = allot__set_make(plan, &(allot__listing){.hosts = true}, &all);
    queues->set_of = take(plan, count, sizeof *queues->set_of);
    if (!queues->set_of)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count && result != ALLOT_ENOMEM; i++) {
        const allot_queue *queue = allot__queue_at(queues, (int32_t)i);
        char path[64];
        snprintf(path, sizeof path, "queues[%zu].hosts", i);
        allot__listing hosts = {
            true, queue->hosts, sizeof *queue->hosts, queue->host_count, path, (int32_t)i, report};
        queues->set_of[i] = -1; /* unknown if a name is */
        int status = allot__set_make(plan, &hosts, &queues->set_of[i]);
        result = status ? status : result;
    }
    return result;
}

/* ---- Pools ---- */

static int32_t pool_named(const allot__queues *queues, const char *name)
{
    for (int32_t i = 0; i < queues->pool_count; i++)
        if (strcmp(queues->pools[i].name, name) == 0)
            return i;
    return -1;
}

/* Numbers pools in the order of their first queues, which state the pool's terms. */
static void number_pools(allot__queues *queues)
{
    for (int32_t q = 0; q < (int32_t)queues->list.count; q++) {
        const allot_queue *queue = allot__queue_at(queues, q);
        queues->pool_of[q] = queue->slot_pool ? pool_named(queues, queue->slot_pool) : -1;
        if (queue->slot_pool && queues->pool_of[q] < 0) {
            queues->pool_of[q] = queues->pool_count++;
            queues->pools[queues->pool_of[q]] =
                (allot__slot_pool){.name = queue->slot_pool,
                                   .most = queue->max_slots_in_pool,
                                   .by_priority = queue->use_priority_in_pool != 0,
                                   .set = queues->set_of[q]};
        }
        if (queue->slot_pool)
            queues->pools[queues->pool_of[q]].count++;
    }
}

int allot__pools_make(allot_plan *plan)
{
    allot__queues *queues = plan->queues;
    size_t count = queues->list.count;
    queues->pool_of = take(plan, count, sizeof *queues->pool_of);
    queues->pools = take(plan, count, sizeof *queues->pools);
    int32_t *members = take(plan, count, sizeof *members);
    if (!queues->pool_of || !queues->pools || !members)
        return ALLOT_ENOMEM;
    number_pools(queues);
    for (int32_t i = 0; i < queues->pool_count; i++) {
        queues->pools[i].queues = members;
        members += queues->pools[i].count;
        queues->pools[i].count = 0;
    }
    for (int32_t q = 0; q < (int32_t)count; q++) {
        if (queues->pool_of[q] < 0)
            continue;
        allot__slot_pool *pool = &queues->pools[queues->pool_of[q]];
        pool->queues[pool->count++] = q;
    }
    return ALLOT_OK;
}

/* ---- Users' groups ---- */

/* Sorts members by user, stably, without duplicates. */
static int make_groups(allot_plan *plan)
{
    allot__queues *queues = plan->queues;
    size_t users = queues->users.count, count = queues->members.count;
    const allot__member *members = queues->members.items;
    int32_t *first = take(plan, users + 2, sizeof *first);
    int32_t *of = take(plan, count, sizeof *of);
    if (!first || !of)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        first[members[i].user + 2]++;
    for (size_t i = 2; i < users + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < count; i++)
        of[first[members[i].user + 1]++] = members[i].group; /* equal ones become adjacent */
    int32_t kept = 0, from = 0;
    for (size_t u = 0; u < users; u++) {
        int32_t begin = kept, end = first[u + 1];
        for (; from < end; from++)
            if (kept == begin || of[kept - 1] != of[from])
                of[kept++] = of[from];
        first[u + 1] = kept;
    }
    queues->user_first = first;
    queues->group_of = of;
    return ALLOT_OK;
}

/* ---- All ---- */

/* Is preemption on (P-20)? The policy's relation may switch it on later (relation.c). */
static bool preempts(const allot_plan *plan)
{
    const allot_policy *policy = plan->groups[0].policy;
    bool any = false;
    for (int32_t i = 0; i < allot__queue_count(plan); i++) {
        const allot_queue *queue = allot__queue_at(plan->queues, i);
        any = any || queue->preemptive || queue->preemptable;
    }
    return any && !(policy && policy->test_count == 0);
}

static int make(allot_plan *plan, allot_report *report)
{
    allot__queues *queues = plan->queues;
    int result = make_sets(plan, report);
    if (result != ALLOT_ENOMEM && allot__pools_make(plan))
        result = ALLOT_ENOMEM;
    if (result != ALLOT_ENOMEM && make_groups(plan))
        result = ALLOT_ENOMEM;
    queues->preempts = preempts(plan);
    if (result == ALLOT_ENOMEM)
        return result;
    int status = allot__limits_seal(plan, report);
    return status ? status : result;
}

int allot__queues_seal(allot_plan *plan, allot_report *report)
{
    if (!plan->queues)
        return ALLOT_OK;
    int result = make(plan, report);
    if (result != ALLOT_ENOMEM) {
        int pools = allot__pools_check(plan, report), leases = allot__leases_check(plan, report);
        result = pools ? pools : result;
        result = leases ? leases : result;
        if (plan->queues->list.count > 0)
            allot__sizes_check(plan, report);
    }
    if (result)
        allot__queues_unseal(plan);
    return result;
}
