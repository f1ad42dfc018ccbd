/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * asker.h: the leaves that ask, with their tasks: running ones in the order in which they would go,
 * waiting ones in the order in which they start.
 */
#ifndef ALLOT_ENGINE_WHOLE_ASKER_H
#define ALLOT_ENGINE_WHOLE_ASKER_H

#include "engine/whole/whole.h"

/* Finds askers, and fills each group's `sides`; ENOMEM, or what a policy's function failed with. */
int allot__askers_make(allot__whole_all *all);
/* The number of a side's units (model/state/tasks.h). */
int32_t allot__side_units(const allot__side *side);
/* Brings a side's running tasks into the order in which they would go at that quota. Likewise. */
int allot__side_order(const allot__whole_all *all, allot__side *side, int64_t quota);

#endif
