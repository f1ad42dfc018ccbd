/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_copy_jobs.c: tasks, jobs and contracts under another plan. */
#include "model/state/job.h"
#include "model/jobs/queue.h"
#include "model/state/state_copy.h"

/* A task's values by the other plan's attributes, in a block of their own. */
static int copy_values(const allot__copying *it, const allot_task_value *from, int32_t count,
                       allot_task_value **out)
{
    allot_attribute of = {0};
    *out = allot__new(it->to->engine, (size_t)count + 1, sizeof **out);
    if (!*out)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        (*out)[i] = (allot_task_value){it->attributes[from[i].attribute], from[i].value};
        if ((*out)[i].attribute >= 0)
            continue;
        allot_plan_task_attribute_at(it->from->plan, from[i].attribute, &of);
        return allot__copy_lacks(it, "attribute of tasks", of.name);
    }
    return ALLOT_OK;
}

static int copy_task(const allot__copying *it, int32_t i)
{
    allot_task task;
    allot_task_value *values = NULL;
    allot_state_task_at(it->from, i, &task);
    int32_t count = task.value_count;
    int status = allot__copy_pair(it, &task.group, &task.consumer);
    if (status == ALLOT_OK)
        status = copy_values(it, task.values, count, &values);
    task.values = values;
    if (status == ALLOT_OK)
        status = allot_state_task(it->to, &task);
    allot__free(it->to->engine, values, (size_t)count + 1, sizeof *values);
    return status;
}

static int copy_resources(const allot__copying *it, const allot_job *job, allot_job_resource **out)
{
    allot_resource of;
    *out = allot__new(it->to->engine, (size_t)job->resource_count + 1, sizeof **out);
    if (!*out)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < job->resource_count; i++) {
        allot_plan_resource_at(it->from->plan, job->resources[i].resource, &of);
        (*out)[i] = job->resources[i];
        (*out)[i].resource = allot_plan_resource_find(it->to->plan, of.name);
        if ((*out)[i].resource < 0)
            return allot__copy_lacks(it, "resource", of.name);
    }
    return ALLOT_OK;
}

static int copy_job(const allot__copying *it, int32_t i)
{
    allot_job job;
    allot_task_value *values = NULL;
    allot_job_resource *resources = NULL;
    allot_state_job_at(it->from, i, &job);
    int32_t count = job.value_count, held = job.resource_count;
    int status =
        allot__copy_consumer(it, job.queue, &job.queue); /* a queue's number is its handle */
    if (status == ALLOT_OK && job.reserved_by >= 0)
        status = allot__copy_consumer(it, job.reserved_by, &job.reserved_by);
    if (status == ALLOT_OK)
        status = copy_values(it, job.values, count, &values);
    if (status == ALLOT_OK)
        status = copy_resources(it, &job, &resources);
    job.values = values;
    job.resources = resources;
    if (status == ALLOT_OK)
        status = allot_state_job(it->to, &job);
    allot__free(it->to->engine, resources, (size_t)held + 1, sizeof *resources);
    allot__free(it->to->engine, values, (size_t)count + 1, sizeof *values);
    return status;
}

static int copy_usage(const allot__copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    int status = ALLOT_OK;
    for (int32_t q = 0; q < allot__queue_count(it->from->plan) && status == ALLOT_OK; q++) {
        int32_t queue;
        if (!jobs->usage || !jobs->usage[q].told)
            continue;
        status = allot__copy_consumer(it, q, &queue);
        if (status == ALLOT_OK)
            status = allot_state_usage(it->to, queue, jobs->usage[q].slot_seconds,
                                       jobs->usage[q].millionths);
    }
    if (status == ALLOT_OK && jobs->usage_at_set)
        status = allot_state_usage_at(it->to, jobs->usage_at);
    return status;
}

static int copy_preempted(const allot__copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    allot_resource of;
    int status = ALLOT_OK;
    for (int32_t i = 0;
         jobs->preempted_at && i < allot_plan_resources(it->from->plan) && status == ALLOT_OK;
         i++) {
        if (jobs->preempted_at[i] == INT64_MIN)
            continue;
        allot_plan_resource_at(it->from->plan, i, &of);
        int32_t other = allot_plan_resource_find(it->to->plan, of.name);
        status = other < 0 ? allot__copy_lacks(it, "resource", of.name)
                           : allot_state_resource_preempted(it->to, other, jobs->preempted_at[i]);
    }
    return status;
}

int allot__copy_leases(const allot__copying *it)
{
    allot_lease of;
    allot_lease_now now;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_leases(it->from->plan) && status == ALLOT_OK; i++) {
        if (allot_state_lease_at(it->from, i, &now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(it->from->plan, i, &of);
        int32_t other = allot_plan_lease_find(it->to->plan, of.name);
        status = other < 0 ? allot__copy_lacks(it, "lease", of.name)
                           : allot_state_lease(it->to, other, &now);
    }
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

int allot__copy_tasks(const allot__copying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_tasks(it->from) && status == ALLOT_OK; i++)
        status = copy_task(it, i);
    return status;
}

int allot__copy_jobs(const allot__copying *it)
{
    int status = ALLOT_OK;
    if (!it->from->jobs)
        return ALLOT_OK;
    for (int32_t i = 0; i < allot_state_jobs(it->from) && status == ALLOT_OK; i++)
        status = copy_job(it, i);
    if (status == ALLOT_OK)
        status = copy_usage(it);
    return status == ALLOT_OK ? copy_preempted(it) : status;
}
