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

#include "base/getter.h"
#include "model/state/job.h"
#include "model/jobs/queue.h"

static size_t rows_of(const allot_plan *plan)
{
    return plan->tree.rows > 0 ? (size_t)plan->tree.rows : 1;
}

static int make_usage(allot_engine *engine, allot__group_state *group, size_t rows)
{
    group->usage = allot__new(engine, rows, sizeof *group->usage);
    group->above = allot__new(engine, rows, sizeof *group->above);
    for (size_t i = 0; group->usage && i < rows; i++)
        group->usage[i].at = INT64_MIN;
    return group->usage && group->above ? ALLOT_OK : ALLOT_ENOMEM;
}

static int make_group(allot_engine *engine, allot__group_state *group, size_t rows)
{
    group->demand = allot__new(engine, rows, sizeof *group->demand);
    group->allocated = allot__new(engine, rows, sizeof *group->allocated);
    group->set = allot__new(engine, rows / 8 + 1, 1);
    group->demanded = allot__new(engine, rows / 8 + 1, 1);
    group->asks = allot__new(engine, rows, 1);
    group->stated = -1;
    bool all = group->demand && group->allocated && group->set && group->demanded && group->asks;
    return all ? ALLOT_OK : ALLOT_ENOMEM;
}

static void free_group(allot_engine *engine, allot__group_state *group, size_t rows)
{
    allot__free(engine, group->demand, rows, sizeof *group->demand);
    allot__free(engine, group->allocated, rows, sizeof *group->allocated);
    allot__free(engine, group->set, rows / 8 + 1, 1);
    allot__free(engine, group->demanded, rows / 8 + 1, 1);
    allot__free(engine, group->asks, rows, 1);
    allot__free(engine, group->unlisted, rows, sizeof *group->unlisted);
    allot__free(engine, group->reclaimed_at, rows, sizeof *group->reclaimed_at);
    allot__free(engine, group->waiting_since, rows, sizeof *group->waiting_since);
    allot__free(engine, group->usage, rows, sizeof *group->usage);
    allot__free(engine, group->above, rows, sizeof *group->above);
    allot__vector_free(engine, &group->changed);
}

static int make_groups(allot_state *state)
{
    size_t count = (size_t)state->plan->group_count, rows = rows_of(state->plan);
    bool counts = state->plan->fades && allot__queue_count(state->plan) == 0;
    state->groups = allot__new(state->engine, count, sizeof *state->groups);
    if (!state->groups)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (make_group(state->engine, &state->groups[i], rows) ||
            (counts && make_usage(state->engine, &state->groups[i], rows)))
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
    if (slots != -1 && !allot__is_amount(slots))
        return ALLOT_ERANGE;
    allot__state_changes(state);
    it->stated = slots;
    return ALLOT_OK;
}

/* Is it a leaf that setters may set? Not a queue: its values come from its jobs. */
static bool is_told(const allot_plan *plan, int32_t consumer)
{
    return allot__queue_count(plan) == 0 && allot__plan_leaf(plan, consumer);
}

/* The group of a leaf that setters may set, in an open state; `least`: of the amount. EUSAGE,
 * ERANGE.
 */
static int leaf_group(const allot_state *state, int32_t group, int32_t consumer, int64_t slots,
                      int64_t least, allot__group_state **out)
{
    *out = group_at(state, group);
    if (!*out || !is_told(state->plan, consumer))
        return ALLOT_EUSAGE;
    return slots < least || slots > ALLOT_AMOUNT_MAX ? ALLOT_ERANGE : ALLOT_OK;
}

int allot_state_demand(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it;
    int status = leaf_group(state, group, consumer, slots, -1, &it);
    if (status != ALLOT_OK)
        return status;
    int32_t row = allot__row(state->plan, group, consumer);
    it->demand[row] = slots < 0 ? 0 : (int32_t)slots;
    it->demanded[row / 8] &= (uint8_t) ~(1 << row % 8);
    it->demanded[row / 8] |= (uint8_t)((slots >= 0) << row % 8);
    allot__row_changed(state, group, row);
    return ALLOT_OK;
}

