/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* heap.h: a heap of numbers, in a total order: the number that comes first is on top. */
#ifndef ALLOT_BASE_HEAP_H
#define ALLOT_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Does number a come before number b? */
typedef bool allot__before(const void *ud, int32_t a, int32_t b);

/* Moves the number at `place` down to where it belongs. Inline, and with it `before`. */
static inline void allot__heap_sink(int32_t *heap, int32_t count, int32_t place,
                                    allot__before *before, const void *ud)
{
    int32_t moved = heap[place];
    for (int32_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && before(ud, heap[child + 1], heap[child]))
            child++;
        if (!before(ud, heap[child], moved))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

/* Makes a heap of numbers in any order. */
static inline void allot__heap_make(int32_t *heap, int32_t count, allot__before *before,
                                    const void *ud)
{
    for (int32_t place = count / 2 - 1; place >= 0; place--)
        allot__heap_sink(heap, count, place, before, ud);
}

#endif
