/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simd.c: sums, in a copy for each width of vectors. */
#include "base/simd.h"

ALLOT__CLONES int64_t allot__sum(const int32_t *restrict values, int32_t count)
{
    int64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int32_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}
