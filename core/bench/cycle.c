/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cycle.c: times what is done with a plan, a state and a log. */
#include "bench/bench.h"

#include <allot/apply.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Documents ------------------------------------------------------------------------------- */

static void drop_state(bench *it)
{
    allot_decision_free(it->decision);
    allot_state_free(it->state);
    it->decision = NULL;
    it->state = NULL;
}

void allot__bench_drop(bench *it)
{
    drop_state(it);
    allot_trace_free(it->trace);
    allot_plan_free(it->plan);
    allot_engine_free(it->engine);
    it->trace = NULL;
    it->plan = NULL;
    it->engine = NULL;
    it->memory = (bench_memory){0};
}

int allot__bench_policy(bench *it)
{
    it->policy.len = 0;
    allot__text_add(&it->policy, it->text, it->len);
    return allot__cli_status(it->cli, it->policy.failed ? ALLOT_ENOMEM : ALLOT_OK);
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    bench *it = ud;
    size_t len = it->policy.len;
    const char *text = len > 0 ? it->policy.bytes : allot_ready_policy_text(use, &len);
    int64_t before = it->memory.live;
    (void)plan_file;
    int status = allot_script_load(engine, text, len, use, options, count, NULL, report, out);
    it->memory.policies += it->memory.live - before;
    return status;
}

int allot__bench_plan(bench *it)
{
    const allot_policy_loader loader = {.ud = it, .load = load};
    allot__bench_drop(it);
    it->seed = 1995;
    int status = allot_engine_new(allot__bench_count, &it->memory, &it->engine);
    it->memory.policies = it->memory.live;
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_plan_read(it->engine, it->text, it->len, "bench", &loader, it->cli->report,
                                 &it->plan);
    it->took = allot__bench_clock() - start;
    return allot__cli_status(it->cli, status);
}

int allot__bench_state(bench *it)
{
    drop_state(it);
    double start = allot__bench_clock();
    int status =
        allot_state_read(it->plan, it->text, it->len, "bench", it->cli->report, &it->state);
    it->took = allot__bench_clock() - start;
    if (status == ALLOT_OK) /* a full pass is measured */
        status = allot_state_full(it->state, 1);
    return allot__cli_status(it->cli, status);
}

int allot__bench_bytes(bench *it)
{
    allot__bench_number(it, (double)(it->memory.live - it->memory.policies));
    allot__bench_number(it, (double)(it->memory.most - it->memory.policies));
    it->memory.most = it->memory.live;
    return CLI_DONE;
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

static allot_stage stage_of(const char *words)
{
    return strncmp(words, "quota", 5) == 0     ? ALLOT_STAGE_QUOTA
           : strncmp(words, "reclaim", 7) == 0 ? ALLOT_STAGE_RECLAIM
                                               : ALLOT_STAGE_ORDERS;
}

int allot__bench_cycle(bench *it)
{
    allot_stage last = stage_of(it->text);
    int count = (int)strtol(it->text + strcspn(it->text, " "), NULL, 10);
    int status = allot__bench_room(it, count);
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        allot_decision_free(it->decision);
        it->decision = NULL;
        status = allot__bench_cool(it, it->text);
        double start = allot__bench_clock();
        if (status == ALLOT_OK)
            status = allot_cycle_until(it->plan, it->state, last, it->cli->report, &it->decision);
        it->samples[i] = allot__bench_clock() - start;
    }
    return allot__bench_answer(it, status, count);
}

static int copy_jobs(const bench *it, allot_state *to)
{
    int status = allot_state_now(to, allot_state_now_get(it->state));
    for (int32_t i = 0; i < allot_state_jobs(it->state) && status == ALLOT_OK; i++) {
        allot_job job;
        status = allot_state_job_at(it->state, i, &job);
        if (status == ALLOT_OK)
            status = allot_state_job(to, &job);
    }
    return status;
}

int allot__bench_seal(bench *it)
{
    allot_state *state = NULL;
    int status = allot_state_new(it->plan, &state);
    if (status == ALLOT_OK)
        status = copy_jobs(it, state);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_state_seal(state, it->cli->report);
    allot__bench_number(it, allot__bench_clock() - start);
    allot_state_free(state);
    return allot__cli_status(it->cli, status);
}

