/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.c: a cycle of a plan with queues, and what it decides is done. */
#include <string.h>

#include "simulate/sim.h"

enum { ID = 12, TEXT = 260, TICK = 60 };

#define USAGE_MOST ((int64_t)1 << 62) /* that a state may tell of */

static allot__active_job *active_at(const allot_simulation *sim, size_t i)
{
    return (allot__active_job *)sim->active_jobs.items + i;
}

static void free_hosts(const allot_simulation *sim, allot__active_job *active)
{
    allot__free(sim->engine, active->hosts, (size_t)active->host_count, sizeof *active->hosts);
    active->hosts = NULL;
    active->host_count = 0;
}

void allot__active_jobs_free(allot_simulation *sim)
{
    for (size_t i = 0; i < sim->active_jobs.count; i++)
        free_hosts(sim, active_at(sim, i));
    allot__vector_free(sim->engine, &sim->active_jobs);
}

int allot__active_job_add(allot_simulation *sim, int32_t job)
{
    allot__active_job *active = allot__push(sim->engine, &sim->active_jobs, sizeof *active);
    if (!active)
        return ALLOT_ENOMEM;
    active->job = job;
    active->segment = -1;
    return ALLOT_OK;
}

/* What it ran since use was told last, for a queue's pool. */
static void use(const allot_simulation *sim, const allot__segment *segment)
{
    int64_t since = segment->start > sim->usage_at ? segment->start : sim->usage_at;
    int32_t queue = allot__account_of(sim, segment)->consumer;
    int64_t *usage = &sim->usage[2 * queue];
    allot__area sum = {0, (uint64_t)*usage};
    if (sim->now > since)
        allot__area_add(&sum, segment->count, sim->now - since);
    *usage = allot__area_whole(sum);
    *usage = *usage < USAGE_MOST ? *usage : USAGE_MOST;
}

