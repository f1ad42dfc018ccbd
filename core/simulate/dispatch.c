/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.c: a cycle of a plan with queues, and what it decides is done. */
#include <string.h>

#include "simulate/sim.h"

enum { ID = 12, TEXT = 260, TICK = 60 };

#define USAGE_MOST ((int64_t)1 << 62) /* that a state may tell of */

static allot__live *live_at(const allot_simulation *sim, size_t i)
{
    return (allot__live *)sim->lives.items + i;
}

static void free_hosts(const allot_simulation *sim, allot__live *live)
{
    allot__free(sim->engine, live->hosts, (size_t)live->host_count, sizeof *live->hosts);
    live->hosts = NULL;
    live->host_count = 0;
}

void allot__lives_free(allot_simulation *sim)
{
    for (size_t i = 0; i < sim->lives.count; i++)
        free_hosts(sim, live_at(sim, i));
    allot__vector_free(sim->engine, &sim->lives);
}

int allot__live_add(allot_simulation *sim, int32_t job)
{
    allot__live *live = allot__push(sim->engine, &sim->lives, sizeof *live);
    if (!live)
        return ALLOT_ENOMEM;
    live->job = job;
    live->chunk = -1;
    return ALLOT_OK;
}

/* What it ran since use was told last, for a queue's pool. */
static void use(const allot_simulation *sim, const allot__chunk *chunk)
{
    int64_t since = chunk->start > sim->usage_at ? chunk->start : sim->usage_at;
    int32_t queue = allot__cell_of(sim, chunk)->consumer;
    int64_t *usage = &sim->usage[2 * queue];
    allot__area sum = {0, (uint64_t)*usage};
    if (sim->now > since)
        allot__area_add(&sum, chunk->count, sim->now - since);
    *usage = allot__area_whole(sum);
    *usage = *usage < USAGE_MOST ? *usage : USAGE_MOST;
}

