/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.h: how the rules of a policy combine. */
#ifndef ALLOT_POLICY_H
#define ALLOT_POLICY_H

#include <allot/column.h>

ALLOT_C_BEGIN

/* ---- Policy: how the rules combine ----------------------------------------------------------- */

/* The source of a rule's number, row by row. */
typedef enum allot_source_kind {
    ALLOT_FROM_NEED = 0, /* up_to: the need alone; not a weight */
    ALLOT_FROM_NUMBER,   /* value: 0 ... ALLOT_AMOUNT_MAX */
    ALLOT_FROM_COLUMN,   /* value: an allot_column or an attribute */
    ALLOT_FROM_FUNCTION, /* value: the number of an allot_policy_function */
    /* Only for up_to of a fill; value: ALLOT_SHARE, or an attribute that is an integer of 0 or
       more. So many percent of the slots that the row's family divides (ALLOT_PARENT_SLOTS),
       rounded down to whole slots. */
    ALLOT_FROM_PERCENT,
    /* Only for up_to: the planned share (E-21). The parent's planned share, or at the first level
       all slots that the policy divides, is divided among all siblings by the fill's `by` and
       rounded to whole slots, whatever demand and quotas are. */
    ALLOT_FROM_PART,
    /* Only for up_to, behind a fill up to ALLOT_FROM_PART: a row keeps what it holds (slots in
       flight count where they will be), or its planned share if that is more. With
       ALLOT_SWITCH_ACROSS leaves of all branches are compared: the best rank keeps first. */
    ALLOT_FROM_HELD
} allot_source_kind;

typedef struct allot_source {
    allot_source_kind kind;
    int32_t value;
} allot_source;

/* A key of an order: rows go by rising (or falling) value; equal rows go by the next key, then by
 * plan order. */
typedef struct allot_key {
    allot_source source;
    int32_t descending;
} allot_key;

typedef enum allot_rounding {
    ALLOT_ROUND_RANK = 0,          /* floor, lost slots to fractions by rank (C-4) */
    ALLOT_ROUND_CEIL_IN_ORDER,     /* round up in order while slots last */
    ALLOT_ROUND_LARGEST_REMAINDER, /* lost slots to the largest fractions, then as `rank` */
    ALLOT_ROUND_WEBSTER            /* house-monotone if owned slots are whole: no row loses a slot
                                      when there are more to divide */
} allot_rounding;

typedef enum allot_attribute_type {
    ALLOT_INTEGER = 1,
    ALLOT_BOOLEAN, /* 1 or 0 here; a script sees true or false, likewise for tags */
    ALLOT_TAG      /* only of tasks: 1 for tasks that have the tag of that name */
} allot_attribute_type;

/* What an attribute that is a limit counts: slots, or percent of what the consumer's parent may
 * hold (its limits; at the first level the group's slots), rounded down. */
enum { ALLOT_MOST_SLOTS = 1, ALLOT_MOST_PERCENT };

/* A plan column that a policy declares. Strings are copied. */
typedef struct allot_attribute {
    const char *name; /* [A-Za-z][A-Za-z0-9_]*, not a built-in column */
    allot_attribute_type type;
    int32_t min, max; /* within +/- ALLOT_AMOUNT_MAX; BOOLEAN: 0 and 1 */
    int32_t fallback; /* the value of a consumer that states none; may be ALLOT_NONE */
    const char *doc;  /* may be NULL */
    int32_t limit;    /* nonzero: the value is the most that a consumer may hold, as `limit`, in
                         ALLOT_MOST_SLOTS or _PERCENT; slots above it are given back whatever the
                         demand (TV-6). INTEGER, min >= 0 */
} allot_attribute;

/* Rows for a policy's function, a few hundred at a time. */
typedef struct allot_batch {
    int32_t count;                 /* rows */
    const int64_t *const *columns; /* the function's columns in its order, `count` values each */
    const int32_t *consumers;      /* the rows' consumers, for messages; NULL for hosts */
    const allot_plan *plan;
    int32_t group;
    allot_rows rows;
    const int32_t *items;     /* tasks, sessions: their numbers in the state; hosts, queues,
                                 contracts: in the plan */
    const allot_state *state; /* NULL for consumers */
    int32_t jobs;             /* nonzero: rows are tasks, but items are jobs (allot_state_job_at) */
    const int64_t *taker;     /* of a test of two rows: the function's columns of the first one, the
                                 same for all rows of the batch; of a function that reads the
                                 claimant, the claimant's columns; else NULL */
    int32_t taker_item;       /* ... which consumer or task it is */
} allot_batch;

