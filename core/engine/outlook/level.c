/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* level.c: levels of rows at points of their family, and their sums. */
#include "base/simd.h"
#include "base/wide.h"
#include "engine/outlook/outlook.h"

enum { SHIFT = ALLOT__RATE_BITS - ALLOT__LEVEL_BITS };

static const int32_t *column(const allot_outlook *outlook, const int32_t *of, int32_t fill)
{
    return of + (size_t)fill * (size_t)outlook->tree->rows;
}

/* Where a row stands after a fill that met its aim (C-3). */
static int32_t aim_of(const allot_outlook *outlook, int32_t row, int32_t fill, int32_t level,
                      int32_t need)
{
    int32_t cap = column(outlook, outlook->cap, fill)[row];
    int32_t want = cap < need ? cap : need;
    bool rises = want > level && column(outlook, outlook->weight, fill)[row] > 0;
    return rises ? want : level;
}

void allot__outlook_levels(allot_outlook *outlook, int32_t row)
{
    size_t rows = (size_t)outlook->tree->rows;
    int32_t level = outlook->reserve[row];
    outlook->level[row] = level;
    for (int32_t i = 1; i < outlook->fills; i++) {
        level = aim_of(outlook, row, i, level, outlook->need[row]);
        outlook->level[(size_t)i * rows + (size_t)row] = level;
    }
}

bool allot__outlook_point_of(const allot_outlook *outlook, int32_t row, int64_t slots,
                             allot__side side, allot__outlook_point *out)
{
    int32_t level = outlook->reserve[row];
    *out = (allot__outlook_point){0, 0};
    if (slots <= level)
        return true;
    for (int32_t i = 1; i < outlook->fills; i++) {
        int32_t aim = aim_of(outlook, row, i, level, (int32_t)slots);
        if (aim == slots) {
            int64_t weight = column(outlook, outlook->weight, i)[row];
            int64_t rise = (int64_t)(aim - level) << ALLOT__RATE_BITS;
            *out =
                (allot__outlook_point){i, (rise + (side == ALLOT__MOST ? weight - 1 : 0)) / weight};
            return true;
        }
        level = aim;
    }
    return false;
}

/* From one level towards the next at a rate. */
static int64_t rise(int32_t from, int32_t to, int32_t weight, int64_t rate, allot__side side)
{
    allot__i128 poured = (allot__i128)rate * weight;
    poured += side == ALLOT__MOST ? (1 << SHIFT) - 1 : 0;
    poured >>= SHIFT;
    int64_t gap = (int64_t)(to - from) << ALLOT__LEVEL_BITS;
    return ((int64_t)from << ALLOT__LEVEL_BITS) + (poured < gap ? (int64_t)poured : gap);
}

int64_t allot__outlook_level(const allot_outlook *outlook, int32_t row, allot__outlook_point point,
                             allot__side side)
{
    if (point.fill == 0)
        return (int64_t)outlook->reserve[row] << ALLOT__LEVEL_BITS;
    return rise(column(outlook, outlook->level, point.fill - 1)[row],
                column(outlook, outlook->level, point.fill)[row],
                column(outlook, outlook->weight, point.fill)[row], point.rate, side);
}

int64_t allot__outlook_level_of(const allot_outlook *outlook, int32_t row, int64_t need,
                                allot__outlook_point point, allot__side side)
{
    int32_t level = outlook->reserve[row];
    int32_t before = level;
    for (int32_t i = 1; i <= point.fill; i++) {
        before = level;
        level = aim_of(outlook, row, i, level, (int32_t)need);
    }
    return rise(before, level, column(outlook, outlook->weight, point.fill)[row], point.rate, side);
}

/* rise() where rate * weight fits in 64 bits, of all rows at once: vectors. */
ALLOT__CLONES static int64_t rise_rows(const int32_t *restrict from, const int32_t *restrict to,
                                       const int32_t *restrict weight, int32_t count, int64_t rate,
                                       int64_t more)
{
    int64_t total = 0;
#pragma omp simd reduction(+ : total)
    for (int32_t i = 0; i < count; i++) {
        int64_t poured = (rate * weight[i] + more) >> SHIFT;
        int64_t gap = (int64_t)(to[i] - from[i]) << ALLOT__LEVEL_BITS;
        total += ((int64_t)from[i] << ALLOT__LEVEL_BITS) + (poured < gap ? poured : gap);
    }
    return total;
}

int64_t allot__outlook_total(const allot_outlook *outlook, int32_t family,
                             allot__outlook_point point, allot__side side)
{
    int32_t first = outlook->tree->first[family];
    int32_t count = outlook->tree->first[family + 1] - first;
    int64_t total = 0;
    if (point.fill > 0 && point.rate < INT64_MAX / 2 / (outlook->heaviest[point.fill] + 1)) {
        return rise_rows(column(outlook, outlook->level, point.fill - 1) + first,
                         column(outlook, outlook->level, point.fill) + first,
                         column(outlook, outlook->weight, point.fill) + first, count, point.rate,
                         side == ALLOT__MOST ? (1 << SHIFT) - 1 : 0);
    }
    for (int32_t row = first; row < first + count; row++)
        total += allot__outlook_level(outlook, row, point, side);
    return total;
}
