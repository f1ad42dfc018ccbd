/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* start.c: tasks of leaves that start, end, and are killed. */
#include "simulate/sim.h"

void allot__gather(allot_simulation *sim, allot__account *account, int64_t slots)
{
    allot__area_add(&account->gathered_sum, account->gathered, sim->now - account->busy_since);
    account->busy_since = sim->now;
    account->gathered = slots;
}

static int64_t end_of(const allot_simulation *sim, const allot__sim_job *job)
{
    return job->standing ? ALLOT__NEVER : sim->now + job->run;
}

int allot__start(allot_simulation *sim, allot__account *account, int64_t slots, int32_t host)
{
    int status = allot__touch(sim, account);
    while (status == ALLOT_OK && slots > 0 && allot__waits(account) > 0) {
        int32_t first = allot__wait_at(account, 0);
        const allot__sim_job *job = allot__job_of(sim, first);
        int32_t count = slots < job->pending ? (int32_t)slots : job->pending;
        slots -= count;
        if (count == job->pending)
            allot__wait_remove(sim, account, first);
        status = allot__segment_start(sim, first, count, end_of(sim, job), host, NULL);
    }
    return status;
}

int allot__start_whole(allot_simulation *sim, int32_t job, int32_t host)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    int32_t count = of->rigid ? of->slots : 1;
    if (count == of->pending)
        allot__wait_remove(sim, &sim->accounts[of->account], job);
    return allot__segment_start(sim, job, count, end_of(sim, of), host, NULL);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

int allot__segment_end(allot_simulation *sim, int32_t segment)
{
    const allot__segment *of = allot__segment_of(sim, segment);
    allot__sim_job *job = allot__job_of(sim, of->job);
    allot__account *account = &sim->accounts[job->account];
    int32_t count = of->count, flight = of->flight;
    allot__segment_stop(sim, segment, count, true);
    sim->counts.ends++;
    job->left -= count;
    if (job->left == 0) {
        job->fate = ALLOT_FATE_ENDED;
        job->wait = sim->now - job->submit - job->run;
        sim->ended++;
        sim->over++;
    }
    int status = allot__touch(sim, account);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* Of standing demand nothing is lost: it is no work that begins anew. */
int allot__kill(allot_simulation *sim, int32_t segment, int32_t count)
{
    const allot__segment *of = allot__segment_of(sim, segment);
    int32_t number = of->job, flight = of->flight;
    allot__sim_job *job = allot__job_of(sim, number);
    allot__account *account = &sim->accounts[job->account];
    allot__segment_stop(sim, segment, count, job->standing);
    job->pending += count;
    job->preempted += count;
    job->times++;
    account->pending += count;
    account->preemptions += count;
    account->killed += count;
    sim->counts.kills++;
    int status = allot__touch(sim, account);
    if (status == ALLOT_OK && !job->queued)
        status = allot__wait_put(sim, account, number);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* ---- Standing demand ------------------------------------------------------------------------- */

/* The job of the last segment goes first: newest first. */
static int stop_some(allot_simulation *sim, allot__account *account, int64_t slots)
{
    int status = ALLOT_OK;
    for (int32_t i = account->last; i >= 0 && slots > 0 && status == ALLOT_OK;) {
        const allot__segment *segment = allot__segment_of(sim, i);
        int32_t before = segment->prev, flight = segment->flight;
        if (segment->job == account->standing) {
            int32_t count = slots < segment->count ? (int32_t)slots : segment->count;
            allot__segment_stop(sim, i, count, true);
            sim->counts.ends++;
            slots -= count;
            if (flight >= 0)
                status = allot__flight_back(sim, flight, count);
        }
        i = before;
    }
    return status;
}

int allot__level(allot_simulation *sim, int32_t number, int64_t slots)
{
    allot__account *account = &sim->accounts[number];
    allot__sim_job *job = allot__job_of(sim, account->standing);
    int64_t running = job->slots - job->pending, fewer = running - slots;
    int status = fewer > 0 ? stop_some(sim, account, fewer) : ALLOT_OK;
    int32_t pending = fewer > 0 ? 0 : (int32_t)(slots - running);
    account->pending += pending - job->pending;
    job->pending = pending;
    job->slots = (int32_t)slots;
    if (pending == 0 && job->queued)
        allot__wait_remove(sim, account, account->standing);
    if (pending > 0 && !job->queued && status == ALLOT_OK)
        status = allot__wait_put(sim, account, account->standing);
    return status == ALLOT_OK ? allot__touch(sim, account) : status;
}
