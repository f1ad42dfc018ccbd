/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* figures.c: the figures of a simulation: sums, spreads and fairness. */
#include <stdlib.h>
#include <string.h>

#include "simulate/sim.h"

enum { BOUND = 10 }; /* s: shorter jobs count as that long in slowdowns */

/* Jobs of a part of the tree while they are read. */
typedef struct reading {
    const allot_simulation *sim;
    uint8_t *within; /* by consumer: nonzero in this part of the tree */
    double *speeds;  /* by account: sum over its ended jobs */
    int64_t *counts; /* ... and how many */
    allot__vector waits, slowdowns;
    double speed, square; /* of jobs: sums */
} reading;

static double slowdown_of(const allot__sim_job *job)
{
    double whole = (double)(job->wait + job->run);
    double slowdown = whole / (double)(job->run > BOUND ? job->run : BOUND);
    return slowdown > 1 ? slowdown : 1;
}

/* ---- Spreads --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double percentile(const allot__vector *list, size_t part)
{
    size_t place = (list->count * part + 99) / 100;
    return ((const double *)list->items)[place > 0 ? place - 1 : 0];
}

static allot_spread spread_of(const allot__vector *list)
{
    const double *values = list->items;
    allot_spread out = {0};
    if (list->count == 0)
        return out;
    qsort(list->items, list->count, sizeof *values, by_size);
    for (size_t i = 0; i < list->count; i++)
        out.mean += values[i];
    out.mean /= (double)list->count;
    out.p50 = percentile(list, 50);
    out.p95 = percentile(list, 95);
    out.p99 = percentile(list, 99);
    out.most = values[list->count - 1];
    return out;
}

/* ---- Fairness -------------------------------------------------------------------------------- */

static double jain(double sum, double square, int64_t count)
{
    return count > 0 && square > 0 ? sum * sum / ((double)count * square) : 1;
}

/* Of a leaf: over its jobs; of a parent: over the leaves below. */
static double fairness_of(const reading *it, int32_t consumer)
{
    const allot_simulation *sim = it->sim;
    double sum = 0, square = 0;
    int64_t count = 0;
    if (consumer != ALLOT_ROOT && allot_plan_children(sim->plan, consumer) == 0)
        return jain(it->speed, it->square, (int64_t)it->waits.count);
    for (int32_t i = 0; i < sim->consumers; i++) {
        double speed = 0;
        int64_t jobs = 0;
        for (int32_t g = 0; g < sim->groups; g++) {
            speed += it->speeds[g * sim->consumers + i];
            jobs += it->counts[g * sim->consumers + i];
        }
        if (jobs == 0)
            continue;
        speed /= (double)jobs;
        sum += speed;
        square += speed * speed;
        count++;
    }
    return jain(sum, square, count);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int add_value(const allot_simulation *sim, allot__vector *list, double value)
{
    double *added = allot__push(sim->engine, list, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = value;
    return ALLOT_OK;
}

static int read_ended(reading *it, const allot__sim_job *job)
{
    double slowdown = slowdown_of(job);
    it->speeds[job->account] += 1 / slowdown;
    it->counts[job->account]++;
    it->speed += 1 / slowdown;
    it->square += 1 / (slowdown * slowdown);
    int status = add_value(it->sim, &it->waits, (double)job->wait);
    return status == ALLOT_OK ? add_value(it->sim, &it->slowdowns, slowdown) : status;
}

static int read_jobs(reading *it, allot_figures *out)
{
    const allot_simulation *sim = it->sim;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->jobs.count && status == ALLOT_OK; i++) {
        const allot__sim_job *job = allot__job_of(sim, (int32_t)i);
        if (job->standing || !it->within[sim->accounts[job->account].consumer] ||
            i >= sim->next_job)
            continue;
        out->jobs++;
        out->ended += job->fate == ALLOT_FATE_ENDED;
        out->killed += job->fate == ALLOT_FATE_KILLED;
        out->refused += job->fate == ALLOT_FATE_REFUSED;
        out->unfinished += job->fate == ALLOT_FATE_UNFINISHED;
        out->preempted_jobs += job->times > 0;
        if (job->fate == ALLOT_FATE_ENDED)
            status = read_ended(it, job);
    }
    return status;
}

/* As near as a double is; 0 of nothing. */
static double ratio(allot__u128 a, allot__u128 b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void read_accounts(const reading *it, allot_figures *out)
{
    const allot_simulation *sim = it->sim;
    allot__u128 useful = 0, lost = 0, open = 0, gathered = 0, offered = 0;
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++) {
        const allot__account *account = &sim->accounts[c];
        if (!it->within[account->consumer])
            continue;
        useful += account->useful;
        lost += account->lost;
        gathered += account->gathered_sum;
        out->preemptions += account->preemptions;
        out->reclaims += account->reclaims;
        out->reclaimed += account->reclaimed_sum;
        for (int32_t i = account->first; i >= 0; i = allot__segment_of(sim, i)->next) {
            const allot__segment *segment = allot__segment_of(sim, i);
            open += allot__area(segment->count, sim->now - segment->start);
        }
    }
    for (int32_t i = 0; i < sim->groups; i++)
        offered += sim->offered[i];
    allot__u128 busy = useful + lost + open;
    out->useful = allot__whole(useful);
    out->lost = allot__whole(lost);
    out->open = allot__whole(open);
    out->busy = allot__whole(busy);
    out->gathered = allot__whole(gathered);
    out->offered = allot__whole(offered);
    out->utilisation = ratio(busy, offered);
    out->goodput = ratio(useful, offered);
}

/* Marks a consumer and all below it: parents number before their children. */
static void mark(const allot_simulation *sim, int32_t consumer, uint8_t *within)
{
    for (int32_t i = 0; i < sim->consumers; i++) {
        int32_t parent = allot_plan_parent(sim->plan, i);
        within[i] = consumer == ALLOT_ROOT || i == consumer ||
                    (parent != ALLOT_ROOT && within[parent] != 0);
    }
}

int allot_simulation_figures(const allot_simulation *sim, int32_t consumer, allot_figures *out)
{
    if (!sim || !out || !sim->ran || consumer < ALLOT_ROOT || consumer >= sim->consumers)
        return ALLOT_EUSAGE;
    size_t rows = (size_t)sim->consumers, accounts = rows * (size_t)sim->groups;
    reading it = {.sim = sim,
                  .within = allot__new(sim->engine, rows, 1),
                  .speeds = allot__new(sim->engine, accounts, sizeof *it.speeds),
                  .counts = allot__new(sim->engine, accounts, sizeof *it.counts)};
    bool made = it.within != NULL && it.speeds && it.counts;
    int status = made ? ALLOT_OK : ALLOT_ENOMEM;
    allot_figures figures = {0};
    if (status == ALLOT_OK) {
        mark(sim, consumer, it.within);
        status = read_jobs(&it, &figures);
    }
    if (status == ALLOT_OK) {
        read_accounts(&it, &figures);
        figures.fairness = fairness_of(&it, consumer);
        figures.wait = spread_of(&it.waits);
        figures.slowdown = spread_of(&it.slowdowns);
        *out = figures;
    }
    allot__free(sim->engine, it.within, rows, 1);
    allot__free(sim->engine, it.speeds, accounts, sizeof *it.speeds);
    allot__free(sim->engine, it.counts, accounts, sizeof *it.counts);
    allot__vector_free(sim->engine, &it.waits);
    allot__vector_free(sim->engine, &it.slowdowns);
    return status;
}
