/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.c: text that grows in memory, whole before anyone sees it. */
#include "cli/term/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(allot__text *text, size_t more)
{
    if (text->failed || more > SIZE_MAX / 4 - text->len) {
        text->failed = true;
        return false;
    }
    if (text->len + more <= text->capacity)
        return true;
    size_t capacity = (text->len + more) * 2;
    if (capacity < 256)
        capacity = 256;
    char *bytes = allot_engine_alloc(text->engine, text->bytes, text->capacity, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void allot__cli_add(allot__text *text, const char *bytes, size_t len)
{
    if (len == 0 || !reserve(text, len))
        return;
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}

void allot__cli_puts(allot__text *text, const char *string)
{
    allot__cli_add(text, string, strlen(string));
}

void allot__cli_printf(allot__text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len < 0)
        text->failed = true;
    else if (reserve(text, (size_t)len + 1)) {
        vsnprintf(text->bytes + text->len, (size_t)len + 1, format, again);
        text->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
}

void allot__cli_spaces(allot__text *text, int count)
{
    for (; count > 0; count--)
        allot__cli_add(text, " ", 1);
}

void allot__cli_trim(allot__text *text)
{
    while (text->len > 0 && text->bytes[text->len - 1] == ' ')
        text->len--;
}

void allot__cli_puts_safe(allot__text *text, const char *string, size_t len)
{
    size_t start = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)string[i];
        if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
            continue;
        allot__cli_add(text, string + start, i - start);
        allot__cli_add(text, "?", 1);
        start = i + 1;
    }
    allot__cli_add(text, string + start, len - start);
}

void allot__cli_puts_path(allot__text *out, const allot_plan *plan, int32_t consumer)
{
    char buf[512];
    size_t len = allot_plan_path(plan, consumer, buf, sizeof buf);
    if (len < sizeof buf) {
        allot__cli_add(out, buf, len);
        return;
    }
    char *whole = allot_engine_alloc(out->engine, NULL, 0, len + 1);
    if (!whole) {
        out->failed = true;
        return;
    }
    allot__cli_add(out, whole, allot_plan_path(plan, consumer, whole, len + 1));
    allot_engine_alloc(out->engine, whole, len + 1, 0);
}

void allot__cli_json_string(allot__text *text, const char *string)
{
    if (!string) {
        allot__cli_puts(text, "null");
        return;
    }
    allot__cli_add(text, "\"", 1);
    for (const char *c = string; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            allot__cli_printf(text, "\\u%04x", (unsigned)(unsigned char)*c);
        else if (*c == '"' || *c == '\\')
            allot__cli_printf(text, "\\%c", *c);
        else
            allot__cli_add(text, c, 1);
    allot__cli_add(text, "\"", 1);
}

int allot__cli_sink(void *text, const char *bytes, size_t len)
{
    allot__cli_add(text, bytes, len);
    return ((allot__text *)text)->failed;
}

void allot__cli_text_free(allot__text *text)
{
    if (text->bytes)
        allot_engine_alloc(text->engine, text->bytes, text->capacity, 0);
    text->bytes = NULL;
    text->len = text->capacity = 0;
}
