/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: adding jobs to a state, and how queues were used. */
#include "model/state/job.h"

#include "model/names/named.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

void allot_job_init(allot_job *job)
{
    if (!job)
        return;
    *job = (allot_job){.slots = 1,
                       .submitted = INT64_MIN,
                       .started = INT64_MIN,
                       .ran = -1,
                       .since = INT64_MIN,
                       .begin = INT64_MIN,
                       .run_limit = -1,
                       .reserved_by = -1,
                       .until = INT64_MAX};
}

/* ---- Checking ---- */

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

/* Sound, and their sum an amount: `*sum`. */
static int check_places(const allot_job_host *hosts, int32_t n, bool named, int64_t *sum)
{
    int status = ALLOT_OK;
    *sum = 0;
    if (n < 0 || (n > 0 && !hosts))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < n; i++) {
        if (named && !hosts[i].host)
            return ALLOT_EUSAGE;
        if (hosts[i].host && !allot__label_valid(hosts[i].host))
            return ALLOT_ENAME;
        if (!within(hosts[i].slots, 1, ALLOT_AMOUNT_MAX - *sum))
            status = ALLOT_ERANGE;
        *sum += status ? 0 : hosts[i].slots;
    }
    return status;
}

static bool optional_label(const char *name)
{
    return !name || allot__label_valid(name);
}

static int check_names(const allot_job *job)
{
    bool sound = allot__label_valid(job->id) && optional_label(job->user) &&
                 optional_label(job->group) && optional_label(job->application);
    return sound ? ALLOT_OK : ALLOT_ENAME;
}

static int check_numbers(const allot_job *job)
{
    bool sound = within(job->slots, 1, ALLOT_AMOUNT_MAX) && within(job->ran, -1, INT64_MAX) &&
                 within(job->suspended_for, 0, INT64_MAX) &&
                 within(job->preempted, 0, ALLOT_AMOUNT_MAX) &&
                 within(job->priority, -ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX) &&
                 (job->run_limit == -1 || within(job->run_limit, 1, ALLOT_AMOUNT_MAX)) &&
                 within(job->grow, 0, ALLOT_AMOUNT_MAX);
    return sound ? ALLOT_OK : ALLOT_ERANGE;
}

/* Bits that a job may have. */
enum { FLAGS = ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_BACKFILL | ALLOT_JOB_FORCED };

int allot__job_check(const allot_state *state, const void *item)
{
    const allot_job *job = item;
    int64_t slots, grown, queues = allot__queue_count(state->plan);
    if (!within(job->queue, 0, queues - 1) || !within(job->state, 0, ALLOT_JOB_STATE_COUNT - 1) ||
        (job->flags & ~FLAGS) || !within(job->reserved_by, -1, queues - 1))
        return ALLOT_EUSAGE;
    int status = check_names(job);
    status = status ? status : check_numbers(job);
    status = status ? status : check_places(job->hosts, job->host_count, true, &slots);
    status = status ? status : check_places(job->grown, job->grown_count, false, &grown);
    status = status ? status : allot__job_resources_check(state, job);
    return status ? status
                  : allot__values_check(state->plan, job->tags, job->tag_count, job->values,
                                        job->value_count);
}

/* ---- Columns ------------------------------------------------------------------------------- */

/* A number among the plan's names and, behind them, those that jobs alone have; -1: no name; -2:
 * out of memory. */
static int32_t number_of(allot_state *state, const allot__vector *planned,
                         const allot__index *planned_index, allot__vector *list,
                         allot__index *index, const char *name)
{
    if (!name)
        return -1;
    int32_t found = allot__named_find(planned, planned_index, name);
    if (found >= 0)
        return found;
    found = allot__named_number(state->engine, &state->jobs->pool, list, index, name);
    return found < 0 ? found : (int32_t)planned->count + found;
}

static int put_names(allot_state *state, const allot_job *job, allot__job *out)
{
    const allot__queues *plan = allot__queues_of(state->plan);
    allot__jobs *jobs = state->jobs;
    out->user = number_of(state, &plan->users, &plan->user_index, &jobs->users, &jobs->user_index,
                          job->user);
    out->group = number_of(state, &plan->groups, &plan->group_index, &jobs->groups,
                           &jobs->group_index, job->group);
    out->application = number_of(state, &plan->applications, &plan->application_index,
                                 &jobs->applications, &jobs->application_index, job->application);
    bool all = out->user != -2 && out->group != -2 && out->application != -2;
    return all ? ALLOT_OK : ALLOT_ENOMEM;
}

static int put_place(allot_state *state, const char *host, int64_t slots)
{
    allot__jobs *jobs = state->jobs;
    int32_t label = allot__label_of(state, host);
    if (label < -1)
        return ALLOT_ENOMEM;
    int32_t *of = allot__push(state->engine, &jobs->labels, sizeof *of);
    if (!of)
        return ALLOT_ENOMEM;
    *of = label;
    allot__job_place *place = allot__push(state->engine, &jobs->places, sizeof *place);
    if (!place)
        return ALLOT_ENOMEM;
    if (label >= 0)
        allot__label_at(&state->tasks, label)->is_host = true;
    *place = (allot__job_place){-1, (int32_t)slots};
    return ALLOT_OK;
}

