/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * distribute.h: which consumers get the idle slots (C-5).
 *
 * First pass, top-down: members in order take up to what their quota is above their allocation; a
 * parent passes its part down. A parent's quota beyond its children's counts as a last member that
 * demands and holds nothing, so that a parent can always place what it takes. Second pass, in the
 * same order: the rest goes to leaves (and such members) that are still below quota though their
 * parents are not.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_DISTRIBUTE_H
#define ALLOT_ENGINE_PLACEMENT_DISTRIBUTE_H

#include "engine/rows/work.h"

/* Writes idle, idle_left, received, spare, and sums' received. */
int allot__distribute(allot__work *work);

#endif
