/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * dispatch.h: dispatches jobs of queues, one by one (P-60, Q-43, A-10 ... ).
 *
 * Rules, in this order:
 *  1. queues go by larger PRIORITY, then as in the file. Those of equal PRIORITY that are in no
 *     pool and have no fairshare go as one, at the place of their first (P-60). A pool's queues
 *     stand in that list, too: decayed use orders only their slices (Q-43, slices.h);
 *  2. at its place a queue resumes its suspended jobs, then starts pending ones, in the order of
 *     the policy's dispatch, by default larger priority, then first submitted; ties as in the state
 *     . A job that does not fit is skipped;
 *  3. a job that fits is started on free slots (limits/view.h) below all limits (limits/bound.h);
 *     in a pool, within its queue's slice, or above the slice if the whole slice is too small for
 *     the job and the queue is below its slice. A pool never has more than
 *     MAX_SLOTS_IN_POOL;
 *  4. a job that does not fit preempts, if its queue may and its delay is over (preempt/search.h);
 *     suspended jobs preempt on their own hosts, without a delay (P-35). A job that lacks a
 *     resource preempts for it if the plan says so, the job's queue may, and PREEMPTION_WAIT_TIME
 *     is over since an earlier cycle preempted for the resource (limits/resource.h);
 *     A job that waits for slots may have some reserved, or bar all jobs behind it, as the policy's
 *     backfill says (reserve.h): then a job is started or resumed, or grows, only beside these;
 *  5. then running jobs of the queue that want to grow get free slots, up to what they want (P-50);
 *     not while they are being notified of slots that they were given;
 *  6. after a pool's last queue, jobs that fit get the rest of the pool, in the pool's order, round
 *     by round: in a round a queue gets ceil(left * share / 100) slots, or one job. With
 *     USE_PRIORITY_IN_POOL jobs get the rest by priority, larger PRIORITY, first submitted.
 *     If other queues took slots of a pool's hosts, slices of its queues not reached yet are cut
 *     anew from what is left before the next of them has its turn;
 *  7. dispatch begins again from the highest queue, pools included, if a preemption frees more than
 *     its job takes (on a host, below a limit or of a resource), or if it starts a job that others
 *     may preempt which could not preempt its victims (A-12, P-35): a cycle decides all that it
 *     can. A job preempted in this cycle counts as suspended: if it is resumed, its preemption is
 *     withdrawn. A job that fits only with slots given in this cycle to jobs that it may preempt
 *     takes those slots back (back.c). Jobs that are known not to fit are skipped (walk.c).
 *
 * This stage replaces need, quota, distribution and reclaim of the group: it writes the columns
 * need, quota, received and reclaimed of queues' rows.
 */
#ifndef ALLOT_ENGINE_JOBS_DISPATCH_H
#define ALLOT_ENGINE_JOBS_DISPATCH_H

#include <allot/dispatch.h>

#include "engine/jobs/preempt/search.h"
#include "engine/jobs/slices.h"

/* The decision about a job. */
typedef struct allot__job_verdict {
    uint8_t now;     /* an allot_job_state, after the cycle; ALLOT_JOB_STATE_COUNT: ended */
    uint8_t why;     /* an allot_pending */
    int32_t binding; /* allot__binding_limit, or -1; of ALLOT_PEND_RESOURCE... the resource, of
                        ALLOT_PEND_BEHIND the first job that would start later */
    int32_t order;   /* its first order, or -1 */
} allot__job_verdict;

/* What keeps a job behind one that waits (ALLOT_PEND_BEHIND). */
enum {
    ALLOT__BEHIND_SLOTS,    /* slots that are reserved for it */
    ALLOT__BEHIND_LIMIT,    /* ... a part of a limit: allot__reserved.binding */
    ALLOT__BEHIND_RESOURCE, /* ... of a resource: likewise */
    ALLOT__BEHIND_POOL,     /* ... of what the job's pool may use */
    ALLOT__BEHIND_VICTIMS   /* the run of jobs that it would preempt */
};

/* What is reserved for a job that waits. */
typedef struct allot__reserved {
    int64_t at;      /* from when on; INT64_MAX: nothing is */
    int64_t slots;   /* an exclusive job's are those of whole hosts */
    int32_t binding; /* the number of what `behind` says, of a limit as allot__binding_limit has */
    uint8_t behind;  /* ALLOT__BEHIND_..., of a job behind another */
} allot__reserved;

typedef struct allot__dispatched {
    allot__host_view view;
    allot__bounds bounds;
    allot__candidates candidates;
    bool searched;             /* a job searched for victims */
    allot__vector orders;      /* of allot_job_order */
    allot__vector places;      /* of allot_place: the orders' places, order by order */
    allot__job_verdict *jobs;  /* by job */
    allot__reserved *reserved; /* by job; NULL: no job has slots reserved */
    int64_t due;               /* the earliest of these */
    allot_queue_part *parts;   /* by queue */
    allot_pool_part *pools;
    int64_t *used;     /* by queue: slots used by its jobs, suspended ones included */
    int64_t *usage;    /* two by queue: whole slot-seconds, then millionths */
    int32_t *sequence; /* queues in the order of rule 1, which is not pools' order */
    /* For explanations: suspended and pending jobs in the order of their turns; by queue of a pool,
     * how its slice was cut. */
    const int32_t *tried;
    int32_t tried_count;
    allot__cut *cuts;
} allot__dispatched;

/* Dispatches jobs of the group's queues; `leases` are the contracts' results (leases.h; NULL: there
 * are no contracts). ENOMEM, ESCRIPT, EBUDGET. */
int allot__dispatch(allot__work *work, const allot_lease_part *leases, allot__dispatched *out);
void allot__dispatched_free(allot__work *work, allot__dispatched *dispatched);

#endif
