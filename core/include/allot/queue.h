/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.h: queues of a plan, and limits on their jobs.
 *
 * A queue is a consumer of the first level without children: it has a handle, a path "/name" and a
 * verdict as all consumers have. Fills do not divide its slots: its jobs are dispatched to hosts,
 * one by one, under a policy that dispatches (allot_policy_dispatch). A plan has either queues or
 * other consumers.
 *
 * Queues number 0, 1, ... in the order of adding, which breaks ties of priority (P-60). Defaults of
 * a queue are those of allot_queue_init.
 *
 * Diagnostics of sealing about queues, limits and contracts have paths as documents have, with
 * numbers from 0: "queues[3].preemptive[1]", "limits[0].queues[2]", "leases[1].hosts[0]".
 */
#ifndef ALLOT_QUEUE_H
#define ALLOT_QUEUE_H

#include <allot/plan.h>

ALLOT_C_BEGIN

/*
 * Protection of running jobs from preemption (P-30 ... P-34), and the delay before a job may
 * preempt (P-35); ALLOT_NONE: not stated here. The application's value comes before the queue's,
 * and the queue's before the plan's, value by value. One of these is enough to protect a job
 * (A-8).
 */
typedef struct allot_protection {
    int32_t max_job_preempt;        /* P-30: protects jobs preempted that often, 1 ... */
    int32_t max_total_time_preempt; /* P-31: s; protects jobs suspended that long in all */
    int32_t no_preempt_interval;    /* P-32: s; protects jobs until that long after their start or
                                       resumption */
    int32_t no_preempt_run_time;    /* P-33: s; protects jobs that ran that long in all */
    int32_t no_preempt_finish_time; /* P-34: s; protects jobs that may run no longer than that */
    /* Percent of the job's run limit in place of seconds, 1 ... 99; 0: seconds. Without a run limit
     * the parameter does not apply. */
    int32_t run_time_percent, finish_time_percent;
    int32_t preempt_delay; /* P-35: s that a job waits before it may preempt */
} allot_protection;

/* What happens to a preempted job (P-41). */
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

/* The most percent of a user's limit. */
#define ALLOT_PERCENT_MAX 100000

typedef struct allot_queue {
    const char *name;         /* a consumer's name */
    int32_t priority;         /* 0 ... ALLOT_AMOUNT_MAX, larger is more important (P-2) */
    int32_t preemptive;       /* nonzero: it may preempt lower queues (P-3) */
    int32_t preemptable;      /* nonzero: higher queues may preempt it */
    const allot_prefers *low; /* the only queues that it preempts; none: all lower ones */
    int32_t low_count;
    const char *const *high; /* the only queues that preempt it; none: all higher ones (P-4) */
    int32_t high_count;
    const char *slot_pool;        /* at most 60 of [A-Za-z0-9_-]; NULL: none */
    int32_t slot_share;           /* percent of the pool, 1 ... 100; 0: not stated */
    int32_t max_slots_in_pool;    /* Q-3; ALLOT_NONE */
    int32_t use_priority_in_pool; /* */
    const char *const *hosts;     /* hosts that it uses; none: all */
    int32_t host_count;
    int32_t qjob_limit, ujob_limit, pjob_limit, hjob_limit; /* slots of the queue's jobs: in all, a
                                                               user's, on a processor (per mille of
                                                               slots), on a host; ALLOT_NONE */
    /* P-27: percent in place of slots, 1 ... 100 of the cluster's slots, and 1 ... 100000 of what
     * the queue has then (or of the cluster's, where it has no limit); 0: not stated. */
    int32_t qjob_percent, ujob_percent;
    allot_protection protection;
    allot_action on_preempt;        /* P-41 */
    int32_t run_limit;              /* s, of jobs that state none; ALLOT_NONE */
    int32_t fairshare;              /* P-60: dispatched as a whole, not merged with its equals */
    int32_t backfill;               /* its jobs may run on slots that are reserved for others */
    int32_t interruptible_backfill; /* P-43: s, the least that such a job may run; ALLOT_NONE */
    int32_t slot_reserve, cross_fairshare; /* nonzero: stated; warn of them */
} allot_queue;

/* Sets every member to its default: priority 1, no limits, everything else 0. */
ALLOT_API void allot_queue_init(allot_queue *queue);
ALLOT_API void allot_protection_init(allot_protection *protection);

/* Adds a queue; everything is copied. *out is the queue's handle as a consumer. `low` makes the
 * queue preemptive, `high` makes it preemptable. Sealing checks the names in lists. ENAME (also of
 * the pool), EEXIST, ERANGE; EUSAGE: the plan has consumers that are not queues. */
