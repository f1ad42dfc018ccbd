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
    allot__rowset rows; /* first, as functions get a pointer to it */
    const allot__host_view *view;
    const int32_t *jobs; /* by row: its number in the state */
} allot__job_rows;

/* Makes rows of `count` jobs; `jobs` stays the caller's. ENOMEM. */
/* If rules of the policy read them, ranks users and groups of jobs by name, and reads the use of
 * users. ENOMEM. */
int allot__job_ranks_make(allot__work *work);
int allot__job_rows_make(const allot__work *work, const allot__host_view *view, const int32_t *jobs,
                         int32_t count, allot__job_rows *out);

/* Is it one of the two columns that depend on a pair of queues? */
static inline bool allot__job_pair_column(allot_source source)
{
    return source.kind == ALLOT_FROM_COLUMN &&
           (source.value == ALLOT_TASK_PREFERENCE || source.value == ALLOT_TASK_QUEUE_ORDER);
}
/* Both columns of queue `high` with every queue: 0 for queues that it may not preempt. QUEUE_ORDER
 * is 0 throughout if `high` prefers no queue, else 1, 2, ... by falling level, then rising
 * priority; ties get equal numbers (P-11, A-2). Capacity: the number of queues, for `sorted` twice
 * that. */
void allot__job_pairs(const allot_plan *plan, int32_t high, int64_t *preference,
                      int64_t *queue_order, int32_t *sorted);

/* What a protection parameter counts of a job (P-30 ... P-34), its bound, and what is left: at 0 or
 * less the job is protected. */
typedef struct allot__counter {
    int64_t has, bound, left;
} allot__counter;
/* False: no stated parameter applies to the job; `bound` is ALLOT_NONE, and `left` 1e9. */
bool allot__job_counter(const allot_protection *of, const allot__job *job, int64_t now,
                        int32_t column, allot__counter *out);

/* Does the source read a counter that the plan never states? It is 1e9 for every job. */
bool allot__job_unprotected(const allot_plan *plan, allot_source source);

/* Of a job's hosts, the first in the view's order, or -1. */
int32_t allot__job_host(const allot__jobs *jobs, const allot__host_view *view, int32_t job);

#endif
