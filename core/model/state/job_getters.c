/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_getters.c: a state's jobs as they were added. */
#include "model/state/job.h"
#include "model/names/named.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

int32_t allot_state_jobs(const allot_state *state)
{
    return state ? (int32_t)state->all_jobs.list.count : 0;
}

int32_t allot_state_job_find(const allot_state *state, const char *id)
{
    const allot__thing *thing = state ? allot__things_find(&state->all_jobs, id) : NULL;
    return thing ? thing->number : -1;
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

int allot_state_job_at(const allot_state *state, int32_t i, allot_job *out)
{
    if (!out || i < 0 || i >= allot_state_jobs(state))
        return ALLOT_EUSAGE;
    const allot_job *told = allot__things_item(&state->all_jobs, i);
    if (!told)
        return ALLOT_ENOENT;
    *out = *told;
    return ALLOT_OK;
}
