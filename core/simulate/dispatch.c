/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * dispatch.c: runs a cycle of a plan with queues and carries the decision out. The state has the
 * jobs that have arrived and are not over, and executes orders; the simulation knows when jobs end.
 */
#include <string.h>

#include <allot/apply.h>

#include "simulate/sim.h"

enum { TEXT = 260, TICK = 60 };

#define USAGE_MOST ((int64_t)1 << 62) /* the most that a state may state */

/* ---- Jobs that come and end ------------------------------------------------------------------ */

/* Names by which limits know a job's user and groups. */
typedef struct naming {
    char user[TEXT], group[TEXT], application[TEXT];
} naming;

static const char *text_of(const allot_record_name *name, char prefix, char *buf)
{
    allot__record_text(name, prefix, buf, TEXT);
    return *buf != '\0' ? buf : NULL;
}

int allot__queue_job_come(allot_simulation *sim, int32_t number)
{
    const allot__sim_job *of = allot__job_of(sim, number);
    naming names;
    char id[ALLOT__ID];
    allot_record record;
    allot_job job;
    allot_trace_record(sim->trace, of->record, &record);
    allot_job_init(&job);
    *allot__put_number(id, number) = '\0';
    job.id = id;
    job.queue = sim->accounts[of->account].consumer;
    job.slots = of->slots;
    job.submitted = of->submit;
    job.priority = of->priority;
    job.user = text_of(&record.user, 'u', names.user);
    job.group = text_of(&record.group, 'g', names.group);
    job.application = text_of(&record.application, 'a', names.application);
    job.run_limit = of->run_limit;
    return allot_state_job(sim->state, &job);
}

/* The time that the job ran since the last cycle is use of its queue that no cycle has counted; the
 * state counts that of its user. */
