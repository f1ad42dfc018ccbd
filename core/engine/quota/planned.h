/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * planned.h: planned shares, and what of them and beyond is in use (E-21).
 *
 * A planned share is what a row has if everybody is busy: the whole slots of its part by weight
 * among all its siblings, of what is planned for its parent, or of its policy's slots at the first
 * level. It goes by neither demand nor quotas, so it stays while slots change hands.
 *
 * A leaf holds what it needs of what it has and is not giving back, and of what is on its way to it
 * or has come back for it: slots in flight count once, and for whom they are. A parent holds what
 * its leaves do. What a row keeps of that:
 *  - where siblings settle first, all of it, or its planned share if that is more. So a leaf that
 *    lacks slots of its planned share gets them from its siblings, and its branch from others no
 *    more than the branch's own planned share. Slots that nobody keeps, since they are idle, on
 *    their way back or not needed, count for branches whose leaves lack what they are sure of: so
 *    what a leaf gave for its sibling stays the branch's until that one has it, and so does a
 *    reserve that is held idle;
 *  - where shares are enforced at the leaves (E-22), all are first sure of their planned shares;
 *    what there is beyond those the leaves keep that hold it, the best rank first, whatever their
 *    branches. Of one rank what there is goes by the fill's weight, branch by branch.
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
