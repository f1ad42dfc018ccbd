/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: what jobs hold of beside slots, in a plan and of a state's jobs. */
#include "model/state/job.h"
#include "model/names/named.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

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

/* ---- A plan's ---- */

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

/* ---- A state's ---- */

int allot_state_resource_preempted(allot_state *state, int32_t resource, int64_t when)
{
    int32_t count = state ? allot_plan_resources(state->base) : 0;
    if (!state || state->sealed || !within(resource, 0, (int64_t)count - 1))
        return ALLOT_EUSAGE;
    allot__jobs *jobs = allot__jobs_open(state);
    if (!jobs)
        return ALLOT_ENOMEM;
    if (!jobs->preempted_at) {
        jobs->preempted_at = allot__new(state->engine, (size_t)count, sizeof *jobs->preempted_at);
        for (int32_t i = 0; jobs->preempted_at && i < count; i++)
            jobs->preempted_at[i] = INT64_MIN;
    }
    if (!jobs->preempted_at)
        return ALLOT_ENOMEM;
    jobs->preempted_at[resource] = when;
    return ALLOT_OK;
}

int allot__job_resources_check(const allot_state *state, const allot_job *job)
{
    int32_t known = allot_plan_resources(state->base);
    if (job->resource_count < 0 || (job->resource_count > 0 && !job->resources))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < job->resource_count; i++) {
        const allot_job_resource *it = &job->resources[i];
        if (!within(it->resource, 0, (int64_t)known - 1))
            return ALLOT_EUSAGE;
        for (int32_t k = 0; k < i; k++)
            if (job->resources[k].resource == it->resource)
                return ALLOT_EUSAGE;
        if (!within(it->amount, 0, ALLOT_AMOUNT_MAX))
            return ALLOT_ERANGE;
    }
    return ALLOT_OK;
}

int allot__job_resources_put(allot_state *state, const allot_job *job)
{
    allot__jobs *jobs = state->jobs;
    for (int32_t i = 0; i < job->resource_count; i++) {
        if (job->resources[i].amount == 0)
            continue;
        int32_t *of = allot__push(state->engine, &jobs->resource_jobs, sizeof *of);
        allot_job_resource *added =
            of ? allot__push(state->engine, &jobs->resources, sizeof *added) : NULL;
        if (!added)
            return ALLOT_ENOMEM; /* the caller cuts both */
        *of = (int32_t)jobs->list.count;
        *added = job->resources[i];
    }
    return ALLOT_OK;
}

/* The first that is of that job or a later one. */
static size_t first_of(const allot__jobs *jobs, int32_t job)
{
    const int32_t *of = jobs->resource_jobs.items;
    size_t low = 0, high = jobs->resources.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of[middle] < job)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const allot_job_resource *allot__job_resources(const allot__jobs *jobs, int32_t job, int32_t *count)
{
    *count = 0;
    if (jobs->resources.count == 0)
        return NULL;
    size_t first = first_of(jobs, job);
    *count = (int32_t)(first_of(jobs, job + 1) - first);
    return *count > 0 ? (const allot_job_resource *)jobs->resources.items + first : NULL;
}
