/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.h: what a cycle decided about queues and jobs, and why. */
#ifndef ALLOT_DISPATCH_H
#define ALLOT_DISPATCH_H

#include <allot/decision.h>
#include <allot/job.h>

ALLOT_C_BEGIN

/* Kinds of orders for jobs. */
typedef enum allot_order_kind {
    ALLOT_ORDER_START = 0,
    ALLOT_ORDER_RESUME,
    ALLOT_ORDER_RESIZE, /* the job gets slots that it asked for, P-50 */
    ALLOT_ORDER_SUSPEND,
    ALLOT_ORDER_KILL,
    ALLOT_ORDER_COUNT
} allot_order_kind;

typedef struct allot_job_order {
    allot_order_kind kind;
    int32_t job;               /* allot_state_job_at */
    int64_t slots;             /* that the job takes, or frees */
    const allot_place *places; /* its hosts; borrowed. None: the plan names no hosts */
    int32_t place_count;
    /* Of suspended and killed jobs: what happens to the job, and the job that gets its slots. */
    allot_action action;
    int32_t preemptor;  /* a job; -1: none, since a reservation is due (P-43) or a host closed */
    int64_t cancelled;  /* slots given for its growth, which it loses with the others (P-53) */
    int64_t preempted;  /* how often it was preempted, with this time */
    int32_t held;       /* nonzero: the job is being notified of new slots; the order stands, but
                           its preemptor waits until the notification is over */
    int64_t closed;     /* its slots on closed hosts, if "closed-host" is the reason */
    const char *reason; /* starts: "free", "preempted" (others for it), "backfill" (free, though
                           slots are reserved for jobs before it), "leftover", "priority";
                           resumes: "free", "preempted"; suspends and kills: "preempted",
                           "reservation-due", "closed-host" (E-34). Static */
} allot_job_order;
/* In the order to carry them out: a job that goes stands before the job that gets its slots. */
ALLOT_API int32_t allot_decision_job_orders(const allot_decision *decision);
ALLOT_API int allot_decision_job_order(const allot_decision *decision, int32_t i,
                                       allot_job_order *out);

/* Why a job waits. */
typedef enum allot_pending {
    ALLOT_PEND_NOT = 0,       /* the job does not wait */
    ALLOT_PEND_SLOTS,         /* too few slots are free on its queue's hosts, and it cannot preempt
                                 any */
    ALLOT_PEND_LIMIT,         /* a limit binds: allot_pending_of.limit */
    ALLOT_PEND_SLICE,         /* its queue has its slice of the pool */
    ALLOT_PEND_POOL,          /* MAX_SLOTS_IN_POOL (5950) */
    ALLOT_PEND_DELAY,         /* PREEMPT_DELAY: it may not preempt yet (6701) */
    ALLOT_PEND_PROTECTED,     /* enough slots are in lower queues, but their jobs are protected */
    ALLOT_PEND_FEW,           /* all possible victims have too few slots */
    ALLOT_PEND_HELD,          /* its victims are being notified of new slots */
    ALLOT_PEND_EXCLUSIVE,     /* no host is empty for it */
    ALLOT_PEND_NEVER,         /* its queue's hosts have fewer slots than it asks for */
    ALLOT_PEND_LEASE,         /* its hosts' slots are leased out, or their lease is inactive */
    ALLOT_PEND_RESOURCE,      /* too little of a resource is free (P-42): allot_pending_of.limit is
                                 its name, `used` the amount held, `most` its amount */
    ALLOT_PEND_RESOURCE_WAIT, /* ... and PREEMPTION_WAIT_TIME is not over (P-36) */
    ALLOT_PEND_BEGIN,         /* its time has not come (allot_job.begin) */
    ALLOT_PEND_BEHIND,        /* it would start before a job that waits, which backfill forbids:
                                 allot_pending_of.limit is that job's id */
    ALLOT_PEND_COUNT
} allot_pending;
/* "slots", "limit", ...; and a text: "too few slots are free, ..."; of ALLOT_PEND_NOT "it does not
 * wait". NULL: no such. Static. */
ALLOT_API const char *allot_pending_name(int pending);
ALLOT_API const char *allot_pending_text(int pending);
typedef struct allot_pending_of {
    allot_pending why;
    const char *limit; /* its name, or the resource's; NULL: none */
    int64_t used, most;
    int64_t reserved; /* from when on slots are reserved for it; INT64_MAX: none are */
} allot_pending_of;
ALLOT_API int allot_decision_pending(const allot_decision *decision, int32_t job,
                                     allot_pending_of *out);

/* When the first reservation is due (B-2). ENOENT: no slots are reserved. */
ALLOT_API int allot_decision_reserved(const allot_decision *decision, int64_t *at);

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
/* How many numbers users of jobs have; and the use of a user's jobs at `now` (C-14), which the next
 * state should state. ENOENT: none is left; EUSAGE: no such, or the plan does not count it. */
typedef struct allot_user_part {
    const char *name;
    int64_t usage; /* decayed slot-seconds */
    int32_t usage_millionths;
} allot_user_part;
ALLOT_API int32_t allot_decision_users(const allot_decision *decision);
ALLOT_API int allot_decision_user(const allot_decision *decision, int32_t user,
                                  allot_user_part *out);
/* The last time when jobs were preempted for a resource, this cycle included; the next state should
 * state it. ENOENT: never; EUSAGE: no such. */
ALLOT_API int allot_decision_resource_preempted(const allot_decision *decision, int32_t resource,
                                                int64_t *when);
/* A pool: the slots that its slices were cut from, when its first queue was reached. */
typedef struct allot_pool_part {
    int64_t slots, used, free;
} allot_pool_part;
ALLOT_API int allot_decision_pool(const allot_decision *decision, int32_t pool,
                                  allot_pool_part *out);

/* Explains why a job waits, or was preempted: which jobs are ahead and with how many slots, which
 * limit binds, which jobs it could preempt and why it does not, what would have protected it. Hosts
 * and limits are as after the cycle. `line` as of allot_explain. ENOENT: no such job; ENOMEM:
 * `line` may have got some sentences. */
ALLOT_API int allot_explain_job(const allot_decision *decision, const char *id,
                                void (*line)(void *ud, const char *text), void *ud);

ALLOT_C_END

#endif
