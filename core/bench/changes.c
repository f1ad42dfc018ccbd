/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * changes.c: what a cycle costs that goes on from the one before: some leaves demand something
 * else, what was decided then is carried out, and the state is decided about again.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 2000, BATCHES = 200, BATCH = 100, CALM = 30 };

static const bench_shape shapes[] = {
    {"10x100x100", {10, 100, 100}, 100},
    {"100x100x100", {100, 100, 100}, 100},
    {"flat100k", {100000, 0, 0}, 100},
    {"flat1M", {1000000, 0, 0}, 100},
};
static const int loads[] = {70, 100, 101, 130};

enum { CONSUMERS, LOAD, ONE, MOST, MANY, FULL, FALLEN, MEMORY };
const bench_column allot__bench_changes_columns[] = {
    [CONSUMERS] = {"consumers", "consumers", 1, 0, BENCH_NUMBER},
    [LOAD] = {"demand_percent", "demand %", 1, 0, BENCH_NUMBER},
    [ONE] = {"one_p50_s", "one, us", 1e6, 1, BENCH_NUMBER},
    [MOST] = {"one_p99_s", "p99, us", 1e6, 1, BENCH_NUMBER},
    [MANY] = {"hundred_p50_s", "100, us", 1e6, 1, BENCH_NUMBER},
    [FULL] = {"full_s", "full, us", 1e6, 0, BENCH_NUMBER},
    [FALLEN] = {"full_passes", "full passes", 1, 0, BENCH_NUMBER},
    [MEMORY] = {"bytes_per_consumer", "bytes", 1, 1, BENCH_NUMBER},
    [MEMORY + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

bool allot__bench_changes_are(const char *shape)
{
    return shape && strncmp(shape, "changes", strlen("changes")) == 0 &&
           (shape[strlen("changes")] == '\0' || shape[strlen("changes")] == '/');
}

typedef struct site {
    bench_tree tree;
    int load;
    uint64_t seed;
    int32_t leaves, *leaf;
    allot_decision *decision; /* the last */
    int64_t full;             /* passes, of those measured */
} site;

static uint64_t draw(site *it, uint64_t below)
{
    it->seed = it->seed * 6364136223846793005u + 1442695040888963407u;
    return (it->seed >> 33) % below;
}

static int demand(site *it, int32_t leaf)
{
    int64_t owned = allot_plan_get(it->tree.plan, 0, leaf, ALLOT_OWNED);
    uint64_t most = (uint64_t)(2 * owned * it->load / 100);
    return allot_state_demand(it->tree.state, 0, leaf, (int64_t)draw(it, most + 1));
}

/* What the last decision says. */
static int carry_out(site *it, allot_decision *decision, int64_t *moved)
{
    allot_state *state = it->tree.state;
    int32_t grants = allot_decision_grants(decision), reclaims = allot_decision_reclaims(decision);
    int32_t count = grants + reclaims;
    struct {
        int32_t leaf;
        int64_t slots;
    } *orders = malloc(((size_t)count + 1) * sizeof *orders);
    int status = orders ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < count && orders; i++) {
        allot_grant grant;
        allot_reclaim reclaim;
        if (i < grants && allot_decision_grant(decision, i, &grant) == ALLOT_OK) {
            orders[i].leaf = grant.consumer;
            orders[i].slots = allot_state_allocated_get(state, 0, grant.consumer) + grant.slots;
        } else if (allot_decision_reclaim(decision, i - grants, &reclaim) == ALLOT_OK) {
            orders[i].leaf = reclaim.consumer;
            orders[i].slots = reclaim.allocated - reclaim.slots;
        }
    }
    *moved = count;
    allot_decision_free(decision);
    status = status == ALLOT_OK ? allot_state_open(state) : status;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = allot_state_allocated(state, 0, orders[i].leaf, orders[i].slots);
    free(orders);
    return status;
}

/* Some leaves demand something else; from there to the next decision. */
static int change(site *it, int count, double *seconds)
{
    int64_t moved;
    double start = allot__bench_clock();
    int status = carry_out(it, it->decision, &moved);
    it->decision = NULL;
    for (int i = 0; i < count && status == ALLOT_OK; i++)
        status = demand(it, it->leaf[draw(it, (uint64_t)it->leaves)]);
    if (status == ALLOT_OK)
        status = allot_state_seal(it->tree.state, NULL);
    if (status == ALLOT_OK)
        status = allot_cycle(it->tree.plan, it->tree.state, NULL, &it->decision);
    *seconds = allot__bench_clock() - start;
    it->full += status == ALLOT_OK && allot_decision_full(it->decision) != NULL;
    return status;
}

static int begin(site *it, const bench_shape *shape, int load, allot_report *report)
{
    size_t len = 0;
    const char *hybrid = allot_ready_policy_text("hybrid", &len);
    *it = (site){.load = load, .seed = 1995};
    int status = allot__bench_grow(&it->tree, shape, hybrid, len, "hybrid", report);
    it->leaf = malloc((size_t)it->tree.consumers * sizeof *it->leaf);
    if (status == ALLOT_OK)
        status = it->leaf ? allot_state_open(it->tree.state) : ALLOT_ENOMEM;
    for (int32_t i = 0; i < it->tree.consumers && status == ALLOT_OK; i++) {
        if (allot_plan_children(it->tree.plan, i) > 0)
            continue;
        it->leaf[it->leaves++] = i;
        status = demand(it, i);
        if (status == ALLOT_OK)
            status = allot_state_allocated(it->tree.state, 0, i, 0);
    }
    if (status == ALLOT_OK)
        status = allot_state_seal(it->tree.state, report);
    return status == ALLOT_OK ? allot_cycle(it->tree.plan, it->tree.state, report, &it->decision)
                              : status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure(site *it, bench_time *row)
{
    static double samples[CYCLES];
    double ignored, full = 0;
    int status = allot_state_full(it->tree.state, 1);
    for (int i = 0; i < CALM && status == ALLOT_OK; i++)
        status = change(it, 1, &samples[i]);
    qsort(samples, CALM, sizeof *samples, compare);
    full = samples[CALM / 2];
    if (status == ALLOT_OK)
        status = allot_state_full(it->tree.state, 0);
    for (int i = 0; i < CALM && status == ALLOT_OK; i++)
        status = change(it, 1, &ignored);
    it->full = 0;
    for (int i = 0; i < CYCLES && status == ALLOT_OK; i++)
        status = change(it, 1, &samples[i]);
    qsort(samples, CYCLES, sizeof *samples, compare);
    row[ONE] = allot__bench_number(samples[CYCLES / 2]);
    row[MOST] = allot__bench_number(samples[CYCLES * 99 / 100]);
    for (int i = 0; i < BATCHES && status == ALLOT_OK; i++)
        status = change(it, BATCH, &samples[i]);
    qsort(samples, BATCHES, sizeof *samples, compare);
    row[MANY] = allot__bench_number(samples[BATCHES / 2]);
    row[FULL] = allot__bench_number(full);
    row[FALLEN] = allot__bench_number((double)it->full);
    return status;
}

int allot__bench_changes(allot__cli *cli, bench_list *list)
{
    const char *only = strchr(cli->options.shape, '/');
    int status = ALLOT_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (size_t k = 0; k < sizeof loads / sizeof *loads && status == ALLOT_OK; k++) {
            site it;
            if (only && strcmp(only + 1, shapes[i].name) != 0)
                continue;
            bench_time *row = allot__bench_row(list, shapes[i].name);
            status = begin(&it, &shapes[i], loads[k], cli->report);
            if (status == ALLOT_OK)
                status = measure(&it, row);
            row[CONSUMERS] = allot__bench_number(it.tree.consumers);
            row[LOAD] = allot__bench_number(loads[k]);
            row[MEMORY] = allot__bench_number((double)(it.tree.memory.live - it.tree.bytes) /
                                              it.tree.consumers);
            allot_decision_free(it.decision);
            free(it.leaf);
            allot__bench_fell(&it.tree);
        }
    }
    return status;
}