int allot__queue_job_end(allot_simulation *sim, int32_t number)
{
    const allot__segment *segment = allot__segment_of(sim, allot__job_of(sim, number)->segment);
    int64_t since = segment->start > sim->last_cycle ? segment->start : sim->last_cycle;
    int32_t queue = allot__account_of(sim, segment)->consumer, millionths = 0;
    int64_t use = 0;
    char id[ALLOT__ID];
    *allot__put_number(id, number) = '\0';
    allot_state_usage_get(sim->state, queue, &use, &millionths);
    if (sim->now > since)
        use = allot__whole((allot__u128)use + allot__area(segment->count, sim->now - since));
    int status = allot_state_now(sim->state, sim->now);
    if (status == ALLOT_OK)
        status =
            allot_state_usage(sim->state, queue, use < USAGE_MOST ? use : USAGE_MOST, millionths);
    return status == ALLOT_OK ? allot_state_end(sim->state, ALLOT_ITEM_JOB, id) : status;
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

/* The state's i-th job; its number. */
static int32_t job_at(const allot_simulation *sim, int32_t i, allot_job *out)
{
    allot_state_job_at(sim->state, i, out);
    return allot__get_number(out->id);
}

static int start(allot_simulation *sim, int32_t number, const allot_job *as)
{
    const allot__sim_job *job = allot__job_of(sim, number);
    int64_t ran = 0;
    if (as->state != ALLOT_PENDING) {
        ran = as->ran;
        sim->counts.resumes++;
        sim->counts.starts--;
    }
    return allot__segment_start(sim, number, job->slots, sim->now + job->run - ran, INT32_MIN);
}

/* Stops a running job; no work is lost yet. */
static void pause_job(allot_simulation *sim, allot__sim_job *job)
{
    allot__account *account = &sim->accounts[job->account];
    allot__segment_stop(sim, job->segment, job->slots, true);
    job->pending += job->slots;
    job->preempted += job->slots;
    job->times++;
    account->pending += job->slots;
    account->preemptions += job->slots;
    account->reclaims++;
    account->reclaimed += job->slots;
    account->reclaimed_sum += job->slots;
    sim->counts.reclaims++;
}

static int stop(allot_simulation *sim, int32_t number, const allot_job *as, allot_action action)
{
    allot__sim_job *job = allot__job_of(sim, number);
    allot__account *account = &sim->accounts[job->account];
    int64_t ran = as->ran;
    if (as->state == ALLOT_RUNNING) {
        ran += sim->now - as->since;
        pause_job(sim, job);
    }
    if (action == ALLOT_SUSPEND || action == ALLOT_CHECKPOINT) {
        sim->counts.suspends++;
        return allot__touch(sim, account);
    }
    /* The work so far is lost; pause_job counted it as useful. */
    account->useful -= allot__area(job->slots, ran);
    account->lost += allot__area(job->slots, ran);
    account->killed += job->slots;
    sim->counts.kills++;
    if (action == ALLOT_KILL) {
        account->pending -= job->slots;
        job->fate = ALLOT_FATE_KILLED;
        sim->over++;
    }
    return allot__touch(sim, account);
}

static int carry_out(allot_simulation *sim, const allot_decision *decision, bool *again)
{
    int status = ALLOT_OK;
    allot_job_order order;
    allot_job as;
    for (int32_t i = 0; i < allot_decision_job_orders(decision) && status == ALLOT_OK; i++) {
        allot_decision_job_order(decision, i, &order);
        if (order.held)
            continue;
        int32_t number = job_at(sim, order.job, &as);
        if (order.kind == ALLOT_ORDER_START || order.kind == ALLOT_ORDER_RESUME)
            status = start(sim, number, &as);
        else if (order.kind == ALLOT_ORDER_SUSPEND || order.kind == ALLOT_ORDER_KILL)
            status = stop(sim, number, &as, order.action);
        *again = *again || order.kind >= ALLOT_ORDER_SUSPEND;
    }
    return status == ALLOT_OK ? allot_state_apply(sim->state, decision, NULL) : status;
}

/* ---- Who waits ------------------------------------------------------------------------------- */

/* No future event lets the job start. */
static bool never(const allot_simulation *sim, const allot_pending_of *why, int64_t slots)
{
    if (sim->varies)
        return false;
    return why->why == ALLOT_PEND_NEVER ||
           (why->why == ALLOT_PEND_LIMIT && why->most < slots && why->used == 0);
}

static bool goes_by_time(allot_pending why)
{
    return why == ALLOT_PEND_DELAY || why == ALLOT_PEND_PROTECTED ||
           why == ALLOT_PEND_RESOURCE_WAIT;
}

static int refuse(allot_simulation *sim, int32_t number, allot_pending why, const char *id)
{
    allot__sim_job *job = allot__job_of(sim, number);
    job->fate = ALLOT_FATE_REFUSED;
    job->why = (uint8_t)(ALLOT__WHY_PENDING + why);
    sim->accounts[job->account].pending -= job->slots;
    sim->over++;
    return allot_state_end(sim->state, ALLOT_ITEM_JOB, id);
}

/* The first job to look at: all, or those that have come since the last cycle. */
static int32_t first_look(const allot_simulation *sim)
{
    int32_t first = sim->preempts ? 0 : allot_state_jobs(sim->state);
    allot_job as;
    while (first > 0 && !allot__job_of(sim, job_at(sim, first - 1, &as))->looked)
        first--;
    return first;
}

static int look(allot_simulation *sim, const allot_decision *decision)
{
    int status = ALLOT_OK;
    for (int32_t i = first_look(sim); i < allot_state_jobs(sim->state) && status == ALLOT_OK; i++) {
        allot_job as;
        allot_pending_of why;
        int32_t number = job_at(sim, i, &as);
        allot__sim_job *job = allot__job_of(sim, number);
        bool waits =
            as.state == ALLOT_PENDING && allot_decision_pending(decision, i, &why) == ALLOT_OK;
        if (waits && goes_by_time(why.why) && sim->now + TICK < sim->wake)
            sim->wake = sim->now + TICK;
        if (waits && !job->looked && never(sim, &why, job->slots))
            status = refuse(sim, number, why.why, as.id);
        job->looked = job->looked || waits || !sim->preempts;
    }
    return status;
}

/* A reservation that is due when nothing ends is of slots that a job keeps beyond its run limit. */
static void wake_for_reserved(allot_simulation *sim, const allot_decision *decision)
{
    int64_t at;
    if (allot_decision_reserved(decision, &at) != ALLOT_OK)
        return;
    at = at > sim->now + TICK ? at : sim->now + TICK;
    sim->wake = at < sim->wake ? at : sim->wake;
}

int allot__dispatch_jobs(allot_simulation *sim, allot_report *report, bool *again)
{
    allot_decision *decision = NULL;
    int status = allot_state_now(sim->state, sim->now);
    sim->counts.cycles++;
    if (status == ALLOT_OK)
        status = allot__seal(sim, report);
    if (status == ALLOT_OK)
        status = allot__decide(sim, report, &decision);
    if (status != ALLOT_OK)
        return status;
    sim->sizes[0] = allot_state_slots_get(sim->state, 0);
    status = allot__decided(sim, decision, report);
    if (status == ALLOT_OK)
        status = allot_state_open(sim->state);
    if (status == ALLOT_OK)
        status = look(sim, decision);
    wake_for_reserved(sim, decision);
    if (status == ALLOT_OK)
        status = carry_out(sim, decision, again);
    allot_decision_free(decision);
    return status;
}
