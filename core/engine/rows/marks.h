/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * marks.h: a set of numbers 0 ... count - 1 that finds its next and its last member at once: a bit
 * for each number, and above every 64 words a bit for each that is not zero.
 */
#ifndef ALLOT_ENGINE_ROWS_MARKS_H
#define ALLOT_ENGINE_ROWS_MARKS_H

#include <stdbool.h>

#include "base/memory.h"

enum { ALLOT__MARK_LEVELS = 6 }; /* 64 to the power of 6: more than there are numbers */

typedef struct allot__marks {
    uint64_t *words[ALLOT__MARK_LEVELS];
    int32_t size[ALLOT__MARK_LEVELS]; /* of the words of a level */
    int32_t levels;                   /* the last has one word */
} allot__marks;

/* An empty set, with room from the arena; ENOMEM. */
int allot__marks_take(allot__marks *marks, allot__arena *arena, int32_t count);
/* The least member from `number` on, and the greatest below `end`; -1: none. */
int32_t allot__marks_next(const allot__marks *marks, int32_t number);
int32_t allot__marks_last(const allot__marks *marks, int32_t end);

static inline bool allot__marked(const allot__marks *marks, int32_t number)
{
    return marks->words[0][number / 64] >> number % 64 & 1;
}
static inline void allot__mark(allot__marks *marks, int32_t number)
{
    for (int32_t level = 0; level < marks->levels; level++) {
        uint64_t *word = &marks->words[level][number / 64], before = *word;
        *word |= (uint64_t)1 << number % 64;
        if (before != 0)
            return;
        number /= 64;
    }
}
static inline void allot__unmark(allot__marks *marks, int32_t number)
{
    for (int32_t level = 0; level < marks->levels; level++) {
        uint64_t *word = &marks->words[level][number / 64];
        *word &= ~((uint64_t)1 << number % 64);
        if (*word != 0)
            return;
        number /= 64;
    }
}
static inline void allot__mark_as(allot__marks *marks, int32_t number, bool member)
{
    if (member)
        allot__mark(marks, number);
    else
        allot__unmark(marks, number);
}

#endif
