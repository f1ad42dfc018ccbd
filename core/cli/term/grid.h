/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* grid.h: a table for people: cells are added row by row, and columns are as wide as they need. */
#ifndef ALLOT_CLI_TERM_GRID_H
#define ALLOT_CLI_TERM_GRID_H

#include "cli/term/cli.h"

#define GRID_COLUMNS 20

typedef struct allot__grid_column {
    const char *title;
    bool left;         /* aligned; else right */
    bool optional;     /* left out if all its cells are empty */
    const char *color; /* of its cells, on a terminal; NULL: none */
} allot__grid_column;

typedef struct allot__grid {
    const allot__grid_column *columns;
    int count, at;     /* columns; the one of the next cell */
    allot__text cells; /* each ended by a NUL */
    size_t start;      /* of the current cell, in `cells` */
    int width[GRID_COLUMNS];
    bool hidden[GRID_COLUMNS];
} allot__grid;

/* Begins a table of columns that outlive it; ended by allot__grid_put or allot__grid_free. */
void allot__grid_begin(allot__grid *grid, allot_engine *engine, const allot__grid_column *columns,
                       int count);
/* The next cell, row by row, of the text that was added to `cells` since the last one. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__grid_add(allot__grid *grid, const char *format, ...);
/* The next cell: a number, or nothing for 0. */
void allot__grid_count(allot__grid *grid, int64_t number);
/* Hides empty optional columns, and fits widths to titles. `hidden` and `width` may be changed
 * then, before the table is put. */
void allot__grid_measure(allot__grid *grid);
/* The width of a line. */
int allot__grid_total(const allot__grid *grid);
/* Narrows a column, at most to `least`, until the table fits `room`. */
void allot__grid_narrow(allot__grid *grid, int column, int least, int room);
/* Adds titles and rows to `out`, without blanks at their ends, and ends the table. A cell that is
 * too long loses its middle. */
void allot__grid_put(allot__grid *grid, allot__text *out, bool color);
void allot__grid_free(allot__grid *grid);

#endif
