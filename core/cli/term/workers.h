/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * workers.h: processes that work side by side and send texts to the first, which merges them.
 *
 * A worker is a fork of the command: it has all that was read so far. It ends by
 * allot__workers_leave, and with the first process, however that one ends. Ctrl-C reaches the first
 * process alone. The report of a worker and its part of the result are its own.
 */
#ifndef ALLOT_CLI_TERM_WORKERS_H
#define ALLOT_CLI_TERM_WORKERS_H

#include <signal.h>
#include <sys/types.h>

#include "cli/term/cli.h"

enum { CLI_WORKERS_MAX = 64 };

typedef struct allot__workers {
    int count; /* workers; 0: none, this process works alone */
    int self;  /* of a worker its number from 0; -1: the first process */
    int out;   /* of a worker: where it sends */
    struct {
        pid_t pid;
        int in; /* what it sends; -1: it has ended */
    } of[CLI_WORKERS_MAX];
    /* NULL, or set by a signal, which workers get as SIGINT once. */
    const volatile sig_atomic_t *caught;
    bool passed_on;
} allot__workers;

/* Starts as many workers as --jobs or the processors are, and at most `tasks`. Returns in each of
 * them, and in the first process; with fewer than two, or if none can be started, alone. */
void allot__workers_start(allot__workers *it, const allot__cli *cli, int64_t tasks);
/* A worker sends a text, of one byte at least. */
void allot__workers_send(const allot__workers *it, const char *text, size_t len);
/* A worker ends. */
_Noreturn void allot__workers_leave(void);
/* The first process waits for the next text of any worker; empty: all have ended. CLI_INTERNAL
 * (E-worker): a worker ended before it was done; then all are stopped. */
int allot__workers_hear(allot__workers *it, allot__cli *cli, allot__text *out);
/* Ends all workers, if there are any. */
void allot__workers_stop(allot__workers *it);

#endif
