/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * trace.h: logs of what a cluster was asked for, to be simulated (simulate.h).
 *
 * Two formats are read, plain or compressed by gzip, and told apart by how they begin:
 *
 *  - the Standard Workload Format of the Parallel Workloads Archive: header comments
 *    `; Key: value`, then a job a line in 18 fields, -1 where a value is unknown;
 *  - an event log: JSON objects, one a line, each with `at` (Unix seconds) and `event`: "submit"
 *    (id, run, and as far as known slots, consumer, queue, session, priority, user, group,
 *    application, partition), "demand" (consumer, slots: wanted from now on, until it is said
 *    anew), "slots" (slots, group: the actual size of a resource group), "host" (name, slots,
 *    closed: false, "drain" or "reclaim"). Events with other names are left out and counted.
 *
 * Reading is strict: what is not the format is an error with file and line. Decimals, as some
 * archives have them in times, are cut. Records that stand out of the order of time are put into
 * it, with a warning. Of a job that SWF tells of in parts too (the lines of status 2, 3 and 4 that
 * follow the whole) the parts are left out and counted.
 */
#ifndef ALLOT_TRACE_H
#define ALLOT_TRACE_H

#include <allot/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct allot_trace allot_trace;

/* Where the bytes of a log come from: fills at most `size` of buf and returns how many it gave; 0:
 * there are no more; below 0: it cannot be read (and the report says why). */
typedef int64_t (*allot_trace_source)(void *ud, char *buf, size_t size);

/* Reads a log to its end; `file` names it in diagnostics. EINVALID (report), EIO (the source's),
 * ENOMEM. The trace takes about 80 bytes a record, and the names in it. */
ALLOT_API int allot_trace_read(allot_engine *engine, allot_trace_source source, void *ud,
                               const char *file, allot_report *report, allot_trace **out);
ALLOT_API void allot_trace_free(allot_trace *trace);

typedef enum allot_record_kind {
    ALLOT_RECORD_SUBMIT = 0, /* a job arrives */
    ALLOT_RECORD_DEMAND,     /* a consumer wants `slots` from now on */
    ALLOT_RECORD_SLOTS,      /* a resource group has `slots` from now on */
    ALLOT_RECORD_HOST,       /* a host is as told from now on */
    ALLOT_RECORD_KINDS
} allot_record_kind;

/* Who or what, by name in event logs and by number in SWF. */
typedef struct allot_record_name {
    const char *text; /* NULL: it has none */
    int64_t number;   /* -1: it has none */
} allot_record_name;

/* What a line says; numbers are -1, and names empty, where it is not known. */
typedef struct allot_record {
    allot_record_kind kind;
    int32_t line; /* of the file, from 1 */
    int64_t at;   /* Unix seconds; seconds since the log's start, if it does not tell that */
    allot_record_name id; /* of a job; of a host its name */
    int64_t slots;        /* given, else asked for */
    int64_t run;          /* s that it ran */
    int64_t requested;    /* s that it asked for */
    int64_t waited;       /* s that it waited, on the machine of the log */
    int64_t status;       /* SWF's: 1 completed, 0 failed, 5 cancelled */
    int64_t priority;     /* INT64_MIN: not told */
    allot_record_name user, group, queue, partition, application;
    const char *consumer, *session; /* event logs' own; NULL: not told */
    allot_closed closed;
} allot_record;

/* Records in the order of time, and of the file. EUSAGE: there is no such. Borrowed from the
 * trace. */
ALLOT_API int32_t allot_trace_records(const allot_trace *trace);
ALLOT_API int allot_trace_record(const allot_trace *trace, int32_t i, allot_record *out);
/* Events of other names, and parts of jobs, that were left out. */
ALLOT_API int32_t allot_trace_others(const allot_trace *trace);
/* As the caller named the file. */
ALLOT_API const char *allot_trace_file(const allot_trace *trace);
/* A header comment of SWF, "128" of "MaxProcs"; NULL: it has none of that name. */
ALLOT_API const char *allot_trace_header(const allot_trace *trace, const char *key);
/* The name that an SWF header gives queue `number`: "; Queue: 1 batch"; NULL: none. */
ALLOT_API const char *allot_trace_queue(const allot_trace *trace, int64_t number);

#ifdef __cplusplus
}
#endif

#endif
