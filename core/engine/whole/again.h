/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again.h: a group's quotas once more, and its leaves in the order of distribution.
 */
#ifndef ALLOT_ENGINE_WHOLE_AGAIN_H
#define ALLOT_ENGINE_WHOLE_AGAIN_H

#include "engine/hosts/hosts.h"
#include "engine/quota/again.h"
#include "engine/rows/leaves.h"
#include "engine/whole/whole.h"

/* A group before its quotas were computed for the first time. */
typedef struct allot__whole_again {
    allot__group_hosts hosts;
    const int32_t *limit;
    int64_t slots, times, unit;
    allot__arena arena;      /* of what is computed in between */
    bool open;               /* ... it is in use */
    allot__leaves leaves;    /* in the order of distribution; as quotas are, unless `natural` */
    allot__quota_kept *kept; /* NULL: quotas are computed as ever */
    bool natural;            /* that order stays */
    bool lasting;            /* ... and the books of a ledger, but for needs */
} allot__whole_again;

/* Takes room, and keeps what a group begins with; ENOMEM. */
int allot__whole_keep(allot__whole_all *all, int32_t group);
/* Once there are quotas: finds out whether they are known to follow from single demands. Likewise.
 */
int allot__whole_know(allot__whole_all *all, int32_t group);
/* Ends what was computed in between. */
void allot__whole_let_go(allot__whole_all *all);
/* Need and quota of a group once more, for what is demanded now; `last`: they are those that the
 * decision keeps. ENOMEM, or what a policy's function failed with. */
int allot__whole_divide(allot__whole_all *all, int32_t group, bool last);
/* The same once the demand of one row is another, with what was left (whole_part). Likewise. */
int allot__whole_redivide(allot__whole_all *all, int32_t group, int32_t row);
/* Writes `leaves`, by quotas as they are. Likewise. */
int allot__whole_order(allot__whole_all *all, int32_t group);

#endif
