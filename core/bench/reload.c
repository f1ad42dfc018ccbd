/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reload.c: how soon an edited policy or plan decides, and how long the loop of a service is
 * away meanwhile, with 100,000 consumers, while events come in.
 *
 * One connection asks for `status` over and over and times the answers; on another events flow. An
 * edit is there when the file has been renamed into its place; it decides when a cycle has run
 * behind the swap.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/reload.h"

enum {
    EDITS = 5,
    EDITS_MOST = 1000,
    PATIENCE = 600, /* s for an edit: ends a hang, however slow the machine is */
    CALM = 2        /* s without edits, between two of them and before the first */
};

bool allot__bench_reload_is(const char *shape, int64_t *edits, int64_t *tasks)
{
    char *rest;
    *edits = EDITS;
    *tasks = 0;
    if (!shape || strncmp(shape, "reload", 6) != 0)
        return false;
    if (shape[6] == '\0')
        return true;
    if (shape[6] != '/')
        return false;
    *edits = strtol(shape + 7, &rest, 10);
    if (*rest == '/')
        *tasks = strtol(rest + 1, &rest, 10);
    return *rest == '\0' && *edits >= 1 && *edits <= EDITS_MOST && *tasks >= 0 &&
           *tasks <= RELOAD_LEAVES;
}

/* ---- Talk ------------------------------------------------------------------------------------ */

static int broken(const reload *it)
{
    return allot__cli_fail(it->cli, CLI_IO, "E-connection", NULL, "the service does not answer");
}

/* Skips answers to events; at most those that have come. */
static void drop_answers(reload *it)
{
    while (read(it->feeder, it->line, RELOAD_PIECE) > 0)
        continue;
}

/* A service reads no more of a client that does not read its answers. */
static int put(reload *it, int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t sent = write(fd, text, len);
        if (sent < 0 && errno == EAGAIN) {
            drop_answers(it);
            poll(&(struct pollfd){.fd = fd, .events = POLLIN | POLLOUT}, 1, 100);
        } else if (sent < 0 && errno != EINTR)
            return broken(it);
        text += sent > 0 ? sent : 0;
        len -= sent > 0 ? (size_t)sent : 0;
    }
    return CLI_DONE;
}

/* The next line of the asker, as a string in `line`; cut to its room. */
static int take_line(reload *it)
{
    char *stop;
    while (!(stop = memchr(it->answer, '\n', it->answered))) {
        if (it->answered == RELOAD_PIECE)
            it->answered = 0; /* longer than anybody wants to read */
        ssize_t got = read(it->asker, it->answer + it->answered, RELOAD_PIECE - it->answered);
        if (got == 0 || (got < 0 && errno != EINTR))
            return broken(it);
        it->answered += got > 0 ? (size_t)got : 0;
    }
    size_t len = (size_t)(stop - it->answer);
    memcpy(it->line, it->answer, len);
    it->line[len] = '\0';
    it->answered -= len + 1;
    memmove(it->answer, stop + 1, it->answered);
    return CLI_DONE;
}

static int ask(reload *it, const char *method)
{
    char text[128];
    int len =
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\"}\n",
                 ++it->id, method);
    int code = put(it, it->asker, text, (size_t)len);
    return code == CLI_DONE ? take_line(it) : code;
}

/* A number of the last answer; the first of that name. */
static int64_t number(const reload *it, const char *name)
{
    const char *at = strstr(it->line, name);
    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

/* Events that are due; of those that a slow service left behind only the last ones, since to make
 * up for all would take ever longer. */
static int feed(reload *it)
{
    char text[160];
    int code = CLI_DONE;
    int64_t due = (int64_t)((allot__bench_clock() - it->since) * RELOAD_RATE);
    if (it->fed < due - RELOAD_BEHIND)
        it->fed = due - RELOAD_BEHIND;
    for (; it->fed < due && code == CLI_DONE; it->fed++) {
        int64_t leaf = it->fed * 7919 % RELOAD_LEAVES;
        int len =
            snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"demand\",\"params\":"
                     "{\"consumer\":\"/b%d/l%d\",\"slots\":%d}}\n",
                     (int)(leaf / SERVE_LEAVES), (int)(leaf % SERVE_LEAVES), (int)(it->fed % 5));
        code = put(it, it->feeder, text, (size_t)len);
    }
    drop_answers(it);
    return code;
}

