/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * planned.h: planned shares, and the slots that rows hold within and beyond them (E-21).
 *
 * A row has its planned share if all rows are busy: the parent's planned share, or at the first
 * level the policy's slots, is divided by weight among all siblings and rounded to whole slots.
 * Planned shares depend on neither demand nor quotas: they stay while slots change hands.
 *
 * A leaf holds, up to its need, the slots that it has and is not giving back, slots in flight to
 * it, and slots that came back for it: slots in flight count once, for their claimant. A parent
 * holds what its leaves hold. Of these slots a row keeps:
 *  - if siblings settle first, all of them, or its planned share if that is more. So a leaf that
 *    lacks slots of its planned share gets them from its siblings, and its branch gets from other
 *    branches no more than its own planned share. Slots that no row keeps (idle, in flight, or not
 *    needed) count for branches whose leaves lack slots they are sure of: so slots that a leaf gave
 *    for its sibling stay in the branch until the sibling has them, and so does a reserve that is
 *    held idle;
 *  - if shares are enforced at the leaves (E-22), first their planned shares, for all leaves; slots
 *    beyond planned shares are kept by the leaves that hold them, the best rank first, whatever
 *    their branches. Leaves of one rank divide them by the fill's weight, branch by branch.
 */
#ifndef ALLOT_ENGINE_QUOTA_PLANNED_H
#define ALLOT_ENGINE_QUOTA_PLANNED_H

#include "engine/quota/pass.h"

/* Allocates the columns if the policy has fills up to them. ENOMEM. */
int allot__planned_begin(allot__quota_pass *pass);
/* Fills the columns in for the rows of a pass, once need is known; does nothing if the policy has
 * no such fills. `slots`: the policy's at the first level; `only`: see allot__quota_order_family.
 */
void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only);

/* The slots that a leaf holds, as above. */
int32_t allot__planned_counts(const allot__work *work, int32_t row);

#endif
