/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.h: what a rule can read, and how the rules combine. */
#ifndef ALLOT_POLICY_H
#define ALLOT_POLICY_H

#include <allot/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Columns --------------------------------------------------------------------------------- */

/*
 * What a rule can read of a consumer. Plan columns are set in a plan; the others are computed.
 * A policy's attributes follow as ALLOT_COLUMN_COUNT, ALLOT_COLUMN_COUNT + 1, ... in the order of
 * their declaration; in a plan, in the order in which its policies brought them (same name: same
 * column).
 */
#define ALLOT_COLUMN_MAP(XX)                                                                       \
    XX(OWNED, "owned", "owned slots, scaled to the group's size (C-1)")                            \
    XX(RESERVE, "reserve", "slots never lent, cut to what is owned (C-1)")                         \
    XX(LIMIT, "limit", "most slots it may use; none reads as 1000000000")                          \
    XX(RANK, "rank", "0 is best; larger is worse")                                                 \
    XX(SHARE, "share", "share ratio")                                                              \
    XX(GRACE, "grace", "seconds a task has to end once its slot is reclaimed")                     \
    XX(EXCLUSIVE, "exclusive", "1: hosts on which it has a slot are closed to others (H-14)")      \
    XX(REBALANCE, "rebalance", "0: at a switch of windows it drains, nothing is taken (A-71)")     \
    XX(CONFIGURED, "configured", "owned slots as the plan states them, unscaled")                  \
    XX(DEMAND, "demand", "slots wanted; of a parent: the need of its children (C-2)")              \
    XX(NEED, "need", "max(reserve, min(demand, limit)) (C-2)")                                     \
    XX(ALLOCATED, "allocated", "slots held")                                                       \
    XX(IN_FLIGHT, "in_flight", "slots already being given back (C-6)")                             \
    XX(QUOTA, "quota", "slots it is entitled to now (C-3); from distribution on")                  \
    XX(RECEIVED, "received", "idle slots it was given this cycle (C-5); in reclaim")               \
    XX(OVER, "over", "slots above its target (C-6); in reclaim")

typedef enum allot_column {
#define ALLOT_COLUMN_ENUM(name, text, doc) ALLOT_##name,
    ALLOT_COLUMN_MAP(ALLOT_COLUMN_ENUM)
#undef ALLOT_COLUMN_ENUM
        ALLOT_COLUMN_COUNT
} allot_column;

/* The first eight, OWNED to REBALANCE, are what a plan states of every consumer. */
#define ALLOT_PLAN_COLUMNS 8

/* "owned" and its text; NULL for a column that is not built in. Static. */
ALLOT_API const char *allot_column_name(int column);
ALLOT_API const char *allot_column_doc(int column);
/* The built-in column of that name, or -1. */
ALLOT_API int allot_column_find(const char *name, size_t len);

/* ---- Columns of tasks and sessions ----------------------------------------------------------- */

/* What a function's or a key's rows are. */
typedef enum allot_rows {
    ALLOT_CONSUMERS = 0,
    ALLOT_TASKS,
    ALLOT_SESSIONS,
    ALLOT_HOSTS /* of requirements alone */
} allot_rows;

/* What a rule can read of a task; a policy's task attributes follow as ALLOT_TASK_COLUMN_COUNT, ...
 * in the order of their declaration. Tasks that share a slot of a host go together, as one row. */
#define ALLOT_TASK_COLUMN_MAP(XX)                                                                  \
    XX(SLOTS, "slots", "slots that are free once it is gone")                                      \
    XX(STARTED, "started",                                                                         \
       "when it started, Unix seconds, 0 where that is not known; of several on a slot the last")  \
    XX(SUBMITTED, "submitted", "when it was submitted, likewise")                                  \
    XX(RAN, "ran",                                                                                 \
       "seconds it has run, since 1970 where its start is not known; "                             \
       "of several on a slot the sum (A-78)")                                                      \
    XX(PREEMPTED, "preempted", "how often it was reclaimed before; of several the most")           \
    XX(PREEMPTION_RANK, "preemption_rank", "its session's; 0 without one")                         \
    XX(PRIORITY, "priority", "its session's; 1 without one")                                       \
    XX(CREATED, "created", "when its session was created; 0 without one")                          \
    XX(SESSION_OVER, "session_over", "slots its session holds above what it deserves, or below")   \
    XX(IMPORTANCE, "importance",                                                                   \
       "preemption_rank, or priority where that schedules sessions; "                              \
       "on an exclusive host the best there (XV-4)")                                               \
    XX(HOST, "host", "its host's place in plan order, shuffled by a seed; without one: last")      \
    XX(LOAD, "load", "its host's load in thousandths; 0 where it is not known")                    \
    XX(LOT, "lot", "drawn from the plan's seed and its id: any one, but always the same (A-79)")   \
    XX(JOINED, "joined",                                                                           \
       "when its session was created, where priority schedules sessions; else 0 (XV-1)")           \
    XX(LEAST_RAN, "least_ran", "seconds it has run; of several on a slot the least")