void allot__active_job_end(allot_simulation *sim, int32_t segment)
{
    size_t i = 0;
    while (active_at(sim, i)->segment != segment)
        i++;
    use(sim, allot__segment_of(sim, segment));
    free_hosts(sim, active_at(sim, i));
    memmove(active_at(sim, i), active_at(sim, i + 1),
            (--sim->active_jobs.count - i) * sizeof(allot__active_job));
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* Names by which limits know a job's user and groups. */
typedef struct naming {
    char user[TEXT], group[TEXT], application[TEXT];
} naming;

static const char *text_of(const allot_record_name *name, char prefix, char *buf)
{
    allot__record_text(name, prefix, buf, TEXT);
    return *buf != '\0' ? buf : NULL;
}

static void put_id(int32_t number, char *buf)
{
    for (int i = 9; i >= 0; i--, number /= 10)
        buf[i] = (char)('0' + number % 10);
    buf[10] = '\0';
}

static int put_job(const allot_simulation *sim, const allot__active_job *active)
{
    const allot__sim_job *of = allot__job_of(sim, active->job);
    bool runs = active->state == ALLOT_RUNNING, waits = active->state == ALLOT_SUSPENDED;
    naming names;
    char id[ID];
    allot_record record;
    allot_job job;
    allot_trace_record(sim->trace, of->record, &record);
    allot_job_init(&job);
    put_id(active->job, id);
    job.id = id;
    job.queue = sim->accounts[of->account].consumer;
    job.state = (allot_job_state)active->state;
    job.slots = of->slots;
    job.hosts = active->hosts;
    job.host_count = active->host_count;
    job.submitted = of->submit;
    job.started = runs || waits ? active->started : INT64_MIN;
    job.ran = active->ran + (runs ? sim->now - active->started : 0);
    job.suspended_for = active->suspended_for + (waits ? sim->now - active->since : 0);
    job.preempted = active->preempted;
    job.priority = of->priority;
    job.user = text_of(&record.user, 'u', names.user);
    job.group = text_of(&record.group, 'g', names.group);
    job.application = text_of(&record.application, 'a', names.application);
    job.run_limit = of->requested > 0 ? of->requested : -1;
    return allot_state_job(sim->state, &job);
}

static int fill_state(allot_simulation *sim, allot_report *report)
{
    int status = allot_state_clear(sim->state);
    if (status == ALLOT_OK)
        status = allot_state_now(sim->state, sim->now);
    if (status == ALLOT_OK && sim->cycled)
        status = allot_state_last(sim->state, sim->last_cycle);
    for (int32_t q = 0; q < allot_plan_queues(sim->plan) && status == ALLOT_OK; q++)
        status =
            allot_state_usage(sim->state, q, sim->usage[2 * q], (int32_t)sim->usage[2 * q + 1]);
    if (status == ALLOT_OK)
        status = allot_state_usage_at(sim->state, sim->usage_at);
    for (size_t i = 0; i < sim->active_jobs.count && status == ALLOT_OK; i++)
        status = put_job(sim, active_at(sim, i));
    if (status == ALLOT_OK)
        status = allot_state_seal(sim->state, NULL);
    if (status == ALLOT_EINVALID) /* once more, to report what is wrong */
        status = allot_state_seal(sim->state, report);
    return status;
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

static const char *place_name(const allot_simulation *sim, const allot_place *place)
{
    return place->host >= 0 ? allot_plan_host_name(sim->plan, place->host)
                            : ((const char *const *)sim->hosts.items)[~place->host];
}

static int start(allot_simulation *sim, allot__active_job *active, const allot_job_order *order)
{
    const allot__sim_job *job = allot__job_of(sim, active->job);
    if (order->kind == ALLOT_ORDER_START && order->place_count > 0) {
        active->hosts = allot__new(sim->engine, (size_t)order->place_count, sizeof *active->hosts);
        if (!active->hosts)
            return ALLOT_ENOMEM;
        active->host_count = order->place_count;
        for (int32_t i = 0; i < order->place_count; i++)
            active->hosts[i] =
                (allot_job_host){place_name(sim, &order->places[i]), order->places[i].slots};
    }
    if (order->kind == ALLOT_ORDER_RESUME) {
        active->suspended_for += sim->now - active->since;
        sim->counts.resumes++;
        sim->counts.starts--;
    }
    active->state = ALLOT_RUNNING;
    active->started = sim->now;
    return allot__segment_start(sim, active->job, job->slots, sim->now + job->run - active->ran,
                                INT32_MIN, &active->segment);
}

/* Its work so far is lost; it was counted as useful when it was suspended. */
static void lose(allot_simulation *sim, const allot__active_job *active)
{
    const allot__sim_job *job = allot__job_of(sim, active->job);
    allot__account *account = &sim->accounts[job->account];
    allot__area ran = allot__area_of(job->slots, active->ran);
    allot__area_part(&account->useful, ran);
    allot__area_join(&account->lost, ran);
    sim->counts.kills++;
}

/* What runs stops; nothing is lost yet. */
static void pause_job(allot_simulation *sim, allot__active_job *active)
{
    allot__sim_job *job = allot__job_of(sim, active->job);
    allot__account *account = &sim->accounts[job->account];
    if (active->segment < 0)
        return;
    use(sim, allot__segment_of(sim, active->segment));
    active->ran += sim->now - active->started;
    allot__segment_stop(sim, active->segment, job->slots, true);
    active->segment = -1;
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

static int stop(allot_simulation *sim, allot__active_job *active, const allot_job_order *order)
{
    allot__sim_job *job = allot__job_of(sim, active->job);
    allot__account *account = &sim->accounts[job->account];
    pause_job(sim, active);
    active->preempted = (int32_t)order->preempted;
    if (order->action == ALLOT_SUSPEND || order->action == ALLOT_CHECKPOINT) {
        active->state = ALLOT_SUSPENDED;
        active->since = sim->now;
        sim->counts.suspends++;
        return allot__touch(sim, account);
    }
    lose(sim, active);
    account->killed += job->slots;
    free_hosts(sim, active);
    active->ran = 0;
    active->state = ALLOT_PENDING;
    if (order->action == ALLOT_KILL) {
        active->job = -1 - active->job; /* gone */
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
    for (int32_t i = 0; i < allot_decision_job_orders(decision) && status == ALLOT_OK; i++) {
        allot_decision_job_order(decision, i, &order);
        allot__active_job *active = active_at(sim, (size_t)order.job);
        if (order.held)
            continue;
        if (order.kind == ALLOT_ORDER_START || order.kind == ALLOT_ORDER_RESUME)
            status = start(sim, active, &order);
        else if (order.kind == ALLOT_ORDER_SUSPEND || order.kind == ALLOT_ORDER_KILL)
            status = stop(sim, active, &order);
        *again = *again || order.kind >= ALLOT_ORDER_SUSPEND;
    }
    return status;
}

/* ---- Who waits ------------------------------------------------------------------------------- */

/* Nothing that can come lets it start. */
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

static void look(allot_simulation *sim, const allot_decision *decision)
{
    for (size_t i = 0; i < sim->active_jobs.count; i++) {
        allot__active_job *active = active_at(sim, i);
        if (active->job < 0 || active->state != ALLOT_PENDING || (active->looked && !sim->preempts))
            continue;
        allot__sim_job *job = allot__job_of(sim, active->job);
        allot_pending_of why;
        if (allot_decision_pending(decision, (int32_t)i, &why) != ALLOT_OK)
            continue;
        if (goes_by_time(why.why) && sim->now + TICK < sim->wake)
            sim->wake = sim->now + TICK;
        if (!active->looked && never(sim, &why, job->slots)) {
            job->fate = ALLOT_FATE_REFUSED;
            job->why = (uint8_t)(ALLOT__WHY_PENDING + why.why);
            sim->accounts[job->account].pending -= job->slots;
            sim->over++;
            active->job = -1 - active->job;
        }
        active->looked = true;
    }
}

/* Takes out those that are gone. */
static void sweep(allot_simulation *sim)
{
    size_t kept = 0;
    for (size_t i = 0; i < sim->active_jobs.count; i++)
        if (active_at(sim, i)->job >= 0)
            *active_at(sim, kept++) = *active_at(sim, i);
    sim->active_jobs.count = kept;
}

static void keep_use(allot_simulation *sim, const allot_decision *decision)
{
    allot_queue_part part;
    for (int32_t q = 0; q < allot_plan_queues(sim->plan); q++) {
        allot_decision_queue(decision, q, &part);
        sim->usage[2 * q] = part.usage;
        sim->usage[2 * q + 1] = part.usage_millionths;
    }
    sim->usage_at = sim->now;
}

int allot__dispatch_jobs(allot_simulation *sim, allot_report *report, bool *again)
{
    allot_decision *decision = NULL;
    int status = fill_state(sim, report);
    if (status == ALLOT_OK)
        status = allot__decide(sim, ALLOT_STAGE_ORDERS, report, &decision);
    if (status != ALLOT_OK)
        return status;
    sim->sizes[0] = allot_state_slots_get(sim->state, 0);
    keep_use(sim, decision);
    status = allot__decided(sim, decision, report);
    if (status == ALLOT_OK)
        status = carry_out(sim, decision, again);
    look(sim, decision);
    sweep(sim);
    int opened = allot__reopen(sim, decision);
    return status != ALLOT_OK ? status : opened;
}
