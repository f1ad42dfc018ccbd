/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job_rows.h: jobs of queues as rules read them: the columns of ALLOT_TASK_COLUMN_MAP.
 *
 * A row is the same for every preemptor: PREFERENCE and QUEUE_ORDER, which depend on two queues,
 * read 0 here; allot__job_pairs computes them.
 */
#ifndef ALLOT_ENGINE_JOBS_PREEMPT_JOB_ROWS_H
#define ALLOT_ENGINE_JOBS_PREEMPT_JOB_ROWS_H

#include "engine/jobs/limits/view.h"
#include "engine/rows/rowset.h"

typedef struct allot__job_rows {
    allot__rowset rows; /* first: what functions are handed */
    const allot__host_view *view;
    const int32_t *jobs; /* by row: its number in the state */
} allot__job_rows;

/* Begins with `count` jobs, whose numbers are the caller's; ENOMEM. */
int allot__job_rows_make(const allot__work *work, const allot__host_view *view, const int32_t *jobs,
                         int32_t count, allot__job_rows *out);

/* Is it one of the two columns that a pair of queues has? */
static inline bool allot__job_pair_column(allot_source source)
{
    return source.kind == ALLOT_FROM_COLUMN &&
           (source.value == ALLOT_TASK_PREFERENCE || source.value == ALLOT_TASK_QUEUE_ORDER);
}
/* Both columns of queue `high` with every queue: 0 for queues that it may not preempt. QUEUE_ORDER
 * is 0 throughout if `high` prefers no queue, else 1, 2, ... by falling level, then rising
 * priority; equal of both: equal (P-11, A-2). Room for as many as there are queues; `sorted` for
 * two times as many. */
void allot__job_pairs(const allot_plan *plan, int32_t high, int64_t *preference,
                      int64_t *queue_order, int32_t *sorted);

/* What a job has of what a parameter counts (P-30 ... P-34), its bound, and what is left: of 0 or
 * less it is protected. */
typedef struct allot__counter {
    int64_t has, bound, left;
} allot__counter;
/* False: none is stated that applies to the job; `bound` is ALLOT_NONE, and `left` 1e9. */
bool allot__job_counter(const allot_protection *of, const allot__job *job, int64_t now,
                        int32_t column, allot__counter *out);

/* Is it what is left of a counter that nothing in the plan states? It reads 1e9 of every job. */
bool allot__job_unprotected(const allot_plan *plan, allot_source source);

/* The host of the view that is first in its order of those on which a job is, or -1. */
int32_t allot__job_host(const allot__jobs *jobs, const allot__host_view *view, int32_t job);

#endif
