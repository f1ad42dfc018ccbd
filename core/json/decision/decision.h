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
} allot__page;

/* An int64_t of a struct, whose name is its key. */
typedef struct allot__number {
    const char *key;
    size_t at;
} allot__number;
#define ALLOT__NUMBER_OF(type, member)                                                             \
    {                                                                                              \
#member, offsetof(type, member)                                                            \
    }
void allot__write_numbers(allot__text *out, const allot__number *numbers, size_t count,
                          const void *thing);

/* "hosts", where some are known. */
void allot__write_places(allot__text *out, const allot_place *places, int32_t count);

/* The orders of a kind, item by item; into a list that is open. */
void allot__write_orders(allot__page *page, allot_order_kind kind);
/* "resizes", "queues", "pools", and how queues were used, of plans with queues: "usage",
 * "usage_at" and "usage_rest" are what the next state is to say. */
void allot__write_queues(allot__page *page);
/* "leases": contracts as the next state may say them, and what changed. */
void allot__write_leases(allot__page *page);

#endif
