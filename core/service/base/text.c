/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.c: text that grows, and JSON written into it. */
#include "service/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *allot__sv_new(allot_engine *engine, size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size)
        return NULL;
    void *block = allot_engine_alloc(engine, NULL, 0, count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

void allot__sv_free(allot_engine *engine, void *block, size_t count, size_t size)
{
    if (block)
        allot_engine_alloc(engine, block, count * size, 0);
}

char *allot__sv_copy(allot_engine *engine, const char *text, size_t len)
{
    char *copy = allot_engine_alloc(engine, NULL, 0, len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void allot__sv_drop(allot_engine *engine, char *string)
{
    if (string)
        allot_engine_alloc(engine, string, strlen(string) + 1, 0);
}

void *allot__sv_grow(allot_engine *engine, void *block, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return block;
    size_t more = *capacity > 0 ? *capacity : 16;
    while (more < need && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < need || more > SIZE_MAX / size)
        return NULL;
    void *moved = allot_engine_alloc(engine, block, *capacity * size, more * size);
    if (moved)
        *capacity = more;
    return moved;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Room for `len` bytes and a NUL, or NULL. */
static char *room(allot__buf *buf, size_t len)
{
    if (buf->failed || len >= SIZE_MAX - buf->len)
        return NULL;
    char *bytes = allot__sv_grow(buf->engine, buf->bytes, &buf->capacity, buf->len + len + 1, 1);
    if (!bytes) {
        buf->failed = true;
        return NULL;
    }
    buf->bytes = bytes;
    return bytes + buf->len;
}

void allot__buf_add(allot__buf *buf, const char *bytes, size_t len)
{
    char *at = room(buf, len);
    if (!at)
        return;
    if (len > 0)
        memcpy(at, bytes, len);
    at[len] = '\0';
    buf->len += len;
}

void allot__buf_puts(allot__buf *buf, const char *string)
{
    allot__buf_add(buf, string, strlen(string));
}

void allot__buf_int(allot__buf *buf, int64_t number)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--at = '-';
    allot__buf_add(buf, at, (size_t)(digits + sizeof digits - at));
}

void allot__buf_printf(allot__buf *buf, const char *format, ...)
{
    va_list arguments;
    char text[512];
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (len < 0)
        return;
    if ((size_t)len < sizeof text) {
        allot__buf_add(buf, text, (size_t)len);
        return;
    }
    char *at = room(buf, (size_t)len);
    if (!at)
        return;
    va_start(arguments, format);
    vsnprintf(at, (size_t)len + 1, format, arguments);
    va_end(arguments);
    buf->len += (size_t)len;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The length of the UTF-8 sequence at `at`, 0: it is none. */
static size_t sequence(const unsigned char *at, size_t left)
{
    unsigned char c = at[0];
    size_t len = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 4;
    if ((c >= 0x80 && c < 0xC2) || c > 0xF4 || len > left)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] > 0x9F) || (c == 0xF0 && at[1] < 0x90) ||
        (c == 0xF4 && at[1] > 0x8F))
        return 0;
    return len;
}

static void put_escape(allot__buf *buf, unsigned char c)
{
    if (c == '"' || c == '\\') {
        char pair[] = {'\\', (char)c};
        allot__buf_add(buf, pair, 2);
    } else if (c == '\n' || c == '\t') {
        allot__buf_add(buf, c == '\n' ? "\\n" : "\\t", 2);
    } else {
        allot__buf_printf(buf, "\\u%04x", c);
    }
}

void allot__buf_json_len(allot__buf *buf, const char *string, size_t len)
{
    const unsigned char *text = (const unsigned char *)string;
    size_t from = 0, at = 0;
    allot__buf_add(buf, "\"", 1);
    while (at < len) {
        size_t size = sequence(text + at, len - at);
        if (size > 0 && text[at] >= 0x20 && text[at] != '"' && text[at] != '\\') {
            at += size;
            continue;
        }
        allot__buf_add(buf, string + from, at - from);
        if (size > 0)
            put_escape(buf, text[at]);
        else
            allot__buf_add(buf, "\xEF\xBF\xBD", 3);
        from = ++at;
    }
    allot__buf_add(buf, string + from, at - from);
    allot__buf_add(buf, "\"", 1);
}

void allot__buf_json(allot__buf *buf, const char *string)
{
    if (string)
        allot__buf_json_len(buf, string, strlen(string));
    else
        allot__buf_add(buf, "null", 4);
}

void allot__buf_path(allot__buf *buf, const allot_plan *plan, int32_t consumer)
{
    allot__buf_add(buf, "\"", 1);
    size_t left = 512;
    char *at = room(buf, left);
    if (!at)
        return;
    size_t len = allot_plan_path(plan, consumer, at, left);
    if (len >= left) {
        at = room(buf, len);
        if (!at)
            return;
        allot_plan_path(plan, consumer, at, len + 1);
    }
    buf->len += len;
    allot__buf_add(buf, "\"", 1); /* names need no escapes (E-1) */
}

void allot__buf_key(allot__buf *buf, const char *key)
{
    char last = buf->len > 0 ? buf->bytes[buf->len - 1] : '{';
    if (last != '{' && last != '[')
        allot__buf_add(buf, ", ", 2);
    if (key) {
        allot__buf_add(buf, "\"", 1);
        allot__buf_puts(buf, key);
        allot__buf_add(buf, "\": ", 3);
    }
}

void allot__buf_open(allot__buf *buf, const char *key, const char *bracket)
{
    allot__buf_key(buf, key);
    allot__buf_puts(buf, bracket);
}

void allot__buf_member(allot__buf *buf, const char *key, const char *string)
{
    if (!string)
        return;
    allot__buf_key(buf, key);
    allot__buf_json(buf, string);
}

void allot__buf_number(allot__buf *buf, const char *key, int64_t number)
{
    allot__buf_key(buf, key);
    allot__buf_int(buf, number);
}

void allot__buf_bool(allot__buf *buf, const char *key, bool value)
{
    allot__buf_key(buf, key);
    allot__buf_puts(buf, value ? "true" : "false");
}

int allot__buf_sink(void *buf, const char *bytes, size_t len)
{
    allot__buf_add(buf, bytes, len);
    return ((allot__buf *)buf)->failed;
}

void allot__buf_clear(allot__buf *buf, size_t most)
{
    if (buf->capacity > most)
        allot__buf_free(buf);
    buf->len = 0;
    buf->failed = false;
}

void allot__buf_free(allot__buf *buf)
{
    allot__sv_free(buf->engine, buf->bytes, buf->capacity, 1);
    *buf = (allot__buf){.engine = buf->engine};
}
