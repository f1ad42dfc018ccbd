/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view.h: the hosts that queues run on, in one cycle, and what is free there for which queue.
 *
 * Hosts stand in the order in which jobs are put on them: least loaded first (by the state's load,
 * or else the part of slots in use), ties in plan order. The order is that of the cycle's
 * beginning. Without hosts there is one host with all slots.
 *
 * A suspended job leaves its slots to queues that may preempt its queue, and keeps them from all
 * other jobs that start or grow (P-25); with preemption off, from all jobs (P-20). So free slots
 * depend on the asking queue, the *viewer*. From suspended jobs with a later turn it keeps them,
 * too (P-15, P-25): a job being resumed sees all slots on which no job runs, except those of jobs
 * that had their turn and are still suspended. So the first suspended job can always be resumed on
 * slots where no job runs.
 */
#ifndef ALLOT_ENGINE_JOBS_LIMITS_VIEW_H
#define ALLOT_ENGINE_JOBS_LIMITS_VIEW_H

#include <allot/dispatch.h>

#include "base/bits.h"
#include "engine/rows/work.h"
#include "model/state/job.h"
#include "model/jobs/queue.h"

typedef struct allot__host_view {
    const allot__work *work;
    int32_t count;    /* hosts, in that order */
    int32_t *site;    /* of the state; -1: the only one */
    int32_t *slots;   /* of an open host; 0 of a closed one */
    int64_t *free;    /* for the viewer; below 0: used and kept slots exceed the host's */
    int64_t *kept;    /* ... slots that suspended jobs keep from the viewer */
    int64_t *claimed; /* slots that suspended jobs keep from the next one to be resumed */
    int32_t *claims;  /* by job: the number of its newest claim, from 1; 0: none */
    int32_t claim_count, claims_ended; /* ... and the count when all claims last ended */
    int64_t *load;                     /* thousandths */
    int32_t *running;                  /* jobs that run there */
    int32_t *alone; /* of these the exclusive ones (P-40): 1 closes it to others */
    bool exclusive; /* there is an exclusive job, even if pending */
    int32_t
        *owner; /* the queue that the state gives the host to, -1: none; NULL: no host has one */
    int32_t *leased;  /* slots that contracts keep there; NULL: no contracts */
    int32_t *host_of; /* by site: its place in the order, or -1; NULL: there is a single host */
    uint64_t *open; /* a bit by host: free > 0, not alone, and given to the viewer or to no queue */
    uint64_t *open_words; /* a bit by word of `open`: the word is not 0 */
    /* By the plan's set of hosts: bits in the view's order, and slots of open hosts. */
    uint64_t **sets;
    int64_t *most;
    int64_t *foreign; /* by queue: of these, slots of hosts given to other queues; NULL: of none */
    int32_t set_count;
    size_t words;
    /* Free slots are counted on demand; a count is valid until `changes` changes. `gains` changes
     * whenever a host may have more free than before, for any viewer: until then jobs of a queue
     * that did not fit still do not fit. */
    int64_t *total, *counted;
    int64_t changes, gains;
    allot__bits changed; /* hosts whose free slots changed; without levels: not asked for yet */
    /* Suspended jobs: a list by queue, which may also have jobs that are no longer suspended. */
    int32_t viewer;      /* a queue; -1: none yet, so no job keeps slots */
    allot__bits keepers; /* queues with suspended jobs, by their places in relation->low */
    int32_t *kept_first, *kept_next; /* by queue, by job; -1: no more */
    uint8_t *keeps;                  /* by job: ALLOT__KEEP_... */
} allot__host_view;

enum { ALLOT__KEEP_LISTED = 1, ALLOT__KEEP_NOW = 2 };

