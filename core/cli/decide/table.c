/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * table.c: a group's consumers as a table: the tree indented, numbers right-aligned. Columns that
 * say nothing are left out, in large plans consumers with nothing too; so are those of whose slots
 * are in whose hands, unless there is room for them. A terminal too narrow costs names and parts,
 * never a digit.
 */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SMALL     20 /* a plan of so many consumers is shown whole */
#define GAP       2
#define NAME_MIN  16
#define ROOM      100 /* where there is no terminal to say */
#define CELL_SIZE (ALLOT_FILLS_MAX * (ALLOT_NAME_MAX + 24))

#define BOLD   "\033[1m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define RESET  "\033[0m"

typedef struct row {
    const allot_decision *decision;
    const allot_plan *plan;
    int32_t group;
    bool all;
    int32_t left_out;
    allot_verdict verdict;
} row;

/* A cell is empty where its column has nothing to say. */
typedef void cell(const row *of, char *buf, size_t size);

static void number(int64_t value, char *buf, size_t size)
{
    snprintf(buf, size, "%" PRId64, value);
}

static void number_or_blank(int64_t value, char *buf, size_t size)
{
    if (value != 0)
        number(value, buf, size);
}

static void cell_name(const row *of, char *buf, size_t size)
{
    int32_t consumer = of->verdict.consumer;
    if (consumer == ALLOT_ROOT) {
        snprintf(buf, size, "total");
        return;
    }
    int32_t depth = allot_plan_depth(of->plan, consumer);
    snprintf(buf, size, "%*s%s%s", 2 * depth, "", depth == 0 ? "/" : "",
             allot_plan_name(of->plan, consumer));
}

static void cell_own(const row *of, char *buf, size_t size)
{
    allot__cli_ratio(&of->verdict.owned, buf, size);
}

static void cell_reserve(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.reserve, buf, size);
}

static void cell_limit(const row *of, char *buf, size_t size)
{
    int32_t limit = ALLOT_NONE;
    if (of->verdict.consumer != ALLOT_ROOT)
        limit = allot_plan_get(of->plan, of->group, of->verdict.consumer, ALLOT_LIMIT);
    if (limit != ALLOT_NONE)
        number(limit, buf, size);
}

static void cell_demand(const row *of, char *buf, size_t size)
{
    number(of->verdict.demand, buf, size);
}

static void cell_allocated(const row *of, char *buf, size_t size)
{
    number(of->verdict.allocated, buf, size);
}

static void cell_used(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.own_used, buf, size);
}

static void cell_lent(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.lent, buf, size);
}

static void cell_borrowed(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.borrowed, buf, size);
}

static void cell_shared(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.shared, buf, size);
}

static void cell_planned(const row *of, char *buf, size_t size)
{
    number(of->verdict.planned, buf, size);
}

static void cell_in_flight(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.in_flight, buf, size);
}

static void cell_quota(const row *of, char *buf, size_t size)
{
    number(of->verdict.quota, buf, size);
}

static void cell_parts(const row *of, char *buf, size_t size)
{
    size_t len = 0;
    for (int32_t i = 0; i < of->verdict.parts && len < size; i++)
        if (of->verdict.part[i] != 0)
            len += (size_t)snprintf(
                buf + len, size - len, "%s %" PRId64 " %s", len == 0 ? "=" : " +",
                of->verdict.part[i],
                allot_decision_part_label(of->decision, of->group, of->verdict.consumer, i));
}

static void cell_granted(const row *of, char *buf, size_t size)
{
    if (of->verdict.granted != 0)
        snprintf(buf, size, "+%" PRId64, of->verdict.granted);
}

static void cell_held(const row *of, char *buf, size_t size)
{
    number_or_blank(of->verdict.held, buf, size);
}

static void cell_reclaimed(const row *of, char *buf, size_t size)
{
    if (of->verdict.reclaimed != 0)
        snprintf(buf, size, "-%" PRId64, of->verdict.reclaimed);
}

/* Where a column is shown: always, unless it is empty, if there is room too; and in the monitor. */
enum { ALWAYS = 1, FILLED = 2, ROOMY = 4, MONITOR = 8 };

static const struct column {
    const char *title;
    cell *write;
    bool left; /* aligned */
    unsigned shown;
    const char *color;
} columns[] = {
    {"consumer", cell_name, true, ALWAYS | MONITOR, ""},
    {"own", cell_own, false, ALWAYS | MONITOR, ""},
    {"reserve", cell_reserve, false, FILLED | MONITOR, ""},
    {"limit", cell_limit, false, FILLED, ""},
    {"demand", cell_demand, false, ALWAYS | MONITOR, ""},
    {"allocated", cell_allocated, false, ALWAYS | MONITOR, ""},
    {"used", cell_used, false, MONITOR, ""},
    {"lent", cell_lent, false, ROOMY | MONITOR, ""},
    {"borrowed", cell_borrowed, false, ROOMY | MONITOR, ""},
    {"shared", cell_shared, false, ROOMY | MONITOR, ""},
    {"planned", cell_planned, false, MONITOR, ""},
    {"leaving", cell_in_flight, false, FILLED, ""},
    {"quota", cell_quota, false, ALWAYS, BOLD},
    {"", cell_parts, true, FILLED, ""},
    {"granted", cell_granted, false, FILLED, GREEN},
    {"held", cell_held, false, FILLED, ""},
    {"reclaimed", cell_reclaimed, false, FILLED, YELLOW},
};

