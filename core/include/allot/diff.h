/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff.h: two decisions, A and B, compared: consumers, tasks and jobs, and by how much they differ.
 *
 * The decisions may be of different plans, states and times. Groups, leases and hosts are matched
 * by their names, consumers by their paths, tasks and jobs by their ids; a thing that only one
 * decision has counts as 0 in the other. The order of lists is not compared.
 *
 * Each row has *measures*: numbers, one of A and one of B. Most measures were decided. Some are
 * inputs of the decision (demand, ...): two decisions that differ only in inputs do not differ.
 */
#ifndef ALLOT_DIFF_H
#define ALLOT_DIFF_H

#include <allot/dispatch.h>
#include <allot/lease.h>

ALLOT_C_BEGIN

/*
 * Kinds of rows, with their measures by name; inputs are in brackets.
 *  - RECLAIM is what a leaf gives back: slots, the longest grace in seconds, the number of tasks,
 *    slot-seconds of work lost, and the number of tasks whose loss is unknown; CLAIM is the part of
 *    it that is for `other`;
 *  - PLACE is what a leaf, or a job, gets on a host;
 *  - of a TASK 1 means that the task goes;
 *  - of a JOB measures are slots;
 *  - LOAN is what `consumer` has lent to `other` after the decision;
 *  - LEASE is both sides' slots after the decision, the slots that moved to the consumer (below 0:
 *    to the provider), and the allot_lease_phase.
 */
#define ALLOT_DIFF_MAP(XX)                                                                         \
    XX(GROUP, "groups", "(slots) (idle) idle_left granted held reclaimed tasks lost")              \
    XX(CONSUMER, "consumers",                                                                      \
       "(demand) (need) (allocated) quota granted held reclaimed (deficit)")                       \
    XX(RECLAIM, "reclaims", "slots grace tasks lost unknown")                                      \
    XX(CLAIM, "claims", "slots")                                                                   \
    XX(PLACE, "places", "slots")                                                                   \
    XX(TASK, "tasks", "reclaimed killed")                                                          \
    XX(JOB, "jobs", "started resumed grown suspended killed")                                      \
    XX(LOAN, "loans", "slots")                                                                     \
    XX(LEASE, "leases", "provider consumer to_consumer phase")

typedef enum allot_diff_kind {
#define ALLOT_DIFF_ENUM(name, text, measures) ALLOT_DIFF_##name,
    ALLOT_DIFF_MAP(ALLOT_DIFF_ENUM)
#undef ALLOT_DIFF_ENUM
        ALLOT_DIFF_KINDS
} allot_diff_kind;

#define ALLOT_MEASURES_MAX 8

/* "consumers", ...; NULL: no such. Static. */
ALLOT_API const char *allot_diff_kind_name(int kind);
/* The number of measures of a kind; the i-th's name, copied to buf as a string cut to size; and
 * whether the i-th was decided (1) or is an input (0). */
ALLOT_API int32_t allot_diff_measures(int kind);
ALLOT_API size_t allot_diff_measure_name(int kind, int32_t i, char *buf, size_t size);
ALLOT_API int allot_diff_decided(int kind, int32_t i);

/* A row. Each pair is of A's and of B's plan or state; -1: that side, or the row, has none. */
typedef struct allot_change {
    allot_diff_kind kind;
    int32_t group[2], consumer[2];
    int32_t other[2];                     /* claimant, borrower: a consumer */
    int32_t item[2];                      /* task, job, lease */
    const char *name;                     /* of a task, job, lease or host, else NULL; borrowed */
    int64_t value[2][ALLOT_MEASURES_MAX]; /* by measure */
} allot_change;

typedef struct allot_diff allot_diff;

/* Compares two decisions. Both must outlive the result, which takes its memory from A's engine.
 * Rows of consumers are in the order of A's plan, then consumers that only B has; other rows are in
 * the order of A's lists, then of B's. `all` nonzero: every group and consumer has a row. ENOMEM,
 * EUSAGE. */
ALLOT_API int allot_diff_new(const allot_decision *a, const allot_decision *b, int all,
                             allot_diff **out);
ALLOT_API void allot_diff_free(allot_diff *diff);
ALLOT_API const allot_decision *allot_diff_side(const allot_diff *diff, int side);
/* Rows of a kind, and the i-th. EUSAGE: no such. */
ALLOT_API int32_t allot_diff_count(const allot_diff *diff, int kind);
ALLOT_API int allot_diff_at(const allot_diff *diff, int kind, int32_t i, allot_change *out);
/* Does a decided measure differ, or is the thing in only one plan or state? Of a row; of any row.
 */
ALLOT_API int allot_change_differs(const allot_change *change);
ALLOT_API int allot_diff_differs(const allot_diff *diff);

ALLOT_C_END

#endif
