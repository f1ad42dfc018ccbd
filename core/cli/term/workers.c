/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* workers.c: processes that work side by side, and the pipes by which they send texts. */
#define _GNU_SOURCE /* pipe2, sched_getaffinity */
#include "cli/term/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK = 200 }; /* ms between two looks for a caught signal */

/* ---- Beginning ------------------------------------------------------------------------------- */

static int64_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* A worker has no pipes of others, leads a group of its own, so that a terminal's Ctrl-C passes it
 * by, may write to the terminal all the same, and dies with the first process. */
static void become(allot__workers *it, int self, const int pipe[2], pid_t first)
{
    for (int i = 0; i < self; i++)
        close(it->of[i].in);
    close(pipe[0]);
    it->self = self;
    it->out = pipe[1];
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != first)
        _exit(1);
}

/* Starts the next worker. */
static bool start(allot__workers *it)
{
    int pipe[2];
    pid_t first = getpid();
    if (pipe2(pipe, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        become(it, it->count, pipe, first);
        return true;
    }
    close(pipe[1]);
    if (pid < 0) {
        close(pipe[0]);
        return false;
    }
    it->of[it->count].pid = pid;
    it->of[it->count++].in = pipe[0];
    return true;
}

void allot__workers_start(allot__workers *it, const allot__cli *cli, int64_t tasks)
{
    int64_t jobs = cli->options.jobs > 0 ? cli->options.jobs : processors();
    int64_t most = jobs < tasks ? jobs : tasks;
    *it = (allot__workers){.self = -1, .out = -1, .caught = it->caught};
    if (most > CLI_WORKERS_MAX)
        most = CLI_WORKERS_MAX;
    while (most > 1 && it->self < 0 && it->count < most && start(it))
        ;
    if (it->self >= 0)
        it->count = (int)most;
}

/* ---- A worker -------------------------------------------------------------------------------- */

void allot__workers_send(const allot__workers *it, const char *text, size_t len)
{
    if (allot__cli_write(it->out, (const char *)&len, sizeof len) != 0 ||
        allot__cli_write(it->out, text, len) != 0)
        _exit(1);
}

_Noreturn void allot__workers_leave(void)
{
    _exit(0);
}

/* ---- The first process ----------------------------------------------------------------------- */

/* Reads so many bytes; false: the worker ended before. */
static bool fill(int fd, char *to, size_t len)
{
    while (len > 0) {
        ssize_t part = read(fd, to, len);
        if (part == 0 || (part < 0 && errno != EINTR))
            return false;
        to += part > 0 ? part : 0;
        len -= part > 0 ? (size_t)part : 0;
    }
    return true;
}

/* What is next from a worker: its text, or its end. */
static int take(allot__workers *it, int i, allot__cli *cli, allot__text *out)
{
    size_t len;
    int code = 0;
    char piece[65536];
    bool more = fill(it->of[i].in, (char *)&len, sizeof len);
    for (size_t part; more && len > 0; len -= part) {
        part = len < sizeof piece ? len : sizeof piece;
        more = fill(it->of[i].in, piece, part);
        if (more)
            allot__text_add(out, piece, part);
    }
    if (more)
        return out->failed ? allot__cli_status(cli, ALLOT_ENOMEM) : CLI_DONE;
    close(it->of[i].in);
    it->of[i].in = -1;
    while (waitpid(it->of[i].pid, &code, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return CLI_DONE;
    allot__workers_stop(it);
    return allot__cli_fail(cli, CLI_INTERNAL, "E-worker", "--jobs 1 works in one process",
                           "a process of --jobs ended before its work was done, by %s %d",
                           WIFSIGNALED(code) ? "signal" : "status",
                           WIFSIGNALED(code) ? WTERMSIG(code) : WEXITSTATUS(code));
}

static void pass_on(allot__workers *it)
{
    for (int i = 0; i < it->count; i++)
        if (it->of[i].in >= 0)
            kill(it->of[i].pid, SIGINT);
    it->passed_on = true;
}

int allot__workers_hear(allot__workers *it, allot__cli *cli, allot__text *out)
{
    struct pollfd ends[CLI_WORKERS_MAX];
    int code = CLI_DONE, open = 1;
    while (code == CLI_DONE && open > 0 && out->len == 0) {
        open = 0;
        for (int i = 0; i < it->count; i++) {
            ends[i] = (struct pollfd){.fd = it->of[i].in, .events = POLLIN};
            open += it->of[i].in >= 0;
        }
        if (it->caught && *it->caught && !it->passed_on)
            pass_on(it);
        if (open == 0 || poll(ends, (nfds_t)it->count, it->caught ? LOOK : -1) <= 0)
            continue;
        for (int i = 0; i < it->count && code == CLI_DONE && out->len == 0; i++)
            if (ends[i].revents != 0)
                code = take(it, i, cli, out);
    }
    return code;
}

void allot__workers_stop(allot__workers *it)
{
    for (int i = 0; i < it->count && it->self < 0; i++) {
        if (it->of[i].in < 0)
            continue;
        kill(it->of[i].pid, SIGKILL);
        while (waitpid(it->of[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close(it->of[i].in);
        it->of[i].in = -1;
    }
}
