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
/* Times reading `bytes` bytes of memory, `count` times; ALLOT_ENOMEM. `cold`: NULL, or memory that
 * is read before each time, so that no cache holds the bytes. */
typedef struct bench_cold bench_cold;
int allot__bench_stream(allot_engine *engine, size_t bytes, const bench_cold *cold, double *samples,
                        int count);
/* More memory than any cache holds, and reading it; ALLOT_ENOMEM. */
int allot__bench_cold_new(allot_engine *engine, bench_cold **out);
void allot__bench_cool(const bench_cold *cold);
void allot__bench_cold_free(allot_engine *engine, bench_cold *cold);
/* "model name" or "flags" of the first processor; "" when unknown. */
void allot__bench_machine(const char *key, char *buf, size_t size);

/* ---- What was measured (list.c) ----------------------------------------------------------------
 */

#define BENCH_COLUMNS 14
#define BENCH_ROWS    16

/* Of a number, `best` alone is there; of a time, a table has the best and, in brackets, the median,
 * or the best alone. */
typedef enum bench_kind { BENCH_NUMBER, BENCH_TIME, BENCH_BEST } bench_kind;

/* A value of each row. */
typedef struct bench_column {
    const char *key;   /* as a member */
    const char *title; /* in the table, NULL: not there; ... */
    double scale;      /* ... where the value is multiplied by this, ... */
    int digits;        /* ... and has so many behind the point */
    bench_kind kind;
} bench_column;

/* Rows of values: a table for people, and a list of objects. */
typedef struct bench_list {
    const char *key;             /* as a member */
    const char *title;           /* above the table */
    const char *named;           /* above the rows' names; NULL: they have none */
    const bench_column *columns; /* the last has no key */
    bool single;                 /* an object rather than a list of them */
    int rows;
    const char *names[BENCH_ROWS];
    bench_time cells[BENCH_ROWS][BENCH_COLUMNS];
} bench_list;

/* A new row, all 0; `name` may be NULL. */
bench_time *allot__bench_row(bench_list *list, const char *name);
bench_time allot__bench_number(double value);
bench_time allot__bench_scaled(bench_time time, double by);
/* Nothing, of a list without rows. */
void allot__bench_text(bench_list *list, allot__text *out);
void allot__bench_json(const bench_list *list, allot__text *out);

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Each of these adds rows; `samples` has room for `repeat`. */

/* Documents in, cycle, document out, on the tree of a shape (path.c). */
int allot__bench_path(allot__cli *cli, const bench_shape *shape, int repeat, bench_list *list);
extern const bench_column allot__bench_path_columns[];
/* Choosing which tasks go (victims.c). */
int allot__bench_victims(allot__cli *cli, double *samples, int repeat, bench_list *list);
extern const bench_column allot__bench_victims_columns[];
/* Whole cycles on the sites that a shape asks for: all by NULL and "queues", one by "queues/NAME";
 * is that a shape? And the state of the first site as a document (queues.c). */
bool allot__bench_queues_are(const char *shape);
int allot__bench_queues(allot__cli *cli, double *samples, int repeat, bench_list *list,
                        bench_list *documents);
extern const bench_column allot__bench_queues_columns[], allot__bench_queue_path_columns[];
/* A log played through a plan (simulate.c). */
int allot__bench_simulate(allot__cli *cli, double *samples, int repeat, bench_list *list);
extern const bench_column allot__bench_simulate_columns[];
/* A log, and plans to play it through. */
typedef struct bench_log {
    int (*plan)(allot_engine *engine, int which, allot_report *report, allot_plan **out);
    int64_t (*pull)(void *ud, char *buf, size_t size);
    void *ud;
    int32_t rigid; /* its jobs are */
} bench_log;
int allot__bench_play(allot__cli *cli, const bench_log *log, int which, double *samples, int repeat,
                      bench_time *row);
/* Cycles that go on from those before: "changes", "changes/TREE"; is that a shape? (changes.c) */
bool allot__bench_changes_are(const char *shape);
int allot__bench_changes(allot__cli *cli, bench_list *list);
extern const bench_column allot__bench_changes_columns[];
/* Rigid jobs on a grid that is overloaded, under the plans that a shape asks for: all by "rigid",
 * one by "rigid/NAME"; is that a shape? (rigid.c) */
bool allot__bench_rigid_is(const char *shape);
int allot__bench_rigid(allot__cli *cli, double *samples, int repeat, bench_list *list);

/* A plan with queues and a state with jobs (site.c). */
typedef struct bench_site {
    const char *name, *victims, *fewest; /* Lua, NULL: as in the policy preemption */
    int32_t slots, hosts;                /* of a host; of a queue, 0: all */
    int32_t width;                       /* the most slots of a job that runs; 0: 1 */
    int32_t least, want;                 /* slots of what preempts: from the one up to both */
    bool pools, limits, all;
} bench_site;

/* Every site; the last has no name. */
extern const bench_site allot__bench_sites[];
int allot__bench_build(bench_tree *tree, const bench_site *site, allot_report *report);

#endif
