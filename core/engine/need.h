/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * need.h: scale and need, bottom-up (C-1, C-2).
 *
 * own' = owned * T / C. reserve' of a leaf = min(reserve, floor(own')), of a parent =
 * max(min(reserve, floor(own')), sum of its children's). Need = max(reserve', min(demand, limit)).
 *
 * Nobody needs what it can never get: need is also no more than the fills of its policy can give,
 * or a parent would hold slots for children to whom they cannot go (E-23: a share of 0). A fill
 * gives a row nothing where its `by` is 0, else up to `up_to`, rounded up; the most of any counts.
 * What a function computes, or goes by more than the plan, may be anything.
 */
#ifndef ALLOT_ENGINE_NEED_H
#define ALLOT_ENGINE_NEED_H

#include "engine/work.h"

/* Writes reserve, need, and sums' demand, need, reserve, allocated, in_flight, earmarked. ENOMEM.
 */
int allot__need(allot__work *work);

#endif
