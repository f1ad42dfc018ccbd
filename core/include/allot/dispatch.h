/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.h: what a cycle decided about queues and jobs, and why. */
#ifndef ALLOT_DISPATCH_H
#define ALLOT_DISPATCH_H

#include <allot/decision.h>
#include <allot/job.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is done to a job. */
typedef enum allot_order_kind {
    ALLOT_ORDER_START = 0,
    ALLOT_ORDER_RESUME,
    ALLOT_ORDER_RESIZE, /* it gets slots that it asked for, P-50 */
    ALLOT_ORDER_SUSPEND,
    ALLOT_ORDER_KILL,
    ALLOT_ORDER_COUNT
} allot_order_kind;

typedef struct allot_job_order {
    allot_order_kind kind;
    int32_t job;               /* allot_state_job_at */
    int64_t slots;             /* that it takes, or frees */
    const allot_place *places; /* where; borrowed. None: the plan names no hosts */
    int32_t place_count;
    /* Of those that are suspended and killed, what happens to them; and whom it is for. */
    allot_action action;
    int32_t preemptor;  /* a job; -1: none, as a reservation is due (P-43), or its host closed */
    int64_t cancelled;  /* slots given to grow by that it loses with the others (P-53) */
    int64_t preempted;  /* how often, with this time */
    int32_t held;       /* nonzero: it is being told of new slots; the order is given, and its
                           preemptor waits, until that is over */
    int64_t closed;     /* of its slots those on hosts that are closed, where that is the reason */
    const char *reason; /* starts: "free", "preempted" (others for it), "leftover", "priority";
                           resumes: "free", "preempted"; suspends and kills: "preempted",
                           "reservation-due", "closed-host" (E-34). Static */
} allot_job_order;
/* In the order to carry them out: who goes stands before who comes. */
ALLOT_API int32_t allot_decision_job_orders(const allot_decision *decision);
ALLOT_API int allot_decision_job_order(const allot_decision *decision, int32_t i,
                                       allot_job_order *out);

/* Why a job is where it is. */
typedef enum allot_pending {
    ALLOT_PEND_NOT = 0,       /* it is not pending any more, or never was */
    ALLOT_PEND_SLOTS,         /* too few slots are free on its queue's hosts, and none to preempt */
    ALLOT_PEND_LIMIT,         /* a limit binds: allot_pending_of.limit */
    ALLOT_PEND_SLICE,         /* its queue has its slice of the pool */
    ALLOT_PEND_POOL,          /* MAX_SLOTS_IN_POOL (5950) */
    ALLOT_PEND_DELAY,         /* PREEMPT_DELAY: it may not preempt yet (6701) */
    ALLOT_PEND_PROTECTED,     /* enough slots are in lower queues, but their jobs are protected */
    ALLOT_PEND_FEW,           /* victims alone do not make enough room */
    ALLOT_PEND_HELD,          /* its victims are being told of new slots */
    ALLOT_PEND_EXCLUSIVE,     /* no host is empty for it */
    ALLOT_PEND_NEVER,         /* its queue's hosts have fewer slots than it asks for */
    ALLOT_PEND_LEASE,         /* its hosts' slots are leased out, or their lease is inactive */
    ALLOT_PEND_RESOURCE,      /* a resource is wanting (P-42): allot_pending_of.limit is its name,
                                 with how much of it is held, and how much there is */
    ALLOT_PEND_RESOURCE_WAIT, /* ... and PREEMPTION_WAIT_TIME is not over (P-36) */
    ALLOT_PEND_COUNT
} allot_pending;
/* "slots", "limit", ...; and in words: "too few slots are free, ..."; of ALLOT_PEND_NOT "it does
 * not wait". NULL: no such. Static. */
ALLOT_API const char *allot_pending_name(int pending);
ALLOT_API const char *allot_pending_text(int pending);
typedef struct allot_pending_of {
    allot_pending why;
    const char *limit; /* its name, or the resource's; NULL: none */
    int64_t used, most;
} allot_pending_of;
ALLOT_API int allot_decision_pending(const allot_decision *decision, int32_t job,
                                     allot_pending_of *out);

/* One queue in one cycle; slots, before it and after it. */
typedef struct allot_queue_part {
    int64_t pending, running, suspended; /* slots of its jobs as the state has them */
    int64_t pending_jobs, running_jobs, suspended_jobs;
    int64_t started, resumed, preempted, grown; /* slots, by this cycle */
    int64_t slice;                              /* of its pool; 0 without one */
    int64_t usage;                              /* decayed slot-seconds at `now` */
    int32_t usage_millionths;
} allot_queue_part;
ALLOT_API int allot_decision_queue(const allot_decision *decision, int32_t queue,
                                   allot_queue_part *out);
/* When jobs were preempted for a resource last, this cycle counted: what the next state says.
 * ENOENT: never; EUSAGE: no such. */
ALLOT_API int allot_decision_resource_preempted(const allot_decision *decision, int32_t resource,
                                                int64_t *when);
/* A pool: the slots that its slices were cut from, when its first queue was reached. */
typedef struct allot_pool_part {
    int64_t slots, used, free;
} allot_pool_part;
ALLOT_API int allot_decision_pool(const allot_decision *decision, int32_t pool,
                                  allot_pool_part *out);

/* Why a job waits, or was preempted: who is ahead and with how much, which limit binds, whom it
 * would preempt and why not; what would have spared it. Hosts and limits are told of as they are
 * once the cycle is over. ENOENT: no such job; ENOMEM: some lines may be there. */
ALLOT_API int allot_explain_job(const allot_decision *decision, const char *id,
                                void (*line)(void *ud, const char *text), void *ud);

#ifdef __cplusplus
}
#endif

#endif
