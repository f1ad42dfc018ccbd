/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* grid.c: a table for people. */
#include "cli/term/grid.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GAP   2
#define BOLD  "\033[1m"
#define RESET "\033[0m"

void allot__grid_begin(allot__grid *grid, allot_engine *engine, const allot__grid_column *columns,
                       int count)
{
    *grid = (allot__grid){.columns = columns, .count = count, .cells = {.engine = engine}};
}

void allot__grid_free(allot__grid *grid)
{
    allot__text_free(&grid->cells);
}

static void end_cell(allot__grid *grid)
{
    int len = (int)(grid->cells.len - grid->start), *width = &grid->width[grid->at];
    *width = len > *width ? len : *width;
    allot__text_add(&grid->cells, "", 1);
    grid->start = grid->cells.len;
    grid->at = (grid->at + 1) % grid->count;
}

void allot__grid_add(allot__grid *grid, const char *format, ...)
{
    char cell[512];
    va_list list;
    va_start(list, format);
    vsnprintf(cell, sizeof cell, format, list);
    va_end(list);
    allot__text_puts(&grid->cells, cell);
    end_cell(grid);
}

void allot__grid_count(allot__grid *grid, int64_t number)
{
    if (number != 0)
        allot__text_printf(&grid->cells, "%" PRId64, number);
    end_cell(grid);
}

void allot__grid_measure(allot__grid *grid)
{
    for (int i = 0; i < grid->count; i++) {
        int title = (int)strlen(grid->columns[i].title);
        grid->hidden[i] = grid->hidden[i] || (grid->columns[i].optional && grid->width[i] == 0);
        grid->width[i] = title > grid->width[i] ? title : grid->width[i];
    }
}

int allot__grid_total(const allot__grid *grid)
{
    int sum = -GAP;
    for (int i = 0; i < grid->count; i++)
        sum += grid->hidden[i] ? 0 : grid->width[i] + GAP;
    return sum;
}

void allot__grid_narrow(allot__grid *grid, int column, int least, int room)
{
    int *width = &grid->width[column], spare = allot__grid_total(grid) - room;
    if (spare > 0 && *width > least)
        *width = *width - spare > least ? *width - spare : least;
}

static void put_cell(allot__text *out, const char *cell, int len, int width)
{
    int tail = (width - 3) / 2;
    if (len <= width) {
        allot__text_puts_safe(out, cell, (size_t)len);
    } else {
        allot__text_puts_safe(out, cell, (size_t)(width - 3 - tail));
        allot__text_puts(out, "...");
        allot__text_puts_safe(out, cell + len - tail, (size_t)tail);
    }
}

/* Writes one line of cells, or of titles (NULL); returns the cells behind. Blanks are written only
 * before more text. */
static const char *put_line(const allot__grid *grid, const char *cell, allot__text *out, bool color)
{
    int owed = 0;
    for (int i = 0; i < grid->count; i++) {
        const allot__grid_column *column = &grid->columns[i];
        const char *text = cell ? cell : column->title;
        int len = (int)strlen(text), width = grid->width[i], pad = len < width ? width - len : 0;
        if (cell)
            cell += len + 1;
        if (grid->hidden[i])
            continue;
        if (len > 0) {
            const char *paint = !color ? NULL : text == column->title ? BOLD : column->color;
            allot__text_spaces(out, owed + (column->left ? 0 : pad));
            allot__text_puts(out, paint ? paint : "");
            put_cell(out, text, len, width);
            allot__text_puts(out, paint ? RESET : "");
            owed = 0;
            pad = column->left ? pad : 0;
        }
        owed += pad + GAP;
    }
    allot__text_trim(out);
    allot__text_puts(out, "\n");
    return cell;
}

void allot__grid_put(allot__grid *grid, allot__text *out, bool color)
{
    const char *cell = grid->cells.bytes;
    out->failed |= grid->cells.failed;
    put_line(grid, NULL, out, color);
    while (!out->failed && cell && cell < grid->cells.bytes + grid->cells.len)
        cell = put_line(grid, cell, out, color);
    allot__grid_free(grid);
}
