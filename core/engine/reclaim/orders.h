/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.h: the orders of a cycle: grants and reclaims by leaf, and each reclaim's claimants.
 *
 * Grants are in the order of distribution, reclaims in the reverse order. The slots that a node
 * takes (C-6) serve the deficits inside it that no node below has served, best first.
 */
#ifndef ALLOT_ENGINE_RECLAIM_ORDERS_H
#define ALLOT_ENGINE_RECLAIM_ORDERS_H

#include "engine/reclaim/transfers.h"

int allot__orders_make(allot__work *work, allot__orders *out);

/* Writes sums' held and given. */
void allot__orders_sum(allot__work *work);

#endif
