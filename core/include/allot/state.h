/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.h: what is demanded and held. */
#ifndef ALLOT_STATE_H
#define ALLOT_STATE_H

#include <allot/plan.h>

ALLOT_C_BEGIN

/* ---- State: what is demanded and held -------------------------------------------------------- */

/* A task attribute's value; `attribute` is the number of allot_plan_task_attribute_at, and not of a
 * tag. */
typedef struct allot_task_value {
    int32_t attribute;
    int64_t value;
} allot_task_value;

/* A task runs, or it waits to start with all its slots at once (C-13). */
typedef enum allot_task_state { ALLOT_TASK_RUNNING = 0, ALLOT_TASK_PENDING } allot_task_state;
/* "running", "pending"; NULL: no such state. */
ALLOT_API const char *allot_task_state_name(int state);

/* Slots that a task has or wants in one more resource group. */
typedef struct allot_task_slots {
    int32_t group;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
} allot_task_slots;

/* A task. Strings and lists are copied; NULL where unknown. */
typedef struct allot_task {
    const char *id;   /* unique, 1 ... 255 bytes */
    int32_t consumer; /* a leaf */
    int32_t group;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
    /* Unix seconds; 0: unknown. A task whose start is unknown counts as running since 1970: it goes
     * after tasks whose loss is known, and `lost` of decisions does not count it. */
    int64_t started, submitted;
    const char *session, *host;
    const char *slot;  /* tasks of a leaf with the same host and slot share it: it counts once, with
                          the most slots that one of them states */
    int64_t preempted; /* how often it was reclaimed before */
    const char *const *tags;
    int32_t tag_count, value_count;
    const allot_task_value *values;
    allot_task_state state;
    int64_t priority; /* of a pending task: the highest starts first; 1 ... 10000, 0: 1 */
    /* Its slots of other groups, each named once. Session, host and slot are of `group` alone. */
    const allot_task_slots *also;
    int32_t also_count;
} allot_task;

/* A session of a leaf. */
typedef struct allot_session {
    const char *id; /* unique, 1 ... 255 bytes; copied */
    int32_t consumer, group;
    allot_scheduling scheduling; /* the same for all sessions of a leaf */
    int64_t priority;            /* 1 ... 10000 */
    int64_t preemption_rank;     /* 0 ... ALLOT_AMOUNT_MAX */
    int64_t created, minimum;
    int64_t demand; /* -1: the demand of its leaf */
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

/* A reclaim ordered earlier and not finished: `slots` of `consumer` are in flight for the
 * claimants, whose slots add up to at most `slots`. Everything is copied. */
typedef struct allot_in_flight {
    const char *id; /* may be NULL */
    int32_t consumer, group;
    int64_t slots;
    int64_t deadline; /* INT64_MAX: unknown, and so never over */
    const allot_claim *claims;
    int32_t claim_count;
    /* Ids of the tasks that go; a task that the state does not have has freed its slots. */
    const char *const *tasks;
    int32_t task_count;
    int64_t gone; /* further tasks of the reclaim that ended, whose ids other tasks may have now */
} allot_in_flight;

/* A state is filled (in any order), then sealed. It can be opened again for changes. */
ALLOT_API int allot_state_new(const allot_plan *plan, allot_state **out);
ALLOT_API void allot_state_free(allot_state *state);
ALLOT_API int allot_state_now(allot_state *state, int64_t now);
/* The actual size of a group, 0 ... ALLOT_AMOUNT_MAX. Unset, or -1: the sum of open hosts' slots if
 * plan or state names hosts of the group, else the planned size. */
ALLOT_API int allot_state_slots(allot_state *state, int32_t group, int64_t slots);
/* Demand and allocated of a leaf. `allocated` not set: the slots of its running tasks; `demand` not
 * set, or -1: the slots of all its tasks (C-13). EUSAGE: not a leaf; ERANGE. */
ALLOT_API int allot_state_demand(allot_state *state, int32_t group, int32_t consumer,
                                 int64_t slots);
ALLOT_API int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer,
                                    int64_t slots);
/* How many of a leaf's allocated slots without a listed task run work all the same, at most all of
 * them. Such slots are given back last; unused slots are given back first (C-8). 0 ...
 * ALLOT_AMOUNT_MAX; not set: 0. No effect on a leaf without any task. */
ALLOT_API int allot_state_unlisted(allot_state *state, int32_t group, int32_t consumer,
                                   int64_t slots);
/* How a host is closed (E-34). */
typedef enum allot_closed {
    ALLOT_OPEN = 0,
    ALLOT_DRAIN,     /* nothing new runs there; running tasks count, and stay until they end */
    ALLOT_CLOSED_NOW /* and running tasks are reclaimed, with their grace, for no claimant */
} allot_closed;
/* "false", "drain", "reclaim", as documents have them; NULL for no such number. */
ALLOT_API const char *allot_closed_name(int closed);
/* A host as it is now: slots -1 = as planned; closed hosts do not count. A host that the plan does
 * not name is of group 0. ENOENT: the plan does not name the host, and slots are not given. */
ALLOT_API int allot_state_host(allot_state *state, const char *name, int64_t slots,
                               allot_closed closed);
/* A host's load in thousandths, 0 ... ALLOT_AMOUNT_MAX; and the consumer that it is exclusive to
 * (ALLOT_ROOT: none). ENOENT: neither the plan nor allot_state_host named the host. */
