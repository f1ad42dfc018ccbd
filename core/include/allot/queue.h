/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.h: queues of a plan, and what binds their jobs.
 *
 * A queue is a consumer of the first level without children: it has a handle, a path "/name" and a
 * verdict as all consumers have. Its slots are not divided by fills but by dispatching its jobs,
 * one by one, on hosts: policies that do so say allot_policy_dispatch. A plan has queues or
 * consumers that somebody divides slots among, not both.
 *
 * Queues number 0, 1, ... in the order of adding, which is the order of the file where priorities
 * are equal (P-60). What is not stated of a queue is as an allot_queue from allot_queue_init has
 * it.
 *
 * What sealing finds about queues, limits and contracts has a path by documents' keys, numbers from
 * 0: "queues[3].preemptive[1]", "limits[0].queues[2]", "leases[1].hosts[0]".
 */
#ifndef ALLOT_QUEUE_H
#define ALLOT_QUEUE_H

#include <allot/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What protects a running job from being preempted, and a cluster from preempting too soon (P-30
 * ... P-35); ALLOT_NONE: not stated here. A job's application says it before its queue, and that
 * before the plan, value by value. Any one protects.
 */
typedef struct allot_protection {
    int32_t max_job_preempt;        /* P-30: preempted so often already, 1 ...: no more */
    int32_t max_total_time_preempt; /* P-31: s suspended so long in all: no more */
    int32_t no_preempt_interval;    /* P-32: s; only what ran longer than that since it was started
                                       or resumed */
    int32_t no_preempt_run_time;    /* P-33: s; only what ran less than that in all */
    int32_t no_preempt_finish_time; /* P-34: s; only what may run longer than that still */
    /* Percent of the job's run limit in place of seconds, 1 ... 99; 0: seconds. Without a run limit
     * the parameter does not apply. */
    int32_t run_time_percent, finish_time_percent;
    int32_t preempt_delay; /* P-35: s that a job waits before it may preempt */
} allot_protection;

/* What becomes of a job that is preempted (P-41). */
typedef enum allot_action {
    ALLOT_SUSPEND = 0, /* it stays on its hosts, and is resumed there */
    ALLOT_CHECKPOINT,  /* saved, then suspended */
    ALLOT_REQUEUE,     /* killed, and pending again */
    ALLOT_KILL,
    ALLOT_ACTION_COUNT
} allot_action;
/* "suspend", ...; NULL: no such. Static. */
ALLOT_API const char *allot_action_name(int action);

/* A queue that may be preempted, as a preemptive one lists it: "low+2" (P-1). */
typedef struct allot_prefers {
    const char *queue;
    int32_t level; /* 1 ...; 0: none */
} allot_prefers;

typedef struct allot_queue {
    const char *name;         /* a consumer's name */
    int32_t priority;         /* 0 ... ALLOT_AMOUNT_MAX, larger is more important (P-2) */
    int32_t preemptive;       /* nonzero: it may preempt lower queues (P-3) */
    int32_t preemptable;      /* nonzero: higher queues may preempt it */
    const allot_prefers *low; /* those alone that it preempts; none: all lower ones */
    int32_t low_count;
    const char *const *high; /* those alone that preempt it; none: all higher ones (P-4) */
    int32_t high_count;
    const char *slot_pool;        /* at most 60 of [A-Za-z0-9_-]; NULL: none */
    int32_t slot_share;           /* percent of the pool, 1 ... 100; 0: not stated */
    int32_t max_slots_in_pool;    /* Q-3; ALLOT_NONE */
    int32_t use_priority_in_pool; /* */
    const char *const *hosts;     /* those that it uses; none: all */
    int32_t host_count;
    int32_t qjob_limit, ujob_limit, pjob_limit, hjob_limit; /* slots of the queue's jobs: in all, a
                                                               user's, on a processor (per mille of
                                                               slots), on a host; ALLOT_NONE */
    allot_protection protection;
    allot_action on_preempt;        /* P-41 */
    int32_t run_limit;              /* s, of jobs that state none; ALLOT_NONE */
    int32_t fairshare;              /* P-60: dispatched as a whole, not merged with its equals */
    int32_t backfill;               /* its jobs may run on slots that are reserved for others */
    int32_t interruptible_backfill; /* P-43: s, the least that such a job may run; ALLOT_NONE */
    int32_t slot_reserve, cross_fairshare; /* stated, for what warn of */
} allot_queue;

/* What a queue is that states nothing: priority 1, no limits, whatever is not named here 0. */
ALLOT_API void allot_queue_init(allot_queue *queue);
ALLOT_API void allot_protection_init(allot_protection *protection);

/* Adds a queue; everything is copied. *out is its handle as a consumer. A list that names somebody
 * makes the queue preemptive, or preemptable. ENAME (also: the pool's), EEXIST, ERANGE; EUSAGE: the
 * plan has consumers that are no queues. What lists name is checked when the plan is sealed. */
ALLOT_API int allot_plan_queue(allot_plan *plan, const allot_queue *queue, int32_t *out);
/* Of all queues' jobs (lsb.params; the last call holds), and of an application's
 * (lsb.applications; run_limit: s, or ALLOT_NONE). EEXIST, ENAME, ERANGE. */
