/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.h: jobs of a state: what is pending, running and suspended in queues. */
#ifndef ALLOT_JOB_H
#define ALLOT_JOB_H

#include <allot/queue.h>
#include <allot/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum allot_job_state {
    ALLOT_PENDING = 0,
    ALLOT_RUNNING,
    ALLOT_SUSPENDED, /* preempted, to be resumed on its hosts (P-26) */
    ALLOT_STOPPED,   /* suspended by its user: as above, but nobody resumes it */
    ALLOT_JOB_STATE_COUNT
} allot_job_state;
/* "pending", ...; NULL: no such. Static. */
ALLOT_API const char *allot_job_state_name(int state);

/* Slots of a job on a host. */
typedef struct allot_job_host {
    const char *host;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
} allot_job_host;

/* What a job holds of a resource while it runs or is suspended, or, pending, asks for. */
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
    const allot_job_host *hosts; /* none while pending; none also means the only host, where no more
                                    than one is known */
    int32_t host_count;
    int64_t submitted; /* INT64_MIN: not known, long ago */
    int64_t started;   /* when it last began to run: was started or resumed. INT64_MIN: not
                          known */
    int64_t ran;       /* s that it has run in all, until now; -1: since it was started, which of
                          one that is pending means not at all */
    int64_t suspended_for;                  /* s that it was suspended in all, until now */
    int64_t preempted;                      /* how often it was preempted before */
    int64_t priority;                       /* among its queue's jobs larger goes first; 0 */
    const char *user, *group, *application; /* NULL: none. `group` beside those that the plan puts
                                               its user in */
    int64_t run_limit;                      /* s; -1: its application's, or its queue's */
    int32_t flags;                          /* ALLOT_JOB_...: holds its hosts alone; runs on slots
                                               reserved for another; forced to run (P-8) */
    int32_t reserved_by; /* of backfill: the queue that holds the reservation; -1: not known */
    int64_t until;       /* ... and when its job is due; INT64_MAX: not known */
    /* Resizing (P-50 ... P-53): slots it wants more; beside its slots and hosts those that it was
     * given for that already (host NULL: the only one); and whether it is being told of them right
     * now. Nothing is given to what does not run. */
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
/* What a job is that states nothing: pending, of one slot. */
ALLOT_API void allot_job_init(allot_job *job);

/* Adds a job; everything is copied. EEXIST, ENAME, ERANGE, EUSAGE (no such queue or
 * resource, or one twice). States of plans
 * without queues have no jobs, of those with queues no tasks, sessions, loans and reclaims, and
 * their demand and allocated are their jobs' sums: EUSAGE. Hosts that nobody knows, and what else
 * does not fit together, sealing finds: its path is by documents' keys, "jobs[2].hosts". */
ALLOT_API int allot_state_job(allot_state *state, const allot_job *job);
/* The decayed slot-seconds of a queue, 0 ... 2^62, and millionths above; and the time at
 * which they were so many; not told: now. */
ALLOT_API int allot_state_usage(allot_state *state, int32_t queue, int64_t slot_seconds,
                                int32_t millionths);
ALLOT_API int allot_state_usage_at(allot_state *state, int64_t when);

/* When jobs were preempted for a resource last (P-36); not told: never. EUSAGE: no such. */
ALLOT_API int allot_state_resource_preempted(allot_state *state, int32_t resource, int64_t when);

/* What was added, in that order; borrowed until the next is added. */
ALLOT_API int32_t allot_state_jobs(const allot_state *state);
ALLOT_API int allot_state_job_at(const allot_state *state, int32_t i, allot_job *out);
/* The job of that id, or -1. */
ALLOT_API int32_t allot_state_job_find(const allot_state *state, const char *id);

#ifdef __cplusplus
}
#endif

#endif