/* ---- The tasks ------------------------------------------------------------------------------- */

static void put_event(allot__text *out, const char *method, int64_t leaf, int slots, int64_t id)
{
    allot__text_printf(out,
                       "%s{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"consumer\":"
                       "\"/b%d/l%d\",\"slots\":%d",
                       out->len > 0 ? "," : "[", method, (int)(leaf / SERVE_LEAVES),
                       (int)(leaf % SERVE_LEAVES), slots);
    if (id > 0)
        allot__text_printf(out, ",\"id\":%" PRId64, id);
    allot__text_puts(out, "}}");
}

/* Sends a batch and waits for its answer. */
static int send_batch(reload *it, allot__text *batch)
{
    allot__text_puts(batch, "]\n");
    int code = batch->failed ? allot__cli_status(it->cli, ALLOT_ENOMEM)
                             : put(it, it->asker, batch->bytes, batch->len);
    batch->len = 0;
    return code == CLI_DONE ? take_line(it) : code;
}

/* Leaves that run two tasks each hold twice what they own; others want the surplus. */
static int fill(reload *it)
{
    enum { MANY = 100 };
    allot__text batch = {.engine = it->cli->engine};
    int code = CLI_DONE;
    for (int64_t i = 0; i < it->tasks && code == CLI_DONE; i += 2) {
        put_event(&batch, "allocated", i / 2, 2 * SERVE_OWNED, 0);
        put_event(&batch, "start", i / 2, SERVE_OWNED, i + 1);
        put_event(&batch, "start", i / 2, SERVE_OWNED, i + 2);
        if (i / 2 % MANY == MANY - 1 || i + 2 >= it->tasks)
            code = send_batch(it, &batch);
    }
    for (int64_t i = 0; i < RELOAD_LEAVES && code == CLI_DONE; i++) {
        put_event(&batch, "demand", i, 1 + (int)(i % (2 * SERVE_OWNED)), 0);
        if (i % MANY == MANY - 1)
            code = send_batch(it, &batch);
    }
    allot__text_free(&batch);
    if (code == CLI_DONE)
        code = ask(it, "cycle");
    if (code == CLI_DONE)
        code = ask(it, "status");
    it->flights = number(it, "\"reclaims\": ");
    return code;
}

/* ---- Edits ----------------------------------------------------------------------------------- */

/* Replaces the file as a whole. */
static int replace(reload *it, const char *name, const allot__text *text)
{
    char next[96], path[96];
    snprintf(next, sizeof next, "%s/next", it->child.folder);
    snprintf(path, sizeof path, "%s/%s", it->child.folder, name);
    if (text->failed)
        return allot__cli_status(it->cli, ALLOT_ENOMEM);
    int code = allot__cli_put_file(it->cli, next, text->bytes, text->len);
    return code == CLI_DONE && rename(next, path) != 0 ? allot__cli_unwritten(it->cli, path, errno)
                                                       : code;
}

static int put_policy(reload *it, int number)
{
    allot__text text = {.engine = it->cli->engine};
    allot__text_printf(&text,
                       "return policy { name = \"g%d\", quota = {\n"
                       "  fill \"own\" { by = \"owned\", up_to = \"owned\" },\n"
                       "  fill \"rest\" { by = \"owned\" },\n"
                       "  fill \"spare\" { by = 1 } } }\n",
                       number);
    int code = replace(it, "fair.lua", &text);
    allot__text_free(&text);
    return code;
}

