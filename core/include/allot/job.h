/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.h: jobs of a state: what is pending, running and suspended in queues. */
#ifndef ALLOT_JOB_H
#define ALLOT_JOB_H

#include <allot/queue.h>
#include <allot/state.h>

ALLOT_C_BEGIN

typedef enum allot_job_state {
    ALLOT_PENDING = 0,
    ALLOT_RUNNING,
    ALLOT_SUSPENDED, /* preempted, to be resumed on its hosts (P-26) */
    ALLOT_STOPPED,   /* suspended by its user: as above, but no cycle resumes it */
    ALLOT_JOB_STATE_COUNT
} allot_job_state;
/* "pending", ...; NULL: no such. Static. */
ALLOT_API const char *allot_job_state_name(int state);

/* Slots of a job on a host. */
typedef struct allot_job_host {
    const char *host;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
} allot_job_host;

/* The amount of a resource that a running or suspended job holds, or a pending job asks for. */
typedef struct allot_job_resource {
    int32_t resource; /* as allot_plan_resource_find numbers it */
    int64_t amount;   /* 0 ... ALLOT_AMOUNT_MAX */
} allot_job_resource;

enum { ALLOT_JOB_EXCLUSIVE = 1, ALLOT_JOB_BACKFILL = 2, ALLOT_JOB_FORCED = 4 };

typedef struct allot_job {
    const char *id; /* unique among jobs and tasks, 1 ... 255 bytes */
    int32_t queue;  /* as allot_plan_queue_find numbers it */
    allot_job_state state;
    int64_t slots;               /* 1 ... ALLOT_AMOUNT_MAX; of a job with hosts their sum */
    const allot_job_host *hosts; /* none while pending; none also means the only host, if no more
                                    than one is known */
    int32_t host_count;
    int64_t submitted; /* INT64_MIN: unknown, long ago */
    int64_t started;   /* when it was last started or resumed. INT64_MIN: unknown */
    int64_t ran;       /* s that it has run in all, until `since`; -1: the time since `started`, for
                          a pending job 0 */
    int64_t suspended_for; /* s that it was suspended in all, until `since` */
    int64_t since;         /* INT64_MIN: now, whenever that is */
    int64_t begin;         /* pending: it is not started before; INT64_MIN: at any time */
    int64_t preempted;     /* how often it was preempted before */
    int64_t priority;      /* among its queue's jobs larger goes first; 0 */
    const char *user, *group, *application; /* NULL: none. `group` is beside the groups in which the
                                               plan has the user */
    int64_t run_limit;                      /* s; -1: its application's, or its queue's */
    int32_t flags;                          /* ALLOT_JOB_...: EXCLUSIVE has its hosts to itself,
                                               BACKFILL runs on slots reserved for another job,
                                               FORCED was forced to run (P-8) */
    int32_t reserved_by; /* of backfill: the queue that holds the reservation; -1: unknown */
    int64_t until;       /* ... and the time when the reservation is due; INT64_MAX: unknown */
    /* Resizing (P-50 ... P-53). `grow`: how many more slots the job wants; `grown`: slots that it
     * was given for this already, which `slots` and `hosts` do not count (host NULL: the only
     * one); `notifying`: whether the job is being notified of them now. Only running jobs grow. */
    int64_t grow;
    const allot_job_host *grown;
    int32_t grown_count;
    int32_t notifying;
    int32_t tag_count, value_count;
    const char *const *tags;
    const allot_task_value *values;
    const allot_job_resource *resources; /* each of them once */
    int32_t resource_count;
} allot_job;
/* Sets every member to its default: pending, one slot. */
ALLOT_API void allot_job_init(allot_job *job);

/* Adds a job; everything is copied. EEXIST, ENAME, ERANGE, EUSAGE (no such queue or resource, or
 * one twice; a plan without queues). A state of a plan with queues has no tasks, sessions, loans
 * and reclaims (EUSAGE); demand and allocated of its queues are the sums of their jobs. Sealing
 * finds unknown hosts and other contradictions; its diagnostics have paths like documents',
 * "jobs[2].hosts". */
ALLOT_API int allot_state_job(allot_state *state, const allot_job *job);
/* The decayed slot-seconds of a queue, 0 ... 2^62, and millionths beyond them, at the time
 * of allot_state_usage_at. */
ALLOT_API int allot_state_usage(allot_state *state, int32_t queue, int64_t slot_seconds,
                                int32_t millionths);

/* The last time when jobs were preempted for a resource (P-36), by default never. EUSAGE: no such.
 */
ALLOT_API int allot_state_resource_preempted(allot_state *state, int32_t resource, int64_t when);

/* The jobs in the order of adding, as state.h has other lists. */
ALLOT_API int32_t allot_state_jobs(const allot_state *state);
ALLOT_API int allot_state_job_at(const allot_state *state, int32_t i, allot_job *out);
/* The job of that id, or -1. */
ALLOT_API int32_t allot_state_job_find(const allot_state *state, const char *id);

ALLOT_C_END

#endif
