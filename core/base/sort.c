/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sort.c: short runs are sorted by counting, then merged. */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/simd.h"

enum { FEW = 64 }; /* the length of a run */

static bool in_order(const int32_t *rows, const int64_t *keys, int32_t first, int32_t count)
{
    for (int32_t i = 1; i < count; i++)
        if (keys[rows[i] - first] < keys[rows[i - 1] - first])
            return false;
    return true;
}

/* Merges rows[low, middle) and rows[middle, high) into out by keys[row - first]. */
static void merge(const int32_t *rows, int32_t *out, const int64_t *keys, int32_t first,
                  int32_t low, int32_t middle, int32_t high)
{
    int32_t a = low;
    int32_t b = middle;
    for (int32_t i = low; i < high; i++) {
        bool left = a < middle && (b >= high || keys[rows[a] - first] <= keys[rows[b] - first]);
        out[i] = left ? rows[a++] : rows[b++];
    }
}

/* Sorts few rows: the place of each is the number of rows before it. Comparisons have no branches
 * and do not depend on each other, so the compiler vectorises them. */
ALLOT__CLONES static void sort_few(int32_t *rows, const int64_t *keys, int32_t first, int32_t count)
{
    int64_t key[FEW];
    int32_t row[FEW];
    for (int32_t i = 0; i < count; i++) {
        row[i] = rows[i];
        key[i] = keys[rows[i] - first];
    }
    for (int32_t i = 0; i < count; i++) {
        int64_t place = 0;
        for (int32_t k = 0; k < i; k++)
            place += key[k] <= key[i];
        for (int32_t k = i + 1; k < count; k++)
            place += key[k] < key[i];
        rows[place] = row[i];
    }
}

void allot__sort_rows(int32_t *rows, int32_t *other, const int64_t *keys, int32_t first,
                      int32_t count)
{
    if (in_order(rows, keys, first, count))
        return;
    for (int32_t low = 0; low < count; low += FEW)
        sort_few(rows + low, keys, first, count - low < FEW ? count - low : FEW);
    for (int32_t width = FEW; width < count; width = width < count / 2 + 1 ? width * 2 : count) {
        for (int32_t low = 0; low < count;) {
            int32_t middle = count - low > width ? low + width : count;
            int32_t high = count - middle > width ? middle + width : count;
            merge(rows, other, keys, first, low, middle, high);
            low = high;
        }
        memcpy(rows, other, (size_t)count * sizeof *rows);
    }
}
