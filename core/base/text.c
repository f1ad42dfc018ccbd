/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.c: text that grows in memory or goes to a sink in pieces, and JSON written into it. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Bytes collected before a sink gets them. */
enum { PIECE = 65536 };

/* Passes all but the last `rest` bytes to the sink. */
static void flush(allot__text *text, size_t rest)
{
    size_t len = text->len - rest;
    if (len > 0 && !text->failed && text->sink(text->ud, text->bytes, len) != 0) {
        text->failed = true;
        text->status = ALLOT_EIO;
    }
    memmove(text->bytes, text->bytes + len, rest);
    text->len = rest;
}

/* Makes space for `len` more bytes, by passing bytes to the sink or by growing. */
static char *make_room(allot__text *text, size_t len)
{
    if (text->failed || len >= SIZE_MAX - text->len)
        return NULL;
    if (text->sink && text->len > 1 && text->capacity >= (text->engine ? PIECE : 0))
        flush(text, 1);
    size_t need = text->len + len + 1;
    if (need <= text->capacity)
        return text->failed ? NULL : text->bytes + text->len;
    char *bytes = text->engine ? allot__grow(text->engine, text->bytes, &text->capacity,
                                             need < 64 ? 64 : need, 1)
                               : NULL;
    text->failed = !bytes;
    if (!bytes)
        return NULL;
    text->bytes = bytes;
    return bytes + text->len;
}

static inline char *room(allot__text *text, size_t len)
{
    bool fits = len < text->capacity - text->len && !text->failed;
    return fits ? text->bytes + text->len : make_room(text, len);
}

char *allot__text_room(allot__text *text, size_t len)
{
    return room(text, len);
}

void allot__text_add(allot__text *text, const char *bytes, size_t len)
{
    for (; text->sink && !text->engine && len > text->capacity / 2; len -= text->capacity / 2) {
        allot__text_add(text, bytes, text->capacity / 2);
        bytes += text->capacity / 2;
    }
    char *at = room(text, len);
    if (!at)
        return;
    if (len > 0)
        memcpy(at, bytes, len);
    at[len] = '\0';
    text->len += len;
}

int allot__text_end(allot__text *text)
{
    if (text->len > 0)
        flush(text, 0);
    if (!text->failed)
        return ALLOT_OK;
    return text->status != ALLOT_OK ? text->status : ALLOT_ENOMEM;
}

bool allot__text_got(allot__text *text, int status)
{
    if (status == ALLOT_OK)
        return true;
    text->status = text->failed ? text->status : status;
    text->failed = true;
    return false;
}

void allot__text_puts(allot__text *text, const char *string)
{
    allot__text_add(text, string, strlen(string));
}

/* The digits of a number, and a minus, at `at`; returns where they end. At most 20 bytes. */
static inline char *put_digits(char *at, int64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0)
        *at++ = '-';
    do {
        digits[--first] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    memcpy(at, digits + first, sizeof digits - first);
    return at + (sizeof digits - first);
}

static inline void end_at(allot__text *text, char *at)
{
    *at = '\0';
    text->len = (size_t)(at - text->bytes);
}

void allot__text_int(allot__text *text, int64_t number)
{
    char *at = room(text, 20);
    if (at)
        end_at(text, put_digits(at, number));
}

void allot__text_printf(allot__text *text, const char *format, ...)
{
    va_list arguments;
    char small[512];
    va_start(arguments, format);
    int len = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (len < 0) {
        text->failed = true;
        return;
    }
    if ((size_t)len < sizeof small) {
        allot__text_add(text, small, (size_t)len);
        return;
    }
    char *at = allot__text_room(text, (size_t)len);
    if (!at)
        return;
    va_start(arguments, format);
    vsnprintf(at, (size_t)len + 1, format, arguments);
    va_end(arguments);
    text->len += (size_t)len;
}

void allot__text_trim(allot__text *text)
{
    while (text->len > 0 && text->bytes[text->len - 1] == ' ')
        text->len--;
}

void allot__text_puts_safe(allot__text *text, const char *string, size_t len)
{
    size_t start = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)string[i];
        if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
            continue;
        allot__text_add(text, string + start, i - start);
        allot__text_add(text, "?", 1);
        start = i + 1;
    }
    allot__text_add(text, string + start, len - start);
}

int allot__text_sink(void *text, const char *bytes, size_t len)
{
    allot__text_add(text, bytes, len);
    return ((allot__text *)text)->failed;
}

void allot__text_clear(allot__text *text, size_t most)
{
    if (text->capacity > most)
        allot__text_free(text);
    text->len = 0;
    text->failed = false;
}

void allot__text_free(allot__text *text)
{
    allot__free(text->engine, text->bytes, text->capacity, 1);
    *text = (allot__text){.engine = text->engine};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Rows of the table of well-formed UTF-8 (Unicode 3.9, table 3-7): first byte, second byte. */
static size_t utf8_length(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF) {
        *low = lead == 0xE0 ? 0xA0 : 0x80;
        *high = lead == 0xED ? 0x9F : 0xBF;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *low = lead == 0xF0 ? 0x90 : 0x80;
        *high = lead == 0xF4 ? 0x8F : 0xBF;
        return 4;
    }
    return 0;
}

size_t allot__utf8(const char *text, size_t len)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char low, high;
    size_t size = len > 0 ? utf8_length(byte[0], &low, &high) : 0;
    if (size == 0 || size > len)
        return 0;
    if (size > 1 && (byte[1] < low || byte[1] > high))
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    return size;
}

