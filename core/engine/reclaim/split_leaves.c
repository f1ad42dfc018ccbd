/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * split_leaves.c: C-7 in vector arithmetic, for families of leaves that give back by the
 * default order: worst rank first, in proportion to what is over. split.c is the plain version
 * of the same rules and takes all other families.
 */
#include "base/simd.h"
#include "engine/reclaim/split.h"

#define SMALL ((int64_t)1 << 30) /* remainders of sums below fit 32 bits */

/* part = floor(left * slots / sum), guessed in double and mended by the remainder, which is right
 * modulo 2^32. */
ALLOT__INLINE int64_t floors(const int32_t *restrict left, int32_t *restrict part, int32_t count,
                             int32_t slots, int32_t sum)
{
    double rate = (double)slots / (double)sum;
    int64_t given = 0;
#pragma omp simd reduction(+ : given)
    for (int32_t i = 0; i < count; i++) {
        int32_t share = (int32_t)(rate * (double)left[i]);
        int32_t rest =
            (int32_t)((uint32_t)slots * (uint32_t)left[i] - (uint32_t)share * (uint32_t)sum);
        share += (rest >= sum) - (rest < 0);
        part[i] = share;
        given += share;
    }
    return given;
}

ALLOT__INLINE int64_t large_floors(const int32_t *left, int32_t *part, int32_t count, int64_t slots,
                                   int64_t sum)
{
    int64_t given = 0;
    for (int32_t i = 0; i < count; i++) {
        part[i] = (int32_t)((allot__i128)left[i] * slots / sum);
        given += part[i];
    }
    return given;
}

ALLOT__INLINE int32_t largest(const int32_t *restrict left, int32_t count)
{
    int32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int32_t i = 0; i < count; i++)
        most = left[i] > most ? left[i] : most;
    return most;
}

ALLOT__INLINE int32_t count_above(const int32_t *restrict left, int32_t count, int32_t bound)
{
    int32_t above = 0;
#pragma omp simd reduction(+ : above)
    for (int32_t i = 0; i < count; i++)
        above += left[i] > bound;
    return above;
}

ALLOT__INLINE void one_above(const int32_t *restrict left, int32_t *restrict part, int32_t count,
                             int32_t bound)
{
#pragma omp simd
    for (int32_t i = 0; i < count; i++)
        part[i] += left[i] > bound;
}

/* Rule 3: one more for each of the `rest` rows that are over by most, the later first in a tie.
 * The bound above which fewer than `rest` rows are is found by halving. */
ALLOT__INLINE void split_rest(const int32_t *left, int32_t *part, int32_t count, int64_t rest)
{
    int32_t low = 0; /* at least `rest` rows are above */
    int32_t high = largest(left, count);
    if (rest == 0)
        return;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (count_above(left, count, middle) >= rest)
            low = middle;
        else
            high = middle;
    }
    one_above(left, part, count, high);
    rest -= count_above(left, count, high);
    for (int32_t i = count - 1; rest > 0; i--) {
        if (left[i] == high) {
            part[i]++;
            rest--;
        }
    }
}

/* The part of each of `count` rows, when all give `slots` of the `sum` that they are over. */
ALLOT__CLONES static void share_out(const int32_t *restrict left, int32_t *restrict part,
                                    int32_t count, int64_t slots, int64_t sum)
{
    int64_t given = sum < SMALL ? floors(left, part, count, (int32_t)slots, (int32_t)sum)
                                : large_floors(left, part, count, slots, sum);
    split_rest(left, part, count, slots - given);
}

static void report_parts(allot__reclaim_split *split, int32_t first, int32_t count,
                         const int32_t *part)
{
    if (split->listener)
        split->listener->parts(split->listener, first, count, part);
}

/* Rows first ... first + count - 1, of one rank, give all they are over, ... */
static void take_all(allot__reclaim_split *split, int32_t first, int32_t count)
{
    const int32_t *restrict over = split->work->over + first;
    int32_t *restrict reclaimed = split->work->reclaimed + first;
    int32_t *restrict left = split->left;
    for (int32_t i = 0; i < count; i++) {
        left[i] = over[i] - reclaimed[i];
        reclaimed[i] = over[i];
    }
    report_parts(split, first, count, left);
}

/* ... or `slots` of the `sum` that it is. */
static void take_some(allot__reclaim_split *split, int32_t first, int32_t count, int64_t slots,
                      int64_t sum)
{
    const int32_t *restrict over = split->work->over + first;
    int32_t *restrict reclaimed = split->work->reclaimed + first;
    int32_t *restrict left = split->left;
    int32_t *restrict part = split->part;
    for (int32_t i = 0; i < count; i++)
        left[i] = over[i] - reclaimed[i];
    share_out(left, part, count, slots, sum);
    for (int32_t i = 0; i < count; i++)
        reclaimed[i] += part[i];
    report_parts(split, first, count, part);
}

void allot__split_leaves(allot__reclaim_split *split, int32_t family, int64_t slots)
{
    const allot__work *work = split->work;
    const int32_t *rank = work->rank;
    int32_t first = allot__family_first(work, family);
    int32_t end = first + allot__family_size(work, family);
    while (slots > 0 && end > first) {
        int32_t start = end;
        int64_t sum = 0;
        while (start > first && rank[start - 1] == rank[end - 1]) {
            start--;
            sum += work->over[start] - work->reclaimed[start];
        }
        if (sum > slots) {
            take_some(split, start, end - start, slots, sum);
            return;
        }
        if (sum > 0) {
            take_all(split, start, end - start);
            slots -= sum;
        }
        end = start;
    }
}
