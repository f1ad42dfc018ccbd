/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fit.h: what a job lacks, and what it would lack without other jobs: tried on the hosts and limits
 * themselves, then taken back.
 *
 * A pending job lacks the slots that its queue's hosts (for an exclusive job: empty hosts) cannot
 * give it. A suspended job lacks the slots that its own hosts cannot give it, and if it is
 * exclusive also one for each other job there. `over` counts by how much limits without hosts would
 * be exceeded, and for a pending job also the resources that it lacks.
 */
#ifndef ALLOT_ENGINE_JOBS_PREEMPT_FIT_H
#define ALLOT_ENGINE_JOBS_PREEMPT_FIT_H

#include "engine/jobs/limits/bound.h"

typedef struct allot__fit {
    allot__host_view *view; /* as the job's queue sees it */
    allot__bounds *bounds;
    const allot__job *job;
    int32_t number, set;
    bool exclusive, resumes;
    bool whole;     /* limits of sets of hosts: gains cannot be counted host by host */
    int64_t lack;   /* slots; below 0: so many more than it needs are free */
    int64_t over;   /* slots and jobs above limits, and units of resources lacking */
    int32_t *stamp; /* by host: the pass that last visited it; then the number of passes */
} allot__fit;

/* Counts what a job lacks. `stamp` has an entry more than there are hosts; zeroed once for all. */
void allot__fit_begin(allot__host_view *view, allot__bounds *bounds, int32_t job, int32_t *stamp,
                      allot__fit *out);
static inline bool allot__fits(const allot__fit *fit)
{
    return fit->lack <= 0 && fit->over <= 0;
}
/* Counts all anew. */
void allot__fit_count(allot__fit *fit);
/* Does the other job have slots that this one could use? */
bool allot__fit_shares(const allot__fit *fit, int32_t other);
/* Or does it count in an exceeded limit, and less once it is preempted? */
bool allot__fit_helps(const allot__fit *fit, int32_t other);
/* By how much a limit of the job's class is exceeded; 0: it is not, or does not apply. */
int64_t allot__fit_above(const allot__fit *fit, const allot__bound_entry *entry);
/* A running job is preempted (-1; on_preempt of its queue decides whether it ends), with slots
 * given to it for growth (P-53); or it runs on as before (1). Counts what changes. */
void allot__fit_turn(allot__fit *fit, int32_t other, int32_t sign);
/* The first bound without a host that is exceeded, or -1. */
int32_t allot__fit_binding(const allot__fit *fit);

#endif
