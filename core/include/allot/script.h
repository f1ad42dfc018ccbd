/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * script.h: policies written in Lua.
 *
 * A policy file returns one table made by `policy { ... }`. It runs in a sandbox of its own: no
 * I/O, no clock, no loading of code, no addresses, under a memory cap and an instruction budget.
 * The script proposes; the core checks what it says and keeps its invariants whatever it is.
 * The sandbox protects against mistakes and runaway scripts; for hostile authors use a process.
 *
 * This header needs no lua.h.
 */
#ifndef ALLOT_SCRIPT_H
#define ALLOT_SCRIPT_H

#include <allot/allot.h>
#include <allot/json.h>
#include <allot/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a policy's script has used so far at most. */
typedef struct allot_script_meter {
    int64_t instructions; /* of 1000 rows of a function: what they would take as its dearest call
                             went; of functions without loops and calls nothing is counted */
    int64_t loading;      /* instructions */
    int64_t memory;       /* bytes at once */
} allot_script_meter;

/* The time that functions of policies may take together, cycle by cycle. There is no clock in here:
 * whoever has one lends it. Zero it to begin; one may be of several policies that decide together,
 * and lives as long as they. */
typedef struct allot_script_time {
    int64_t (*clock)(void *ud); /* microseconds that only go forward; it must not call back */
    void *ud;
    int64_t limit, end; /* behind `end` functions fail (EBUDGET, E-cycle-limit); limit 0: never */
    int64_t round;      /* how often it was begun */
    /* Which function took most of this round, and how much; NULL: none was measured. Of those
     * without loops and calls short batches are not. Borrowed from its policy. */
    const char *file, *role;
    int32_t line;
    int64_t most;
} allot_script_time;

/* What a script may use by default. */
#define ALLOT_SCRIPT_MEMORY       (64 * 1024 * 1024)
#define ALLOT_SCRIPT_INSTRUCTIONS 10000000

/* What a script may use. Zero in a field: its default. */
typedef struct allot_script_limits {
    int64_t memory;       /* bytes of Lua memory; default 64 MiB; loading and every cycle alike */
    int64_t instructions; /* per load, and per 1000 rows of a function; default 10 million;
                             -1: no budget, for trusted policies */
    allot_script_meter *meter; /* written to as long as the policy lives; NULL: nowhere */
    allot_script_time *time;   /* likewise; NULL: as long as it takes */
    /* Told of every line that the policy prints or logs: the file, the line that does, "print" or
     * "log", and the text, borrowed. After 100 lines in one load or one batch of rows the rest is
     * counted, and the count told. NULL: dropped. It must not call into the engine. */
    void (*say)(void *ud, const char *chunk, int32_t line, const char *level, const char *text);
    void *say_ud;
    /* Told of every line of the policy's own file that runs: the file, the line, and the line where
     * the function begins that it is of (0: the file itself). It slows policies down, and what they
     * may use means the same. NULL: nobody is told. It must not call into the engine. */
    void (*ran)(void *ud, const char *chunk, int32_t line, int32_t function);
    void *ran_ud;
} allot_script_limits;

/* From now on functions may take so many microseconds together; 0: as long as they take. */
ALLOT_API void allot_script_time_begin(allot_script_time *time, int64_t limit);

/* Loads a policy from text: `chunk` names it in messages ("site/fair.lua"). Text only, at most
 * 1 MiB. Options are those of a plan (may be NULL, 0). EPOLICY with diagnostics, EBUDGET, ENOMEM.
 * The policy holds its Lua state, which ends with it. */
ALLOT_API int allot_script_load(allot_engine *engine, const char *text, size_t len,
                                const char *chunk, const allot_use_option *options, int32_t count,
                                const allot_script_limits *limits, allot_report *report,
                                allot_policy **out);

/*
 * What a trace's records become (simulate.h), said in Lua: a file that returns a function of a job.
 * Its fields are id, at, slots, run, requested, waited, status, priority, user, group, queue,
 * partition, application, consumer, session; nil where the trace does not tell. It returns a table
 * of what is to be otherwise: consumer (a path), queue, group, session, priority, slots, run,
 * rigid; or a text, which is the consumer or queue; nothing: as if it had not been asked; false:
 * the job is left out. It runs in a policy's sandbox; the budget is that of one row.
 */
typedef struct allot_script_map allot_script_map;
ALLOT_API int allot_script_map_new(allot_engine *engine, const char *text, size_t len,
                                   const char *chunk, const allot_script_limits *limits,
                                   allot_report *report, allot_script_map **out);
ALLOT_API void allot_script_map_free(allot_script_map *map);
/* An allot_record_map; `map` is an allot_script_map. ESCRIPT, EBUDGET (report), ENOMEM. */
ALLOT_API int allot_script_map_record(void *map, const allot_trace *trace,
                                      const allot_record *record, allot_mapped *out,
                                      allot_report *report);

/* The SHA-256 of a text, as 64 hexadecimal digits and a NUL: what policies are known by. */
ALLOT_API void allot_sha256(const void *text, size_t len, char out[65]);

/* Ready-made policies, built in: how many, the i-th's name ("hybrid"), and the text of one by name
 * (NULL: unknown). Static. */
ALLOT_API int32_t allot_ready_policies(void);
ALLOT_API const char *allot_ready_policy_name(int32_t i);
ALLOT_API const char *allot_ready_policy_text(const char *name, size_t *len);

/*
 * The loader that plans use: ready-made names, and .lua files relative to the plan. Reads files.
 * `loader->ud` is allocated from the engine; end it with allot_script_loader_free before the
 * engine. limits may be NULL.
 */
ALLOT_API int allot_script_loader_new(allot_engine *engine, const allot_script_limits *limits,
                                      allot_policy_loader *loader);
ALLOT_API void allot_script_loader_free(allot_engine *engine, allot_policy_loader *loader);

/* A configuration file of LSF (lsb.queues, lsb.params, lsb.hosts, lsb.applications, lsb.resources,
 * lsb.users), as its text: which sections are in it tells what it is. */
typedef struct allot_lsf_file {
    const char *name; /* for notes */
    const char *text;
    size_t len;
} allot_lsf_file;
/* Told of each line, and of each part of one, that a plan cannot say; borrowed. */
typedef void (*allot_lsf_note)(void *ud, const allot_diagnostic *finding);
/* Writes the plan that files of LSF come to, and tells what it could not carry over
 * (ALLOT_WARNING), in the order of the files. EINVALID: no plan comes of them, or one that
 * allot_plan_read refuses; nothing is written, and `note` is told why (ALLOT_ERROR), each where it
 * stands in the files. ENOMEM, EIO (the sink's), EBUDGET, ESCRIPT. */
ALLOT_API int allot_lsf_import(allot_engine *engine, const allot_lsf_file *files, int32_t n,
                               allot_sink sink, void *sink_ud, allot_lsf_note note, void *note_ud);

#ifdef __cplusplus
}
#endif

#endif