int allot__bench_decision(bench *it)
{
    double start = allot__bench_clock();
    int status = allot_decision_write(it->decision, NULL, allot__text_sink, &it->answer);
    it->took = allot__bench_clock() - start;
    return allot__cli_status(it->cli, status);
}

/* ---- Changes --------------------------------------------------------------------------------- */

typedef struct order {
    int32_t leaf;
    int64_t slots;
} order;

/* Carries out the last decision. */
static int carry_out(bench *it)
{
    allot_decision *decision = it->decision;
    int32_t grants = allot_decision_grants(decision);
    int32_t count = grants + allot_decision_reclaims(decision);
    order *orders = malloc(((size_t)count + 1) * sizeof *orders);
    int status = orders ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < count && orders; i++) {
        allot_grant grant;
        allot_reclaim reclaim;
        if (i < grants && allot_decision_grant(decision, i, &grant) == ALLOT_OK)
            orders[i] =
                (order){grant.consumer,
                        allot_state_allocated_get(it->state, 0, grant.consumer) + grant.slots};
        else if (allot_decision_reclaim(decision, i - grants, &reclaim) == ALLOT_OK)
            orders[i] = (order){reclaim.consumer, reclaim.allocated - reclaim.slots};
    }
    allot_decision_free(decision);
    it->decision = NULL;
    if (status == ALLOT_OK)
        status = allot_state_open(it->state);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = allot_state_allocated(it->state, 0, orders[i].leaf, orders[i].slots);
    free(orders);
    return status;
}

/* ... where tasks run: granted slots run new ones, and those of reclaims end at once. */
static int run_tasks(bench *it)
{
    char ids[24]; /* the first number behind it is free */
    const allot_apply how = {.task_ids = ids};
    snprintf(ids, sizeof ids, "t%llu-", (unsigned long long)it->seed);
    int status = allot_state_open(it->state);
    if (status == ALLOT_OK)
        status = allot_state_apply(it->state, it->decision, &how);
    for (int32_t i = 0; i < allot_state_reclaims(it->state) && status == ALLOT_OK; i++)
        status = allot_state_reclaim_return(it->state, i, 0);
    allot_decision_free(it->decision);
    it->decision = NULL;
    return status;
}

/* The leaves of the plan, and how they change. */
typedef struct changing {
    int count, leaves, percent, full;
    int32_t *leaf, known;
} changing;

static uint64_t draw(bench *it, uint64_t below)
{
    it->seed = it->seed * 6364136223846793005u + 1442695040888963407u;
    return (it->seed >> 33) % below;
}

static int demand(bench *it, const changing *how)
{
    int32_t leaf = how->leaf[draw(it, (uint64_t)how->known)];
    int64_t most = 2 * (int64_t)allot_plan_get(it->plan, 0, leaf, ALLOT_OWNED) * how->percent / 100;
    return allot_state_demand(it->state, 0, leaf, (int64_t)draw(it, (uint64_t)most + 1));
}

static int change(bench *it, const changing *how, double *seconds)
{
    double start = allot__bench_clock();
    int status = allot_state_tasks(it->state) > 0 ? run_tasks(it) : carry_out(it);
    for (int i = 0; i < how->leaves && status == ALLOT_OK; i++)
        status = demand(it, how);
    if (status == ALLOT_OK)
        status = allot_state_seal(it->state, NULL);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, it->state, NULL, &it->decision);
    *seconds = allot__bench_clock() - start;
    return status;
}

int allot__bench_changes(bench *it)
{
    changing how = {0};
    int32_t consumers = allot_plan_consumers(it->plan), passes = 0;
    size_t size = (size_t)consumers * sizeof *how.leaf;
    sscanf(it->text, "%d %d %d %d", &how.count, &how.leaves, &how.percent, &how.full);
    how.leaf = allot_engine_alloc(it->cli->engine, NULL, 0, size);
    int status = how.leaf ? allot__bench_room(it, how.count) : ALLOT_ENOMEM;
    for (int32_t i = 0; how.leaf && i < consumers; i++)
        if (allot_plan_children(it->plan, i) == 0)
            how.leaf[how.known++] = i;
    if (status == ALLOT_OK)
        status = allot_state_full(it->state, how.full);
    for (int i = 0; i < how.count && status == ALLOT_OK; i++) {
        status = change(it, &how, &it->samples[i]);
        passes += status == ALLOT_OK && allot_decision_full(it->decision) != NULL;
    }
    if (how.leaf)
        allot_engine_alloc(it->cli->engine, how.leaf, size, 0);
    allot__bench_number(it, passes);
    return allot__bench_answer(it, status, how.count);
}

