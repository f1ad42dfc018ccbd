/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * apply.c: carries out a decision in a state: slots, tasks, reclaims, jobs, loans and times.
 *
 * All that may fail comes first: new things are made beside the state, or appended to its lists and
 * cut off again on failure. The steps that follow only change what exists.
 */
#include <allot/apply.h>

#include <stdio.h>
#include <string.h>

#include "engine/decision/decision.h"
#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

/* A task that starts, on the host with a label. */
typedef struct task_start {
    int32_t task, host;
} task_start;

typedef struct applying {
    allot_state *state;
    const allot_decision *decision;
    const allot_apply *how;
    const allot_applied *applied;
    allot__arena arena;
    int64_t now;
    bool damps;             /* leaves have times */
    size_t tasks, reclaims; /* counts before the decision */
    allot_grant *grants;
    int32_t grant_count;
    allot__vector starts;                /* of task_start */
    int32_t task_number, reclaim_number; /* of the last new one */
    /* By job: its replacement, or NULL; and whether it ends. */
    allot__thing **jobs;
    bool *jobs_end;
} applying;

/* Notifies the caller of a change of a reclaim or job, or of a leaf. */
static void tell_item(const applying *it, allot_item kind, const void *item, bool ends)
{
    if (it->applied->item)
        it->applied->item(it->applied->ud, kind, item, ends);
}

static void tell_leaf(const applying *it, int32_t group, int32_t consumer)
{
    if (it->applied->leaf)
        it->applied->leaf(it->applied->ud, group, consumer);
}

enum { ID_MAX = 255, ID_ROOM = ID_MAX + 1 };

/* The next id of a kind that is not taken. ENAME: it would be too long. */
static int next_id(const allot__things *things, const char *stem, int32_t *number, char *out)
{
    do {
        int length = snprintf(out, ID_ROOM, "%s%d", stem, (int)(*number)++);
        if (length > ID_MAX)
            return ALLOT_ENAME;
    } while (allot__things_find(things, out));
    return ALLOT_OK;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

static int add_reclaim(applying *it, int32_t i)
{
    allot_reclaim reclaim;
    char id[ID_ROOM];
    allot_decision_reclaim(it->decision, i, &reclaim);
    const char *stem = it->how->reclaim_ids ? it->how->reclaim_ids : "r";
    int status = next_id(&it->state->reclaims, stem, &it->reclaim_number, id);
    const char **tasks = allot__arena_take(&it->arena, (size_t)reclaim.task_count, sizeof *tasks);
    if (status != ALLOT_OK || (!tasks && reclaim.task_count > 0))
        return status != ALLOT_OK ? status : ALLOT_ENOMEM;
    for (int32_t k = 0; k < reclaim.task_count; k++)
        tasks[k] = allot__task_at(&it->decision->state->tasks, reclaim.tasks[k])->thing.id;
    allot_in_flight flight = {.id = id,
                              .consumer = reclaim.consumer,
                              .group = reclaim.group,
                              .slots = reclaim.slots,
                              .deadline = reclaim.deadline,
                              .claims = reclaim.claims,
                              .claim_count = reclaim.claim_count,
                              .tasks = tasks,
                              .task_count = reclaim.task_count};
    return allot_state_add(it->state, ALLOT_ITEM_RECLAIM, &flight);
}

static int add_reclaims(applying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_decision_reclaims(it->decision) && status == ALLOT_OK; i++)
        status = add_reclaim(it, i);
    return status;
}

/* Enters flights: in the decision's order those that were in flight before come first. */
static void enter_flights(applying *it)
{
    for (int32_t i = 0; i < allot_decision_flights(it->decision); i++) {
        allot__thing *thing = allot__things_at(&it->state->reclaims, i);
        allot_flight flight;
        allot_decision_flight(it->decision, i, &flight);
        if (!thing)
            continue;
        allot_in_flight *reclaim = allot__thing_item(thing), then = *reclaim;
        bool back = flight.phase == ALLOT_RETURNED;
        bool changes = back || reclaim->deadline != flight.deadline;
        then.deadline = flight.deadline;
        if (changes)
            tell_item(it, ALLOT_ITEM_RECLAIM, &then, back);
        reclaim->deadline = flight.deadline;
        if (back)
            allot__things_end(&it->state->reclaims, thing);
        it->state->flights_stale = it->state->flights_stale || changes;
    }
}

/* ---- Grants ---------------------------------------------------------------------------------- */

