/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * giveback_leaves.c: C-7 in vector arithmetic, for families of leaves that give back by the
 * default order: worst rank first, in proportion to what is over. giveback.c is the plain version
 * of the same rules and takes all other families.
 */
#include "base/simd.h"
#include "engine/giveback.h"

#define SMALL ((int64_t)1 << 30) /* remainders of sums below fit 32 bits */

/* What rows are over and have not given back yet. */
ALLOT__CLONES static int64_t count_left(const int32_t *restrict over,
                                        const int32_t *restrict reclaimed, int32_t *restrict left,
                                        int32_t count)
{
    int64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int32_t i = 0; i < count; i++) {
        left[i] = over[i] - reclaimed[i];
        sum += left[i];
    }
    return sum;
}

/* part = floor(left * slots / sum), guessed in double and mended by the remainder, which is right
 * modulo 2^32. */
ALLOT__CLONES static int64_t floors(const int32_t *restrict left, int32_t *restrict part,
                                    int32_t count, int32_t slots, int32_t sum)
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

static int64_t large_floors(const int32_t *left, int32_t *part, int32_t count, int64_t slots,
                            int64_t sum)
{
    int64_t given = 0;
    for (int32_t i = 0; i < count; i++) {
        part[i] = (int32_t)((allot__i128)left[i] * slots / sum);
        given += part[i];
    }
    return given;
}

ALLOT__CLONES static int32_t largest(const int32_t *restrict left, int32_t count)
{
    int32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int32_t i = 0; i < count; i++) {
        most = left[i] > most ? left[i] : most;
    }
    return most;
}

ALLOT__CLONES static int32_t count_above(const int32_t *restrict left, int32_t count, int32_t bound)
{
    int32_t above = 0;
#pragma omp simd reduction(+ : above)
    for (int32_t i = 0; i < count; i++) {
        above += left[i] > bound;
    }
    return above;
}

ALLOT__CLONES static void one_above(const int32_t *restrict left, int32_t *restrict part,
                                    int32_t count, int32_t bound)
{
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
        part[i] += left[i] > bound;
    }
}

/* Rule 3: one more for each of the `rest` rows that are over by most, the later first in a tie.
 * The bound above which fewer than `rest` rows are is found by halving. */
static void give_rest(const int32_t *left, int32_t *part, int32_t count, int64_t rest)
{
    int32_t low = 0; /* at least `rest` rows are above */
    int32_t high = largest(left, count);
    if (rest == 0) {
        return;
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (count_above(left, count, middle) >= rest) {
            low = middle;
        } else {
            high = middle;
        }
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

ALLOT__CLONES static void add(int32_t *restrict reclaimed, const int32_t *restrict part,
                              int32_t count)
{
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
        reclaimed[i] += part[i];
    }
}

/* Rows first ... first + count - 1, of one rank, give `slots` or all they are over. */
static int64_t take_run(allot__giveback *giveback, int32_t first, int32_t count, int64_t slots)
{
    allot__work *work = giveback->work;
    int32_t *left = giveback->left;
    int32_t *part = giveback->left;
    int64_t sum = count_left(work->over + first, work->reclaimed + first, left, count);
    if (sum > slots) {
        part = giveback->part;
        int64_t given = sum < SMALL ? floors(left, part, count, (int32_t)slots, (int32_t)sum)
                                    : large_floors(left, part, count, slots, sum);
        give_rest(left, part, count, slots - given);
        sum = slots;
    }
    add(work->reclaimed + first, part, count);
    for (int32_t i = 0; giveback->taker != NULL && i < count; i++) {
        if (part[i] > 0) {
            giveback->taker->leaf(giveback->taker, first + i, part[i]);
        }
    }
    return sum;
}

void allot__giveback_leaves(allot__giveback *giveback, int32_t family, int64_t slots)
{
    const allot__work *work = giveback->work;
    const int32_t *rank = work->rank;
    int32_t first = allot__family_first(work, family);
    int32_t end = first + allot__family_size(work, family);
    while (slots > 0 && end > first) {
        int32_t start = end - 1;
        while (start > first && rank[start - 1] == rank[end - 1]) {
            start--;
        }
        slots -= take_run(giveback, start, end - start, slots);
        end = start;
    }
}
