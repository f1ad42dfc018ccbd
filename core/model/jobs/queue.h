/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.h: a plan's queues as the engine reads them, once it is sealed.
 *
 * Queues are leaves of the first level, so queue q is consumer handle q. Everything here belongs to
 * the base plan, and variants share it; only the relation depends on the policy.
 */
#ifndef ALLOT_MODEL_JOBS_QUEUE_H
#define ALLOT_MODEL_JOBS_QUEUE_H

#include <allot/lease.h>
#include <allot/queue.h>

#include "base/name.h"
#include "base/memory.h"
#include "base/wide.h"
#include "model/plan/plan.h"

/* Hosts that a queue, a limit or a contract names: a bit by host of the plan; NULL: all. Each set
 * is stored once. */
typedef struct allot__host_set {
    uint64_t *bits;
    int32_t count; /* hosts in it */
} allot__host_set;

typedef struct allot__slot_pool {
    const char *name;
    int32_t *queues; /* in the order of the file */
    int32_t count;
    int32_t most;     /* MAX_SLOTS_IN_POOL of its first queue; ALLOT_NONE */
    bool by_priority; /* USE_PRIORITY_IN_POOL of its first queue */
    int32_t set;      /* of hosts */
} allot__slot_pool;

typedef struct allot__application {
    const char *name;
    allot_protection protection;
    int32_t run_limit; /* ALLOT_NONE */
} allot__application;

/* The most slots that a limit allows, and what part of which slots that is (P-27). */
typedef struct allot__allowance {
    int32_t slots;   /* ALLOT_NONE: there is no limit */
    int32_t percent; /* of `whole`; 0: stated in slots */
    int64_t whole;
} allot__allowance;

/* A limit, with its names looked up; a queue's own limits (QJOB_LIMIT, ...) are among them. */
typedef struct allot__job_limit {
    allot_job_limit stated; /* lists of names are in the pool */
    /* In place of stated.most, in a cluster of so many slots; NULL: that holds. */
    allot__allowance (*allows)(const allot_queue *queue, int64_t slots);
    bool queue_level; /* it counts suspended jobs, whatever PREEMPT_FOR is (P-22) */
    uint64_t *queues; /* a bit by queue; NULL: all */
    /* Users and groups that it names; both NULL: all. A job counts if its user, its own group, or a
     * group that the plan puts its user in is named. */
    uint64_t *users;                  /* a bit by the plan's user; NULL: it names no users */
    uint64_t *groups;                 /* a bit by the plan's group; likewise */
    uint64_t *but_users, *but_groups; /* excepted users and groups; NULL: none */
    int32_t set;                      /* of hosts; -1: all */
    int32_t queue;                    /* the queue that states it; -1: stated by itself */
} allot__job_limit;

/* What a queue's jobs may have in all, and each user's, in a cluster of so many slots. */
allot__allowance allot__queue_allows(const allot_queue *queue, int64_t slots);
allot__allowance allot__user_allows(const allot_queue *queue, int64_t slots);

/* Does the limit distinguish groups, or users? */
static inline bool allot__limit_by_group(const allot__job_limit *limit)
{
    return limit->groups != NULL || (limit->stated.per & ALLOT_PER_GROUP);
}
static inline bool allot__limit_by_user(const allot__job_limit *limit)
{
    return limit->users != NULL || (limit->stated.per & ALLOT_PER_USER) || limit->but_users ||
           limit->but_groups;
}

/* A user group; limits may name groups for which the plan states no users. */
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
    /* Users and user groups that the plan names; those that only jobs name follow in the state
     * (job.h). */
    allot__vector users;  /* of const char * */
    allot__vector groups; /* of allot__user_group */
    allot__index user_index, group_index, application_index, lease_index;
    allot__vector members;   /* of allot__member, perhaps with duplicates */
    allot__vector resources; /* of allot_resource */
    allot__index resource_index;
    int32_t preemption_wait; /* s; 0: not stated */
    int32_t limits_stated;   /* the number of stated limits; queues' own follow them */
    /* After sealing. */
    allot__pool sealed; /* memory of what only a sealed plan has */
    allot__vector sets; /* of allot__host_set; set 0 is all hosts */
    int32_t *set_of;    /* by queue */
    allot__slot_pool *pools;
    int32_t pool_count;
    int32_t *pool_of; /* by queue, or -1 */
    bool preempts;    /* some queue is preemptive or preemptable (P-21), or a policy relates */
    /* By user of the plan, one more: its groups, without duplicates: group_of[user_first[u]] ... */
    int32_t *user_first, *group_of;
} allot__queues;

/* A set of queues for each queue, as ranges of places in an order of all queues. */
typedef struct allot__ranges {
    int32_t *order, *place; /* queues in that order; by queue: its place */
    size_t *first;          /* by queue, one more: of its bounds */
    int32_t *bounds;        /* where ranges begin and end by turns, rising; not NULL */
} allot__ranges;

static inline void allot__ranges_at(const allot__ranges *ranges, int32_t queue,
                                    const int32_t **bounds, const int32_t **end)
{
    *bounds = ranges->bounds + ranges->first[queue];
    *end = ranges->bounds + ranges->first[queue + 1];
}

/* Finds the ranges of places that are in just one of two sets, each given by its bounds. */
typedef struct allot__differing {
    const int32_t *a, *a_end, *b, *b_end;
    int32_t from, to; /* a range */
    bool in_a;        /* it is in the first set */
    bool next_a, next_b;
} allot__differing;

