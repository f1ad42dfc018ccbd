/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* scan.c: the grammar of JSON, one step at a time. */
#include "json/text/scan.h"

#include <string.h>

/* The link of an open list or object names the one around it, so the marks are the stack. */
#define NOTHING UINT32_MAX

typedef enum step { FIRST_VALUE, VALUE, FIRST_KEY, KEY, AFTER, DONE } step;

typedef struct cursor {
    size_t at;
    step next;
    uint32_t inside; /* the innermost open list or object, or NOTHING */
    int32_t depth;
    size_t comma; /* the last one seen */
} cursor;

static int push(allot__scan *scan, size_t at, uint32_t link)
{
    if (scan->count == scan->capacity) {
        size_t size = sizeof *scan->marks;
        size_t more = scan->capacity + scan->capacity / 2 + 64;
        void *grown =
            allot_engine_alloc(scan->engine, scan->marks, scan->capacity * size, more * size);
        if (!grown)
            return ALLOT_ENOMEM;
        scan->marks = grown;
        scan->capacity = more;
    }
    scan->marks[scan->count].at = (uint32_t)at;
    scan->marks[scan->count].link = link;
    scan->count++;
    return ALLOT_OK;
}

static char opener(const allot__scan *scan, const cursor *cur)
{
    return cur->inside == NOTHING ? '\0' : scan->text[scan->marks[cur->inside].at];
}

/* The same at the end of the document, with the unclosed bracket. */
static int unexpected(allot__scan *scan, const cursor *cur, const char *expected)
{
    if (cur->at >= scan->len && cur->inside != NOTHING)
        scan->flaw.opened = scan->marks[cur->inside].at;
    return allot__scan_unexpected(scan, cur->at, expected);
}

static int open_bracket(allot__scan *scan, cursor *cur)
{
    if (cur->depth == ALLOT__DEPTH_MAX)
        return allot__scan_flaw(scan, "E-depth", cur->at, 1,
                                "lists and objects nest too deep, allowed %d levels",
                                ALLOT__DEPTH_MAX);
    int status = push(scan, cur->at, cur->inside);
    if (status != ALLOT_OK)
        return status;
    cur->inside = (uint32_t)scan->count - 1;
    cur->depth++;
    cur->next = scan->text[cur->at++] == '{' ? FIRST_KEY : FIRST_VALUE;
    return ALLOT_OK;
}

static int close_bracket(allot__scan *scan, cursor *cur)
{
    uint32_t begin = cur->inside;
    int status = push(scan, cur->at, begin);
    if (status != ALLOT_OK)
        return status;
    cur->inside = scan->marks[begin].link;
    scan->marks[begin].link = (uint32_t)scan->count - 1;
    cur->depth--;
    cur->at++;
    cur->next = cur->inside == NOTHING ? DONE : AFTER;
    return ALLOT_OK;
}

static int scalar(allot__scan *scan, cursor *cur, const char *expected)
{
    char c = scan->text[cur->at];
    size_t first = cur->at;
    int status;
    if (c == '"')
        status = allot__scan_string(scan, &cur->at);
    else if (c == '-' || (c >= '0' && c <= '9'))
        status = allot__scan_number(scan, &cur->at);
    else if (c >= 'a' && c <= 'z')
        status = allot__scan_word(scan, &cur->at);
    else
        status = unexpected(scan, cur, expected);
    if (status == ALLOT_OK)
        status = push(scan, first, (uint32_t)cur->at);
    cur->next = cur->inside == NOTHING ? DONE : AFTER;
    return status;
}

/* At a bracket right behind a comma: blanks the comma if that is allowed. */
static int trailing_comma(allot__scan *scan, cursor *cur)
{
    if (!scan->relaxed)
        return allot__scan_flaw(scan, "E-syntax", cur->comma, 1,
                                "found a comma before \"%c\"; only plans may have that",
                                scan->text[cur->at]);
    scan->text[cur->comma] = ' ';
    return close_bracket(scan, cur);
}

static int value(allot__scan *scan, cursor *cur)
{
    char c = scan->text[cur->at];
    if (c == '{' || c == '[')
        return open_bracket(scan, cur);
    if (c == ']' && cur->next == FIRST_VALUE)
        return close_bracket(scan, cur);
    if (c == ']' && opener(scan, cur) == '[')
        return trailing_comma(scan, cur);
    return scalar(scan, cur, cur->next == FIRST_VALUE ? "a value or \"]\"" : "a value");
}

static int key(allot__scan *scan, cursor *cur)
{
    char c = scan->text[cur->at];
    if (c == '}')
        return cur->next == FIRST_KEY ? close_bracket(scan, cur) : trailing_comma(scan, cur);
    if (c != '"')
        return unexpected(scan, cur,
                          cur->next == FIRST_KEY ? "a key in double quotes or \"}\""
                                                 : "a key in double quotes");
    int status = allot__scan_string(scan, &cur->at);
    if (status == ALLOT_OK)
        status = allot__scan_blank(scan, &cur->at);
    if (status != ALLOT_OK)
        return status;
    if (scan->text[cur->at] != ':')
        return unexpected(scan, cur, "\":\"");
    cur->at++;
    cur->next = VALUE;
    return ALLOT_OK;
}

static int after(allot__scan *scan, cursor *cur)
{
    bool list = opener(scan, cur) == '[';
    char c = scan->text[cur->at];
    if (c == (list ? ']' : '}'))
        return close_bracket(scan, cur);
    if (c != ',')
        return unexpected(scan, cur, list ? "\",\" or \"]\"" : "\",\" or \"}\"");
    cur->comma = cur->at++;
    cur->next = list ? VALUE : KEY;
    return ALLOT_OK;
}

static int first_look(allot__scan *scan)
{
    if (scan->len >= UINT32_MAX)
        return allot__scan_flaw(scan, "E-size", 0, 1,
                                "the document has %zu bytes, allowed less than 4 GiB", scan->len);
    if (scan->len >= 3 && memcmp(scan->text, "\xEF\xBB\xBF", 3) == 0) {
        scan->flaw.hint = "save it as UTF-8 without a byte order mark";
        return allot__scan_flaw(scan, "E-syntax", 0, 1,
                                "found a byte order mark, expected a value");
    }
    return ALLOT_OK;
}

int allot__scan_run(allot__scan *scan)
{
    cursor cur = {.next = VALUE, .inside = NOTHING};
    memset(&scan->flaw, 0, sizeof scan->flaw);
    scan->flaw.opened = SIZE_MAX;
    int status = first_look(scan);
    while (status == ALLOT_OK && cur.next != DONE) {
        status = allot__scan_blank(scan, &cur.at);
        if (status != ALLOT_OK)
            break;
        if (cur.next == AFTER)
            status = after(scan, &cur);
        else if (cur.next == KEY || cur.next == FIRST_KEY)
            status = key(scan, &cur);
        else
            status = value(scan, &cur);
    }
    if (status == ALLOT_OK)
        status = allot__scan_blank(scan, &cur.at);
    if (status == ALLOT_OK && cur.at < scan->len)
        status = unexpected(scan, &cur, "the end of the document");
    if (status == ALLOT_OK && scan->count > INT32_MAX)
        status = allot__scan_flaw(scan, "E-size", 0, 1, "the document has too many values");
    return status;
}

void allot__scan_free(allot__scan *scan)
{
    if (scan->marks)
        allot_engine_alloc(scan->engine, scan->marks, scan->capacity * sizeof *scan->marks, 0);
    scan->marks = NULL;
    scan->count = scan->capacity = 0;
}
