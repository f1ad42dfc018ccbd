/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sync.c: a service is told the whole truth at once: 100,000 tasks in one call of `sync`, again
 * with nothing changed, with one task in ten changed, and with no task left. How long is its loop
 * busy with that, in all and at a time? Beside it: reading the line from memory, and a commit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/serve.h"

enum {
    TASKS = 100000,
    TASKS_MOST = 300000, /* a line has at most 32 MiB */
    BRANCHES = 10,
    LEAVES = 100, /* of a branch */
    HOSTS = 1000,
    ROUNDS = 5,
    ROUNDS_MOST = 1000,
    LIMIT_ROUNDS = 9
};

/* What is told, one after the other. */
enum { ALL, AGAIN, CHANGED, NONE, CALLS };

enum { ANSWERED, LOOP, LONGEST, THREAD, EVENTS, FIGURES };
static const bench_column columns[] = {[ANSWERED] = {"answered_ms", "answered", 1, 1, BENCH_TIME},
                                       [LOOP] = {"loop_ms", "on the loop", 1, 1, BENCH_TIME},
                                       [LONGEST] = {"longest_ms", "at a time", 1, 1, BENCH_TIME},
                                       [THREAD] = {"thread_ms", "its thread", 1, 1, BENCH_TIME},
                                       [EVENTS] = {"events", "events", 1, 0, BENCH_NUMBER},
                                       [FIGURES] = {.key = NULL}};

typedef struct sync_bench {
    allot__cli *cli;
    serve_child child;
    int64_t tasks;
    int rounds, round, peer;
    allot__text told[CALLS], answer;
    double *samples; /* by call, figure and round */
    bench_time read; /* s: the first line, read from memory */
    allot_service_limits limits;
    bench_list list;
} sync_bench;

bool allot__bench_sync_is(const char *shape, int64_t *tasks)
{
    char *rest = NULL;
    *tasks = TASKS;
    if (!shape || strncmp(shape, "sync", 4) != 0)
        return false;
    if (shape[4] == '/')
        *tasks = strtol(shape + 5, &rest, 10);
    return *(rest ? rest : shape + 4) == '\0' && *tasks >= 1 && *tasks <= TASKS_MOST;
}

/* ---- What there is, and what is told --------------------------------------------------------- */

static int put_plan(sync_bench *it)
{
    allot__text text = {.engine = it->cli->engine};
    int64_t slots = 4 * it->tasks / HOSTS + 1; /* of a host */
    allot__text_puts(&text, "{\"version\": 1, \"policy\": \"hybrid\", \"hosts\": {");
    for (int i = 0; i < HOSTS; i++)
        allot__text_printf(&text, "%s\"h%d\": {\"slots\": %" PRId64 "}", i > 0 ? ", " : "", i,
                           slots);
    allot__text_puts(&text, "}, \"consumers\": [");
    for (int i = 0; i < BRANCHES; i++) {
        allot__text_printf(&text, "%s\n{\"name\": \"b%d\", \"children\": [", i > 0 ? "," : "", i);
        for (int k = 0; k < LEAVES; k++)
            allot__text_printf(&text, "%s{\"name\": \"l%d\", \"owned\": %" PRId64 "}",
                               k > 0 ? ", " : "", k, slots * HOSTS / BRANCHES / LEAVES);
        allot__text_puts(&text, "]}");
    }
    allot__text_puts(&text, "]}\n");
    int code = text.failed ? allot__cli_status(it->cli, ALLOT_ENOMEM)
                           : allot__cli_put_file(it->cli, it->child.plan, text.bytes, text.len);
    allot__text_free(&text);
    return code;
}

/* A request; one task in `other` has another size. */
static void put_call(allot__text *out, int64_t tasks, int64_t other)
{
    allot__text_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sync\",\"params\":"
                          "{\"brief\":true,\"consumers\":{},\"tasks\":[");
    for (int64_t i = 0; i < tasks; i++)
        allot__text_printf(out,
                           "%s{\"id\":\"t%" PRId64 "\",\"consumer\":\"/b%d/l%d\",\"slots\":%d,"
                           "\"host\":\"h%d\",\"started\":%" PRId64 "}",
                           i > 0 ? "," : "", i, (int)(i % BRANCHES), (int)(i / BRANCHES % LEAVES),
                           other > 0 && i % other == 0 ? 3 : 1 + (int)(i % 2), (int)(i % HOSTS),
                           1700000000 + i);
    allot__text_puts(out, "]}}\n");
}

