/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bound.h: limits on jobs, and how far they are used (P-20 ... P-24, Q-33).
 *
 * A limit with `per` has many *bounds*: one for each of its queues, users, groups, hosts. A bound
 * counts what runs and what is suspended; which suspended jobs count depends on the limit:
 *
 *   preemption off                                  all do (P-20)
 *   a queue's own limits                            all do (P-22)
 *   hosts' totals, users' totals                    none do (P-21)
 *   counts of jobs                                  none do (P-24)
 *   groups' totals, groups' and users' per          all do, unless the policy lifts it
 *   processor, users' and groups' per host          (PREEMPT_FOR)
 *   every other                                     all do (P-21)
 *
 * A limit per processor holds on each host, for the host's slots, rounded up as in LSF. A host's
 * own slots are not a bound: view.h counts them.
 *
 * Whether a job fits depends on its state. A suspended job is resumed if running jobs leave enough
 * for it, whether it counts already or not (P-23). A running job that grows counts in limits on
 * jobs already, except in those of hosts that are new to it.
 */
#ifndef ALLOT_ENGINE_JOBS_LIMITS_BOUND_H
#define ALLOT_ENGINE_JOBS_LIMITS_BOUND_H

#include "engine/jobs/limits/view.h"

typedef struct allot__bound {
    int32_t limit;              /* of the plan's */
    int32_t queue, user, group; /* it applies to; -1: not to a single one */
    int32_t host;               /* of the view; -1: not of one host */
    int64_t most;
    int64_t used;   /* slots or jobs that count */
    int64_t asleep; /* ... of these, of suspended jobs */
    int64_t trial;  /* slots of a job that is being placed */
    int64_t
        kept; /* ... and what reservations keep of the bound while a job is tried (allowance.c) */
} allot__bound;

/* A limit that applies to a class of jobs: its bound, or -1: a bound for each host. */
typedef struct allot__bound_entry {
    int32_t limit, queue, user, group;
    int32_t bound;
} allot__bound_entry;

/* Jobs that all limits treat alike: entries[first] ... entries[first + count - 1]. */
typedef struct allot__bound_class {
    int32_t queue, user, group;
    int32_t first, count;
    bool by_host; /* some entries are by host, or of a set of hosts */
} allot__bound_class;

/* Properties of a limit that are read for every job. */
typedef struct allot__bound_trait {
    bool counts; /* suspended jobs count */
    bool jobs;   /* it counts jobs */
    bool by_host, of_hosts;
} allot__bound_trait;

typedef struct allot__bounds {
    const allot__work *work;
    const allot__host_view *view;
    allot__vector list;         /* of allot__bound */
    allot__index index;         /* ... by limit, queue, user, group, host */
    allot__index by_group;      /* classes by queue, user, group, where groups tell them apart */
    allot__bound_trait *traits; /* by limit */
    int32_t *first, *limits;    /* by queue, one more: its limits are limits[first[q]] ... */
    allot__vector entries;      /* of allot__bound_entry */
    allot__vector classes;      /* of allot__bound_class; those of a queue together */
    bool users, groups;         /* some limit distinguishes them */
    int32_t *last;              /* by limit: the newest bound without a host, or -1 */
    int32_t *class_of;          /* by job; NULL: there are no limits */
    const uint8_t *states;      /* by job: its state by now; NULL: as in the state */
    int64_t *pending;           /* by class: 0, except during allot__bounds_wants */
    struct allot__resources *resources; /* resource.h; NULL: the plan has none */
    allot__vector on; /* of int32_t: bounds by host that a change counts in, in order */
} allot__bounds;

/* Counts what runs and is suspended in the state; ENOMEM. */
int allot__bounds_make(const allot__work *work, const allot__host_view *view, allot__bounds *out);
void allot__bounds_free(allot__bounds *bounds);

static inline allot__bound *allot__bound_at(const allot__bounds *bounds, int32_t bound)
{
    return (allot__bound *)bounds->list.items + bound;
}
static inline const allot__job_limit *allot__limit_at(const allot__bounds *bounds, int32_t limit)
{
    const allot__queues *queues = allot__queues_of(bounds->work->plan);
    return (const allot__job_limit *)queues->limits.items + limit;
}
/* What a queue's own limit allows in the cluster as it is now (P-27). */
static inline allot__allowance allot__limit_allows(const allot__bounds *bounds, int32_t limit)
{
    const allot__job_limit *of = allot__limit_at(bounds, limit);
    const allot_queue *queue = allot__queue_at(allot__queues_of(bounds->work->plan), of->queue);
    return of->allows(queue, allot__host_view_slots(bounds->view));
}
/* The limit that binds; -1: none. `binds` is a bound, or -2 - the limit's number if no job uses a
 * limit by host yet. */
