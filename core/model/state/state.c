/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state.c: filling a state.
 *
 * This file owns: the life of struct allot_state.
 */
#include "model/state/state.h"

#include <string.h>

#include <allot/stated.h>

#include "model/state/job.h"
#include "model/jobs/queue.h"

static size_t rows_of(const allot_plan *plan)
{
    return plan->tree.rows > 0 ? (size_t)plan->tree.rows : 1;
}

static int make_group(allot_engine *engine, allot__group_state *group, size_t rows)
{
    group->demand = allot__new(engine, rows, sizeof *group->demand);
    group->allocated = allot__new(engine, rows, sizeof *group->allocated);
    group->set = allot__new(engine, rows / 8 + 1, 1);
    group->demanded = allot__new(engine, rows / 8 + 1, 1);
    group->stated = -1;
    return group->demand && group->allocated && group->set && group->demanded ? ALLOT_OK
                                                                              : ALLOT_ENOMEM;
}

static void free_group(allot_engine *engine, allot__group_state *group, size_t rows)
{
    allot__free(engine, group->demand, rows, sizeof *group->demand);
    allot__free(engine, group->allocated, rows, sizeof *group->allocated);
    allot__free(engine, group->set, rows / 8 + 1, 1);
    allot__free(engine, group->demanded, rows / 8 + 1, 1);
    allot__free(engine, group->unlisted, rows, sizeof *group->unlisted);
    allot__free(engine, group->reclaimed_at, rows, sizeof *group->reclaimed_at);
    allot__free(engine, group->waiting_since, rows, sizeof *group->waiting_since);
    allot__vector_free(engine, &group->changed);
}

static int make_groups(allot_state *state)
{
    size_t count = (size_t)state->plan->group_count;
    state->groups = allot__new(state->engine, count, sizeof *state->groups);
    if (!state->groups)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (make_group(state->engine, &state->groups[i], rows_of(state->plan)))
            return ALLOT_ENOMEM;
    return ALLOT_OK;
}

int allot_state_new(const allot_plan *plan, allot_state **out)
{
    if (!plan || !plan->sealed || !out)
        return ALLOT_EUSAGE;
    allot_state *state = allot__new(plan->engine, 1, sizeof *state);
    if (!state)
        return ALLOT_ENOMEM;
    state->base = state->plan = allot__plan_base(plan);
    state->engine = plan->engine;
    state->since = allot__new(plan->engine, 1, sizeof *state->since);
    if (!state->since || make_groups(state)) {
        allot_state_free(state);
        return ALLOT_ENOMEM;
    }
    *out = state;
    return ALLOT_OK;
}

void allot_state_free(allot_state *state)
{
    if (!state)
        return;
    allot_engine *engine = state->engine;
    size_t count = (size_t)state->plan->group_count;
    if (state->since)
        allot__since_end(state);
    allot__free(engine, state->since, 1, sizeof *state->since);
    for (size_t i = 0; state->groups && i < count; i++)
        free_group(engine, &state->groups[i], rows_of(state->plan));
    allot__free(engine, state->groups, count, sizeof *state->groups);
    allot__jobs_free(state);
    allot__tasks_free(state);
    allot__flights_free(state);
    allot__things_free(engine, &state->sessions);
    allot__things_free(engine, &state->all_jobs);
    allot__things_free(engine, &state->reclaims);
    allot__vector_free(engine, &state->loans);
    allot__hosts_free(engine, &state->hosts);
    allot__free(engine, state, 1, sizeof *state);
}

static bool amount(int64_t slots)
{
    return slots >= 0 && slots <= ALLOT_AMOUNT_MAX;
}

/* The group of an open state, or NULL. */
static allot__group_state *group_at(const allot_state *state, int32_t group)
{
    bool known = state && !state->sealed && group >= 0 && group < state->plan->group_count;
    return known ? &state->groups[group] : NULL;
}

int allot_state_now(allot_state *state, int64_t now)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    state->now = now;
    return ALLOT_OK;
}

int allot_state_now_rounded(allot_state *state, int32_t rounded)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    state->now_rounded = rounded != 0;
    return ALLOT_OK;
}

int allot_state_last(allot_state *state, int64_t last)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    state->last = last;
    state->last_set = true;
    return ALLOT_OK;
}

int allot_state_slots(allot_state *state, int32_t group, int64_t slots)
{
    allot__group_state *it = group_at(state, group);
    if (!it)
        return ALLOT_EUSAGE;
    if (slots != -1 && !amount(slots))
        return ALLOT_ERANGE;
    allot__state_changes(state);
    it->stated = slots;
    return ALLOT_OK;
}

/* A leaf, but no queue: that has what its jobs have. */
static bool is_told(const allot_plan *plan, int32_t consumer)
{
    return allot__queue_count(plan) == 0 && allot__plan_leaf(plan, consumer);
}

