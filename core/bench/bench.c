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
#define ROWS_MAX       8

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

typedef struct results {
    char cpu[256], flags[4096];
    bench_row rows[ROWS_MAX];
    int count, repeat;
    bench_path path;
    bool has_path;
    bench_victims victims[BENCH_VICTIMS];
    bool has_victims;
    bench_queues queues;
    bench_simulated simulated[BENCH_SIMULATE];
    bool has_simulated;
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

/* The cycle under hybrid, and what reading the same number of rows costs. */
static int time_plain(allot__cli *cli, bench_row *row, double *samples, int repeat)
{
    bench_tree tree;
    size_t len = 0;
    const char *hybrid = allot_ready_policy_text("hybrid", &len);
    if (!hybrid)
        return ALLOT_EINTERNAL;
    int status = allot__bench_grow(&tree, row->shape, hybrid, len, "hybrid", cli->report);
    row->consumers = tree.consumers;
    row->bytes = tree.bytes;
    if (status == ALLOT_OK)
        status = time_cycles(&tree, ALLOT_STAGE_QUOTA, cli->report, samples, repeat);
    row->quota = allot__bench_summary(samples, repeat);
    if (status == ALLOT_OK)
        status = time_cycles(&tree, ALLOT_STAGE_RECLAIM, cli->report, samples, repeat);
    row->cycle = allot__bench_summary(samples, repeat);
    if (status == ALLOT_OK)
        status = time_cycles(&tree, ALLOT_STAGE_ORDERS, cli->report, samples, repeat);
    row->orders = allot__bench_summary(samples, repeat);
    if (status == ALLOT_OK)
        status = allot__bench_stream(cli->engine, (size_t)row->consumers * ROW_BYTES, NULL, samples,
                                     repeat);
    row->stream = allot__bench_summary(samples, repeat);
    allot__bench_fell(&tree);
    return status;
}

static int time_script(allot__cli *cli, bench_row *row, int which, double *samples, int repeat)
{
    bench_tree tree;
    int status = allot__bench_grow(&tree, row->shape, scripted[which], strlen(scripted[which]),
                                   "scripted", cli->report);
    if (status == ALLOT_OK)
        status = time_cycles(&tree, ALLOT_STAGE_RECLAIM, cli->report, samples, repeat);
    row->script[which] = allot__bench_summary(samples, repeat);
    allot__bench_fell(&tree);
    return status;
}

/* The "shape" of what is no tree. */
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
        bench_row *row = &to->rows[to->count++];
        row->shape = shape;
        status = time_plain(cli, row, samples, to->repeat);
        for (int i = 0; i < 2 && status == ALLOT_OK; i++)
            status = time_script(cli, row, i, samples, to->repeat);
        if (status != ALLOT_OK || strcmp(shape->name, "10x100x100") != 0)
            continue;
        to->has_path = true;
        status = allot__bench_path(cli, shape, (to->repeat + 2) / 3, &to->path);
    }
    if (status == ALLOT_OK && wanted(cli, victims_shape)) {
        to->has_victims = true;
        status = allot__bench_victims(cli, samples, to->repeat, to->victims);
    }
    if (status == ALLOT_OK)
        status = allot__bench_queues(cli, samples, to->repeat, &to->queues);
    if (status == ALLOT_OK && wanted(cli, simulate_shape)) {
        to->has_simulated = true;
        status = allot__bench_simulate(cli, samples, to->repeat, to->simulated);
    }
    allot_engine_alloc(cli->engine, samples, size, 0);
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static double ns(const bench_row *row, double seconds)
{
    return seconds * 1e9 / row->consumers;
}

static void put_both(const bench_row *row, bench_time time, int width, allot__text *out)
{
    char both[48];
    snprintf(both, sizeof both, "%.1f (%.1f)", ns(row, time.best), ns(row, time.median));
    allot__cli_printf(out, "  %-*s", width, both);
}

