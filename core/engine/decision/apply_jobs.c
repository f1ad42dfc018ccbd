/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* apply_jobs.c: changes jobs by orders. */
#include <string.h>

#include "engine/decision/apply.h"
#include "model/state/job.h"

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

static int make_job(allot__applying *it, const allot_job_order *order)
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

int allot__apply_jobs_make(allot__applying *it)
{
    int32_t orders = allot_decision_job_orders(it->decision);
    size_t count = (size_t)allot_state_jobs(it->state);
    if (orders == 0)
        return ALLOT_OK;
    allot__thing **jobs = allot__arena_zeroed(&it->arena, count, sizeof *jobs);
    it->jobs_end = allot__arena_zeroed(&it->arena, count, sizeof *it->jobs_end);
    if (!jobs || !it->jobs_end)
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
static bool count_from_now(const allot__applying *it, allot__thing *thing)
{
    allot__job *job = (allot__job *)(void *)thing;
    bool counts = job->since == INT64_MIN && job->state != ALLOT_PENDING;
    if (counts)
        job->since = it->now;
    return counts;
}

static void tell(const allot__applying *it, const allot__thing *made, bool ends)
{
    allot_job job = allot__job_told(it->state, (const allot__job *)(const void *)made);
    allot__apply_tell(it, ALLOT_ITEM_JOB, &job, ends);
}

void allot__apply_jobs(allot__applying *it)
{
    allot__things *things = &it->state->all_jobs;
    bool changed = false;
    for (int32_t i = 0; i < allot_state_jobs(it->state); i++) {
        allot__thing *old = allot__things_at(things, i), *made = it->jobs ? it->jobs[i] : NULL;
        if (!old)
            continue;
        changed = count_from_now(it, old) || made || changed;
        if (made)
            tell(it, made, it->jobs_end[i]);
        if (made && it->jobs_end[i])
            allot__things_end(things, old);
        if (made && it->jobs_end[i])
            allot__thing_free(it->state->engine, made);
        else if (made)
            allot__things_swap(things, old, made);
        it->state->tasks.spent += made != NULL;
    }
    it->state->jobs_stale = it->state->jobs_stale || changed;
    it->state->tasks.arranged = it->state->tasks.arranged && !changed;
}

void allot__apply_jobs_drop(allot__applying *it)
{
    for (int32_t i = 0; it->jobs && i < allot_state_jobs(it->state); i++)
        allot__thing_free(it->state->engine, it->jobs[i]);
}
