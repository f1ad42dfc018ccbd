/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* token.c: the tokens of JSON, strictly checked. */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "json/text/scan.h"

/* Numbers of more digits than this before the point are beyond a double. */
#define MAGNITUDE_MAX 308

int allot__scan_flaw(allot__scan *scan, const char *code, size_t at, size_t width,
                     const char *format, ...)
{
    allot__flaw *flaw = &scan->flaw;
    flaw->code = code;
    flaw->at = at;
    flaw->width = width;
    va_list args;
    va_start(args, format);
    vsnprintf(flaw->message, sizeof flaw->message, format, args);
    va_end(args);
    return ALLOT_EINVALID;
}

static int bad_utf8(allot__scan *scan, size_t at)
{
    return allot__scan_flaw(scan, "E-utf8", at, 1,
                            "found the byte 0x%02x, which is not UTF-8 here; "
                            "documents are UTF-8",
                            (unsigned char)scan->text[at]);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '+' || c == '-' || c == '.';
}

static int unexpected_word(allot__scan *scan, size_t at, size_t width, const char *expected)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *near = allot_nearest(scan->text + at, width, words, 3);
    if (near)
        scan->flaw.hint = near == words[0]   ? "did you mean true?"
                          : near == words[1] ? "did you mean false?"
                                             : "did you mean null?";
    return allot__scan_flaw(scan, "E-syntax", at, width, "found \"%.*s\"%s, expected %s",
                            (int)(width < 40 ? width : 40), scan->text + at,
                            width > 40 ? "..." : "", expected);
}

int allot__scan_unexpected(allot__scan *scan, size_t at, const char *expected)
{
    if (at >= scan->len)
        return allot__scan_flaw(scan, "E-syntax", scan->len, 1,
                                "found the end of the document, expected %s", expected);
    const char *text = scan->text + at;
    size_t width = 0;
    while (at + width < scan->len && is_word(text[width]))
        width++;
    if (width > 0)
        return unexpected_word(scan, at, width, expected);
    if ((unsigned char)*text < 0x20 || *text == 0x7F)
        return allot__scan_flaw(scan, "E-syntax", at, 1,
                                "found the control character 0x%02x, expected %s",
                                (unsigned char)*text, expected);
    size_t size = allot__utf8(text, scan->len - at);
    if (size == 0)
        return bad_utf8(scan, at);
    if (*text == '\'')
        scan->flaw.hint = "strings stand in double quotes";
    if (*text == '"')
        return allot__scan_flaw(scan, "E-syntax", at, 1, "found a string, expected %s", expected);
    return allot__scan_flaw(scan, "E-syntax", at, size, "found \"%.*s\", expected %s", (int)size,
                            text, expected);
}

/* Moves *end past the comment that begins at `at`. */
static int comment_end(allot__scan *scan, size_t at, size_t *end)
{
    const char *text = scan->text;
    bool line = text[at + 1] == '/';
    size_t i = at + 2;
    while (i < scan->len) {
        if (line && text[i] == '\n')
            break;
        if (!line && text[i] == '*' && i + 1 < scan->len && text[i + 1] == '/') {
            *end = i + 2;
            return ALLOT_OK;
        }
        size_t size = allot__utf8(text + i, scan->len - i);
        if (size == 0)
            return bad_utf8(scan, i);
        i += size;
    }
    *end = i;
    if (line)
        return ALLOT_OK;
    return allot__scan_flaw(scan, "E-syntax", at, 2, "found a comment that does not end");
}

int allot__scan_blank(allot__scan *scan, size_t *at)
{
    char *text = scan->text;
    for (;;) {
        while (text[*at] == ' ' || text[*at] == '\n' || text[*at] == '\r' || text[*at] == '\t')
            (*at)++;
        if (text[*at] != '/' || (text[*at + 1] != '/' && text[*at + 1] != '*'))
            return ALLOT_OK;
        if (!scan->relaxed)
            return allot__scan_flaw(scan, "E-syntax", *at, 2,
                                    "found a comment; only plans may have them");
        size_t end = 0;
        int status = comment_end(scan, *at, &end);
        if (status != ALLOT_OK)
            return status;
        for (; *at < end; (*at)++)
            if (text[*at] != '\n' && text[*at] != '\r')
                text[*at] = ' ';
    }
}

/* The four hex digits at `at`, or -1. */
static int32_t hex4(const char *text)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = text[i];
        if (is_digit(c))
            unit = unit * 16 + (c - '0');
        else if (c >= 'a' && c <= 'f')
            unit = unit * 16 + (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            unit = unit * 16 + (c - 'A' + 10);
        else
            return -1; /* the NUL behind the text included */
    }
    return unit;
}

static int unicode_escape(allot__scan *scan, size_t *at)
{
    const char *text = scan->text + *at;
    int32_t unit = hex4(text + 2);
    if (unit < 0)
        return allot__scan_flaw(scan, "E-syntax", *at, 2,
                                "found \"\\u\" without four hex digits behind it");
    if (unit == 0)
        return allot__scan_flaw(scan, "E-syntax", *at, 6, "found \"\\u0000\", which no text holds");
    bool high = unit >= 0xD800 && unit <= 0xDBFF;
    int32_t next = high && text[6] == '\\' && text[7] == 'u' ? hex4(text + 8) : -1;
    bool paired = next >= 0xDC00 && next <= 0xDFFF;
    if (unit >= 0xD800 && unit <= 0xDFFF && !paired)
        return allot__scan_flaw(scan, "E-syntax", *at, 6,
                                "found \"%.6s\", half of a surrogate pair without the other half",
                                text);
    *at += high ? 12 : 6;
    return ALLOT_OK;
}

