/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * takes.h: which slots that are over serve which claimants, if a policy tests who may take from
 * whom.
 *
 * Rules for a node, whose policy's tests count, in this order:
 *  1. deficits inside are served in the order of distribution, each from those leaves inside that
 *     are over and that it may take from, by C-7. Claimants one after another that may take from
 *     the same leaves claim together;
 *  2. a claimant that still lacks slots takes them from a leaf that serves an earlier claimant, if
 *     that one can have as many from another leaf: nobody served before gets less;
 *  3. no claimant is served from outside a branch beyond the branch's limit.
 *  4. where guards or victims of a leaf read the claimant (C-16), claimants one after another for
 *     whom the same tasks may go claim together, no leaf gives more than these tasks have, and each
 *     takes its tasks before the next one is asked for. Rule 2 does not hold then.
 * A leaf that no claimant may take from keeps what it is over. What is not served here the nodes
 * above try. Slots that a limit, the group's size or force takes go whatever the tests, and serve
 * whoever lacks some.
 */
#ifndef ALLOT_ENGINE_RECLAIM_TAKES_H
#define ALLOT_ENGINE_RECLAIM_TAKES_H

#include "engine/reclaim/orders.h"

/* Allocates transfers->room, and work->untaken; ENOMEM. */
int allot__takes_begin(allot__transfers *transfers);
/* At the node of transfers->family, serves at most `most` slots; returns how many. On failure
 * transfers->status says so. */
int64_t allot__takes_match(allot__transfers *transfers, allot__reclaim_split *split, int64_t most);
/* Writes work->untaken: what is not served. */
void allot__takes_end(allot__transfers *transfers);

/* The most slots from outside that a claimant, by number, can be promised in the node of
 * transfers->family; and promises some. */
int64_t allot__takes_room(const allot__transfers *transfers, int32_t to);
void allot__takes_promise(allot__transfers *transfers, int32_t to, int64_t slots);

#endif