static int put_calls(sync_bench *it)
{
    bool failed = false;
    for (int i = 0; i < CALLS; i++) {
        it->told[i].engine = it->cli->engine;
        put_call(&it->told[i], i == NONE ? 0 : it->tasks, i == CHANGED ? 10 : 0);
        failed = failed || it->told[i].failed;
    }
    return allot__cli_status(it->cli, failed ? ALLOT_ENOMEM : ALLOT_OK);
}

/* ---- Talk ------------------------------------------------------------------------------------ */

/* Sends a line, and takes the answer as a string. */
static int ask(sync_bench *it, const char *line, size_t len)
{
    enum { PIECE = 65536 };
    allot__text *answer = &it->answer;
    ssize_t got = 1;
    while (len > 0 && got > 0) {
        got = write(it->peer, line, len);
        line += got > 0 ? got : 0;
        len -= got > 0 ? (size_t)got : 0;
    }
    answer->len = 0;
    while (got > 0 && (answer->len == 0 || answer->bytes[answer->len - 1] != '\n')) {
        char *room = allot__text_room(answer, PIECE);
        got = room ? read(it->peer, room, PIECE) : -1;
        answer->len += got > 0 ? (size_t)got : 0;
    }
    if (got <= 0)
        return allot__cli_fail(it->cli, CLI_IO, "E-connection", NULL,
                               "the service does not answer");
    answer->bytes[answer->len - 1] = '\0';
    return CLI_DONE;
}

static int ask_for(sync_bench *it, const char *method)
{
    char line[80];
    int len =
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\"}\n", method);
    return ask(it, line, (size_t)len);
}