static void put_path_text(const bench_path *path, allot__text *out)
{
    allot__cli_printf(out,
                      "\n%" PRId32 " consumers as documents, seconds: plan %.3f (%.1f MB), state "
                      "%.3f (%.1f MB), cycle %.4f, decision %.3f (%.1f MB)\n",
                      path->consumers, path->plan.best, (double)path->plan_bytes / 1e6,
                      path->state.best, (double)path->state_bytes / 1e6, path->cycle.best,
                      path->write.best, (double)path->decision_bytes / 1e6);
}

static void put_victims_text(const bench_victims *rows, allot__text *out)
{
    allot__cli_puts(out,
                    "\nvictims, in brackets the median: by three keys; from memory that no "
                    "cache has,\nbeside merely reading what decides from there; by a Lua key\n");
    for (int i = 0; i < BENCH_VICTIMS; i++) {
        const bench_victims *row = &rows[i];
        allot__cli_printf(
            out,
            "%6" PRId32 " of %7" PRId32 ": %.3f (%.3f) ms; cold %.3f (%.3f), reading %.3f "
            "(%.3f); Lua %.1f (%.1f) ns a task\n",
            row->going, row->tasks, row->order[0].best * 1e3, row->order[0].median * 1e3,
            row->cold.best * 1e3, row->cold.median * 1e3, row->stream.best * 1e3,
            row->stream.median * 1e3, row->order[1].best * 1e9 / row->tasks,
            row->order[1].median * 1e9 / row->tasks);
    }
}