typedef enum allot_task_column {
#define ALLOT_TASK_COLUMN_ENUM(name, text, doc) ALLOT_TASK_##name,
    ALLOT_TASK_COLUMN_MAP(ALLOT_TASK_COLUMN_ENUM)
#undef ALLOT_TASK_COLUMN_ENUM
        ALLOT_TASK_COLUMN_COUNT
} allot_task_column;

/* What a rule can read of a session. */
#define ALLOT_SESSION_COLUMN_MAP(XX)                                                               \
    XX(PRIORITY, "priority", "1 is lowest, 10000 highest")                                         \
    XX(PREEMPTION_RANK, "preemption_rank", "0 is the first to lose a slot")                        \
    XX(CREATED, "created", "when it was created, Unix seconds")                                    \
    XX(MINIMUM, "minimum", "services it should have at least")                                     \
    XX(DEMAND, "demand", "slots it wants")                                                         \
    XX(ALLOCATED, "allocated", "slots its tasks hold")                                             \
    XX(PLACE, "place", "its place in the state's list, from 0: what else is equal ends there")

typedef enum allot_session_column {
#define ALLOT_SESSION_COLUMN_ENUM(name, text, doc) ALLOT_SESSION_##name,
    ALLOT_SESSION_COLUMN_MAP(ALLOT_SESSION_COLUMN_ENUM)
#undef ALLOT_SESSION_COLUMN_ENUM
        ALLOT_SESSION_COLUMN_COUNT
} allot_session_column;

/* As allot_column_name and allot_column_find, of any kind but hosts. */
ALLOT_API const char *allot_rows_column_name(allot_rows rows, int column);
ALLOT_API const char *allot_rows_column_doc(allot_rows rows, int column);
ALLOT_API int allot_rows_column_find(allot_rows rows, const char *name, size_t len);

/* ---- Policy: how the rules combine ----------------------------------------------------------- */

/* Where a rule takes a number from, row by row. */
typedef enum allot_source_kind {
    ALLOT_FROM_NEED = 0, /* up_to: the need alone; not a weight */
    ALLOT_FROM_NUMBER,   /* value: 0 ... ALLOT_AMOUNT_MAX */
    ALLOT_FROM_COLUMN,   /* value: an allot_column or an attribute */
    ALLOT_FROM_FUNCTION, /* value: what allot_policy_function gave */
    /* up_to alone: the planned share (E-21): the whole slots of a row's part by the fill's `by`
       among all its siblings, of its parent's planned share, at the first level of what its policy
       has to divide there; whatever demand and quotas are. */
    ALLOT_FROM_PART,
    /* up_to alone, behind a fill up to ALLOT_FROM_PART: what a row needs of what it holds and is
       not giving back (a parent: of its children's sum of this), or of its planned share if that is
       more. */
    ALLOT_FROM_HELD
} allot_source_kind;

typedef struct allot_source {
    allot_source_kind kind;
    int32_t value;
} allot_source;

/* A key of an order: rows by rising (or falling) value; ties by the next key, then plan order. */
typedef struct allot_key {
    allot_source source;
    int32_t descending;
} allot_key;

typedef enum allot_rounding {
    ALLOT_ROUND_RANK = 0,          /* floor, lost slots to fractions by rank (C-4) */
    ALLOT_ROUND_CEIL_IN_ORDER,     /* round up in order while slots last */
    ALLOT_ROUND_LARGEST_REMAINDER, /* lost slots to the largest fractions, then as `rank` */
    ALLOT_ROUND_WEBSTER            /* house-monotone where what is owned is whole: no row loses
                                      because there is more */
} allot_rounding;

typedef enum allot_attribute_type {
    ALLOT_INTEGER = 1,
    ALLOT_BOOLEAN,
    ALLOT_TAG /* of tasks alone: 1 for those that have the tag of that name */
} allot_attribute_type;

/* A plan column that a policy declares. Strings are copied. */
typedef struct allot_attribute {
    const char *name; /* [A-Za-z][A-Za-z0-9_]*, not a built-in column */
    allot_attribute_type type;
    int32_t min, max; /* within +/- ALLOT_AMOUNT_MAX; BOOLEAN: 0 and 1 */
    int32_t fallback; /* what a consumer has that does not state it; may be ALLOT_NONE */
    const char *doc;  /* may be NULL */
    int32_t limit;    /* nonzero: no consumer may hold more than that, as with `limit`; slots above
                         are given back whatever the demand (TV-6). INTEGER, min >= 0 */
} allot_attribute;