/* Had a consumer tasks when the decision was made? */
static bool has_tasks(const applying *it, int32_t consumer)
{
    const allot__tasks *tasks = &it->decision->state->tasks;
    bool any = false;
    for (int32_t g = 0; tasks->units && g < it->state->plan->group_count; g++) {
        const allot__units *units = &tasks->units[g];
        int32_t waiting;
        allot__waiting_of(tasks, g, consumer, &waiting);
        any = any || waiting > 0 ||
              allot__units_first(units, consumer) < allot__units_end(units, consumer);
    }
    return any;
}

static bool is_stated(const allot_state *state, const allot_grant *grant)
{
    int32_t row = allot__row(state->plan, grant->group, grant->consumer);
    return allot__allocated_set(&state->groups[grant->group], row);
}

/* The grant's first host by name that has so many slots left; -1: none has. */
static int32_t place_for(const allot_grant *grant, const int64_t *left, int64_t slots)
{
    int32_t best = -1;
    for (int32_t i = 0; i < grant->place_count; i++)
        if (left[i] >= slots &&
            (best < 0 || strcmp(grant->places[i].name, grant->places[best].name) < 0))
            best = i;
    return best;
}

static int start_task(applying *it, const allot_grant *grant, int32_t number, int64_t *left)
{
    allot_state *state = it->state;
    int32_t first = allot__task_first(&state->tasks, number);
    const allot__task *task = allot__task_at(&state->tasks, first);
    if (task->group != grant->group || !task->pending)
        return ALLOT_OK; /* its own group's grant places it */
    int32_t at = place_for(grant, left, task->slots);
    int32_t host = allot__label_of(state, at < 0 ? NULL : grant->places[at].name);
    task_start *start = NULL;
    if (host != ALLOT__NO_LABEL)
        start = allot__push(state->engine, &it->starts, sizeof *start);
    if (!start)
        return ALLOT_ENOMEM;
    *start = (task_start){first, host};
    if (at >= 0)
        left[at] -= task->slots;
    return ALLOT_OK;
}

static int64_t *slots_left(applying *it, const allot_grant *grant)
{
    int64_t *left = allot__arena_take(&it->arena, (size_t)grant->place_count + 1, sizeof *left);
    for (int32_t i = 0; left && i < grant->place_count; i++)
        left[i] = grant->places[i].slots;
    return left;
}

static int start_tasks(applying *it, const allot_grant *grant)
{
    int64_t *left = slots_left(it, grant);
    int status = left ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < grant->task_count && status == ALLOT_OK; i++)
        status = start_task(it, grant, grant->tasks[i], left);
    return status;
}

static int add_task(applying *it, const allot_grant *grant, int64_t slots, const char *host)
{
    char id[ID_ROOM];
    allot_task task = {.id = id,
                       .consumer = grant->consumer,
                       .group = grant->group,
                       .slots = slots,
                       .started = it->now,
                       .host = host};
    int status = next_id(&it->state->tasks.things, it->how->task_ids, &it->task_number, id);
    return status == ALLOT_OK ? allot_state_add(it->state, ALLOT_ITEM_TASK, &task) : status;
}

/* Adds tasks by the names of their hosts; then those whose host is not known. */
static int add_tasks(applying *it, const allot_grant *grant)
{
    int64_t *left = slots_left(it, grant);
    int64_t unplaced = grant->slots;
    int status = left ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i; status == ALLOT_OK && (i = place_for(grant, left, 1)) >= 0; left[i] = 0) {
        status = add_task(it, grant, left[i], grant->places[i].name);
        unplaced -= left[i];
    }
    return status == ALLOT_OK && unplaced > 0 ? add_task(it, grant, unplaced, NULL) : status;
}

/* Reads all grants first, as values of the state may change as soon as one is entered. */
static int read_grants(applying *it)
{
    int32_t count =
        allot__queue_count(it->state->plan) > 0 ? 0 : allot_decision_grants(it->decision);
    it->grants =
        count > 0 ? allot__arena_take(&it->arena, (size_t)count, sizeof *it->grants) : NULL;
    if (count > 0 && !it->grants)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        allot_grant *grant = &it->grants[it->grant_count];
        allot_decision_grant(it->decision, i, grant);
        if (it->applied->stands && it->applied->stands(it->applied->ud, grant))
            continue;
        it->grant_count++;
    }
    return ALLOT_OK;
}

