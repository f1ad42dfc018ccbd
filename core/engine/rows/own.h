/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: what is owned now: own' = owned * times / unit (C-1).
 *
 * It is computed where it is asked for: a multiplication costs less than a column of it would.
 */
#ifndef ALLOT_ENGINE_ROWS_OWN_H
#define ALLOT_ENGINE_ROWS_OWN_H

#include "engine/rows/work.h"

/* Floors of own' of a family's rows, at most ALLOT_AMOUNT_MAX, and what is above in 1/unit. `own`
 * and `part` are room for them; `part` is left alone when unit is 1. */
void allot__own_family(const allot__work *work, int32_t family, int32_t *own, int32_t *part);
/* The same of one row; part may be NULL. */
int32_t allot__own(const allot__work *work, const allot__rules *rules, int32_t row, int32_t *part);
/* Is everything owned as planned? Then own' is the column `configured`. */
static inline bool allot__own_planned(const allot__work *work)
{
    return work->times == 1 && work->unit == 1;
}

#endif
