/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * usage.h: use that fades, in integers.
 *
 * Use is in millionths of slot-seconds. After `period` seconds one of `parts` is left of it, and in
 * between as much as that power says: what one step over t seconds leaves and what two over the
 * same time do differ by rounding alone, below 2 millionths a step.
 *
 * parts^(-s/period) for s < period is the product of those square roots of 1/parts, of their roots
 * and so on, that stand for the bits of s/period; each is found by integer search, in parts of
 * 2^126, and they reach so far down that use below 2^84 cannot tell.
 */
#ifndef ALLOT_ENGINE_JOBS_USAGE_H
#define ALLOT_ENGINE_JOBS_USAGE_H

#include <allot/queue.h>

#include "base/root.h"

/* What a time leaves: `part` of 2^126, divided by `parts` `times` over. */
typedef struct allot__fading {
    allot__u128 part;
    int64_t times;
    int32_t parts;
} allot__fading;

/* No time, or below it, and a decay of no period or of one part leave everything. `roots`
 * are those of its parts; NULL: they are found anew. */
allot__fading allot__fading_over(int64_t seconds, const allot_decay *decay,
                                 const allot__roots *roots);
/* What is left of use below 2^84, rounded to the nearest. */
allot__u128 allot__usage_left(allot__u128 use, const allot__fading *fading);

/*
 * What use of slots leaves while it goes on. Each second of it counts from its end, and fades from
 * then: over n seconds that is 1 + r + ... + r^(n - 1), r being what one second leaves. So it does
 * not matter how often it was asked in between.
 */
typedef struct allot__pace {
    allot__u128 part; /* r, of 2^126; 0: nothing fades */
} allot__pace;

allot__pace allot__pace_of(const allot_decay *decay, const allot__roots *roots);
/* Millionths of slot-seconds of `slots`, 0 ... 2^40, over that long until now; below 0 as 0. */
allot__u128 allot__usage_made(int64_t slots, int64_t seconds, const allot__pace *pace);

#endif