ALLOT_API int allot_plan_protection(allot_plan *plan, const allot_protection *protection);
ALLOT_API int allot_plan_application(allot_plan *plan, const char *name,
                                     const allot_protection *protection, int32_t run_limit);
/* The users of a group, by name; a user may be in several. EEXIST: the group was stated; ENAME. */
ALLOT_API int allot_plan_users(allot_plan *plan, const char *group, const char *const *users,
                               int32_t n);

/* How decayed use fades. */
typedef struct allot_decay {
    int64_t period; /* s; 0: it does not */
    int32_t parts;  /* what is left of it after that is one of so many: 2 is a half-life, 10 over
                       5 hours is the HIST_HOURS law, which is what holds if nothing is said */
} allot_decay;
/* ERANGE: a period below 0, parts below 2. */
ALLOT_API int allot_plan_decay(allot_plan *plan, const allot_decay *decay);

/* What a limit counts, and of each of whom it holds by itself. */
typedef enum allot_limit_kind {
    ALLOT_LIMIT_SLOTS = 0,
    ALLOT_LIMIT_PER_PROCESSOR, /* slots on a host, in thousandths of its slots, rounded up */
    ALLOT_LIMIT_JOBS
} allot_limit_kind;
enum { ALLOT_PER_QUEUE = 1, ALLOT_PER_USER = 2, ALLOT_PER_GROUP = 4, ALLOT_PER_HOST = 8 };

/* A limit on running jobs (lsb.resources). A list that is empty names all; a job counts where all
 * lists name what it is of. Users and groups are one list: a job is of its user, of its own group
 * and of those that the plan puts its user in. Of users and groups that are excepted it does not
 * hold, whatever the lists name; one of each group by itself: not of those groups, though it may
 * of others that a job is of. */
typedef struct allot_job_limit {
    const char *name; /* for messages */
    allot_limit_kind kind;
    int64_t most; /* 0 ... ALLOT_AMOUNT_MAX */
    int32_t per;  /* bits of ALLOT_PER_... */
    const char *const *queues, *const *users, *const *groups, *const *hosts;
    int32_t queue_count, user_count, group_count, host_count;
    const char *const *but_users, *const *but_groups; /* excepted */
    int32_t but_user_count, but_group_count;
} allot_job_limit;
/* ENAME, ERANGE; EUSAGE: `per` has other bits, per processor without ALLOT_PER_HOST. */
ALLOT_API int allot_plan_job_limit(allot_plan *plan, const allot_job_limit *limit);

/* What jobs hold of beside slots, wherever they run: licences, say (P-42). A job starts only where
 * those that run and are suspended leave enough of all that it asks for. */
typedef struct allot_resource {
    const char *name;
    int64_t amount;      /* 0 ... ALLOT_AMOUNT_MAX */
    int32_t preemptable; /* nonzero: jobs that hold some may be preempted for it, if they end when
                            they are (PREEMPTABLE_RESOURCES) */
} allot_resource;
/* Numbers 0, 1, ... in the order of adding. EEXIST, ENAME, ERANGE. */
ALLOT_API int allot_plan_resource(allot_plan *plan, const allot_resource *resource);
/* PREEMPTION_WAIT_TIME (P-36): so many s after jobs were preempted for a resource none are for it
 * again, in later cycles; 300 if nothing is said. ERANGE: below 300. */
ALLOT_API int allot_plan_preemption_wait(allot_plan *plan, int32_t seconds);

/* ---- Getters; queues are numbers, in the order of adding ------------------------------------ */

/* Also before sealing. */
ALLOT_API int32_t allot_plan_queues(const allot_plan *plan);
/* Borrowed. EUSAGE: no such. */
ALLOT_API int allot_plan_queue_at(const allot_plan *plan, int32_t queue, allot_queue *out);
/* The queue of that name, or -1; its handle as a consumer, which is the same number (-1: no such
 * queue). */
ALLOT_API int32_t allot_plan_queue_find(const allot_plan *plan, const char *name);
ALLOT_API int32_t allot_plan_queue_consumer(const allot_plan *plan, int32_t queue);
/* After sealing. May jobs of queue `high` preempt those of `low` (P-7, or what the policy says;
 * never where one is in a pool, A-24)?
 * And the level at which it prefers them; 0: none. */
ALLOT_API int allot_plan_may_preempt(const allot_plan *plan, int32_t high, int32_t low);
ALLOT_API int32_t allot_plan_preference(const allot_plan *plan, int32_t high, int32_t low);
/* Pools in the order of their first queues: how many, the i-th's name, and of a queue its pool, or
 * -1. */
ALLOT_API int32_t allot_plan_pools(const allot_plan *plan);
ALLOT_API const char *allot_plan_pool_name(const allot_plan *plan, int32_t pool);
ALLOT_API int32_t allot_plan_queue_pool(const allot_plan *plan, int32_t queue);
/* Also before sealing: resources, in the order of adding; borrowed. EUSAGE: no such. And the one of
 * a name, or -1. */
ALLOT_API int32_t allot_plan_resources(const allot_plan *plan);
ALLOT_API int allot_plan_resource_at(const allot_plan *plan, int32_t resource, allot_resource *out);
ALLOT_API int32_t allot_plan_resource_find(const allot_plan *plan, const char *name);

#ifdef __cplusplus
}
#endif

#endif