/* The escape of a control character, a quote or a backslash: its length. */
static size_t json_escape(char out[6], unsigned char c)
{
    static const char hex[] = "0123456789abcdef", letters[] = "\"\\\b\f\n\r\t",
                      names[] = "\"\\bfnrt";
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        memcpy(out, (char[]){'\\', names[letter - letters]}, 2);
        return 2;
    }
    memcpy(out, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
    return 6;
}

void allot__text_json_len(allot__text *text, const char *string, size_t len)
{
    size_t from = 0, at = 0;
    allot__text_add(text, "\"", 1);
    while (at < len) {
        unsigned char c = (unsigned char)string[at];
        size_t size = c < 0x80 ? 1 : allot__utf8(string + at, len - at);
        if (size > 0 && c >= 0x20 && c != '"' && c != '\\') {
            at += size;
            continue;
        }
        char escape[6] = "\xEF\xBF\xBD";
        size_t escaped = size > 0 ? json_escape(escape, c) : 3;
        allot__text_add(text, string + from, at - from);
        allot__text_add(text, escape, escaped);
        from = ++at;
    }
    allot__text_add(text, string + from, at - from);
    allot__text_add(text, "\"", 1);
}

void allot__text_json(allot__text *text, const char *string)
{
    if (string)
        allot__text_json_len(text, string, strlen(string));
    else
        allot__text_add(text, "null", 4);
}

static inline bool is_comma_due(const allot__text *text)
{
    char last = text->len > 0 ? text->bytes[text->len - 1] : '{';
    return last != '{' && last != '[' && last != '\n';
}

/* Writes the comma that is due and the key, with space for `more` bytes; its end, or NULL. */
static inline char *put_key(allot__text *text, const char *key, size_t len, size_t more)
{
    char *at = room(text, len + 6 + more);
    if (at && is_comma_due(text))
        at = (char *)memcpy(at, ", ", 2) + 2;
    if (!at || !key)
        return at;
    *at++ = '"';
    memcpy(at, key, len);
    memcpy(at + len, "\": ", 3);
    return at + len + 3;
}

static void key_of(allot__text *text, const char *key, size_t len)
{
    char *at = put_key(text, key, len, 0);
    if (at)
        end_at(text, at);
}

void allot__text_key(allot__text *text, const char *key)
{
    key_of(text, key, key ? strlen(key) : 0);
}

void allot__text_named(allot__text *text, const char *name)
{
    allot__text_key(text, NULL);
    allot__text_json(text, name);
    allot__text_add(text, ": ", 2);
}

void allot__text_named_number(allot__text *text, const char *name, int64_t number)
{
    allot__text_named(text, name);
    allot__text_int(text, number);
}

void allot__text_line(allot__text *text)
{
    allot__text_puts(text, is_comma_due(text) ? ",\n" : "\n");
}

void allot__text_open(allot__text *text, const char *key, const char *bracket)
{
    allot__text_key(text, key);
    allot__text_add(text, bracket, 1);
}

void allot__text_member(allot__text *text, const char *key, const char *string)
{
    if (string)
        allot__text_string(text, key, string);
}

void allot__text_string(allot__text *text, const char *key, const char *string)
{
    allot__text_key(text, key);
    allot__text_json(text, string);
}

static inline void number_of(allot__text *text, const char *key, size_t len, int64_t number)
{
    char *at = put_key(text, key, len, 20);
    if (at)
        end_at(text, put_digits(at, number));
}

void allot__text_number(allot__text *text, const char *key, int64_t number)
{
    number_of(text, key, key ? strlen(key) : 0, number);
}

int64_t allot__number_of(const allot__number *number, const void *thing)
{
    int64_t value;
    memcpy(&value, (const char *)thing + number->at, sizeof value);
    return value;
}

void allot__text_numbers(allot__text *text, const allot__number *numbers, size_t count,
                         const void *thing)
{
    for (size_t i = 0; i < count; i++)
        allot__text_number(text, numbers[i].key, allot__number_of(&numbers[i], thing));
}

void allot__text_bool(allot__text *text, const char *key, bool value)
{
    allot__text_key(text, key);
    allot__text_puts(text, value ? "true" : "false");
}

bool allot__fact_next(const char **names, const allot__fact **facts, allot__named_fact *out)
{
    while (**names) {
        const char *name = *names;
        size_t len = strcspn(name, " ");
        bool flag = name[len - 1] == '?';
        const allot__fact *of = (*facts)++;
        *names += len + (name[len] == ' ');
        *out = (allot__named_fact){name, len - flag, flag, of};
        if (flag ? of->number != 0 : !of->text || *of->text)
            return true;
    }
    return false;
}

void allot__text_facts(allot__text *text, const char *names, const allot__fact *facts)
{
    allot__named_fact it;
    while (allot__fact_next(&names, &facts, &it)) {
        if (!it.flag && !it.of->text) {
            number_of(text, it.name, it.len, it.of->number);
            continue;
        }
        key_of(text, it.name, it.len);
        if (it.flag)
            allot__text_add(text, "true", 4);
        else
            allot__text_json(text, it.of->text);
    }
}

void allot__text_object(allot__text *text, const char *key, const char *names,
                        const allot__fact *facts)
{
    allot__text_open(text, key, "{");
    allot__text_facts(text, names, facts);
    allot__text_add(text, "}", 1);
}

void allot__text_join(allot__text *text, size_t from)
{
    size_t to = from;
    for (size_t i = from; i < text->len; i++) {
        if (text->bytes[i] != '\n') {
            text->bytes[to++] = text->bytes[i];
            continue;
        }
        while (i + 1 < text->len && text->bytes[i + 1] == ' ')
            i++;
        if (to > from && text->bytes[to - 1] == ',')
            text->bytes[to++] = ' ';
    }
    text->len = to;
}
