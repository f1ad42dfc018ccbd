/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * policy.h: a policy as the engine reads it: plain tables, no script.
 */
#ifndef ALLOT_MODEL_POLICY_POLICY_H
#define ALLOT_MODEL_POLICY_POLICY_H

#include <stdbool.h>

#include <allot/plan.h>

#include "base/memory.h"

typedef struct allot__order {
    allot_key keys[ALLOT_KEYS_MAX];
    int32_t count;
} allot__order;

/* The kinds of rules that add to a quota. */
typedef enum allot__fill_kind {
    ALLOT__FILL = 0, /* poured over siblings */
    ALLOT__POOL,     /* from share pools: `by` up to `up_to` */
    ALLOT__LOAN      /* `by` is the lend limit, `up_to` the borrow limit, `order` the borrowers' */
} allot__fill_kind;

typedef struct allot__fill {
    allot__fill_kind kind;
    const char *label;
    allot_source by, up_to;
    allot__order order;
    bool level;          /* of a fill: raises totals (C-15) */
    allot_source weight; /* of a loan: the proportion of borrowers with equal keys; */
    bool weighs;         /* ... else one comes after another */
} allot__fill;

typedef struct allot__function {
    int32_t *columns;
    int32_t count;
    allot_rows rows;
    bool claimant; /* of tasks: it is called for each claimant (C-16) */
} allot__function;

/* Protects tasks unless their value is in min ... max. */
typedef struct allot__guard {
    const char *label;
    allot_source value; /* of tasks */
    int64_t min, max;
} allot__guard;

/* A fill of a rule that divides a leaf's slots among its sessions. */
typedef struct allot__session_fill {
    allot_source by, up_to; /* of sessions */
    allot__order order;
} allot__session_fill;

typedef struct allot__requirement {
    const char *name;
    int32_t function; /* of hosts */
} allot__requirement;

/* Tests of two rows, all of which must hold: by a column, the first row's number is larger; by a
 * function, it gives nonzero. */
typedef struct allot__tests {
    allot_source list[ALLOT_TESTS_MAX];
    int32_t count; /* 0: all pairs hold */
} allot__tests;

struct allot_policy {
    allot_engine *engine;
    int32_t holds;    /* references: the creator's, and one for every group that uses it */
    allot__pool pool; /* of all strings and lists of columns */
    const char *name;
    char digest[65];
    allot_attribute attributes[ALLOT_ATTRIBUTES_MAX];
    int32_t attribute_count;
    allot_provider provider;
    allot__vector functions;            /* of allot__function */
    allot__fill fills[ALLOT_FILLS_MAX]; /* the first is always reserve up to reserve */
    int32_t fill_count;
    allot_source reserve; /* the slots that are never lent; by default the column */
    bool exact;           /* owned slots stay as planned */
    allot_rounding rounding;
    allot__order distribute;
    allot_source reclaim_by;
    allot__order reclaim;
    allot__tests takes; /* of claimants and givers */
    allot__tests
        inside; /* of a leaf's pending tasks and its running ones; none: no place is taken */
    bool switches[ALLOT_SWITCH_COUNT];
    int64_t options[ALLOT_OPTION_COUNT]; /* damping options, */
    uint32_t options_set;                /* ... valid where the bit is set */
    allot_attribute task_attributes[ALLOT_ATTRIBUTES_MAX];
    int32_t task_attribute_count;
    allot__order victims;       /* of tasks; by default importance, then the last started */
    bool victims_given;         /* ... else it is the default */
    bool divides;               /* a rule was set that only consumers need */
    allot__vector guards;       /* of allot__guard */
    allot__vector requirements; /* of allot__requirement */
    allot__vector session_fills[ALLOT_SCHEDULING_COUNT]; /* of allot__session_fill; empty: the
                                                            built-in rule */
    /* For jobs of queues; what is not set has its default, guards and victims only once a plan
     * holds the policy. */
    bool dispatches;
    allot__order dispatch;          /* of tasks */
    int32_t tests[ALLOT_TESTS_MAX]; /* of preempts, as allot_policy_tests takes them */
    int32_t test_count;             /* 0: no job preempts another */
    allot_fewest fewest;
    allot_backfill backfill;
    int32_t lift, job_types; /* bits */
    allot__order slices;     /* of queues */
    int32_t lease;           /* a function; -1: L-6 */
};

_Static_assert(ALLOT_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX <= ALLOT_SUMS, "sums are apart");
_Static_assert(ALLOT_SUM_OF(ALLOT_SUMS) <= UINT8_MAX + 1, "a script keeps columns as bytes");

/* The column that a function's column reads, which may be a sum of it. */
static inline int32_t allot__summed(allot_rows rows, int32_t column)
{
    return rows == ALLOT_CONSUMERS && column >= ALLOT_SUMS ? column - ALLOT_SUMS : column;
}