ALLOT_API int allot_plan_queue(allot_plan *plan, const allot_queue *queue, int32_t *out);
/* Protection of all queues' jobs (lsb.params; a later call replaces it), and of an application's
 * (lsb.applications; run_limit: s, or ALLOT_NONE). EEXIST, ENAME, ERANGE. */
ALLOT_API int allot_plan_protection(allot_plan *plan, const allot_protection *protection);
ALLOT_API int allot_plan_application(allot_plan *plan, const char *name,
                                     const allot_protection *protection, int32_t run_limit);
/* The users of a group, by name; a user may be in several. EEXIST: the group was stated; ENAME. */
ALLOT_API int allot_plan_users(allot_plan *plan, const char *group, const char *const *users,
                               int32_t n);

/* How use fades: that of queues, and that of leaves, which is counted only if the plan
 * states this (C-14). */
typedef struct allot_decay {
    int64_t period; /* s; 0: use does not fade */
    int32_t parts;  /* after a period 1 / parts of the use is left: 2 makes it a half-life; 10 in 5
                       hours is the law of HIST_HOURS, and the default */
} allot_decay;
/* ERANGE: a period below 0, parts below 2. */
ALLOT_API int allot_plan_decay(allot_plan *plan, const allot_decay *decay);
/* Of a sealed plan. ENOENT: use is not counted. */
ALLOT_API int allot_plan_decay_get(const allot_plan *plan, allot_decay *out);

/* What a limit counts, and whether each queue, user, group or host has the limit separately. */
typedef enum allot_limit_kind {
    ALLOT_LIMIT_SLOTS = 0,
    ALLOT_LIMIT_PER_PROCESSOR, /* slots on a host, in thousandths of its slots, rounded up */
    ALLOT_LIMIT_JOBS
} allot_limit_kind;
enum { ALLOT_PER_QUEUE = 1, ALLOT_PER_USER = 2, ALLOT_PER_GROUP = 4, ALLOT_PER_HOST = 8 };

/* A limit on running jobs (lsb.resources). An empty list names all. A job counts if every list
 * names it: its queue, its user or one of its groups, its host. A job's groups are its own and
 * those in which the plan has its user. Users and groups that are excepted do not count, whatever
 * the lists name. A limit per group excepts only the groups named: the job still counts for its
 * other groups. */
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

/* A resource beside slots that jobs hold on any host, such as licences (P-42). A job starts only if
 * running and suspended jobs leave enough of every resource that it asks for. */
typedef struct allot_resource {
    const char *name;
    int64_t amount;      /* 0 ... ALLOT_AMOUNT_MAX */
    int32_t preemptable; /* nonzero: jobs that hold some may be preempted for it, if preemption ends
                            them (PREEMPTABLE_RESOURCES) */
} allot_resource;
/* Numbers 0, 1, ... in the order of adding. EEXIST, ENAME, ERANGE. */
ALLOT_API int allot_plan_resource(allot_plan *plan, const allot_resource *resource);
/* PREEMPTION_WAIT_TIME (P-36): the s after a preemption for a resource in which later cycles
 * preempt no job for it; default 300. ERANGE: below 300. */
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
/* After sealing. May jobs of queue `high` preempt those of `low` (P-7, or by the policy; never if
 * one of the queues is in a pool, A-24)? May those of any queue? And the level at which `high`
 * prefers `low`; 0: none. */
ALLOT_API int allot_plan_may_preempt(const allot_plan *plan, int32_t high, int32_t low);
ALLOT_API int allot_plan_preempted(const allot_plan *plan, int32_t low);
ALLOT_API int32_t allot_plan_preference(const allot_plan *plan, int32_t high, int32_t low);
/* Pools in the order of their first queues: their number, the i-th's name, and a queue's pool or
 * -1. */
ALLOT_API int32_t allot_plan_pools(const allot_plan *plan);
ALLOT_API const char *allot_plan_pool_name(const allot_plan *plan, int32_t pool);
ALLOT_API int32_t allot_plan_queue_pool(const allot_plan *plan, int32_t queue);
/* Resources in the order of adding, also before sealing; borrowed. EUSAGE: no such. And the
 * resource of a name, or -1. */
ALLOT_API int32_t allot_plan_resources(const allot_plan *plan);
ALLOT_API int allot_plan_resource_at(const allot_plan *plan, int32_t resource, allot_resource *out);
ALLOT_API int32_t allot_plan_resource_find(const allot_plan *plan, const char *name);

ALLOT_C_END

#endif