void allot__live_end(allot_simulation *sim, int32_t chunk)
{
    size_t i = 0;
    while (live_at(sim, i)->chunk != chunk)
        i++;
    use(sim, allot__chunk_of(sim, chunk));
    free_hosts(sim, live_at(sim, i));
    memmove(live_at(sim, i), live_at(sim, i + 1), (--sim->lives.count - i) * sizeof(allot__live));
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

static int tell_job(const allot_simulation *sim, const allot__live *live)
{
    const allot__sim_job *of = allot__job_of(sim, live->job);
    bool runs = live->state == ALLOT_RUNNING, waits = live->state == ALLOT_SUSPENDED;
    naming names;
    char id[ID];
    allot_record record;
    allot_job job;
    allot_trace_record(sim->trace, of->record, &record);
    allot_job_init(&job);
    put_id(live->job, id);
    job.id = id;
    job.queue = sim->cells[of->cell].consumer;
    job.state = (allot_job_state)live->state;
    job.slots = of->slots;
    job.hosts = live->hosts;
    job.host_count = live->host_count;
    job.submitted = of->submit;
    job.started = runs || waits ? live->started : INT64_MIN;
    job.ran = live->ran + (runs ? sim->now - live->started : 0);
    job.suspended_for = live->suspended_for + (waits ? sim->now - live->since : 0);
    job.preempted = live->preempted;
    job.priority = of->priority;
    job.user = text_of(&record.user, 'u', names.user);
    job.group = text_of(&record.group, 'g', names.group);
    job.application = text_of(&record.application, 'a', names.application);
    job.run_limit = of->requested > 0 ? of->requested : -1;
    return allot_state_job(sim->state, &job);
}

static int tell(allot_simulation *sim, allot_report *report)
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
    for (size_t i = 0; i < sim->lives.count && status == ALLOT_OK; i++)
        status = tell_job(sim, live_at(sim, i));
    if (status == ALLOT_OK)
        status = allot_state_seal(sim->state, NULL);
    if (status == ALLOT_EINVALID) /* once more, to tell what is wrong */
        status = allot_state_seal(sim->state, report);
    return status;
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

static const char *place_name(const allot_simulation *sim, const allot_place *place)
{
    return place->host >= 0 ? allot_plan_host_name(sim->plan, place->host)
                            : ((const char *const *)sim->hosts.items)[~place->host];
}

static int start(allot_simulation *sim, allot__live *live, const allot_job_order *order)
{
    const allot__sim_job *job = allot__job_of(sim, live->job);
    if (order->kind == ALLOT_ORDER_START && order->place_count > 0) {
        live->hosts = allot__new(sim->engine, (size_t)order->place_count, sizeof *live->hosts);
        if (!live->hosts)
            return ALLOT_ENOMEM;
        live->host_count = order->place_count;
        for (int32_t i = 0; i < order->place_count; i++)
            live->hosts[i] =
                (allot_job_host){place_name(sim, &order->places[i]), order->places[i].slots};
    }
    if (order->kind == ALLOT_ORDER_RESUME) {
        live->suspended_for += sim->now - live->since;
        sim->counts.resumes++;
        sim->counts.starts--;
    }
    live->state = ALLOT_RUNNING;
    live->started = sim->now;
    return allot__chunk_start(sim, live->job, job->slots, sim->now + job->run - live->ran,
                              INT32_MIN, &live->chunk);
}

/* Its work so far is lost; it was counted as useful when it was suspended. */
static void lose(allot_simulation *sim, const allot__live *live)
{
    const allot__sim_job *job = allot__job_of(sim, live->job);
    allot__cell *cell = &sim->cells[job->cell];
    allot__area ran = allot__area_of(job->slots, live->ran);
    allot__area_part(&cell->useful, ran);
    allot__area_join(&cell->lost, ran);
    sim->counts.kills++;
}

/* What runs stops; nothing is lost yet. */
static void pause_job(allot_simulation *sim, allot__live *live)
{
    allot__sim_job *job = allot__job_of(sim, live->job);
    allot__cell *cell = &sim->cells[job->cell];
    if (live->chunk < 0)
        return;
    use(sim, allot__chunk_of(sim, live->chunk));
    live->ran += sim->now - live->started;
    allot__chunk_stop(sim, live->chunk, job->slots, true);
    live->chunk = -1;
    job->pending += job->slots;
    job->preempted += job->slots;
    job->times++;
    cell->pending += job->slots;
    cell->preemptions += job->slots;
    cell->reclaims++;
    cell->reclaimed += job->slots;
    cell->reclaimed_sum += job->slots;
    sim->counts.reclaims++;
}

static int stop(allot_simulation *sim, allot__live *live, const allot_job_order *order)
{
    allot__sim_job *job = allot__job_of(sim, live->job);
    allot__cell *cell = &sim->cells[job->cell];
    pause_job(sim, live);
    live->preempted = (int32_t)order->preempted;
    if (order->action == ALLOT_SUSPEND || order->action == ALLOT_CHECKPOINT) {
        live->state = ALLOT_SUSPENDED;
        live->since = sim->now;
        sim->counts.suspends++;
        return allot__touch(sim, cell);
    }
    lose(sim, live);
    cell->killed += job->slots;
    free_hosts(sim, live);
    live->ran = 0;
    live->state = ALLOT_PENDING;
    if (order->action == ALLOT_KILL) {
        live->job = -1 - live->job; /* gone */
        cell->pending -= job->slots;
        job->fate = ALLOT_FATE_KILLED;
        sim->over++;
    }
    return allot__touch(sim, cell);
}

static int carry_out(allot_simulation *sim, const allot_decision *decision, bool *again)
{
    int status = ALLOT_OK;
    allot_job_order order;
    for (int32_t i = 0; i < allot_decision_job_orders(decision) && status == ALLOT_OK; i++) {
        allot_decision_job_order(decision, i, &order);
        allot__live *live = live_at(sim, (size_t)order.job);
        if (order.held)
            continue;
        if (order.kind == ALLOT_ORDER_START || order.kind == ALLOT_ORDER_RESUME)
            status = start(sim, live, &order);
        else if (order.kind == ALLOT_ORDER_SUSPEND || order.kind == ALLOT_ORDER_KILL)
            status = stop(sim, live, &order);
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
    for (size_t i = 0; i < sim->lives.count; i++) {
        allot__live *live = live_at(sim, i);
        if (live->job < 0 || live->state != ALLOT_PENDING || (live->looked && !sim->preempts))
            continue;
        allot__sim_job *job = allot__job_of(sim, live->job);
        allot_pending_of why;
        if (allot_decision_pending(decision, (int32_t)i, &why) != ALLOT_OK)
            continue;
        if (goes_by_time(why.why) && sim->now + TICK < sim->wake)
            sim->wake = sim->now + TICK;
        if (!live->looked && never(sim, &why, job->slots)) {
            job->fate = ALLOT_FATE_REFUSED;
            job->why = (uint8_t)(ALLOT__WHY_PENDING + why.why);
            sim->cells[job->cell].pending -= job->slots;
            sim->over++;
            live->job = -1 - live->job;
        }
        live->looked = true;
    }
}

/* Takes out those that are gone. */
static void sweep(allot_simulation *sim)
{
    size_t kept = 0;
    for (size_t i = 0; i < sim->lives.count; i++)
        if (live_at(sim, i)->job >= 0)
            *live_at(sim, kept++) = *live_at(sim, i);
    sim->lives.count = kept;
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
    int status = tell(sim, report);
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
