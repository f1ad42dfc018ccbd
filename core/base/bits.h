/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bits.h: a set of numbers below a bound, which finds the first member from a number on, or the
 * last before a number, without a test of each number between.
 *
 * A level has a bit for each word of the level below it that is not 0.
 */
#ifndef ALLOT_BASE_BITS_H
#define ALLOT_BASE_BITS_H

#include "base/memory.h"

enum { ALLOT__BITS_LEVELS = 6 }; /* 64 to this power exceeds every bound */

typedef struct allot__bits {
    uint64_t *level[ALLOT__BITS_LEVELS]; /* level[0]: a bit a number */
    int levels;
    int32_t bound;
} allot__bits;

/* An empty set of numbers below `bound`; false: out of memory. */
bool allot__bits_take(allot__bits *bits, allot__arena *arena, int32_t bound);
void allot__bits_clear(allot__bits *bits);
/* Makes it the set of the numbers i with values[i] > 0. */
void allot__bits_fill(allot__bits *bits, const int32_t *values);

/* How many bits are set in so many words. */
static inline int32_t allot__count_bits(const uint64_t *words, size_t count)
{
    int32_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits += __builtin_popcountll(words[i]);
    return bits;
}

static inline void allot__bits_add(allot__bits *bits, int32_t number)
{
    for (int i = 0; i < bits->levels; i++) {
        uint64_t *word = &bits->level[i][number / 64];
        uint64_t before = *word;
        *word |= (uint64_t)1 << number % 64;
        if (before != 0)
            return;
        number /= 64;
    }
}

static inline void allot__bits_remove(allot__bits *bits, int32_t number)
{
    for (int i = 0; i < bits->levels; i++) {
        uint64_t *word = &bits->level[i][number / 64];
        *word &= ~((uint64_t)1 << number % 64);
        if (*word != 0)
            return;
        number /= 64;
    }
}

static inline bool allot__bits_has(const allot__bits *bits, int32_t number)
{
    return bits->level[0][number / 64] >> number % 64 & 1;
}

static inline void allot__bits_set(allot__bits *bits, int32_t number, bool member)
{
    if (member)
        allot__bits_add(bits, number);
    else
        allot__bits_remove(bits, number);
}

/* The first member from a number on; the bound: none. */
static inline int32_t allot__bits_next(const allot__bits *bits, int32_t number)
{
    for (int i = 0; i < bits->levels; i++) {
        uint64_t left = bits->level[i][number / 64] >> number % 64;
        if (left != 0) {
            number += __builtin_ctzll(left);
            while (i-- > 0)
                number = number * 64 + __builtin_ctzll(bits->level[i][number]);
            return number;
        }
        number = number / 64 + 1;
    }
    return bits->bound;
}

/* The last member before a number; -1: none. */
static inline int32_t allot__bits_last(const allot__bits *bits, int32_t number)
{
    for (int i = 0; i < bits->levels; i++) {
        uint64_t left = number % 64 == 0 ? 0 : bits->level[i][number / 64] << (64 - number % 64);
        if (left != 0) {
            number -= 1 + __builtin_clzll(left);
            while (i-- > 0)
                number = number * 64 + 63 - __builtin_clzll(bits->level[i][number]);
            return number;
        }
        number /= 64;
    }
    return -1;
}

#endif
