/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: jobs of queues, changed by events and decisions. */
#include "service/books/own.h"

#include <allot/apply.h>

#include "base/memory.h"

/* ---- Stated jobs ----------------------------------------------------------------------------- */

allot_job allot__event_job(const allot__event *event)
{
    allot_job job = event->job;
    int64_t there = 0;
    for (int32_t i = 0; i < job.host_count && !allot__event_said(event, "slots"); i++)
        there += job.hosts[i].slots;
    job.slots = there > 0 ? there : job.slots;
    if (!allot__event_said(event, "submitted"))
        job.submitted = event->at;
    bool runs = event->kind == ALLOT__EVENT_SUBMIT && job.state == ALLOT_RUNNING;
    if (runs && job.ran < 0 && job.started != INT64_MIN && job.started < event->at)
        job.ran = event->at - job.started;
    return job;
}

#define BIT(name) allot__item_bit(ALLOT_ITEM_JOB, name)
void allot__job_merge(const allot_job *known, uint32_t stated, int64_t at, allot_job *job)
{
    allot_job old = allot__job_now(known, at);
    bool holds = job->state != ALLOT_PENDING, had = holds && old.state != ALLOT_PENDING;
    bool there = had && job->host_count == 0;
    uint32_t stay = BIT("submitted") | BIT("preempted") | BIT("suspended_for");
    if (holds && job->state == old.state)
        stay |= BIT("started");
    if (had)
        stay |= BIT("ran");
    if (there)
        stay |= BIT("slots");
    if (job->state == ALLOT_RUNNING)
        stay |= BIT("resize");
    allot__item_merge(ALLOT_ITEM_JOB, (stay & ~stated) | (there ? BIT("hosts") : 0), &old, job);
}
#undef BIT

/* The job keeps its place in the list, which cycles use. */
static int put_job(allot__books *books, const allot__event *event, const allot_job *old,
                   allot_job *job)
{
    if (job->since == INT64_MIN)
        job->since = event->at;
    if (job->state == ALLOT_RUNNING && job->ran < 0)
        job->ran = 0; /* as far as is known */
    if (old && event->kind == ALLOT__EVENT_SUBMIT && job->state == ALLOT_PENDING)
        job->begin = old->begin;
    int status = allot__record_tell(books, event, ALLOT_ITEM_JOB, job);
    if (status == ALLOT_OK && job->slots > books->job_most)
        books->job_most = job->slots;
    return status;
}

/* The slots of all jobs of a queue have a limit. They are added up only if count times the largest
 * exceeds it. */
static int check_sum(const allot__books *books, const allot_job *told, allot__error *fault)
{
    int64_t sum = told->slots;
    int64_t most = told->slots > books->job_most ? told->slots : books->job_most;
    if ((int64_t)(books->jobs.count + 1) * most <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK && job.queue == told->queue &&
            strcmp(job.id, told->id) != 0)
            sum += job.slots;
    }
    if (sum <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-demand", "slots", NULL,
                            "slots: the queue's jobs would have %lld, at most %d are allowed",
                            (long long)sum, ALLOT_AMOUNT_MAX);
}

static bool is_host(const allot__books *books, const char *name)
{
    return allot_plan_host_find(books->plan, name) >= 0 || allot__item_find(&books->hosts, name);
}

/* Checks the hosts that a client states for a job. */
static int check_hosts(const allot__books *books, const allot_job *job, allot__error *fault)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < job->host_count; i++) {
        const allot_job_host *host = &job->hosts[i];
        sum += host->slots;
        if (!host->host || !is_host(books, host->host))
            return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-host", "hosts", NULL,
                                    "hosts: there is no host \"%.100s\"",
                                    host->host ? host->host : "");
    }
    if (job->host_count > 0 && job->state == ALLOT_PENDING)
        return allot__error_set(fault, ALLOT_EINVALID, "E-hosts", "hosts", NULL,
                                "hosts: found some of a job that is pending, allowed none");
    if (job->host_count > 0 && sum != job->slots)
        return allot__error_set(fault, ALLOT_ERANGE, "E-slots", "slots", NULL,
                                "slots: found %lld, allowed %lld, what the job has on its hosts",
                                (long long)job->slots, (long long)sum);
    return ALLOT_OK;
}

static int check_place(const allot__books *books, const allot_job *job, allot__error *fault)
{
    if (!allot__job_is_unplaced(job) || !allot__books_several_hosts(books))
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-hosts", "hosts",
                              "hosts: of several hosts the job \"%.80s\" says not which has its "
                              "slots",
                              job->id);
}

