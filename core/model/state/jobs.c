/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * jobs.c: the jobs of a state, made and freed.
 *
 * This file owns: the life of allot__jobs.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

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

void allot__jobs_clear(allot_state *state)
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