static int put_places(allot_state *state, const allot_job *job, allot__job *out)
{
    allot__jobs *jobs = state->jobs;
    int status = ALLOT_OK;
    out->place = (int32_t)jobs->places.count;
    out->place_count = job->host_count;
    for (int32_t i = 0; i < job->host_count && status == ALLOT_OK; i++)
        status = put_place(state, job->hosts[i].host, job->hosts[i].slots);
    if (job->host_count == 0 && job->state != ALLOT_PENDING && status == ALLOT_OK) {
        out->place_count = 1;
        status = put_place(state, NULL, job->slots);
    }
    out->grown = (int32_t)jobs->places.count;
    out->grown_count = job->grown_count;
    for (int32_t i = 0; i < job->grown_count && status == ALLOT_OK; i++)
        status = put_place(state, job->grown[i].host, job->grown[i].slots);
    return status;
}

static allot__job made_of(const allot_job *job)
{
    return (allot__job){.id = job->id,
                        .told = job,
                        .submitted = job->submitted,
                        .started = job->started,
                        .ran = job->ran,
                        .suspended_for = job->suspended_for,
                        .since = job->since,
                        .begin = job->begin,
                        .until = job->until,
                        .queue = job->queue,
                        .slots = (int32_t)job->slots,
                        .preempted = (int32_t)job->preempted,
                        .priority = (int32_t)job->priority,
                        .run_limit = ALLOT_NONE,
                        .run_limit_stated = (int32_t)job->run_limit,
                        .grow = (int32_t)job->grow,
                        .reserved_by = job->reserved_by,
                        .state = (uint8_t)job->state,
                        .flags = (uint8_t)job->flags,
                        .notifying = job->notifying != 0};
}

static int put_resources(allot_state *state, const allot_job *job)
{
    allot__jobs *jobs = state->jobs;
    for (int32_t i = 0; i < job->resource_count; i++) {
        if (job->resources[i].amount == 0)
            continue;
        int32_t *of = allot__push(state->engine, &jobs->resource_jobs, sizeof *of);
        allot_job_resource *added = allot__push(state->engine, &jobs->resources, sizeof *added);
        if (!of || !added)
            return ALLOT_ENOMEM;
        *of = (int32_t)jobs->list.count;
        *added = job->resources[i];
    }
    return ALLOT_OK;
}

static int put_job(allot_state *state, const allot_job *job)
{
    allot__job made = made_of(job);
    int status = put_names(state, job, &made);
    if (status == ALLOT_OK)
        status = put_places(state, job, &made);
    if (status == ALLOT_OK)
        status = put_resources(state, job);
    allot__job *added =
        status == ALLOT_OK ? allot__push(state->engine, &state->jobs->list, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    *added = made;
    state->jobs->timed = state->jobs->timed || made.begin != INT64_MIN;
    return ALLOT_OK;
}

/* All labels of a plan with queues are those of jobs. */
int allot__jobs_fill(allot_state *state)
{
    const allot__things *things = &state->all_jobs;
    if (things->list.count == 0 && !state->jobs)
        return ALLOT_OK;
    if (!allot__jobs_open(state))
        return ALLOT_ENOMEM;
    int status = ALLOT_OK;
    allot__jobs_clear(state);
    if (allot__queue_count(state->plan) > 0)
        allot__tasks_clear(state);
    for (int32_t i = 0; (size_t)i < things->list.count && status == ALLOT_OK; i++)
        status = put_job(state, allot__things_item(things, i));
    return status;
}

/* ---- How queues were used ---- */

int allot_state_usage(allot_state *state, int32_t queue, int64_t slot_seconds, int32_t millionths)
{
    int32_t queues = state ? allot__queue_count(state->plan) : 0;
    if (!allot__state_changes(state) || !within(queue, 0, (int64_t)queues - 1))
        return ALLOT_EUSAGE;
    if (!within(slot_seconds, 0, (int64_t)1 << 62) || !within(millionths, 0, 999999))
        return ALLOT_ERANGE;
    if (allot__jobs_room(state) != ALLOT_OK)
        return ALLOT_ENOMEM;
    state->jobs->usage[queue] = (allot__usage){true, slot_seconds, millionths};
    return ALLOT_OK;
}

int allot_state_usage_at(allot_state *state, int64_t when)
{
    if (!allot__state_changes(state) || allot__queue_count(state->plan) == 0)
        return ALLOT_EUSAGE;
    allot__jobs *jobs = allot__jobs_open(state);
    if (!jobs)
        return ALLOT_ENOMEM;
    jobs->usage_at = when;
    jobs->usage_at_set = true;
    return ALLOT_OK;
}
