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
 *  2. candidates are taken one after another that make room where the job lacks some: on hosts of
 *     the job's queue, for a suspended job on its own hosts, below a limit in which the victim then
 *     counts less, or of a resource that the victim holds and releases as it ends (P-42). Slots
 *     that a victim was given for growth are free with it (P-53). An exclusive job takes whole
 *     hosts, in their order: hosts on which all running jobs are candidates, and on which no job
 *     keeps slots. If that is not enough, candidates that run where the job could use slots, or
 *     that count in a limit that binds, all go, in their order, until the job fits, and those not
 *     needed are spared again: on a host with less than nothing free, below a limit of hosts that
 *     is exceeded, or where both slots and limits are short, one victim by itself makes no room;
 *  3. until the job fits. If it never does, no job goes (A-10, P-23);
 *  4. with fewest = "mini_job" victims that the job fits without are spared again, last taken
 *     first; with "optimal_mini_job" a smallest set is taken, the first such set in the order. It
 *     is as mini_job if the job also lacks limits or limits go by hosts, if hosts have more than
 *     fits or exclusive jobs that may go, and if the search is for an exclusive or a suspended job.
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
    uint8_t *gone;       /* by job: away in the search that goes on */
    /* By queue: slots that its candidates can make free, at most; and those that guards protect. */
    int64_t *slots_left, *slots_protected;
    int64_t *protected_below; /* the latter's sum over those that it may preempt; -1: not known */
    int64_t *most_left;       /* the most that one of them could when the search began */
    /* By bound: what it has less in use with all candidates gone. */
    int64_t *helps;
    int32_t help_count;
    /* By queue: the sum of slots_left over those that it may preempt, when slots that had been
     * taken off slots_left in all were so many; -1: it is not known. */
    int64_t *reach, *reach_at, spent;
    allot__candidate_rows rows;
    int32_t *stamp;          /* fit.h */
    int32_t *chosen;         /* room for victims */
    int32_t *near, *near_by; /* room for rows on hosts, twice; NULL: not asked for yet */
    int32_t near_room;
    struct allot__gain *gains; /* fewest.c's room; NULL: not asked for yet */
} allot__candidates;

/* What a job wants, and what was found. */
typedef struct allot__found {
    int32_t job;
    const int32_t *victims; /* jobs, in the order in which they go; until the next search */
    int32_t count;
    bool held; /* a victim is being notified of new slots: nothing happens yet, but the
                  victims are taken */
    allot_pending why; /* when there are none */
    int32_t binding;   /* the bound (or resource, by `why`) that no victim helps with, or -1 */
    /* Then: pending jobs with the same limits find no victims either, from so many slots on, and up
     * to `most` for that reason; above `most` for another. */
    int64_t least, most;
    allot_pending above;
} allot__found;

/* Finds candidates; calls the policy's functions. Running jobs are those of the state; drop jobs
 * that were started or resumed since. ENOMEM, ESCRIPT, EBUDGET. */
int allot__candidates_make(const allot__work *work, allot__host_view *view, allot__bounds *bounds,
                           allot__candidates *out);
/* Finds the victims for a job that does not fit as it is; nothing is changed, but that the view
 * becomes that of the job's queue. ENOMEM. */
int allot__candidates_search(allot__candidates *candidates, allot__found *found);
/* Why a job is not a candidate by its type, guards aside: ALLOT__ELIGIBLE ...
 * ALLOT__INELIGIBLE_FORCED. */
uint8_t allot__job_ineligible(const allot__work *work, const allot__job *job);
/* Is it backfill in a reservation whose queue is not below `high` by PRIORITY (P-40)? */
bool allot__backfill_reserved(const allot__queues *queues, const allot__job *job, int32_t high);
/* May a job preempt no job, since it is exclusive and PREEMPT_JOBTYPE does not name that (P-40)? */
static inline bool allot__barred_by_type(const allot__work *work, const allot__job *job)
{
    return (job->flags & ALLOT_JOB_EXCLUSIVE) &&
           !(work->rules[0].policy->job_types & ALLOT_PREEMPT_EXCLUSIVE);
}
/* A job is no longer a candidate; an earlier reason stands. */
void allot__candidates_drop(allot__candidates *candidates, int32_t job, uint8_t why);
/* A running job that a decision made ineligible is a candidate again. */
void allot__candidates_restore(allot__candidates *candidates, int32_t job);

/* ---- What the files of the search share ------------------------------------------------------ */

/* A search that goes on: those chosen are away. */
typedef struct allot__search {
    allot__candidates *candidates;
    allot__fit fit;
    int64_t lack;  /* at its beginning */
    bool tried;    /* all that may go were looked at */
    int32_t count; /* of candidates->chosen */
} allot__search;

/* choose.c: may the job that searches preempt that one, by what it is? */
bool allot__search_may(const allot__search *search, int32_t job);
/* One more is chosen; the one at a place is so no more. */
void allot__search_take(allot__search *search, int32_t job);
void allot__search_leave(allot__search *search, int32_t place);
/* The list of the job's queue; where only hosts of its set help and few run there, of these. NULL:
 * out of memory. */
allot__candidate_list *allot__search_list(allot__search *search);
/* Rule 4 of mini_job. */
void allot__search_spare(allot__search *search);
/* search.c: sums over queues that a queue may preempt. */
int64_t allot__sum_below(const allot__relation *relation, int32_t high, const int64_t *values);
/* fewest.c: can the fewest victims be found, since what they free adds up? And rule 4 of
 * optimal_mini_job; false: it cannot, or no set was found. *status: ENOMEM. */
bool allot__search_adds_up(const allot__search *search);
bool allot__search_fewest(allot__search *search, int *status);
/* The result of a search that is over; all that were away are back. */
void allot__search_end(allot__search *search, int64_t gains, int64_t changes, allot__found *found);
void allot__search_begin(allot__candidates *candidates, int32_t job, allot__search *out);

#endif