static void put_text(const results *from, allot__text *out)
{
    allot__cli_printf(
        out, "%s; best of %d, in brackets the median; ns a consumer; ratios to reading 64 B\n\n",
        *from->cpu != '\0' ? from->cpu : "unknown processor", from->repeat);
    allot__cli_printf(out, "%-15s %9s  %-12s  %-12s  %-13s  %-11s  %-12s  %-11s  %5s\n", "tree",
                      "consumers", "quota", "cycle", "read 64 B", "ratios", "with lists",
                      "Lua, calls", "bytes");
    for (int i = 0; i < from->count; i++) {
        const bench_row *row = &from->rows[i];
        allot__cli_printf(out, "%-15s %9" PRId32, row->shape->name, row->consumers);
        put_both(row, row->quota, 12, out);
        put_both(row, row->cycle, 12, out);
        put_both(row, row->stream, 13, out);
        char ratios[32];
        snprintf(ratios, sizeof ratios, "%.1f, %.1f", row->quota.best / row->stream.best,
                 row->cycle.best / row->stream.best);
        allot__cli_printf(out, "  %-11s", ratios);
        put_both(row, row->orders, 12, out);
        snprintf(ratios, sizeof ratios, "%.1f, %.1f",
                 ns(row, row->script[0].best - row->cycle.best),
                 ns(row, row->script[1].best - row->cycle.best));
        allot__cli_printf(out, "  %-11s  %5.1f\n", ratios, (double)row->bytes / row->consumers);
    }
    if (from->has_path)
        put_path_text(&from->path, out);
    if (from->has_victims)
        put_victims_text(from->victims, out);
    allot__bench_queues_text(&from->queues, out);
    if (from->has_simulated)
        allot__bench_simulate_text(from->simulated, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_time(allot__text *out, const char *name, bench_time time, double scale)
{
    allot__cli_printf(out, ", \"%s\": {\"best\": %.9g, \"median\": %.9g}", name, time.best * scale,
                      time.median * scale);
}

static void put_row(const bench_row *row, allot__text *out)
{
    double scale = 1e9 / row->consumers;
    allot__cli_printf(out, "{\"name\": \"%s\", \"consumers\": %" PRId32, row->shape->name,
                      row->consumers);
    put_time(out, "quota_ns", row->quota, scale);
    put_time(out, "cycle_ns", row->cycle, scale);
    put_time(out, "cycle_with_lists_ns", row->orders, scale);
    put_time(out, "stream_ns", row->stream, scale);
    put_time(out, "scripted_cycle_ns", row->script[0], scale);
    put_time(out, "calling_cycle_ns", row->script[1], scale);
    allot__cli_printf(
        out,
        ", \"quota_to_stream\": %.4g, \"cycle_to_stream\": %.4g, \"script_ns_per_row\": %.4g, "
        "\"calling_ns_per_row\": %.4g, \"bytes_per_consumer\": %.4g}",
        row->quota.best / row->stream.best, row->cycle.best / row->stream.best,
        ns(row, row->script[0].best - row->cycle.best),
        ns(row, row->script[1].best - row->cycle.best), (double)row->bytes / row->consumers);
}

static void put_path(const bench_path *path, allot__text *out)
{
    allot__cli_printf(out,
                      ", \"documents\": {\"consumers\": %" PRId32 ", \"plan_bytes\": %zu, "
                      "\"state_bytes\": %zu, \"decision_bytes\": %zu",
                      path->consumers, path->plan_bytes, path->state_bytes, path->decision_bytes);
    put_time(out, "plan_s", path->plan, 1);
    put_time(out, "state_s", path->state, 1);
    put_time(out, "cycle_s", path->cycle, 1);
    put_time(out, "write_s", path->write, 1);
    allot__cli_puts(out, "}");
}

static void put_victims(const bench_victims *rows, allot__text *out)
{
    allot__cli_puts(out, ", \"victims\": [");
    for (int i = 0; i < BENCH_VICTIMS; i++) {
        const bench_victims *row = &rows[i];
        allot__cli_printf(out, "%s{\"tasks\": %" PRId32 ", \"going\": %" PRId32, i > 0 ? ", " : "",
                          row->tasks, row->going);
        put_time(out, "three_keys_s", row->order[0], 1);
        put_time(out, "lua_key_s", row->order[1], 1);
        put_time(out, "three_keys_cold_s", row->cold, 1);
        put_time(out, "stream_cold_s", row->stream, 1);
        allot__cli_puts(out, "}");
    }
    allot__cli_puts(out, "]");
}

static void put_json(const results *from, allot__text *out)
{
    allot__cli_printf(out, "{\"schema\": \"allot/bench/v1\", \"version\": \"%s\", \"repeat\": %d, ",
                      allot_version(), from->repeat);
    allot__cli_puts(out, "\"machine\": {\"cpu\": ");
    allot__cli_json_string(out, from->cpu);
    allot__cli_puts(out, ", \"flags\": ");
    allot__cli_json_string(out, from->flags);
    allot__cli_puts(out, ", \"compiler\": ");
    allot__cli_json_string(out, __VERSION__);
#if defined(__OPTIMIZE__)
    allot__cli_puts(out, ", \"optimized\": true}");
#else
    allot__cli_puts(out, ", \"optimized\": false}");
#endif
    allot__cli_puts(out, ", \"shapes\": [");
    for (int i = 0; i < from->count; i++) {
        allot__cli_puts(out, i > 0 ? ", " : "");
        put_row(&from->rows[i], out);
    }
    allot__cli_puts(out, "]");
    if (from->has_path)
        put_path(&from->path, out);
    if (from->has_victims)
        put_victims(from->victims, out);
    allot__bench_queues_json(&from->queues, out);
    if (from->has_simulated)
        allot__bench_simulate_json(from->simulated, out);
    allot__cli_puts(out, "}\n");
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
    const char *names[ROWS_MAX + 5] = {NULL};
    size_t count = 0;
    for (const bench_shape *shape = allot__bench_shapes; shape->name; shape++) {
        if (wanted(cli, shape->name))
            return CLI_DONE;
        names[count++] = shape->name;
    }
    if (wanted(cli, victims_shape) || wanted(cli, simulate_shape) ||
        allot__bench_queues_are(cli->options.shape))
        return CLI_DONE;
    names[count++] = victims_shape;
    names[count++] = "queues";
    names[count++] = simulate_shape;
    names[count++] = "serve";
    names[count++] = "reload";
    return unknown_shape(cli, names, count);
}

int allot__cli_bench(allot__cli *cli)
{
    results all = {.repeat = REPEAT_DEFAULT};
    int64_t seconds, rate;
    if (allot__bench_serve_is(cli->options.shape, &seconds, &rate))
        return allot__bench_serve(cli);
    if (allot__bench_reload_is(cli->options.shape, &seconds, &rate))
        return allot__bench_reload(cli);
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
