/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state_copy.c: a state under another plan: everything that was told, by names.
 *
 * What is known of a state before it is copied is what its setters were told, so a copy is made by
 * the same setters: it is checked as every state is.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/state/state_copy.h"

/* ---- Who is who ------------------------------------------------------------------------------ */

int allot__copy_lacks(const allot__copying *it, const char *what, const char *name)
{
    allot_report_say(it->report, ALLOT_ERROR, "E-unknown-path",
                     "the state tells of the %s %.200s, which the other plan has not", what, name);
    return ALLOT_ENOENT;
}

static int no_consumer(const allot__copying *it, int32_t consumer)
{
    char path[256];
    allot_plan_path(it->from->plan, consumer, path, sizeof path);
    return allot__copy_lacks(it, "consumer", path);
}

/* Both handles of a consumer's pair; ALLOT_ROOT is itself. */
int allot__copy_consumer(const allot__copying *it, int32_t consumer, int32_t *out)
{
    *out = consumer == ALLOT_ROOT ? ALLOT_ROOT : it->consumers[consumer];
    return consumer != ALLOT_ROOT && *out < 0 ? no_consumer(it, consumer) : ALLOT_OK;
}

static int group_of(const allot__copying *it, int32_t group, int32_t *out)
{
    *out = it->groups[group];
    return *out >= 0 ? ALLOT_OK
                     : allot__copy_lacks(it, "group", allot_plan_group_name(it->from->plan, group));
}

int allot__copy_pair(const allot__copying *it, int32_t *group, int32_t *consumer)
{
    int status = group_of(it, *group, group);
    return status == ALLOT_OK ? allot__copy_consumer(it, *consumer, consumer) : status;
}

static void find_consumers(allot__copying *it)
{
    const allot_plan *from = it->from->plan, *to = it->to->plan;
    for (int32_t i = 0; i < from->tree.rows; i++) {
        int32_t above = allot_plan_parent(from, i);
        int32_t parent = above == ALLOT_ROOT ? ALLOT_ROOT : it->consumers[above];
        const char *name = allot_plan_name(from, i);
        it->consumers[i] = above != ALLOT_ROOT && parent < 0
                               ? -1
                               : allot__names_find(to->names, parent, name, strlen(name));
    }
}

static void find_others(allot__copying *it)
{
    const allot_plan *from = it->from->plan, *to = it->to->plan;
    allot_attribute mine, theirs;
    for (int32_t i = 0; i < from->group_count; i++) {
        const char *name = allot_plan_group_name(from, i);
        it->groups[i] = allot_plan_group_find(to, name, strlen(name));
    }
    for (int32_t i = 0; allot_plan_task_attribute_at(from, i, &mine) == ALLOT_OK; i++) {
        it->attributes[i] = -1;
        for (int32_t k = 0; allot_plan_task_attribute_at(to, k, &theirs) == ALLOT_OK; k++)
            if (strcmp(mine.name, theirs.name) == 0)
                it->attributes[i] = k;
    }
}

/* ---- What consumers want and hold ------------------------------------------------------------ */

static int copy_told(const allot__copying *it, int32_t group, int32_t to, int32_t consumer)
{
    const allot__group_state *of = &it->from->groups[group];
    int32_t other = it->consumers[consumer];
    bool back = of->reclaimed_at && of->reclaimed_at[consumer] != INT64_MIN;
    bool waits = of->waiting_since && of->waiting_since[consumer] != INT64_MIN;
    int status = ALLOT_OK;
    if (of->unlisted)
        status = allot_state_unlisted(it->to, to, other, of->unlisted[consumer]);
    if (back && status == ALLOT_OK)
        status = allot_state_reclaimed_at(it->to, to, other, of->reclaimed_at[consumer]);
    if (waits && status == ALLOT_OK)
        status = allot_state_waiting_since(it->to, to, other, of->waiting_since[consumer]);
    return status;
}