/*
 * Computes a policy's functions. `compute` fills out[0 ... count-1] and returns ALLOT_OK, or
 * another status after adding the reason to the report. It computes each row and function once in
 * a cycle, or once for each claimant (allot_policy_claimant), never per comparison. `release` (may
 * be NULL) is called when the policy ends.
 *
 * `relate` (NULL: the policy has no allot_policy_preempts) answers whether jobs of queue `high` may
 * preempt those of `low`: *out is 1, or an allot_refusal. Both are queues of the plan, high != low;
 * allot_plan_queue_at describes them. Sealing a plan calls `relate` once for every two queues for
 * which tests before it hold; the answer must be the same for the same queues. `refusal` (may be
 * NULL) names the test behind ALLOT_REFUSED_TEST - i, for explanations, as "the function at
 * fair.lua:3"; NULL: it has no name. The name is borrowed and lives as long as the provider.
 */
typedef enum allot_refusal {
    ALLOT_REFUSED = 0,             /* no reason is given */
    ALLOT_REFUSED_PRIORITY = -1,   /* the priority of `low` is not below that of `high` (P-6) */
    ALLOT_REFUSED_QUEUES = -2,     /* neither queue allows it (P-3 ... P-5) */
    ALLOT_REFUSED_SLOT_SHARE = -3, /* the share of `low` is not below that of `high` */
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
/* Ends the caller's use of the policy; plans that use it keep it. A policy cannot be changed while
 * a plan uses it: EUSAGE. */
ALLOT_API void allot_policy_free(allot_policy *policy);

/* Declares an attribute; its column is ALLOT_COLUMN_COUNT + how many were declared before.
 * EEXIST, ENAME, ERANGE (fallback outside min ... max, bounds), EUSAGE (too many). */
ALLOT_API int allot_policy_attribute(allot_policy *policy, const allot_attribute *attribute);
/* Gives the policy the provider of its functions; the policy owns the provider from now on. */
ALLOT_API int allot_policy_provider(allot_policy *policy, const allot_provider *provider);
/* The provider, borrowed; NULL: the policy has none. */
ALLOT_API const allot_provider *allot_policy_provides(const allot_policy *policy);
/* Registers a function that reads `n` columns; *out numbers it 0, 1, ... EUSAGE: unknown column.
 * A function in a fill may read ALLOT_PARENT_SLOTS, unless it divides planned shares: it is called
 * for a family once the quota of the family's parent is known. In an order of distribution that
 * rounds (ALLOT_ROUND_CEIL_IN_ORDER), in pools and loans no function may. */
ALLOT_API int allot_policy_function(allot_policy *policy, const int32_t *columns, int32_t n,
                                    int32_t *out);
/* Appends a fill to the quota rule. The fill pours the slots that earlier fills left over the
 * siblings, in proportion to `by`, each up to min(up_to, need); with keys, groups of equal keys one
 * after another (C-3). The label (copied) names the part in decisions. If the first fill is not
 * `reserve` up to `reserve`, the core pours that first. One fill, without keys, may go up to
 * ALLOT_FROM_PART; only fills behind it may go up to ALLOT_FROM_HELD. EUSAGE, EEXIST, ENAME. */
ALLOT_API int allot_policy_fill(allot_policy *policy, const char *label, allot_source by,
                                allot_source up_to, const allot_key *keys, int32_t n);
/* The last fill raises totals (C-15): a row's total, with slots from earlier fills, becomes at most
 * rate * by, unless it is more already. EUSAGE: the last rule is not a fill, or there is none. */
ALLOT_API int allot_policy_fill_level(allot_policy *policy);
/* Whether owned slots grow and shrink with the group's size (1, the default) or stay as planned
 * (0). Consumers under scaling policies share what consumers under the others leave (H-15). */
ALLOT_API int allot_policy_scale(allot_policy *policy, int scaled);
/* The slots of a row that are never lent (C-1), in place of the plan's `reserve`; by default that
 * column. As ever at most what the row owns and its limit count, and of a parent at least what is
 * reserved below it. The source may read what a plan states, `configured` and `group_slots`; there
 * `reserve` is as planned. */
ALLOT_API int allot_policy_reserve(allot_policy *policy, allot_source reserve);
/* The rule of rounding. EUSAGE: also ALLOT_ROUND_CEIL_IN_ORDER, which rounds in the order of
 * distribution, with an order of distribution that reads quotas. */
ALLOT_API int allot_policy_round(allot_policy *policy, allot_rounding rounding);
/* The order of distribution (C-5); n = 0 is plan order. Default: by rank. */
ALLOT_API int allot_policy_distribute(allot_policy *policy, const allot_key *keys, int32_t n);
/* The order in which consumers give back: groups of equal keys one after another, in proportion to
 * `by` (C-7). */
ALLOT_API int allot_policy_reclaim(allot_policy *policy, allot_source by, const allot_key *keys,
                                   int32_t n);
/* Adds a test of which consumers may take slots from which (C-6): one consumer takes slots that
 * another is over only if all tests hold; without one all may. A column: the claimant's number is
 * larger; a function, of consumers: it gives nonzero for the two. Slots that a limit, the group's
 * size or force takes go whatever the tests. EUSAGE: another source, more than ALLOT_TESTS_MAX, a
 * policy with a ledger or with ALLOT_SWITCH_ACROSS. */
ALLOT_API int allot_policy_takes(allot_policy *policy, allot_source test);
/*
 * The share pool (C-11): slots owned by a branch beyond its children, and by the group beyond its
 * first level. A leaf takes from the nearest pool first, then upward, in proportion to `by` among
 * the consumers of that pool, at most `up_to` in all. A policy with a pool or with
 * `allot_policy_loan` has a ledger, which counts own, shared and borrowed slots of its consumers
 * separately. The fills before the pool must be those of reserve and owned. EUSAGE, EEXIST, ENAME.
 */
ALLOT_API int allot_policy_pool(allot_policy *policy, const char *label, allot_source by,
                                allot_source up_to);
/* Loans (C-11): idle slots that their owner does not want go to consumers that it lends to,
 * borrowers in the order of `keys` (n = 0: by rank). ALLOT_FROM_NEED: no limit. No fill may follow.
 */
ALLOT_API int allot_policy_loan(allot_policy *policy, const char *label, allot_source lend_limit,
                                allot_source borrow_limit, const allot_key *keys, int32_t n);

/* The loan's borrowers that are equal by its keys borrow in proportion to `by`; slots that they
 * have borrowed before count, as in a fill that raises totals (C-15). What lists, limits or needs
 * keep from one goes to the others; a weight of 0 borrows nothing. Without it such borrowers are
 * served one after another. EUSAGE: also if the last rule is no loan. */
ALLOT_API int allot_policy_loan_by(allot_policy *policy, allot_source by);

/* Switches of a policy; all are off by default. */
typedef enum allot_switch {
    ALLOT_SWITCH_RECALL_FIRST = 0, /* lent slots are reclaimed before others are borrowed */
    ALLOT_SWITCH_KEEP_SHARED,      /* shared slots only return by themselves */
    ALLOT_SWITCH_ADJUST_SHARED,    /* shared slots are taken back by the ratio among consumers that
                                      want some, not only for planned shares (E-21) */
    ALLOT_SWITCH_ACROSS,           /* slots are reclaimed from leaves of any branch alike, not from
                                      siblings first: shares enforced at the leaves (E-22) */
    ALLOT_SWITCH_NO_RECLAIM,       /* slots only return by themselves, except slots above a limit or
                                      the group's size, and by force */
    ALLOT_SWITCH_UNGUARDED, /* a policy that dispatches and states no guards has none, instead
                               of those of P-30 ... P-34 */
    ALLOT_SWITCH_TOGETHER,  /* jobs of all queues, but those of pools and with fairshare, stand in
                               one order of dispatch, whatever PRIORITY; then none preempts another
                               (ALLOT_NOBODY; else a plan refuses the policy, EUSAGE) */
    ALLOT_SWITCH_COUNT
} allot_switch;
ALLOT_API int allot_policy_switch(allot_policy *policy, allot_switch which, int on);
/* Damping of the policy's consumers, unless the plan states that option: `option` is the
 * allot_option (plan.h) HOLD_ROUNDING, DEAD_ZONE, MOST_RECLAIMED, RECLAIM_INTERVAL or CLAIM_DELAY.
 * EUSAGE: another option; ERANGE. */
ALLOT_API int allot_policy_damp(allot_policy *policy, int option, int64_t value);

/* ---- Policy: victims, sessions, hosts -------------------------------------------------------- */

/* Declares an attribute of tasks, as allot_policy_attribute; EEXIST: also if tasks have a key of
 * that name. Of several tasks on a slot the largest value counts. */
ALLOT_API int allot_policy_task_attribute(allot_policy *policy, const allot_attribute *attribute);
/* As allot_policy_function, of rows of that kind; of hosts n = 0, since the function reads hosts'
 * attributes itself. */
ALLOT_API int allot_policy_rows_function(allot_policy *policy, allot_rows rows,
                                         const int32_t *columns, int32_t n, int32_t *out);
/* The order in which tasks of a leaf go (C-8); ties: larger id first. Sources are of tasks.
 * Default: importance, then the task that ran least. */
ALLOT_API int allot_policy_victims(allot_policy *policy, const allot_key *keys, int32_t n);
/* Protects tasks whose value is outside min ... max; the label (copied) names it: 1 ... 255 bytes
 * without control characters. ENAME, EEXIST, EUSAGE (also: more than ALLOT_GUARDS_MAX). */
ALLOT_API int allot_policy_guard(allot_policy *policy, const char *label, allot_source value,
                                 int64_t min, int64_t max);

/* Has a function of tasks read the claimant, too, for which slots are reclaimed (C-16): it is
 * called for each claimant and task, and the batch's `taker` has all columns of consumers and the
 * policy's attributes, `taker_item` the claimant's handle. Only keys of victims and guards may be
 * such functions. EUSAGE: not a function of tasks, or a policy that dispatches, with a ledger or
 * with ALLOT_SWITCH_ACROSS; a plan refuses one that became such a policy since. */
ALLOT_API int allot_policy_claimant(allot_policy *policy, int32_t function);

/* Adds a test of which pending tasks of a leaf may take the place of which of its running tasks
 * (C-13), as allot_policy_takes does of consumers: a column of tasks of which the pending task has
 * more, or a function of tasks; `priority` is the task's own. Without one no place is taken.
 * EUSAGE: another source, too many, a policy that dispatches. */
ALLOT_API int allot_policy_inside(allot_policy *policy, allot_source test);

/* How a leaf's slots are divided among its sessions. */
typedef enum allot_scheduling {
    ALLOT_PROPORTIONAL = 0, /* by priority */
    ALLOT_MINIMUM,          /* minimum services first, then by priority */
    ALLOT_PRIORITY,         /* highest priority first, then the first created */
    ALLOT_SCHEDULING_COUNT
} allot_scheduling;
/* "proportional", ...; NULL: no such scheduling. Static. */
ALLOT_API const char *allot_scheduling_name(int scheduling);
/* Appends a fill to the rule of a scheduling, in place of the built-in one; sources are of
 * sessions. */
ALLOT_API int allot_policy_session_fill(allot_policy *policy, allot_scheduling scheduling,
                                        allot_source by, allot_source up_to, const allot_key *keys,
                                        int32_t n);
/* A requirement on hosts that consumers can name; `function` is of hosts, and gives nonzero for
 * hosts that meet the requirement. ENAME, EEXIST, EUSAGE (also: more than ALLOT_REQUIREMENTS_MAX).
 */
ALLOT_API int allot_policy_requirement(allot_policy *policy, const char *name, int32_t function);

/* ---- Policy: queues and leases ---------------------------------------------------------------
 *
 * A policy for which one of these was called *dispatches*: fills do not divide slots of queues;
 * jobs get slots one by one. Such a policy has no fills, pools and loans, no orders of distribution
 * and reclaim, and no rules of sessions: the later of two such calls gives EUSAGE. Each of these
 * has a default, so every such policy serves everything that a plan's queues state:
 *
 *   dispatch   larger priority, then the first submitted
 *   preempts   as the queues' keys state (P-7)
 *   victims    queue_order, load, host, queue_priority, then the last started (P-10, A-2, A-4)
 *   guards     max_job_preempt, max_total_time_preempt, no_preempt_interval,
 *              no_preempt_run_time, no_preempt_finish_time (P-30 ... P-34)
 *   slices     used_over_share, larger priority, then place
 *   lease      the side that has more idle slots gives them to the other (L-6)
 *
 * ALLOT_TASK_PREFERENCE and ALLOT_TASK_QUEUE_ORDER depend on the preempting queue, so only keys of
 * victims may read them: functions, guards and dispatch are computed once for all preemptors, and a
 * plan refuses a policy that reads one of the two there (EUSAGE).
 */

/* The order of a queue's pending jobs, and of its suspended ones (P-60); ties as in the state.
 * Sources are of tasks. */
ALLOT_API int allot_policy_dispatch(allot_policy *policy, const allot_key *keys, int32_t n);
/* Has the provider's `relate` answer which queues' jobs may preempt which; `function` (0 ...) is a
 * number for the provider. A plan refuses the policy if its provider has no `relate` (EUSAGE).
 * ALLOT_NOBODY: no job preempts another. */
enum { ALLOT_NOBODY = -1 };
ALLOT_API int allot_policy_preempts(allot_policy *policy, int32_t function);
/* Has jobs of queues preempt those of others for which n tests hold, each given by what refuses the
 * others: ALLOT_REFUSED_PRIORITY, ALLOT_REFUSED_QUEUES or ALLOT_REFUSED_SLOT_SHARE, which no
 * function is asked for; or ALLOT_REFUSED_TEST - i: function i, asked for two queues for which the
 * tests before it hold. The default is PRIORITY, then QUEUES (P-7). EUSAGE: another test, n. */
enum { ALLOT_TESTS_MAX = 8 };
ALLOT_API int allot_policy_tests(allot_policy *policy, const int32_t *tests, int32_t n);

/* How many jobs are preempted for one that needs several slots (P-14). */
typedef enum allot_fewest {
    ALLOT_ONE_BY_ONE = 0,  /* in the order of victims, until it fits */
    ALLOT_MINI_JOB,        /* ... but none that the job fits without */
    ALLOT_OPTIMAL_MINI_JOB /* as few as possible */
} allot_fewest;
/* "no", "mini_job", "optimal_mini_job"; NULL: no such. Static. */
ALLOT_API const char *allot_fewest_name(int fewest);
ALLOT_API int allot_policy_fewest(allot_policy *policy, allot_fewest fewest);

/* Which jobs may start before a job that waits for slots (B-1 ... B-8), which takes the run limits
 * of jobs for how long they run. */
typedef enum allot_backfill {
    ALLOT_FIRST_FIT = 0, /* all that fit now */
    ALLOT_NO_BACKFILL,   /* none: first come, first served */
    ALLOT_EASY,          /* those that do not delay the first that waits */
    ALLOT_CONSERVATIVE   /* those that delay none that waits before them */
} allot_backfill;
/* "first_fit", "none", "easy", "conservative"; NULL: no such. Static. */
ALLOT_API const char *allot_backfill_name(int backfill);
ALLOT_API int allot_policy_backfill(allot_policy *policy, allot_backfill backfill);

/* Limits in which preempted jobs do not count (PREEMPT_FOR); and other jobs that may be preempted
 * and preempt (PREEMPT_JOBTYPE, P-40). Bits; 0: none, the default. */
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
/* The action of a due contract (L-6); `function` is of leases and gives 1 (the provider's idle
 * slots go to the consumer), -1 (the consumer's go to the provider) or 0 (nothing moves). Any other
 * value makes the cycle fail with ESCRIPT. */
ALLOT_API int allot_policy_lease(allot_policy *policy, int32_t function);

/* Nonzero: the policy dispatches. */
ALLOT_API int32_t allot_policy_dispatches(const allot_policy *policy);

/* The digest (64 hex digits of SHA-256) of the policy's text, shown in decisions; "" by default. */
ALLOT_API int allot_policy_digest(allot_policy *policy, const char *hex);

/* Getters of the policy's declarations; borrowed. */
ALLOT_API const char *allot_policy_name(const allot_policy *policy);
ALLOT_API const char *allot_policy_sha256(const allot_policy *policy);
/* Does its quota rule use what consumers own? If not, they own nothing. */
ALLOT_API int allot_policy_owns(const allot_policy *policy);
ALLOT_API int32_t allot_policy_attributes(const allot_policy *policy);
ALLOT_API const allot_attribute *allot_policy_attribute_at(const allot_policy *policy, int32_t i);
ALLOT_API int32_t allot_policy_task_attributes(const allot_policy *policy);
ALLOT_API const allot_attribute *allot_policy_task_attribute_at(const allot_policy *policy,
                                                                int32_t i);
ALLOT_API int32_t allot_policy_fills(const allot_policy *policy);
ALLOT_API const char *allot_policy_fill_label(const allot_policy *policy, int32_t i);

ALLOT_C_END

#endif
