/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.h: what to carry out: grants and reclaims by leaf, and whom each reclaim is for.
 *
 * Grants go in the order of distribution, reclaims in the opposite one. The slots that a node
 * takes (C-6) serve the deficits inside it that nothing nearer has served, best first.
 */
#ifndef ALLOT_ENGINE_ORDERS_H
#define ALLOT_ENGINE_ORDERS_H

#include "engine/work.h"

/* Slots that nobody is owed go because something does not hold them, or are forced. */
enum { ALLOT__BY_LIMIT = 1, ALLOT__BY_SIZE = 2, ALLOT__BY_FORCE = 4 };

typedef struct allot__order_back {
    int32_t row;
    int32_t unowed;       /* of these; 0: all slots are owed */
    int32_t first, count; /* of its claims */
} allot__order_back;

typedef struct allot__orders {
    int32_t *grants; /* rows */
    int32_t grant_count;
    allot__order_back *reclaims;
    int32_t reclaim_count;
    allot_claim *claims; /* consumers' handles */
} allot__orders;

int allot__orders_make(allot__work *work, allot__orders *out);

/* Writes sums' held and given. */
void allot__orders_sum(allot__work *work);

/* The part of what a leaf received that it demands; the rest is held for it (C-5). */
int64_t allot__granted(const allot__work *work, int32_t row);

#endif
