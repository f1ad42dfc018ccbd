/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.c: cycles over queues, beside reading the bytes of their state once. */
#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

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

static int count_orders(const allot_decision *decision, bench_queues_row *row)
{
    memset(row->orders, 0, sizeof row->orders);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_decision_job_orders(decision) && status == ALLOT_OK; i++) {
        allot_job_order order;
        status = allot_decision_job_order(decision, i, &order);
        if (status == ALLOT_OK)
            row->orders[order.kind]++;
    }
    return status;
}

static int time_cycles(bench_tree *tree, const bench_cold *cold, allot_report *report,
                       double *samples, int count, bench_queues_row *row)
{
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        allot_decision *decision = NULL;
        if (cold)
            allot__bench_cool(cold);
        double start = allot__bench_clock();
        status = allot_cycle(tree->plan, tree->state, report, &decision);
        samples[i] = allot__bench_clock() - start;
        if (status == ALLOT_OK)
            status = count_orders(decision, row);
        allot_decision_free(decision);
    }
    return status;
}

static int time_site(allot__cli *cli, const bench_cold *cold, double *samples, int repeat,
                     bench_queues_row *row)
{
    bench_tree tree;
    int few = (repeat + 2) / 3;
    int status = allot__bench_build(&tree, row->site, cli->report);
    row->jobs = status == ALLOT_OK ? allot_state_jobs(tree.state) : 0;
    row->bytes = tree.bytes;
    tree.memory.most = tree.memory.live;
    int64_t before = tree.memory.live; /* what cycles take stays with the engine */
    if (status == ALLOT_OK)
        status = time_cycles(&tree, NULL, cli->report, samples, repeat, row);
    row->warm = allot__bench_summary(samples, repeat);
    row->cycle_bytes = tree.memory.most - before;
    if (status == ALLOT_OK)
        status = time_cycles(&tree, cold, cli->report, samples, few, row);
    row->cold = allot__bench_summary(samples, few);
    if (status == ALLOT_OK)
        status = allot__bench_stream(cli->engine, (size_t)row->bytes, cold, samples, few);
    row->stream = allot__bench_summary(samples, few);
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
    allot__cli_printf(out, "%s{\"id\": \"%s\", \"queue\": \"%s\", \"state\": \"%s\"",
                      number > 0 ? ",\n" : "", job.id, queue.name,
                      allot_job_state_name((int)job.state));
    if (job.host_count > 0)
        allot__cli_printf(out, ", \"hosts\": {\"%s\": %" PRId64 "}, \"started\": %" PRId64,
                          job.hosts[0].host, job.hosts[0].slots, job.started);
    else
        allot__cli_printf(out, ", \"slots\": %" PRId64 ", \"submitted\": %" PRId64, job.slots,
                          job.submitted);
    allot__cli_printf(out, ", \"user\": \"%s\"}", job.user);
}

static int put_state(const bench_tree *tree, allot__text *out)
{
    allot__cli_printf(out, "{\"now\": %" PRId64 ", \"jobs\": [\n",
                      allot_state_now_get(tree->state));
    for (int32_t i = 0; i < allot_state_jobs(tree->state); i++)
        put_job(tree, i, out);
    allot__cli_puts(out, "]}\n");
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
        status = allot_decision_write(decision, NULL, allot__cli_sink, &out);
    times[1] = allot__bench_clock() - start;
    *written = out.len;
    allot__cli_text_free(&out);
    allot_decision_free(decision);
    allot_state_free(state);
    return status;
}

static int time_documents(allot__cli *cli, int count, double *read, double *seal, double *write,
                          bench_queues_path *out)
{
    int status = ALLOT_OK;
    for (int i = 0; i < count && status == ALLOT_OK; i++) {
        bench_tree tree;
        double times[2] = {0, 0};
        allot__text text = {.engine = cli->engine};
        status = allot__bench_build(&tree, allot__bench_sites, cli->report);
        if (status == ALLOT_OK)
            status = put_state(&tree, &text);
        if (status == ALLOT_OK)
            status = go(cli, &tree, &text, times, &out->decision_bytes);
        out->jobs = status == ALLOT_OK ? allot_state_jobs(tree.state) : 0;
        out->state_bytes = text.len;
        read[i] = times[0];
        write[i] = times[1];
        seal[i] = tree.sealing;
        allot__cli_text_free(&text);
        allot__bench_fell(&tree);
    }
    return status;
}

static int time_path(allot__cli *cli, int count, bench_queues_path *out)
{
    size_t size = 3 * (size_t)count * sizeof(double);
    double *read = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!read)
        return ALLOT_ENOMEM;
    memset(read, 0, size);
    int status = time_documents(cli, count, read, read + count, read + 2 * (size_t)count, out);
    out->read = allot__bench_summary(read, count);
    out->seal = allot__bench_summary(read + count, count);
    out->write = allot__bench_summary(read + 2 * (size_t)count, count);
    allot_engine_alloc(cli->engine, read, size, 0);
    return status;
}

int allot__bench_queues(allot__cli *cli, double *samples, int repeat, bench_queues *out)
{
    const char *shape = cli->options.shape;
    if (!allot__bench_queues_are(shape))
        return ALLOT_OK;
    bench_cold *cold;
    int status = allot__bench_cold_new(cli->engine, &cold);
    for (const bench_site *site = allot__bench_sites; site->name && status == ALLOT_OK; site++) {
        if (!wanted(shape, site))
            continue;
        bench_queues_row *row = &out->rows[out->count++];
        row->site = site;
        status = time_site(cli, cold, samples, repeat, row);
    }
    allot__bench_cold_free(cli->engine, cold);
    out->has_path = wanted(shape, allot__bench_sites);
    return status == ALLOT_OK && out->has_path ? time_path(cli, (repeat + 2) / 3, &out->path)
                                               : status;
}
