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

static const char *const names[] = {"built-in", "Lua victim key", "queue pool"};
enum { PLANS = sizeof names / sizeof *names };

enum { ARRIVALS, EVENTS, CYCLES, KILLS, RUN, STREAM, RATE, CYCLE_US, BYTES };
const bench_column allot__bench_simulate_columns[] = {
    [ARRIVALS] = {"jobs", "jobs", 1, 0, BENCH_NUMBER},
    [EVENTS] = {"events", "events", 1, 0, BENCH_NUMBER},
    [CYCLES] = {"cycles", "cycles", 1, 0, BENCH_NUMBER},
    [KILLS] = {"kills", "kills", 1, 0, BENCH_NUMBER},
    [RUN] = {"run_s", "ms", 1e3, 1, BENCH_TIME},
    [STREAM] = {"stream_s", "read", 1e3, 2, BENCH_TIME},
    [RATE] = {"events_per_s", "events a second", 1, 0, BENCH_NUMBER},
    [CYCLE_US] = {"us_per_cycle", "us a cycle", 1, 2, BENCH_NUMBER},
    [BYTES] = {"bytes_per_job", "bytes a job", 1, 0, BENCH_NUMBER},
    [BYTES + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

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

/* Most jobs run for seconds, some for hours: the slots in use are as on the real machine. */
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

static int play(const allot_plan *plan, const allot_trace *trace, int32_t rigid,
                allot_report *report, double *seconds, bench_time *row)
{
    const allot_simulation_options options = {.rigid = rigid};
    allot_simulation *simulation = NULL;
    allot_simulation_counts counts;
    int status = allot_simulation_new(plan, &options, &simulation);
    if (status == ALLOT_OK)
        status = allot_simulation_load(simulation, trace, NULL, NULL, report);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_simulation_run(simulation, report);
    *seconds = allot__bench_clock() - start;
    if (status == ALLOT_OK) {
        allot_simulation_counted(simulation, &counts);
        row[ARRIVALS] = allot__bench_number((double)counts.arrivals);
        row[EVENTS] = allot__bench_number((double)counts.events);
        row[CYCLES] = allot__bench_number((double)counts.cycles);
        row[KILLS] = allot__bench_number((double)counts.kills);
    }
    allot_simulation_free(simulation);
    return status;
}

int allot__bench_play(allot__cli *cli, const bench_log *log, int which, double *samples, int repeat,
                      bench_time *row)
{
    bench_memory memory = {0};
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_trace *trace = NULL;
    int status = allot_engine_new(allot__bench_count, &memory, &engine);
    if (status == ALLOT_OK)
        status = log->plan(engine, which, cli->report, &plan);
    int64_t before = memory.live;
    if (status == ALLOT_OK)
        status = allot_trace_read(engine, log->pull, log->ud, "log", cli->report, &trace);
    memory.most = memory.live;
    for (int i = 0; i < repeat && status == ALLOT_OK; i++)
        status = play(plan, trace, log->rigid, cli->report, &samples[i], row);
    double jobs = row[ARRIVALS].best;
    row[RUN] = allot__bench_summary(samples, repeat);
    row[RATE] = allot__bench_number(row[EVENTS].best / row[RUN].best);
    row[CYCLE_US] = allot__bench_number(row[RUN].best * 1e6 / row[CYCLES].best);
    row[BYTES] = allot__bench_number((double)(memory.most - before) / jobs);
    allot_trace_free(trace);
    allot_plan_free(plan);
    allot_engine_free(engine);
    if (status == ALLOT_OK)
        status = allot__bench_stream(cli->engine, (size_t)jobs * JOB_BYTES, NULL, samples, repeat);
    row[STREAM] = allot__bench_summary(samples, repeat);
    return status;
}

int allot__bench_simulate(allot__cli *cli, double *samples, int repeat, bench_list *list)
{
    int status = ALLOT_OK;
    for (int i = 0; i < PLANS && status == ALLOT_OK; i++) {
        log_source source = {.seed = 1993};
        const bench_log log = {.plan = make_plan, .pull = pull, .ud = &source};
        status = allot__bench_play(cli, &log, i, samples, repeat, allot__bench_row(list, names[i]));
    }
    return status;
}
