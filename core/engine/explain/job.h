/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: what the chapters of an explanation of a job share.
 *
 * Hosts and limits are explained as at the end of the cycle; the numbers of the job's turn are
 * computed anew from the orders before it.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_JOB_H
#define ALLOT_ENGINE_EXPLAIN_JOB_H

#include "engine/jobs/dispatch.h"
#include "engine/explain/explain.h"

typedef struct allot__job_explanation {
    allot__explanation about; /* the subject, and where lines go */
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__jobs *jobs;
    int32_t number; /* the job's */
    const allot__job *job;
    const allot_queue *queue;
    allot__job_verdict verdict;
    int32_t set;    /* of its queue's hosts */
    int64_t *kept;  /* by host of the view: slots that suspended jobs keep against its queue */
    int64_t *ran;   /* by host: slots that jobs run on, or are given to grow by */
    int64_t free;   /* slots of its queue's hosts that it could have */
    int64_t *tally; /* by queue, room for four numbers each, zeroed */
    allot__arena arena;
} allot__job_explanation;

/* So many of a kind are named; the others are counted. */
enum { ALLOT__EXPLAIN_NAMED = 6 };

/* tell.c: "is suspended", ... */
const char *allot__phrase_done(allot_action action);
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
/* The order by which the job gives up or gets slots; NULL: none. */
const allot_job_order *allot__explain_order(const allot__job_explanation *it);

/* view.c: counts `kept`, `ran` and `free`; ENOMEM. What its queue's hosts have, and what its
 * own hosts lack for it, if it is suspended. */
int allot__explain_view_count(allot__job_explanation *it);
void allot__explain_view(const allot__job_explanation *it);
void allot__explain_own_hosts(const allot__job_explanation *it);
/* The view's host of a place. */
int32_t allot__explain_host(const allot__job_explanation *it, const allot_place *place);
/* Slots that another job has where this one could use some; those given to it to grow by too. And
 * once the cycle is over, which `on` adds up by host, whether or not this one could use them. */
int64_t allot__explain_shares(const allot__job_explanation *it, int32_t other);
int64_t allot__explain_has(const allot__job_explanation *it, int32_t other, int64_t *on);
/* queue.c: the limit that binds; its pool. */
void allot__explain_limit(const allot__job_explanation *it);
void allot__explain_slice(const allot__job_explanation *it);
/* view.c: the resources that it holds or asks for; those that it releases, as it ends, to another
 * job that asks for them. The resource that it lacks, and the jobs that hold it. */
void allot__explain_resources(const allot__job_explanation *it);
void allot__explain_resource(const allot__job_explanation *it);
void allot__explain_released(const allot__job_explanation *it, int32_t other);
/* candidates.c: which jobs it may preempt, which not, and why that is not enough. */
void allot__explain_candidates(const allot__job_explanation *it);
/* gone.c: why it goes, and what would have protected it; ENOMEM. */
int allot__explain_gone(allot__job_explanation *it);
/* What protects a job that stays, since when, until when. */
void allot__explain_protection(const allot__job_explanation *it);

#endif