static int put_plan(reload *it, int more)
{
    allot__text text = {.engine = it->cli->engine};
    allot__serve_plan(&text, "fair.lua", more);
    int code = replace(it, "plan.json", &text);
    allot__text_free(&text);
    return code;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Asks over and over, until so many swaps and a cycle behind, or for so long; *took: ms. */
static int watch(reload *it, int64_t swaps, double seconds, reload_edits *of, double *took)
{
    double began = allot__bench_clock(), now = began;
    int64_t cycle = INT64_MAX;
    int code = CLI_DONE;
    while (code == CLI_DONE && now - began < seconds) {
        code = feed(it);
        double asked = allot__bench_clock(), looped = allot__serve_looped(it->child.pid);
        if (code == CLI_DONE)
            code = ask(it, "status");
        now = allot__bench_clock();
        of->away = most(of->away, (now - asked) * 1e3);
        of->busy = most(of->busy, (allot__serve_looped(it->child.pid) - looped) * 1e3);
        *took = (now - began) * 1e3;
        if (cycle == INT64_MAX && number(it, "\"swapped\": ") >= swaps)
            cycle = number(it, "\"cycle\": ");
        if (number(it, "\"cycle\": ") > cycle)
            return code;
        poll(NULL, 0, 1);
    }
    return code == CLI_DONE && swaps != INT64_MAX
               ? allot__cli_fail(it->cli, CLI_IO, "E-reload", NULL,
                                 "the service refused an edit: %.400s", it->line)
               : code;
}

static int edit(reload *it, reload_edits *of, int64_t swaps)
{
    double took;
    int code = watch(it, swaps, PATIENCE, of, &of->decides[of->count++]);
    of->swap = most(of->swap, (double)number(it, "\"last_swap_us\": ") / 1e3);
    return code == CLI_DONE ? watch(it, INT64_MAX, CALM, of, &took) : code;
}

static int edit_all(reload *it)
{
    double took;
    int code = watch(it, INT64_MAX, CALM, &it->calm, &took);
    it->calm = (reload_edits){.count = 0}; /* decisions about the tasks above are done */
    if (code == CLI_DONE)
        code = watch(it, INT64_MAX, 2 * CALM, &it->calm, &took);
    for (int i = 1; i <= it->wanted && code == CLI_DONE; i++) {
        code = put_policy(it, i);
        if (code == CLI_DONE)
            code = edit(it, &it->policy, 2 * i - 1);
        if (code == CLI_DONE)
            code = put_plan(it, i);
        if (code == CLI_DONE)
            code = edit(it, &it->plan, 2 * i);
    }
    return code;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int connect_both(reload *it)
{
    it->asker = allot__serve_connect(it->cli, &it->child);
    it->feeder = it->asker >= 0 ? allot__serve_connect(it->cli, &it->child) : -1;
    if (it->feeder < 0)
        return CLI_IO;
    fcntl(it->feeder, F_SETFL, O_NONBLOCK);
    it->since = allot__bench_clock();
    return CLI_DONE;
}

static int measure(reload *it)
{
    int code = allot__serve_folder(it->cli, &it->child);
    if (code == CLI_DONE)
        code = put_policy(it, 0);
    if (code == CLI_DONE)
        code = allot__reload_bare(it);
    if (code == CLI_DONE)
        code = allot__serve_start(it->cli, &it->child);
    if (code == CLI_DONE)
        code = connect_both(it);
    if (code == CLI_DONE)
        code = fill(it);
    it->since = allot__bench_clock();
    if (code == CLI_DONE)
        code = edit_all(it);
    if (it->asker >= 0)
        close(it->asker);
    if (it->feeder >= 0)
        close(it->feeder);
    int ended = allot__serve_end(it->cli, &it->child);
    allot__serve_remove(&it->child);
    return code == CLI_DONE ? ended : code;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(reload_edits *of)
{
    qsort(of->decides, (size_t)of->count, sizeof *of->decides, by_size);
}

int allot__bench_reload(allot__cli *cli)
{
    allot_engine *engine = cli->engine;
    reload *it = allot_engine_alloc(engine, NULL, 0, sizeof *it);
    size_t size = (size_t)EDITS_MOST * 2 * sizeof(double);
    double *samples = allot_engine_alloc(engine, NULL, 0, size);
    int code = CLI_DONE;
    if (!it || !samples) {
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    } else {
        memset(it, 0, sizeof *it);
        it->cli = cli;
        it->child = (serve_child){.pid = -1, .watches = true};
        it->asker = it->feeder = -1;
        it->policy = (reload_edits){.decides = samples};
        it->plan = (reload_edits){.decides = samples + EDITS_MOST};
        allot__bench_reload_is(cli->options.shape, &it->wanted, &it->tasks);
        code = measure(it);
    }
    if (code == CLI_DONE) {
        sort(&it->policy);
        sort(&it->plan);
        allot__reload_tell(it, &cli->out);
    }
    if (it)
        allot_engine_alloc(engine, it, sizeof *it, 0);
    if (samples)
        allot_engine_alloc(engine, samples, size, 0);
    return code;
}
