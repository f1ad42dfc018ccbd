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

/* The first six, OWNED to GRACE, are what a plan states of every consumer. */
#define ALLOT_PLAN_COLUMNS 6

/* "owned" and its text; NULL for a column that is not built in. Static. */
ALLOT_API const char *allot_column_name(int column);
ALLOT_API const char *allot_column_doc(int column);
/* The built-in column of that name, or -1. */
ALLOT_API int allot_column_find(const char *name, size_t len);

/* ---- Policy: how the rules combine ----------------------------------------------------------- */

/* Where a rule takes a number from, row by row. */
typedef enum allot_source_kind {
    ALLOT_FROM_NEED = 0, /* up_to: the need alone; not a weight */
    ALLOT_FROM_NUMBER,   /* value: 0 ... ALLOT_AMOUNT_MAX */
    ALLOT_FROM_COLUMN,   /* value: an allot_column or an attribute */
    ALLOT_FROM_FUNCTION  /* value: what allot_policy_function gave */
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

typedef enum allot_attribute_type { ALLOT_INTEGER = 1, ALLOT_BOOLEAN } allot_attribute_type;

/* A plan column that a policy declares. Strings are copied. */
typedef struct allot_attribute {
    const char *name; /* [A-Za-z][A-Za-z0-9_]*, not a built-in column */
    allot_attribute_type type;
    int32_t min, max; /* within +/- ALLOT_AMOUNT_MAX; BOOLEAN: 0 and 1 */
    int32_t fallback; /* what a consumer has that does not state it; may be ALLOT_NONE */
    const char *doc;  /* may be NULL */
} allot_attribute;

/* Rows handed to a policy's function, a few hundred at a time. */
typedef struct allot_batch {
    int32_t count;                 /* rows */
    const int64_t *const *columns; /* what the function asked for, in that order, `count` each */
    const int32_t *consumers;      /* the rows' consumers, for messages */
    const allot_plan *plan;
    int32_t group;
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
 * The core pours `reserve` up to `reserve` first when the first fill is another. */
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
/* The digest (64 hex digits of SHA-256) of the policy's text, shown in decisions; "" by default. */
ALLOT_API int allot_policy_digest(allot_policy *policy, const char *hex);

/* What was declared, borrowed. */
ALLOT_API const char *allot_policy_name(const allot_policy *policy);
ALLOT_API const char *allot_policy_sha256(const allot_policy *policy);
ALLOT_API int32_t allot_policy_attributes(const allot_policy *policy);
ALLOT_API const allot_attribute *allot_policy_attribute_at(const allot_policy *policy, int32_t i);
ALLOT_API int32_t allot_policy_fills(const allot_policy *policy);
ALLOT_API const char *allot_policy_fill_label(const allot_policy *policy, int32_t i);

#ifdef __cplusplus
}
#endif

#endif
