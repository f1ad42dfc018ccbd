/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* column.h: the columns that a policy's rules can read, by kind of row. */
#ifndef ALLOT_COLUMN_H
#define ALLOT_COLUMN_H

#include <allot/report.h>

ALLOT_C_BEGIN

/* ---- Columns --------------------------------------------------------------------------------- */

/*
 * Columns of consumers. Plan columns are set in a plan; the others are computed.
 * A policy's attributes follow as ALLOT_COLUMN_COUNT, ALLOT_COLUMN_COUNT + 1, ... in the order of
 * their declaration; in a plan, in the order in which its policies brought them (same name: same
 * column).
 */
#define ALLOT_COLUMN_MAP(XX)                                                                       \
    XX(OWNED, "owned", "owned slots, scaled to the group's size (C-1)")                            \
    XX(RESERVE, "reserve", "slots never lent, at most those owned (C-1)")                          \
    XX(LIMIT, "limit", "most slots it may use; none reads as 1000000000")                          \
    XX(RANK, "rank", "0 is best; larger is worse")                                                 \
    XX(SHARE, "share", "share ratio")                                                              \
    XX(GRACE, "grace", "seconds a task has to end once its slot is reclaimed")                     \
    XX(EXCLUSIVE, "exclusive", "true: hosts on which it has a slot are closed to others (H-14)")   \
    XX(REBALANCE, "rebalance", "false: drains at a switch of windows, nothing is taken (A-71)")    \
    XX(CONFIGURED, "configured", "owned slots as the plan states them, unscaled")                  \
    XX(GROUP_SLOTS, "group_slots", "slots that its group has now, the same for all consumers")     \
    XX(DEMAND, "demand", "slots wanted; of a parent: the need of its children (C-2)")              \
    XX(NEED, "need", "max(reserve, min(demand, limit)) (C-2)")                                     \
    XX(ALLOCATED, "allocated", "slots held")                                                       \
    XX(USAGE, "usage", "slot-seconds that it has used, decayed (C-14); of a parent the sum")       \
    XX(USED_OVER_SHARE, "used_over_share",                                                         \
       "usage * 1000 / what it owns, or / share if its siblings own nothing, rounded down (C-14)") \
    XX(IN_FLIGHT, "in_flight", "slots already being given back (C-6)")                             \
    XX(PARENT_SLOTS, "parent_slots",                                                               \
       "slots that it and its siblings divide: its parent's quota, or those of the group; "        \
       "in functions alone")                                                                       \
    XX(QUOTA, "quota", "slots it is entitled to now (C-3); from distribution on")                  \
    XX(RECEIVED, "received", "idle slots it was given this cycle (C-5); in reclaim")               \
    XX(OVER, "over", "slots above its target (C-6); in reclaim")

typedef enum allot_column {
#define ALLOT_COLUMN_ENUM(name, text, doc) ALLOT_##name,
    ALLOT_COLUMN_MAP(ALLOT_COLUMN_ENUM)
#undef ALLOT_COLUMN_ENUM
        ALLOT_COLUMN_COUNT
} allot_column;

/* The first eight, OWNED to REBALANCE, are columns that a plan states. */
#define ALLOT_PLAN_COLUMNS 8

/* In the columns of a function of consumers: the sum of a column, built in or an attribute, over a
 * row and its siblings, those that the function's policy does not govern left out. Not of
 * PARENT_SLOTS. */
#define ALLOT_SUMS           128
#define ALLOT_SUM_OF(column) (ALLOT_SUMS + (column))

/* "owned" and its text; NULL for a column that is not built in. Static. */
ALLOT_API const char *allot_column_name(int column);
ALLOT_API const char *allot_column_doc(int column);
/* The built-in column of that name, or -1. */
ALLOT_API int allot_column_find(const char *name, size_t len);

/* ---- Columns of tasks and sessions ----------------------------------------------------------- */

/* The kind of a function's or a key's rows. */
typedef enum allot_rows {
    ALLOT_CONSUMERS = 0,
    ALLOT_TASKS,
    ALLOT_SESSIONS,
    ALLOT_QUEUES, /* of a pool, when its slices are cut */
    ALLOT_LEASES, /* contracts of shared lease */
    ALLOT_HOSTS   /* only of requirements */
} allot_rows;

/* Columns of tasks; a policy's task attributes follow as ALLOT_TASK_COLUMN_COUNT, ... in the order
 * of their declaration. Tasks that share a slot of a host go together, as one row.
 *
 * Jobs of queues are such rows, too. For a task, a column "of a job" is 0, or 1000000000 if the
 * column counts down. For a job, a column "of its session" is 0; only priority is the job's own. */
