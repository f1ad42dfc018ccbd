/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fit.c: keeps what is lacking host by host as other jobs stop and run on; and limits in which
 * these count. */
#include "engine/jobs/preempt/fit.h"

#include "base/least.h"
#include "engine/jobs/limits/resource.h"

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* Slots of a host that a pending job may use. */
static int64_t has_for_start(const allot__fit *fit, int32_t host, int64_t wanted)
{
    const allot__host_view *view = fit->view;
    int32_t binding;
    if (!allot__host_view_open(view, host) ||
        (fit->exclusive && !allot__host_view_empty(view, host)))
        return 0;
    int64_t slots = allot__least(view->free[host], wanted);
    return allot__bounds_on_host(fit->bounds, fit->number, host, (int32_t)slots, &binding);
}

/* What a suspended job lacks on a host of its own. */
static int64_t lacks_to_resume(const allot__fit *fit, int32_t host, int64_t own)
{
    const allot__host_view *view = fit->view;
    int32_t binding;
    if (host < 0)
        return own;
    int64_t free = allot__host_view_unclaimed(view, host);
    int64_t lack = view->alone[host] > 0 ? own : allot__most(own - free, 0);
    int32_t slots = (int32_t)own;
    slots = allot__bounds_on_host(fit->bounds, fit->number, host, slots, &binding);
    int64_t others = view->running[host] + view->claimed[host];
    return allot__most(lack, own - slots) + (fit->exclusive ? others : 0);
}

static int64_t count_start(const allot__fit *fit)
{
    const allot__host_view *view = fit->view;
    int64_t left = fit->job->slots;
    for (int32_t host = allot__host_view_next(view, fit->set, 0); host >= 0 && left > 0;
         host = allot__host_view_next(view, fit->set, host + 1)) {
        int64_t slots = has_for_start(fit, host, fit->whole ? left : INT32_MAX);
        if (fit->whole && slots > 0)
            allot__bounds_try(fit->bounds, fit->number, host, (int32_t)slots);
        left -= slots;
    }
    return left;
}

