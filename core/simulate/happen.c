/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* happen.c: what happens at an instant before the cycle: ends, deadlines, arrivals, changes. */
#include <string.h>

#include "simulate/sim.h"

const allot__change *allot__next_change(const allot_simulation *sim)
{
    return sim->next_change < sim->changes.count
               ? (const allot__change *)sim->changes.items + sim->next_change
               : NULL;
}

const allot__sim_job *allot__next_job(allot_simulation *sim)
{
    while (sim->next_job < sim->jobs.count && allot__job_of(sim, (int32_t)sim->next_job)->standing)
        sim->next_job++;
    return sim->next_job < sim->jobs.count ? allot__job_of(sim, (int32_t)sim->next_job) : NULL;
}

static int end_segments(allot_simulation *sim)
{
    int status = ALLOT_OK;
    for (int32_t i = allot__segment_next(sim); i >= 0 && status == ALLOT_OK;
         i = allot__segment_next(sim)) {
        if (allot__segment_of(sim, i)->end > sim->now)
            break;
        if (sim->queues)
            status = allot__queue_job_end(sim, allot__segment_of(sim, i)->job);
        if (status == ALLOT_OK)
            status = allot__segment_end(sim, i);
        sim->progress = sim->now;
    }
    return status;
}

/* Kills the remaining tasks of a reclaim, which ends it. */
static int end_flight(allot_simulation *sim, int32_t account, int32_t serial)
{
    int status = ALLOT_OK;
    for (int32_t i = sim->accounts[account].first; i >= 0 && status == ALLOT_OK;) {
        const allot__segment *segment = allot__segment_of(sim, i);
        int32_t next = segment->next;
        if (segment->flight == serial)
            status = allot__kill(sim, i, segment->count);
        i = next;
    }
    return status;
}

static int end_flights(allot_simulation *sim)
{
    int32_t count = allot_state_reclaims(sim->state);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        allot_in_flight flight;
        int32_t serial;
        if (allot__flight_at(sim, i, &flight, &serial) && flight.deadline <= sim->now)
            status = end_flight(sim, flight.group * sim->consumers + flight.consumer, serial);
    }
    return status;
}

static void refuse(allot_simulation *sim, allot__sim_job *job, allot__why_not why)
{
    job->fate = ALLOT_FATE_REFUSED;
    job->why = (uint8_t)why;
    sim->over++;
}

/* The most slots that a leaf may have: its quota if no other leaf wants any. Computed once a leaf
 * if the plan never varies. */
static int most_of(allot_simulation *sim, allot__account *account, allot_report *report)
{
    allot_decision *decision = NULL;
    allot_verdict verdict;
    if (account->most >= 0)
        return ALLOT_OK;
    if (!sim->alone && allot_state_new(sim->plan, &sim->alone) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot_state *state = sim->alone;
    int status = allot_state_now(state, sim->now);
    if (status == ALLOT_OK)
        status = allot_state_demand(state, account->group, account->consumer, ALLOT_AMOUNT_MAX);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, report);
    if (status == ALLOT_OK)
        status = allot_cycle_until(sim->plan, state, ALLOT_STAGE_QUOTA, report, &decision);
    if (status != ALLOT_OK)
        return status;
    status = allot_decision_verdict(decision, account->group, account->consumer, &verdict);
    account->most = verdict.quota;
    allot_decision_free(decision);
    if (status == ALLOT_OK)
        status = allot_state_open(state);
    return status == ALLOT_OK ? allot_state_demand(state, account->group, account->consumer, 0)
                              : status;
}

static int arrive(allot_simulation *sim, int32_t number, allot_report *report)
{
    allot__sim_job *job = allot__job_of(sim, number);
    allot__account *account = &sim->accounts[job->account];
    sim->counts.arrivals++;
    sim->arrived++;
    sim->progress = sim->now;
    int status = sim->queues || sim->varies ? ALLOT_OK : most_of(sim, account, report);
    if (status != ALLOT_OK)
        return status;
    if (!sim->queues && !sim->varies && account->most < (job->rigid ? job->slots : 1)) {
        refuse(sim, job, account->most == 0 ? ALLOT__WHY_NO_SLOTS : ALLOT__WHY_TOO_WIDE);
        return ALLOT_OK;
    }
    job->pending = job->left = job->slots;
    account->pending += job->slots;
    status =
        sim->queues ? allot__queue_job_come(sim, number) : allot__wait_put(sim, account, number);
    return status == ALLOT_OK ? allot__touch(sim, account) : status;
}

static int change_host(allot_simulation *sim, const allot__change *change)
{
    allot_record record;
    allot_trace_record(sim->trace, change->record, &record);
    const char *name = record.id.text;
    bool known = allot_plan_host_find(sim->plan, name) >= 0;
    const char *const *hosts = sim->hosts.items;
    for (size_t i = 0; i < sim->hosts.count && !known; i++)
        known = strcmp(hosts[i], name) == 0;
    if (!known) {
        const char **added = allot__push(sim->engine, &sim->hosts, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = name;
    }
    return allot_state_host(sim->state, name, change->slots, (allot_closed)change->closed);
}

static int apply_change(allot_simulation *sim, const allot__change *change)
{
    sim->counts.changes++;
    sim->due = true;
    if (change->kind == ALLOT_RECORD_DEMAND)
        return allot__level(sim, change->account, change->slots);
    if (change->kind == ALLOT_RECORD_SLOTS)
        return allot_state_slots(sim->state, change->account, change->slots);
    return change_host(sim, change);
}

/* Takes the records of this time, in order. */
static int take_records(allot_simulation *sim, allot_report *report)
{
    int status = ALLOT_OK;
    while (status == ALLOT_OK) {
        const allot__sim_job *job = allot__next_job(sim);
        const allot__change *change = allot__next_change(sim);
        bool comes = job != NULL && job->submit <= sim->now;
        bool changes = change != NULL && change->at <= sim->now;
        if (changes && (!comes || change->record < job->record)) {
            sim->next_change++;
            status = apply_change(sim, change);
        } else if (comes) {
            status = arrive(sim, (int32_t)sim->next_job++, report);
        } else {
            break;
        }
    }
    return status;
}

static void turn_windows(allot_simulation *sim)
{
    if (sim->now < sim->next_switch)
        return;
    sim->counts.changes += sim->cycled;
    sim->due = true;
    if (allot_plan_switch(sim->plan, sim->now, &sim->next_switch) != ALLOT_OK)
        sim->next_switch = ALLOT__NEVER;
}

int allot__happen(allot_simulation *sim, allot_report *report)
{
    int status = end_segments(sim);
    if (status == ALLOT_OK)
        status = end_flights(sim);
    if (status == ALLOT_OK)
        status = take_records(sim, report);
    turn_windows(sim);
    if (sim->now >= sim->wake) {
        sim->wake = ALLOT__NEVER;
        sim->due = true;
    }
    return status;
}
