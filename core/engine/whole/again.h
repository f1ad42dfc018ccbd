/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again.h: recomputes a group's quotas, and orders its leaves by distribution.
 */
#ifndef ALLOT_ENGINE_WHOLE_AGAIN_H
#define ALLOT_ENGINE_WHOLE_AGAIN_H

#include "engine/hosts/hosts.h"
#include "engine/quota/again.h"
#include "engine/rows/order.h"
#include "engine/whole/whole.h"

/* A group before its quotas were computed for the first time. */
typedef struct allot__whole_again {
    allot__group_hosts hosts;
    const int32_t *limit;
    int64_t slots, times, unit;
    allot__arena arena;      /* of intermediate results */
    bool open;               /* ... it is in use */
    allot__leaves leaves;    /* in the order of distribution; by present quotas unless `natural` */
    allot__quota_kept *kept; /* NULL: quotas are computed in full */
    bool natural;            /* that order never changes */
} allot__whole_again;

/* Allocates, and stores the initial columns of a group; ENOMEM. */
int allot__whole_keep(allot__whole_all *all, int32_t group);
/* After the first quotas: prepares for recomputing them from single changed demands, if they allow
 * it. Likewise. */
int allot__whole_know(allot__whole_all *all, int32_t group);
/* Frees intermediate results. */
void allot__whole_let_go(allot__whole_all *all);
/* Recomputes need and quota of a group from present demands; `last`: the decision keeps them.
 * ENOMEM, or what a policy's function failed with. */
int allot__whole_divide(allot__whole_all *all, int32_t group, bool last);
/* The same after the demand of one row changed, including leftovers (whole_part). Likewise. */
int allot__whole_redivide(allot__whole_all *all, int32_t group, int32_t row);
/* Writes `leaves`, by present quotas. Likewise. */
int allot__whole_order(allot__whole_all *all, int32_t group);

#endif