/* The first function of its tests, a number for the provider's relate; -1: none. */
static inline int32_t allot__policy_asks(const allot_policy *policy)
{
    int32_t function = -1;
    for (int32_t i = policy->test_count - 1; i >= 0; i--)
        if (policy->tests[i] <= ALLOT_REFUSED_TEST)
            function = ALLOT_REFUSED_TEST - policy->tests[i];
    return function;
}

/* Do its consumers hold own, shared and borrowed slots separately (C-11)? */
static inline bool allot__policy_ledger(const allot_policy *policy)
{
    return policy->fill_count > 0 && policy->fills[policy->fill_count - 1].kind != ALLOT__FILL;
}
/* Its fill of a kind, or NULL. */
const allot__fill *allot__policy_part(const allot_policy *policy, allot__fill_kind kind);

/* Does a source read a column of consumers, itself or its sum over siblings? */
bool allot__policy_reads(const allot_policy *policy, allot_source source, int32_t column);
/* The fill that goes up to planned shares, or -1. */
int32_t allot__policy_parted(const allot_policy *policy);
/* The columns of use over time (C-14) that rules about consumers read, as bits. *named: the first
 * one that a rule names; -1: only functions of whole rows can read some. */
enum { ALLOT__READS_USAGE = 1, ALLOT__READS_OVER_SHARE = 2 };
int allot__policy_reads_use(const allot_policy *policy, int32_t *named);
/* A column that its fills divide by and a plan may state: `share`, or an attribute; or NULL. */
const char *allot__policy_divides_by(const allot_policy *policy);
/* Can a share of 0 leave a row out of all its fills (E-23)? Fills up to the reserve do not count:
 * they give no slot beyond it. */
bool allot__policy_leaves_out(const allot_policy *policy);
static inline bool allot__is_reserve(allot_source source)
{
    return source.kind == ALLOT_FROM_COLUMN && source.value == ALLOT_RESERVE;
}

/* Does any rule about tasks or jobs read that column? */
bool allot__policy_reads_task(const allot_policy *policy, int32_t column);
/* Is a source a function that reads the claimant? */
static inline bool allot__of_claimant(const allot_policy *policy, allot_source source)
{
    return source.kind == ALLOT_FROM_FUNCTION &&
           ((const allot__function *)policy->functions.items)[source.value].claimant;
}
/* Does a key of victims or a guard read the claimant (C-16)? */
bool allot__policy_by_claimant(const allot_policy *policy);

/* May the policy still be changed? No longer once a plan holds it. */
static inline bool allot__policy_open(const allot_policy *policy)
{
    return policy && policy->holds == 1;
}

/* May the policy get a rule that divides slots among consumers? */
static inline bool allot__policy_divides(const allot_policy *policy)
{
    return allot__policy_open(policy) && !policy->dispatches;
}

/* Gives a new policy the defaults for jobs. */
void allot__policy_jobs_init(allot_policy *policy);
/* Gives a policy that dispatches the default victims and guards that it lacks; ENOMEM. */
int allot__policy_jobs_complete(allot_policy *policy);

/* May a rule about such rows read this source? Of consumers' columns, those up to `last`; the slots
 * of a family, which are the same for all its rows, by functions alone. */
bool allot__source_valid(const allot_policy *policy, allot_rows rows, allot_source source,
                         int32_t last);
/* Adds a test of two such rows; EUSAGE: it is invalid, or there are ALLOT_TESTS_MAX. */
int allot__tests_add(const allot_policy *policy, allot_rows rows, allot_source test, int32_t last,
                     allot__tests *out);
/* Copies an order if its keys are valid; false: they are not. */
bool allot__order_make(const allot_policy *policy, allot_rows rows, const allot_key *keys,
                       int32_t n, int32_t last, allot__order *out);
/* The number of columns that such rows have under the policy, its attributes included. */
int32_t allot__column_count(const allot_policy *policy, allot_rows rows);
/* The requirement of that name, or -1. */
int32_t allot__requirement_find(const allot_policy *policy, const char *name);
/* Checks an attribute's name and bounds. ENAME, ERANGE, EUSAGE. */
int allot__attribute_check(const allot_attribute *attribute);

/* Gives a policy without fills the fill that every policy begins with, and a policy that dispatches
 * its defaults; ENOMEM. */
int allot__policy_complete(allot_policy *policy);

/* The place of the attribute of that name in a list, or -1. */
int32_t allot__attribute_find(const allot_attribute *list, int32_t count, const char *name,
                              size_t len);
/* Are the two declarations equal? */
bool allot__attribute_same(const allot_attribute *a, const allot_attribute *b);
/* Copies an attribute and its strings; ENOMEM. */
int allot__attribute_copy(allot_engine *engine, allot__pool *pool, const allot_attribute *from,
                          allot_attribute *out);
/* Adds an attribute to a list of the policy, unless its name is taken; EUSAGE: the list is full;
 * ENOMEM. */
int allot__attribute_declare(allot_policy *policy, const allot_attribute *attribute,
                             allot_attribute *list, int32_t *count);

#endif
