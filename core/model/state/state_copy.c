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
#include "model/state/job.h"
#include "model/state/state.h"

typedef struct copying {
    const allot_state *from;
    allot_state *to;
    allot_report *report;
    int32_t *consumers, *groups,
        *attributes; /* by those of the one, those of the other; -1: none */
} copying;

/* ---- Who is who ------------------------------------------------------------------------------ */

/* ENOENT: the other plan lacks what the state tells of, which the report says. */
static int lacks(const copying *it, const char *what, const char *name)
{
    allot_report_say(it->report, ALLOT_ERROR, "E-unknown-path",
                     "the state tells of the %s %.200s, which the other plan has not", what, name);
    return ALLOT_ENOENT;
}

static int no_consumer(const copying *it, int32_t consumer)
{
    char path[256];
    allot_plan_path(it->from->plan, consumer, path, sizeof path);
    return lacks(it, "consumer", path);
}

/* The other plan's consumer; ALLOT_ROOT is itself. ENOENT. */
static int copy_consumer(const copying *it, int32_t consumer, int32_t *out)
{
    *out = consumer == ALLOT_ROOT ? ALLOT_ROOT : it->consumers[consumer];
    return consumer != ALLOT_ROOT && *out < 0 ? no_consumer(it, consumer) : ALLOT_OK;
}

static int group_of(const copying *it, int32_t group, int32_t *out)
{
    *out = it->groups[group];
    return *out >= 0 ? ALLOT_OK : lacks(it, "group", allot_plan_group_name(it->from->plan, group));
}

/* The other plan's group and consumer, in place. ENOENT. */
static int copy_pair(const copying *it, int32_t *group, int32_t *consumer)
{
    int status = group_of(it, *group, group);
    return status == ALLOT_OK ? copy_consumer(it, *consumer, consumer) : status;
}

static void find_consumers(copying *it)
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

static void find_others(copying *it)
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

static int copy_told(const copying *it, int32_t group, int32_t to, int32_t consumer)
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

static bool has_leaf(const copying *it, int32_t consumer)
{
    int32_t other = it->consumers[consumer];
    return other >= 0 && allot__plan_leaf(it->to->plan, other);
}

static int copy_row(const copying *it, int32_t group, int32_t to, int32_t consumer)
{
    const allot_plan *plan = it->from->plan;
    const allot__group_state *of = &it->from->groups[group];
    int32_t row = allot__row(plan, group, consumer), other;
    bool held = allot__allocated_set(of, row);
    bool nothing = of->demand[row] == 0 && (!held || of->allocated[row] == 0);
    if (!allot__plan_leaf(plan, consumer) || (nothing && (!held || !has_leaf(it, consumer))))
        return ALLOT_OK;
    int status = copy_consumer(it, consumer, &other);
    if (status == ALLOT_OK)
        status = allot_state_demand(it->to, to, other, of->demand[row]);
    if (status == ALLOT_OK && held)
        status = allot_state_allocated(it->to, to, other, of->allocated[row]);
    if (status == ALLOT_EUSAGE)
        status = no_consumer(it, consumer); /* there it is a parent */
    return status == ALLOT_OK ? copy_told(it, group, to, consumer) : status;
}

static int copy_groups(const copying *it)
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

/* ---- Hosts, sessions, loans, flights --------------------------------------------------------- */

static int copy_hosts(const copying *it)
{
    const allot__host *hosts = it->from->hosts.list.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->hosts.list.count && status == ALLOT_OK; i++) {
        const allot__host *host = &hosts[i];
        int32_t holder = ALLOT_ROOT;
        status = allot_state_host(it->to, host->name, host->slots, (allot_closed)host->closed);
        if (status == ALLOT_OK && host->load > 0)
            status = allot_state_host_load(it->to, host->name, host->load - 1);
        if (status == ALLOT_OK && host->exclusive_to > 0)
            status = copy_consumer(it, host->exclusive_to - 1, &holder);
        if (status == ALLOT_OK && host->exclusive_to > 0)
            status = allot_state_host_exclusive(it->to, host->name, holder);
    }
    return status;
}

