/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * usage.h: use that fades, in integers.
 *
 * Use is in millionths of slot-seconds. After `period` seconds one of `parts` is left of it, and in
 * between as much as that power says: what one step over t seconds leaves and what two over the
 * same time do differ by rounding alone, below 2 millionths a step.
 */
#ifndef ALLOT_ENGINE_USAGE_H
#define ALLOT_ENGINE_USAGE_H

#include "base/wide.h"
#include "model/queue.h"

/* What is left of `use` after `seconds`, rounded to the nearest. Use is below 2^84. */
allot__u128 allot__usage_fade(allot__u128 use, int64_t seconds, const allot_decay *decay);

#endif
