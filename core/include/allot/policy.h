/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.h: how the rules of a policy combine. */
#ifndef ALLOT_POLICY_H
#define ALLOT_POLICY_H

#include <allot/column.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    /* up_to alone, behind a fill up to ALLOT_FROM_PART: what a row keeps of what it holds, slots in
       flight counted where they will be, or its planned share if that is more. With
       ALLOT_SWITCH_ACROSS leaves of all branches are compared: the best rank keeps first. */
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
    ALLOT_BOOLEAN, /* 1 or 0 here; a script sees true or false, as of tags */
    ALLOT_TAG      /* of tasks alone: 1 for those that have the tag of that name */
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
    const int32_t *items;     /* tasks, sessions: their numbers in the state; hosts, queues,
                                 contracts: in the plan */
    const allot_state *state; /* NULL for consumers */
    int32_t jobs;             /* nonzero: rows are tasks, but items are jobs (allot_state_job_at) */
} allot_batch;

/*
 * What computes a policy's functions. `compute` fills out[0 ... count-1] and returns ALLOT_OK, or
 * a status after it has told the report why. Called once for every row and function in a cycle,
 * never per comparison. `release` (may be NULL) is called when the policy ends.
 *
 * `relate` (NULL where nothing asks for it) answers for allot_policy_preempts: may jobs of queue
 * `high` preempt those of `low`? *out is 1, or an allot_refusal. Both are queues of the plan, high
 * != low, and allot_plan_queue_at tells of them. Called once for every two queues when a plan is
 * sealed; must answer the same for the same queues. `refusal` (may be NULL) names what an
 * ALLOT_REFUSED_TEST - i was, for explanations, as "the function at fair.lua:3"; NULL: nothing is
 * known of it. Borrowed, as long as the provider lives.
 */
