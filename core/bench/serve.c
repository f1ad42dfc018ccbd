/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * serve.c: the load that a service carries on this machine: 100,000 consumers, ten clients, every
 * event on disk before it is acknowledged; beside it, what disk and loop can do alone.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "bench/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

bool allot__bench_serve_is(const char *shape, int64_t *seconds, int64_t *rate)
{
    char *rest;
    *seconds = SERVE_SECONDS;
    *rate = SERVE_EVENTS;
    if (!shape || strncmp(shape, "serve", 5) != 0)
        return false;
    if (shape[5] == '\0')
        return true;
    if (shape[5] != '/')
        return false;
    *seconds = strtol(shape + 6, &rest, 10);
    if (*rest == '/')
        *rate = strtol(rest + 1, &rest, 10);
    return *rest == '\0' && *seconds >= 1 && *seconds <= 3600 && *rate >= 10 && *rate <= 1000000;
}

/* ---- The service ----------------------------------------------------------------------------- */

void allot__serve_plan(allot__text *out, const char *policy, int more)
{
    allot__text_printf(out, "{\"version\": 1, \"slots\": %d, \"policy\": \"%s\", \"consumers\": [",
                       SERVE_BRANCHES * SERVE_LEAVES * SERVE_OWNED, policy);
    for (int i = 0; i < more; i++)
        allot__text_printf(out, "{\"name\": \"more%d\"}, ", i);
    for (int i = 0; i < SERVE_BRANCHES; i++) {
        allot__text_printf(out, "%s\n{\"name\": \"b%d\", \"children\": [", i > 0 ? "," : "", i);
        for (int k = 0; k < SERVE_LEAVES; k++)
            allot__text_printf(out, "%s{\"name\":\"l%d\",\"owned\":%d}", k > 0 ? "," : "", k,
                               SERVE_OWNED);
        allot__text_puts(out, "]}");
    }
    allot__text_puts(out, "]}\n");
}

int allot__serve_folder(allot__cli *cli, serve_child *child)
{
    const char *top = getenv("TMPDIR");
    allot__text text = {.engine = cli->engine};
    snprintf(child->folder, sizeof child->folder, "%.40s/allot-bench-XXXXXX",
             top != NULL ? top : "/tmp");
    if (!mkdtemp(child->folder))
        return allot__cli_unwritten(cli, child->folder, errno);
    snprintf(child->plan, sizeof child->plan, "%s/plan.json", child->folder);
    snprintf(child->socket, sizeof child->socket, "%s/sock", child->folder);
    allot__serve_plan(&text, child->watches ? "fair.lua" : "hybrid", 0);
    int code = text.failed ? allot__cli_status(cli, ALLOT_ENOMEM)
                           : allot__cli_put_file(cli, child->plan, text.bytes, text.len);
    allot__text_free(&text);
    return code;
}

void allot__serve_remove(const serve_child *child)
{
    static const char *const names[] = {
        "plan.json",         "plan.json.db", "plan.json.db-wal", "plan.json.db-shm",
        "plan.json.db-lock", "sock",         "fair.lua",         "next"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", child->folder, names[i]);
        unlink(path);
    }
    rmdir(child->folder);
}

static void tell_ready(void *ud)
{
    const int *fd = ud;
    allot__cli_write(*fd, "", 1);
}

/* Runs the service; errors go to standard error. */
static void run_child(allot__cli *cli, const serve_child *child, int ready)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.plan = child->plan;
    config.socket = child->socket;
    config.log_level = ALLOT_LOG_WARNING;
    config.watch = child->watches;
    int status = allot_service_serve(cli->engine, &config, cli->report, tell_ready, &ready);
    allot__text text = {.engine = cli->engine};
    allot__cli_findings(cli->report, &text, false);
    allot__cli_write(STDERR_FILENO, text.bytes, text.len);
    _exit(status == ALLOT_OK ? 0 : 1);
}

int allot__serve_start(allot__cli *cli, serve_child *child)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return allot__cli_fail(cli, CLI_IO, "E-io", NULL, "a pipe cannot be made");
    child->pid = fork();
    if (child->pid == 0) {
        close(ready[0]);
        run_child(cli, child, ready[1]);
    }
    close(ready[1]);
    ssize_t got = child->pid > 0 ? read(ready[0], &byte, 1) : -1;
    close(ready[0]);
    return got == 1 ? CLI_DONE
                    : allot__cli_fail(cli, CLI_IO, "E-io", NULL, "the service did not start");
}

int allot__serve_end(allot__cli *cli, const serve_child *child)
{
    int status = 0;
    if (child->pid <= 0)
        return CLI_DONE;
    kill(child->pid, SIGTERM);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? CLI_DONE
               : allot__cli_fail(cli, CLI_IO, "E-io", NULL, "the service did not end well");
}

int allot__serve_connect(allot__cli *cli, const serve_child *child)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, child->socket, strlen(child->socket) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    allot__cli_fail(cli, CLI_IO, "E-connection", NULL, "the service does not answer");
    return -1;
}

/* ---- What the system knows of it ------------------------------------------------------------- */

/* A file of /proc/PID; empty where there is none. */
static void read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(buf, 1, size - 1, file) : 0;
    buf[len] = '\0';
    if (file)
        fclose(file);
}

int64_t allot__serve_memory(pid_t pid)
{
    char text[4096];
    read_proc(pid, "status", text, sizeof text);
    const char *line = strstr(text, "VmRSS:");
    return line ? strtoll(line + 6, NULL, 10) * 1024 : 0;
}