static int make_grants(applying *it)
{
    int status = read_grants(it);
    for (int32_t i = 0; i < it->grant_count && status == ALLOT_OK; i++) {
        const allot_grant *grant = &it->grants[i];
        if (grant->task_count > 0)
            status = it->how->starts ? start_tasks(it, grant) : ALLOT_OK;
        else if (it->how->task_ids && has_tasks(it, grant->consumer))
            status = add_tasks(it, grant);
    }
    return status;
}

static void enter_grants(applying *it)
{
    for (int32_t i = 0; i < it->grant_count; i++) {
        const allot_grant *grant = &it->grants[i];
        bool stated = is_stated(it->state, grant);
        if (!stated && has_tasks(it, grant->consumer))
            continue;
        int32_t row = allot__row(it->state->plan, grant->group, grant->consumer);
        int64_t held = stated ? it->state->groups[grant->group].allocated[row] : 0;
        held = held < ALLOT_AMOUNT_MAX - grant->slots ? held + grant->slots : ALLOT_AMOUNT_MAX;
        allot_state_allocated(it->state, grant->group, grant->consumer, held);
        tell_leaf(it, grant->group, grant->consumer);
    }
    const task_start *starts = it->starts.items;
    for (size_t i = 0; i < it->starts.count; i++)
        allot__task_start(it->state, starts[i].task, it->now, starts[i].host);
}

/* ---- Loans, contracts, use, times ------------------------------------------------------------ */

static void enter_loans(applying *it)
{
    allot_state_loans_end(it->state);
    for (int32_t i = 0; i < allot_decision_loans(it->decision); i++) {
        allot_loan_change change;
        allot_decision_loan(it->decision, i, &change);
        const allot_loan loan = {change.group, change.lender, change.borrower, change.slots};
        if (loan.slots > 0)
            allot_state_loan(it->state, &loan);
    }
}

static void enter_use(applying *it)
{
    int32_t queues = allot__queue_count(it->state->plan);
    for (int32_t i = 0; i < queues; i++) {
        allot_queue_part part;
        if (allot_decision_queue(it->decision, i, &part) == ALLOT_OK)
            allot_state_usage(it->state, i, part.usage, part.usage_millionths);
    }
    if (queues > 0)
        allot_state_usage_at(it->state, it->now);
    for (int32_t i = 0; i < allot_plan_resources(it->state->plan); i++) {
        int64_t when;
        if (allot_decision_resource_preempted(it->decision, i, &when) == ALLOT_OK)
            allot_state_resource_preempted(it->state, i, when);
    }
    for (int32_t i = 0; i < allot_plan_leases(it->state->plan); i++) {
        allot_lease_part part;
        if (allot_decision_lease(it->decision, i, &part) == ALLOT_OK)
            allot_state_lease(it->state, i, &part.now);
    }
}

static int make_times(applying *it)
{
    allot_state *state = it->state;
    int status = ALLOT_OK;
    for (int32_t g = 0; g < state->plan->group_count && it->damps; g++) {
        allot__group_state *group = &state->groups[g];
        if (allot__times_room(state, &group->waiting_since) != ALLOT_OK ||
            allot__times_room(state, &group->reclaimed_at) != ALLOT_OK)
            status = ALLOT_ENOMEM;
    }
    if (allot__queue_count(state->plan) > 0 || allot_plan_leases(state->plan) > 0)
        status = status == ALLOT_OK ? allot__jobs_room(state) : status;
    return status;
}

