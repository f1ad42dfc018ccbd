/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * table.c: a group's consumers as a table: the tree indented, numbers right-aligned. Empty columns
 * are left out, and in large plans also consumers with nothing; columns about use of others' slots
 * are shown only if they fit. A narrow terminal cuts names and parts, never digits.
 */
#include "cli/term/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_MAX 11 /* most characters of a fraction; longer ones become decimals */

/* "3", "3 1/3", "~3.3333"; returns the length. */
static int put_ratio(const allot_ratio *ratio, char *buf, size_t size)
{
    uint64_t num = ratio->num_low, den = ratio->den_low;
    if (ratio->num_high == 0 && ratio->den_high == 0 && den != 0) {
        uint64_t whole = num / den, rest = num % den;
        if (rest == 0)
            return snprintf(buf, size, "%" PRIu64, whole);
        if (snprintf(NULL, 0, "%" PRIu64 "/%" PRIu64, rest, den) <= FRACTION_MAX)
            return whole == 0
                       ? snprintf(buf, size, "%" PRIu64 "/%" PRIu64, rest, den)
                       : snprintf(buf, size, "%" PRIu64 " %" PRIu64 "/%" PRIu64, whole, rest, den);
    }
    double value = allot_ratio_value(ratio);
    return snprintf(buf, size, value < 0.001 ? "~%.3g" : "~%.4f", value);
}

#define SMALL    20 /* the most consumers of a plan that is shown whole */
#define NAME_MIN 16
#define ROOM     100 /* columns without a terminal */

typedef struct row {
    const allot_decision *decision;
    const allot_plan *plan;
    int32_t group;
    bool all;
    int32_t left_out;
    allot_verdict verdict;
} row;

static const allot__grid_column columns[] = {
    {"consumer", true, false, NULL},
    {"own", false, false, NULL},
    {"reserve", false, false, NULL},
    {"limit", false, false, NULL},
    {"demand", false, false, NULL},
    {"allocated", false, false, NULL},
    {"used", false, false, NULL},
    {"lent", false, false, NULL},
    {"borrowed", false, false, NULL},
    {"shared", false, false, NULL},
    {"planned", false, false, NULL},
    {"in flight", false, false, NULL},
    {"quota", false, false, "\033[1m"},
    {"", true, false, NULL},
    {"granted", false, false, "\033[32m"},
    {"held", false, false, NULL},
    {"reclaimed", false, false, "\033[33m"},
};
enum { NAME = 0, PARTS = 13, COLUMNS = sizeof columns / sizeof columns[0] };