static int check_submit(const allot__books *books, const allot_job *job, allot__error *fault)
{
    int status = check_sum(books, job, fault);
    return status == ALLOT_OK ? check_hosts(books, job, fault) : status;
}

static int submit(allot__books *books, const allot__event *event, allot__error *fault)
{
    bool submits = event->kind == ALLOT__EVENT_SUBMIT;
    allot_job old;
    bool known = allot__books_get(books, ALLOT_ITEM_JOB, event->id, &old);
    if (submits && !event->whole && known)
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the job \"%.100s\" is there already", event->id);
    allot_job job = allot__event_job(event);
    if (submits && known)
        allot__job_merge(&old, event->stated, event->at, &job);
    int status = submits ? check_submit(books, &job, fault) : ALLOT_OK;
    if (status == ALLOT_OK)
        status = check_place(books, &job, fault);
    return status == ALLOT_OK ? put_job(books, event, known ? &old : NULL, &job) : status;
}

/* ---- Changes by events ----------------------------------------------------------------------- */

/* Adds up its time in the old state until `when`, and sets the new state. */
static void turn_to(allot_job *job, allot_job_state state, int64_t when)
{
    *job = allot__job_now(job, when);
    job->state = state;
    job->since = when;
}

/* Makes a job pending, as if it had never run. */
static void turn_back(allot_job *job, const allot__event *event)
{
    turn_to(job, ALLOT_PENDING, event->at);
    job->host_count = job->grown_count = 0;
    job->started = INT64_MIN;
    job->ran = -1;
    job->grow = 0;
    job->begin = event->kind == ALLOT__EVENT_FAIL ? event->until : INT64_MIN;
}

static int refuse_state(const allot_job *job, const char *allowed, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_EUSAGE, "E-job-state", "id", NULL,
                            "id: the job \"%.100s\" is %s, allowed %s", job->id,
                            allot_job_state_name((int)job->state), allowed);
}

/* A job that something other than this service started, or resumed in place. */
static int run(const allot__books *books, allot_job *job, const allot__event *event,
               allot__error *fault)
{
    bool waits = job->state == ALLOT_PENDING;
    int64_t when = allot__event_said(event, "started") ? event->job.started : event->at;
    if (!waits && job->state != ALLOT_SUSPENDED)
        return refuse_state(job, "pending or suspended", fault);
    if (event->job.host_count > 0) {
        job->hosts = event->job.hosts;
        job->host_count = event->job.host_count;
    }
    turn_to(job, ALLOT_RUNNING, when);
    int status = check_hosts(books, job, fault);
    if (status == ALLOT_OK)
        status = check_place(books, job, fault);
    job->ran = waits ? 0 : job->ran;
    job->begin = INT64_MIN;
    job->started = when;
    return status;
}

/* Changes a job that stays in the books. */
static int change(const allot__books *books, allot_job *job, const allot__event *event,
                  allot__error *fault)
{
    switch (event->kind) {
    case ALLOT__EVENT_STOP:
        if (job->state != ALLOT_RUNNING && job->state != ALLOT_SUSPENDED)
            return refuse_state(job, "running or suspended", fault);
        turn_to(job, ALLOT_STOPPED, event->at);
        return ALLOT_OK;
    case ALLOT__EVENT_CONT:
        /* Its slots may be taken by now: the next cycles resume it. */
        if (job->state != ALLOT_STOPPED)
            return refuse_state(job, "stopped", fault);
        turn_to(job, ALLOT_SUSPENDED, event->at);
        return ALLOT_OK;
    case ALLOT__EVENT_RUN:
        return run(books, job, event, fault);
    default: /* requeue, fail */
        turn_back(job, event);
        return ALLOT_OK;
    }
}

int allot__apply_job(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_job job;
    allot__record *record;
    if (event->kind == ALLOT__EVENT_SUBMIT || event->kind == ALLOT__EVENT_KEEP_JOB)
        return submit(books, event, fault);
    if (!allot__books_get(books, ALLOT_ITEM_JOB, event->id, &job))
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-job", "id", NULL,
                                "id: there is no job \"%.100s\"", event->id);
    if (event->kind == ALLOT__EVENT_WITHDRAW && job.state != ALLOT_PENDING)
        return refuse_state(&job, "pending; of others say `finish`", fault);
    if (event->kind == ALLOT__EVENT_WITHDRAW || event->kind == ALLOT__EVENT_FINISH) {
        allot__record_end(books, ALLOT_ITEM_JOB, allot__item_find(&books->jobs, event->id));
        return ALLOT_OK; /* the event may have named it by its own id */
    }
    int status = change(books, &job, event, fault);
    return status == ALLOT_OK ? allot__record_put(books, ALLOT_ITEM_JOB, &job, &record) : status;
}
