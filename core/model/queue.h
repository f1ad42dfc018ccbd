/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.h: a plan's queues as the engine reads them, once it is sealed.
 *
 * Queues are leaves of the first level, so queue q is consumer handle q. Everything here is the
 * base plan's: editions share it, but for the relation, which goes by the policy.
 */
#ifndef ALLOT_MODEL_QUEUE_H
#define ALLOT_MODEL_QUEUE_H

#include <allot/lease.h>
#include <allot/queue.h>

#include "base/name.h"
#include "base/pool.h"
#include "model/plan.h"

/* Hosts that a queue, a limit or a contract names: a bit by host of the plan; NULL: all. Equal sets
 * are one. */
typedef struct allot__host_set {
    uint64_t *bits;
    int32_t count; /* hosts in it */
} allot__host_set;

typedef struct allot__slot_pool {
    const char *name;
    int32_t *queues; /* in the order of the file */
    int32_t count;
    int32_t most;     /* MAX_SLOTS_IN_POOL of the first; ALLOT_NONE */
    bool by_priority; /* USE_PRIORITY_IN_POOL of the first */
    int32_t set;      /* of hosts */
} allot__slot_pool;

typedef struct allot__application {
    const char *name;
    allot_protection protection;
    int32_t run_limit; /* ALLOT_NONE */
} allot__application;

/* A limit, with what it names found; what a queue says of its own (QJOB_LIMIT, ...) is one too. */
typedef struct allot__job_limit {
    allot_job_limit stated; /* lists of names are in the pool */
    bool queue_level;       /* it counts suspended jobs whatever PREEMPT_FOR says (P-22) */
    uint64_t *queues;       /* a bit by queue; NULL: all */
    uint64_t *users; /* a bit by the plan's user: of `users`, and of `groups`' members; NULL: all */
    int32_t set;     /* of hosts; -1: all */
} allot__job_limit;

typedef struct allot__queues {
    allot__pool pool;   /* of strings and lists */
    allot__vector list; /* of allot_queue */
    allot__vector applications, limits,
        leases; /* of allot__application, allot__job_limit, allot_lease */
    allot_protection params;
    allot_decay decay;
    /* Users that the plan names, and groups of them; users and groups that jobs alone name come
     * behind, in the state (job.h). */
    allot__vector users, groups; /* of const char * */
    allot__index user_index, group_index, application_index, lease_index;
    allot__vector members; /* of allot__member: user in group */
    /* After sealing. */
    allot__vector sets; /* of allot__host_set */
    int32_t *set_of;    /* by queue */
    allot__slot_pool *pools;
    int32_t pool_count;
    int32_t *pool_of; /* by queue, or -1 */
    bool preempts;    /* some queue is preemptive or preemptable (P-21) */
} allot__queues;

typedef struct allot__member {
    int32_t user, group;
} allot__member;

/* Who may preempt whom, by the policy of a plan or edition: row-major bits, and preferences where
 * there are any. */
typedef struct allot__relation {
    int32_t count;   /* queues */
    uint64_t *may;   /* bit low of row high: words per row = (count + 63) / 64 */
    int32_t *levels; /* by high * count + low; NULL: nobody prefers anybody */
} allot__relation;

static inline bool allot__may_preempt(const allot__relation *relation, int32_t high, int32_t low)
{
    size_t words = ((size_t)relation->count + 63) / 64;
    return relation->may[(size_t)high * words + (size_t)low / 64] >> low % 64 & 1;
}
static inline int32_t allot__preference(const allot__relation *relation, int32_t high, int32_t low)
{
    return relation->levels ? relation->levels[(size_t)high * (size_t)relation->count + (size_t)low]
                            : 0;
}

/* NULL: the plan has neither queues nor leases. */
static inline const allot__queues *allot__queues_of(const allot_plan *plan)
{
    return allot__plan_base(plan)->queues;
}
static inline int32_t allot__queue_count(const allot_plan *plan)
{
    const allot__queues *queues = allot__queues_of(plan);
    return queues ? (int32_t)queues->list.count : 0;
}
static inline const allot_queue *allot__queue_at(const allot__queues *queues, int32_t queue)
{
    return (const allot_queue *)queues->list.items + queue;
}

/* Checks queues (Q-10 ... ...), finds sets, pools, limits. Called by sealing:
 * EINVALID with every fault, ENOMEM. */
int allot__queues_seal(allot_plan *plan, allot_report *report);
/* Makes plan->relation by the policy's relation, or P-7; finds cycles: EINVALID. ENOMEM, ESCRIPT,
 * EBUDGET. Of editions too. */
int allot__relation_make(allot_plan *plan, allot_report *report);
void allot__queues_free(allot_plan *plan);

/* What protects the jobs of an application (-1: none) in a queue: value by value the application's,
 * the queue's, the plan's. */
allot_protection allot__protection_of(const allot__queues *queues, int32_t application,
                                      int32_t queue);

#endif