/* Rows handed to a policy's function, a few hundred at a time. */
typedef struct allot_batch {
    int32_t count;                 /* rows */
    const int64_t *const *columns; /* what the function asked for, in that order, `count` each */
    const int32_t *consumers;      /* the rows' consumers, for messages; NULL for hosts */
    const allot_plan *plan;
    int32_t group;
    allot_rows rows;
    const int32_t *items;     /* tasks, sessions: their numbers in the state; hosts: in the plan */
    const allot_state *state; /* NULL for consumers */
} allot_batch;

/*
 * What computes a policy's functions. `compute` fills out[0 ... count-1] and returns ALLOT_OK, or
 * a status after it has told the report why. Called once for every row and function in a cycle,
 * never per comparison. `release` (may be NULL) is called when the policy ends.
 */
typedef struct allot_provider {
    void *ud;
    int (*compute)(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report);
    void (*release)(void *ud);
} allot_provider;

/* Makes an empty policy: no fills, round by rank, distribute by rank, reclaim worst rank first in
 * proportion to what is over. The name is copied. */
ALLOT_API int allot_policy_new(allot_engine *engine, const char *name, allot_policy **out);
/* Drops the caller's hold; plans that use the policy keep theirs. While a plan holds a policy it
 * cannot be changed: EUSAGE. */
ALLOT_API void allot_policy_free(allot_policy *policy);

/* Declares an attribute; its column is ALLOT_COLUMN_COUNT + how many were declared before.
 * EEXIST, ENAME, ERANGE (fallback outside min ... max, bounds), EUSAGE (too many). */
ALLOT_API int allot_policy_attribute(allot_policy *policy, const allot_attribute *attribute);
/* Gives the policy its functions' provider; the policy owns it from now on. */
ALLOT_API int allot_policy_provider(allot_policy *policy, const allot_provider *provider);
/* Registers a function that reads `n` columns; *out numbers it 0, 1, ... EUSAGE: unknown column. */
ALLOT_API int allot_policy_function(allot_policy *policy, const int32_t *columns, int32_t n,
                                    int32_t *out);
/* Appends a fill to the quota rule: pours what the fills before it left over the siblings in
 * proportion to `by`, each up to min(up_to, need); with keys, groups of equal key one after
 * another (C-3). The label (copied) names the part in decisions. EUSAGE, EEXIST, ENAME.
 * The core pours `reserve` up to `reserve` first when the first fill is another. Of all fills one
 * may go up to ALLOT_FROM_PART, and that without keys, those behind it up to ALLOT_FROM_HELD, else:
 * EUSAGE. */
ALLOT_API int allot_policy_fill(allot_policy *policy, const char *label, allot_source by,
                                allot_source up_to, const allot_key *keys, int32_t n);
/* Whether owned slots grow and shrink with the group's size (1, the default) or stay as planned
 * (0): beside consumers of such a policy, the others' share what is left of the group (H-15). */
ALLOT_API int allot_policy_scale(allot_policy *policy, int scaled);
/* EUSAGE: also ALLOT_ROUND_CEIL_IN_ORDER beside an order of distribution that reads quotas, since
 * it rounds in that order. */
ALLOT_API int allot_policy_round(allot_policy *policy, allot_rounding rounding);
/* The order of distribution (C-5); n = 0 is plan order. Default: by rank. */
ALLOT_API int allot_policy_distribute(allot_policy *policy, const allot_key *keys, int32_t n);
/* Who gives back: keys' groups one after another, in proportion to `by` (C-7). */
ALLOT_API int allot_policy_reclaim(allot_policy *policy, allot_source by, const allot_key *keys,
                                   int32_t n);
/*
 * The share pool (C-11): what a branch owns beyond its children, and the group beyond its first
 * level. A leaf takes from the nearest pool first, then upward, in proportion to `by` among those
 * who share it, at most `up_to` in all. Together with `allot_policy_loan` or alone it makes the
 * policy keep a ledger: whoever goes by it holds own, shared and borrowed slots apart. The fills
 * before it must be those of reserve and owned. EUSAGE, EEXIST, ENAME.
 */
ALLOT_API int allot_policy_pool(allot_policy *policy, const char *label, allot_source by,
                                allot_source up_to);
/* Loans (C-11): idle slots that their owner does not want, to whom it lends, borrowers by `keys`
 * (n = 0: by rank). Limits with ALLOT_FROM_NEED: none. Of all fills the last. */