typedef enum allot_refusal {
    ALLOT_REFUSED = 0,             /* no more is said */
    ALLOT_REFUSED_PRIORITY = -1,   /* that of `low` is not below (P-6) */
    ALLOT_REFUSED_QUEUES = -2,     /* the queues do not say so (P-3 ... P-5) */
    ALLOT_REFUSED_SLOT_SHARE = -3, /* that of `low` is not below */
    ALLOT_REFUSED_TEST = -4        /* this and below: a test of the provider's own */
} allot_refusal;
typedef struct allot_provider {
    void *ud;
    int (*compute)(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report);
    void (*release)(void *ud);
    int (*relate)(void *ud, int32_t function, const allot_plan *plan, int32_t high, int32_t low,
                  int32_t *out, allot_report *report);
    const char *(*refusal)(void *ud, int32_t function, int32_t refusal);
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
/* The provider, borrowed; NULL: the policy has none. */
ALLOT_API const allot_provider *allot_policy_provides(const allot_policy *policy);
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
/* The last fill raises totals (C-15): with what earlier fills gave a row its total becomes at most
 * rate * by, where it is not more already. EUSAGE: the last is no fill, or there is none. */
ALLOT_API int allot_policy_fill_level(allot_policy *policy);
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
    ALLOT_SWITCH_ADJUST_SHARED, /* shared slots are taken back by what the ratio gives among those
                                   who want some, not up to planned shares alone (E-21); off */
    ALLOT_SWITCH_ACROSS,        /* slots are reclaimed from leaves of any branch alike, not from
                                   siblings first: shares enforced at the leaves (E-22); off */
    ALLOT_SWITCH_NO_RECLAIM,    /* slots only return by themselves, but where a limit or the
                                   group's size does not hold them, or by force; off */
    ALLOT_SWITCH_UNGUARDED,     /* a policy that dispatches and has no guards has none; else it
                                   has those of P-30 ... P-34; off */
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
/* Protects tasks whose value is outside min ... max; the label (copied) names it: 1 ... 255 bytes
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

/* ---- Policy: queues and leases ---------------------------------------------------------------
 *
 * A policy of which one of these was said *dispatches*: slots of queues are not divided by fills,
 * their jobs get them one by one. Such a policy has no fills, pools and loans, no orders of
 * distribution and reclaim, no rules of sessions: EUSAGE, whichever is said first. Of what it does
 * not say the default holds, so that every such policy serves all that a plan's queues state:
 *
 *   dispatch   larger priority, then the first submitted
 *   preempts   as queues say (P-7)
 *   victims    queue_order, load, host, queue_priority, then the last started (P-10, A-2, A-4)
 *   guards     max_job_preempt, max_total_time_preempt, no_preempt_interval,
 *              no_preempt_run_time, no_preempt_finish_time (P-30 ... P-34)
 *   slices     used_over_share, larger priority, then place
 *   lease      the idle slots of who has more of them go to the other (L-6)
 *
 * ALLOT_TASK_PREFERENCE and ALLOT_TASK_QUEUE_ORDER go by who preempts, so keys of victims alone
 * read them: functions, guards and dispatch are asked once for all preemptors, and a plan refuses
 * such a policy that reads one of them there (EUSAGE).
 */

/* The order of a queue's pending jobs, and of its suspended ones (P-60); ties as in the state.
 * Sources are of tasks. */
ALLOT_API int allot_policy_dispatch(allot_policy *policy, const allot_key *keys, int32_t n);
/* Who may preempt whom: the provider's `relate` is asked, with `function`, a number 0 ... of its
 * own; a plan takes a policy whose provider has none for EUSAGE. ALLOT_NOBODY: nobody preempts. */
enum { ALLOT_NOBODY = -1 };
ALLOT_API int allot_policy_preempts(allot_policy *policy, int32_t function);

/* How many jobs are preempted for one that needs several slots (P-14). */
typedef enum allot_fewest {
    ALLOT_ONE_BY_ONE = 0,  /* in the order of victims, until it fits */
    ALLOT_MINI_JOB,        /* ... and of these none that it fits without */
    ALLOT_OPTIMAL_MINI_JOB /* the fewest there are */
} allot_fewest;
/* "no", "mini_job", "optimal_mini_job"; NULL: no such. Static. */
ALLOT_API const char *allot_fewest_name(int fewest);
ALLOT_API int allot_policy_fewest(allot_policy *policy, allot_fewest fewest);

/* Limits in which preempted jobs do not count (PREEMPT_FOR); and what else may be preempted, and
 * preempt (PREEMPT_JOBTYPE, P-40). Bits; 0: none, the default. */
#define ALLOT_LIFT_MAP(XX)                                                                         \
    XX(GROUP_JLP, "group_jlp", "slots per processor of a user group")                              \
    XX(GROUP_MAX, "group_max", "slots of a user group in all")                                     \
    XX(HOST_JLU, "host_jlu", "slots of a user or group on a host")                                 \
    XX(USER_JLP, "user_jlp", "slots per processor of a user")
enum {
#define ALLOT_LIFT_PLACE(name, text, doc) ALLOT__LIFT_PLACE_##name,
    ALLOT_LIFT_MAP(ALLOT_LIFT_PLACE)
#undef ALLOT_LIFT_PLACE
        ALLOT_LIFT_COUNT,
#define ALLOT_LIFT_BIT(name, text, doc) ALLOT_LIFT_##name = 1 << ALLOT__LIFT_PLACE_##name,
    ALLOT_LIFT_MAP(ALLOT_LIFT_BIT)
#undef ALLOT_LIFT_BIT
        ALLOT_PREEMPT_EXCLUSIVE = 1,
    ALLOT_PREEMPT_BACKFILL = 2
};
ALLOT_API int allot_policy_lift(allot_policy *policy, int32_t lifts);
ALLOT_API int allot_policy_job_types(allot_policy *policy, int32_t types);

/* The order in which the queues of a pool get their slices; ties by place. Sources are
 * of queues. */
ALLOT_API int allot_policy_slices(allot_policy *policy, const allot_key *keys, int32_t n);
/* What becomes of a contract that is due (L-6); `function` is of leases. It gives 1: the provider's
 * idle slots go to the consumer, -1: the consumer's to the provider, 0: nothing moves; with
 * anything else the cycle fails, ESCRIPT. */
ALLOT_API int allot_policy_lease(allot_policy *policy, int32_t function);

/* Does it dispatch? A number that is not 0. */
ALLOT_API int32_t allot_policy_dispatches(const allot_policy *policy);

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