int allot_state_demand(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it = group_at(state, group);
    if (!it || !is_told(state->plan, consumer))
        return ALLOT_EUSAGE;
    if (slots != -1 && !amount(slots))
        return ALLOT_ERANGE;
    int32_t row = allot__row(state->plan, group, consumer);
    it->demand[row] = slots < 0 ? 0 : (int32_t)slots;
    it->demanded[row / 8] &= (uint8_t) ~(1 << row % 8);
    it->demanded[row / 8] |= (uint8_t)((slots >= 0) << row % 8);
    allot__row_changed(state, group, row);
    return ALLOT_OK;
}

int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it = group_at(state, group);
    if (!it || !is_told(state->plan, consumer))
        return ALLOT_EUSAGE;
    if (!amount(slots))
        return ALLOT_ERANGE;
    int32_t row = allot__row(state->plan, group, consumer);
    it->allocated[row] = (int32_t)slots;
    it->set[row / 8] |= (uint8_t)(1 << row % 8);
    allot__row_changed(state, group, row);
    return ALLOT_OK;
}

int allot_state_unlisted(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it = group_at(state, group);
    if (!it || !is_told(state->plan, consumer))
        return ALLOT_EUSAGE;
    if (!amount(slots))
        return ALLOT_ERANGE;
    allot__state_changes(state);
    if (!it->unlisted)
        it->unlisted = allot__new(state->engine, rows_of(state->plan), sizeof *it->unlisted);
    if (!it->unlisted)
        return ALLOT_ENOMEM;
    it->unlisted[consumer] = (int32_t)slots;
    return ALLOT_OK;
}

int allot_state_host(allot_state *state, const char *name, int64_t slots, allot_closed closed)
{
    if (!allot__state_changes(state))
        return ALLOT_EUSAGE;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    if (slots != -1 && !amount(slots))
        return ALLOT_ERANGE;
    const allot__host *planned = allot__host_find(&state->plan->hosts, name);
    if (slots == -1 && !planned)
        return ALLOT_ENOENT;
    allot__host *host = allot__host_find(&state->hosts, name);
    if (!host)
        host = allot__host_add(state->engine, &state->hosts, name);
    if (!host)
        return ALLOT_ENOMEM;
    host->group = planned ? planned->group : 0;
    host->slots = slots == -1 ? planned->slots : slots;
    host->planned = slots == -1;
    host->closed = closed;
    state->tasks.arranged = false;
    return ALLOT_OK;
}

/* The state's entry of a host that it was told of, or that is as planned until now. */
static int told_host(allot_state *state, const char *name, allot__host **out)
{
    if (!allot__state_changes(state) || !name)
        return ALLOT_EUSAGE;
    if (!allot__host_find(&state->hosts, name)) {
        if (!allot__host_find(&state->plan->hosts, name))
            return ALLOT_ENOENT;
        int status = allot_state_host(state, name, -1, ALLOT_OPEN);
        if (status)
            return status;
    }
    *out = allot__host_find(&state->hosts, name);
    state->tasks.arranged = false;
    return ALLOT_OK;
}

int allot_state_host_load(allot_state *state, const char *name, int64_t load)
{
    allot__host *host;
    if (!amount(load))
        return ALLOT_ERANGE;
    int status = told_host(state, name, &host);
    if (status == ALLOT_OK)
        host->load = (int32_t)load + 1;
    return status;
}

int allot_state_host_exclusive(allot_state *state, const char *name, int32_t consumer)
{
    allot__host *host;
    if (state && consumer != ALLOT_ROOT && (consumer < 0 || consumer >= state->plan->tree.rows))
        return ALLOT_EUSAGE;
    int status = told_host(state, name, &host);
    if (status == ALLOT_OK)
        host->exclusive_to = consumer + 1;
    return status;
}

int allot_state_host_set(allot_state *state, const allot_stated_host *host)
{
    if (!state || !host || host->exclusive_to < ALLOT_ROOT ||
        host->exclusive_to >= state->plan->tree.rows)
        return ALLOT_EUSAGE;
    if (host->load != -1 && !amount(host->load))
        return ALLOT_ERANGE;
    int status = allot_state_host(state, host->name, host->slots, host->closed);
    if (status != ALLOT_OK)
        return status;
    allot__host *it = allot__host_find(&state->hosts, host->name);
    it->load = (int32_t)host->load + 1;
    it->exclusive_to = host->exclusive_to + 1;
    return ALLOT_OK;
}

int allot_state_host_end(allot_state *state, const char *name)
{
    if (!allot__state_changes(state) || !name)
        return ALLOT_EUSAGE;
    allot__host *host = allot__host_find(&state->hosts, name);
    if (!host)
        return ALLOT_ENOENT;
    allot__host_end(state->engine, &state->hosts, host);
    state->tasks.arranged = false;
    return ALLOT_OK;
}

int allot_state_open(allot_state *state)
{
    if (!state || !state->sealed)
        return ALLOT_EUSAGE;
    state->sealed = false;
    state->reopened = true;
    return ALLOT_OK;
}
