/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.h: what is demanded and held. */
#ifndef ALLOT_STATE_H
#define ALLOT_STATE_H

#include <allot/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State: what is demanded and held -------------------------------------------------------- */

/* A task attribute's value; `attribute` as allot_plan_task_attribute_at numbers it, no tag. */
typedef struct allot_task_value {
    int32_t attribute;
    int64_t value;
} allot_task_value;

/* A running task. Strings and lists are copied; NULL where unknown. */
typedef struct allot_task {
    const char *id;   /* unique, 1 ... 255 bytes */
    int32_t consumer; /* a leaf */
    int32_t group;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
    /* Unix seconds; 0: not known. Whose start is not known counts as running since 1970, so that it
     * goes behind those whose loss is known, and adds nothing to what is told as lost. */
    int64_t started, submitted;
    const char *session, *host;
    const char *slot;  /* tasks of a leaf with the same host and slot share it: it counts once, with
                          the most slots that one of them states */
    int64_t preempted; /* how often it was reclaimed before */
    const char *const *tags;
    int32_t tag_count, value_count;
    const allot_task_value *values;
} allot_task;

/* A session of a leaf. */
typedef struct allot_session {
    const char *id; /* unique, 1 ... 255 bytes; copied */
    int32_t consumer, group;
    allot_scheduling scheduling; /* the same for all sessions of a leaf */
    int64_t priority;            /* 1 ... 10000 */
    int64_t preemption_rank;     /* 0 ... ALLOT_AMOUNT_MAX */
    int64_t created, minimum;
    int64_t demand; /* -1: as much as its leaf demands */
} allot_session;

/* Slots lent by one leaf to another (C-11). */
typedef struct allot_loan {
    int32_t group, lender, borrower;
    int64_t slots;
} allot_loan;

typedef struct allot_claim {
    int32_t consumer; /* a leaf, or a parent: for its own reserve (C-5) */
    int64_t slots;
} allot_claim;

/* A reclaim ordered earlier and not finished: `slots` of `consumer` are on their way to the
 * claimants (the sum of whose slots is at most `slots`). Everything is copied. */
typedef struct allot_in_flight {
    const char *id; /* may be NULL */
    int32_t consumer, group;
    int64_t slots;
    int64_t deadline; /* INT64_MAX: not known, and so never over */
    const allot_claim *claims;
    int32_t claim_count;
    /* The tasks that go, by id; those that are no more in the state have freed their slots. */
    const char *const *tasks;
    int32_t task_count;
    int32_t gone; /* how many more it named that are no more, and whose ids others may have now */
} allot_in_flight;

/* A state is filled (in any order), then sealed. It can be opened again to be changed. */
ALLOT_API int allot_state_new(const allot_plan *plan, allot_state **out);
ALLOT_API void allot_state_free(allot_state *state);
ALLOT_API int allot_state_now(allot_state *state, int64_t now);
/* The actual size of a group, 0 ... ALLOT_AMOUNT_MAX. Unset: the sum of open hosts' slots where
 * the plan or state names hosts of the group, else the planned size. */
ALLOT_API int allot_state_slots(allot_state *state, int32_t group, int64_t slots);
/* Of a leaf. EUSAGE: not a leaf. ERANGE. `allocated` not set: the sum of its tasks' slots. */
ALLOT_API int allot_state_demand(allot_state *state, int32_t group, int32_t consumer,
                                 int64_t slots);
ALLOT_API int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer,
                                    int64_t slots);
/* Of what a leaf is allocated beyond the slots of its tasks so many run work of which the state
 * lists no tasks (or all of it, if that is less): they are given back last, the rest, which nothing
 * uses, first (C-8). 0 ... ALLOT_AMOUNT_MAX; not set: 0. Of a leaf without any task it says
 * nothing. */
ALLOT_API int allot_state_unlisted(allot_state *state, int32_t group, int32_t consumer,
                                   int64_t slots);
/* How a host is closed (E-34). */
typedef enum allot_closed {
    ALLOT_OPEN = 0,
    ALLOT_DRAIN,     /* nothing new runs there; what does, counts and stays until it ends */
    ALLOT_CLOSED_NOW /* and what runs there is reclaimed, with its grace, for nobody */
} allot_closed;
/* A host as it is now: slots -1 = as planned; closed hosts do not count. A host that the plan
 * does not know is of group 0. ENOENT: it is not known and slots are not given. */
ALLOT_API int allot_state_host(allot_state *state, const char *name, int64_t slots,
                               allot_closed closed);
