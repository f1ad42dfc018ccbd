/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* writer.c: JSON text into a sink, through a buffer. */
#include "json/text/writer.h"

#include <string.h>

#include "json/text/scan.h"
#include "base/text.h"

static void flush(allot__writer *writer)
{
    if (writer->len > 0 && writer->status == ALLOT_OK &&
        writer->sink(writer->ud, writer->buf, writer->len) != 0)
        writer->status = ALLOT_EIO;
    writer->len = 0;
}

int allot__write_end(allot__writer *writer)
{
    flush(writer);
    return writer->status;
}

bool allot__write_got(allot__writer *writer, int status)
{
    if (writer->status == ALLOT_OK)
        writer->status = status;
    return status == ALLOT_OK;
}

void allot__write_raw(allot__writer *writer, const char *text, size_t len)
{
    while (len > writer->size - writer->len) {
        size_t part = writer->size - writer->len;
        memcpy(writer->buf + writer->len, text, part);
        writer->len += part;
        text += part;
        len -= part;
        flush(writer);
    }
    memcpy(writer->buf + writer->len, text, len);
    writer->len += len;
}

/* Room for `need` bytes in one piece, ALLOT__WRITER_MIN at most. */
static char *room(allot__writer *writer, size_t need)
{
    if (need > writer->size - writer->len)
        flush(writer);
    return writer->buf + writer->len;
}

/* A comma where one is due, then the key. */
static void begin(allot__writer *writer, const char *key)
{
    size_t len = key ? strlen(key) : 0;
    char *at = room(writer, ALLOT__KEY_MAX + 6), *first = at;
    if (writer->inside) {
        *at++ = ',';
        *at++ = ' ';
    }
    if (key && len <= ALLOT__KEY_MAX) {
        *at++ = '"';
        memcpy(at, key, len);
        at += len;
        *at++ = '"';
        *at++ = ':';
        *at++ = ' ';
    }
    writer->len += (size_t)(at - first);
    writer->inside = true;
}

void allot__write_open(allot__writer *writer, const char *key, char bracket)
{
    begin(writer, key);
    allot__write_raw(writer, &bracket, 1);
    writer->inside = false;
}

void allot__write_close(allot__writer *writer, char bracket)
{
    allot__write_raw(writer, &bracket, 1);
    writer->inside = true;
}

static void number_text(allot__writer *writer, int64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    char *out = room(writer, sizeof digits + 1);
    if (number < 0) {
        *out++ = '-';
        writer->len++;
    }
    memcpy(out, digits + at, sizeof digits - at);
    writer->len += sizeof digits - at;
}

void allot__write_integer(allot__writer *writer, const char *key, int64_t number)
{
    begin(writer, key);
    number_text(writer, number);
}

void allot__write_boolean(allot__writer *writer, const char *key, bool value)
{
    begin(writer, key);
    allot__write_raw(writer, value ? "true" : "false", value ? 4 : 5);
}

static void quoted(allot__writer *writer, const char *text)
{
    size_t len = strlen(text), from = 0, at = 0;
    allot__write_raw(writer, "\"", 1);
    while (at < len) {
        unsigned char c = (unsigned char)text[at];
        size_t size = c < 0x80 ? 1 : allot__utf8(text + at, len - at);
        if (size > 0 && c >= 0x20 && c != '"' && c != '\\') {
            at += size;
            continue;
        }
        char escape[6] = "\xEF\xBF\xBD";
        size_t escaped = size > 0 ? allot__json_escape(escape, c) : 3;
        allot__write_raw(writer, text + from, at - from);
        allot__write_raw(writer, escape, escaped);
        from = ++at;
    }
    allot__write_raw(writer, text + from, len - from);
    allot__write_raw(writer, "\"", 1);
}

void allot__write_string(allot__writer *writer, const char *key, const char *text)
{
    begin(writer, key);
    if (!text)
        allot__write_raw(writer, "null", 4);
    else
        quoted(writer, text);
}

/* A path that no buffer holds. */
static void long_path(allot__writer *writer, const allot_plan *plan, int32_t consumer, size_t len)
{
    allot_engine *engine = allot_plan_engine(plan);
    char *path = allot_engine_alloc(engine, NULL, 0, len + 1);
    if (!path) {
        writer->status = ALLOT_ENOMEM;
        return;
    }
    allot_plan_path(plan, consumer, path, len + 1);
    allot__write_raw(writer, path, len);
    allot_engine_alloc(engine, path, len + 1, 0);
}

static void quoted_path(allot__writer *writer, const allot_plan *plan, int32_t consumer)
{
    allot__write_raw(writer, "\"", 1);
    size_t room = writer->size - writer->len;
    size_t len = allot_plan_path(plan, consumer, writer->buf + writer->len, room);
    if (len >= room) {
        flush(writer);
        room = writer->size;
        len = allot_plan_path(plan, consumer, writer->buf, room);
    }
    if (len < room)
        writer->len += len;
    else
        long_path(writer, plan, consumer, len);
    allot__write_raw(writer, "\"", 1); /* names need no escapes (E-1) */
}

void allot__write_path(allot__writer *writer, const char *key, const allot_plan *plan,
                       int32_t consumer)
{
    begin(writer, key);
    quoted_path(writer, plan, consumer);
}

void allot__write_path_open(allot__writer *writer, const allot_plan *plan, int32_t consumer,
                            char bracket)
{
    begin(writer, NULL);
    quoted_path(writer, plan, consumer);
    allot__write_raw(writer, ": ", 2);
    allot__write_raw(writer, &bracket, 1);
    writer->inside = false;
}

void allot__write_thousandths(allot__writer *writer, const char *key, int64_t number)
{
    char digits[4] = {'.', (char)('0' + number / 100 % 10), (char)('0' + number / 10 % 10),
                      (char)('0' + number % 10)};
    allot__write_integer(writer, key, number / 1000);
    if (number % 1000 != 0)
        allot__write_raw(writer, digits, sizeof digits);
}

void allot__write_named_open(allot__writer *writer, const char *name, char bracket)
{
    begin(writer, NULL);
    quoted(writer, name);
    allot__write_raw(writer, ": ", 2);
    allot__write_raw(writer, &bracket, 1);
    writer->inside = false;
}

void allot__write_named_integer(allot__writer *writer, const char *name, int64_t number)
{
    begin(writer, NULL);
    quoted(writer, name);
    allot__write_raw(writer, ": ", 2);
    number_text(writer, number);
}

void allot__write_line(allot__writer *writer)
{
    if (writer->inside)
        allot__write_raw(writer, ",", 1);
    allot__write_raw(writer, "\n", 1);
    writer->inside = false;
}
