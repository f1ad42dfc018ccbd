/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * inside.h: pending tasks that take the place of running ones of their own leaf (C-13).
 *
 * Rules, for a leaf whose policy tests which of its tasks may take whose place, in this order:
 *  1. the leaf gives no slot to others in this cycle, and has none in flight: else its tasks wait;
 *  2. its pending tasks take turns in the order in which they start. One that does not fit into the
 *     rest of the quota takes the place of candidates (C-8: not those that guards protect) for
 *     which all tests hold, in the policy's order of victims, until it fits in all its groups.
 *     Those that are not needed are spared then, from the last one taken;
 *  3. if even all of these are too few, or if the leaf has given slots for a task before and would
 *     give more than `most_reclaimed` percent of what it holds, none goes; in a strict list no task
 *     behind it takes a place. The leaf's quota stays as it is. The slots are reclaimed for the
 * leaf itself, and the pending task starts in a later cycle, as C-13 says.
 */
#ifndef ALLOT_ENGINE_WHOLE_INSIDE_H
#define ALLOT_ENGINE_WHOLE_INSIDE_H

#include "engine/reclaim/orders.h"
#include "engine/whole/whole.h"

/* After orders: adds reclaims to those of each group. ENOMEM, or what a policy's function failed
 * with. */
int allot__inside(allot__whole_all *all, allot__orders *const *orders);

#endif