static int copy_sessions(const copying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_sessions(it->from) && status == ALLOT_OK; i++) {
        allot_session session = *allot_state_session_at(it->from, i);
        status = copy_pair(it, &session.group, &session.consumer);
        if (status == ALLOT_OK)
            status = allot_state_session(it->to, &session);
    }
    return status;
}

static int copy_loans(const copying *it)
{
    const allot_loan *loans = it->from->loans.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->loans.count && status == ALLOT_OK; i++) {
        allot_loan loan = loans[i];
        status = copy_pair(it, &loan.group, &loan.lender);
        if (status == ALLOT_OK)
            status = copy_consumer(it, loan.borrower, &loan.borrower);
        if (status == ALLOT_OK)
            status = allot_state_loan(it->to, &loan);
    }
    return status;
}

/* The lists of a flight, in blocks of their own. */
static int fill_flight(const copying *it, const allot__flight *flight, allot_claim *claims,
                       const char **tasks)
{
    const allot_claim *from =
        allot__vector_from(&it->from->claims, (size_t)flight->first, sizeof *from);
    const allot__flight_task *named =
        allot__vector_from(&it->from->flight_tasks, (size_t)flight->first_task, sizeof *named);
    allot_in_flight copy = {.id = flight->id,
                            .group = flight->group,
                            .consumer = flight->consumer,
                            .slots = flight->slots,
                            .deadline = flight->deadline,
                            .claims = claims,
                            .claim_count = flight->count,
                            .tasks = tasks,
                            .task_count = flight->task_count,
                            .gone = flight->gone};
    int status = copy_pair(it, &copy.group, &copy.consumer);
    for (int32_t i = 0; i < flight->count && status == ALLOT_OK; i++) {
        claims[i] = from[i];
        status = copy_consumer(it, from[i].consumer, &claims[i].consumer);
    }
    for (int32_t i = 0; i < flight->task_count; i++)
        tasks[i] = named[i].id;
    return status == ALLOT_OK ? allot_state_in_flight(it->to, &copy) : status;
}

static int copy_flights(const copying *it)
{
    const allot__flight *flights = it->from->flights.items;
    allot_engine *engine = it->to->engine;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->flights.count && status == ALLOT_OK; i++) {
        size_t claims = (size_t)flights[i].count, tasks = (size_t)flights[i].task_count;
        allot_claim *to = allot__new(engine, claims + 1, sizeof *to);
        const char **named = allot__new(engine, tasks + 1, sizeof *named);
        status = to && named ? fill_flight(it, &flights[i], to, named) : ALLOT_ENOMEM;
        allot__free(engine, to, claims + 1, sizeof *to);
        allot__free(engine, (void *)named, tasks + 1, sizeof *named);
    }
    return status;
}

/* ---- Tasks, jobs, contracts ------------------------------------------------------------------ */

/* A task's values by the other plan's attributes, in a block of their own. */
static int copy_values(const copying *it, const allot_task_value *from, int32_t count,
                       allot_task_value **out)
{
    allot_attribute of = {0};
    *out = allot__new(it->to->engine, (size_t)count + 1, sizeof **out);
    if (!*out)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        (*out)[i] = (allot_task_value){it->attributes[from[i].attribute], from[i].value};
        if ((*out)[i].attribute >= 0)
            continue;
        allot_plan_task_attribute_at(it->from->plan, from[i].attribute, &of);
        return lacks(it, "attribute of tasks", of.name);
    }
    return ALLOT_OK;
}

static int copy_task(const copying *it, int32_t i)
{
    allot_task task;
    allot_task_value *values = NULL;
    allot_state_task_at(it->from, i, &task);
    int32_t count = task.value_count;
    int status = copy_pair(it, &task.group, &task.consumer);
    if (status == ALLOT_OK)
        status = copy_values(it, task.values, count, &values);
    task.values = values;
    if (status == ALLOT_OK)
        status = allot_state_task(it->to, &task);
    allot__free(it->to->engine, values, (size_t)count + 1, sizeof *values);
    return status;
}