static inline int32_t allot__binding_limit(const allot__bounds *bounds, int32_t binding)
{
    return binding >= 0   ? allot__bound_at(bounds, binding)->limit
           : binding < -1 ? -2 - binding
                          : -1;
}
/* An allot_job_state. */
static inline int allot__bounds_state(const allot__bounds *bounds, int32_t job)
{
    return bounds->states ? bounds->states[job]
                          : allot__job_at(bounds->work->state->jobs, job)->state;
}
/* A job's class, 0 ...; -1 without limits. */
static inline int32_t allot__bounds_class(const allot__bounds *bounds, int32_t job)
{
    return !bounds->class_of ? -1 : bounds->class_of[job];
}

/* The entries of a job's class, *count of them. */
static inline const allot__bound_entry *allot__bounds_entries(const allot__bounds *bounds,
                                                              int32_t job, int32_t *count)
{
    *count = 0;
    if (!bounds->class_of)
        return NULL;
    const allot__bound_class *class =
        (const allot__bound_class *)bounds->classes.items + bounds->class_of[job];
    *count = class->count;
    return allot__vector_from(&bounds->entries, (size_t) class->first, sizeof(allot__bound_entry));
}

/* May a job use so many slots more, on any hosts? Checks only limits without hosts. If not,
 * *binding is the first bound that it would exceed. */
bool allot__bounds_allow(const allot__bounds *bounds, int32_t job, int64_t slots, int32_t *binding);
/* How many of a host's free slots a job may use; *binding is the bound that leaves the fewest. */
int32_t allot__bounds_on_host(const allot__bounds *bounds, int32_t job, int32_t host, int32_t slots,
                              int32_t *binding);
/* Is any limit of the job's class by host, or of a set of hosts? */
bool allot__bounds_by_host(const allot__bounds *bounds, int32_t job);
/* A job is to have slots on a host: allot__bounds_on_host counts them from now on.
 * allot__bounds_tried takes all of it back once the job's places are found or not. */
void allot__bounds_try(allot__bounds *bounds, int32_t job, int32_t host, int32_t slots);
void allot__bounds_tried(allot__bounds *bounds, int32_t job);
/* The word of PREEMPT_FOR (ALLOT_LIFT_...) that leaves suspended jobs out of a limit (P-21), or
 * 0. */
int32_t allot__limit_lift(const allot__job_limit *limit);
static inline const allot__bound_trait *allot__limit_trait(const allot__bounds *bounds,
                                                           int32_t limit)
{
    return &bounds->traits[limit];
}
/* The bound of an entry on a host, or -1: no job uses any of it yet. */
int32_t allot__bound_find(const allot__bounds *bounds, const allot__bound_entry *entry,
                          int32_t host);
/* The same, made where it is new; -1: out of memory. `sole`: it is known to be new. */
int32_t allot__bound_make(allot__bounds *bounds, const allot__bound_entry *entry, int32_t host,
                          bool sole);

/* Counts (1) or takes back (-1) what an order of a kind, ALLOT_ORDER_START to RESIZE, does to a
 * job's bounds; taken back, a job ends, is suspended, or loses what it grew by. ENOMEM, only for 1:
 * nothing is counted. */
int allot__bounds_change(allot__bounds *bounds, int32_t job, allot_order_kind kind,
                         const allot__job_place *places, int32_t count, int32_t sign);
/* What a bound would count of such an order; a suspended job counts already where it does. */
typedef struct allot__bound_part {
    int32_t bound;
    int64_t amount;
} allot__bound_part;
/* Appends the parts of all bounds that the order would count in to `to`. ENOMEM. */
int allot__bounds_parts(allot__bounds *bounds, int32_t job, allot_order_kind kind,
                        const allot__job_place *places, int32_t count, allot__vector *to);
/* A running job ends or is suspended (-1), together with slots given to it for growth (P-53); or it
 * runs on as before (1). */
int allot__job_turn(allot__host_view *view, allot__bounds *bounds, int32_t job, bool ends,
                    int32_t sign);

/* Slots that a queue's pending jobs would use within the limits if enough were free, at most
 * `pending`, which they ask for. Its classes of jobs take what limits leave one after another, each
 * as much as it has pending. Limits on numbers of jobs are left out. */
int64_t allot__bounds_wants(allot__bounds *bounds, int32_t queue, int64_t pending);

#endif
