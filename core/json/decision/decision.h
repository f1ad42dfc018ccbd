/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.h: a decision as a document. */
#ifndef ALLOT_JSON_DECISION_DECISION_H
#define ALLOT_JSON_DECISION_DECISION_H

#include <allot/json.h>

#include "base/path.h"

typedef struct allot__page {
    allot__text out;
    const allot_decision *decision;
    const allot_plan *plan;
    const allot_state *state;
    bool counts; /* leaves' use (C-14) */
} allot__page;

/* Writes "hosts", if some are known. */
void allot__write_places(allot__text *out, const allot_place *places, int32_t count);

/* Writes the orders of a kind, item by item, into an open list. */
void allot__write_orders(allot__page *page, allot_order_kind kind);
/* Of plans with queues: writes "resizes", "queues", "pools", and the queues' use: "usage",
 * "usage_at" and "usage_rest", which the next state should state. */
void allot__write_queues(allot__page *page);
/* Writes "leases": contracts as the next state may state them, and what changed. */
void allot__write_leases(allot__page *page);

#endif
