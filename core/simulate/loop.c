/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.c: from instant to instant: when the next one is, and the cycles there. */
#include <stdlib.h>

#include "simulate/sim.h"

enum {
    ROUNDS_MOST = 100,           /* cycles at one instant */
    PROGRESS_EACH = 16,          /* instants */
    PATIENCE = 15 * 24 * 60 * 60 /* s without an arrival, start or end */
};

/* ---- When the next instant is ---------------------------------------------------------------- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The next time of an end, deadline, arrival or change; ALLOT__NEVER: none. */
static int64_t next_event(allot_simulation *sim)
{
    const allot__change *change = allot__next_change(sim);
    const allot__sim_job *job = allot__next_job(sim);
    int32_t segment = allot__segment_next(sim);
    int64_t at = job ? job->submit : ALLOT__NEVER;
    at = earlier(at, change ? change->at : ALLOT__NEVER);
    at = earlier(at, segment >= 0 ? allot__segment_of(sim, segment)->end : ALLOT__NEVER);
    return earlier(at, allot__flight_deadline(sim));
}

static bool next_instant(allot_simulation *sim, int64_t *out)
{
    int64_t at = next_event(sim);
    int64_t cycle = sim->due ? sim->last_cycle + sim->options.interval : ALLOT__NEVER;
    if (at == ALLOT__NEVER && cycle == ALLOT__NEVER && (size_t)sim->over >= sim->arrived)
        return false;
    if (at == ALLOT__NEVER && sim->now - sim->progress > PATIENCE)
        return false;
    at = earlier(at, earlier(cycle, earlier(sim->wake, sim->next_switch)));
    *out = at > sim->now || !sim->cycled ? at : sim->now;
    return at != ALLOT__NEVER;
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

static int settle(allot_simulation *sim, allot_report *report)
{
    bool again = true;
    int status = ALLOT_OK;
    for (int i = 0; again && status == ALLOT_OK; i++) {
        if (i == ROUNDS_MOST) {
            sim->counts.unsettled++;
            break;
        }
        again = false;
        int64_t starts = sim->counts.starts;
        status = sim->queues ? allot__dispatch_jobs(sim, report, &again)
                             : allot__divide(sim, report, &again);
        sim->progress = sim->counts.starts > starts ? sim->now : sim->progress;
        sim->last_cycle = sim->now;
        sim->cycled = true;
    }
    sim->due = false;
    return status;
}

static void sample(allot_simulation *sim, allot__account *account)
{
    allot_sample sample = {
        .at = sim->now,
        .group = account->group,
        .consumer = account->consumer,
        .demand = account->running + account->pending,
        .allocated = account->running + account->gathered,
        .busy = account->running,
        .reclaimed = account->reclaimed,
        .killed = account->killed,
    };
    bool same = sample.demand == account->shown[0] && sample.allocated == account->shown[1] &&
                sample.busy == account->shown[2] && account->reclaimed == 0 && account->killed == 0;
    account->shown[0] = sample.demand;
    account->shown[1] = sample.allocated;
    account->shown[2] = sample.busy;
    account->reclaimed = account->killed = 0;
    if (!same && sim->watcher.sample)
        sim->watcher.sample(sim->watcher.ud, &sample);
}

static int by_number(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return one < other ? -1 : one > other;
}

static void show_sizes(allot_simulation *sim)
{
    for (int32_t i = 0; i < sim->groups && sim->watcher.size; i++)
        if (sim->sizes[i] != sim->sizes_shown[i]) {
            sim->sizes_shown[i] = sim->sizes[i];
            sim->watcher.size(sim->watcher.ud, sim->now, i, sim->sizes[i]);
        }
}

/* Reports samples of changed accounts in order; keeps accounts that the next state must list. */
static void end_instant(allot_simulation *sim)
{
    int32_t *dirty = sim->dirty.items;
    size_t kept = 0;
    show_sizes(sim);
    if (sim->watcher.sample && sim->dirty.count > 1)
        qsort(dirty, sim->dirty.count, sizeof *dirty, by_number);
    for (size_t i = 0; i < sim->dirty.count; i++) {
        allot__account *account = &sim->accounts[dirty[i]];
        sample(sim, account);
        account->dirty = !allot__is_known(sim, account); /* the next cycle's state must list it */
        dirty[kept] = dirty[i];
        kept += account->dirty;
    }
    sim->dirty.count = kept;
    sim->counts.instants++;
}

static bool goes_on(allot_simulation *sim)
{
    if (!sim->watcher.progress || sim->counts.instants % PROGRESS_EACH != 0)
        return true;
    const allot__sim_job *job = allot__next_job(sim);
    int32_t records = allot_trace_records(sim->trace);
    int32_t played = job ? job->record : records;
    return sim->watcher.progress(sim->watcher.ud, played, records, sim->ended, sim->now) == 0;
}

/* ---- The run --------------------------------------------------------------------------------- */

static void advance(allot_simulation *sim, int64_t to)
{
    for (int32_t i = 0; i < sim->groups; i++)
        sim->offered[i] += allot__area(sim->sizes[i], to - sim->now);
    sim->now = to;
}

static int play(allot_simulation *sim, allot_report *report)
{
    int status = ALLOT_OK;
    int64_t at, until = sim->options.until;
    while (status == ALLOT_OK && next_instant(sim, &at)) {
        if (until != 0 && at > until) {
            advance(sim, until > sim->now ? until : sim->now);
            sim->counts.stopped = 1;
            break;
        }
        advance(sim, at);
        status = allot__happen(sim, report);
        bool may = !sim->cycled || sim->now - sim->last_cycle >= sim->options.interval;
        if (status == ALLOT_OK && sim->due && may)
            status = settle(sim, report);
        end_instant(sim);
        if (!goes_on(sim)) {
            sim->counts.stopped = 1;
            break;
        }
    }
    return status;
}

/* How many slots there are before anything happens. */
static int begin(allot_simulation *sim, allot_report *report)
{
    const allot__change *change = allot__next_change(sim);
    const allot__sim_job *job = allot__next_job(sim);
    int64_t first =
        earlier(job ? job->submit : ALLOT__NEVER, change != NULL ? change->at : ALLOT__NEVER);
    sim->now = sim->counts.first = first == ALLOT__NEVER ? 0 : first;
    sim->progress = sim->last_cycle = sim->now;
    if (allot_plan_switch(sim->plan, sim->now, &sim->next_switch) != ALLOT_OK)
        sim->next_switch = ALLOT__NEVER;
    int status = allot_state_now(sim->state, sim->now);
    if (status == ALLOT_OK)
        status = allot_state_seal(sim->state, report);
    for (int32_t i = 0; i < sim->groups && status == ALLOT_OK; i++)
        sim->sizes[i] = allot_state_slots_get(sim->state, i);
    for (int32_t i = 0; i < sim->groups * sim->consumers; i++)
        sim->accounts[i].busy_since = sim->now;
    if (status == ALLOT_OK)
        status = allot_state_open(sim->state);
    return status == ALLOT_OK && sim->queues ? allot_state_usage_at(sim->state, sim->now) : status;
}

static void end(allot_simulation *sim)
{
    sim->counts.last = sim->now;
    for (int32_t i = 0; i < sim->groups * sim->consumers; i++)
        allot__gather(sim, &sim->accounts[i], 0);
    for (size_t i = 0; i < sim->jobs.count; i++) {
        allot__sim_job *job = allot__job_of(sim, (int32_t)i);
        if (job->fate != ALLOT__FATE_OPEN)
            continue;
        job->fate = ALLOT_FATE_UNFINISHED;
        job->why = ALLOT__WHY_OVER;
    }
    sim->ran = true;
}

int allot_simulation_run(allot_simulation *sim, allot_report *report)
{
    if (!sim || !sim->loaded || sim->ran)
        return ALLOT_EUSAGE;
    int status = begin(sim, report);
    if (status == ALLOT_OK)
        status = play(sim, report);
    if (status == ALLOT_OK)
        end(sim);
    return status;
}
