/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fit.h: what a job lacks, and what it would with others gone: tried on the hosts and limits
 * themselves, and taken back.
 *
 * A pending job lacks the slots that hosts of its queue do not have for it, an exclusive one those
 * that empty hosts do not; a suspended one those that its own hosts do not have for it, and if it
 * is exclusive, also those that others run on there, one for each job. Limits of no hosts are over
 * by what would be used above them, and so are resources for a pending job.
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
    bool whole;     /* limits of some hosts together: nothing is known host by host */
    int64_t lack;   /* slots; below 0: so many more than it needs were counted */
    int64_t over;   /* slots and jobs above limits, and of resources what is wanting */
    int32_t *stamp; /* by host: when it was looked at last; behind them the last time of all */
} allot__fit;

/* Counts what a job lacks. `stamp` is zeroed once for all, of one more than there are hosts. */
void allot__fit_begin(allot__host_view *view, allot__bounds *bounds, int32_t job, int32_t *stamp,
                      allot__fit *out);
static inline bool allot__fits(const allot__fit *fit)
{
    return fit->lack <= 0 && fit->over <= 0;
}
/* All of it counted anew. */
void allot__fit_count(allot__fit *fit);
/* Does the other job hold slots where this one could use some? */
bool allot__fit_shares(const allot__fit *fit, int32_t other);
/* Or does it count in a limit that is over, and less so once it is gone? */
bool allot__fit_helps(const allot__fit *fit, int32_t other);
/* By how much a limit of the job's class is over; 0: it is not, or is not asked. */
int64_t allot__fit_above(const allot__fit *fit, const allot__bound_entry *entry);
/* A running job is preempted (-1: on_preempt of its queue says whether it ends), with what it was
 * given to grow by (P-53); or it runs on as before (1). Counts what changes. */
void allot__fit_turn(allot__fit *fit, int32_t other, int32_t sign);
/* The first bound of no hosts that is over, or -1. */
int32_t allot__fit_binding(const allot__fit *fit);

#endif