/* ---- Changes of jobs ------------------------------------------------------------------------- */

/* A pending job gets another priority. */
static int change_job(bench *it)
{
    int32_t count = allot_state_jobs(it->state);
    allot_job job = {.state = ALLOT_RUNNING};
    int status = count > 0 ? ALLOT_OK : ALLOT_EUSAGE;
    while (status == ALLOT_OK && job.state != ALLOT_PENDING)
        status = allot_state_job_at(it->state, (int32_t)draw(it, (uint64_t)count), &job);
    job.priority = (int64_t)draw(it, 100);
    return status ? status : allot_state_set(it->state, ALLOT_ITEM_JOB, &job);
}

/* Seconds of sealing and of the cycle, after a job changed; `applies`: and once the decision before
 * was carried out. */
static int again(bench *it, bool applies, double *seconds)
{
    int status = allot_state_open(it->state);
    if (status == ALLOT_OK && applies && it->decision)
        status = allot_state_apply(it->state, it->decision, NULL);
    allot_decision_free(it->decision);
    it->decision = NULL;
    double start = allot__bench_clock();
    status = status ? status : change_job(it);
    status = status ? status : allot_state_seal(it->state, NULL);
    seconds[0] = allot__bench_clock() - start;
    status = status ? status : allot_cycle(it->plan, it->state, NULL, &it->decision);
    seconds[1] = allot__bench_clock() - start - seconds[0];
    return status;
}

int allot__bench_jobs(bench *it)
{
    int count = 0, full = 0, applies = 0;
    sscanf(it->text, "%d %d %d", &count, &full, &applies);
    int status = allot__bench_room(it, 2 * count);
    status = status ? status : allot_state_full(it->state, full);
    for (int i = 0; i < count && status == ALLOT_OK; i++)
        status = again(it, applies, &it->samples[2 * i]);
    return allot__bench_answer(it, status, 2 * count);
}

/* ---- A log ----------------------------------------------------------------------------------- */

typedef struct source {
    const char *text;
    size_t len;
} source;

static int64_t pull(void *ud, char *buf, size_t size)
{
    source *from = ud;
    size_t len = from->len < size ? from->len : size;
    memcpy(buf, from->text, len);
    from->text += len;
    from->len -= len;
    return (int64_t)len;
}

int allot__bench_log(bench *it)
{
    source from = {it->text, it->len};
    int status = allot_trace_read(it->engine, pull, &from, "log", it->cli->report, &it->trace);
    return allot__cli_status(it->cli, status);
}

static int play(bench *it, int32_t rigid, allot_simulation_counts *counts, double *seconds)
{
    const allot_simulation_options options = {.rigid = rigid};
    allot_simulation *simulation = NULL;
    int status = allot_simulation_new(it->plan, &options, &simulation);
    if (status == ALLOT_OK)
        status = allot_simulation_load(simulation, it->trace, NULL, NULL, it->cli->report);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_simulation_run(simulation, it->cli->report);
    *seconds = allot__bench_clock() - start;
    if (status == ALLOT_OK)
        allot_simulation_counted(simulation, counts);
    allot_simulation_free(simulation);
    return status;
}

int allot__bench_play(bench *it)
{
    char *rest;
    int32_t rigid = (int32_t)strtol(it->text, &rest, 10);
    int count = (int)strtol(rest, NULL, 10);
    allot_simulation_counts counts = {0};
    int status = allot__bench_room(it, count);
    it->memory.most = it->memory.live;
    for (int i = 0; i < count && status == ALLOT_OK; i++)
        status = play(it, rigid, &counts, &it->samples[i]);
    allot__bench_number(it, (double)counts.arrivals);
    allot__bench_number(it, (double)counts.events);
    allot__bench_number(it, (double)counts.cycles);
    allot__bench_number(it, (double)counts.kills);
    return allot__bench_answer(it, status, count);
}
