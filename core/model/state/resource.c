/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: what jobs hold of beside slots. */
#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

int allot_state_resource_preempted(allot_state *state, int32_t resource, int64_t when)
{
    int32_t count = state ? allot_plan_resources(state->base) : 0;
    if (!allot__state_changes(state) || !within(resource, 0, (int64_t)count - 1))
        return ALLOT_EUSAGE;
    if (allot__jobs_room(state) != ALLOT_OK)
        return ALLOT_ENOMEM;
    state->jobs->preempted_at[resource] = when;
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
