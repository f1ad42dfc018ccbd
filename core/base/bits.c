/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bits.c: making a set of numbers, empty or of those that have a value. */
#include "base/bits.h"

#include <string.h>

#include "base/simd.h"

/* One word more than the numbers need: the search for the next number may read the word behind. */
static size_t words(size_t numbers)
{
    return numbers / 64 + 1;
}

bool allot__bits_take(allot__bits *bits, allot__arena *arena, int32_t bound)
{
    size_t numbers = (size_t)bound;
    size_t count;
    *bits = (allot__bits){.bound = bound};
    do {
        count = words(numbers);
        uint64_t *level = allot__arena_zeroed(arena, count, sizeof *level);
        if (!level)
            return false;
        bits->level[bits->levels++] = level;
        numbers = count;
    } while (count > 1);
    return true;
}

void allot__bits_clear(allot__bits *bits)
{
    size_t count = (size_t)bits->bound;
    for (int i = 0; i < bits->levels; i++) {
        count = words(count);
        memset(bits->level[i], 0, count * sizeof(uint64_t));
    }
}

ALLOT__CLONES static void mark(uint64_t *level, const int32_t *values, int32_t count)
{
    for (int32_t i = 0; i < count; i += 64) {
        int32_t here = count - i < 64 ? count - i : 64;
        uint64_t word = 0;
        for (int32_t k = 0; k < here; k++)
            word |= (uint64_t)(values[i + k] > 0) << k;
        level[i / 64] = word;
    }
}

void allot__bits_fill(allot__bits *bits, const int32_t *values)
{
    size_t below = words((size_t)bits->bound);
    mark(bits->level[0], values, bits->bound);
    for (int i = 1; i < bits->levels; i++) {
        memset(bits->level[i], 0, words(below) * sizeof(uint64_t));
        for (size_t k = 0; k < below; k++)
            bits->level[i][k / 64] |= (uint64_t)(bits->level[i - 1][k] != 0) << k % 64;
        below = words(below);
    }
}