static int64_t count_resume(const allot__fit *fit)
{
    const allot__job_place *places = allot__job_places(fit->job);
    int64_t lack = 0;
    for (int32_t i = 0; i < fit->job->place_count; i++) {
        int32_t host = allot__host_view_host(fit->view, places[i].site);
        int64_t lacks = lacks_to_resume(fit, host, places[i].slots);
        if (fit->whole && host >= 0 && lacks < places[i].slots)
            allot__bounds_try(fit->bounds, fit->number, host, (int32_t)(places[i].slots - lacks));
        lack += lacks;
    }
    return lack;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

int64_t allot__fit_above(const allot__fit *fit, const allot__bound_entry *entry)
{
    const allot__bounds *bounds = fit->bounds;
    const allot__bound_trait *limit = allot__limit_trait(bounds, entry->limit);
    if (entry->bound < 0 || limit->of_hosts)
        return 0;
    const allot__bound *bound = allot__bound_at(bounds, entry->bound);
    int64_t used = bound->used - (fit->resumes ? bound->asleep : 0);
    int64_t above = used + (limit->jobs ? 1 : fit->job->slots) - bound->most;
    return above > 0 ? above : 0;
}

/* By how much limits are exceeded in all; the first bound that is. */
static int32_t count_over(const allot__fit *fit, int64_t *over)
{
    int32_t first = -1;
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(fit->bounds, fit->number, &count);
    *over = 0;
    for (int32_t i = 0; i < count; i++) {
        int64_t above = allot__fit_above(fit, &entries[i]);
        first = first < 0 && above > 0 ? entries[i].bound : first;
        *over += above;
    }
    if (fit->bounds->resources && !fit->resumes)
        *over += allot__resources_above(fit->bounds->resources, fit->number);
    return first;
}

int32_t allot__fit_binding(const allot__fit *fit)
{
    int64_t over;
    return count_over(fit, &over);
}

static bool limited_together(const allot__bounds *bounds, int32_t job)
{
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(bounds, job, &count);
    for (int32_t i = 0; i < count; i++)
        if (allot__limit_trait(bounds, entries[i].limit)->of_hosts)
            return true;
    return false;
}

/* ---- Trying ---------------------------------------------------------------------------------- */

void allot__fit_count(allot__fit *fit)
{
    fit->lack = fit->resumes ? count_resume(fit) : count_start(fit);
    if (fit->whole)
        allot__bounds_tried(fit->bounds, fit->number);
    count_over(fit, &fit->over);
}

void allot__fit_begin(allot__host_view *view, allot__bounds *bounds, int32_t job, int32_t *stamp,
                      allot__fit *out)
{
    const allot__work *work = view->work;
    const allot__job *it = allot__job_at(work->state->jobs, job);
    *out = (allot__fit){.view = view,
                        .bounds = bounds,
                        .job = it,
                        .number = job,
                        .set = allot__queues_of(work->plan)->set_of[it->queue],
                        .exclusive = (it->flags & ALLOT_JOB_EXCLUSIVE) != 0,
                        .resumes = it->state != ALLOT_PENDING,
                        .whole = limited_together(bounds, job),
                        .stamp = stamp};
    allot__fit_count(out);
}

/* What a host has for a pending job, or (below 0) lacks for a job that is resumed. */
static int64_t worth(const allot__fit *fit, int32_t host)
{
    if (!fit->resumes) {
        bool of_set = allot__host_view_has(fit->view, fit->set, host);
        return of_set ? has_for_start(fit, host, INT32_MAX) : 0;
    }
    const allot__job_place *places = allot__job_places(fit->job);
    int64_t lack = 0;
    for (int32_t i = 0; i < fit->job->place_count; i++)
        if (allot__host_view_host(fit->view, places[i].site) == host)
            lack += lacks_to_resume(fit, host, places[i].slots);
    return -lack;
}

/* What all hosts of a job are worth, each once. */
static int64_t worth_of(const allot__fit *fit, const allot__job *job)
{
    int64_t sum = 0;
    int32_t time = ++fit->stamp[fit->view->count];
    for (int32_t i = 0; i < allot__job_all_places(job); i++) {
        int32_t host = allot__job_host_at(fit->view, job, i);
        if (host >= 0 && fit->stamp[host] != time) {
            fit->stamp[host] = time;
            sum += worth(fit, host);
        }
    }
    return sum;
}

bool allot__fit_shares(const allot__fit *fit, int32_t other)
{
    const allot__jobs *jobs = fit->view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, other);
    for (int32_t i = 0; i < allot__job_all_places(job); i++) {
        int32_t host = allot__job_host_at(fit->view, job, i);
        if (host < 0)
            continue;
        if (!fit->resumes && allot__host_view_has(fit->view, fit->set, host))
            return true;
        for (int32_t k = 0; fit->resumes && k < fit->job->place_count; k++)
            if (allot__job_host_at(fit->view, fit->job, k) == host)
                return true;
    }
    return false;
}

void allot__fit_turn(allot__fit *fit, int32_t other, int32_t sign)
{
    const allot__job *job = allot__job_at(fit->view->work->state->jobs, other);
    int64_t before = fit->whole ? 0 : worth_of(fit, job);
    /* Its bounds exist since it began to run, so this cannot fail. */
    (void)allot__job_turn(fit->view, fit->bounds, other,
                          allot__job_ends(fit->view->work->plan, job), sign);
    if (fit->whole) {
        allot__fit_count(fit);
    } else {
        fit->lack -= worth_of(fit, job) - before;
        count_over(fit, &fit->over);
    }
}

/* ---- Limits that victims lessen -------------------------------------------------------------- */

/* Does a bound leave more for the job once a job with such an entry stops? */
static bool lessens(const allot__fit *fit, const allot__bound_entry *entry, const allot__job *job)
{
    return fit->resumes || !allot__limit_trait(fit->bounds, entry->limit)->counts ||
           job->grown_count > 0 || allot__job_ends(fit->view->work->plan, job);
}

bool allot__fit_helps(const allot__fit *fit, int32_t other)
{
    const allot__job *job = allot__job_at(fit->view->work->state->jobs, other);
    int32_t count;
    int32_t others;
    if (fit->bounds->resources && !fit->resumes &&
        allot__resources_help(fit->bounds->resources, fit->number, other))
        return true;
    const allot__bound_entry *entries = allot__bounds_entries(fit->bounds, fit->number, &count);
    const allot__bound_entry *with = allot__bounds_entries(fit->bounds, other, &others);
    for (int32_t i = 0; i < count && fit->over > 0 && !fit->whole; i++) {
        if (allot__fit_above(fit, &entries[i]) <= 0)
            continue;
        for (int32_t k = 0; k < others; k++)
            if (with[k].bound == entries[i].bound && lessens(fit, &with[k], job))
                return true;
    }
    return fit->whole;
}
