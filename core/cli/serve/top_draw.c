/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top_draw.c: the screen, line by line: totals, consumers, and an explanation. */
#include <stdio.h>
#include <string.h>

#include "cli/serve/top.h"

#define NUMBER 10 /* columns of a number */

static const char *const names[] = {"allocated", "quota",     "demand",   "owned", "borrowed",
                                    "lent",      "in flight", "reserved", "shared"};
enum { COLUMNS = sizeof names / sizeof *names };

/* How the width is spent: a name, a bar, and as many numbers as there is room for. */
typedef struct layout {
    int name, bar, numbers;
} layout;

static layout lay_out(const allot__top *top)
{
    layout of = {.numbers = COLUMNS};
    while (of.numbers > 1 && top->wide - of.numbers * NUMBER < 44)
        of.numbers--;
    int left = top->wide - of.numbers * NUMBER - 1;
    of.name = left / 2 < 16 ? 16 : left / 2 > 40 ? 40 : left / 2;
    of.bar = left - of.name > 4 ? left - of.name : 4;
    return of;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void end_line(const allot__top *top, allot__text *out)
{
    if (top->plain) {
        allot__text_trim(out);
        allot__text_puts(out, "\n");
    } else {
        allot__text_puts(out, "\033[0m\033[K\r\n");
    }
}

static void style(const allot__top *top, allot__text *out, const char *code)
{
    if (!top->plain)
        allot__text_printf(out, "\033[%sm", code);
}

static void line(const allot__top *top, allot__text *out, const char *text)
{
    if ((int)strlen(text) > top->wide)
        allot__top_fit(out, text, top->wide);
    else
        allot__text_puts(out, text);
    end_line(top, out);
}

static void draw_head(const allot__top *top, allot__text *out)
{
    const allot__top_head *head = &top->head;
    char text[512], when[40];
    allot_time_text(head->now, when, sizeof when);
    style(top, out, "1");
    snprintf(text, sizeof text, "allot: %s; %s, %lld consumers, decision %lld, event %lld, %s",
             top->trouble[0] != '\0' ? top->trouble
             : top->healthy          ? "healthy"
                                     : "not healthy (allot status)",
             head->policy, (long long)head->consumers, (long long)head->seq, (long long)head->event,
             when);
    line(top, out, text);
    snprintf(text, sizeof text, "%s%s%lld slots: %lld allocated, %lld idle; demand %lld, lent %lld",
             head->group_count > 1 ? head->group : "", head->group_count > 1 ? ": " : "",
             (long long)head->slots, (long long)head->allocated, (long long)head->idle,
             (long long)head->demand, (long long)head->lent);
    line(top, out, text);
}

static void draw_columns(const allot__top *top, const layout *of, allot__text *out)
{
    style(top, out, "4");
    allot__top_fit(out, top->find[0] != '\0' ? "found" : "consumer", of->name);
    allot__text_spaces(out, of->bar + 1);
    for (int i = 0; i < of->numbers; i++)
        allot__text_printf(out, "%*s", NUMBER, names[i]);
    end_line(top, out);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static double reach(const allot__top_row *row)
{
    double most = row->number[TOP_OWNED];
    if (row->number[TOP_QUOTA] > most)
        most = row->number[TOP_QUOTA];
    return row->number[TOP_ALLOCATED] > most ? row->number[TOP_ALLOCATED] : most;
}

/* What a whole bar is worth: the most that one of those rows reaches that stand in its branch. */
static double scale_of(allot__top *top, const allot__top_node *node)
{
    double scale = 1;
    for (int i = 0; i < top->seen; i++) {
        const allot__top_row *row = &top->rows[i];
        if (row->there && allot__top_at(top, top->top + i).node == node && reach(row) > scale)
            scale = reach(row);
    }
    return scale;
}

static void draw_name(allot__top *top, const layout *of, int64_t number, const allot__top_row *row,
                      allot__text *out)
{
    char text[TOP_PATH + 64];
    const allot__top_node *node = allot__top_at(top, number).node;
    const char *name = node ? strrchr(row->path, '/') + 1 : row->path;
    const char *fold = row->children == 0 || !node       ? " "
                       : allot__top_is_open(top, number) ? "-"
                                                         : "+";
    snprintf(text, sizeof text, "%*s%s %s", node ? 2 * node->level : 0, "", fold, name);
    allot__top_fit(out, text, of->name);
}

static void draw_row(allot__top *top, const layout *of, int64_t number, double scale,
                     allot__text *out)
{
    const allot__top_row *row = allot__top_row_of(top, number);
    bool here = number == top->here && !top->plain;
    if (here)
        style(top, out, "7");
    if (!row) {
        allot__text_puts(out, "...");
        end_line(top, out);
        return;
    }
    draw_name(top, of, number, row, out);
    if (here)
        style(top, out, "27");
    allot__top_bar(top, row, scale, of->bar, out);
    allot__text_puts(out, " ");
    if (here)
        style(top, out, "7");
    for (int i = 0; i < of->numbers; i++) {
        double value = row->number[i];
        if (value == 0 && i > TOP_OWNED)
            allot__text_spaces(out, NUMBER);
        else
            allot__text_printf(out, "%*.*f", NUMBER,
                               value == (double)(int64_t)value || value > 1e6 ? 0 : 2, value);
    }
    end_line(top, out);
}

static void draw_rows(allot__top *top, const layout *of, allot__text *out)
{
    const allot__top_node *node = NULL;
    double scale = 0;
    int64_t count = allot__top_count(top);
    for (int i = 0; i < top->seen; i++) {
        if (top->top + i >= count) {
            if (top->plain)
                return;
            end_line(top, out);
            continue;
        }
        const allot__top_node *now = allot__top_at(top, top->top + i).node;
        if (now != node || scale == 0)
            scale = scale_of(top, now);
        node = now;
        draw_row(top, of, top->top + i, scale, out);
    }
}

/* ---- Below ----------------------------------------------------------------------------------- */

/* So many lines of the explanation as there is room for, from why_top on. */
static void draw_why(const allot__top *top, int high, allot__text *out)
{
    const char *at = top->lines.bytes, *end = at + top->lines.len;
    style(top, out, "1;4");
    line(top, out, top->why);
    for (int skip = 0; skip < top->why_top && at < end; skip++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    for (int i = 1; i < high; i++) {
        const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (stop) {
            int len = (int)(stop - at), wide = len > top->wide ? top->wide : len;
            allot__text_puts_safe(out, at, (size_t)wide);
            /* What does not fit goes on in the next line. */
            at += wide;
            at += at == stop;
        }
        end_line(top, out);
    }
}

static void draw_keys(const allot__top *top, allot__text *out)
{
    char text[256];
    if (top->typing)
        snprintf(text, sizeof text, "find: %s_", top->typed);
    else if (top->why[0] != '\0')
        snprintf(text, sizeof text, "Esc close  PgUp PgDn scroll  Up Down other  q quit");
    else
        snprintf(text, sizeof text,
                 "Up Down move  Right Left open, close  Enter why  / find%s%s  q quit   "
                 "%s own %s borrowed %s shared %s in flight %s owned",
                 top->find[0] != '\0' ? "  Esc tree" : "",
                 top->head.group_count > 1 ? "  g group" : "", top->fancy ? "█" : "#",
                 top->fancy ? "▓" : "+", top->fancy ? "▒" : "=", top->fancy ? "░" : "~",
                 top->fancy ? "·" : ".");
    style(top, out, "2");
    allot__text_puts(out, text);
    if (!top->plain)
        allot__text_puts(out, "\033[0m\033[K");
}

void allot__top_draw(allot__top *top, allot__text *out)
{
    layout of = lay_out(top);
    if (!top->plain)
        allot__text_puts(out, "\033[H");
    draw_head(top, out);
    draw_columns(top, &of, out);
    draw_rows(top, &of, out);
    if (top->plain)
        return;
    if (top->why[0] != '\0')
        draw_why(top, top->high - 4 - top->seen, out);
    draw_keys(top, out);
    allot__text_puts(out, "\033[J");
}
