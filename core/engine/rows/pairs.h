/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pairs.h: the tests of a policy about two rows, as claimant and giver: which rows may one take
 * from?
 */
#ifndef ALLOT_ENGINE_ROWS_PAIRS_H
#define ALLOT_ENGINE_ROWS_PAIRS_H

#include "engine/rows/rowset.h"

/* Sets may[i] to whether all tests hold for row `taker` of `takers` and row list[i] of `givers`.
 * Both are of the same kind and policy. ENOMEM, or what a policy's function failed with. */
int allot__pairs_may(const allot__rowset *takers, int32_t taker, const allot__rowset *givers,
                     const allot__tests *tests, const int32_t *list, int32_t count, uint8_t *may);

#endif
