/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * simulate.c: playing a log: events a second and bytes a job, beside what merely reading its
 * jobs from memory once costs.
 *
 * The log is made here, in the image of that of the iPSC/860 at NASA Ames: 128 processors, 69 users
 * in two groups, jobs of powers of two, short ones mostly, by day more than by night.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JOBS      18239
#define USERS     69
#define SLOTS     128
#define JOB_BYTES 64 /* read of a job by the yardstick */
#define DAY       86400

static const char *const names[BENCH_SIMULATE] = {"built-in", "Lua victim key", "queue pool"};

static const char scripted[] =
    "return policy { name = \"scripted\", quota = {\n"
    "    fill \"reserved\" { by = \"reserve\", up_to = \"reserve\" },\n"
    "    fill \"owned\" { by = \"owned\", up_to = \"owned\" },\n"
    "    fill \"borrowed\" { by = \"owned\" },\n"
    "    fill \"spare\" { by = 1 },\n"
    "  },\n"
    "  victims = order { function (ran, slots) return ran * slots end } }\n";

/* ---- The log --------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t range)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % range;
}

typedef struct log_source {
    uint64_t seed;
    int64_t at;
    int32_t next; /* job */
} log_source;

/* Most jobs run for seconds, some for hours: what they hold together is as on the real machine. */
static int64_t draw_run(uint64_t *seed)
{
    uint64_t kind = draw(seed, 100);
    if (kind < 60)
        return (int64_t)(1 + draw(seed, 60));
    return (int64_t)(kind < 90 ? 60 + draw(seed, 1200) : 1200 + draw(seed, 9000));
}

static int64_t pull(void *ud, char *buf, size_t size)
{
    log_source *it = ud;
    size_t len = 0;
    while (it->next < JOBS && size - len > 200) {
        bool night = it->at % DAY < DAY / 3;
        it->at += (int64_t)draw(&it->seed, night ? 1300 : 650);
        uint64_t user = draw(&it->seed, 4) == 0 ? draw(&it->seed, USERS) : draw(&it->seed, 9);
        int32_t width = 1 << draw(&it->seed, draw(&it->seed, 3) == 0 ? 8 : 6);
        len += (size_t)snprintf(buf + len, size - len,
                                "%" PRId32 " %" PRId64 " -1 %" PRId64 " %" PRId32
                                " -1 -1 -1 -1 -1 1 %d 1 -1 1 -1 -1 -1\n",
                                ++it->next, it->at, draw_run(&it->seed),
                                width > SLOTS ? SLOTS : width, (int)user);
    }
    return (int64_t)len;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static int add_users(allot_plan *plan)
{
    int32_t groups[2];
    int status = allot_plan_add(plan, ALLOT_ROOT, "normal", 6, &groups[0]);
    if (status == ALLOT_OK)
        status = allot_plan_add(plan, ALLOT_ROOT, "system", 6, &groups[1]);
    for (int i = 0; i < USERS && status == ALLOT_OK; i++) {
        char name[16];
        int32_t user;
        int len = snprintf(name, sizeof name, "u%d", i);
        status = allot_plan_add(plan, groups[i % 4 == 3], name, (size_t)len, &user);
        if (status == ALLOT_OK)
            status = allot_plan_set(plan, ALLOT_ALL, user, i < 40 ? ALLOT_OWNED : ALLOT_RANK,
                                    i < 40 ? 3 : 10);
    }
    return status;
}

static int add_queues(allot_plan *plan)
{
    int32_t handle;
    allot_queue queue;
    int status = ALLOT_OK;
    for (int i = 0; i < 2 && status == ALLOT_OK; i++) {
        allot_queue_init(&queue);
        queue.name = i == 0 ? "q1" : "q2";
        queue.slot_pool = "all";
        queue.slot_share = 50;
        status = allot_plan_queue(plan, &queue, &handle);
    }
    return status;
}

static int make_plan(allot_engine *engine, int which, allot_report *report, allot_plan **out)
{
    size_t len = sizeof scripted - 1;
    const char *text = scripted;
    if (which != 1)
        text = allot_ready_policy_text(which == 0 ? "hybrid" : "queue_pool", &len);
    allot_policy *policy = NULL;
    int status = allot_script_load(engine, text, len, "simulated", NULL, 0, NULL, report, &policy);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, out);
    if (status == ALLOT_OK)
        status = allot_plan_policy(*out, ALLOT_ALL, policy);
    allot_policy_free(policy);
    if (status == ALLOT_OK)
        status = which == 2 ? add_queues(*out) : add_users(*out);
    if (status == ALLOT_OK)
        status = allot_plan_slots(*out, 0, SLOTS);
    return status == ALLOT_OK ? allot_plan_seal(*out, report) : status;
}