int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it;
    int status = leaf_group(state, group, consumer, slots, 0, &it);
    if (status != ALLOT_OK)
        return status;
    int32_t row = allot__row(state->plan, group, consumer);
    allot__hold(state, group, row, (int32_t)slots);
    it->set[row / 8] |= (uint8_t)(1 << row % 8);
    allot__row_changed(state, group, row);
    return ALLOT_OK;
}

int allot_state_unlisted(allot_state *state, int32_t group, int32_t consumer, int64_t slots)
{
    allot__group_state *it;
    int status = leaf_group(state, group, consumer, slots, 0, &it);
    if (status != ALLOT_OK)
        return status;
    allot__state_changes(state);
    if (!it->unlisted)
        it->unlisted = allot__new(state->engine, rows_of(state->plan), sizeof *it->unlisted);
    if (!it->unlisted)
        return ALLOT_ENOMEM;
    it->unlisted[consumer] = (int32_t)slots;
    return ALLOT_OK;
}

/* ---- Since when ---- */

int allot__times_room(allot_state *state, int64_t **times)
{
    size_t rows = (size_t)state->plan->tree.rows;
    if (*times)
        return ALLOT_OK;
    *times = allot__new(state->engine, rows, sizeof **times);
    for (size_t i = 0; *times && i < rows; i++)
        (*times)[i] = INT64_MIN;
    return *times || rows == 0 ? ALLOT_OK : ALLOT_ENOMEM;
}

static int set_time(allot_state *state, int64_t **times, int32_t consumer, int64_t when)
{
    if (when == INT64_MIN)
        return ALLOT_ERANGE;
    int status = allot__times_room(state, times);
    if (status == ALLOT_OK)
        (*times)[consumer] = when;
    return status;
}

int allot_state_reclaimed_at(allot_state *state, int32_t group, int32_t consumer, int64_t when)
{
    allot__group_state *it;
    int status = leaf_group(state, group, consumer, 0, 0, &it);
    return status == ALLOT_OK ? set_time(state, &it->reclaimed_at, consumer, when) : status;
}

int allot_state_waiting_since(allot_state *state, int32_t group, int32_t consumer, int64_t when)
{
    allot__group_state *it;
    int status = leaf_group(state, group, consumer, 0, 0, &it);
    return status == ALLOT_OK ? set_time(state, &it->waiting_since, consumer, when) : status;
}

int allot_state_open(allot_state *state)
{
    if (!state || !state->sealed)
        return ALLOT_EUSAGE;
    state->sealed = false;
    state->reopened = true;
    if (state->jobs)
        state->jobs->changed.count = state->jobs->ended.count = 0;
    return ALLOT_OK;
}

/* ---- Read back ------------------------------------------------------------------------------- */

ALLOT__GETTER(const allot_plan *, allot_state_plan, allot_state, it->base, NULL)

/* ---- Times and sizes ------------------------------------------------------------------------- */

int allot_state_last_get(const allot_state *state, int64_t *out)
{
    if (!state || !out)
        return ALLOT_EUSAGE;
    if (!state->last_set)
        return ALLOT_ENOENT;
    *out = state->last;
    return ALLOT_OK;
}

int allot_state_now_is_rounded(const allot_state *state)
{
    return state && state->now_rounded;
}

static const allot__group_state *sealed_group(const allot_state *state, int32_t group)
{
    bool known = state && state->sealed && group >= 0 && group < state->plan->group_count;
    return known ? &state->groups[group] : NULL;
}

ALLOT__GETTER(int64_t, allot_state_now_get, allot_state, it->now, 0)

static int64_t at(const allot_state *state, int32_t group, const int32_t *column, int32_t consumer)
{
    if (consumer < 0 || consumer >= state->plan->tree.rows)
        return 0;
    return column[allot__row(state->plan, group, consumer)];
}

ALLOT__GETTER_AT(int64_t, allot_state_slots_get, allot_state, sealed_group(of, i), slots, 0)

int64_t allot_state_demand_get(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__group_state *it = sealed_group(state, group);
    return it ? at(state, group, it->demand, consumer) : 0;
}

int64_t allot_state_allocated_get(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__group_state *it = sealed_group(state, group);
    return it ? at(state, group, it->allocated, consumer) : 0;
}