ALLOT_API int allot_policy_loan(allot_policy *policy, const char *label, allot_source lend_limit,
                                allot_source borrow_limit, const allot_key *keys, int32_t n);

/* What a policy can switch. */
typedef enum allot_switch {
    ALLOT_SWITCH_RECALL_FIRST = 0, /* lent slots are reclaimed before others are borrowed; off */
    ALLOT_SWITCH_KEEP_SHARED,      /* shared slots only return by themselves; off */
    ALLOT_SWITCH_ACROSS,           /* slots are reclaimed from leaves of any branch alike, not from
                                      siblings first: shares enforced at the leaves (E-22); off */
    ALLOT_SWITCH_NO_RECLAIM,       /* slots only return by themselves, but where a limit or the
                                      group's size does not hold them, or by force; off */
    ALLOT_SWITCH_COUNT
} allot_switch;
ALLOT_API int allot_policy_switch(allot_policy *policy, allot_switch which, int on);
/* Damping of whoever goes by the policy, where the plan does not state that option: `option` is the
 * allot_option (plan.h) HOLD_ROUNDING, DEAD_ZONE, MOST_RECLAIMED, RECLAIM_INTERVAL or CLAIM_DELAY.
 * EUSAGE: another; ERANGE. */
ALLOT_API int allot_policy_damp(allot_policy *policy, int option, int64_t value);

/* ---- Policy: victims, sessions, hosts -------------------------------------------------------- */

/* Declares an attribute of tasks. As allot_policy_attribute; EEXIST also: a task has a key of that
 * name. Of several tasks on a slot the largest value counts. */
ALLOT_API int allot_policy_task_attribute(allot_policy *policy, const allot_attribute *attribute);
/* As allot_policy_function, of rows of that kind; of hosts: n = 0, it asks for what it needs. */
ALLOT_API int allot_policy_rows_function(allot_policy *policy, allot_rows rows,
                                         const int32_t *columns, int32_t n, int32_t *out);
/* Which tasks of a leaf go first (C-8); ties: larger id first. Sources are of tasks. Default:
 * importance, then what ran least. */
ALLOT_API int allot_policy_victims(allot_policy *policy, const allot_key *keys, int32_t n);
/* Shelters tasks whose value is outside min ... max; the label (copied) names it: 1 ... 255 bytes
 * without control characters. ENAME, EEXIST, EUSAGE (also: more than ALLOT_GUARDS_MAX). */
ALLOT_API int allot_policy_guard(allot_policy *policy, const char *label, allot_source value,
                                 int64_t min, int64_t max);

/* How a leaf's slots are divided among its sessions. */
typedef enum allot_scheduling {
    ALLOT_PROPORTIONAL = 0, /* by priority */
    ALLOT_MINIMUM,          /* minimum services first, then by priority */
    ALLOT_PRIORITY,         /* highest priority first, then the first created */
    ALLOT_SCHEDULING_COUNT
} allot_scheduling;
/* "proportional", ...; NULL when there is no such. Static. */
ALLOT_API const char *allot_scheduling_name(int scheduling);
/* Appends a fill to the rule of a scheduling, in place of the built-in one; sources are of
 * sessions. */
ALLOT_API int allot_policy_session_fill(allot_policy *policy, allot_scheduling scheduling,
                                        allot_source by, allot_source up_to, const allot_key *keys,
                                        int32_t n);
/* A requirement on hosts that consumers can name; `function` is of hosts: nonzero where it runs.
 * ENAME, EEXIST, EUSAGE (also: more than ALLOT_REQUIREMENTS_MAX). */
ALLOT_API int allot_policy_requirement(allot_policy *policy, const char *name, int32_t function);

/* The digest (64 hex digits of SHA-256) of the policy's text, shown in decisions; "" by default. */
ALLOT_API int allot_policy_digest(allot_policy *policy, const char *hex);

/* What was declared, borrowed. */
ALLOT_API const char *allot_policy_name(const allot_policy *policy);
ALLOT_API const char *allot_policy_sha256(const allot_policy *policy);
ALLOT_API int32_t allot_policy_attributes(const allot_policy *policy);
ALLOT_API const allot_attribute *allot_policy_attribute_at(const allot_policy *policy, int32_t i);
ALLOT_API int32_t allot_policy_task_attributes(const allot_policy *policy);
ALLOT_API const allot_attribute *allot_policy_task_attribute_at(const allot_policy *policy,
                                                                int32_t i);
ALLOT_API int32_t allot_policy_fills(const allot_policy *policy);
ALLOT_API const char *allot_policy_fill_label(const allot_policy *policy, int32_t i);

#ifdef __cplusplus
}
#endif

#endif
