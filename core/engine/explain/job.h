/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: types and functions that the chapters of a job's explanation share.
 *
 * Hosts and limits are explained as at the end of the cycle; the numbers of the job's turn are
 * computed anew from the orders before it.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_JOB_H
#define ALLOT_ENGINE_EXPLAIN_JOB_H

#include "engine/jobs/dispatch.h"
#include "engine/explain/facts.h"

/* Jobs and their slots; and of these, those that got what they wanted. */
typedef struct allot__job_tally {
    int64_t jobs, slots, served, got;
} allot__job_tally;

typedef struct allot__job_explanation {
    allot__explanation about; /* the subject, and where facts go */
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__jobs *jobs;
    int32_t number; /* the job's */
    const allot__job *job;
    const allot_queue *queue;
    allot__job_verdict verdict;
    int32_t set;   /* of its queue's hosts */
    int64_t *kept; /* by host of the view: slots that suspended jobs keep against its queue */
    int64_t *ran;  /* by host: slots that jobs run on, or were given for growth */
    int64_t free;  /* slots of its queue's hosts that it could have */
    allot__job_tally *before; /* by queue: jobs that had their turns before it */
    allot__arena arena;
} allot__job_explanation;

static inline const allot__job *allot__explain_job(const allot__job_explanation *it, int32_t job)
{
    return allot__job_at(it->jobs, job);
}

static inline const allot_queue *allot__explain_queue_of(const allot__job_explanation *it,
                                                         int32_t queue)
{
    return allot__queue_at(it->queues, queue);
}

static inline bool allot__explain_may(const allot__job_explanation *it, int32_t high, int32_t low)
{
    return allot__may_preempt(it->about.work->plan->relation, high, low);
}

/* The number of the parameter P-30 ... P-34 that a guard reads, or -1. */
static inline int32_t allot__explain_parameter(const allot__guard *guard)
{
    bool states = guard->value.kind == ALLOT_FROM_COLUMN &&
                  guard->value.value >= ALLOT_TASK_PREEMPTIONS_LEFT &&
                  guard->value.value <= ALLOT_TASK_FINISH_TIME_LEFT;
    return states ? 30 + guard->value.value - ALLOT_TASK_PREEMPTIONS_LEFT : -1;
}

/* The order that takes slots from the job or gives it some; NULL: none. */
static inline const allot_job_order *allot__explain_order(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    return it->verdict.order >= 0 ? &orders[it->verdict.order] : NULL;
}

/* Does the job wait for a resource, `binding` of its verdict? */
static inline bool allot__explain_lacks(const allot__job_explanation *it)
{
    return it->verdict.why == ALLOT_PEND_RESOURCE || it->verdict.why == ALLOT_PEND_RESOURCE_WAIT;
}

/* A queue's name and PRIORITY. */
static inline void allot__fact_queue(const allot__job_explanation *it, int32_t queue)
{
    const allot_queue *of = allot__explain_queue_of(it, queue);
    FACTS(&it->about, "queue priority", of->name, of->priority);
}

/* view.c: counts `kept`, `ran` and `free`; ENOMEM. What its queue's hosts have; what its own hosts
 * lack, if it is suspended. */
int allot__explain_view_count(allot__job_explanation *it);
void allot__explain_view(const allot__job_explanation *it);
void allot__explain_own_hosts(const allot__job_explanation *it);
/* The view's host of a place. */
int32_t allot__explain_host(const allot__job_explanation *it, const allot_place *place);
/* Slots of another job, those given for growth included, that this one could use. The same after
 * the cycle; `on` sums up all of the other's slots by host. */
int64_t allot__explain_shares(const allot__job_explanation *it, int32_t other);
int64_t allot__explain_has(const allot__job_explanation *it, int32_t other, int64_t *on);
/* queue.c: the limit that binds; the pool; all queues, as the job sees them. */
void allot__explain_limit(const allot__job_explanation *it);
void allot__explain_slice(const allot__job_explanation *it);
/* The name of a mark of a job that no guard gave (engine/rows/rowset.h); NULL: it is a guard's. */
const char *allot__explain_kind(int32_t kind);
void allot__explain_queues(const allot__job_explanation *it);
/* view.c: a job's amount of a resource; resources that the job holds or asks for; the one that it
 * lacks; those that it releases to another job as it ends. */
int64_t allot__explain_amount(const allot__job_explanation *it, int32_t job, int32_t resource);
void allot__explain_resources(const allot__job_explanation *it);
void allot__explain_resource(const allot__job_explanation *it);
void allot__explain_released(const allot__job_explanation *it, int32_t other);
/* gone.c: why it is preempted, and what would have protected it; ENOMEM. */
int allot__explain_gone(allot__job_explanation *it);
/* What protects a job that stays, since when, until when. */
void allot__explain_protection(const allot__job_explanation *it);

#endif
