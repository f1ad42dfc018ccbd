/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * resource.h: resources of a cluster, and how much of them jobs hold (P-42, P-36).
 *
 * A job that runs, is suspended or was stopped holds what it asked for, and releases it when it
 * ends. A pending job fits if all that it asks for is left; a job being resumed has it already.
 *
 * What a queue wants of a slice (allot__bounds_wants) ignores resources: jobs that wait for one
 * count.
 *
 * Jobs may be preempted for a lacking resource if the plan says so. Victims are jobs that hold some
 * of it and end when they are preempted. Once a cycle preempted for a resource, no later cycle does
 * so until PREEMPTION_WAIT_TIME is over; within one cycle any number of jobs may.
 */
#ifndef ALLOT_ENGINE_JOBS_LIMITS_RESOURCE_H
#define ALLOT_ENGINE_JOBS_LIMITS_RESOURCE_H

#include <allot/dispatch.h>

#include "engine/rows/work.h"
#include "model/state/job.h"

typedef struct allot__resources {
    const allot__work *work;
    int32_t count;
    int64_t *used;         /* by resource: what jobs hold */
    int64_t *kept;         /* ... what reservations keep while a job is tried (allowance.c) */
    int64_t *helps;        /* ... what preemption candidates would release */
    int64_t *told_at;      /* the last preemption for it, from the state; INT64_MIN: never */
    int64_t *preempted_at; /* ... and by now */
    uint8_t *wanting;      /* nonzero: the job that was last checked lacked it */
} allot__resources;

/* Counts what the state's jobs hold; *out is NULL where the plan has no resources. ENOMEM. */
int allot__resources_make(const allot__work *work, allot__resources **out);
/* Does the job ask for any resource? */
static inline bool allot__resources_asks(const allot__resources *resources, int32_t job)
{
    return allot__job_rest_of(resources->work->state->jobs, job)->ask_count > 0;
}
/* Is there enough of all for a pending job? If not, *resource is the first that it lacks. */
bool allot__resources_allow(const allot__resources *resources, int32_t job, int32_t *resource);
/* Units that the job lacks, of all resources together. */
int64_t allot__resources_above(const allot__resources *resources, int32_t job);
/* How much of a resource there is. */
int64_t allot__resources_amount(const allot__resources *resources, int32_t number);
/* A job begins to hold what it asks for (1), or releases it (-1). */
void allot__resources_count(allot__resources *resources, int32_t job, int32_t sign);
/* Would the other job, if preempted, release what the job lacks? */
bool allot__resources_help(const allot__resources *resources, int32_t job, int32_t other);
/* A job becomes a preemption candidate (1), or is no longer one (-1). The sums show whether all of
 * them release too little of a resource. */
void allot__resources_candidate(allot__resources *resources, int32_t job, int32_t sign);
bool allot__resources_hopeless(const allot__resources *resources, int32_t job);
/* Why no job may be preempted for *resource, which the job lacks. ALLOT_PEND_NOT: jobs may be
 * preempted for it, or the job lacks none. */
allot_pending allot__resources_barred(allot__resources *resources, int32_t job, int32_t *resource);
/* Notes that jobs were preempted for what the last checked job lacked. */
void allot__resources_preempted(allot__resources *resources);

#endif