/* ---- Playing --------------------------------------------------------------------------------- */

static int play(const allot_plan *plan, const allot_trace *trace, allot_report *report,
                double *seconds, bench_simulated *row)
{
    allot_simulation *simulation = NULL;
    allot_simulation_counts counts;
    int status = allot_simulation_new(plan, NULL, &simulation);
    if (status == ALLOT_OK)
        status = allot_simulation_load(simulation, trace, NULL, NULL, report);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_simulation_run(simulation, report);
    *seconds = allot__bench_clock() - start;
    if (status == ALLOT_OK) {
        allot_simulation_counted(simulation, &counts);
        row->jobs = (int32_t)counts.arrivals;
        row->events = counts.events;
        row->cycles = counts.cycles;
        row->kills = counts.kills;
    }
    allot_simulation_free(simulation);
    return status;
}

static int measure(allot__cli *cli, int which, double *samples, int repeat, bench_simulated *row)
{
    bench_memory memory = {0};
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_trace *trace = NULL;
    log_source source = {.seed = 1993};
    int status = allot_engine_new(allot__bench_count, &memory, &engine);
    if (status == ALLOT_OK)
        status = make_plan(engine, which, cli->report, &plan);
    int64_t before = memory.live;
    if (status == ALLOT_OK)
        status = allot_trace_read(engine, pull, &source, "log", cli->report, &trace);
    memory.most = memory.live;
    for (int i = 0; i < repeat && status == ALLOT_OK; i++)
        status = play(plan, trace, cli->report, &samples[i], row);
    row->name = names[which];
    row->bytes = memory.most - before;
    row->run = allot__bench_summary(samples, repeat);
    allot_trace_free(trace);
    allot_plan_free(plan);
    allot_engine_free(engine);
    if (status == ALLOT_OK)
        status =
            allot__bench_stream(cli->engine, (size_t)row->jobs * JOB_BYTES, NULL, samples, repeat);
    row->stream = allot__bench_summary(samples, repeat);
    return status;
}

int allot__bench_simulate(allot__cli *cli, double *samples, int repeat, bench_simulated *out)
{
    int status = ALLOT_OK;
    for (int i = 0; i < BENCH_SIMULATE && status == ALLOT_OK; i++)
        status = measure(cli, i, samples, repeat, &out[i]);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

void allot__bench_simulate_text(const bench_simulated *rows, allot__text *out)
{
    allot__cli_puts(out, "\na log played through a plan; in brackets the median; reading its jobs "
                         "once is what memory allows\n");
    for (int i = 0; i < BENCH_SIMULATE; i++) {
        const bench_simulated *row = &rows[i];
        allot__cli_printf(
            out,
            "%-15s %6" PRId32 " jobs %7" PRId64 " events %7" PRId64
            " cycles: %.0f (%.0f) events a second; %.2f us a cycle; read %.4f us "
            "an event; %.0f bytes a job\n",
            row->name, row->jobs, row->events, row->cycles, (double)row->events / row->run.best,
            (double)row->events / row->run.median, row->run.best * 1e6 / (double)row->cycles,
            row->stream.best * 1e6 / (double)row->events, (double)row->bytes / row->jobs);
    }
}

void allot__bench_simulate_json(const bench_simulated *rows, allot__text *out)
{
    allot__cli_puts(out, ", \"simulate\": [");
    for (int i = 0; i < BENCH_SIMULATE; i++) {
        const bench_simulated *row = &rows[i];
        allot__cli_printf(out,
                          "%s{\"name\": \"%s\", \"jobs\": %" PRId32 ", \"events\": %" PRId64
                          ", \"cycles\": %" PRId64 ", \"kills\": %" PRId64
                          ", \"run_s\": {\"best\": %.9g, \"median\": %.9g}, \"stream_s\": "
                          "{\"best\": %.9g, \"median\": %.9g}, \"events_per_s\": %.6g, "
                          "\"bytes_per_job\": %.4g}",
                          i > 0 ? ", " : "", row->name, row->jobs, row->events, row->cycles,
                          row->kills, row->run.best, row->run.median, row->stream.best,
                          row->stream.median, (double)row->events / row->run.best,
                          (double)row->bytes / row->jobs);
    }
    allot__cli_puts(out, "]");
}