/* Its load in thousandths, 0 ... ALLOT_AMOUNT_MAX; and whom it is exclusive to (ALLOT_ROOT:
 * nobody). The host is as planned or was told of before: ENOENT. */
ALLOT_API int allot_state_host_load(allot_state *state, const char *name, int64_t load);
ALLOT_API int allot_state_host_exclusive(allot_state *state, const char *name, int32_t consumer);
/* EEXIST: the id is taken. ERANGE, EUSAGE: also of a value that the plan's task attributes do not
 * allow or know. */
ALLOT_API int allot_state_task(allot_state *state, const allot_task *task);
/* EUSAGE, ERANGE; ENAME: a task's id is not of 1 ... 255 bytes. */
ALLOT_API int allot_state_in_flight(allot_state *state, const allot_in_flight *reclaim);
/* EEXIST, ENAME, ERANGE, EUSAGE (not a leaf). */
ALLOT_API int allot_state_session(allot_state *state, const allot_session *session);
/* Several of the same two add up. EUSAGE: no leaves, or the same. */
ALLOT_API int allot_state_loan(allot_state *state, const allot_loan *loan);
/* When the cycle before this one ran: a switch of windows since then is enforced (C-10). Not set: a
 * second ago, so that the cycle at the very time of a switch sees it. */
ALLOT_API int allot_state_last(allot_state *state, int64_t last);
/* When a leaf last had to give slots back, and since when it has waited for slots: for the options
 * reclaim_interval and claim_delay. Not set: never, and since now. */
ALLOT_API int allot_state_reclaimed_at(allot_state *state, int32_t group, int32_t consumer,
                                       int64_t when);
ALLOT_API int allot_state_waiting_since(allot_state *state, int32_t group, int32_t consumer,
                                        int64_t when);
/* Checks whole (allocated below the tasks' slots, ...). EINVALID with diagnostics. */
ALLOT_API int allot_state_seal(allot_state *state, allot_report *report);
/* Makes a sealed state changeable again; what was set stays. */
ALLOT_API int allot_state_open(allot_state *state);
/* Takes out of an open state what was added one by one: tasks, sessions, reclaims in flight, loans
 * and jobs. What was set stays: times, demand, allocated, sizes, hosts, use of queues. The memory
 * stays for what comes next, so that a state can be filled anew for every cycle. EUSAGE. */
ALLOT_API int allot_state_clear(allot_state *state);
/* Takes out what decisions before ordered alone: reclaims in flight and loans. EUSAGE. */
ALLOT_API int allot_state_clear_orders(allot_state *state);
/* Takes one task out of an open state; the others keep their order, and are numbered anew when the
 * state is sealed: until then allot_state_tasks counts it, and allot_state_task_at says ENOENT of
 * it. What its strings took comes back with allot_state_clear. ENOENT: none has that id; EUSAGE. */
ALLOT_API int allot_state_task_end(allot_state *state, const char *id);
/* What a sealed state tells, under another plan, by names: to be sealed. It takes its memory from
 * that plan's engine. ENOENT: the plan lacks somebody whom the state tells of other than that it
 * wants and holds nothing; EINVALID: it cannot have such a state; both with a diagnostic. ENOMEM.
 */
ALLOT_API int allot_state_copy(const allot_state *state, const allot_plan *plan,
                               allot_report *report, allot_state **out);

/* Also of the other way round: what was added of each kind, in the order of adding. Borrowed until
 * the next is added. EUSAGE, or NULL: there is no such. */
ALLOT_API int32_t allot_state_tasks(const allot_state *state);
ALLOT_API int allot_state_task_at(const allot_state *state, int32_t i, allot_task *out);
ALLOT_API int32_t allot_state_sessions(const allot_state *state);
ALLOT_API const allot_session *allot_state_session_at(const allot_state *state, int32_t i);
ALLOT_API int32_t allot_state_reclaims(const allot_state *state);
ALLOT_API int allot_state_reclaim_at(const allot_state *state, int32_t i, allot_in_flight *out);
ALLOT_API int32_t allot_state_loans(const allot_state *state);
ALLOT_API const allot_loan *allot_state_loan_at(const allot_state *state, int32_t i);

ALLOT_API int64_t allot_state_now_get(const allot_state *state);
/* After sealing. */
ALLOT_API int64_t allot_state_slots_get(const allot_state *state, int32_t group);
ALLOT_API int64_t allot_state_demand_get(const allot_state *state, int32_t group, int32_t consumer);
ALLOT_API int64_t allot_state_allocated_get(const allot_state *state, int32_t group,
                                            int32_t consumer);

#ifdef __cplusplus
}
#endif

#endif
