/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * jobs.c: makes, fills and frees a state's jobs.
 *
 * This file owns: the life of allot__jobs.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/names/named.h"
#include "model/state/job.h"
#include "model/state/state.h"

void allot_job_init(allot_job *job)
{
    allot_item_init(allot_members_of(ALLOT_ITEM_JOB), job);
}

/* ---- Life ------------------------------------------------------------------------------------ */

allot__jobs *allot__jobs_open(allot_state *state)
{
    if (!state->jobs)
        state->jobs = allot__new(state->engine, 1, sizeof *state->jobs);
    return state->jobs;
}

int allot__jobs_room(allot_state *state)
{
    allot_engine *engine = state->engine;
    size_t queues = (size_t)allot__queue_count(state->base);
    size_t leases = (size_t)allot_plan_leases(state->base);
    size_t resources = (size_t)allot_plan_resources(state->base);
    allot__jobs *it = allot__jobs_open(state);
    if (!it)
        return ALLOT_ENOMEM;
    if (!it->usage)
        it->usage = allot__new(engine, queues, sizeof *it->usage);
    if (!it->leases)
        it->leases = allot__new(engine, leases, sizeof *it->leases);
    if (!it->preempted_at) {
        it->preempted_at = allot__new(engine, resources, sizeof *it->preempted_at);
        for (size_t i = 0; it->preempted_at && i < resources; i++)
            it->preempted_at[i] = INT64_MIN;
    }
    bool some = (queues == 0 || it->usage) && (leases == 0 || it->leases) &&
                (resources == 0 || it->preempted_at);
    return some ? ALLOT_OK : ALLOT_ENOMEM;
}

enum { LISTS = 8, INDEXES = 3 };

static void find_all(allot__jobs *it, allot__vector *lists[LISTS], allot__index *indexes[INDEXES])
{
    allot__vector *const all[LISTS] = {&it->list,      &it->places,       &it->labels,
                                       &it->users,     &it->groups,       &it->applications,
                                       &it->resources, &it->resource_jobs};
    allot__index *const by_name[INDEXES] = {&it->user_index, &it->group_index,
                                            &it->application_index};
    memcpy(lists, all, sizeof all);
    memcpy(indexes, by_name, sizeof by_name);
}

static void clear(allot_state *state)
{
    allot__vector *lists[LISTS];
    allot__index *indexes[INDEXES];
    find_all(state->jobs, lists, indexes);
    for (int i = 0; i < LISTS; i++)
        lists[i]->count = 0;
    for (int i = 0; i < INDEXES; i++)
        allot__index_clear(indexes[i]);
    allot__pool_clear(state->engine, &state->jobs->pool);
    state->jobs->arranged = state->jobs->timed = false;
}

void allot__jobs_free(allot_state *state)
{
    allot_engine *engine = state->engine;
    allot__jobs *it = state->jobs;
    if (!it)
        return;
    size_t queues = (size_t)allot__queue_count(state->base);
    allot__vector *lists[LISTS];
    allot__index *indexes[INDEXES];
    find_all(it, lists, indexes);
    for (int i = 0; i < LISTS; i++)
        allot__vector_free(engine, lists[i]);
    for (int i = 0; i < INDEXES; i++)
        allot__index_free(engine, indexes[i]);
    allot__free(engine, it->preempted_at, (size_t)allot_plan_resources(state->base),
                sizeof *it->preempted_at);
    allot__free(engine, it->usage, queues, sizeof *it->usage);
    allot__free(engine, it->leases, (size_t)allot_plan_leases(state->base), sizeof *it->leases);
    allot__free(engine, it->first, queues + 1, sizeof *it->first);
    allot__free(engine, it->by_queue, it->room, sizeof *it->by_queue);
    allot__pool_free(engine, &it->pool);
    allot__free(engine, it, 1, sizeof *it);
    state->jobs = NULL;
}

/* ---- Columns ------------------------------------------------------------------------------- */

/* The number of a name, among the plan's and behind them those that only jobs have; -1: no name;
 * -2: out of memory. */
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

/* In a plan with queues only jobs have labels. */
int allot__jobs_fill(allot_state *state)
{
    const allot__things *things = &state->all_jobs;
    if (things->list.count == 0 && !state->jobs)
        return ALLOT_OK;
    if (!allot__jobs_open(state))
        return ALLOT_ENOMEM;
    int status = ALLOT_OK;
    clear(state);
    if (allot__queue_count(state->plan) > 0)
        allot__tasks_clear(state);
    for (int32_t i = 0; (size_t)i < things->list.count && status == ALLOT_OK; i++)
        status = put_job(state, allot__things_item(things, i));
    return status;
}

/* ---- Read back ------------------------------------------------------------------------------- */

/* The name of a number, among the plan's and behind them those that only jobs have. */
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

/* The first resource entry of that job or a later one. */
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
