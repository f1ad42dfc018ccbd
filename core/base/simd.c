/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simd.c: sums, in a copy for each width of vectors. */
#include "base/simd.h"

ALLOT__CLONES static int64_t sum(const int32_t *restrict values, int32_t count)
{
    int64_t total = 0;
#pragma omp simd reduction(+ : total)
    for (int32_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

int64_t allot__sum(const int32_t *values, int32_t count)
{
    return sum(values, count);
}