static int escape(allot__scan *scan, size_t *at)
{
    char c = scan->text[*at + 1];
    if (c == 'u')
        return unicode_escape(scan, at);
    if (c == '\0' || !strchr("\"\\/bfnrt", c)) {
        scan->flaw.hint = "a backslash itself is written \\\\";
        return allot__scan_flaw(scan, "E-syntax", *at, 1,
                                "found a backslash that begins no escape of JSON");
    }
    *at += 2;
    return ALLOT_OK;
}

/* Moves *at to the quote that ends the string there; *escapes: it has some. */
static int string_end(allot__scan *scan, size_t *at, bool *escapes)
{
    const char *text = scan->text;
    size_t i = *at + 1;
    while (text[i] != '"') {
        int status = ALLOT_OK;
        unsigned char c = (unsigned char)text[i];
        if (i >= scan->len || c == '\n')
            return allot__scan_flaw(scan, "E-syntax", *at, 1,
                                    "found a string that does not end on its line");
        if (c < 0x20)
            return allot__scan_flaw(scan, "E-syntax", i, 1,
                                    "found the control character 0x%02x in a string; "
                                    "write \\u%04x",
                                    c, c);
        size_t size = c < 0x80 ? 1 : allot__utf8(text + i, scan->len - i);
        if (size == 0)
            return bad_utf8(scan, i);
        *escapes = *escapes || c == '\\';
        if (c == '\\')
            status = escape(scan, &i);
        else
            i += size;
        if (status != ALLOT_OK)
            return status;
    }
    *at = i;
    return ALLOT_OK;
}

int allot__scan_string(allot__scan *scan, size_t *at)
{
    char *text = scan->text + *at;
    bool escapes = false;
    int status = string_end(scan, at, &escapes);
    if (status != ALLOT_OK)
        return status;
    char *end = scan->text + (*at)++;
    if (escapes) {
        cJSON *node = cJSON_ParseWithLength(text, (size_t)(end + 1 - text));
        if (!node) /* the string is well-formed, so memory is lacking */
            return ALLOT_ENOMEM;
        end = text + 1 + strlen(node->valuestring);
        memcpy(text + 1, node->valuestring, (size_t)(end - text - 1));
        cJSON_Delete(node);
    }
    *end = '\0';
    return ALLOT_OK;
}

/* Moves *at past digits; returns their number. */
static size_t digits(const char *text, size_t *at)
{
    size_t first = *at;
    while (is_digit(text[*at]))
        (*at)++;
    return *at - first;
}

/* Digits before the point once the exponent (its offset; 0: none) is applied, cut at 9999. */
static int32_t magnitude(const char *text, size_t whole, size_t exponent)
{
    bool down = text[exponent] == '-';
    int32_t power = 0;
    if (exponent == 0)
        return (int32_t)(whole < 9999 ? whole : 9999);
    for (size_t i = exponent + (down || text[exponent] == '+'); is_digit(text[i]); i++)
        if (power < 9999)
            power = power * 10 + (text[i] - '0');
    return (int32_t)(whole < 9999 ? whole : 9999) + (down ? -power : power);
}

int allot__scan_number(allot__scan *scan, size_t *at)
{
    const char *text = scan->text;
    size_t i = *at + (text[*at] == '-');
    size_t first = i, exponent = 0;
    size_t whole = digits(text, &i);
    if (whole == 0)
        return allot__scan_unexpected(scan, *at, "a value");
    if (whole > 1 && text[first] == '0')
        return allot__scan_flaw(scan, "E-syntax", *at, i - *at,
                                "found the number %.*s, expected one without leading zeros",
                                (int)(i - *at < 40 ? i - *at : 40), text + *at);
    if (text[i] == '.') {
        i++;
        if (digits(text, &i) == 0)
            return allot__scan_unexpected(scan, i, "a digit after the decimal point");
    }
    if (text[i] == 'e' || text[i] == 'E') {
        exponent = ++i;
        i += text[i] == '+' || text[i] == '-';
        if (digits(text, &i) == 0)
            return allot__scan_unexpected(scan, i, "a digit in the exponent");
    }
    if (i - *at > ALLOT__NUMBER_MAX)
        return allot__scan_flaw(scan, "E-range", *at, i - *at,
                                "found a number of %zu characters, allowed %d", i - *at,
                                ALLOT__NUMBER_MAX);
    if (magnitude(text, whole, exponent) > MAGNITUDE_MAX)
        return allot__scan_flaw(scan, "E-range", *at, i - *at,
                                "found the number %.*s, allowed numbers below 1e308",
                                (int)(i - *at), text + *at);
    *at = i;
    return ALLOT_OK;
}

int allot__scan_word(allot__scan *scan, size_t *at)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *text = scan->text + *at;
    for (size_t i = 0; i < 3; i++) {
        size_t len = strlen(words[i]);
        if (strncmp(text, words[i], len) == 0 && !is_word(text[len])) {
            *at += len;
            return ALLOT_OK;
        }
    }
    return allot__scan_unexpected(scan, *at, "a value");
}
