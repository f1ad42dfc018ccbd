/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * need.h: scale and need, bottom-up (C-1, C-2).
 *
 * own' = owned * T / C. reserve' of a leaf = min(reserve, floor(own')), of a parent =
 * max(min(reserve, floor(own')), sum of its children's). Need = max(reserve', min(demand, limit)).
 *
 * Who is in no pool needs its reserve alone (E-23): where all fills of a policy but those up to the
 * reserve go by columns of the plan, one of them by `share`, and all of these are 0 of a row, no
 * fill gives it more, and its parent would hold slots that cannot go to it.
 */
#ifndef ALLOT_ENGINE_QUOTA_NEED_H
#define ALLOT_ENGINE_QUOTA_NEED_H

#include "base/bits.h"
#include "engine/rows/work.h"

/* Writes reserve, need, and sums' demand, need, reserve, allocated, in_flight, earmarked. ENOMEM.
 */
int allot__need(allot__work *work);
/* Need and sums' demand and need of one leaf and what is above it, once its demand is another;
 * where no switch is enforced. Marks the families of rows that need something else. With `open`,
 * quotas being those before, not those of rows that needed more than their quotas and still do:
 * where fills pour over all siblings at once and parts are rounded by rank, their families' quotas
 * stay. */
void allot__need_again(allot__work *work, int32_t row, bool open, allot__bits *changed);

#endif