static bool has_leaf(const allot__copying *it, int32_t consumer)
{
    int32_t other = it->consumers[consumer];
    return other >= 0 && allot__plan_leaf(it->to->plan, other);
}

static int copy_row(const allot__copying *it, int32_t group, int32_t to, int32_t consumer)
{
    const allot_plan *plan = it->from->plan;
    const allot__group_state *of = &it->from->groups[group];
    int32_t row = allot__row(plan, group, consumer), other;
    bool held = allot__allocated_set(of, row);
    bool nothing = of->demand[row] == 0 && (!held || of->allocated[row] == 0);
    if (!allot__plan_leaf(plan, consumer) || (nothing && (!held || !has_leaf(it, consumer))))
        return ALLOT_OK;
    int status = allot__copy_consumer(it, consumer, &other);
    if (status == ALLOT_OK)
        status = allot_state_demand(it->to, to, other, of->demand[row]);
    if (status == ALLOT_OK && held)
        status = allot_state_allocated(it->to, to, other, of->allocated[row]);
    if (status == ALLOT_EUSAGE)
        status = no_consumer(it, consumer); /* there it is a parent */
    return status == ALLOT_OK ? copy_told(it, group, to, consumer) : status;
}

static int copy_groups(const allot__copying *it)
{
    int status = ALLOT_OK;
    bool queues = allot__queue_count(it->from->plan) > 0;
    for (int32_t i = 0; i < it->from->plan->group_count && status == ALLOT_OK; i++) {
        int32_t to;
        status = group_of(it, i, &to);
        if (status == ALLOT_OK && it->from->groups[i].stated >= 0)
            status = allot_state_slots(it->to, to, it->from->groups[i].stated);
        for (int32_t c = 0; c < it->from->plan->tree.rows && status == ALLOT_OK && !queues; c++)
            status = copy_row(it, i, to, c);
    }
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int copy_all(const allot__copying *it)
{
    static int (*const steps[])(const allot__copying *it) = {
        copy_groups,         allot__copy_hosts, allot__copy_sessions, allot__copy_tasks,
        allot__copy_flights, allot__copy_loans, allot__copy_jobs,     allot__copy_leases};
    int status = allot_state_now(it->to, it->from->now);
    if (status == ALLOT_OK && it->from->last_set)
        status = allot_state_last(it->to, it->from->last);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ALLOT_OK; i++)
        status = steps[i](it);
    if (status == ALLOT_ERANGE || status == ALLOT_EUSAGE || status == ALLOT_EEXIST) {
        allot_report_say(it->report, ALLOT_ERROR, "E-unsupported",
                         "the other plan cannot have such a state: %s", allot_status_text(status));
        status = ALLOT_EINVALID;
    }
    return status;
}

int allot_state_copy(const allot_state *state, const allot_plan *plan, allot_report *report,
                     allot_state **out)
{
    if (!state || !plan || !out || !state->sealed)
        return ALLOT_EUSAGE;
    allot_state *made = NULL;
    int status = allot_state_new(plan, &made);
    if (status)
        return status;
    size_t consumers = (size_t)state->plan->tree.rows + 1;
    size_t groups = (size_t)state->plan->group_count + 1;
    size_t attributes = (size_t)allot_plan_task_attributes(state->plan) + 1;
    allot__copying it = {.from = state, .to = made, .report = report};
    it.consumers = allot__new(made->engine, consumers, sizeof *it.consumers);
    it.groups = allot__new(made->engine, groups, sizeof *it.groups);
    it.attributes = allot__new(made->engine, attributes, sizeof *it.attributes);
    status = ALLOT_ENOMEM;
    if (it.consumers && it.groups && it.attributes) {
        find_consumers(&it);
        find_others(&it);
        status = copy_all(&it);
    }
    allot__free(made->engine, it.consumers, consumers, sizeof *it.consumers);
    allot__free(made->engine, it.groups, groups, sizeof *it.groups);
    allot__free(made->engine, it.attributes, attributes, sizeof *it.attributes);
    if (status)
        allot_state_free(made);
    else
        *out = made;
    return status;
}
