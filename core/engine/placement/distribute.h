/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * distribute.h: which consumers get the idle slots (C-5).
 *
 * First pass, top-down: members in order take slots up to their quota above their allocation; a
 * parent passes its part down. A parent's quota beyond its children's is that of a *last member*,
 * which demands and holds nothing, so that the parent can place all that it takes. Second pass, in
 * the same order: the rest goes to leaves (and last members) that are still below quota although
 * their parents are not.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_DISTRIBUTE_H
#define ALLOT_ENGINE_PLACEMENT_DISTRIBUTE_H

#include "engine/rows/work.h"

/* Writes idle, idle_left, received, spare, and sums' received. */
int allot__distribute(allot__work *work);

#endif
