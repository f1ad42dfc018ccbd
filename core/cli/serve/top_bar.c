/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top_bar.c: what a consumer has, as a bar of characters; each means the same without colours. */
#include <string.h>

#include "cli/serve/top.h"

typedef enum mark { OWN, BORROWED, SHARED, FLIGHT, OWNED, EMPTY, QUOTA } mark;

static const struct {
    const char *fancy, *plain, *color;
} marks[] = {
    [OWN] = {"█", "#", "\033[34m"},    [BORROWED] = {"▓", "+", "\033[33m"},
    [SHARED] = {"▒", "=", "\033[32m"}, [FLIGHT] = {"░", "~", "\033[35m"},
    [OWNED] = {"·", ".", ""},          [EMPTY] = {" ", " ", ""},
    [QUOTA] = {"│", "|", "\033[1m"},
};

static mark mark_at(const allot__top_row *row, double from, double to)
{
    const double *n = row->number;
    double middle = (from + to) / 2, held = n[TOP_ALLOCATED];
    double own = n[TOP_OWN_USED] < held ? n[TOP_OWN_USED] : held;
    if (n[TOP_QUOTA] > from && n[TOP_QUOTA] <= to && n[TOP_QUOTA] > held)
        return QUOTA;
    if (middle >= held)
        return middle < n[TOP_OWNED] ? OWNED : EMPTY;
    if (middle >= held - n[TOP_FLIGHT])
        return FLIGHT;
    if (middle < own)
        return OWN;
    return middle < own + n[TOP_BORROWED] ? BORROWED : n[TOP_SHARED] > 0 ? SHARED : OWN;
}

void allot__top_bar(const allot__top *top, const allot__top_row *row, double scale, int wide,
                    allot__text *out)
{
    const char *color = "";
    for (int i = 0; i < wide; i++) {
        mark is = mark_at(row, scale * i / wide, scale * (i + 1) / wide);
        if (top->color && strcmp(color, marks[is].color) != 0) {
            color = marks[is].color;
            allot__text_puts(out, "\033[39;22m");
            allot__text_puts(out, color);
        }
        allot__text_puts(out, top->fancy ? marks[is].fancy : marks[is].plain);
    }
    if (top->color)
        allot__text_puts(out, "\033[39;22m");
}

void allot__top_fit(allot__text *out, const char *text, int wide)
{
    int len = (int)strlen(text);
    if (len > wide && wide > 0) {
        allot__text_puts_safe(out, text, (size_t)wide - 1);
        allot__text_puts(out, "~");
    } else {
        allot__text_puts_safe(out, text, (size_t)len);
        allot__text_spaces(out, wide - len);
    }
}