/* The next one; false: there are no more. */
static inline bool allot__differing_next(allot__differing *it)
{
    bool differs = false;
    while (!differs && (it->a < it->a_end || it->b < it->b_end)) {
        bool of_b = it->a == it->a_end || (it->b < it->b_end && *it->b < *it->a);
        it->from = it->to;
        it->to = of_b ? *it->b : *it->a;
        it->in_a = it->next_a;
        differs = it->next_a != it->next_b && it->from < it->to;
        if (it->a < it->a_end && *it->a == it->to) {
            it->next_a = !it->next_a;
            it->a++;
        }
        if (it->b < it->b_end && *it->b == it->to) {
            it->next_b = !it->next_b;
            it->b++;
        }
    }
    return differs;
}

/* Which queue may preempt which, by the policy of a plan or variant. */
typedef struct allot__relation {
    int32_t count;           /* queues */
    allot__ranges low, high; /* by queue: those it may preempt; those that may preempt it */
    int8_t *refused; /* by high * count + low: what functions refused, an allot_refusal; NULL: the
                        policy has none */
    allot__vector bounds; /* of low */
    allot__pool pool;     /* all else */
} allot__relation;

static inline bool allot__may_preempt(const allot__relation *relation, int32_t high, int32_t low)
{
    const int32_t *first, *end, place = relation->low.place[low];
    allot__ranges_at(&relation->low, high, &first, &end);
    const int32_t *from = first;
    while (from < end) {
        const int32_t *middle = from + (end - from) / 2;
        if (*middle <= place)
            from = middle + 1;
        else
            end = middle;
    }
    return (from - first) % 2 != 0;
}
/* May jobs of the queue preempt any others? */
static inline bool allot__preempts(const allot__relation *relation, int32_t queue)
{
    return relation->low.first[queue] < relation->low.first[queue + 1];
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

/* A plan's queues, made on first use; NULL: out of memory. */
allot__queues *allot__queues_open(allot_plan *plan);
void allot__queues_free(allot_plan *plan);

/* Checks queues (Q-10 ... ...), limits and contracts; makes sets and pools, and
 * looks up names in limits. Called by sealing. EINVALID with every fault, ENOMEM. */
int allot__queues_seal(allot_plan *plan, allot_report *report);
/* Undoes allot__queues_seal. */
void allot__queues_unseal(allot_plan *plan);
/* A step of sealing: makes the limits that queues state, and looks up names in limits. */
int allot__limits_seal(allot_plan *plan, allot_report *report);
/* A step: makes pools; then checks them and what queues state beside each other. */
int allot__pools_make(allot_plan *plan);
int allot__pools_check(const allot_plan *plan, allot_report *report);
int allot__leases_check(const allot_plan *plan, allot_report *report);
/* Warns of sizes of a plan and its windows that differ from its hosts: they have no effect. */
void allot__sizes_check(const allot_plan *plan, allot_report *report);
/* Checks that queues stand alone in a plan and that the group's policy dispatches them; for
 * variants too. EINVALID. */
int allot__check_queues(const allot_plan *plan, int32_t group, allot_report *report);
/* For the base only: checks that no consumers, groups or branches stand beside queues. EINVALID. */
int allot__check_beside(const allot_plan *plan, allot_report *report);
/* Makes plan->relation by the policy's tests; for variants too, which share their base's if the
 * policy is the same. EINVALID: it has a cycle; ENOMEM, ESCRIPT, EBUDGET. */
int allot__relation_make(allot_plan *plan, allot_report *report);
void allot__relation_free(allot_plan *plan);
/* Why a queue may not preempt another: the first test that refuses it, an allot_refusal. */
int32_t allot__relation_refusal(const allot_plan *plan, int32_t high, int32_t low);
/* The level at which a queue prefers another; 0: none. */
int32_t allot__preference(const allot__queues *queues, int32_t high, int32_t low);

/* Seconds between cycles that preempt for one resource (P-36). */
int32_t allot__preemption_wait(const allot__queues *queues);

/* A list of names of queues or hosts, at `path` in a document. */
typedef struct allot__listing {
    bool hosts; /* else queues */
    const void *names;
    size_t stride; /* bytes from a name to the next */
    int32_t count;
    const char *path;
    int32_t consumer; /* the consumer that states it, or -1 */
    allot_report *report;
} allot__listing;
/* The number of the i-th name, or -1. */
int32_t allot__listing_at(const allot_plan *plan, const allot__listing *listing, int32_t i);
/* Reports that no queue or host has the i-th name: EINVALID. */
int allot__listing_unknown(const allot_plan *plan, const allot__listing *listing, int32_t i);
/* Sets the bits of names that exist, and reports the others: EINVALID. */
int allot__listing_bits(const allot_plan *plan, const allot__listing *listing, uint64_t *bits);
/* Words of 64 bits for so many bits. */
static inline size_t allot__words(int32_t bits)
{
    return ((size_t)bits + 63) / 64;
}
/* The set of the listed hosts; an empty list means all. EINVALID, ENOMEM. */
int allot__set_make(allot_plan *plan, const allot__listing *listing, int32_t *out);

/* The run limit of jobs that state none: their application's (-1: no application), else their
 * queue's, or ALLOT_NONE. */
int32_t allot__run_limit_of(const allot__queues *queues, int32_t application, int32_t queue);
/* The protection of jobs of an application (-1: none) in a queue: each value is the application's,
 * else the queue's, else the plan's. */
allot_protection allot__protection_of(const allot__queues *queues, int32_t application,
                                      int32_t queue);
/* Checks the numbers of a protection. ERANGE. */
int allot__protection_check(const allot_protection *protection);

#endif