#define ALLOT_TASK_COLUMN_MAP(XX)                                                                  \
    XX(SLOTS, "slots", "slots that become free when it goes")                                      \
    XX(STARTED, "started",                                                                         \
       "time of its start, Unix seconds, 0 if unknown; of several on a slot the last")             \
    XX(SUBMITTED, "submitted", "time of its submission, likewise")                                 \
    XX(RAN, "ran",                                                                                 \
       "seconds it has run, counted from 1970 if its start is unknown; "                           \
       "of several on a slot the sum (A-78)")                                                      \
    XX(PREEMPTED, "preempted", "how often it was reclaimed before; of several the most")           \
    XX(PREEMPTION_RANK, "preemption_rank", "its session's; 0 without one")                         \
    XX(PRIORITY, "priority", "its session's; 1 without one; of a job its own")                     \
    XX(CREATED, "created", "time when its session was created; 0 without one")                     \
    XX(SESSION_OVER, "session_over",                                                               \
       "slots its session holds above what it deserves, or below; "                                \
       "as a key of `victims` computed anew for each slot that goes")                              \
    XX(IMPORTANCE, "importance",                                                                   \
       "preemption_rank, or priority if sessions are scheduled by priority; "                      \
       "on an exclusive host the best there (XV-4)")                                               \
    XX(HOST, "host",                                                                               \
       "its host's place in plan order, shuffled by a seed; without one: last; "                   \
       "of several the host with the least load")                                                  \
    XX(LOAD, "load", "its host's load in thousandths; 0 if unknown; of several the least")         \
    XX(LOT, "lot", "a random number from the plan's seed and its id, always the same (A-79)")      \
    XX(JOINED, "joined",                                                                           \
       "time when its session was created, if sessions are scheduled by priority; else 0 (XV-1)")  \
    XX(LEAST_RAN, "least_ran", "seconds it has run; of several on a slot the least")               \
    XX(QUEUE, "queue", "of a job its queue's place in the plan, from 0")                           \
    XX(QUEUE_PRIORITY, "queue_priority", "of a job its queue's PRIORITY (P-2)")                    \
    XX(PREFERENCE, "preference",                                                                   \
       "of a job the level at which the preempting queue prefers its queue (P-11); 0: none")       \
    XX(QUEUE_ORDER, "queue_order",                                                                 \
       "of a job its queue's place, from 1, by the levels of the preempting queue (P-11); "        \
       "0 if the preempting queue prefers no queue (A-2)")                                         \
    XX(UNINTERRUPTED, "uninterrupted",                                                             \
       "seconds since it was started or resumed; of several on a slot the least")                  \
    XX(REMAINING, "remaining", "seconds of a job until its run limit; 1000000000 without one")     \
    XX(SUSPENDED_FOR, "suspended_for", "seconds that a job was suspended in all")                  \
    XX(PREEMPTIONS_LEFT, "preemptions_left",                                                       \
       "of a job max_job_preempt less how often it was preempted (P-30); "                         \
       "1000000000 without that parameter; with 1 or more the job may go, also below")             \
    XX(PREEMPT_TIME_LEFT, "preempt_time_left",                                                     \
       "of a job max_total_time_preempt less the seconds that it was suspended (P-31)")            \
    XX(INTERVAL_OVER, "interval_over",                                                             \
       "of a job its uninterrupted seconds less no_preempt_interval (P-32)")                       \
    XX(RUN_TIME_LEFT, "run_time_left",                                                             \
       "of a job no_preempt_run_time less the seconds that it has run (P-33)")                     \
    XX(FINISH_TIME_LEFT, "finish_time_left",                                                       \
       "of a job its remaining seconds less no_preempt_finish_time (P-34)")                        \
    XX(USER, "user",                                                                               \
       "of a job its user's place among the users of all jobs, by name, from 1; 0 without one")    \
    XX(GROUP, "group", "of a job its user group's place, likewise")                                \
    XX(WAITED, "waited", "seconds since it was submitted; 0 if that is unknown")                   \
    XX(USAGE, "usage",                                                                             \
       "of a job the slot-seconds that its user's jobs have used, of all queues, decayed (C-14); " \
       "0 without a user")

typedef enum allot_task_column {
#define ALLOT_TASK_COLUMN_ENUM(name, text, doc) ALLOT_TASK_##name,
    ALLOT_TASK_COLUMN_MAP(ALLOT_TASK_COLUMN_ENUM)
#undef ALLOT_TASK_COLUMN_ENUM
        ALLOT_TASK_COLUMN_COUNT
} allot_task_column;

