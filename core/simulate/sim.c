/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sim.c: a simulation's life, and its results by job.
 *
 * This file owns: the life of struct allot_simulation.
 */
#include "simulate/sim.h"

#include <string.h>

#include "base/getter.h"

/* The number of waiting tasks that a state lists at first. */
enum { FEW = 4 };

/* Consumers named "*" stand for others, and have no jobs. */
static bool is_leaf(const allot_plan *plan, int32_t consumer)
{
    return allot_plan_children(plan, consumer) == 0 &&
           (allot_plan_queues(plan) > 0 ||
            strcmp(allot_plan_name(plan, consumer), ALLOT_WILDCARD) != 0);
}

static int make_accounts(allot_simulation *sim)
{
    size_t accounts = (size_t)sim->groups * (size_t)sim->consumers;
    sim->accounts = allot__new(sim->engine, accounts, sizeof *sim->accounts);
    sim->sizes = allot__new(sim->engine, (size_t)sim->groups, sizeof *sim->sizes);
    sim->offered = allot__new(sim->engine, (size_t)sim->groups, sizeof *sim->offered);
    sim->sizes_shown = allot__new(sim->engine, (size_t)sim->groups, sizeof *sim->sizes_shown);
    if (!sim->accounts || !sim->sizes || !sim->offered || !sim->sizes_shown)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < sim->groups; i++)
        sim->sizes_shown[i] = -1;
    for (size_t i = 0; i < accounts; i++) {
        int32_t consumer = (int32_t)(i % (size_t)sim->consumers);
        sim->accounts[i] = (allot__account){.group = (int32_t)(i / (size_t)sim->consumers),
                                            .consumer = consumer,
                                            .first = -1,
                                            .last = -1,
                                            .most = -1,
                                            .standing = -1,
                                            .depth = FEW,
                                            .leaf = is_leaf(sim->plan, consumer)};
    }
    return ALLOT_OK;
}

static bool may_preempt(const allot_plan *plan)
{
    bool any = false;
    for (int32_t low = 0; low < allot_plan_queues(plan); low++)
        any = any || allot_plan_preempted(plan, low);
    return any;
}

int allot_simulation_new(const allot_plan *plan, const allot_simulation_options *options,
                         allot_simulation **out)
{
    if (!plan || !out || allot_plan_leases(plan) > 0 || allot_plan_consumers(plan) == 0)
        return ALLOT_EUSAGE;
    allot_engine *engine = allot_plan_engine(plan);
    allot_simulation *sim = allot__new(engine, 1, sizeof *sim);
    if (!sim)
        return ALLOT_ENOMEM;
    sim->engine = engine;
    sim->plan = plan;
    sim->options = options ? *options : (allot_simulation_options){0};
    sim->groups = allot_plan_groups(plan);
    sim->consumers = allot_plan_consumers(plan);
    sim->queues = allot_plan_queues(plan) > 0;
    sim->hosted = allot_plan_hosts(plan) > 0;
    sim->varies = allot_plan_windows(plan) > 0;
    sim->damped = allot_plan_damps(plan) != 0;
    sim->preempts = may_preempt(plan);
    sim->free_segment = -1;
    sim->wake = sim->next_switch = ALLOT__NEVER;
    int status = make_accounts(sim);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &sim->state);
    if (status != ALLOT_OK) {
        allot_simulation_free(sim);
        return status;
    }
    *out = sim;
    return ALLOT_OK;
}

static void free_account(allot_engine *engine, allot__account *account)
{
    allot__vector_free(engine, &account->waiting);
    allot__vector_free(engine, &account->told);
}

void allot_simulation_free(allot_simulation *sim)
{
    if (!sim)
        return;
    allot_engine *engine = sim->engine;
    size_t accounts = (size_t)sim->groups * (size_t)sim->consumers;
    allot_state_free(sim->state);
    allot_state_free(sim->alone);
    for (size_t i = 0; sim->accounts && i < accounts; i++)
        free_account(engine, &sim->accounts[i]);
    allot__free(engine, sim->accounts, accounts, sizeof *sim->accounts);
    allot__free(engine, sim->sizes, (size_t)sim->groups, sizeof *sim->sizes);
    allot__free(engine, sim->sizes_shown, (size_t)sim->groups, sizeof *sim->sizes_shown);
    allot__free(engine, sim->offered, (size_t)sim->groups, sizeof *sim->offered);
    allot__strings_free(engine, &sim->sessions);
    allot__vector *lists[] = {&sim->jobs,  &sim->changes, &sim->segments, &sim->ends, &sim->dirty,
                              &sim->taken, &sim->claims,  &sim->ids,      &sim->hosts};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        allot__vector_free(engine, lists[i]);
    allot__free(engine, sim, 1, sizeof *sim);
}

void allot_simulation_watch(allot_simulation *sim, const allot_watcher *watcher)
{
    sim->watcher = watcher ? *watcher : (allot_watcher){0};
}

void allot_simulation_counted(const allot_simulation *sim, allot_simulation_counts *out)
{
    *out = sim->counts;
    out->events = out->arrivals + out->starts + out->ends + out->kills + out->suspends +
                  out->resumes + out->reclaims + out->changes;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

ALLOT__GETTER(int32_t, allot_simulation_jobs, allot_simulation, (int32_t)it->jobs.count, 0)

static const char *why_text(int why)
{
    switch (why) {
    case ALLOT__WHY_NOTHING:
        return NULL;
    case ALLOT__WHY_TOO_WIDE:
        return "it needs more slots at once than its consumer may ever have";
    case ALLOT__WHY_NO_SLOTS:
        return "its consumer may have no slots";
    case ALLOT__WHY_OVER:
        return "the simulation was over before";
    default:
        return allot_pending_text(why - ALLOT__WHY_PENDING);
    }
}

int allot_simulation_job(const allot_simulation *sim, int32_t i, allot_job_result *out)
{
    if (i < 0 || i >= allot_simulation_jobs(sim) || !out)
        return ALLOT_EUSAGE;
    const allot__sim_job *job = allot__job_of(sim, i);
    const allot__account *account = &sim->accounts[job->account];
    *out = (allot_job_result){
        .record = job->record,
        .group = account->group,
        .consumer = account->consumer,
        .fate = job->fate == ALLOT__FATE_OPEN ? ALLOT_FATE_UNFINISHED : (allot_job_fate)job->fate,
        .slots = job->slots,
        .run = job->run,
        .submitted = job->submit,
        .wait = job->wait,
        .preemptions = job->preempted,
        .why = why_text(job->why),
    };
    return ALLOT_OK;
}
