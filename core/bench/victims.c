/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* victims.c: choosing which tasks go, beside reading the columns that decide once. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SESSIONS 100
/* Of a task: when it started, and its session. */
#define TASK_BYTES (sizeof(int64_t) + sizeof(int32_t))

/* Three built-in keys, and one that Lua computes. */
static const char *const orders[] = {"\"importance\", desc \"joined\", desc \"started\"",
                                     "function (ran, slots) return ran * slots end"};

static const struct {
    int32_t tasks, going;
} sizes[] = {{100000, 1000}, {1000000, 10000}};
enum { SIZES = sizeof sizes / sizeof *sizes };

enum { TASKS, GOING, KEYS, LUA, COLD, STREAM, LUA_TASK };
const bench_column allot__bench_victims_columns[] = {
    [TASKS] = {"tasks", "tasks", 1, 0, BENCH_NUMBER},
    [GOING] = {"going", "going", 1, 0, BENCH_NUMBER},
    [KEYS] = {"three_keys_s", "three keys", 1e3, 3, BENCH_TIME},
    [LUA] = {"lua_key_s", NULL, 0, 0, BENCH_TIME},
    [COLD] = {"three_keys_cold_s", "cold", 1e3, 3, BENCH_TIME},
    [STREAM] = {"stream_cold_s", "read", 1e3, 3, BENCH_TIME},
    [LUA_TASK] = {"lua_key_ns_per_task", "Lua, ns a task", 1, 1, BENCH_TIME},
    [LUA_TASK + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

static uint64_t draw(uint64_t *seed, uint64_t range)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % range;
}

/* Two leaves: one holds all and owns all but what goes, the other owns that and wants it. */
static int grow_plan(bench_tree *tree, const char *order, int which, allot_report *report)
{
    char text[512];
    int len = snprintf(text, sizeof text,
                       "return policy { name = \"victims\", quota = { fill \"owned\" { by = "
                       "\"owned\", up_to = \"owned\" } }, victims = order { %s } }",
                       order);
    allot_policy *policy = NULL;
    int status = allot_script_load(tree->engine, text, (size_t)len, "victims", NULL, 0, NULL,
                                   report, &policy);
    if (status == ALLOT_OK)
        status = allot_plan_new(tree->engine, &tree->plan);
    if (status == ALLOT_OK)
        status = allot_plan_policy(tree->plan, ALLOT_ALL, policy);
    allot_policy_free(policy);
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++) {
        int32_t leaf;
        status = allot_plan_add(tree->plan, ALLOT_ROOT, i == 0 ? "a" : "b", 1, &leaf);
        if (status == ALLOT_OK)
            status = allot_plan_set(tree->plan, ALLOT_ALL, leaf, ALLOT_OWNED,
                                    i == 0 ? sizes[which].tasks - sizes[which].going
                                           : sizes[which].going);
    }
    return status == ALLOT_OK ? allot_plan_seal(tree->plan, report) : status;
}

static int add_sessions(bench_tree *tree, uint64_t *seed)
{
    int status = ALLOT_OK;
    for (int i = 0; i < SESSIONS && status == ALLOT_OK; i++) {
        char id[16];
        snprintf(id, sizeof id, "s%d", i);
        allot_session session = {.id = id,
                                 .scheduling = ALLOT_PRIORITY,
                                 .priority = 1 + (int64_t)draw(seed, 3),
                                 .created = (int64_t)draw(seed, 10),
                                 .demand = -1};
        status = allot_state_session(tree->state, &session);
    }
    return status;
}

static int add_tasks(bench_tree *tree, int which, uint64_t *seed)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < sizes[which].tasks && status == ALLOT_OK; i++) {
        char id[16];
        char session[32];
        snprintf(id, sizeof id, "t%" PRId32, i);
        snprintf(session, sizeof session, "s%d", (int)draw(seed, SESSIONS));
        allot_task task = {
            .id = id, .session = session, .slots = 1, .started = (int64_t)draw(seed, 1000000)};
        status = allot_state_task(tree->state, &task);
    }
    return status;
}

static int grow(bench_tree *tree, const char *order, int which, allot_report *report)
{
    uint64_t seed = 1888;
    *tree = (bench_tree){0};
    int status = allot_engine_new(NULL, NULL, &tree->engine);
    if (status == ALLOT_OK)
        status = grow_plan(tree, order, which, report);
    if (status == ALLOT_OK)
        status = allot_state_new(tree->plan, &tree->state);
    if (status == ALLOT_OK)
        status = allot_state_now(tree->state, 1000000);
    if (status == ALLOT_OK)
        status = allot_state_demand(tree->state, 0, 0, sizes[which].tasks);
    if (status == ALLOT_OK)
        status = allot_state_demand(tree->state, 0, 1, sizes[which].going);
    if (status == ALLOT_OK)
        status = add_sessions(tree, &seed);
    if (status == ALLOT_OK)
        status = add_tasks(tree, which, &seed);
    return status == ALLOT_OK ? allot_state_seal(tree->state, report) : status;
}

/* Whole cycles: all but choosing is over two consumers. */
static int time_cycles(const bench_tree *tree, int which, const bench_cold *cold,
                       allot_report *report, double *samples, int count)
{
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        allot_decision *decision = NULL;
        allot_reclaim reclaim = {0};
        if (cold)
            allot__bench_cool(cold);
        double start = allot__bench_clock();
        status = allot_cycle(tree->plan, tree->state, report, &decision);
        samples[i] = allot__bench_clock() - start;
        if (status == ALLOT_OK)
            status = allot_decision_reclaim(decision, 0, &reclaim);
        if (status == ALLOT_OK && reclaim.task_count != sizes[which].going)
            status = ALLOT_EINTERNAL;
        allot_decision_free(decision);
    }
    return status;
}

static int time_order(allot__cli *cli, int which, int order, const bench_cold *cold,
                      double *samples, int repeat, bench_time *row)
{
    bench_tree tree;
    int status = grow(&tree, orders[order], which, cli->report);
    if (status == ALLOT_OK)
        status = time_cycles(&tree, which, NULL, cli->report, samples, repeat);
    row[order == 0 ? KEYS : LUA] = allot__bench_summary(samples, repeat);
    if (status == ALLOT_OK && order == 0) {
        status = time_cycles(&tree, which, cold, cli->report, samples, repeat);
        row[COLD] = allot__bench_summary(samples, repeat);
    }
    allot__bench_fell(&tree);
    return status;
}

int allot__bench_victims(allot__cli *cli, double *samples, int repeat, bench_list *list)
{
    bench_cold *cold;
    int status = allot__bench_cold_new(cli->engine, &cold);
    for (int which = 0; which < SIZES && status == ALLOT_OK; which++) {
        bench_time *row = allot__bench_row(list, NULL);
        row[TASKS] = allot__bench_number(sizes[which].tasks);
        row[GOING] = allot__bench_number(sizes[which].going);
        for (int i = 0; i < 2 && status == ALLOT_OK; i++)
            status = time_order(cli, which, i, cold, samples, repeat, row);
        if (status == ALLOT_OK)
            status = allot__bench_stream(cli->engine, (size_t)sizes[which].tasks * TASK_BYTES, cold,
                                         samples, repeat);
        row[STREAM] = allot__bench_summary(samples, repeat);
        row[LUA_TASK] = allot__bench_scaled(row[LUA], 1e9 / sizes[which].tasks);
    }
    allot__bench_cold_free(cli->engine, cold);
    return status;
}
