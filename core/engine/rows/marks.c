/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* marks.c: up the levels until a word has a member on the side looked at, then down to it. */
#include "engine/rows/marks.h"

#include <string.h>

int allot__marks_take(allot__marks *marks, allot__arena *arena, int32_t count)
{
    *marks = (allot__marks){.levels = 0};
    do {
        int32_t size = count / 64 + 1, level = marks->levels++;
        marks->size[level] = size;
        marks->words[level] = allot__arena_take(arena, (size_t)size, sizeof(uint64_t));
        if (!marks->words[level])
            return ALLOT_ENOMEM;
        memset(marks->words[level], 0, (size_t)size * sizeof(uint64_t));
        count = size;
    } while (count > 1);
    return ALLOT_OK;
}

static int32_t lowest(uint64_t word)
{
    return (int32_t)__builtin_ctzll(word);
}
static int32_t highest(uint64_t word)
{
    return 63 - (int32_t)__builtin_clzll(word);
}

int32_t allot__marks_next(const allot__marks *marks, int32_t number)
{
    for (int32_t level = 0; level < marks->levels; level++) {
        int32_t at = number / 64;
        if (at >= marks->size[level])
            return -1;
        uint64_t word = marks->words[level][at] & ~(uint64_t)0 << number % 64;
        if (word != 0) {
            for (number = at * 64 + lowest(word); level > 0;) {
                level--;
                number = number * 64 + lowest(marks->words[level][number]);
            }
            return number;
        }
        number = at + 1;
    }
    return -1;
}

int32_t allot__marks_last(const allot__marks *marks, int32_t end)
{
    for (int32_t level = 0; level < marks->levels && end > 0; level++) {
        int32_t at = (end - 1) / 64;
        uint64_t word = marks->words[level][at] & ~(uint64_t)0 >> (63 - (end - 1) % 64);
        if (word != 0) {
            for (end = at * 64 + highest(word); level > 0;) {
                level--;
                end = end * 64 + highest(marks->words[level][end]);
            }
            return end;
        }
        end = at;
    }
    return -1;
}
