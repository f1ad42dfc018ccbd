/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * planned.h: planned shares, and what of them and beyond is in use (E-21).
 *
 * A planned share is what a row has if everybody is busy: the whole slots of its part by weight
 * among all its siblings, of what is planned for its parent, or of its policy's slots at the first
 * level. It goes by neither demand nor quotas, so it stays while slots change hands.
 *
 * A row counts as holding what it needs of what it holds, a parent of what its children count for,
 * or of its reserve or its planned share if one of these is more. So neither a slot on its way to a
 * claimant inside a branch or held idle there, nor one that nobody there needs or a limit forbids,
 * changes what the branch may keep.
 */
#ifndef ALLOT_ENGINE_PLANNED_H
#define ALLOT_ENGINE_PLANNED_H

#include "engine/quota_pass.h"

/* Takes room for the columns when the policy has fills up to them. ENOMEM. */
int allot__planned_begin(allot__work *work, const allot_policy *policy);
/* Fills them in for the rows of a pass, need being known: `slots` are its policy's at the first
 * level, `only` as for allot__quota_order_family. Nothing when the policy has no such fills. */
void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only);

#endif