/* When a column is shown: always, unless empty, if it also fits, in the monitor. */
enum { ALWAYS = 1, FILLED = 2, ROOMY = 4, MONITOR = 8 };
static const unsigned shown[COLUMNS] = {
    ALWAYS | MONITOR, ALWAYS | MONITOR, FILLED | MONITOR, FILLED,          ALWAYS | MONITOR,
    ALWAYS | MONITOR, MONITOR,          ROOMY | MONITOR,  ROOMY | MONITOR, ROOMY | MONITOR,
    MONITOR,          FILLED,           ALWAYS,           FILLED,          FILLED,
    FILLED,           FILLED,
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool has_nothing(const allot_verdict *verdict)
{
    return verdict->demand == 0 && verdict->quota == 0 && verdict->allocated == 0 &&
           verdict->in_flight == 0 && verdict->received == 0;
}

static bool next_row(row *of, int32_t *consumer)
{
    for (;;) {
        *consumer = allot_plan_next(of->plan, *consumer);
        if (*consumer == ALLOT_ROOT ||
            allot_decision_verdict(of->decision, of->group, *consumer, &of->verdict) != ALLOT_OK)
            return false;
        if (of->all || !has_nothing(&of->verdict))
            return true;
        of->left_out++;
    }
}

/* The group as a row: the sums over its consumers. */
static void total_row(row *of)
{
    allot_totals totals = {0};
    allot_verdict first;
    allot_decision_totals(of->decision, of->group, &totals);
    of->verdict = (allot_verdict){.consumer = ALLOT_ROOT,
                                  .owned = totals.owned,
                                  .reserve = totals.reserve,
                                  .demand = totals.demand,
                                  .allocated = totals.allocated,
                                  .own_used = totals.own_used,
                                  .lent = totals.lent,
                                  .borrowed = totals.borrowed,
                                  .shared = totals.shared,
                                  .planned = totals.planned,
                                  .granted = totals.granted,
                                  .held = totals.held,
                                  .reclaimed = totals.reclaimed};
    for (int32_t i = 0; i < allot_plan_children(of->plan, ALLOT_ROOT); i++) {
        int32_t child = allot_plan_child(of->plan, ALLOT_ROOT, i);
        if (allot_decision_verdict(of->decision, of->group, child, &first) == ALLOT_OK) {
            of->verdict.quota += first.quota;
            of->verdict.in_flight += first.in_flight;
        }
    }
}

static void add_name(const row *of, allot__grid *grid)
{
    int32_t consumer = of->verdict.consumer;
    int32_t depth = consumer == ALLOT_ROOT ? 0 : allot_plan_depth(of->plan, consumer);
    if (consumer == ALLOT_ROOT)
        allot__grid_add(grid, "total");
    else
        allot__grid_add(grid, "%*s%s%s", 2 * depth, "", depth == 0 ? "/" : "",
                        allot_plan_name(of->plan, consumer));
}

static void add_parts(const row *of, allot__grid *grid)
{
    const char *between = "=";
    for (int32_t i = 0; i < of->verdict.parts; i++) {
        if (of->verdict.part[i] == 0)
            continue;
        allot__text_printf(
            &grid->cells, "%s %" PRId64 " %s", between, of->verdict.part[i],
            allot_decision_part_label(of->decision, of->group, of->verdict.consumer, i));
        between = " +";
    }
    allot__grid_add(grid, "%s", "");
}

static void add_signed(allot__grid *grid, int64_t number)
{
    if (number != 0)
        allot__grid_add(grid, "%+" PRId64, number);
    else
        allot__grid_count(grid, 0);
}

static void add_row(const row *of, allot__grid *grid)
{
    const allot_verdict *it = &of->verdict;
    int32_t limit = ALLOT_NONE;
    char own[64];
    if (it->consumer != ALLOT_ROOT)
        limit = allot_plan_get(of->plan, of->group, it->consumer, ALLOT_LIMIT);
    put_ratio(&it->owned, own, sizeof own);
    add_name(of, grid);
    allot__grid_add(grid, "%s", own);
    allot__grid_count(grid, it->reserve);
    if (limit != ALLOT_NONE)
        allot__grid_add(grid, "%" PRId32, limit);
    else
        allot__grid_count(grid, 0);
    allot__grid_add(grid, "%" PRId64, it->demand);
    allot__grid_add(grid, "%" PRId64, it->allocated);
    allot__grid_count(grid, it->own_used);
    allot__grid_count(grid, it->lent);
    allot__grid_count(grid, it->borrowed);
    allot__grid_count(grid, it->shared);
    allot__grid_add(grid, "%" PRId64, it->planned);
    allot__grid_count(grid, it->in_flight);
    allot__grid_add(grid, "%" PRId64, it->quota);
    add_parts(of, grid);
    add_signed(grid, it->granted);
    allot__grid_count(grid, it->held);
    add_signed(grid, -it->reclaimed);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Is a column shown whose widest cell is `width`? */
static bool is_shown(unsigned where, allot__columns choice, int width)
{
    if (choice == CLI_COLUMNS_MONITOR)
        return (where & MONITOR) != 0;
    if (choice == CLI_COLUMNS_ALL || (where & ALWAYS) != 0)
        return true;
    return width > 0 && (where & (FILLED | ROOMY)) != 0;
}

/* Removes optional columns first, then cuts names in the middle, then removes parts. */
static void fit(allot__grid *grid, int width, allot__columns choice)
{
    bool narrow =
        choice == CLI_COLUMNS_AUTO && allot__grid_total(grid) > (width > 0 ? width : ROOM);
    for (int i = 0; i < COLUMNS && narrow; i++)
        grid->hidden[i] = grid->hidden[i] || (shown[i] & ROOMY) != 0;
    for (int step = 0; step < 2 && width > 0 && allot__grid_total(grid) > width; step++) {
        grid->hidden[PARTS] = grid->hidden[PARTS] || step == 1;
        int spare = width - (allot__grid_total(grid) - grid->width[NAME]);
        if (step == 1 || spare >= NAME_MIN)
            allot__grid_narrow(grid, NAME, NAME_MIN, width);
    }
}

int32_t allot__cli_table(const allot_decision *decision, int32_t group, allot__text *out,
                         const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    row of = {.decision = decision, .plan = plan, .group = group};
    allot__grid grid;
    int32_t consumer = ALLOT_ROOT;
    of.all = look->all || allot_plan_consumers(plan) <= SMALL;
    allot__grid_begin(&grid, out->engine, columns, COLUMNS);
    while (next_row(&of, &consumer))
        add_row(&of, &grid);
    if (look->columns != CLI_COLUMNS_AUTO) {
        total_row(&of);
        add_row(&of, &grid);
    }
    for (int i = 0; i < COLUMNS; i++)
        grid.hidden[i] = !is_shown(shown[i], look->columns, grid.width[i]);
    allot__grid_measure(&grid);
    bool parts = !grid.hidden[PARTS];
    fit(&grid, look->width, look->columns);
    bool cut = parts && grid.hidden[PARTS];
    allot__grid_put(&grid, out, look->color);
    if (cut)
        allot__text_puts(out, "(a wider terminal shows the parts of each quota)\n");
    return of.left_out;
}
