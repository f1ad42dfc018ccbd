/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.c: cycles over queues, beside reading the bytes of their state once. */
#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

enum { JOBS, STARTS, VICTIMS, WARM, COLD, STREAM, NS, STATE_BYTES, CYCLE_BYTES };
const bench_column allot__bench_queues_columns[] = {
    [JOBS] = {"jobs", "jobs", 1, 0, BENCH_NUMBER},
    [STARTS] = {"starts", "starts", 1, 0, BENCH_NUMBER},
    [VICTIMS] = {"victims", "victims", 1, 0, BENCH_NUMBER},
    [WARM] = {"cycle_s", "cycle", 1e3, 1, BENCH_TIME},
    [COLD] = {"cycle_cold_s", "cold", 1e3, 1, BENCH_BEST},
    [STREAM] = {"stream_cold_s", "read", 1e3, 1, BENCH_BEST},
    [NS] = {"ns_per_job", "ns", 1, 1, BENCH_NUMBER},
    [STATE_BYTES] = {"state_bytes_per_job", "state", 1, 0, BENCH_NUMBER},
    [CYCLE_BYTES] = {"cycle_bytes_per_job", "cycle", 1, 0, BENCH_NUMBER},
    [CYCLE_BYTES + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

enum { PATH_JOBS, READ_BYTES, WRITE_BYTES, READ, SEAL, WRITE };
const bench_column allot__bench_queue_path_columns[] = {
    [PATH_JOBS] = {"jobs", "jobs", 1, 0, BENCH_NUMBER},
    [READ_BYTES] = {"state_bytes", "state, MB", 1e-6, 1, BENCH_NUMBER},
    [WRITE_BYTES] = {"decision_bytes", "decision, MB", 1e-6, 1, BENCH_NUMBER},
    [READ] = {"state_s", "state", 1e3, 1, BENCH_TIME},
    [SEAL] = {"seal_s", "sealing it", 1e3, 1, BENCH_TIME},
    [WRITE] = {"write_s", "decision", 1e3, 1, BENCH_TIME},
    [WRITE + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

static const char prefix[] = "queues/";

static bool wanted(const char *shape, const bench_site *site)
{
    return !shape || strcmp(shape, "queues") == 0 ||
           (strncmp(shape, prefix, sizeof prefix - 1) == 0 &&
            strcmp(shape + sizeof prefix - 1, site->name) == 0);
}

bool allot__bench_queues_are(const char *shape)
{
    for (const bench_site *site = allot__bench_sites; site->name; site++)
        if (wanted(shape, site))
            return true;
    return false;
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

/* Orders of a decision, by kind. */
static int count_orders(const allot_decision *decision, int32_t orders[ALLOT_ORDER_COUNT])
{
    memset(orders, 0, ALLOT_ORDER_COUNT * sizeof *orders);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_decision_job_orders(decision) && status == ALLOT_OK; i++) {
        allot_job_order order;
        status = allot_decision_job_order(decision, i, &order);
        if (status == ALLOT_OK)
            orders[order.kind]++;
    }
    return status;
}

static int time_cycles(bench_tree *tree, const bench_cold *cold, allot_report *report,
                       double *samples, int count, bench_time *row)
{
    int32_t orders[ALLOT_ORDER_COUNT] = {0};
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        allot_decision *decision = NULL;
        if (cold)
            allot__bench_cool(cold);
        double start = allot__bench_clock();
        status = allot_cycle(tree->plan, tree->state, report, &decision);
        samples[i] = allot__bench_clock() - start;
        if (status == ALLOT_OK)
            status = count_orders(decision, orders);
        allot_decision_free(decision);
    }
    row[STARTS] = allot__bench_number(orders[ALLOT_ORDER_START]);
    row[VICTIMS] = allot__bench_number(orders[ALLOT_ORDER_SUSPEND] + orders[ALLOT_ORDER_KILL]);
    return status;
}

static int time_site(allot__cli *cli, const bench_site *site, const bench_cold *cold,
                     double *samples, int repeat, bench_time *row)
{
    bench_tree tree;
    int few = (repeat + 2) / 3;
    int status = allot__bench_build(&tree, site, cli->report);
    double jobs = status == ALLOT_OK ? allot_state_jobs(tree.state) : 0;
    int64_t bytes = tree.bytes, before = tree.memory.live; /* what cycles take stays */
    tree.memory.most = tree.memory.live;
    if (status == ALLOT_OK)
        status = time_cycles(&tree, NULL, cli->report, samples, repeat, row);
    row[WARM] = allot__bench_summary(samples, repeat);
    row[CYCLE_BYTES] = allot__bench_number((double)(tree.memory.most - before) / jobs);
    if (status == ALLOT_OK)
        status = time_cycles(&tree, cold, cli->report, samples, few, row);
    row[COLD] = allot__bench_summary(samples, few);
    if (status == ALLOT_OK)
        status = allot__bench_stream(cli->engine, (size_t)bytes, cold, samples, few);
    row[STREAM] = allot__bench_summary(samples, few);
    row[JOBS] = allot__bench_number(jobs);
    row[NS] = allot__bench_number(row[WARM].best * 1e9 / jobs);
    row[STATE_BYTES] = allot__bench_number((double)bytes / jobs);
    allot__bench_fell(&tree);
    return status;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static void put_job(const bench_tree *tree, int32_t number, allot__text *out)
{
    allot_job job;
    allot_queue queue;
    if (allot_state_job_at(tree->state, number, &job) != ALLOT_OK ||
        allot_plan_queue_at(tree->plan, job.queue, &queue) != ALLOT_OK) {
        out->failed = true;
        return;
    }
    allot__text_printf(out, "%s{\"id\": \"%s\", \"queue\": \"%s\", \"state\": \"%s\"",
                       number > 0 ? ",\n" : "", job.id, queue.name,
                       allot_job_state_name((int)job.state));
    if (job.host_count > 0)
        allot__text_printf(out, ", \"hosts\": {\"%s\": %" PRId64 "}, \"started\": %" PRId64,
                           job.hosts[0].host, job.hosts[0].slots, job.started);
    else
        allot__text_printf(out, ", \"slots\": %" PRId64 ", \"submitted\": %" PRId64, job.slots,
                           job.submitted);
    allot__text_printf(out, ", \"user\": \"%s\"}", job.user);
}

static int put_state(const bench_tree *tree, allot__text *out)
{
    allot__text_printf(out, "{\"now\": %" PRId64 ", \"jobs\": [\n",
                       allot_state_now_get(tree->state));
    for (int32_t i = 0; i < allot_state_jobs(tree->state); i++)
        put_job(tree, i, out);
    allot__text_puts(out, "]}\n");
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* Reads the document, decides, writes; times[0]: reading, with sealing; times[1]: writing. */
static int go(allot__cli *cli, const bench_tree *tree, const allot__text *text, double *times,
              size_t *written)
{
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    allot__text out = {.engine = cli->engine};
    double start = allot__bench_clock();
    int status = allot_state_read(tree->plan, text->bytes, text->len, "bench", cli->report, &state);
    times[0] = allot__bench_clock() - start;
    if (status == ALLOT_OK)
        status = allot_cycle(tree->plan, state, cli->report, &decision);
    start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_decision_write(decision, NULL, allot__text_sink, &out);
    times[1] = allot__bench_clock() - start;
    *written = out.len;
    allot__text_free(&out);
    allot_decision_free(decision);
    allot_state_free(state);
    return status;
}

static int time_documents(allot__cli *cli, int count, double *read, double *seal, double *write,
                          bench_time *row)
{
    size_t written = 0;
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        bench_tree tree;
        double times[2] = {0, 0};
        allot__text text = {.engine = cli->engine};
        status = allot__bench_build(&tree, allot__bench_sites, cli->report);
        if (status == ALLOT_OK)
            status = put_state(&tree, &text);
        if (status == ALLOT_OK)
            status = go(cli, &tree, &text, times, &written);
        row[PATH_JOBS] = allot__bench_number(status == ALLOT_OK ? allot_state_jobs(tree.state) : 0);
        row[READ_BYTES] = allot__bench_number((double)text.len);
        row[WRITE_BYTES] = allot__bench_number((double)written);
        read[i] = times[0];
        write[i] = times[1];
        seal[i] = tree.sealing;
        allot__text_free(&text);
        allot__bench_fell(&tree);
    }
    return status;
}

static int time_path(allot__cli *cli, int count, bench_time *row)
{
    size_t size = 3 * (size_t)count * sizeof(double);
    double *read = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!read)
        return ALLOT_ENOMEM;
    memset(read, 0, size);
    int status = time_documents(cli, count, read, read + count, read + 2 * (size_t)count, row);
    row[READ] = allot__bench_summary(read, count);
    row[SEAL] = allot__bench_summary(read + count, count);
    row[WRITE] = allot__bench_summary(read + 2 * (size_t)count, count);
    allot_engine_alloc(cli->engine, read, size, 0);
    return status;
}

int allot__bench_queues(allot__cli *cli, double *samples, int repeat, bench_list *list,
                        bench_list *documents)
{
    const char *shape = cli->options.shape;
    if (!allot__bench_queues_are(shape))
        return ALLOT_OK;
    bench_cold *cold;
    int status = allot__bench_cold_new(cli->engine, &cold);
    for (const bench_site *site = allot__bench_sites; site->name && status == ALLOT_OK; site++)
        if (wanted(shape, site))
            status =
                time_site(cli, site, cold, samples, repeat, allot__bench_row(list, site->name));
    allot__bench_cold_free(cli->engine, cold);
    return status == ALLOT_OK && wanted(shape, allot__bench_sites)
               ? time_path(cli, (repeat + 2) / 3, allot__bench_row(documents, NULL))
               : status;
}
