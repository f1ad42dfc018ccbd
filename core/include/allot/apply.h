/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * apply.h: a decision carried out: the state that it leads to.
 *
 * A decision changes nothing by itself. allot_state_apply does in a state what the decision says,
 * and nothing else: no time passes, no task ends, no reclaimed slot comes back. Those are told to
 * the state as they happen, or, by whoever plays the cluster, by the functions below.
 */
#ifndef ALLOT_APPLY_H
#define ALLOT_APPLY_H

#include <allot/dispatch.h>
#include <allot/members.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who keeps something beside a state hears what carrying a decision out changes. Every function may
 * be NULL. */
typedef struct allot_applied {
    void *ud;
    /* Whether a grant stands, as somebody else says what its leaf has: then nothing is done. */
    int (*stands)(void *ud, const allot_grant *grant);
    /* Nothing has changed yet but that the state lists the new reclaims, from number `first` on,
     * and nothing but this can fail any more. A status below 0: then they are gone again. */
    int (*ready)(void *ud, int32_t first);
    /* A reclaim that was in flight before, or a job, is about to be as `item` says, or to end. */
    void (*item)(void *ud, allot_item kind, const void *item, int32_t ends);
    /* What the state tells of a leaf has changed. */
    void (*leaf)(void *ud, int32_t group, int32_t consumer);
} allot_applied;

/* What a decision leaves to the caller. All 0: the cluster says later which tasks have started. */
typedef struct allot_apply {
    int32_t starts;          /* nonzero: tasks that grants name run, from the decision's time on */
    const char *task_ids;    /* other slots granted to a leaf whose tasks the state has run as new
                                tasks, one on each host: their ids are this and a number from 1 on.
                                NULL: no such tasks */
    const char *reclaim_ids; /* ids of reclaims are this and the reclaim's number, or the next that
                                no other has. NULL: "r" */
    const allot_applied *applied; /* NULL: nobody hears of it */
} allot_apply;

/*
 * Carries a decision out in an open state: the decision's own, or a copy of it under the same plan
 * (allot_state_copy). `how` NULL: all 0.
 *
 *     grants    `allocated` of a leaf grows. Where it is not stated and the state has tasks of the
 *               leaf, these have the slots: `how` says which tasks run.
 *     reclaims  are in flight, with deadline, claims and tasks. The leaf holds the slots, and the
 *               tasks run, until the state is told otherwise; so do tasks of allot_decision_kill.
 *     flights   of reclaims that were in flight before: those whose slots are all back end, and
 *               others have the decision's deadline.
 *     loans     are the decision's; those that ended are gone.
 *     contracts, use of queues, and when jobs were preempted for a resource: as decided.
 *     jobs      start, resume and grow, are suspended, wait again, or end by ALLOT_KILL. What they
 *               had run until now is added up, and `since` is now. Orders that are held change
 *               nothing yet.
 *     times     allot_state_last is the decision's time. Where options or windows ask for them
 *               (reclaim_interval, claim_delay), leaves have the times since when they wait, and
 *               when they gave slots back.
 *
 * Numbers of tasks, jobs and reclaims stay until the state is sealed; what is new has numbers
 * behind them. A decision reads its state: once that has changed, amounts that the decision gives
 * may be wrong, and once it is sealed again only allot_decision_free may be called of it. So read
 * the decision before, or apply it to a copy. `now` stays as it was: the caller says what time it
 * is next.
 *
 * EUSAGE: the state is sealed, or of another plan, or has not what the decision's state had; the
 * decision has no orders (ALLOT_STAGE_ORDERS). ENAME: ids would be longer than 255 bytes. ENOMEM.
 */
ALLOT_API int allot_state_apply(allot_state *state, const allot_decision *decision,
                                const allot_apply *how);

/* What an order that is not held makes of a job at `now`, for whoever keeps jobs of their own. Of
 * one with the action ALLOT_KILL: pending again. `hosts` has room for the hosts of the job and the
 * places of the order; the job may borrow it, and names of the order. */
ALLOT_API void allot_job_apply(allot_job *job, const allot_job_order *order, int64_t now,
                               allot_job_host *hosts);

enum {
    ALLOT_TASKS_WAIT = 1,   /* its tasks wait again, preempted once more; else they end */
    ALLOT_RECLAIM_STAYS = 2 /* it stays in flight, returned: its slots are its claimants' in the
                               next cycle. Else it ends */
};
/* Says of an open state that all slots of its i-th reclaim in flight are back: its tasks run no
 * more, and the leaf's `allocated`, where it is stated, is less by the slots. `how`: bits of the
 * above. ENOENT: the reclaim has ended; EUSAGE. */
ALLOT_API int allot_state_reclaim_return(allot_state *state, int32_t i, int32_t how);
/* Some slots of a reclaim of an open state are back: it has fewer, and claims get them best first;
 * `allocated` stays. ERANGE: it has not as many. And a task that a reclaim names is gone: another
 * may have its id from now on. ENOENT: there is no such reclaim, or it does not name the task. */
ALLOT_API int allot_state_reclaim_back(allot_state *state, const char *id, int64_t slots);
ALLOT_API int allot_state_reclaim_leave(allot_state *state, const char *id, const char *task);

#ifdef __cplusplus
}
#endif

#endif
