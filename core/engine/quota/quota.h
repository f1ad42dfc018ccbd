/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * quota.h: what each consumer needs (C-1, C-2), then what it is entitled to (C-3, C-4).
 *
 * Need, bottom-up: own' = owned * T / C. reserve' of a leaf = min(reserve, floor(own')), of a
 * parent = max(min(reserve, floor(own')), sum of its children's). Need = max(reserve', min(demand,
 * limit)).
 *
 * A row in no pool needs only its reserve (E-23): a policy's fills, apart from those up to the
 * reserve, go by columns of the plan, one of them by `share`, and all these columns are 0 for the
 * row. No fill gives it more, and more need would make its parent hold slots that it cannot get.
 *
 * Quota, top-down: in each family the policy's fills divide the parent's quota, one after another,
 * until slots run out; then exact shares become whole slots, a parent's before those of its
 * children.
 */
#ifndef ALLOT_ENGINE_QUOTA_QUOTA_H
#define ALLOT_ENGINE_QUOTA_QUOTA_H

#include "base/bits.h"
#include "engine/rows/work.h"

/* Writes reserve, need, and of sums demand, need, reserve, allocated, in_flight, earmarked. ENOMEM.
 */
int allot__need(allot__work *work);
/* Updates need, and sums' demand and need, of a leaf whose demand changed and of the rows above it;
 * not while a switch is enforced. Marks the families of rows whose need changed. With `open`, skips
 * rows that needed more than their (present) quotas before and still do: if fills pour over all
 * siblings at once and rounding is by rank, quotas of their families stay. */
void allot__need_again(allot__work *work, int32_t row, bool open, allot__bits *changed);

/* Writes quota and, by family, critical. ENOMEM, or what a policy's function failed with. */
int allot__quota(allot__work *work);
/* The same by the plain implementation; for tests. */
int allot__quota_exact(allot__work *work);

#endif
