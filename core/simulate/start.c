/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* start.c: tasks of leaves that start, end, and are killed. */
#include "simulate/sim.h"

void allot__gather(allot_simulation *sim, allot__cell *cell, int64_t slots)
{
    allot__area_add(&cell->gathered_sum, cell->gathered, sim->now - cell->busy_since);
    cell->busy_since = sim->now;
    cell->gathered += slots;
}

static int64_t end_of(const allot_simulation *sim, const allot__sim_job *job)
{
    return job->standing ? ALLOT__NEVER : sim->now + job->run;
}

static int start_whole(allot_simulation *sim, allot__cell *cell, int32_t host, bool *again)
{
    int32_t first = allot__wait_first(cell);
    const allot__sim_job *job = allot__job_of(sim, first);
    if (cell->gathered < job->slots)
        return ALLOT_OK;
    allot__gather(sim, cell, -job->slots);
    allot__wait_drop(sim, cell);
    cell->asks = false;
    *again = true;
    return allot__chunk_start(sim, first, job->slots, end_of(sim, job), host, NULL);
}

int allot__start(allot_simulation *sim, allot__cell *cell, int64_t slots, int32_t host, bool *again)
{
    int status = allot__touch(sim, cell);
    while (status == ALLOT_OK && slots > 0 && allot__wait_first(cell) >= 0) {
        int32_t first = allot__wait_first(cell);
        const allot__sim_job *job = allot__job_of(sim, first);
        if (job->rigid) {
            allot__gather(sim, cell, slots);
            return start_whole(sim, cell, host, again);
        }
        int32_t count = slots < job->pending ? (int32_t)slots : job->pending;
        *again = *again || cell->rigid_waiting > 0;
        slots -= count;
        if (count == job->pending)
            allot__wait_drop(sim, cell);
        status = allot__chunk_start(sim, first, count, end_of(sim, job), host, NULL);
    }
    return status;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

int allot__chunk_end(allot_simulation *sim, int32_t chunk)
{
    const allot__chunk *of = allot__chunk_of(sim, chunk);
    allot__sim_job *job = allot__job_of(sim, of->job);
    allot__cell *cell = &sim->cells[job->cell];
    int32_t count = of->count, flight = of->flight;
    allot__chunk_stop(sim, chunk, count, true);
    sim->counts.ends++;
    job->left -= count;
    if (job->left == 0) {
        job->fate = ALLOT_FATE_ENDED;
        job->wait = sim->now - job->submit - job->run;
        sim->ended++;
        sim->over++;
    }
    int status = allot__touch(sim, cell);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* Of standing demand nothing is lost: it is no work that begins anew. */
int allot__kill(allot_simulation *sim, int32_t chunk, int32_t count)
{
    const allot__chunk *of = allot__chunk_of(sim, chunk);
    int32_t number = of->job, flight = of->flight;
    allot__sim_job *job = allot__job_of(sim, number);
    allot__cell *cell = &sim->cells[job->cell];
    allot__chunk_stop(sim, chunk, count, job->standing);
    job->pending += count;
    job->preempted += count;
    job->times++;
    cell->pending += count;
    cell->preemptions += count;
    cell->killed += count;
    sim->counts.kills++;
    int status = allot__touch(sim, cell);
    if (status == ALLOT_OK && !job->queued)
        status = allot__wait_put(sim, cell, number);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* ---- Standing demand ------------------------------------------------------------------------- */

/* The job of the last chunk goes first: newest first. */
static int stop_some(allot_simulation *sim, allot__cell *cell, int64_t slots)
{
    int status = ALLOT_OK;
    for (int32_t i = cell->last; i >= 0 && slots > 0 && status == ALLOT_OK;) {
        const allot__chunk *chunk = allot__chunk_of(sim, i);
        int32_t before = chunk->prev, flight = chunk->flight;
        if (chunk->job == cell->standing) {
            int32_t count = slots < chunk->count ? (int32_t)slots : chunk->count;
            allot__chunk_stop(sim, i, count, true);
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
    allot__cell *cell = &sim->cells[number];
    allot__sim_job *job = allot__job_of(sim, cell->standing);
    int64_t running = job->slots - job->pending, fewer = running - slots;
    int status = fewer > 0 ? stop_some(sim, cell, fewer) : ALLOT_OK;
    int32_t pending = fewer > 0 ? 0 : (int32_t)(slots - running);
    cell->pending += pending - job->pending;
    job->pending = pending;
    job->slots = (int32_t)slots;
    if (pending == 0 && job->queued)
        allot__wait_remove(sim, cell, cell->standing);
    if (pending > 0 && !job->queued && status == ALLOT_OK)
        status = allot__wait_put(sim, cell, cell->standing);
    return status == ALLOT_OK ? allot__touch(sim, cell) : status;
}