static int copy_resources(const copying *it, const allot_job *job, allot_job_resource **out)
{
    allot_resource of;
    *out = allot__new(it->to->engine, (size_t)job->resource_count + 1, sizeof **out);
    if (!*out)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < job->resource_count; i++) {
        allot_plan_resource_at(it->from->plan, job->resources[i].resource, &of);
        (*out)[i] = job->resources[i];
        (*out)[i].resource = allot_plan_resource_find(it->to->plan, of.name);
        if ((*out)[i].resource < 0)
            return lacks(it, "resource", of.name);
    }
    return ALLOT_OK;
}

static int copy_job(const copying *it, int32_t i)
{
    allot_job job;
    allot_task_value *values = NULL;
    allot_job_resource *resources = NULL;
    allot_state_job_at(it->from, i, &job);
    int32_t count = job.value_count, held = job.resource_count;
    int status = copy_consumer(it, job.queue, &job.queue); /* a queue's number is its handle */
    if (status == ALLOT_OK && job.reserved_by >= 0)
        status = copy_consumer(it, job.reserved_by, &job.reserved_by);
    if (status == ALLOT_OK)
        status = copy_values(it, job.values, count, &values);
    if (status == ALLOT_OK)
        status = copy_resources(it, &job, &resources);
    job.values = values;
    job.resources = resources;
    if (status == ALLOT_OK)
        status = allot_state_job(it->to, &job);
    allot__free(it->to->engine, resources, (size_t)held + 1, sizeof *resources);
    allot__free(it->to->engine, values, (size_t)count + 1, sizeof *values);
    return status;
}

static int copy_usage(const copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    int status = ALLOT_OK;
    for (int32_t q = 0; q < allot__queue_count(it->from->plan) && status == ALLOT_OK; q++) {
        int32_t queue;
        if (!jobs->usage || !jobs->usage[q].told)
            continue;
        status = copy_consumer(it, q, &queue);
        if (status == ALLOT_OK)
            status = allot_state_usage(it->to, queue, jobs->usage[q].slot_seconds,
                                       jobs->usage[q].millionths);
    }
    if (status == ALLOT_OK && jobs->usage_at_set)
        status = allot_state_usage_at(it->to, jobs->usage_at);
    return status;
}

static int copy_preempted(const copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    allot_resource of;
    int status = ALLOT_OK;
    for (int32_t i = 0;
         jobs->preempted_at && i < allot_plan_resources(it->from->plan) && status == ALLOT_OK;
         i++) {
        if (jobs->preempted_at[i] == INT64_MIN)
            continue;
        allot_plan_resource_at(it->from->plan, i, &of);
        int32_t other = allot_plan_resource_find(it->to->plan, of.name);
        status = other < 0 ? lacks(it, "resource", of.name)
                           : allot_state_resource_preempted(it->to, other, jobs->preempted_at[i]);
    }
    return status;
}

static int copy_leases(const copying *it)
{
    allot_lease of;
    allot_lease_now now;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_leases(it->from->plan) && status == ALLOT_OK; i++) {
        if (allot_state_lease_at(it->from, i, &now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(it->from->plan, i, &of);
        int32_t other = allot_plan_lease_find(it->to->plan, of.name);
        status = other < 0 ? lacks(it, "lease", of.name) : allot_state_lease(it->to, other, &now);
    }
    return status;
}

static int copy_tasks(const copying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_tasks(it->from) && status == ALLOT_OK; i++)
        status = copy_task(it, i);
    return status;
}

static int copy_jobs(const copying *it)
{
    int status = ALLOT_OK;
    if (!it->from->jobs)
        return ALLOT_OK;
    for (int32_t i = 0; i < allot_state_jobs(it->from) && status == ALLOT_OK; i++)
        status = copy_job(it, i);
    if (status == ALLOT_OK)
        status = copy_usage(it);
    return status == ALLOT_OK ? copy_preempted(it) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int copy_all(const copying *it)
{
    static int (*const steps[])(const copying *it) = {copy_groups, copy_hosts,   copy_sessions,
                                                      copy_tasks,  copy_flights, copy_loans,
                                                      copy_jobs,   copy_leases};
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
    copying it = {.from = state, .to = made, .report = report};
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
