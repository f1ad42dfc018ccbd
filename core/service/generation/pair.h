/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pair.h: two generations, the live one's twin and a candidate, decide about one state, and their
 * decisions are compared (allot/diff.h).
 */
#ifndef ALLOT_SERVICE_GENERATION_PAIR_H
#define ALLOT_SERVICE_GENERATION_PAIR_H

#include <allot/diff.h>

#include "service/generation/generation.h"

/* How many consumers are listed: those whose quotas differ most. */
#define ALLOT__PAIR_TOP 8

typedef struct allot__pair_row {
    char path[200];
    int64_t live, other; /* quotas */
} allot__pair_row;

/* The differences between the two decisions. */
typedef struct allot__pair_found {
    int64_t cycle, now;
    int64_t kinds[ALLOT_DIFF_KINDS]; /* rows that differ */
    /* Slots that the candidate's decision takes from leaves and jobs, by reclaims, suspensions and
     * kills, beyond those that the live one's takes from them; and the reverse. */
    int64_t taken, spared;
    allot__pair_row top[ALLOT__PAIR_TOP];
    int32_t top_count;
    bool differs;
    int64_t live_us, other_us;
} allot__pair_found;

/* Twin and candidate, in memory of their own; built and run on a thread. */
typedef struct allot__pair_of {
    allot_engine *engine;
    allot_report *report; /* of the last failure */
    char *file, *plan, *policy;
    allot__plan_texts *texts; /* the live generation's */
    allot_script_limits limits;
    int64_t cycle_limit; /* ms, of each; 0: none */
    allot__generation *twin, *candidate;
    bool lent;           /* the candidate is another's: it is not built, nor freed */
    bool wants_document; /* a comparison leaves one, allot/diff/v1 */
    allot_state *state;  /* of the twin's plan, sealed; given by the loop */
    allot__pair_found found;
    allot__text document;
    int status;
} allot__pair_of;

/* `plan` NULL: the live plan with `policy` instead of its own; else that file. */
int allot__pair_new(const allot__generation *live, const char *file, const char *plan,
                    const char *policy, const allot_script_limits *limits, allot__pair_of **out);
void allot__pair_free(allot__pair_of *pair);
/* On a thread: builds both plans; lets both decide about `state`, compares, frees `state`. Each
 * sets `status`. */
void allot__pair_build(allot__pair_of *pair);
void allot__pair_decide(allot__pair_of *pair);

/* Puts the rows that differ by their kind, {kind: number}, and the quotas that differ most, [{path,
 * live, NAME}], as members. */
void allot__pair_put_kinds(allot__text *out, const int64_t *kinds);
void allot__pair_put_quotas(allot__text *out, const allot__pair_found *found, const char *other);

#endif
