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

#endif