/* Columns of sessions. */
#define ALLOT_SESSION_COLUMN_MAP(XX)                                                               \
    XX(PRIORITY, "priority", "1 is lowest, 10000 highest")                                         \
    XX(PREEMPTION_RANK, "preemption_rank", "0 is the first to lose a slot")                        \
    XX(CREATED, "created", "time when it was created, Unix seconds")                               \
    XX(MINIMUM, "minimum", "services it should have at least")                                     \
    XX(DEMAND, "demand", "slots it wants")                                                         \
    XX(ALLOCATED, "allocated", "slots its tasks hold")                                             \
    XX(PLACE, "place", "its place in the state's list, from 0: unique, so it breaks ties")

typedef enum allot_session_column {
#define ALLOT_SESSION_COLUMN_ENUM(name, text, doc) ALLOT_SESSION_##name,
    ALLOT_SESSION_COLUMN_MAP(ALLOT_SESSION_COLUMN_ENUM)
#undef ALLOT_SESSION_COLUMN_ENUM
        ALLOT_SESSION_COLUMN_COUNT
} allot_session_column;

/* ---- Columns of queues and contracts --------------------------------------------------------- */

/* Columns of queues, when the slices of their pool are cut. */
#define ALLOT_QUEUE_COLUMN_MAP(XX)                                                                 \
    XX(SLOT_SHARE, "slot_share", "percent of its pool (Q-2)")                                      \
    XX(PRIORITY, "priority", "larger is more important (P-2)")                                     \
    XX(USED, "used", "slots that its jobs use, with suspended jobs (A-24)")                        \
    XX(USAGE, "usage", "slot-seconds that it has used, decayed (Q-41)")                            \
    XX(USED_OVER_SHARE, "used_over_share", "usage * 1000 / slot_share, rounded down (Q-42)")       \
    XX(PENDING, "pending", "slots that its pending jobs ask for")                                  \
    XX(PLACE, "place", "its place in the plan, from 0: unique, so it breaks ties")

typedef enum allot_queue_column {
#define ALLOT_QUEUE_COLUMN_ENUM(name, text, doc) ALLOT_QUEUE_##name,
    ALLOT_QUEUE_COLUMN_MAP(ALLOT_QUEUE_COLUMN_ENUM)
#undef ALLOT_QUEUE_COLUMN_ENUM
        ALLOT_QUEUE_COLUMN_COUNT
} allot_queue_column;

/* Columns of contracts of shared lease, when they are due. Idle slots are available and not used;
 * demand is -1 if the state does not give it. */
#define ALLOT_LEASE_COLUMN_MAP(XX)                                                                 \
    XX(PROVIDER_AVAILABLE, "provider_available", "slots that the provider may use")                \
    XX(PROVIDER_USED, "provider_used", "... and uses")                                             \
    XX(PROVIDER_IDLE, "provider_idle", "... and does not use")                                     \
    XX(PROVIDER_DEMAND, "provider_demand", "slots that its waiting work wants; -1: unknown")       \
    XX(CONSUMER_AVAILABLE, "consumer_available", "slots that the consumer may use")                \
    XX(CONSUMER_USED, "consumer_used", "... and uses")                                             \
    XX(CONSUMER_IDLE, "consumer_idle", "... and does not use")                                     \
    XX(CONSUMER_DEMAND, "consumer_demand", "slots that its waiting work wants; -1: unknown")       \
    XX(SIZE, "size", "slots of the contract, which both sides use together")

typedef enum allot_lease_column {
#define ALLOT_LEASE_COLUMN_ENUM(name, text, doc) ALLOT_LEASE_##name,
    ALLOT_LEASE_COLUMN_MAP(ALLOT_LEASE_COLUMN_ENUM)
#undef ALLOT_LEASE_COLUMN_ENUM
        ALLOT_LEASE_COLUMN_COUNT
} allot_lease_column;

/* As allot_column_name and allot_column_find, of any kind of row except hosts. */
ALLOT_API const char *allot_rows_column_name(allot_rows rows, int column);
ALLOT_API const char *allot_rows_column_doc(allot_rows rows, int column);
ALLOT_API int allot_rows_column_find(allot_rows rows, const char *name, size_t len);
/* Is a built-in column a truth value? Its rows have 1 or 0, and a script sees true or false. */
ALLOT_API int allot_rows_column_flag(allot_rows rows, int column);
/* Nonzero: tasks have this column also while they wait, as all attributes; so allot_policy_inside
 * may read it. */
ALLOT_API int allot_task_column_waits(int column);

ALLOT_C_END

#endif
