/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * wide.h: 128-bit integers, the only place that needs a compiler's own syntax for them.
 */
#ifndef ALLOT_BASE_WIDE_H
#define ALLOT_BASE_WIDE_H

#include <allot/decision.h>

__extension__ typedef __int128 allot__i128;
__extension__ typedef unsigned __int128 allot__u128;

allot__u128 allot__gcd(allot__u128 a, allot__u128 b);
/* num/den in lowest terms; num >= 0, den > 0. */
allot_ratio allot__ratio(allot__u128 num, allot__u128 den);

/* ---- Numbers of 0 ... 1 in fixed point, and their square roots -------------------------- */

enum {
    ALLOT__ONE_BITS = 126, /* fixed point: 1 is 2^126 */
    ALLOT__ROOTS = 112     /* the rest of s/period is below 2^-112 */
};

typedef struct allot__wide {
    allot__u128 high, low;
} allot__wide;

allot__wide allot__wide_times(allot__u128 a, allot__u128 b);
/* n / 2^126, cut. */
allot__u128 allot__wide_whole(allot__wide n);
/* The largest r with r * r <= n * 2^126, n at most 2^126. */
allot__u128 allot__root(allot__u128 n);

/* The square root of 1/parts, its square root, and so on: computed once a plan, since each costs as
 * much as a small cycle. */
typedef struct allot__roots {
    allot__u128 of[ALLOT__ROOTS];
} allot__roots;
void allot__roots_make(int32_t parts, allot__roots *out);

#endif
