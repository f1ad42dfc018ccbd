/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.h: a plan's queues as the engine reads them, once it is sealed.
 *
 * Queues are leaves of the first level, so queue q is consumer handle q. Everything here is the
 * base plan's: variants share it, but for the relation, which goes by the policy.
 */
#ifndef ALLOT_MODEL_JOBS_QUEUE_H
#define ALLOT_MODEL_JOBS_QUEUE_H

#include <allot/lease.h>
#include <allot/queue.h>

#include "base/name.h"
#include "base/pool.h"
#include "base/root.h"
#include "model/plan/plan.h"

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
    /* Whom it names; both NULL: all. A job counts whose user, or one of whose groups (its own,
     * and those that the plan puts its user in), is named. */
    uint64_t *users;                  /* a bit by the plan's user; NULL: it names no users */
    uint64_t *groups;                 /* a bit by the plan's group; likewise */
    uint64_t *but_users, *but_groups; /* those that are excepted; NULL: none */
    int32_t set;                      /* of hosts; -1: all */
    int32_t queue;                    /* whose own it is; -1: stated for itself */
} allot__job_limit;

/* Does it tell groups apart, or users? */
static inline bool allot__limit_by_group(const allot__job_limit *limit)
{
    return limit->groups != NULL || (limit->stated.per & ALLOT_PER_GROUP);
}
static inline bool allot__limit_by_user(const allot__job_limit *limit)
{
    return limit->users != NULL || (limit->stated.per & ALLOT_PER_USER) || limit->but_users ||
           limit->but_groups;
}

/* A user group; a limit may name one that the plan states no users of. */
typedef struct allot__user_group {
    const char *name;
    bool stated;
} allot__user_group;

typedef struct allot__member {
    int32_t user, group;
} allot__member;

typedef struct allot__queues {
    allot__pool pool;   /* of strings and lists */
    allot__vector list; /* of allot_queue */
    allot__vector applications, limits,
        leases; /* of allot__application, allot__job_limit, allot_lease */
    allot_protection params;
    allot_decay decay;
    const allot__roots *roots; /* of its parts; after sealing */
    /* Users that the plan names, and groups of them; users and groups that jobs alone name come
     * behind, in the state (job.h). */
    allot__vector users;  /* of const char * */
    allot__vector groups; /* of allot__user_group */
    allot__index user_index, group_index, application_index, lease_index;
    allot__vector members;   /* of allot__member; one may be there twice */
    allot__vector resources; /* of allot_resource */
    allot__index resource_index;
    int32_t preemption_wait; /* s; 0: not stated */
    int32_t limits_stated;   /* so many of the limits; queues' own are behind them */
    /* After sealing. */
    allot__pool sealed; /* of all that is there then alone */
    allot__vector sets; /* of allot__host_set; set 0 is all hosts */
    int32_t *set_of;    /* by queue */
    allot__slot_pool *pools;
    int32_t pool_count;
    int32_t *pool_of; /* by queue, or -1 */
    bool preempts;    /* some queue is preemptive or preemptable (P-21), or a policy says who is */
    /* By the plan's user, one more: its groups, each once: group_of[user_first[u]] ... */
    int32_t *user_first, *group_of;
} allot__queues;

/* Who may preempt whom, by the policy of a plan or variant: row-major bits, and preferences where
 * there are any. */
typedef struct allot__relation {
    int32_t count;   /* queues */
    uint64_t *may;   /* bit low of row high: words per row = (count + 63) / 64 */
    uint64_t *by;    /* the same by low: bit high of row low */
    int32_t *levels; /* by high * count + low; NULL: nobody prefers anybody */
    int8_t *refused; /* likewise, an allot_refusal; NULL: no policy was asked */
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

/* A plan's queues, made when they are first asked for; NULL: out of memory. */
allot__queues *allot__queues_open(allot_plan *plan);
void allot__queues_free(allot_plan *plan);

/* Checks queues (Q-10 ... ...), limits and contracts, finds sets, pools and what
 * limits name. Called by sealing: EINVALID with every fault, ENOMEM. */
int allot__queues_seal(allot_plan *plan, allot_report *report);
/* Takes back what sealing made. */
void allot__queues_unseal(allot_plan *plan);
/* Makes the limits that queues state, and finds what limits name: a step of it. */
int allot__limits_seal(allot_plan *plan, allot_report *report);
/* Makes pools (a step), and checks them and what queues state beside each other. */
int allot__pools_make(allot_plan *plan);
int allot__pools_check(const allot_plan *plan, allot_report *report);
int allot__leases_check(const allot_plan *plan, allot_report *report);
/* Where hosts are known, a plan's and its windows' other sizes are warned of: they change nothing.
 */
void allot__sizes_check(const allot_plan *plan, allot_report *report);
/* Do queues stand alone in a plan, and does the group's policy dispatch them? EINVALID. Of variants
 * too. */
int allot__check_queues(const allot_plan *plan, int32_t group, allot_report *report);
/* Of the base alone: are there consumers, groups or branches that queues do not stand beside? */
int allot__check_beside(const allot_plan *plan, allot_report *report);
/* Makes plan->relation by the policy's relation, or P-7; finds cycles: EINVALID. ENOMEM, ESCRIPT,
 * EBUDGET. Of variants too, which share their base's where the policy is the same. */
int allot__relation_make(allot_plan *plan, allot_report *report);
void allot__relation_free(allot_plan *plan);

/* Seconds between cycles that preempt for one resource (P-36). */
int32_t allot__preemption_wait(const allot__queues *queues);

/* Names that a list has of queues or hosts, at `path` in a document. */
typedef struct allot__listing {
    bool hosts; /* else queues */
    const void *names;
    size_t stride; /* bytes from a name to the next */
    int32_t count;
    const char *path;
    int32_t consumer; /* whose; -1: nobody's */
    allot_report *report;
} allot__listing;
/* The number of the i-th name, or -1. */
int32_t allot__listing_at(const allot_plan *plan, const allot__listing *listing, int32_t i);
/* Says that there is nothing of the i-th name: EINVALID. */
int allot__listing_unknown(const allot_plan *plan, const allot__listing *listing, int32_t i);
/* Sets the bits of those that are there, and tells of the others: EINVALID. */
int allot__listing_bits(const allot_plan *plan, const allot__listing *listing, uint64_t *bits);
/* Words for a bit each. */
static inline size_t allot__words(int32_t bits)
{
    return ((size_t)bits + 63) / 64;
}
/* The set of the hosts listed, none meaning all; EINVALID, ENOMEM. */
int allot__set_make(allot_plan *plan, const allot__listing *listing, int32_t *out);

/* The run limit of jobs that state none: their application's (-1: none), else their queue's, or
 * ALLOT_NONE. */
int32_t allot__run_limit_of(const allot__queues *queues, int32_t application, int32_t queue);
/* What protects the jobs of an application (-1: none) in a queue: value by value the application's,
 * the queue's, the plan's. */
allot_protection allot__protection_of(const allot__queues *queues, int32_t application,
                                      int32_t queue);
/* Are the numbers sound? ERANGE. */
int allot__protection_check(const allot_protection *protection);

#endif