/* Puts hosts in order and subtracts what runs; ENOMEM. */
int allot__host_view_make(const allot__work *work, allot__host_view *out);
/* The same in two steps: before any job is counted; then with all jobs. */
int allot__host_view_begin(const allot__work *work, allot__host_view *out);
void allot__host_view_fill(allot__host_view *view);
/* Slots of all open hosts. */
static inline int64_t allot__host_view_slots(const allot__host_view *view)
{
    return view->most[0];
}
/* Is the host in the set? */
static inline bool allot__host_view_has(const allot__host_view *view, int32_t set, int32_t host)
{
    return view->sets[set][(size_t)host / 64] >> host % 64 & 1;
}
/* The host of a job's place, or -1. */
static inline int32_t allot__host_view_host(const allot__host_view *view, int32_t site)
{
    return !view->host_of ? 0 : view->host_of[site];
}
/* The site of a decision's place. */
static inline int32_t allot__place_site(const allot_plan *plan, const allot_place *place)
{
    return place->host >= 0 ? place->host : (int32_t)plan->hosts.list.count + ~place->host;
}
/* Has the host slots for the viewer? */
static inline bool allot__host_view_open(const allot__host_view *view, int32_t host)
{
    return view->open[(size_t)host / 64] >> host % 64 & 1;
}
/* Is it given to the queue, or to none? */
static inline bool allot__host_view_mine(const allot__host_view *view, int32_t host, int32_t queue)
{
    return !view->owner || view->owner[host] < 0 || view->owner[host] == queue;
}
/* Slots of a queue's hosts that its jobs may have at most, as hosts are given to queues now. */
static inline int64_t allot__host_view_most(const allot__host_view *view, int32_t set,
                                            int32_t queue)
{
    return view->most[set] - (view->foreign ? view->foreign[queue] : 0);
}
/* No job runs there, and no job keeps slots from the viewer. */
static inline bool allot__host_view_empty(const allot__host_view *view, int32_t host)
{
    return view->running[host] == 0 && view->kept[host] == 0 &&
           view->free[host] == view->slots[host];
}

/* Does a job that is preempted by this action end, and keep nothing? */
static inline bool allot__action_ends(allot_action action)
{
    return action == ALLOT_REQUEUE || action == ALLOT_KILL;
}
/* ... by the action of the job's queue? */
static inline bool allot__job_ends(const allot_plan *plan, const allot__job *job)
{
    return allot__action_ends(allot__queue_at(allot__queues_of(plan), job->queue)->on_preempt);
}
/* Slots that a job has, including those given for growth. */
static inline int64_t allot__job_all_slots(const allot__job *job)
{
    int64_t slots = job->slots;
    for (int32_t i = 0; i < job->grown_count; i++)
        slots += allot__job_grown(job)[i].slots;
    return slots;
}
/* The host of the i-th of a job's places, or -1. */
static inline int32_t allot__job_host_at(const allot__host_view *view, const allot__job *job,
                                         int32_t i)
{
    return allot__host_view_host(view, allot__job_places(job)[i].site);
}

/* Takes slots on a host (below 0: gives them back), and updates the bits. */
void allot__host_view_take(allot__host_view *view, int32_t host, int32_t slots);
/* A job begins (1) or ceases (-1) to run on slots of a host. */
void allot__host_view_run(allot__host_view *view, const allot__job *job, int32_t host,
                          int32_t slots, int32_t sign);
/* Takes all slots of a running job (1), or gives them back as it stops (-1); `keeps`: it is
 * suspended and keeps its own. */
void allot__host_view_job(allot__host_view *view, int32_t number, bool keeps, int32_t sign);
/* Applies (1) or takes back (-1) an order that gives a job places. */
void allot__host_view_order(allot__host_view *view, allot_order_kind kind, int32_t number,
                            const allot__job_place *places, int32_t count, int32_t sign);
/* The first host of a set from `from` on that is open to the viewer, or -1. */
int32_t allot__host_view_next(const allot__host_view *view, int32_t set, int32_t from);
/* Slots that are free for the viewer on a set's hosts. */
int64_t allot__host_view_total(allot__host_view *view, int32_t set);

/* Subtracts slots that contracts of this cycle keep (ENOMEM); and how many these are on a set's
 * hosts. Of a contract's slots, in the order of its hosts, the consumer has the last; while
 * the contract is inactive, no job starts on the provider's idle ones either (L-7, A-43). An
 * exclusive contract leaves the provider's own count of slots as it is (L-8). */
int allot__host_view_lease(allot__host_view *view, const allot_lease_part *parts);
int64_t allot__host_view_leased(const allot__host_view *view, int32_t set);

/* A suspended job claims its slots from jobs with later turns; and: no job claims slots any more.
 */
void allot__host_view_claim(allot__host_view *view, int32_t job);
void allot__host_view_claim_none(allot__host_view *view);
/* Free slots of a host for a job that is to be resumed. */
static inline int64_t allot__host_view_unclaimed(const allot__host_view *view, int32_t host)
{
    return view->free[host] + view->kept[host] - view->claimed[host];
}

/* Makes a queue the viewer. A change of viewer visits only queues with suspended jobs that keep
 * slots from just one of the two viewers. As queues come by falling priority, they can preempt
 * fewer and fewer, so a cycle visits each suspended job about once. */
void allot__host_view_as(allot__host_view *view, int32_t queue);
/* A stopped job keeps the slots of its places; or no longer, as it is resumed. */
void allot__host_view_keep(allot__host_view *view, int32_t job);
void allot__host_view_unkeep(allot__host_view *view, int32_t job);

#endif
