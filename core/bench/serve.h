/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve.h: a service under load: what the files of that measurement share. */
#ifndef ALLOT_BENCH_SERVE_H
#define ALLOT_BENCH_SERVE_H

#include <sys/types.h>

#include <allot/service.h>

#include "bench/bench.h"

#define SERVE_CLIENTS  10
#define SERVE_BRANCHES 100
#define SERVE_LEAVES   1000 /* of a branch; every one owns SERVE_OWNED */
#define SERVE_OWNED    2
#define SERVE_READERS  100 /* clients that read decisions without end, for a part of it */
#define SERVE_SECONDS  60
#define SERVE_EVENTS   20000 /* a second, of all clients */

/* ms: the median, all but one in a hundred, the longest. */
typedef struct serve_times {
    double half, most, worst;
    int64_t count;
} serve_times;

typedef struct serve_result {
    int64_t seconds, rate;                /* as asked for */
    int64_t sent, acknowledged, refused;  /* events */
    int64_t decisions, grants, undecided; /* demands without a grant at the end */
    double took;                          /* s, to the last acknowledgement */
    serve_times acknowledge, decide;      /* from when an event was due */
    serve_times beside;                   /* the first, with readers */
    int64_t memory[3];                    /* of the service: at first, half way, at the end */
    double load;                          /* processors that the service kept busy */
    allot_service_limits limits;
} serve_result;

/* A service in a process of its own, in a folder of its own. To begin: pid -1. */
typedef struct serve_child {
    pid_t pid;
    bool watches; /* its files; its policy is fair.lua in its folder */
    char folder[64], plan[96], socket[96];
} serve_child;

/* The plan's document, with `more` consumers that own nothing before the others. */
void allot__serve_plan(allot__text *out, const char *policy, int more);
/* Makes the folder, with the plan in it; and takes it away with all that a service and the shapes
 * put in. */
int allot__serve_folder(allot__cli *cli, serve_child *child);
void allot__serve_remove(const serve_child *child);
/* Starts the service, and returns once it listens; ends it, if it was started. */
int allot__serve_start(allot__cli *cli, serve_child *child);
int allot__serve_end(allot__cli *cli, const serve_child *child);
/* A connection to it; -1: it does not answer (a finding). */
int allot__serve_connect(allot__cli *cli, const serve_child *child);

/* Sends events to the service and waits for its last answer. */
int allot__serve_load(allot__cli *cli, const serve_child *child, serve_result *out);
/* Starts SERVE_READERS clients that ask for decisions without end; and ends them, if any. */
int allot__serve_readers(allot__cli *cli, const serve_child *child, pid_t *pid);
void allot__serve_readers_end(pid_t pid);
/* Bytes of its memory that are in use; 0: unknown. */
int64_t allot__serve_memory(pid_t pid);
/* Seconds that it computed; and its loop's thread alone, to the nanosecond. */
double allot__serve_computed(pid_t pid);
double allot__serve_looped(pid_t pid);

/* The shape "serve", "serve/SECONDS", "serve/SECONDS/EVENTS"; false: not one of these. */
bool allot__bench_serve_is(const char *shape, int64_t *seconds, int64_t *rate);
/* Runs it and prints the result; returns the exit status. */
int allot__bench_serve(allot__cli *cli);

/* The shape "reload", "reload/EDITS", "reload/EDITS/TASKS" (reload.c); false: none of these.
 */
bool allot__bench_reload_is(const char *shape, int64_t *edits, int64_t *tasks);
int allot__bench_reload(allot__cli *cli);

/* The shape "sync", "sync/TASKS" (sync.c); false: none of these. */
bool allot__bench_sync_is(const char *shape, int64_t *tasks);
int allot__bench_sync(allot__cli *cli);

#endif
