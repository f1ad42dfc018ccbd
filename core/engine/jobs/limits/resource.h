/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * resource.h: resources of a cluster, and how much of them jobs hold (P-42, P-36).
 *
 * What runs holds what it asked for, and so does what is suspended or was stopped: it is released
 * when a job ends. A pending job fits where all that it asks for is left; one that is resumed has
 * it already.
 *
 * What slices are cut from asks for no resources (allot__bounds_wants): jobs count there that wait
 * for one.
 *
 * A resource that is wanting may be preempted for if the plan says so. Jobs help that hold some of
 * it and end when they are preempted. Once that was done in a cycle, no later one does it for this
 * resource until PREEMPTION_WAIT_TIME is over; within a cycle all that preempt are one.
 */
#ifndef ALLOT_ENGINE_JOBS_LIMITS_RESOURCE_H
#define ALLOT_ENGINE_JOBS_LIMITS_RESOURCE_H

#include <allot/dispatch.h>

#include "engine/rows/work.h"

typedef struct allot__resources {
    const allot__work *work;
    int32_t count;
    int64_t *used;         /* by resource: what jobs hold */
    int64_t *helps;        /* ... of it what candidates would release */
    int64_t *told_at;      /* when it was preempted for, as the state says; INT64_MIN: never */
    int64_t *preempted_at; /* ... and by now */
    uint8_t *wanting;      /* what the last job that was asked about lacked */
    const int32_t *first;  /* by job, one more: where those of the state's begin */
} allot__resources;

/* Counts what the state's jobs hold; *out is NULL where the plan has no resources. ENOMEM. */
int allot__resources_make(const allot__work *work, allot__resources **out);
/* Does the job ask for any? */
static inline bool allot__resources_asks(const allot__resources *resources, int32_t job)
{
    return resources->first[job] != resources->first[job + 1];
}
/* Is there enough of all for a pending job? Else *resource is the first that is wanting. */
bool allot__resources_allow(const allot__resources *resources, int32_t job, int32_t *resource);
/* What is wanting in all, 0: nothing is. */
int64_t allot__resources_above(const allot__resources *resources, int32_t job);
/* A job begins to hold what it asks for (1), or releases it (-1). */
void allot__resources_count(allot__resources *resources, int32_t job, int32_t sign);
/* Would the other, once it is preempted, release what is wanting to the job? */
bool allot__resources_help(const allot__resources *resources, int32_t job, int32_t other);
/* A job may be preempted (1), or no longer (-1). Kept so that it is known whether all jobs that may
 * be preempted release too little of a resource. */
void allot__resources_candidate(allot__resources *resources, int32_t job, int32_t sign);
bool allot__resources_hopeless(const allot__resources *resources, int32_t job);
/* Why no job may be preempted for the resource that the job lacks, which is *resource. Else
 * ALLOT_PEND_NOT: jobs may be preempted for it, or the job lacks none. */
allot_pending allot__resources_barred(allot__resources *resources, int32_t job, int32_t *resource);
/* Jobs were preempted for what was then wanting to the job that was last asked about. */
void allot__resources_preempted(allot__resources *resources);

#endif
