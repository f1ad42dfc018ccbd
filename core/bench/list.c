/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: measurements as a table and as JSON. */
#include "bench/bench.h"

#include <string.h>

#include "cli/term/grid.h"

bench_time *allot__bench_row(bench_list *list, const char *name)
{
    list->names[list->rows] = name;
    return list->cells[list->rows++];
}

bench_time allot__bench_number(double value)
{
    return (bench_time){value, value};
}

bench_time allot__bench_scaled(bench_time time, double by)
{
    return (bench_time){time.best * by, time.median * by};
}

void allot__bench_text(bench_list *list, allot__text *out)
{
    allot__grid_column columns[BENCH_COLUMNS + 1] = {{list->named, true, false, NULL}};
    int count = list->named != NULL;
    allot__grid grid;
    if (list->rows == 0)
        return;
    for (const bench_column *it = list->columns; it->key; it++)
        if (it->title)
            columns[count++].title = it->title;
    allot__grid_begin(&grid, out->engine, columns, count);
    for (int i = 0; i < list->rows; i++) {
        const bench_time *cell = list->cells[i];
        if (list->named)
            allot__grid_add(&grid, "%s", list->names[i]);
        for (const bench_column *it = list->columns; it->key; it++, cell++)
            if (it->title && it->kind == BENCH_TIME)
                allot__grid_add(&grid, "%.*f (%.*f)", it->digits, cell->best * it->scale,
                                it->digits, cell->median * it->scale);
            else if (it->title)
                allot__grid_add(&grid, "%.*f", it->digits, cell->best * it->scale);
    }
    allot__grid_measure(&grid);
    allot__text_printf(out, "\n%s\n\n", list->title);
    allot__grid_put(&grid, out, false);
}

void allot__bench_json(const bench_list *list, allot__text *out)
{
    allot__text_printf(out, ", \"%s\": %s", list->key, list->single ? "" : "[");
    for (int i = 0; i < list->rows; i++) {
        const char *between = list->named ? ", " : "{";
        const bench_time *cell = list->cells[i];
        allot__text_puts(out, i > 0 ? ", " : "");
        if (list->named)
            allot__text_printf(out, "{\"name\": \"%s\"", list->names[i]);
        for (const bench_column *it = list->columns; it->key; it++, cell++, between = ", ")
            if (it->kind != BENCH_NUMBER)
                allot__text_printf(out, "%s\"%s\": {\"best\": %.9g, \"median\": %.9g}", between,
                                   it->key, cell->best, cell->median);
            else
                allot__text_printf(out, "%s\"%s\": %.9g", between, it->key, cell->best);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, list->single ? "" : "]");
}