/* A number of the last answer; the first of that name. */
static int64_t number(const sync_bench *it, const char *name)
{
    const char *at = strstr(it->answer.bytes, name);
    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

static double *sample(const sync_bench *it, int call, int figure)
{
    return it->samples + ((size_t)call * FIGURES + (size_t)figure) * (size_t)it->rounds + it->round;
}

static int tell(sync_bench *it, int call)
{
    int code = ask_for(it, "status");
    if (code != CLI_DONE)
        return code;
    int64_t event = number(it, "\"event\": ");
    double looped = allot__serve_looped(it->child.pid), began = allot__bench_clock();
    code = ask(it, it->told[call].bytes, it->told[call].len);
    *sample(it, call, ANSWERED) = (allot__bench_clock() - began) * 1e3;
    *sample(it, call, THREAD) = (allot__serve_looped(it->child.pid) - looped) * 1e3;
    if (code != CLI_DONE)
        return code;
    if (number(it, "\"dropped_count\": ") != 0)
        return allot__cli_fail(it->cli, CLI_IO, "E-io", NULL, "the service refused: %.400s",
                               it->answer.bytes);
    *sample(it, call, EVENTS) = (double)(number(it, "\"event\": ") - event);
    code = ask_for(it, "status");
    *sample(it, call, LOOP) = (double)number(it, "\"last_loop_us\": ") / 1e3;
    *sample(it, call, LONGEST) = (double)number(it, "\"last_longest_us\": ") / 1e3;
    return code;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int measure_limits(sync_bench *it)
{
    double samples[LIMIT_ROUNDS];
    int status =
        allot__bench_stream(it->cli->engine, it->told[ALL].len, NULL, samples, LIMIT_ROUNDS);
    if (status == ALLOT_OK)
        it->read = allot__bench_summary(samples, LIMIT_ROUNDS);
    if (status == ALLOT_OK)
        status =
            allot_service_measure(it->cli->engine, it->child.folder, it->cli->report, &it->limits);
    return allot__cli_status(it->cli, status);
}

static int tell_all(sync_bench *it)
{
    int code = ask_for(it, "cycle"); /* the first one that it makes by itself */
    for (it->round = 0; it->round < it->rounds && code == CLI_DONE; it->round++)
        for (int call = 0; call < CALLS && code == CLI_DONE; call++)
            code = tell(it, call);
    it->round = 0;
    return code;
}

static int measure(sync_bench *it)
{
    int code = put_calls(it);
    if (code == CLI_DONE)
        code = allot__serve_folder(it->cli, &it->child);
    if (code == CLI_DONE)
        code = put_plan(it);
    if (code == CLI_DONE)
        code = measure_limits(it);
    if (code == CLI_DONE)
        code = allot__serve_start(it->cli, &it->child);
    if (code == CLI_DONE)
        it->peer = allot__serve_connect(it->cli, &it->child);
    if (code == CLI_DONE)
        code = it->peer < 0 ? CLI_IO : tell_all(it);
    if (it->peer >= 0)
        close(it->peer);
    int ended = allot__serve_end(it->cli, &it->child);
    allot__serve_remove(&it->child);
    return code == CLI_DONE ? ended : code;
}

static void sum_up(sync_bench *it)
{
    static const char *const names[CALLS] = {"all", "again", "changed", "none"};
    it->list = (bench_list){.key = "calls",
                            .title = "ms, the best and (the median)",
                            .named = "told",
                            .columns = columns};
    for (int call = 0; call < CALLS; call++) {
        bench_time *row = allot__bench_row(&it->list, names[call]);
        for (int figure = 0; figure < FIGURES; figure++)
            row[figure] = allot__bench_summary(sample(it, call, figure), it->rounds);
    }
}

static void put_text(sync_bench *it, allot__text *out)
{
    allot__text_printf(out,
                       "%" PRId64 " tasks on %d leaves and %d hosts, told in a call of %.1f MB; "
                       "then again, one in ten changed, and none\n",
                       it->tasks, BRANCHES * LEAVES, HOSTS, (double)it->told[ALL].len / 1e6);
    allot__bench_text(&it->list, out);
    allot__text_printf(out,
                       "\nbare limits: reading the call from memory %.2f ms; a commit of 100 rows "
                       "%.3f ms\n",
                       it->read.best * 1e3, it->limits.commit * 1e3);
}

static void put_json(const sync_bench *it, allot__text *out)
{
    allot__text_printf(out,
                       "{\"schema\": \"allot/bench-sync/v1\", \"version\": \"%s\", \"tasks\": "
                       "%" PRId64 ", \"bytes\": %zu, \"repeat\": %d",
                       allot_version(), it->tasks, it->told[ALL].len, it->rounds);
    allot__bench_json(&it->list, out);
    allot__text_printf(out, ",\n\"limits\": {\"read_ms\": %.4f, \"commit_ms\": %.4f}}\n",
                       it->read.best * 1e3, it->limits.commit * 1e3);
}

int allot__bench_sync(allot__cli *cli)
{
    sync_bench it = {.cli = cli, .child = {.pid = -1}, .rounds = ROUNDS, .peer = -1};
    allot__bench_sync_is(cli->options.shape, &it.tasks);
    if (cli->options.repeat > 0)
        it.rounds = cli->options.repeat < ROUNDS_MOST ? (int)cli->options.repeat : ROUNDS_MOST;
    size_t size = (size_t)it.rounds * CALLS * FIGURES * sizeof(double);
    it.answer.engine = cli->engine;
    it.samples = allot_engine_alloc(cli->engine, NULL, 0, size);
    int code = it.samples ? measure(&it) : allot__cli_status(cli, ALLOT_ENOMEM);
    if (code == CLI_DONE) {
        sum_up(&it);
        if (cli->options.json)
            put_json(&it, &cli->out);
        else
            put_text(&it, &cli->out);
    }
    allot_engine_alloc(cli->engine, it.samples, it.samples ? size : 0, 0);
    for (int i = 0; i < CALLS; i++)
        if (it.told[i].engine)
            allot__text_free(&it.told[i]);
    allot__text_free(&it.answer);
    return code;
}
