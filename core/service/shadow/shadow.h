/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * shadow.h: a candidate evaluated on the live policy's states; its decisions are only compared.
 *
 * After a cycle the state is copied, unless the shadow is still working on an earlier one, and so
 * seldom that copying takes at most a twentieth of the time. On a thread a twin of the live plan
 * and the candidate both decide about the copy, and the decisions are compared (allot/diff.h). None
 * of this reaches the books, the store or subscribers. A candidate that fails
 * ALLOT__SHADOW_FAILURES times in a row is stopped.
 *
 * Methods: shadow {policy} or {plan}, drop, promote.
 */
#ifndef ALLOT_SERVICE_SHADOW_SHADOW_H
#define ALLOT_SERVICE_SHADOW_SHADOW_H

#include "service/generation/pair.h"
#include "service/instance/service.h"
#include "service/wire/rpc.h"

#define ALLOT__SHADOW_FAILURES 3

typedef enum allot__shadow_life {
    ALLOT__SHADOW_NONE = 0,
    ALLOT__SHADOW_BUILDING,
    ALLOT__SHADOW_RUNNING,
    ALLOT__SHADOW_STOPPED /* it failed; the pair's report has the error */
} allot__shadow_life;

typedef struct allot__shadow {
    allot_service *service;
    allot__work work;
    allot__shadow_life life;
    bool working; /* the pair belongs to a thread */
    bool stale;   /* free the pair when the work is done */
    allot__pair_of *pair;
    char *plan, *policy;             /* as requested */
    allot__reply *reply;             /* the call waiting for the build; NULL: none */
    int64_t since, failures, failed; /* in a row, and in all */
    int64_t cycles, differ, skipped;
    int64_t kinds[ALLOT_DIFF_KINDS]; /* rows that differed, in all */
    int64_t live_us, shadow_us;      /* of the last cycle */
    allot__pair_found last;          /* the last one that differed */
    uint64_t next;                   /* no copy before that time of uv_hrtime */
} allot__shadow;

/* The component, and its methods. */
int allot__shadow_start(allot_service *service, allot_report *report);
void allot__shadow_stop(allot_service *service);
void allot__shadow_cycle(allot_service *service, const allot__cycle_done *done);
void allot__shadow_swapped(allot_service *service);
void allot__shadow_status(allot_service *service, allot__text *out);
void allot__shadow_method(allot__request *call);
void allot__shadow_drop(allot__request *call);
void allot__shadow_promote(allot__request *call);

#endif