int allot_state_size_get(const allot_state *state, int32_t group, int64_t *out)
{
    const allot__group_state *of = sealed_group(state, group);
    if (!of || !out)
        return ALLOT_EUSAGE;
    if (of->stated < 0)
        return ALLOT_ENOENT;
    *out = of->stated;
    return ALLOT_OK;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static bool has_tasks(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__units *units = &state->tasks.units[group];
    int32_t waiting;
    allot__waiting_of(&state->tasks, group, consumer, &waiting);
    return waiting > 0 || allot__units_first(units, consumer) < allot__units_end(units, consumer);
}

int allot_state_row_get(const allot_state *state, int32_t group, int32_t consumer,
                        allot_stated_leaf *out)
{
    bool known = state && out && group >= 0 && group < state->plan->group_count;
    if (!known || !is_told(state->plan, consumer))
        return ALLOT_EUSAGE;
    const allot__group_state *of = &state->groups[group];
    int32_t row = allot__row(state->plan, group, consumer);
    *out = (allot_stated_leaf){
        .demand = allot__demand_set(of, row) ? of->demand[row] : -1,
        .allocated = allot__allocated_set(of, row) ? of->allocated[row] : -1,
        .unlisted = of->unlisted ? of->unlisted[consumer] : 0,
        .reclaimed_at = of->reclaimed_at ? of->reclaimed_at[consumer] : INT64_MIN,
        .waiting_since = of->waiting_since ? of->waiting_since[consumer] : INT64_MIN,
        .usage_at = INT64_MIN};
    if (of->usage) {
        out->usage = of->usage[consumer].slot_seconds;
        out->usage_rest = of->usage[consumer].millionths;
        out->usage_at = of->usage[consumer].at;
    }
    return ALLOT_OK;
}

/* Setting an unchanged value takes no memory. */
int allot_state_row_set(allot_state *state, int32_t group, int32_t consumer,
                        const allot_stated_leaf *row)
{
    allot__group_state *of = group_at(state, group);
    allot_stated_leaf was;
    if (!of || !row)
        return ALLOT_EUSAGE;
    int status = allot_state_row_get(state, group, consumer, &was);
    if (status == ALLOT_OK)
        status = allot__item_check(state->plan, ALLOT_ITEM_ROW, row);
    if (status == ALLOT_OK && row->reclaimed_at != was.reclaimed_at)
        status = allot__times_room(state, &of->reclaimed_at);
    if (status == ALLOT_OK && row->waiting_since != was.waiting_since)
        status = allot__times_room(state, &of->waiting_since);
    if (status == ALLOT_OK && row->unlisted != was.unlisted)
        status = allot_state_unlisted(state, group, consumer, row->unlisted);
    if (status != ALLOT_OK)
        return status;
    if (of->reclaimed_at)
        of->reclaimed_at[consumer] = row->reclaimed_at;
    if (of->waiting_since)
        of->waiting_since[consumer] = row->waiting_since;
    if (row->demand >= 0)
        allot_state_demand(state, group, consumer, row->demand);
    if (row->allocated >= 0)
        allot_state_allocated(state, group, consumer, row->allocated);
    if (of->usage)
        of->usage[consumer] = (allot__usage){
            .slot_seconds = row->usage,
            .millionths = (int32_t)row->usage_rest,
            .at = state->begun && row->usage_at == INT64_MIN ? state->now : row->usage_at};
    state->above_stale = state->above_stale || of->usage;
    return ALLOT_OK;
}

/* A demand of 0 without tasks, or 0 allocated slots, mean the same as none stated. */
int allot_state_leaf_get(const allot_state *state, int32_t group, int32_t consumer,
                         allot_stated_leaf *out)
{
    int status =
        state && state->sealed ? allot_state_row_get(state, group, consumer, out) : ALLOT_EUSAGE;
    if (status == ALLOT_OK && out->demand == 0 && !has_tasks(state, group, consumer))
        out->demand = -1;
    if (status == ALLOT_OK && out->allocated == 0)
        out->allocated = -1;
    if (status == ALLOT_OK && out->usage == 0 && out->usage_rest == 0 &&
        state->groups[group].allocated[allot__row(state->plan, group, consumer)] == 0)
        out->usage_at = INT64_MIN;
    return status;
}
