/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * leases.h: contracts of shared leases (L-1 ... L-8, A-40 ... A-45).
 *
 * Rules, in this order, for each contract by itself:
 *  1. its size is the exported slots less those on closed hosts or above a host's slots. Slots
 *     above the size are taken from the provider's idle slots, then from the consumer's, never from
 *     used ones; slots missing from the size are given to the provider;
 *  2. exclusive: the consumer has all slots, except those that the provider still uses (L-8);
 *  3. conn: the consumer has one slot, the provider the others (L-5). Once the consumer uses its
 *     slot, the contract becomes ok, since now;
 *  4. ok or inactive, and rule 1 changed something: it becomes inactive, since now (L-7);
 *  5. inactive otherwise: it becomes ok again, since the time of the change;
 *  6. ok, and reclaim_delay is over: the side with more idle slots, or the side that the policy's
 *     `lease` names, gives all its idle slots to the other, and the contract becomes inactive. If
 *     both have as many, or none is idle, no slot moves. A damped contract moves no slot to a side
 *     without pending jobs. In all cases the contract counts as evaluated now.
 *
 * Where slots are: a contract's slots stand in the order of its hosts. The provider has the
 * first slots and uses the first of its own; the consumer has the last and uses the last. So idle
 * slots meet in the middle, and the idle slots that a side gives border on the other side's.
 */
#ifndef ALLOT_ENGINE_JOBS_LEASES_H
#define ALLOT_ENGINE_JOBS_LEASES_H

#include <allot/lease.h>

#include "base/memory.h"

/* Decides about all contracts, before queues: one entry each, in the arena; NULL: no contracts.
 * ENOMEM; the failure of a policy's function, and ESCRIPT if its answer is not valid. */
int allot__leases(const allot_plan *plan, const allot_state *state, allot__arena *arena,
                  allot_report *report, allot_lease_part **out);

#endif