ALLOT_API int allot_state_host_load(allot_state *state, const char *name, int64_t load);
ALLOT_API int allot_state_host_exclusive(allot_state *state, const char *name, int32_t consumer);
/* Adds a task. EEXIST: the id is taken. ERANGE, EUSAGE: also if the plan's task attributes do not
 * allow or have a value, if a pending task has a host or slot, since it is nowhere yet, and if a
 * task of several groups has a slot. */
ALLOT_API int allot_state_task(allot_state *state, const allot_task *task);
/* Adds `count` tasks of one group that differ only in their ids: the task's id and, each in as many
 * digits as the last, 0 ... count - 1. Much cheaper than adding them one by one. ENAME: also if
 * these ids would be longer than 255 bytes. */
ALLOT_API int allot_state_task_copies(allot_state *state, const allot_task *task, int32_t count);
/* Adds a reclaim in flight. EUSAGE, ERANGE; ENAME: a task's id is not of 1 ... 255 bytes. */
ALLOT_API int allot_state_in_flight(allot_state *state, const allot_in_flight *reclaim);
/* Adds a session. EEXIST, ENAME, ERANGE, EUSAGE (not a leaf). */
ALLOT_API int allot_state_session(allot_state *state, const allot_session *session);
/* Adds a loan; loans between the same two add up. EUSAGE: a side is not a leaf, or both are the
 * same. */
ALLOT_API int allot_state_loan(allot_state *state, const allot_loan *loan);
/* Ends all loans of an open state. EUSAGE. */
ALLOT_API int allot_state_loans_end(allot_state *state);
/* States that `now` is rounded down to whole seconds, as a running service's clock is: a grace
 * other than 0 then ends a second later, so that no task has less than its grace. */
ALLOT_API int allot_state_now_rounded(allot_state *state, int32_t rounded);
/* The time of the cycle before this one: a switch of windows since then is enforced (C-10). Not
 * set: a second ago, so that a cycle at the very time of a switch enforces it. */
ALLOT_API int allot_state_last(allot_state *state, int64_t last);
/* The time when a leaf last had to give slots back, and the time since when it has waited for
 * slots, for the options reclaim_interval and claim_delay. Not set: never, and since now. */
ALLOT_API int allot_state_reclaimed_at(allot_state *state, int32_t group, int32_t consumer,
                                       int64_t when);
ALLOT_API int allot_state_waiting_since(allot_state *state, int32_t group, int32_t consumer,
                                        int64_t when);
/* The time of all use that states none (C-14, Q-41), by default now. From then on leaves have held
 * the slots that they have when the state is sealed first. Use of a time after `now`, which
 * documents may not state, does not fade until then. EUSAGE: the plan counts no use. */
ALLOT_API int allot_state_usage_at(allot_state *state, int64_t when);
/* What has been set is how things stand. From here on a leaf whose allocated slots change has other
 * slots from the state's `now` on, so that `now` is to be set before them. The slots of a leaf
 * whose `allocated` is not set change when the state is sealed, not when its tasks do: seal it
 * before `now` moves on. Sealing a state for the first time does this. EUSAGE. */
ALLOT_API int allot_state_begin(allot_state *state);
/* Checks the whole state (allocated below the tasks' slots, ...). EINVALID with diagnostics. */
ALLOT_API int allot_state_seal(allot_state *state, allot_report *report);
/* Makes a sealed state changeable again; its contents stay. */
ALLOT_API int allot_state_open(allot_state *state);
/* Whether cycles over the state compute everything anew (1), or go on from the cycle before where
 * they can (0, the default), which decides the same at the cost of what changed. */
ALLOT_API int allot_state_full(allot_state *state, int32_t full);
/* Removes from an open state everything added one by one: tasks, sessions, reclaims in flight,
 * loans and jobs. Values that were set stay: times, demand, allocated, sizes, hosts, use of queues.
 * The state keeps its memory, so that it can be filled anew for every cycle. EUSAGE. */
ALLOT_API int allot_state_clear(allot_state *state);
/* Removes one task from an open state. The others keep their order; sealing numbers them anew.
 * Until then allot_state_tasks counts the removed task, and allot_state_task_at gives ENOENT for
 * it. ENOENT: no task has that id; EUSAGE. */
ALLOT_API int allot_state_task_end(allot_state *state, const char *id);
/* Makes an unsealed state of another plan with the contents of a state, matched by names, in memory
 * of that plan's engine. ENOENT: the plan lacks a thing that the state has (a consumer or group
 * that wants and holds nothing, and past use of queues and resources, may be lacking); EINVALID:
 * the plan cannot have such a state; both with a diagnostic. ENOMEM. */
ALLOT_API int allot_state_copy(const allot_state *state, const allot_plan *plan,
                               allot_report *report, allot_state **out);
/* The same, but afterwards `state` may only be freed: if everything that it may name has the same
 * numbers in both plans, its lists move without a copy. */
ALLOT_API int allot_state_move(allot_state *state, const allot_plan *plan, allot_report *report,
                               allot_state **out);

/* The items of each kind, in the order of adding. Borrowed until the state is sealed after the item
 * was removed. EUSAGE, or NULL: no such number. ENOENT, or NULL: the item was removed. A task of
 * several groups has a number for each, one after another; allot_state_task_at returns ENOENT for
 * all but the first. */
ALLOT_API int32_t allot_state_tasks(const allot_state *state);
ALLOT_API int allot_state_task_at(const allot_state *state, int32_t i, allot_task *out);
/* The id of a task that is nearest to one that was not found, for hints; NULL: none is near. The
 * first 10,000 tasks are compared. Borrowed as above. */
ALLOT_API const char *allot_state_task_nearest(const allot_state *state, const char *id);
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

ALLOT_C_END

#endif