static void enter_times(applying *it)
{
    allot_state *state = it->state;
    allot_state_last(state, it->now);
    for (int32_t g = 0; g < state->plan->group_count && it->damps; g++)
        for (int32_t i = 0; i < state->plan->tree.rows; i++) {
            allot_brief brief;
            if (allot_decision_brief(it->decision, g, i, &brief) != ALLOT_OK)
                continue; /* not a leaf */
            int64_t *since = &state->groups[g].waiting_since[i];
            bool changes = *since != brief.waiting_since || brief.reclaimed > 0;
            *since = brief.waiting_since;
            if (brief.reclaimed > 0)
                state->groups[g].reclaimed_at[i] = it->now;
            if (changes)
                tell_leaf(it, g, i);
        }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Adds a job's time up to `now` to its sums; from now on the new state counts. */
static void turn_to(allot_job *job, allot_job_state state, int64_t now)
{
    int64_t passed = job->since != INT64_MIN && job->since < now ? now - job->since : 0;
    if (job->ran >= 0 && job->state == ALLOT_RUNNING)
        job->ran += passed;
    else if (job->ran < 0 && job->state != ALLOT_PENDING && job->started != INT64_MIN)
        job->ran = job->started < now ? now - job->started : 0;
    if (job->state == ALLOT_SUSPENDED || job->state == ALLOT_STOPPED)
        job->suspended_for += passed;
    job->state = state;
    job->since = now;
}

/* Appends an order's places to the first `kept` of `hosts`, each host once; returns how many. */
static int32_t add_places(const allot_job_order *order, int32_t kept, allot_job_host *hosts)
{
    int32_t count = kept;
    for (int32_t i = 0; i < order->place_count; i++) {
        const char *name = order->places[i].name;
        int32_t at = 0;
        while (at < count && (!hosts[at].host || strcmp(hosts[at].host, name) != 0))
            at++;
        if (at == count)
            hosts[count++] = (allot_job_host){name, 0};
        hosts[at].slots += order->places[i].slots;
    }
    return count;
}

static void grow(allot_job *job, const allot_job_order *order, allot_job_host *hosts)
{
    if (job->host_count > 0)
        memcpy(hosts, job->hosts, (size_t)job->host_count * sizeof *hosts);
    job->host_count = add_places(order, job->host_count, hosts);
    job->hosts = hosts;
    job->slots += order->slots;
    job->grow = job->grow > order->slots ? job->grow - order->slots : 0;
}

/* The job stops, and loses slots given to it for growth (P-53). */
static void stop(allot_job *job, const allot_job_order *order)
{
    job->preempted = order->preempted;
    job->grow = job->grown_count = job->notifying = 0;
    if (order->kind == ALLOT_ORDER_SUSPEND)
        return;
    job->started = INT64_MIN;
    job->ran = -1;
    job->host_count = 0;
}

void allot_job_apply(allot_job *job, const allot_job_order *order, int64_t now,
                     allot_job_host *hosts)
{
    static const allot_job_state states[] = {[ALLOT_ORDER_START] = ALLOT_RUNNING,
                                             [ALLOT_ORDER_RESUME] = ALLOT_RUNNING,
                                             [ALLOT_ORDER_SUSPEND] = ALLOT_SUSPENDED,
                                             [ALLOT_ORDER_KILL] = ALLOT_PENDING};
    if (order->kind == ALLOT_ORDER_RESIZE) {
        grow(job, order, hosts);
        return;
    }
    turn_to(job, states[order->kind], now);
    if (job->state != ALLOT_RUNNING) {
        stop(job, order);
        return;
    }
    job->started = now;
    if (order->kind == ALLOT_ORDER_RESUME)
        return;
    job->ran = 0;
    job->host_count = add_places(order, 0, hosts);
    job->hosts = hosts;
}

static int make_job(applying *it, const allot_job_order *order)
{
    const allot__thing *old = allot__things_at(&it->state->all_jobs, order->job);
    if (!old || it->jobs[order->job])
        return ALLOT_EUSAGE; /* a job has only one order */
    allot_job job = allot__job_told(it->state, (const allot__job *)(const void *)old);
    size_t room = (size_t)(job.host_count + order->place_count) + 1;
    allot_job_host *hosts = allot__arena_take(&it->arena, room, sizeof *hosts);
    if (!hosts)
        return ALLOT_ENOMEM;
    allot_job_apply(&job, order, it->now, hosts);
    it->jobs[order->job] = allot__job_make(it->state, &job);
    it->jobs_end[order->job] = order->kind == ALLOT_ORDER_KILL && order->action == ALLOT_KILL;
    return it->jobs[order->job] ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Makes jobs as orders change them. ENOMEM, EUSAGE. */
static int make_jobs(applying *it)
{
    int32_t orders = allot_decision_job_orders(it->decision);
    size_t count = (size_t)allot_state_jobs(it->state);
    if (orders == 0)
        return ALLOT_OK;
    allot__thing **jobs = allot__arena_zeroed(&it->arena, count, sizeof *jobs);
    it->jobs_end = allot__arena_zeroed(&it->arena, count, sizeof *it->jobs_end);
    if (!jobs || !it->jobs_end ||
        allot__things_room(it->state->engine, &it->state->all_jobs, (size_t)orders))
        return ALLOT_ENOMEM;
    it->jobs = jobs;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < orders && status == ALLOT_OK; i++) {
        allot_job_order order;
        allot_decision_job_order(it->decision, i, &order);
        if (!order.held)
            status = make_job(it, &order);
    }
    return status;
}

/* Jobs without `since` count from now on, unless they are pending. */
static void count_from_now(const applying *it, allot__thing *thing)
{
    allot__job *job = (allot__job *)(void *)thing;
    if (job->since == INT64_MIN && job->state != ALLOT_PENDING)
        job->since = it->now;
}

static void tell_job(const applying *it, const allot__thing *made, bool ends)
{
    allot_job job = allot__job_told(it->state, (const allot__job *)(const void *)made);
    tell_item(it, ALLOT_ITEM_JOB, &job, ends);
}

/* Enters these jobs. */
static void enter_jobs(applying *it)
{
    allot__things *things = &it->state->all_jobs;
    allot__jobs *jobs = it->state->jobs;
    bool all = !jobs || !jobs->arranged || it->state->jobs_stale || jobs->undated > 0 ||
               jobs->changed.count > 0;
    for (int32_t i = 0; i < allot_state_jobs(it->state); i++) {
        allot__thing *made = it->jobs ? it->jobs[i] : NULL;
        allot__thing *old = all || made ? allot__things_at(things, i) : NULL;
        if (!old)
            continue;
        count_from_now(it, old);
        if (made)
            allot__job_changed(it->state, i, (const allot__job *)(const void *)old,
                               it->jobs_end[i] ? NULL : (const allot__job *)(const void *)made);
        if (made)
            tell_job(it, made, it->jobs_end[i]);
        if (made && it->jobs_end[i])
            allot__things_end(things, old);
        if (made && it->jobs_end[i])
            allot__thing_free(it->state->engine, made);
        else if (made)
            allot__things_swap(things, old, made);
        it->state->tasks.spent += made != NULL;
    }
    if (jobs)
        jobs->undated = 0;
}

/* Frees these jobs on failure. */
static void drop_jobs(applying *it)
{
    for (int32_t i = 0; it->jobs && i < allot_state_jobs(it->state); i++)
        allot__thing_free(it->state->engine, it->jobs[i]);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool fits(const allot_state *state, const allot_decision *decision)
{
    const allot_state *from = decision->state;
    return state->base == from->base && decision->last >= ALLOT_STAGE_ORDERS &&
           allot__task_count(&state->tasks) >= allot__task_count(&from->tasks) &&
           state->reclaims.list.count >= (size_t)allot_decision_flights(decision) &&
           allot_state_jobs(state) >= allot_state_jobs(from);
}

static int make(applying *it)
{
    int status = make_times(it);
    if (status == ALLOT_OK)
        status = allot__vector_room(it->state->engine, &it->state->loans,
                                    (size_t)allot_decision_loans(it->decision), sizeof(allot_loan));
    if (status == ALLOT_OK)
        status = add_reclaims(it);
    if (status == ALLOT_OK)
        status = make_grants(it);
    if (status == ALLOT_OK)
        status = make_jobs(it);
    if (status == ALLOT_OK && it->applied->ready)
        status = it->applied->ready(it->applied->ud, (int32_t)it->reclaims);
    return status;
}

/* Enters times first: the decision computes them from what leaves have. */
static void enter(applying *it)
{
    enter_times(it);
    enter_flights(it);
    enter_loans(it);
    enter_use(it);
    enter_jobs(it);
    enter_grants(it);
}

int allot_state_apply(allot_state *state, const allot_decision *decision, const allot_apply *how)
{
    static const allot_apply nothing = {0};
    static const allot_applied nobody = {0};
    if (!state || !decision || state->sealed || !fits(state, decision))
        return ALLOT_EUSAGE;
    applying it = {.state = state,
                   .decision = decision,
                   .how = how ? how : &nothing,
                   .applied = how && how->applied ? how->applied : &nobody,
                   .now = allot_decision_now(decision),
                   .damps = allot_plan_damps(state->base) != 0,
                   .tasks = allot__task_count(&state->tasks),
                   .reclaims = state->reclaims.list.count,
                   .task_number = 1};
    allot__arena_init(&it.arena, state->engine);
    int status = make(&it);
    if (status == ALLOT_OK) {
        enter(&it);
    } else {
        allot__things_cut(state->engine, &state->tasks.things, it.tasks);
        allot__tasks_change(state);
        allot__things_cut(state->engine, &state->reclaims, it.reclaims);
        drop_jobs(&it);
    }
    allot__vector_free(state->engine, &it.starts);
    allot__arena_free(&it.arena);
    return status;
}
