/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * area.h: sums of slots held for seconds, exact: a group of 10^9 slots has more than 2^63 of them
 * within 300 years, and logs may tell of longer times.
 */
#ifndef ALLOT_SIMULATE_AREA_H
#define ALLOT_SIMULATE_AREA_H

#include <stdint.h>

typedef struct allot__area {
    uint64_t high, low;
} allot__area;

static inline void allot__area_join(allot__area *sum, allot__area other)
{
    sum->low += other.low;
    sum->high += other.high + (sum->low < other.low);
}

/* 0 ... 2^32 - 1 slots, and seconds that are not negative. */
static inline allot__area allot__area_of(int64_t slots, int64_t seconds)
{
    uint64_t count = (uint64_t)slots, upper = count * ((uint64_t)seconds >> 32);
    allot__area out = {upper >> 32, upper << 32};
    allot__area_join(&out, (allot__area){0, count * ((uint64_t)seconds & UINT32_MAX)});
    return out;
}

static inline void allot__area_add(allot__area *sum, int64_t slots, int64_t seconds)
{
    allot__area_join(sum, allot__area_of(slots, seconds));
}

/* Takes off what is part of it. */
static inline void allot__area_part(allot__area *sum, allot__area part)
{
    sum->high -= part.high + (sum->low < part.low);
    sum->low -= part.low;
}

/* What does not fit is INT64_MAX. */
static inline int64_t allot__area_whole(allot__area sum)
{
    return sum.high > 0 || sum.low > INT64_MAX ? INT64_MAX : (int64_t)sum.low;
}

/* a / b, as near as a double is; 0 of nothing. */
static inline double allot__area_ratio(allot__area a, allot__area b)
{
    double below = (double)b.high * 0x1p64 + (double)b.low;
    return below > 0 ? ((double)a.high * 0x1p64 + (double)a.low) / below : 0;
}

#endif