enum { NAME = 0, PARTS = 13, COLUMNS = sizeof columns / sizeof columns[0] };

/* Widths of the columns; 0: left out. */
typedef struct layout {
    int width[COLUMNS];
} layout;

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

/* The group as a row: what its consumers sum up to. */
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

static void widen(const row *of, layout *shape)
{
    char buf[CELL_SIZE];
    for (int i = 0; i < COLUMNS; i++) {
        buf[0] = '\0';
        columns[i].write(of, buf, sizeof buf);
        int len = (int)strlen(buf);
        shape->width[i] = len > shape->width[i] ? len : shape->width[i];
    }
}

/* Is a column shown whose widest cell is `width`? */
static bool is_shown(const struct column *column, allot__columns choice, int width)
{
    if (choice == CLI_COLUMNS_MONITOR)
        return (column->shown & MONITOR) != 0;
    if (choice == CLI_COLUMNS_ALL || (column->shown & ALWAYS) != 0)
        return true;
    return width > 0 && (column->shown & (FILLED | ROOMY)) != 0;
}

static layout measure(row *of, allot__columns choice)
{
    layout shape = {{0}};
    int32_t consumer = ALLOT_ROOT;
    while (next_row(of, &consumer))
        widen(of, &shape);
    if (choice != CLI_COLUMNS_AUTO) {
        total_row(of);
        widen(of, &shape);
    }
    for (int i = 0; i < COLUMNS; i++) {
        int title = (int)strlen(columns[i].title);
        if (!is_shown(&columns[i], choice, shape.width[i]))
            shape.width[i] = 0;
        else if (title > shape.width[i])
            shape.width[i] = title;
    }
    return shape;
}

static int total(const layout *shape)
{
    int sum = -GAP;
    for (int i = 0; i < COLUMNS; i++)
        sum += shape->width[i] > 0 ? shape->width[i] + GAP : 0;
    return sum;
}

/* What is there only if there is room goes first. Then names lose their middle, then the parts go.
 */
static void fit(layout *shape, int width, allot__columns choice)
{
    bool narrow = choice == CLI_COLUMNS_AUTO && total(shape) > (width > 0 ? width : ROOM);
    for (int i = 0; i < COLUMNS && narrow; i++)
        shape->width[i] = (columns[i].shown & ROOMY) != 0 ? 0 : shape->width[i];
    for (int step = 0; step < 2 && width > 0 && total(shape) > width; step++) {
        if (step == 1)
            shape->width[PARTS] = 0;
        int spare = width - (total(shape) - shape->width[NAME]);
        int least = spare > NAME_MIN ? spare : NAME_MIN;
        if (shape->width[NAME] > least && (step == 1 || spare >= NAME_MIN))
            shape->width[NAME] = least;
    }
}

static void shorten(char *text, int width)
{
    int len = (int)strlen(text);
    if (len <= width)
        return;
    int tail = (width - 3) / 2, head = width - 3 - tail;
    memcpy(text + head, "...", 3);
    memmove(text + head + 3, text + len - tail, (size_t)tail + 1);
}

/* One line; `of` NULL: the titles. Blanks are owed until something follows them. */
static void put_line(allot__text *out, const row *of, const layout *shape, bool color)
{
    int owed = 0;
    char buf[CELL_SIZE];
    for (int i = 0; i < COLUMNS; i++) {
        if (shape->width[i] == 0)
            continue;
        buf[0] = '\0';
        if (!of)
            snprintf(buf, sizeof buf, "%s", columns[i].title);
        else
            columns[i].write(of, buf, sizeof buf);
        if (i == NAME)
            shorten(buf, shape->width[i]);
        int pad = shape->width[i] - (int)strlen(buf);
        if (*buf != '\0') {
            const char *paint = !of ? BOLD : columns[i].color;
            allot__cli_spaces(out, owed + (columns[i].left ? 0 : pad));
            allot__cli_printf(out, "%s%s%s", color ? paint : "", buf,
                              color && *paint != '\0' ? RESET : "");
            owed = columns[i].left ? pad : 0;
        } else {
            owed += pad;
        }
        owed += GAP;
    }
    allot__cli_puts(out, "\n");
}

int32_t allot__cli_table(const allot_decision *decision, int32_t group, allot__text *out,
                         const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    row of = {.decision = decision, .plan = plan, .group = group};
    of.all = look->all || allot_plan_consumers(plan) <= SMALL;
    layout shape = measure(&of, look->columns);
    bool parts = shape.width[PARTS] > 0;
    fit(&shape, look->width, look->columns);
    put_line(out, NULL, &shape, look->color);
    int32_t consumer = ALLOT_ROOT;
    of.left_out = 0;
    while (next_row(&of, &consumer))
        put_line(out, &of, &shape, look->color);
    if (look->columns != CLI_COLUMNS_AUTO) {
        total_row(&of);
        put_line(out, &of, &shape, look->color);
    }
    if (parts && shape.width[PARTS] == 0)
        allot__cli_puts(out, "(a wider terminal shows the parts of each quota)\n");
    return of.left_out;
}
