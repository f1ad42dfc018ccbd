/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * need.h: scale and need, bottom-up (C-1, C-2).
 *
 * own' = owned * T / C. reserve' of a leaf = min(reserve, floor(own')), of a parent =
 * max(min(reserve, floor(own')), sum of its children's). Need = max(reserve', min(demand, limit)).
 */
#ifndef ALLOT_ENGINE_NEED_H
#define ALLOT_ENGINE_NEED_H

#include "engine/work.h"

/* Writes reserve, need, and sums' demand, need, reserve, allocated, in_flight, earmarked. ENOMEM.
 */
int allot__need(allot__work *work);

#endif
