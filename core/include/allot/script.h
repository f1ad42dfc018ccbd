/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * script.h: policies written in Lua.
 *
 * A policy file returns one table made by `policy { ... }`. It runs in a sandbox of its own: no
 * I/O, no clock, no loading of code, no addresses, with a memory cap and an instruction budget. The
 * core checks what a script returns, and keeps its own invariants under every script. The sandbox
 * protects against mistakes and runaway scripts; for hostile authors use a process.
 *
 * This header needs no lua.h.
 */
#ifndef ALLOT_SCRIPT_H
#define ALLOT_SCRIPT_H

#include <allot/allot.h>
#include <allot/json.h>
#include <allot/simulate.h>

ALLOT_C_BEGIN

/* The most that a policy's script has used so far. */
typedef struct allot_script_meter {
    int64_t instructions; /* for 1000 rows of a function, if each row took as many as the dearest
                             call; functions without loops and calls are not counted */
    int64_t loading;      /* instructions */
    int64_t memory;       /* bytes at once */
} allot_script_meter;

/* What a function of a policy has taken so far. Some of its batches of rows are measured; they
 * stand for the rows in between. */
typedef struct allot_script_function {
    const struct allot_script_function *next;
    const char *file, *role;
    int32_t line;
    int64_t batches, rows, taken; /* taken: nanoseconds */
    int64_t waiting;              /* rows that the next measured batch stands for */
} allot_script_function;

/* The time that functions of policies may take together, cycle by cycle. The caller gives the
 * clock. Zero the struct to begin. Several policies that decide together may share one, which must
 * outlive them. */
typedef struct allot_script_time {
    int64_t (*clock)(void *ud); /* microseconds that only go forward; must not call back */
    void *ud;
    int64_t limit, end; /* after `end` functions fail (EBUDGET, E-cycle-limit); limit 0: never */
    int64_t round;      /* the number of allot_script_time_begin calls */
    /* The function that took most of this round, and its microseconds; NULL: none was measured.
     * Short batches of functions without loops and calls are not measured. Borrowed from the
     * function's policy. */
    const char *file, *role;
    int32_t line;
    int64_t most;
    int64_t (*work)(void); /* the thread's processor time in nanoseconds; NULL: none is measured */
    const allot_script_function *functions; /* those that ran; the policies' */
} allot_script_time;

/* Default limits of a script. */
#define ALLOT_SCRIPT_MEMORY       (64 * 1024 * 1024)
#define ALLOT_SCRIPT_INSTRUCTIONS 10000000

/* Limits of a script. 0 in a field: its default. */
typedef struct allot_script_limits {
    int64_t memory;       /* bytes of Lua memory; default 64 MiB; loading and every cycle alike */
    int64_t instructions; /* per load, and per 1000 rows of a function; default 10 million;
                             -1: no budget, for trusted policies */
    allot_script_meter *meter; /* written to while the policy lives; NULL: no meter */
    allot_script_time *time;   /* likewise; NULL: no limit on time */
    /* Gets every line that the policy prints or logs: the file, the line of the call, "print" or
     * "log", and the text, borrowed. After 100 lines in one load or one batch of rows, `say` gets
     * only the number of the others. NULL: lines are dropped. Must not call into the engine. */
    void (*say)(void *ud, const char *chunk, int32_t line, const char *level, const char *text);
    void *say_ud;
    /* Gets every line of the policy's own file that runs: the file, the line, and the line where
     * its function begins (0: the file itself). This slows policies down; limits mean the same.
     * NULL: lines are not counted. Must not call into the engine. */
    void (*ran)(void *ud, const char *chunk, int32_t line, int32_t function);
    void *ran_ud;
} allot_script_limits;

/* Begins a round in which functions may take `limit` microseconds together; 0: no limit. */
ALLOT_API void allot_script_time_begin(allot_script_time *time, int64_t limit);

/* Loads a policy from text; `chunk` is its name in messages ("site/fair.lua"). Text only, no
 * bytecode, at most 1 MiB. Options are those of a plan (may be NULL, 0). EPOLICY with diagnostics,
 * EBUDGET, ENOMEM. The policy owns its Lua state. */
ALLOT_API int allot_script_load(allot_engine *engine, const char *text, size_t len,
                                const char *chunk, const allot_use_option *options, int32_t count,
                                const allot_script_limits *limits, allot_report *report,
                                allot_policy **out);

/*
 * A map of a trace's records (simulate.h) in Lua: a file that returns a function of a job. Fields
 * of the job are id, at, slots, run, requested, waited, status, priority, user, group, queue,
 * partition, application, consumer, session; nil if the trace does not state them. The function
 * returns a table of changes: consumer (a path), queue, group, session, priority, slots, run,
 * run_limit, rigid; or a text, the consumer or queue; or nothing: no change; or false: the job is
 * left out. The function runs in a policy's sandbox, with the budget of one row.
 */
typedef struct allot_script_map allot_script_map;
ALLOT_API int allot_script_map_new(allot_engine *engine, const char *text, size_t len,
                                   const char *chunk, const allot_script_limits *limits,
                                   allot_report *report, allot_script_map **out);
ALLOT_API void allot_script_map_free(allot_script_map *map);
/* An allot_record_map; `map` is an allot_script_map; trace may be NULL. ESCRIPT, EBUDGET (report),
 * ENOMEM. */
ALLOT_API int allot_script_map_record(void *map, const allot_trace *trace,
                                      const allot_record *record, allot_mapped *out,
                                      allot_report *report);

/* The SHA-256 of a text, as 64 hexadecimal digits and a NUL; it identifies policies. */
ALLOT_API void allot_sha256(const void *text, size_t len, char out[65]);

/* The ready-made policies, which are built in: their number, the i-th's name ("hybrid"), and a
 * policy's text by name (NULL: unknown). Static. */
ALLOT_API int32_t allot_ready_policies(void);
ALLOT_API const char *allot_ready_policy_name(int32_t i);
ALLOT_API const char *allot_ready_policy_text(const char *name, size_t *len);

/*
 * Makes the usual loader of plans: ready-made names, and .lua files relative to the plan. It reads
 * files. `loader->ud` is allocated from the engine; call allot_script_loader_free before freeing
 * the engine. limits may be NULL.
 */
ALLOT_API int allot_script_loader_new(allot_engine *engine, const allot_script_limits *limits,
                                      allot_policy_loader *loader);
ALLOT_API void allot_script_loader_free(allot_engine *engine, allot_policy_loader *loader);

/* The text of a configuration file of LSF (lsb.queues, lsb.params, lsb.hosts, lsb.applications,
 * lsb.resources, lsb.users); its sections show which file it is. */
typedef struct allot_lsf_file {
    const char *name; /* for notes */
    const char *text;
    size_t len;
} allot_lsf_file;
/* Gets each line, or part of a line, that a plan cannot state; borrowed. */
typedef void (*allot_lsf_note)(void *ud, const allot_diagnostic *finding);
/* Writes the plan that files of LSF state. `note` gets what could not be carried over
 * (ALLOT_WARNING), in the order of the files. EINVALID: the files state no plan, or one that
 * allot_plan_read refuses; nothing is written, and `note` gets the reasons (ALLOT_ERROR) with their
 * places in the files. ENOMEM, EIO (the sink's), EBUDGET, ESCRIPT. */
ALLOT_API int allot_lsf_import(allot_engine *engine, const allot_lsf_file *files, int32_t n,
                               allot_sink sink, void *sink_ud, allot_lsf_note note, void *note_ud);

ALLOT_C_END

#endif