double allot__serve_computed(pid_t pid)
{
    char text[1024];
    read_proc(pid, "stat", text, sizeof text);
    char *at = strrchr(text, ')');
    for (int i = 0; at && i < 12; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    double ticks = (double)strtoll(at, &at, 10);
    return (ticks + (double)strtoll(at, NULL, 10)) / (double)sysconf(_SC_CLK_TCK);
}

double allot__serve_looped(pid_t pid)
{
    char text[128];
    read_proc(pid, "schedstat", text, sizeof text);
    return (double)strtoll(text, NULL, 10) * 1e-9;
}

/* ---- The result ------------------------------------------------------------------------------ */

static void put_times(allot__text *out, const char *what, const serve_times *times)
{
    allot__text_printf(out,
                       "%-24s half within %8.2f ms, 99 %% within %8.2f ms, all within %8.2f ms\n",
                       what, times->half, times->most, times->worst);
}

static void put_text(const serve_result *from, allot__text *out)
{
    allot__text_printf(out,
                       "%d consumers, %d clients, %" PRId64 " events a second for %" PRId64
                       " s, each on disk (WAL, synchronous FULL) before it is acknowledged\n\n",
                       SERVE_BRANCHES * SERVE_LEAVES, SERVE_CLIENTS, from->rate, from->seconds);
    allot__text_printf(out,
                       "events                   %" PRId64 " sent, %" PRId64
                       " acknowledged, %" PRId64 " refused, in %.1f s: %.0f a second\n",
                       from->sent, from->acknowledged, from->refused, from->took,
                       (double)from->acknowledged / from->took);
    allot__text_printf(out,
                       "decisions                %" PRId64 " with %" PRId64 " grants; %" PRId64
                       " demands without one\n",
                       from->decisions, from->grants, from->undecided);
    put_times(out, "event to acknowledgement", &from->acknowledge);
    put_times(out, "... with 100 readers", &from->beside);
    put_times(out, "event to decision", &from->decide);
    allot__text_printf(out,
                       "the service              %.2f processors; %.1f MB at first, %.1f half way, "
                       "%.1f at the end\n",
                       from->load, (double)from->memory[0] / 1e6, (double)from->memory[1] / 1e6,
                       (double)from->memory[2] / 1e6);
    allot__text_printf(out,
                       "bare limits              a commit of 100 rows %.3f ms; an echo %.2f us a "
                       "message, 64 in flight\n",
                       from->limits.commit * 1e3, from->limits.echo * 1e6);
}

static void put_times_json(allot__text *out, const char *name, const serve_times *times)
{
    allot__text_printf(
        out, ",\n\"%s\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f, \"count\": %" PRId64 "}",
        name, times->half, times->most, times->worst, times->count);
}

static void put_json(const serve_result *from, allot__text *out)
{
    allot__text_printf(
        out,
        "{\"schema\": \"allot/bench-serve/v1\", \"version\": \"%s\", \"consumers\": %d, "
        "\"clients\": %d, \"rate\": %" PRId64 ", \"seconds\": %" PRId64 ",\n\"sent\": %" PRId64
        ", \"acknowledged\": %" PRId64 ", \"refused\": %" PRId64
        ", \"took_s\": %.3f,\n\"decisions\": %" PRId64 ", \"grants\": %" PRId64
        ", \"undecided\": %" PRId64,
        allot_version(), SERVE_BRANCHES * SERVE_LEAVES, SERVE_CLIENTS, from->rate, from->seconds,
        from->sent, from->acknowledged, from->refused, from->took, from->decisions, from->grants,
        from->undecided);
    put_times_json(out, "acknowledge_ms", &from->acknowledge);
    put_times_json(out, "acknowledge_beside_readers_ms", &from->beside);
    put_times_json(out, "decide_ms", &from->decide);
    allot__text_printf(out,
                       ",\n\"memory_bytes\": [%" PRId64 ", %" PRId64 ", %" PRId64
                       "], \"processors\": %.3f,\n\"limits\": {\"commit_ms\": %.4f, \"echo_us\": "
                       "%.4f}}\n",
                       from->memory[0], from->memory[1], from->memory[2], from->load,
                       from->limits.commit * 1e3, from->limits.echo * 1e6);
}

/* The same for some seconds more, while others read. */
static int load_beside(allot__cli *cli, const serve_child *child, serve_result *result)
{
    enum { SECONDS = 10 };
    serve_result other = {.seconds = result->seconds < SECONDS ? result->seconds : SECONDS,
                          .rate = result->rate};
    pid_t readers = -1;
    int code = allot__serve_readers(cli, child, &readers);
    if (code == CLI_DONE)
        code = allot__serve_load(cli, child, &other);
    allot__serve_readers_end(readers);
    result->beside = other.acknowledge;
    return code;
}

static int measure(allot__cli *cli, serve_child *child, serve_result *result)
{
    int code = allot__serve_folder(cli, child);
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_service_measure(cli->engine, child->folder, cli->report, &result->limits));
    if (code == CLI_DONE)
        code = allot__serve_start(cli, child);
    if (code == CLI_DONE)
        code = allot__serve_load(cli, child, result);
    if (code == CLI_DONE)
        code = load_beside(cli, child, result);
    int ended = allot__serve_end(cli, child);
    allot__serve_remove(child);
    return code == CLI_DONE ? ended : code;
}

int allot__bench_serve(allot__cli *cli)
{
    serve_child child = {.pid = -1};
    serve_result result = {0};
    allot__bench_serve_is(cli->options.shape, &result.seconds, &result.rate);
    int code = measure(cli, &child, &result);
    if (code != CLI_DONE)
        return code;
    if (cli->options.json)
        put_json(&result, &cli->out);
    else
        put_text(&result, &cli->out);
    return CLI_DONE;
}
