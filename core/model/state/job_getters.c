/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_getters.c: a state's jobs as they were added. */
#include "model/state/job.h"
#include "model/names/named.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

int32_t allot_state_jobs(const allot_state *state)
{
    return state && state->jobs ? (int32_t)state->jobs->list.count : 0;
}

int32_t allot_state_job_find(const allot_state *state, const char *id)
{
    if (!id || allot_state_jobs(state) == 0)
        return -1;
    return allot__named_find(&state->jobs->list, &state->jobs->index, id);
}

/* The name of a number among the plan's and, behind them, those that jobs alone have. */
static const char *name_of(const allot__vector *planned, const allot__vector *list, int32_t number)
{
    if (number < 0)
        return NULL;
    bool own = (size_t)number < planned->count;
    return allot__named_at(own ? planned : list, own ? number : number - (int32_t)planned->count);
}

const char *allot__job_user(const allot_state *state, int32_t number)
{
    return name_of(&allot__queues_of(state->plan)->users, &state->jobs->users, number);
}

const char *allot__job_group(const allot_state *state, int32_t number)
{
    return name_of(&allot__queues_of(state->plan)->groups, &state->jobs->groups, number);
}

static const char *application_name(const allot_state *state, int32_t number)
{
    return name_of(&allot__queues_of(state->plan)->applications, &state->jobs->applications,
                   number);
}

static void put_extra(const allot_state *state, const allot__job *job, allot_job *out)
{
    if (job->extra < 0)
        return;
    const allot__extra *extra = (const allot__extra *)state->tasks.extras.items + job->extra;
    out->tags = extra->tags;
    out->tag_count = extra->tag_count;
    out->values = extra->values;
    out->value_count = extra->value_count;
}

int allot_state_job_at(const allot_state *state, int32_t i, allot_job *out)
{
    if (!out || i < 0 || i >= allot_state_jobs(state))
        return ALLOT_EUSAGE;
    const allot__jobs *jobs = state->jobs;
    const allot__job *job = allot__job_at(jobs, i);
    const allot_job_host *hosts = jobs->hosts.items;
    *out = (allot_job){.id = job->id,
                       .queue = job->queue,
                       .state = (allot_job_state)job->state,
                       .slots = job->slots,
                       .host_count = job->place_count,
                       .submitted = job->submitted,
                       .started = job->started,
                       .ran = job->ran,
                       .suspended_for = job->suspended_for,
                       .preempted = job->preempted,
                       .priority = job->priority,
                       .user = allot__job_user(state, job->user),
                       .group = allot__job_group(state, job->group),
                       .application = application_name(state, job->application),
                       .run_limit = job->run_limit_stated,
                       .flags = job->flags,
                       .reserved_by = job->reserved_by,
                       .until = job->until,
                       .grow = job->grow,
                       .grown_count = job->grown_count,
                       .notifying = job->notifying};
    if (job->place_count > 0 && hosts[job->place].host)
        out->hosts = &hosts[job->place];
    else
        out->host_count = 0;
    out->grown = job->grown_count > 0 ? &hosts[job->grown] : NULL;
    put_extra(state, job, out);
    out->resources = allot__job_resources(jobs, i, &out->resource_count);
    return ALLOT_OK;
}
