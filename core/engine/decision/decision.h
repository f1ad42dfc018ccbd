/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * decision.h: the result of a cycle: each group's columns and lists, in one arena.
 */
#ifndef ALLOT_ENGINE_DECISION_DECISION_H
#define ALLOT_ENGINE_DECISION_DECISION_H

#include <allot/decision.h>

#include "engine/jobs/leases.h"
#include "engine/follow/follow.h"
#include "engine/quota/monitor.h"
#include "engine/victims/victim.h"

typedef struct allot__decided {
    allot__work work;
    allot__orders orders;
    allot__victims victims;
    int32_t *free_slots;    /* by row; NULL before that stage */
    allot__monitor monitor; /* sums NULL before that stage */
} allot__decided;

struct allot_decision {
    const allot_plan *plan;
    const allot_state *state;
    allot_stage last;
    allot__arena arena;
    allot__flown_all flown;                /* reclaims in flight, of all groups */
    int32_t *session_need, *session_quota; /* by session; NULL without, or before that stage */
    allot_lease_part *leases;              /* by contract; NULL: no contracts */
    allot__decided *groups;                /* one for each group of the plan */
    struct allot__dispatched *dispatched;  /* NULL: the plan has no queues */
    allot__followed *follow;               /* it owns the groups' columns; NULL: the arena does */
    const char *full;                      /* why it was a full pass; NULL: it was not */
    bool figures;                          /* sums of orders, free slots and monitor are computed */
};

/* cycle.c: computes those figures, unless they are. ENOMEM. */
int allot__decision_figures(const allot_decision *decision);

/* dispatch.c: the verdict of a queue as a consumer; the totals of all queues. */
void allot__queue_verdict(const allot_decision *decision, int32_t queue, allot_verdict *out);
void allot__queue_totals(const allot_decision *decision, allot_totals *out);

/* The row of a consumer in a group, or -1 if either does not exist. */
int32_t allot__decision_row(const allot_decision *decision, int32_t group, int32_t consumer);

#endif
