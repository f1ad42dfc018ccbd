/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bench.h: what the parts of the verb `bench` share. */
#ifndef ALLOT_BENCH_BENCH_H
#define ALLOT_BENCH_BENCH_H

#include "cli/term/cli.h"

#define BENCH_LEVELS 3

typedef struct bench_shape {
    const char *name;
    int fan[BENCH_LEVELS]; /* children of a node, level by level; 0: no such level */
    int percent;           /* actual size T in percent of the planned size C */
} bench_shape;

/* Every shape; the last has no name. */
extern const bench_shape allot__bench_shapes[];

/* What the allocator under a tree counts. */
typedef struct bench_memory {
    int64_t live, most;
} bench_memory;

/* A generated plan with its state, in an engine of their own. Zero it to begin. */
typedef struct bench_tree {
    bench_memory memory;
    allot_engine *engine;
    allot_plan *plan;
    allot_state *state;
    int32_t consumers;
    int64_t bytes;  /* live after loading; of a site its state's */
    double sealing; /* s, of a site's state */
} bench_tree;

/* An allocator of an engine; `ud` is a bench_memory. */
void *allot__bench_count(void *ud, void *ptr, size_t old_size, size_t new_size);
/* Makes the tree of a shape under a policy; the same tree every time. */
int allot__bench_grow(bench_tree *tree, const bench_shape *shape, const char *policy,
                      size_t policy_len, const char *policy_name, allot_report *report);
void allot__bench_fell(bench_tree *tree);

/* Samples in seconds. */
typedef struct bench_time {
    double best, median;
} bench_time;

double allot__bench_clock(void);
/* Sorts the samples. */
bench_time allot__bench_summary(double *samples, int count);
/* Times reading `bytes` bytes of memory, `count` times; ALLOT_ENOMEM. `cold`: NULL, or what is read
 * before each time, so that nothing of them is left in a cache. */
typedef struct bench_cold bench_cold;
int allot__bench_stream(allot_engine *engine, size_t bytes, const bench_cold *cold, double *samples,
                        int count);
/* More memory than any cache holds, and reading it; ALLOT_ENOMEM. */
int allot__bench_cold_new(allot_engine *engine, bench_cold **out);
void allot__bench_cool(const bench_cold *cold);
void allot__bench_cold_free(allot_engine *engine, bench_cold *cold);
/* "model name" or "flags" of the first processor; "" when unknown. */
void allot__bench_machine(const char *key, char *buf, size_t size);

typedef struct bench_row {
    const bench_shape *shape;
    int32_t consumers;
    bench_time quota;     /* need and quota */
    bench_time cycle;     /* and distribution and reclaim */
    bench_time orders;    /* and the lists to carry out: all of allot_cycle */
    bench_time script[2]; /* `cycle` with one Lua function; with one that calls another */
    bench_time stream;
    int64_t bytes;
} bench_row;

typedef struct bench_path {
    int32_t consumers;
    size_t plan_bytes, state_bytes, decision_bytes;
    bench_time plan, state, cycle, write;
} bench_path;

/* Times documents in, cycle, document out, on the tree of a shape. */
int allot__bench_path(allot__cli *cli, const bench_shape *shape, int repeat, bench_path *out);

/* Which tasks go, of how many. */
#define BENCH_VICTIMS 2
typedef struct bench_victims {
    int32_t tasks, going;
    bench_time order[2]; /* by three built-in keys; by one that Lua computes */
    bench_time cold;     /* by three, none of the tasks being in a cache; */
    bench_time stream;   /* ... and likewise reading what decides once */
} bench_victims;

/* Times choosing; `samples` has room for `repeat`, `out` for BENCH_VICTIMS. */
int allot__bench_victims(allot__cli *cli, double *samples, int repeat, bench_victims *out);

/* A plan with queues and a state with jobs (site.c). */
typedef struct bench_site {
    const char *name, *victims, *fewest; /* Lua, NULL: as in the policy preemption */
    int32_t slots, hosts;                /* of a host; of a queue, 0: all */
    int32_t width;                       /* the most slots of a job that runs; 0: 1 */
    int32_t least, want;                 /* slots of what preempts: from the one up to both */
    bool pools, limits, all;
} bench_site;

/* Every site; the last has no name. */
#define BENCH_SITES 10
extern const bench_site allot__bench_sites[];
int allot__bench_build(bench_tree *tree, const bench_site *site, allot_report *report);

/* Whole cycles on a site. */
typedef struct bench_queues_row {
    const bench_site *site;
    int32_t jobs, orders[ALLOT_ORDER_COUNT];
    bench_time warm, cold;      /* cold: nothing of the state being in a cache; */
    bench_time stream;          /* ... and likewise reading its bytes once */
    int64_t bytes, cycle_bytes; /* of the state; what a cycle takes beside it, at its most */
} bench_queues_row;

/* The state of the first site as a document. */
typedef struct bench_queues_path {
    int32_t jobs;
    size_t state_bytes, decision_bytes;
    bench_time read, seal, write;
} bench_queues_path;

typedef struct bench_queues {
    bench_queues_row rows[BENCH_SITES];
    int count;
    bench_queues_path path;
    bool has_path;
} bench_queues;

/* Times the sites that a shape asks for: all by NULL and "queues", one by "queues/NAME"; is that a
 * shape? `samples` has room for `repeat`. */
bool allot__bench_queues_are(const char *shape);
int allot__bench_queues(allot__cli *cli, double *samples, int repeat, bench_queues *out);
void allot__bench_queues_text(const bench_queues *from, allot__text *out);
void allot__bench_queues_json(const bench_queues *from, allot__text *out);

/* A log played through a plan (simulate.c). */
#define BENCH_SIMULATE 3
typedef struct bench_simulated {
    const char *name;
    int32_t jobs;
    int64_t events, cycles, kills;
    bench_time run, stream; /* s: playing it; reading 64 bytes a job */
    int64_t bytes;          /* of log and simulation, at their most */
} bench_simulated;

/* `samples` has room for `repeat`, `out` for BENCH_SIMULATE. */
int allot__bench_simulate(allot__cli *cli, double *samples, int repeat, bench_simulated *out);
void allot__bench_simulate_text(const bench_simulated *rows, allot__text *out);
void allot__bench_simulate_json(const bench_simulated *rows, allot__text *out);

#endif
