/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_bins.c: levels over time, summed exactly into bins of one width. */
#include "cli/plot/plot_bins.h"

#include <string.h>

#define MINUTE 60
#define HOUR   3600
#define DAY    86400

int64_t allot__bins_plus(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t allot__bins_times(int64_t a, int64_t b)
{
    return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

int64_t allot__bins_wider(int64_t width)
{
    static const int64_t widths[] = {1,          5,           15,          30,     MINUTE,
                                     5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,   3 * HOUR,
                                     6 * HOUR,   12 * HOUR,   DAY,         7 * DAY};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (widths[i] > width)
            return widths[i];
    return width * 2;
}

static int64_t floor_to(int64_t at, int64_t width)
{
    int64_t rest = at % width;
    return at - (rest < 0 ? rest + width : rest);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *get(allot_engine *engine, size_t size)
{
    void *block = allot_engine_alloc(engine, NULL, 0, size);
    if (block)
        memset(block, 0, size);
    return block;
}

static void give(allot_engine *engine, void *block, size_t size)
{
    if (block)
        allot_engine_alloc(engine, block, size, 0);
}

int allot__bins_make(allot_engine *engine, int32_t rows, int32_t most, allot__bins *bins)
{
    size_t count = (size_t)rows;
    int32_t room = PLOT_CELLS_MOST / (rows > 0 ? rows : 1);
    if (most > room)
        most = room > PLOT_BINS_LEAST ? room : PLOT_BINS_LEAST;
    *bins = (allot__bins){.engine = engine, .rows = rows, .most = most, .width = 1};
    bins->cells = get(engine, count * sizeof *bins->cells);
    bins->level = get(engine, count * sizeof *bins->level);
    bins->since = get(engine, count * sizeof *bins->since);
    bins->failed = !bins->cells || !bins->level || !bins->since;
    return bins->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

static size_t row_size(const allot__bins *bins)
{
    return (size_t)bins->most * sizeof **bins->cells;
}

void allot__bins_free(allot__bins *bins)
{
    size_t count = (size_t)bins->rows;
    for (size_t row = 0; bins->cells && row < count; row++)
        give(bins->engine, bins->cells[row], row_size(bins));
    give(bins->engine, bins->cells, count * sizeof *bins->cells);
    give(bins->engine, bins->level, count * sizeof *bins->level);
    give(bins->engine, bins->since, count * sizeof *bins->since);
    *bins = (allot__bins){0};
}

/* ---- Joining --------------------------------------------------------------------------------- */

static void join(allot__bins *bins)
{
    int64_t width = allot__bins_wider(bins->width);
    int64_t origin = floor_to(bins->origin, width);
    int64_t shift = (bins->origin - origin) / bins->width, times = width / bins->width;
    for (int32_t row = 0; row < bins->rows; row++) {
        int64_t *cells = bins->cells[row];
        for (int32_t i = 0; cells && i < bins->used; i++) {
            int64_t sum = cells[i];
            cells[i] = 0;
            int64_t *into = &cells[(i + shift) / times];
            *into = allot__bins_plus(*into, sum);
        }
    }
    if (bins->used > 0)
        bins->used = (int32_t)((bins->used - 1 + shift) / times + 1);
    bins->width = width;
    bins->origin = origin;
}

void allot__bins_widen(allot__bins *bins, int64_t width)
{
    while (bins->width < width)
        join(bins);
}

/* Makes the bin of `at` be there. */
static int32_t bin_of(allot__bins *bins, int64_t at)
{
    if (!bins->begun) {
        bins->begun = true;
        bins->first = bins->last = at;
        bins->origin = floor_to(at, bins->width);
    }
    while ((at - bins->origin) / bins->width >= bins->most)
        join(bins);
    int32_t bin = (int32_t)((at - bins->origin) / bins->width);
    if (bin >= bins->used)
        bins->used = bin + 1;
    if (at > bins->last)
        bins->last = at;
    return bin;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static int64_t *cells_of(allot__bins *bins, int32_t row)
{
    if (!bins->cells[row])
        bins->cells[row] = get(bins->engine, row_size(bins));
    if (!bins->cells[row])
        bins->failed = true;
    return bins->cells[row];
}

/* What a row held since it last changed goes into its bins. */
static void settle(allot__bins *bins, int32_t row, int64_t at)
{
    int64_t level = bins->level[row], from = bins->since[row];
    bins->since[row] = at;
    if (level == 0 || from >= at)
        return;
    int64_t *cells = cells_of(bins, row);
    for (int32_t bin = (int32_t)((from - bins->origin) / bins->width); cells && from < at; bin++) {
        int64_t end = bins->origin + (bin + 1) * bins->width;
        if (end > at)
            end = at;
        cells[bin] = allot__bins_plus(cells[bin], allot__bins_times(level, end - from));
        from = end;
    }
}

void allot__bins_level(allot__bins *bins, int32_t row, int64_t at, int64_t level)
{
    if (bins->failed)
        return;
    bin_of(bins, at);
    settle(bins, row, at);
    bins->level[row] = level;
}

void allot__bins_add(allot__bins *bins, int32_t row, int64_t at, int64_t amount)
{
    if (bins->failed || amount == 0)
        return;
    int32_t bin = bin_of(bins, at);
    int64_t *cells = cells_of(bins, row);
    if (cells)
        cells[bin] = allot__bins_plus(cells[bin], amount);
}

void allot__bins_end(allot__bins *bins, int64_t at)
{
    if (bins->failed || !bins->begun)
        return;
    bin_of(bins, at);
    for (int32_t row = 0; row < bins->rows && !bins->failed; row++) {
        settle(bins, row, at);
        bins->level[row] = 0;
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

int64_t allot__bins_seconds(const allot__bins *bins, int32_t bin)
{
    int64_t from = bins->origin + bin * bins->width, to = from + bins->width;
    if (from < bins->first)
        from = bins->first;
    if (to > bins->last)
        to = bins->last;
    return to > from ? to - from : 0;
}

int64_t allot__bins_at(const allot__bins *bins, int32_t row, int32_t bin)
{
    return bins->cells[row] ? bins->cells[row][bin] : 0;
}

int64_t allot__bins_sum(const allot__bins *bins, int32_t row)
{
    int64_t sum = 0;
    for (int32_t i = 0; bins->cells[row] && i < bins->used; i++)
        sum = allot__bins_plus(sum, bins->cells[row][i]);
    return sum;
}
