/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff_table.c: consumers whose numbers differ, as a table: "18 -> 20 +2" under each measure in
 * which some consumer differs.
 */
#include "cli/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GAP    2
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define RESET  "\033[0m"

/* A measure's column: the widths of A's number, of B's, and of the change; 0: nothing differs. */
typedef struct shape {
    int path;
    int before[ALLOT_MEASURES_MAX], after[ALLOT_MEASURES_MAX], change[ALLOT_MEASURES_MAX];
} shape;

void allot__diff_put_path(allot__text *out, const allot_diff *diff, const allot_change *row,
                          bool other)
{
    const int32_t *consumer = other ? row->other : row->consumer;
    int side = consumer[0] < 0;
    const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, side));
    int of = row->group[side] < 0 ? !side : side;
    const allot_plan *grouped = allot_decision_plan(allot_diff_side(diff, of));
    if (!other && row->group[of] >= 0 && allot_plan_groups(grouped) > 1)
        allot__text_printf(out, "%s: ", allot_plan_group_name(grouped, row->group[of]));
    allot__text_path(out, plan, consumer[side]);
}

static int digits(int64_t value)
{
    return snprintf(NULL, 0, "%" PRId64, value);
}

static void widen(int *width, int least)
{
    *width = least > *width ? least : *width;
}

static int path_width(const allot_diff *diff, const allot_change *row, allot__text *room)
{
    room->len = 0;
    allot__diff_put_path(room, diff, row, false);
    return (int)room->len;
}

/* A column is as wide as its widest numbers; equal ones stand where B's do. */
static void measure(const allot_diff *diff, allot__text *room, shape *out)
{
    allot_change row;
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_CONSUMER, i, &row) == ALLOT_OK; i++) {
        widen(&out->path, path_width(diff, &row, room));
        for (int m = 0; m < allot_diff_measures(ALLOT_DIFF_CONSUMER); m++) {
            int64_t a = row.value[0][m], b = row.value[1][m];
            if (a == b)
                continue;
            widen(&out->before[m], digits(a));
            widen(&out->change[m], digits(b - a) + (b > a));
        }
    }
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_CONSUMER, i, &row) == ALLOT_OK; i++)
        for (int m = 0; m < allot_diff_measures(ALLOT_DIFF_CONSUMER); m++)
            if (out->change[m] > 0)
                widen(&out->after[m], digits(row.value[1][m]));
}

static int width_of(const shape *of, int m)
{
    char name[32];
    int numbers = of->before[m] + 4 + of->after[m] + 2 + of->change[m];
    int title = (int)allot_diff_measure_name(ALLOT_DIFF_CONSUMER, m, name, sizeof name);
    return numbers > title ? numbers : title;
}

/* Blanks are owed until something follows them. */
static void put_cell(allot__text *out, const shape *of, int m, const int64_t value[2], int *owed,
                     bool color)
{
    char cell[128] = "";
    int64_t a = value[0], b = value[1];
    int spare = of->change[m] + 2, behind = 0;
    if (a != b)
        snprintf(cell, sizeof cell, "%*" PRId64 " -> %*" PRId64 "  %+*" PRId64, of->before[m], a,
                 of->after[m], b, of->change[m], b - a);
    else if (b != 0) {
        snprintf(cell, sizeof cell, "%" PRId64, b);
        behind = spare;
    }
    *owed += GAP + width_of(of, m) - behind - (int)strlen(cell);
    if (*cell == '\0') {
        *owed += behind;
        return;
    }
    const char *paint = a == b || !color ? "" : b > a ? GREEN : YELLOW;
    allot__text_spaces(out, *owed);
    allot__text_printf(out, "%s%s%s", paint, cell, *paint != '\0' ? RESET : "");
    *owed = behind;
}

static const char *alone(const allot_change *row)
{
    return row->consumer[1] < 0   ? "only A has it"
           : row->consumer[0] < 0 ? "only B has it"
           : row->group[1] < 0    ? "only A has this group"
           : row->group[0] < 0    ? "only B has this group"
                                  : "";
}

static void put_titles(allot__text *out, const shape *of, bool color)
{
    char name[32];
    allot__text_printf(out, "%sconsumer", color ? BOLD : "");
    allot__text_spaces(out, of->path - 8);
    for (int m = 0; m < allot_diff_measures(ALLOT_DIFF_CONSUMER); m++) {
        if (of->change[m] == 0)
            continue;
        allot_diff_measure_name(ALLOT_DIFF_CONSUMER, m, name, sizeof name);
        allot__text_printf(out, "%*s", GAP + width_of(of, m), name);
    }
    allot__text_printf(out, "%s\n", color ? RESET : "");
}

int32_t allot__diff_table(allot__text *out, const allot_diff *diff, const allot__look *look)
{
    int32_t count = allot_diff_count(diff, ALLOT_DIFF_CONSUMER);
    allot__text room = {.engine = out->engine};
    allot_change row;
    shape widths = {.path = 8};
    if (count == 0)
        return 0;
    measure(diff, &room, &widths);
    put_titles(out, &widths, look->color);
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_CONSUMER, i, &row) == ALLOT_OK; i++) {
        int owed = widths.path - path_width(diff, &row, &room);
        allot__text_add(out, room.bytes, room.len);
        for (int m = 0; m < allot_diff_measures(ALLOT_DIFF_CONSUMER); m++) {
            const int64_t value[] = {row.value[0][m], row.value[1][m]};
            if (widths.change[m] > 0)
                put_cell(out, &widths, m, value, &owed, look->color);
        }
        if (*alone(&row) != '\0') {
            allot__text_spaces(out, owed + GAP);
            allot__text_puts(out, alone(&row));
        }
        allot__text_puts(out, "\n");
    }
    out->failed |= room.failed;
    allot__text_free(&room);
    return count;
}
