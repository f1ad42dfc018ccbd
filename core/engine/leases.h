/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * leases.h: contracts of shared lease (L-1 ... L-8, A-40 ... A-45).
 *
 * Rules, in this order, for each contract by itself:
 *  1. its size is what is exported less what is on closed hosts; what is above it goes from the
 *     provider's idle slots, then from the consumer's, never from used ones;
 *  2. exclusive: all is the consumer's;
 *  3. conn: the provider has all but one; once the consumer uses one, the lease is made: ok;
 *  4. inactive: it is ok again, since the time of the change;
 *  5. ok, and reclaim_delay is over since: of the two sides who has more idle slots gives all of
 * them to the other, and it is inactive; equal: nothing moves. A policy's `lease` may say
 * otherwise.
 */
#ifndef ALLOT_ENGINE_LEASES_H
#define ALLOT_ENGINE_LEASES_H

#include <allot/lease.h>

#include "engine/work.h"

/* Decides about all contracts, before queues: one entry each, in the arena. ENOMEM, ESCRIPT. */
int allot__leases(const allot_plan *plan, const allot_state *state, allot__arena *arena,
                  allot_report *report, allot_lease_part **out);

#endif
