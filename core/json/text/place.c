/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* place.c: turns offsets into lines and columns, and numbers into paths. */
#include "json/text/doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Characters in `len` bytes of (perhaps malformed) UTF-8. */
static int32_t characters(const char *text, size_t len)
{
    int32_t count = 0;
    for (size_t i = 0; i < len && count < INT32_MAX; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Finds the line of `at`, from the last line found, if that is before. */
static void find_line(allot__doc *doc, size_t at)
{
    if (doc->line == 0 || at < doc->line_at) {
        doc->line_at = 0;
        doc->line = 1;
    }
    for (;;) {
        const char *from = doc->given + doc->line_at;
        const char *end = at > doc->line_at ? memchr(from, '\n', at - doc->line_at) : NULL;
        if (!end)
            return;
        doc->line_at += (size_t)(end - from) + 1;
        doc->line++;
    }
}

/* The beginning of the line; "": the column is beyond it. */
static void copy_source(const allot__doc *doc, int32_t col, char *source)
{
    const char *line = doc->given + doc->line_at;
    size_t left = doc->scan.len - doc->line_at, len = 0;
    source[0] = '\0';
    if (col > ALLOT__SOURCE_MAX)
        return;
    for (int32_t i = 0; i < ALLOT__SOURCE_MAX && len < left; i++) {
        size_t size = allot__utf8(line + len, left - len);
        if (line[len] == '\n' || line[len] == '\r' || size == 0)
            break;
        len += size;
    }
    memcpy(source, line, len);
    source[len] = '\0';
}

void allot__place_find(allot__doc *doc, size_t at, size_t width, allot__place *out)
{
    find_line(doc, at);
    const char *text = doc->given + at;
    size_t left = at < doc->scan.len ? doc->scan.len - at : 0;
    size_t here = width < left ? width : left;
    const char *end = here > 0 ? memchr(text, '\n', here) : NULL;
    out->line = doc->first_line - 1 + doc->line;
    out->col = characters(doc->given + doc->line_at, at - doc->line_at) + 1;
    out->width = characters(text, end ? (size_t)(end - text) : here);
    if (out->width == 0)
        out->width = 1;
    copy_source(doc, out->col, out->source);
}

typedef struct pen {
    char *buf;
    size_t size, len;
} pen;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
write_text(pen *pen, const char *format, ...)
{
    if (pen->len >= pen->size)
        return;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(pen->buf + pen->len, pen->size - pen->len, format, args);
    va_end(args);
    pen->len += len > 0 ? (size_t)len : 0;
}

/* Writes a key that is a name without quotes, others as written: hosts["h 1"]. */
static void write_key(pen *pen, const allot__doc *doc, uint32_t number)
{
    const char *key = doc->given + allot__doc_key_at(doc, number) + 1;
    size_t len = 0, end = 0;
    while (key[len] == '_' || (key[len] >= 'a' && key[len] <= 'z') ||
           (key[len] >= 'A' && key[len] <= 'Z') || (key[len] >= '0' && key[len] <= '9'))
        len++;
    for (end = len; key[end] != '"'; end++)
        if (key[end] == '\\')
            end++;
    bool dot = pen->len > 0 && pen->buf[pen->len < pen->size ? pen->len - 1 : 0] != ' ';
    int shown = (int)(end < ALLOT__PATH_MAX ? end : ALLOT__PATH_MAX);
    if (end > 0 && end == len)
        write_text(pen, "%s%.*s", dot ? "." : "", shown, key);
    else
        write_text(pen, "[\"%.*s\"]", shown, key);
}

/* One step from `inside` towards `number`: writes it, returns the value stepped to. */
static uint32_t step_towards(pen *pen, const allot__doc *doc, uint32_t inside, uint32_t number)
{
    uint32_t item = inside + 1, next = allot__doc_next(doc, item);
    int32_t index = 0;
    for (; next <= number; index++) {
        item = next;
        next = allot__doc_next(doc, item);
    }
    if (allot__doc_first(doc, inside) == '{')
        write_key(pen, doc, item);
    else
        write_text(pen, "[%d]", (int)index);
    return item;
}

/* Removes a character that was cut in two. */
static void trim(pen *pen)
{
    size_t len = strlen(pen->buf), i = len;
    while (i > 0 && ((unsigned char)pen->buf[i - 1] & 0xC0) == 0x80)
        i--;
    if (i > 0 && allot__utf8(pen->buf + i - 1, len - i + 1) == 0)
        pen->buf[i - 1] = '\0';
}

void allot__place_path(const allot__doc *doc, uint32_t number, char *buf, size_t size)
{
    pen pen = {.buf = buf, .size = size};
    uint32_t at = 0;
    buf[0] = '\0';
    if (doc->plan && number >= doc->about && number < allot__doc_end(doc, doc->about)) {
        pen.len = allot_plan_path(doc->plan, doc->consumer, buf, size);
        at = doc->about;
        if (at != number)
            write_text(&pen, ": ");
    }
    while (at != number)
        at = step_towards(&pen, doc, at, number);
    trim(&pen);
}
