/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * serve_readers.c: clients that read decisions without end, in a process of their own, so that
 * their reading does not delay the measuring of acknowledgements.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/serve.h"

/* So many requests of a reader wait for their answers. */
enum { AHEAD = 16, PIECE = 1 << 18 };

static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"decisions\",\"params\":"
                           "{\"from\":1,\"most\":1000}}\n";

static bool ask(int fd, int times)
{
    bool good = true;
    for (int i = 0; i < times && good; i++)
        good = write(fd, line, sizeof line - 1) == (ssize_t)(sizeof line - 1);
    return good;
}

/* For each answer that ends another is asked for. */
static bool take(int fd, char *piece)
{
    ssize_t got = read(fd, piece, PIECE);
    int ends = 0;
    for (const char *at = piece; got > 0 && at < piece + got; at++, ends++) {
        at = memchr(at, '\n', (size_t)(piece + got - at));
        if (!at)
            break;
    }
    return got > 0 && ask(fd, ends);
}

/* Reads until it is killed, or the service ends. */
static void run(allot__cli *cli, const serve_child *child, int ready)
{
    struct pollfd polls[SERVE_READERS];
    char *piece = allot_engine_alloc(cli->engine, NULL, 0, PIECE);
    bool good = piece != NULL;
    for (int i = 0; i < SERVE_READERS && good; i++) {
        polls[i] = (struct pollfd){.fd = allot__serve_connect(cli, child), .events = POLLIN};
        good = polls[i].fd >= 0 && ask(polls[i].fd, AHEAD);
    }
    if (good)
        allot__cli_write(ready, "", 1);
    while (good && poll(polls, SERVE_READERS, -1) > 0)
        for (int i = 0; i < SERVE_READERS && good; i++)
            good = polls[i].revents == 0 || take(polls[i].fd, piece);
    _exit(0);
}

int allot__serve_readers(allot__cli *cli, const serve_child *child, pid_t *pid)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return allot__cli_fail(cli, CLI_IO, "E-io", NULL, "a pipe cannot be made");
    *pid = fork();
    if (*pid == 0) {
        close(ready[0]);
        run(cli, child, ready[1]);
    }
    close(ready[1]);
    ssize_t got = *pid > 0 ? read(ready[0], &byte, 1) : -1;
    close(ready[0]);
    return got == 1 ? CLI_DONE
                    : allot__cli_fail(cli, CLI_IO, "E-io", NULL, "no readers could be started");
}

void allot__serve_readers_end(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
