/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: jobs of queues, as events tell of them and as decisions leave them. */
#include "service/books/own.h"

#include <allot/apply.h>

#include "base/memory.h"

/* ---- What is told of a job ------------------------------------------------------------------- */

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
void allot__job_merge(const allot__job_item *item, uint32_t stated, int64_t at, allot_job *job)
{
    allot_job old = allot__job_now(item, at);
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

static int put_job(allot__books *books, const allot__event *event, const allot_job *job)
{
    const allot__origin *source;
    if (allot__origin_of(books, event, &source) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot__job_item *item = allot__job_make(books->engine, job);
    if (!item)
        return ALLOT_ENOMEM;
    if (job->since == INT64_MIN)
        item->it.since = event->at;
    if (item->it.state == ALLOT_RUNNING && item->it.ran < 0)
        item->it.ran = 0; /* as far as anybody knows */
    if (job->slots > books->job_most)
        books->job_most = job->slots;
    allot__job_item *old = allot__item_find(&books->jobs, job->id);
    item->source = source || !old ? source : old->source;
    item->seen = old ? old->seen : 0;
    item->told = old != NULL && old->told;
    if (old && event->kind == ALLOT__EVENT_SUBMIT && job->state == ALLOT_PENDING)
        item->it.begin = old->it.begin;
    int status = allot__item_put(books->engine, &books->jobs, old, item);
    if (status == ALLOT_OK)
        allot__books_tell(books, ALLOT_ITEM_JOB, &item->it);
    return status;
}

/* What a queue's jobs have in all has a limit. It is seldom near, so that all are added up only
 * when as many of the largest pass it. */
static int check_sum(const allot__books *books, const allot_job *told, allot__error *fault)
{
    int64_t sum = told->slots;
    int64_t most = told->slots > books->job_most ? told->slots : books->job_most;
    if ((int64_t)(books->jobs.count + 1) * most <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    for (const allot__map_item *it = books->jobs.first; it; it = it->after) {
        const allot_job *job = &((const allot__job_item *)(const void *)it)->it;
        bool other = job->queue == told->queue && strcmp(job->id, told->id) != 0;
        sum += other ? job->slots : 0;
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

/* What a client says that a job has on hosts. */
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
        if (host->slots < 1)
            return allot__error_set(fault, ALLOT_ERANGE, "E-range", "hosts", NULL,
                                    "hosts: found 0 slots of \"%.100s\", allowed at least 1",
                                    host->host);
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
    const allot__job_item *old = allot__item_find(&books->jobs, event->id);
    if (submits && !event->whole && old)
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the job \"%.100s\" is there already", event->id);
    allot_job job = allot__event_job(event);
    if (submits && old)
        allot__job_merge(old, event->stated, event->at, &job);
    int status = submits ? check_submit(books, &job, fault) : ALLOT_OK;
    if (status == ALLOT_OK)
        status = check_place(books, &job, fault);
    return status == ALLOT_OK ? put_job(books, event, &job) : status;
}

/* ---- What users do to jobs ------------------------------------------------------------------- */

/* Adds up what it did until `when`, from which something else counts. */
static void turn_to(allot__books *books, allot__job_item *job, allot_job_state state, int64_t when)
{
    allot__map_touch(&books->jobs, &job->named);
    int64_t passed = when > job->it.since ? when - job->it.since : 0;
    if (job->it.state == ALLOT_RUNNING)
        job->it.ran = (job->it.ran > 0 ? job->it.ran : 0) + passed;
    else if (job->it.state != ALLOT_PENDING)
        job->it.suspended_for += passed;
    job->it.state = state;
    job->it.since = when;
}

/* It runs no more, and waits as if it had never run. */
static void turn_back(allot__books *books, allot__job_item *job, int64_t when)
{
    turn_to(books, job, ALLOT_PENDING, when);
    job->it.host_count = job->it.grown_count = 0;
    job->it.started = INT64_MIN;
    job->it.ran = -1;
    job->it.grow = 0;
}

static int refuse_state(const allot__job_item *job, const char *allowed, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_EUSAGE, "E-job-state", "id", NULL,
                            "id: the job \"%.100s\" is %s, allowed %s", job->it.id,
                            allot_job_state_name((int)job->it.state), allowed);
}

/* The job's place in the list is kept: cycles go by it. */
static void replace(allot__books *books, allot__job_item *old, allot__job_item *with)
{
    with->told = old->told;
    with->source = old->source;
    with->seen = old->seen;
    allot__item_put(books->engine, &books->jobs, old, with);
}

/* Another than this service started it, or resumed it where it was. */
static int run(allot__books *books, allot__job_item *old, const allot__event *event,
               allot__error *fault)
{
    bool waits = old->it.state == ALLOT_PENDING;
    allot_job job = old->it;
    if (!waits && job.state != ALLOT_SUSPENDED)
        return refuse_state(old, "pending or suspended", fault);
    if (event->job.host_count > 0) {
        job.hosts = event->job.hosts;
        job.host_count = event->job.host_count;
    }
    job.state = ALLOT_RUNNING;
    int status = check_hosts(books, &job, fault);
    if (status == ALLOT_OK)
        status = check_place(books, &job, fault);
    job.state = old->it.state;
    allot__job_item *item = status == ALLOT_OK ? allot__job_make(books->engine, &job) : NULL;
    if (!item)
        return status == ALLOT_OK ? ALLOT_ENOMEM : status;
    int64_t when = allot__event_said(event, "started") ? event->job.started : event->at;
    replace(books, old, item);
    item->it.ran = waits ? 0 : item->it.ran;
    item->it.begin = INT64_MIN;
    turn_to(books, item, ALLOT_RUNNING, when);
    item->it.started = when;
    return ALLOT_OK;
}

int allot__apply_job(allot__books *books, const allot__event *event, allot__error *fault)
{
    if (event->kind == ALLOT__EVENT_SUBMIT || event->kind == ALLOT__EVENT_KEEP_JOB)
        return submit(books, event, fault);
    allot__job_item *job = allot__item_find(&books->jobs, event->id);
    if (!job)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-job", "id", NULL,
                                "id: there is no job \"%.100s\"", event->id);
    allot_job_state state = job->it.state;
    if (event->kind == ALLOT__EVENT_STOP) {
        if (state != ALLOT_RUNNING && state != ALLOT_SUSPENDED)
            return refuse_state(job, "running or suspended", fault);
        turn_to(books, job, ALLOT_STOPPED, event->at);
    } else if (event->kind == ALLOT__EVENT_CONT) {
        /* Its slots may be somebody else's by now: the next cycles resume it. */
        if (state != ALLOT_STOPPED)
            return refuse_state(job, "stopped", fault);
        turn_to(books, job, ALLOT_SUSPENDED, event->at);
    } else if (event->kind == ALLOT__EVENT_RUN) {
        int status = run(books, job, event, fault);
        if (status != ALLOT_OK)
            return status;
    } else if (event->kind == ALLOT__EVENT_REQUEUE || event->kind == ALLOT__EVENT_FAIL) {
        turn_back(books, job, event->at);
        job->it.begin = event->kind == ALLOT__EVENT_FAIL ? event->until : INT64_MIN;
    } else {
        if (event->kind == ALLOT__EVENT_WITHDRAW && state != ALLOT_PENDING)
            return refuse_state(job, "pending; of others say `finish`", fault);
        allot__books_untell(books, ALLOT_ITEM_JOB, job->it.id);
        allot__item_end(books->engine, &books->jobs, job);
        return ALLOT_OK; /* the event may have named it by its own id */
    }
    job = allot__item_find(&books->jobs, event->id); /* which may be another block now */
    allot__books_tell(books, ALLOT_ITEM_JOB, &job->it);
    return ALLOT_OK;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* What an order makes of a job, to take the place of the old one. NULL: out of memory. */
static allot__job_item *ordered(const allot__books *books, const allot__job_item *old,
                                const allot_job_order *order, int64_t now)
{
    allot_job job = old->it;
    size_t room = (size_t)(job.host_count + order->place_count + 1);
    allot_job_host *hosts = allot__new(books->engine, room, sizeof *hosts);
    if (!hosts)
        return NULL;
    allot_job_apply(&job, order, now, hosts);
    allot__job_item *made = allot__job_make(books->engine, &job);
    allot__free(books->engine, hosts, room, sizeof *hosts);
    return made;
}

/* All is made first; then nothing can fail any more. */
int allot__enter_jobs(allot__books *books, const allot_decision *decision, allot__text *effect)
{
    int32_t count = allot_decision_job_orders(decision);
    const allot_state *state = allot_decision_state(decision);
    int64_t now = allot_decision_now(decision);
    size_t room = (size_t)(count > 0 ? count : 1);
    allot__job_item **made = allot__new(books->engine, room, sizeof(void *));
    int status = made ? ALLOT_OK : ALLOT_ENOMEM;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            allot_job_order order;
            allot_job of;
            if (allot_decision_job_order(decision, i, &order) != ALLOT_OK || order.held ||
                allot_state_job_at(state, order.job, &of) != ALLOT_OK)
                continue;
            allot__job_item *job = allot__item_find(&books->jobs, of.id);
            bool ends = order.kind == ALLOT_ORDER_KILL && order.action == ALLOT_KILL;
            if (pass == 0) {
                made[i] = ends ? NULL : ordered(books, job, &order, now);
                status = ends || made[i] ? ALLOT_OK : ALLOT_ENOMEM;
                continue;
            }
            if (ends)
                allot__item_end(books->engine, &books->jobs, job);
            else
                replace(books, job, made[i]);
            allot__write_job_of(books, of.id, effect);
        }
    for (int32_t i = 0; status != ALLOT_OK && made && i < count; i++)
        allot__item_free(books->engine, made[i]);
    allot__free(books->engine, made, room, sizeof(void *));
    return status;
}
