/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * jobs.c: the jobs of a state, made and freed.
 *
 * This file owns: the life of allot__jobs.
 */
#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

allot__jobs *allot__jobs_open(allot_state *state)
{
    if (!state->jobs)
        state->jobs = allot__new(state->engine, 1, sizeof *state->jobs);
    return state->jobs;
}

void allot__jobs_free(allot_state *state)
{
    allot_engine *engine = state->engine;
    allot__jobs *it = state->jobs;
    if (!it)
        return;
    size_t queues = (size_t)allot__queue_count(state->base);
    allot__vector *lists[] = {&it->list,         &it->places,    &it->hosts,
                              &it->labels,       &it->users,     &it->groups,
                              &it->applications, &it->resources, &it->resource_jobs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        allot__vector_free(engine, lists[i]);
    allot__index *indexes[] = {&it->index, &it->user_index, &it->group_index,
                               &it->application_index};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
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
