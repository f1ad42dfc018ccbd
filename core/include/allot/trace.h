/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * trace.h: logs of a cluster's jobs and demand, for simulations (simulate.h).
 *
 * Two formats are read, plain or compressed by gzip; their beginning shows which it is:
 *
 *  - the Standard Workload Format of the Parallel Workloads Archive: header comments
 *    `; Key: value`, then a job a line in 18 fields, -1 where a value is unknown;
 *  - an event log: JSON objects, one a line, each with `at` (Unix seconds) and `event`: "submit"
 *    (id, run, and as far as known slots, consumer, queue, session, priority, user, group,
 *    application, partition), "demand" (consumer, slots: wanted until the next such event), "slots"
 *    (slots, group: the actual size of a resource group), "host" (name, slots, closed: false,
 *    "drain" or "reclaim"). Events with other names are left out and counted.
 *
 * Reading is strict: a line in another format is an error with file and line. Decimals, which some
 * archives have in times, are cut. Records out of the order of time are sorted, with a warning. SWF
 * may also list parts of a job, lines of status 2, 3 and 4 behind the whole: they are left out and
 * counted.
 */
#ifndef ALLOT_TRACE_H
#define ALLOT_TRACE_H

#include <allot/state.h>

ALLOT_C_BEGIN

typedef struct allot_trace allot_trace;

/* Reads bytes of a log into buf, `size` at most, and returns how many; 0: the end; below 0: a
 * failure, with the reason in the report. */
typedef int64_t (*allot_trace_source)(void *ud, char *buf, size_t size);

/* Reads a log to its end; `file` is its name in diagnostics. EINVALID (report), EIO (the source's),
 * ENOMEM. The trace takes about 80 bytes per record, and its names. */
ALLOT_API int allot_trace_read(allot_engine *engine, allot_trace_source source, void *ud,
                               const char *file, allot_report *report, allot_trace **out);
ALLOT_API void allot_trace_free(allot_trace *trace);

typedef enum allot_record_kind {
    ALLOT_RECORD_SUBMIT = 0, /* a job arrives */
    ALLOT_RECORD_DEMAND,     /* a consumer wants `slots` from now on */
    ALLOT_RECORD_SLOTS,      /* a resource group has `slots` from now on */
    ALLOT_RECORD_HOST,       /* a host has `slots` and `closed` from now on */
    ALLOT_RECORD_KINDS
} allot_record_kind;

/* A name in an event log, or a number in SWF. */
typedef struct allot_record_name {
    const char *text; /* NULL: no name */
    int64_t number;   /* -1: no number */
} allot_record_name;

/* The contents of a line; unknown numbers are -1, and unknown names empty. */
typedef struct allot_record {
    allot_record_kind kind;
    int32_t line; /* of the file, from 1 */
    int64_t at;   /* Unix seconds; seconds since the log's start if the log does not state that */
    allot_record_name id; /* of a job; of a host its name */
    int64_t slots;        /* given, else asked for */
    int64_t run;          /* s that the job ran */
    int64_t requested;    /* s that the job asked for */
    int64_t waited;       /* s that the job waited, on the machine of the log */
    int64_t status;       /* SWF's: 1 completed, 0 failed, 5 cancelled */
    int64_t priority;     /* INT64_MIN: unknown */
    allot_record_name user, group, queue, partition, application;
    const char *consumer, *session; /* only in event logs; NULL: unknown */
    allot_closed closed;
} allot_record;

/* Records in the order of time, and of the file. EUSAGE: no such. Borrowed from the trace. */
ALLOT_API int32_t allot_trace_records(const allot_trace *trace);
ALLOT_API int allot_trace_record(const allot_trace *trace, int32_t i, allot_record *out);
/* The number of events of other names, and of parts of jobs, that were left out. */
ALLOT_API int32_t allot_trace_others(const allot_trace *trace);
/* The file's name, as the caller gave it. */
ALLOT_API const char *allot_trace_file(const allot_trace *trace);
/* The value of an SWF header comment, "128" for "MaxProcs"; NULL: no such comment. */
ALLOT_API const char *allot_trace_header(const allot_trace *trace, const char *key);
/* The name that an SWF header gives queue `number`: "; Queue: 1 batch"; NULL: none. */
ALLOT_API const char *allot_trace_queue(const allot_trace *trace, int64_t number);

ALLOT_C_END

#endif
