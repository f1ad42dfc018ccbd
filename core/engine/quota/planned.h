/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * planned.h: planned shares, and what of them and beyond is in use (E-21).
 *
 * A planned share is what a row has if all rows are busy: what is planned for its parent, or at the
 * first level its policy's slots, divided by weight among all siblings and rounded to whole slots.
 * It depends on neither demand nor quotas, so it stays the same while slots change hands.
 *
 * A leaf holds what it needs of the slots that it has and is not giving back, of slots in flight to
 * it, and of slots that came back for it: slots in flight count once, for their claimant. A parent
 * holds what its leaves hold. What a row keeps of that:
 *  - where siblings settle first, all of it, or its planned share if that is more. So a leaf that
 *    lacks slots of its planned share gets them from its siblings, and its branch from others no
 *    more than the branch's own planned share. Slots that no row keeps, since they are idle, in
 *    flight or not needed, count for branches whose leaves lack what they are sure of: so what a
 *    leaf gave for its sibling stays the branch's until the sibling has it, and so does a reserve
 *    that is held idle;
 *  - where shares are enforced at the leaves (E-22), all are first sure of their planned shares;
 *    slots beyond planned shares are kept by the leaves that hold them, the best rank first,
 *    whatever their branches. Leaves of one rank divide them by the fill's weight, branch by
 *    branch.
 */
#ifndef ALLOT_ENGINE_QUOTA_PLANNED_H
#define ALLOT_ENGINE_QUOTA_PLANNED_H

#include "engine/quota/pass.h"

/* Takes room for the columns when the policy has fills up to them. ENOMEM. */
int allot__planned_begin(allot__quota_pass *pass);
/* Fills them in for the rows of a pass, need being known: `slots` are its policy's at the first
 * level, `only` as for allot__quota_order_family. Nothing when the policy has no such fills. */
void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only);

/* planned_leaves.c: what a leaf holds, as above. */
int32_t allot__planned_counts(const allot__work *work, int32_t row);
/* Is a pass's policy one that compares leaves of several branches? */
bool allot__planned_by_leaves(const allot__quota_pass *pass);
/* Room for that; ENOMEM. */
int allot__planned_room(allot__quota_pass *pass);
/* Writes held_part, planned_part being known. */
void allot__planned_leaves(allot__quota_pass *pass, int64_t slots, const bool *only);

#endif
