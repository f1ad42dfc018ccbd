/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick_filter.h: one reading of all rows, for those that go no later than a bar.
 *
 * The first key is read for all rows, each other one only for those that tie so far, or for a whole
 * block where many do.
 */
#ifndef ALLOT_ENGINE_VICTIMS_PICK_FILTER_H
#define ALLOT_ENGINE_VICTIMS_PICK_FILTER_H

#include "engine/victims/pick_items.h"

/* The candidates that go no later than the bar, in no order, and the sum of their slots; ENOMEM. */
int allot__pick_filter(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                       allot__items *all, int64_t *slots);

#endif
