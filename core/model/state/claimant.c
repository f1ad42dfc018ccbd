/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* claimant.c: what a state may not have where victims or guards read the claimant (C-16). */
#include <stdio.h>

#include "model/state/state.h"
#include "model/windows/say.h"

/* The first policy of a group whose victims or guards read the claimant; NULL: there is none. */
static const allot_policy *claimant_policy(const allot_state *state, int32_t group)
{
    const allot__group *it = &state->plan->groups[group];
    for (int32_t i = 0; i < it->governing_count; i++)
        if (it->governing[i].policy && allot__policy_by_claimant(it->governing[i].policy))
            return it->governing[i].policy;
    return NULL;
}

/* A host that a consumer has alone is of use only once it is empty: it chooses the victims. */
static int check_host(const allot_state *state, const allot__host *host, allot_report *report)
{
    const allot_policy *policy = claimant_policy(state, host->group);
    if (host->exclusive_to == 0 || !policy)
        return ALLOT_OK;
    allot__fault fault =
        allot__fault_of(report, "E-claimant", "no host may be exclusive_to a consumer");
    fault.group = host->group;
    fault.consumer = host->exclusive_to - 1;
    allot__say(state->plan, &fault,
               "it has the host %.80s alone, so hosts choose victims (E-30), and victims or guards "
               "of the policy \"%.80s\" cannot read claimant",
               host->name, allot_policy_name(policy));
    return ALLOT_EINVALID;
}

/* Tasks of several groups go in all at once, for several claimants (C-13). */
static int check_task(const allot_state *state, int32_t number, allot_report *report)
{
    const allot__task *task = allot__task_at(&state->tasks, number);
    const allot_policy *policy = task->part > 0 ? claimant_policy(state, task->group) : NULL;
    if (!policy)
        return ALLOT_OK;
    char path[48];
    snprintf(path, sizeof path, "tasks[%d].slots", (int)allot__task_place(&state->tasks, number));
    allot__fault fault = allot__fault_of(report, "E-claimant", "slots of one group for each task");
    fault.group = task->group;
    fault.consumer = task->consumer;
    fault.path = path;
    allot__say(state->plan, &fault,
               "the task %s has slots of several groups, and victims or guards of the policy "
               "\"%.80s\" read claimant",
               task->thing.id, allot_policy_name(policy));
    return ALLOT_EINVALID;
}

int allot__claimants_check(const allot_state *state, allot_report *report)
{
    const allot__host *hosts = state->hosts.list.items;
    int32_t tasks = state->tasks.coupled > 0 ? (int32_t)allot__task_count(&state->tasks) : 0;
    int status = ALLOT_OK;
    for (size_t i = 0; i < state->hosts.list.count && status == ALLOT_OK; i++)
        status = check_host(state, &hosts[i], report);
    for (int32_t i = 0; i < tasks && status == ALLOT_OK; i++)
        status = check_task(state, i, report);
    return status;
}
