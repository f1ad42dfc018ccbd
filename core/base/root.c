/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* root.c: square roots of fixed-point numbers, in 256 bits. */
#include "base/root.h"

allot__wide allot__wide_times(allot__u128 a, allot__u128 b)
{
    allot__u128 mask = UINT64_MAX;
    allot__u128 low = (a & mask) * (b & mask);
    allot__u128 left = (a >> 64) * (b & mask), right = (a & mask) * (b >> 64);
    allot__u128 middle = (low >> 64) + (left & mask) + (right & mask);
    return (allot__wide){.high =
                             (a >> 64) * (b >> 64) + (left >> 64) + (right >> 64) + (middle >> 64),
                         .low = middle << 64 | (low & mask)};
}

allot__u128 allot__wide_whole(allot__wide n)
{
    return n.high << (128 - ALLOT__ONE_BITS) | n.low >> ALLOT__ONE_BITS;
}

allot__u128 allot__root(allot__u128 n)
{
    allot__u128 found = 0;
    allot__wide most = {n >> (128 - ALLOT__ONE_BITS), n << ALLOT__ONE_BITS};
    for (int bit = ALLOT__ONE_BITS; bit >= 0; bit--) {
        allot__u128 guess = found | (allot__u128)1 << bit;
        allot__wide square = allot__wide_times(guess, guess);
        if (square.high < most.high || (square.high == most.high && square.low <= most.low))
            found = guess;
    }
    return found;
}

void allot__roots_make(int32_t parts, allot__roots *out)
{
    allot__u128 power = ((allot__u128)1 << ALLOT__ONE_BITS) / (uint32_t)parts;
    for (int i = 0; i < ALLOT__ROOTS; i++)
        out->of[i] = power = allot__root(power);
}
