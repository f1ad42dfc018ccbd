/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bench.h: what `allot bench` can measure.
 *
 * lua/allot/bench/ decides what is measured and printed. The verb is its host: calls pass documents
 * ("plan", "state", ...) or ask for measurements ("cycle", of "orders 9"), and only C code is
 * timed.
 */
#ifndef ALLOT_BENCH_BENCH_H
#define ALLOT_BENCH_BENCH_H

#include <sys/types.h>

#include "cli/term/tool.h"

#define BENCH_PEERS   128
#define BENCH_READERS 100 /* clients that read decisions without end */

/* Counts of an engine's allocator. */
typedef struct bench_memory {
    int64_t live, most;
    int64_t policies; /* of `live`: memory of loaded policies */
} bench_memory;

/* A connection to the service. */
typedef struct bench_peer {
    int fd;
    allot__text in, out;
    size_t sent; /* of `out` */
} bench_peer;

typedef struct bench {
    allot__tool_ud tool; /* the command as a host, without the calls; must be first */
    allot__cli *cli;
    const char *text; /* of the call, ended by a NUL */
    size_t len;
    allot__text answer; /* to it */
    double *samples;    /* s; room for `room` */
    int room;
    double took;    /* s, for the last document read or written */
    uint64_t *cold; /* memory that is read before a measurement, to empty the caches; NULL: not
                       needed yet */
    /* Inputs of cycles (cycle.c). */
    bench_memory memory;
    allot__text policy; /* of plans, instead of the ready-made ones; empty: none */
    allot_engine *engine;
    allot_plan *plan;
    allot_state *state;
    allot_trace *trace;
    allot_decision *decision; /* the last */
    uint64_t seed;            /* of changes */
    /* A service in a process of its own (service.c). */
    char folder[64], socket[80];
    pid_t service, readers; /* 0: none */
    bench_peer peers[BENCH_PEERS];
    int peer_count;
} bench;

/* A call with the text; adds to the answer, and returns an exit status. */
typedef int bench_call(bench *it);

/* ---- sample.c -------------------------------------------------------------------------------- */

double allot__bench_clock(void);
/* Reserves space for `count` samples; ENOMEM. */
int allot__bench_room(bench *it, int count);
/* Numbers of the answer. */
void allot__bench_number(bench *it, double number);
int allot__bench_answer(bench *it, int status, int count);

/* An allocator of an engine; `ud` is a bench_memory. */
void *allot__bench_count(void *ud, void *ptr, size_t old_size, size_t new_size);
/* If `words` have "cold": allocates and reads memory until it fills all caches. */
int allot__bench_cool(bench *it, const char *words);
/* "BYTES COUNT [cold]": s to read so many bytes, so often. */
bench_call allot__bench_stream;
void allot__bench_warm(bench *it);

/* ---- cycle.c --------------------------------------------------------------------------------- */

bench_call allot__bench_policy, allot__bench_plan, allot__bench_state, allot__bench_log;
/* "STAGE COUNT [cold]": s of cycles up to a stage. */
bench_call allot__bench_cycle;
/* s to seal a new state with the jobs of this one. */
bench_call allot__bench_seal;
/* The last cycle's decision as a document. */
bench_call allot__bench_decision;
/* "COUNT LEAVES PERCENT FULL": COUNT times LEAVES leaves demand up to PERCENT of twice what they
 * own; the number of full passes, and s from each change to its decision. FULL: all are full. */
bench_call allot__bench_changes;
/* "COUNT FULL APPLIES": COUNT times a pending job gets another priority, after the decision before
 * was carried out (APPLIES 1); s to seal and to decide, each. FULL: as above. */
bench_call allot__bench_jobs;
/* "RIGID COUNT": counts of a simulation of the log, and its s. */
bench_call allot__bench_play;
/* Bytes of plan, state and log without policies; and the most since the last such call. */
bench_call allot__bench_bytes;
void allot__bench_drop(bench *it);

/* ---- service.c ------------------------------------------------------------------------------- */

/* Makes a folder for a service, and returns its path. */
bench_call allot__bench_folder;
/* s of a bare commit and of a bare echo in the folder. */
bench_call allot__bench_limits;
bench_call allot__bench_commits;
/* "WATCHES": serves plan.json in the folder; returns the process, and ticks a second. */
bench_call allot__bench_serve;
/* Connects one more peer; disconnects all. */
bench_call allot__bench_connect, allot__bench_disconnect;
/* "PEER TEXT": adds to what a peer sends. */
bench_call allot__bench_send;
/* "MS": sends and receives, waiting up to MS for data; returns lines, each behind its peer's
 * number, or "closed". */
bench_call allot__bench_turn;
/* "0": ends the readers; else starts them. */
bench_call allot__bench_readers;
/* Ends the service and its peers, and removes the folder; CLI_IO: the service failed at its end. */
int allot__bench_end(bench *it);

#endif
