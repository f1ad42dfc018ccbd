/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: the slots owned now: own' = owned * times / unit (C-1).
 *
 * own' is computed on use: a multiplication costs less than another column would.
 */
#ifndef ALLOT_ENGINE_ROWS_OWN_H
#define ALLOT_ENGINE_ROWS_OWN_H

#include "engine/rows/work.h"

/* Writes own' of a family's rows: floors, at most ALLOT_AMOUNT_MAX, to `own`, and the parts above
 * them, in 1/unit, to `part`, which is left alone when unit is 1. */
void allot__own_family(const allot__work *work, int32_t family, int32_t *own, int32_t *part);
/* The same of one row; part may be NULL. */
int32_t allot__own(const allot__work *work, const allot__rules *rules, int32_t row, int32_t *part);
/* Has the group its planned size? Then own' is the column `configured`. */
static inline bool allot__own_planned(const allot__work *work)
{
    return work->times == 1 && work->unit == 1;
}

#endif
