/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * apply.h: a decision carried out: the state that it leads to.
 *
 * A decision changes nothing by itself. allot_state_apply does in a state what the decision says,
 * and nothing else: no time passes, no task ends, no reclaimed slot comes back. The caller reports
 * these as they happen, by setters or by the functions below.
 */
#ifndef ALLOT_APPLY_H
#define ALLOT_APPLY_H

#include <allot/dispatch.h>
#include <allot/members.h>

ALLOT_C_BEGIN

/* Callbacks for a caller that keeps data beside a state: what carrying out a decision changes. Each
 * may be NULL. */
typedef struct allot_applied {
    void *ud;
    /* Nonzero: a grant changes nothing, since another source reports what its leaf has. */
    int (*stands)(void *ud, const allot_grant *grant);
    /* Called when the state lists the new reclaims, from number `first` on, and is otherwise
     * unchanged. Only this call can still fail: a status below 0 removes these reclaims. */
    int (*ready)(void *ud, int32_t first);
    /* A reclaim that was in flight before, or a job, is about to become `item`, or to end. */
    void (*item)(void *ud, allot_item kind, const void *item, int32_t ends);
    /* What the state states of a leaf has changed. */
    void (*leaf)(void *ud, int32_t group, int32_t consumer);
} allot_applied;

/* Choices of the caller. All 0: the cluster reports later which tasks have started. */
typedef struct allot_apply {
    int32_t starts;          /* nonzero: tasks that grants name run, from the decision's time on */
    const char *task_ids;    /* other slots granted to a leaf with listed tasks run new tasks, one
                                on each host, whose ids are this text and a number from 1. NULL: no
                                new tasks */
    const char *reclaim_ids; /* a reclaim's id is this text and the reclaim's number, or the next
                                free number. NULL: "r" */
    const allot_applied *applied; /* NULL: no callbacks */
} allot_apply;

/*
 * Carries a decision out in an open state: the decision's own, or a copy of it under the same plan
 * (allot_state_copy). `how` NULL: all 0.
 *
 *     grants    `allocated` of a leaf grows. If it is not stated and the state has tasks of the
 *               leaf, the tasks have the slots: `how` states which tasks run.
 *     reclaims  are in flight, with deadline, claims and tasks. The leaf holds the slots, and the
 *               tasks (also those of allot_decision_kill) run, until the state changes.
 *     flights   of reclaims that were in flight before: a reclaim whose slots are all back ends;
 *               the others have the decision's deadline.
 *     loans     are the decision's; those that ended are gone.
 *     contracts, use of queues, and when jobs were preempted for a resource: as decided.
 *     jobs      start, resume and grow, are suspended, wait again, or end by ALLOT_KILL. `ran`
 *               includes the time until now, and `since` is now. Held orders change nothing
 *               yet.
 *     times     allot_state_last is the decision's time. If options or windows need them
 *               (reclaim_interval, claim_delay), leaves have the times since when they wait, and
 *               when they gave slots back.
 *
 * Tasks, jobs and reclaims keep their numbers until the state is sealed; new ones follow. A
 * decision reads its state: once the state has changed, the decision's amounts may be wrong, and
 * once the state is sealed again, only allot_decision_free may be called. So read the decision
 * before, or apply it to a copy. `now` is unchanged: the caller sets the next time.
 *
 * EUSAGE: the state is sealed, is of another plan, or lacks what the decision's state had; the
 * decision has no orders (ALLOT_STAGE_ORDERS). ENAME: ids would be longer than 255 bytes. ENOMEM.
 */
ALLOT_API int allot_state_apply(allot_state *state, const allot_decision *decision,
                                const allot_apply *how);

/* Changes a job as an order that is not held does at `now`, for callers that keep jobs of their
 * own. After the action ALLOT_KILL the job is pending. `hosts` has space for the job's hosts and
 * the order's places; the job may borrow from `hosts`, and names from the order. */
ALLOT_API void allot_job_apply(allot_job *job, const allot_job_order *order, int64_t now,
                               allot_job_host *hosts);

enum {
    ALLOT_TASKS_WAIT = 1,   /* the tasks wait again, preempted once more; else they end */
    ALLOT_RECLAIM_STAYS = 2 /* the reclaim stays in flight, returned: its claimants get its slots in
                               the next cycle; else it ends */
};
/* Reports to an open state that all slots of its i-th reclaim in flight are back: the reclaim's
 * tasks stop, and the leaf's `allocated`, if stated, falls by the slots. `how`: bits of the above.
 * ENOENT: the reclaim has ended; EUSAGE. */
ALLOT_API int allot_state_reclaim_return(allot_state *state, int32_t i, int32_t how);
/* Reports that some slots of a reclaim are back: it has fewer slots, and claims get them best
 * first; `allocated` stays. ERANGE: more slots than it has. And that a task of a reclaim is gone:
 * another task may have its id from now on. ENOENT: no such reclaim, or it does not name the task.
 */
ALLOT_API int allot_state_reclaim_back(allot_state *state, const char *id, int64_t slots);
ALLOT_API int allot_state_reclaim_leave(allot_state *state, const char *id, const char *task);

ALLOT_C_END

#endif
