/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * free.h: the figure of free slots (H-13).
 *
 * While any leaf demands more than it holds, the figure of a leaf is its reserve above its
 * allocation, that of a parent the larger of its children's sum and its own reserve above its
 * allocation. Else idle slots are split by configured ownership, family by family.
 */
#ifndef ALLOT_ENGINE_QUOTA_FREE_H
#define ALLOT_ENGINE_QUOTA_FREE_H

#include "engine/rows/work.h"

/* *out: by row, from the arena. */
int allot__free_slots(allot__work *work, int32_t **out);

#endif
