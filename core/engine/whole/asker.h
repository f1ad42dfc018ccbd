/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * asker.h: who asks, with the tasks of each: those that run in the order in which they would go,
 * and those that wait in the order in which they start.
 */
#ifndef ALLOT_ENGINE_WHOLE_ASKER_H
#define ALLOT_ENGINE_WHOLE_ASKER_H

#include "engine/whole/whole.h"

/* Finds askers, and fills each group's `sides`; ENOMEM, and what a policy's function fails with. */
int allot__askers_make(allot__whole_all *all);
/* Puts what runs of a side into the order in which it would go with such a quota. Likewise. */
int allot__side_order(const allot__whole_all *all, allot__side *side, int64_t quota);

#endif
