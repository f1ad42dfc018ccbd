/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_clear.c: a state emptied of what was added to it, to be filled anew. */
#include "model/state/job.h"
#include "model/state/state.h"

static void clear_tasks(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    if (tasks->list.count + tasks->labels.count + tasks->sessions.count + tasks->extras.count == 0)
        return;
    allot__tasks_release(state);
    tasks->gone = tasks->pending = 0;
    tasks->list.count = tasks->extras.count = tasks->labels.count = tasks->sessions.count = 0;
    tasks->parts.count = 0;
    allot__index_clear(&tasks->index);
    allot__index_clear(&tasks->label_index);
    allot__pool_clear(state->engine, &tasks->pool);
}

static void clear_jobs(allot_state *state)
{
    allot__jobs *jobs = state->jobs;
    if (!jobs)
        return;
    allot__vector *lists[] = {&jobs->list,         &jobs->places,    &jobs->hosts,
                              &jobs->labels,       &jobs->users,     &jobs->groups,
                              &jobs->applications, &jobs->resources, &jobs->resource_jobs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->count = 0;
    allot__index_clear(&jobs->index);
    allot__index_clear(&jobs->user_index);
    allot__index_clear(&jobs->group_index);
    allot__index_clear(&jobs->application_index);
    allot__pool_clear(state->engine, &jobs->pool);
    jobs->arranged = false;
}

int allot_state_clear_orders(allot_state *state)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    allot__flights_clear(state);
    state->loans.count = 0;
    return ALLOT_OK;
}

int allot_state_clear(allot_state *state)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    clear_tasks(state);
    clear_jobs(state);
    return allot_state_clear_orders(state);
}
