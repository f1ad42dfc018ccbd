/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: what jobs hold of beside slots. */
#include "model/jobs/queue.h"
#include "model/names/named.h"

/* What P-36 says: the default is the least. */
enum { WAIT_LEAST = 300 };

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

static int open(allot_plan *plan, allot__queues **out)
{
    if (!plan || plan->sealed)
        return ALLOT_EUSAGE;
    *out = allot__queues_open(plan);
    return *out ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot_plan_resource(allot_plan *plan, const allot_resource *resource)
{
    allot__queues *queues;
    if (!resource)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(resource->name))
        return ALLOT_ENAME;
    if (!within(resource->amount, 0, ALLOT_AMOUNT_MAX))
        return ALLOT_ERANGE;
    int status = open(plan, &queues);
    if (status)
        return status;
    if (allot__named_find(&queues->resources, &queues->resource_index, resource->name) >= 0)
        return ALLOT_EEXIST;
    allot_resource *added =
        allot__named_add(plan->engine, &queues->pool, &queues->resources, &queues->resource_index,
                         resource->name, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    added->amount = resource->amount;
    added->preemptable = resource->preemptable != 0;
    return ALLOT_OK;
}

int allot_plan_preemption_wait(allot_plan *plan, int32_t seconds)
{
    allot__queues *queues;
    if (!within(seconds, WAIT_LEAST, ALLOT_AMOUNT_MAX))
        return ALLOT_ERANGE;
    int status = open(plan, &queues);
    if (status == ALLOT_OK)
        queues->preemption_wait = seconds;
    return status;
}

int32_t allot__preemption_wait(const allot__queues *queues)
{
    return queues->preemption_wait > 0 ? queues->preemption_wait : WAIT_LEAST;
}

int32_t allot_plan_resources(const allot_plan *plan)
{
    const allot__queues *queues = plan ? allot__queues_of(plan) : NULL;
    return queues ? (int32_t)queues->resources.count : 0;
}

int allot_plan_resource_at(const allot_plan *plan, int32_t resource, allot_resource *out)
{
    if (!out || resource < 0 || resource >= allot_plan_resources(plan))
        return ALLOT_EUSAGE;
    *out = ((const allot_resource *)allot__queues_of(plan)->resources.items)[resource];
    return ALLOT_OK;
}

int32_t allot_plan_resource_find(const allot_plan *plan, const char *name)
{
    const allot__queues *queues = plan && name ? allot__queues_of(plan) : NULL;
    return queues ? allot__named_find(&queues->resources, &queues->resource_index, name) : -1;
}
