/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bench.c: the verb `bench`: what a cycle costs on this machine, beside what merely reading 64
 * bytes a consumer from memory costs in the same run.
 */
#include "bench/bench.h"
#include "bench/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW_BYTES      64 /* read per consumer by the yardstick */
#define REPEAT_DEFAULT 9
#define SHAPES_MAX     8

/* hybrid, with a Lua function as one weight: one that ends by itself, and one that calls another
 * and so runs under the budget. */
#define SCRIPTED(function)                                                                         \
    "return policy {\n"                                                                            \
    "  name = \"scripted\",\n"                                                                     \
    "  quota = {\n"                                                                                \
    "    fill \"reserved\" { by = \"reserve\", up_to = \"reserve\" },\n"                           \
    "    fill \"owned\" { by = \"owned\", up_to = \"owned\" },\n"                                  \
    "    fill \"borrowed\" { by = function (owned, share) return " function " end },\n"            \
    "    fill \"spare\" { by = 1 },\n"                                                             \
    "  },\n"                                                                                       \
    "}\n"
static const char *const scripted[] = {SCRIPTED("owned + share"),
                                       SCRIPTED("math.min(owned + share, 20)")};

/* ns and bytes a consumer, and ratios to reading. */
enum {
    CONSUMERS,
    QUOTA,
    CYCLE,
    ORDERS,
    STREAM,
    SCRIPT,
    CALLING,
    QUOTA_RATIO,
    CYCLE_RATIO,
    SCRIPT_MORE,
    CALLING_MORE,
    BYTES
};
static const bench_column columns[] = {
    [CONSUMERS] = {"consumers", "consumers", 1, 0, BENCH_NUMBER},
    [QUOTA] = {"quota_ns", "quota", 1, 1, BENCH_TIME},
    [CYCLE] = {"cycle_ns", "cycle", 1, 1, BENCH_TIME},
    [ORDERS] = {"cycle_with_lists_ns", "with lists", 1, 1, BENCH_TIME},
    [STREAM] = {"stream_ns", "read", 1, 1, BENCH_TIME},
    [SCRIPT] = {"scripted_cycle_ns", NULL, 0, 0, BENCH_TIME},
    [CALLING] = {"calling_cycle_ns", NULL, 0, 0, BENCH_TIME},
    [QUOTA_RATIO] = {"quota_to_stream", "quota:read", 1, 1, BENCH_NUMBER},
    [CYCLE_RATIO] = {"cycle_to_stream", "cycle:read", 1, 1, BENCH_NUMBER},
    [SCRIPT_MORE] = {"script_ns_per_row", "Lua", 1, 1, BENCH_NUMBER},
    [CALLING_MORE] = {"calling_ns_per_row", "calls", 1, 1, BENCH_NUMBER},
    [BYTES] = {"bytes_per_consumer", "bytes", 1, 1, BENCH_NUMBER},
    [BYTES + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

enum { TREES, DOCUMENTS, TASKS, QUEUES, QUEUE_DOCUMENTS, SIMULATED, RIGID, CHANGES, LISTS };
static const bench_list lists[LISTS] = {
    [TREES] = {.key = "shapes",
               .title = "ns a consumer; read: 64 bytes of each",
               .named = "tree",
               .columns = columns},
    [DOCUMENTS] = {.key = "documents",
                   .title = "documents: ms to read plan and state, to decide, and to write",
                   .columns = allot__bench_path_columns,
                   .single = true},
    [TASKS] = {.key = "victims",
               .title = "victims: ms to choose by three keys those that go; from memory that no "
                        "cache has, and\nreading what decides from there",
               .columns = allot__bench_victims_columns},
    [QUEUES] = {.key = "queues",
                .title = "queues: ms of a cycle; from memory that no cache has, and reading the "
                         "state's bytes\nfrom there; ns a job; bytes a job of the state, and of a "
                         "cycle beside it",
                .named = "site",
                .columns = allot__bench_queues_columns},
    [QUEUE_DOCUMENTS] = {.key = "queue_documents",
                         .title = "documents of queues: ms to read and seal the state, and to "
                                  "write the decision",
                         .columns = allot__bench_queue_path_columns,
                         .single = true},
    [SIMULATED] = {.key = "simulate",
                   .title = "a log played through a plan: ms of it all, and of reading its jobs "
                            "once",
                   .named = "plan",
                   .columns = allot__bench_simulate_columns},
    [RIGID] = {.key = "rigid",
               .title = "rigid jobs of a grid that is overloaded",
               .named = "plan",
               .columns = allot__bench_simulate_columns},
    [CHANGES] = {.key = "changes",
                 .title = "changes: us from one changed demand, and from a hundred, to the "
                          "decision",
                 .named = "tree",
                 .columns = allot__bench_changes_columns},
};

typedef struct results {
    char cpu[256], flags[4096];
    int repeat;
    bench_list lists[LISTS];
} results;

static int time_cycles(const bench_tree *tree, allot_stage last, allot_report *report,
                       double *samples, int count)
{
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        allot_decision *decision = NULL;
        double start = allot__bench_clock();
        status = allot_cycle_until(tree->plan, tree->state, last, report, &decision);
        samples[i] = allot__bench_clock() - start;
        allot_decision_free(decision);
    }
    return status;
}

/* Cycles up to a stage, in ns a consumer. */
static int time_stage(const bench_tree *tree, allot_stage last, allot_report *report,
                      double *samples, int repeat, bench_time *out)
{
    int status = time_cycles(tree, last, report, samples, repeat);
    *out = allot__bench_scaled(allot__bench_summary(samples, repeat), 1e9 / tree->consumers);
    return status;
}

/* The cycle under hybrid, and what reading the same number of rows costs. */
static int time_plain(allot__cli *cli, const bench_shape *shape, double *samples, int repeat,
                      bench_time *row)
{
    bench_tree tree;
    size_t len = 0;
    const char *hybrid = allot_ready_policy_text("hybrid", &len);
    if (!hybrid)
        return ALLOT_EINTERNAL;
    int status = allot__bench_grow(&tree, shape, hybrid, len, "hybrid", cli->report);
    double each = 1e9 / tree.consumers;
    if (status == ALLOT_OK)
        status = time_stage(&tree, ALLOT_STAGE_QUOTA, cli->report, samples, repeat, &row[QUOTA]);
    if (status == ALLOT_OK)
        status = time_stage(&tree, ALLOT_STAGE_RECLAIM, cli->report, samples, repeat, &row[CYCLE]);
    if (status == ALLOT_OK)
        status = time_stage(&tree, ALLOT_STAGE_ORDERS, cli->report, samples, repeat, &row[ORDERS]);
    if (status == ALLOT_OK)
        status = allot__bench_stream(cli->engine, (size_t)tree.consumers * ROW_BYTES, NULL, samples,
                                     repeat);
    row[STREAM] = allot__bench_scaled(allot__bench_summary(samples, repeat), each);
    row[CONSUMERS] = allot__bench_number(tree.consumers);
    row[BYTES] = allot__bench_number((double)tree.bytes / tree.consumers);
    row[QUOTA_RATIO] = allot__bench_number(row[QUOTA].best / row[STREAM].best);
    row[CYCLE_RATIO] = allot__bench_number(row[CYCLE].best / row[STREAM].best);
    allot__bench_fell(&tree);
    return status;
}

static int time_script(allot__cli *cli, const bench_shape *shape, int which, double *samples,
                       int repeat, bench_time *row)
{
    bench_tree tree;
    int status = allot__bench_grow(&tree, shape, scripted[which], strlen(scripted[which]),
                                   "scripted", cli->report);
    if (status == ALLOT_OK)
        status = time_stage(&tree, ALLOT_STAGE_RECLAIM, cli->report, samples, repeat,
                            &row[SCRIPT + which]);
    row[SCRIPT_MORE + which] = allot__bench_number(row[SCRIPT + which].best - row[CYCLE].best);
    allot__bench_fell(&tree);
    return status;
}

/* Names for --shape that are not trees. */
static const char victims_shape[] = "victims", simulate_shape[] = "simulate";

static bool wanted(const allot__cli *cli, const char *shape)
{
    return !cli->options.shape || strcmp(cli->options.shape, shape) == 0;
}

static int measure(allot__cli *cli, results *to)
{
    size_t size = (size_t)to->repeat * sizeof(double);
    double *samples = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!samples)
        return ALLOT_ENOMEM;
    memset(samples, 0, size);
    int status = ALLOT_OK;
    for (const bench_shape *shape = allot__bench_shapes; shape->name && status == ALLOT_OK;
         shape++) {
        if (!wanted(cli, shape->name))
            continue;
        bench_time *row = allot__bench_row(&to->lists[TREES], shape->name);
        status = time_plain(cli, shape, samples, to->repeat, row);
        for (int i = 0; i < 2 && status == ALLOT_OK; i++)
            status = time_script(cli, shape, i, samples, to->repeat, row);
        if (status == ALLOT_OK && strcmp(shape->name, "10x100x100") == 0)
            status = allot__bench_path(cli, shape, (to->repeat + 2) / 3, &to->lists[DOCUMENTS]);
    }
    if (status == ALLOT_OK && wanted(cli, victims_shape))
        status = allot__bench_victims(cli, samples, to->repeat, &to->lists[TASKS]);
    if (status == ALLOT_OK)
        status = allot__bench_queues(cli, samples, to->repeat, &to->lists[QUEUES],
                                     &to->lists[QUEUE_DOCUMENTS]);
    if (status == ALLOT_OK && wanted(cli, simulate_shape))
        status = allot__bench_simulate(cli, samples, to->repeat, &to->lists[SIMULATED]);
    if (status == ALLOT_OK && allot__bench_changes_are(cli->options.shape))
        status = allot__bench_changes(cli, &to->lists[CHANGES]);
    if (status == ALLOT_OK && allot__bench_rigid_is(cli->options.shape))
        status = allot__bench_rigid(cli, samples, to->repeat, &to->lists[RIGID]);
    allot_engine_alloc(cli->engine, samples, size, 0);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void put_text(results *from, allot__text *out)
{
    allot__text_printf(out, "%s; best of %d, in brackets the median\n",
                       *from->cpu != '\0' ? from->cpu : "unknown processor", from->repeat);
    for (int i = 0; i < LISTS; i++)
        allot__bench_text(&from->lists[i], out);
}

static void put_json(const results *from, allot__text *out)
{
    allot__text_printf(out,
                       "{\"schema\": \"allot/bench/v1\", \"version\": \"%s\", \"repeat\": %d, ",
                       allot_version(), from->repeat);
    allot__text_puts(out, "\"machine\": {\"cpu\": ");
    allot__text_json(out, from->cpu);
    allot__text_puts(out, ", \"flags\": ");
    allot__text_json(out, from->flags);
    allot__text_puts(out, ", \"compiler\": ");
    allot__text_json(out, __VERSION__);
#if defined(__OPTIMIZE__)
    allot__text_puts(out, ", \"optimized\": true}");
#else
    allot__text_puts(out, ", \"optimized\": false}");
#endif
    for (int i = 0; i < LISTS; i++)
        if (i == TREES || from->lists[i].rows > 0)
            allot__bench_json(&from->lists[i], out);
    allot__text_puts(out, "}\n");
}

static int unknown_shape(allot__cli *cli, const char *const *names, size_t count)
{
    const char *shape = cli->options.shape;
    const char *near = allot_nearest(shape, strlen(shape), names, count);
    char hint[160];
    int len = snprintf(hint, sizeof hint, near ? "did you mean %s?" : "there are %s",
                       near != NULL ? near : names[0]);
    for (size_t i = 1; !near && i < count && len < (int)sizeof hint; i++)
        len += snprintf(hint + len, sizeof hint - (size_t)len, ", %s", names[i]);
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", hint, "there is no shape %.100s", shape);
}

static int check_shape(allot__cli *cli)
{
    const char *names[SHAPES_MAX + 6] = {NULL};
    size_t count = 0;
    for (const bench_shape *shape = allot__bench_shapes; shape->name; shape++) {
        if (wanted(cli, shape->name))
            return CLI_DONE;
        names[count++] = shape->name;
    }
    if (wanted(cli, victims_shape) || wanted(cli, simulate_shape) ||
        allot__bench_queues_are(cli->options.shape) || allot__bench_rigid_is(cli->options.shape) ||
        allot__bench_changes_are(cli->options.shape))
        return CLI_DONE;
    names[count++] = victims_shape;
    names[count++] = "queues";
    names[count++] = simulate_shape;
    names[count++] = "rigid";
    names[count++] = "serve";
    names[count++] = "reload";
    names[count++] = "sync";
    return unknown_shape(cli, names, count);
}

int allot__cli_bench(allot__cli *cli)
{
    results all = {.repeat = REPEAT_DEFAULT};
    memcpy(all.lists, lists, sizeof lists);
    int64_t seconds, rate;
    if (allot__bench_serve_is(cli->options.shape, &seconds, &rate))
        return allot__bench_serve(cli);
    if (allot__bench_reload_is(cli->options.shape, &seconds, &rate))
        return allot__bench_reload(cli);
    if (allot__bench_sync_is(cli->options.shape, &seconds))
        return allot__bench_sync(cli);
    int code = check_shape(cli);
    if (code != CLI_DONE)
        return code;
    if (cli->options.repeat > 0)
        all.repeat = (int)cli->options.repeat;
    allot__bench_machine("model name", all.cpu, sizeof all.cpu);
    allot__bench_machine("flags", all.flags, sizeof all.flags);
    int status = measure(cli, &all);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    if (cli->options.json)
        put_json(&all, &cli->out);
    else
        put_text(&all, &cli->out);
    return CLI_DONE;
}
