/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * search.h: which jobs a job may preempt, in what order, and which of them it needs (P-7 ... P-14).
 *
 * Candidates are running jobs of queues that the job's queue may preempt, which no guard of the
 * policy protects, which are not exclusive, backfilling or forced unless the policy says so (P-8,
 * P-40), and which were not started, resumed or chosen in this cycle. Backfilling jobs are
 * preempted only in queues that are preemptable, and by queues of larger PRIORITY than the queue
 * that holds the reservation. Candidates go by the policy's victims; ties: the larger id first
 * (A-4).
 *
 * Rules, in this order, for a job that does not fit:
 *  1. free slots first; victims cover the rest;
 *  2. candidates are taken one after another, each only if it frees something that the job lacks:
 *     slots on hosts of the job's queue (for a suspended job, on its own hosts), a limit in which
 *     the victim then counts less, or a resource that the victim releases as it ends (P-42). Slots
 *     that a victim was given for growth are free with it (P-53). An exclusive job takes whole
 *     hosts, in their order: hosts on which all running jobs are candidates, and on which no job
 *     keeps slots. If that is not enough, all candidates go, in their order, that run where the job
 *     could use slots or count in a limit that binds, until the job fits; then those not needed are
 *     spared. This covers cases in which no single victim frees anything: a host with less than
 *     nothing free, an exceeded limit of hosts, or slots and limits both short;
 *  3. until the job fits. If it never does, no job goes (A-10, P-23);
 *  4. with fewest = "mini_job" victims that the job fits without are spared again, last taken
 *     first; with "optimal_mini_job" a smallest set is taken, the first such set in the order.
 *     optimal_mini_job falls back to mini_job if the job also lacks limits or limits go by hosts,
 *     if hosts are overfull or have exclusive candidates, and for an exclusive or a suspended job.
 *
 * Each queue's candidates are kept in order and merged on demand, and only changes are counted;
 * test/support/plain_search.h computes everything anew at every step, and tests compare the two.
 */
#ifndef ALLOT_ENGINE_JOBS_PREEMPT_SEARCH_H
#define ALLOT_ENGINE_JOBS_PREEMPT_SEARCH_H

#include <allot/dispatch.h>

#include "engine/jobs/preempt/fit.h"
#include "engine/jobs/preempt/list.h"

typedef struct allot__candidates {
    const allot__work *work;
    allot__host_view *view;
    allot__bounds *bounds;
    uint8_t *ineligible; /* by job */
    uint8_t *gone;       /* by job: chosen in the current search */
    /* By queue: the most slots that its candidates can free; slots that guards protect. */
    int64_t *slots_left, *slots_protected;
    int64_t *protected_below; /* by queue: the latter of all that it may preempt; -1: not known */
    int64_t *most_left;       /* by queue: the most that a single candidate could free at first */
    /* By bound: by how much its use would fall without all candidates. */
    int64_t *helps;
    int32_t help_count;
    /* By queue: the sum of slots_left over queues that it may preempt (-1: not known), and the
     * value of `spent` then; `spent`: slots taken off slots_left so far, of all queues. */
    int64_t *reach, *reach_at, spent;
    allot__candidate_rows rows;
    int32_t *stamp;          /* fit.h */
    int32_t *chosen;         /* capacity: all victims */
    int32_t *near, *near_by; /* two buffers for rows on hosts; NULL: not needed yet */
    int32_t near_room;
    struct allot__gain *gains; /* buffers of fewest.c; NULL: not needed yet */
} allot__candidates;

/* What a job wants, and what was found. */
typedef struct allot__found {
    int32_t job;
    const int32_t *victims; /* jobs, in the order in which they go; until the next search */
    int32_t count;
    bool held; /* a victim is being notified of new slots: nothing happens yet, but the
                  victims are taken */
    allot_pending why; /* if there are no victims */
    int32_t binding;   /* the bound (or resource, by `why`) that no victim helps with, or -1 */
    /* Then pending jobs with the same limits that ask for `least` slots or more find no victims
     * either: up to `most` slots because of `why`, beyond because of `above`. */
    int64_t least, most;
    allot_pending above;
} allot__found;

/* Finds candidates among the state's running jobs; calls the policy's functions. The caller drops
 * jobs that this cycle gave orders. ENOMEM, ESCRIPT, EBUDGET. */
int allot__candidates_make(const allot__work *work, allot__host_view *view, allot__bounds *bounds,
                           allot__candidates *out);
/* Finds the victims for a job that does not fit. Changes nothing except the viewer, which becomes
 * the job's queue. ENOMEM. */
int allot__candidates_search(allot__candidates *candidates, allot__found *found);
/* Is it backfill in a reservation whose queue is not below `high` by PRIORITY (P-40)? */
bool allot__backfill_reserved(const allot__queues *queues, const allot__job *job, int32_t high);
/* Is the job exclusive, and so barred from preempting by PREEMPT_JOBTYPE (P-40)? */
static inline bool allot__barred_by_type(const allot__work *work, const allot__job *job)
{
    return (job->flags & ALLOT_JOB_EXCLUSIVE) &&
           !(work->rules[0].policy->job_types & ALLOT_PREEMPT_EXCLUSIVE);
}
/* A job is no longer a candidate; an earlier reason is kept. */
void allot__candidates_drop(allot__candidates *candidates, int32_t job, uint8_t why);
/* A running job that a decision made ineligible is a candidate again. */
void allot__candidates_restore(allot__candidates *candidates, int32_t job);

/* ---- What the files of the search share ------------------------------------------------------ */

/* A search in progress: chosen jobs count as gone. */
typedef struct allot__search {
    allot__candidates *candidates;
    allot__fit fit;
    int64_t lack;  /* slots lacking at the start */
    bool tried;    /* all candidates were visited */
    int32_t count; /* length of candidates->chosen */
} allot__search;

/* choose.c: may the searching job preempt that one? */
bool allot__search_may(const allot__search *search, int32_t job);
/* Chooses a job; unchooses the one at a place. */
void allot__search_take(allot__search *search, int32_t job);
void allot__search_leave(allot__search *search, int32_t place);
/* together.c: once enough tries were in vain, sifts the list (ENOMEM); then, or later: adds
 * candidates on hosts that changed since to its sets. */
int allot__search_sift(allot__candidates *candidates, allot__candidate_list *list);
void allot__search_settle(allot__candidates *candidates);
/* Chooses the candidate at a place, with those before it on hosts where they free slots
 * together, *joined rows in all (or none); and puts those in the order of the list. */
void allot__search_join(allot__search *search, allot__candidate_list *list, int32_t place,
                        int32_t *joined);
void allot__search_joined(allot__search *search, allot__candidate_list *list, int32_t joined);
/* The list of the job's queue; if only hosts of its set help and few jobs run there, only these.
 * NULL: out of memory. */
allot__candidate_list *allot__search_list(allot__search *search);
/* Rule 4 for mini_job. */
void allot__search_spare(allot__search *search);
/* search.c: sums over queues that a queue may preempt. */
int64_t allot__sum_below(const allot__relation *relation, int32_t high, const int64_t *values);
/* fewest.c: do the victims' gains add up, so that the fewest can be found? And rule 4 for
 * optimal_mini_job; false: they do not, or no set was found. *status: ENOMEM. */
bool allot__search_adds_up(const allot__search *search);
bool allot__search_fewest(allot__search *search, int *status);
/* Writes the result of a search and undoes its choices. */
void allot__search_end(allot__search *search, int64_t gains, int64_t changes, allot__found *found);
void allot__search_begin(allot__candidates *candidates, int32_t job, allot__search *out);

#endif
