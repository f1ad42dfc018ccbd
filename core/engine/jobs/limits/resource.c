/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: how much of resources jobs hold, and whether jobs may be preempted for them. */
#include "engine/jobs/limits/resource.h"

#include <string.h>

#include "base/wide.h"
#include "engine/jobs/limits/view.h"

static const allot_resource *resource_at(const allot__resources *resources, int32_t number)
{
    const allot__queues *queues = allot__queues_of(resources->work->plan);
    return (const allot_resource *)queues->resources.items + number;
}

static const allot_job_resource *asks_of(const allot__resources *resources, int32_t job)
{
    return allot__job_rest_of(resources->work->state->jobs, job)->asks;
}

static int32_t count_of(const allot__resources *resources, int32_t job)
{
    return allot__job_rest_of(resources->work->state->jobs, job)->ask_count;
}

static int64_t wanting(const allot__resources *resources, const allot_job_resource *of)
{
    int64_t used = resources->used[of->resource] + resources->kept[of->resource];
    int64_t above = used + of->amount - resource_at(resources, of->resource)->amount;
    return above > 0 ? above : 0;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static int take_room(const allot__work *work, allot__resources *out)
{
    size_t count = (size_t)out->count;
    return ALLOT__ZEROED_ALL(
        work->arena, ALLOT__WANTED(out->used, count), ALLOT__WANTED(out->kept, count),
        ALLOT__WANTED(out->helps, count), ALLOT__WANTED(out->told_at, count),
        ALLOT__WANTED(out->preempted_at, count), ALLOT__WANTED(out->wanting, count));
}

int allot__resources_make(const allot__work *work, allot__resources **out)
{
    const allot__jobs *jobs = work->state->jobs;
    int32_t count = allot_plan_resources(work->plan);
    if (count == 0)
        return ALLOT_OK;
    allot__resources *it = allot__zeroed(work, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (allot__resources){.work = work, .count = count};
    if (take_room(work, it) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        it->told_at[i] = jobs->preempted_at ? jobs->preempted_at[i] : INT64_MIN;
        it->preempted_at[i] = it->told_at[i];
    }
    for (size_t i = 0; i < jobs->list.count; i++)
        if (allot__job_at(jobs, (int32_t)i)->state != ALLOT_PENDING)
            allot__resources_count(it, (int32_t)i, 1);
    *out = it;
    return ALLOT_OK;
}

/* ---- Asking and counting --------------------------------------------------------------------- */

bool allot__resources_allow(const allot__resources *resources, int32_t job, int32_t *resource)
{
    const allot_job_resource *asks = asks_of(resources, job);
    for (int32_t i = 0; i < count_of(resources, job); i++)
        if (wanting(resources, &asks[i]) > 0) {
            *resource = asks[i].resource;
            return false;
        }
    return true;
}

int64_t allot__resources_above(const allot__resources *resources, int32_t job)
{
    const allot_job_resource *asks = asks_of(resources, job);
    int64_t sum = 0;
    for (int32_t i = 0; i < count_of(resources, job); i++)
        sum += wanting(resources, &asks[i]);
    return sum;
}

int64_t allot__resources_amount(const allot__resources *resources, int32_t number)
{
    return resource_at(resources, number)->amount;
}

void allot__resources_count(allot__resources *resources, int32_t job, int32_t sign)
{
    const allot_job_resource *asks = asks_of(resources, job);
    for (int32_t i = 0; i < count_of(resources, job); i++)
        resources->used[asks[i].resource] += sign * asks[i].amount;
}

/* ---- Preempting ------------------------------------------------------------------------------ */

/* Does the job release its resources when it is preempted? */
static bool releases(const allot__resources *resources, int32_t job)
{
    const allot_plan *plan = resources->work->plan;
    return allot__job_ends(plan, allot__job_at(resources->work->state->jobs, job));
}

bool allot__resources_help(const allot__resources *resources, int32_t job, int32_t other)
{
    const allot_job_resource *asks = asks_of(resources, job), *has = asks_of(resources, other);
    int32_t count = count_of(resources, job), held = count_of(resources, other);
    if (count == 0 || held == 0 || !releases(resources, other))
        return false;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < held; k++)
            if (has[k].resource == asks[i].resource && wanting(resources, &asks[i]) > 0)
                return true;
    return false;
}

void allot__resources_candidate(allot__resources *resources, int32_t job, int32_t sign)
{
    const allot_job_resource *has = asks_of(resources, job);
    int32_t count = releases(resources, job) ? count_of(resources, job) : 0;
    for (int32_t i = 0; i < count; i++)
        resources->helps[has[i].resource] += sign * has[i].amount;
}

bool allot__resources_hopeless(const allot__resources *resources, int32_t job)
{
    const allot_job_resource *asks = asks_of(resources, job);
    for (int32_t i = 0; i < count_of(resources, job); i++)
        if (wanting(resources, &asks[i]) > resources->helps[asks[i].resource])
            return true;
    return false;
}

static bool waits(const allot__resources *resources, int32_t resource)
{
    int64_t at = resources->told_at[resource];
    int32_t wait = allot__preemption_wait(allot__queues_of(resources->work->plan));
    return at != INT64_MIN && resources->work->state->now - (allot__i128)at < wait;
}

allot_pending allot__resources_barred(allot__resources *resources, int32_t job, int32_t *resource)
{
    const allot_job_resource *asks = asks_of(resources, job);
    allot_pending why = ALLOT_PEND_NOT;
    memset(resources->wanting, 0, (size_t)resources->count);
    for (int32_t i = 0; i < count_of(resources, job) && why != ALLOT_PEND_RESOURCE; i++) {
        int32_t number = asks[i].resource;
        if (wanting(resources, &asks[i]) == 0)
            continue;
        resources->wanting[number] = 1;
        bool never = !resource_at(resources, number)->preemptable ||
                     asks[i].amount > resource_at(resources, number)->amount;
        if (never || (why == ALLOT_PEND_NOT && waits(resources, number))) {
            why = never ? ALLOT_PEND_RESOURCE : ALLOT_PEND_RESOURCE_WAIT;
            *resource = number;
        }
    }
    return why;
}

void allot__resources_preempted(allot__resources *resources)
{
    for (int32_t i = 0; i < resources->count; i++)
        if (resources->wanting[i])
            resources->preempted_at[i] = resources->work->state->now;
}
