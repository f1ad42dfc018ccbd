/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* time.c: times as Unix seconds or RFC 3339, without the machine's time zone. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>

#include "base/calendar.h"
#include "json/text/read.h"

/* Moves *text past a text of that form: 'd' is a digit of a number, which the next letter of the
 * form ends; 'T' may be lower case. False: another form. */
static bool read_form(const char **text, const char *form, int32_t *numbers)
{
    for (; *form != '\0'; form++, (*text)++) {
        char c = **text;
        if (*form != 'd') {
            numbers++;
            if (c != *form && (*form != 'T' || c != 't'))
                return false;
        } else if (c < '0' || c > '9') {
            return false;
        } else {
            *numbers = *numbers * 10 + (c - '0');
        }
    }
    return true;
}

static bool read_offset(const char **text, int64_t *seconds)
{
    int32_t numbers[2] = {0};
    char sign = *(*text)++;
    *seconds = 0;
    if (sign == 'Z' || sign == 'z')
        return true;
    if ((sign != '+' && sign != '-') || !read_form(text, "dd:dd", numbers) || numbers[0] > 23 ||
        numbers[1] > 59)
        return false;
    *seconds = (sign == '-' ? -1 : 1) * (numbers[0] * 3600 + numbers[1] * 60);
    return true;
}

/* Second 60 is the leap second, the one after 59. */
bool allot__time_parse(const char *text, int64_t *out)
{
    enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, NUMBERS };
    int32_t of[NUMBERS] = {0};
    int64_t offset;
    if (!read_form(&text, "dddd-dd-ddTdd:dd:dd", of) || of[MONTH] < 1 || of[MONTH] > 12 ||
        of[DAY] < 1 || of[HOUR] > 23 || of[MINUTE] > 59 || of[SECOND] > 60 ||
        allot__days(of[YEAR], of[MONTH], of[DAY]) >= allot__days(of[YEAR], of[MONTH] + 1, 1))
        return false;
    if (*text == '.') {
        size_t digits = strspn(++text, "0123456789");
        if (digits == 0)
            return false;
        text += digits;
    }
    if (!read_offset(&text, &offset) || *text != '\0')
        return false;
    *out = allot__days(of[YEAR], of[MONTH], of[DAY]) * 86400 + of[HOUR] * 3600 + of[MINUTE] * 60 +
           of[SECOND] - offset;
    return true;
}

bool allot__time_read(allot__doc *doc, const allot__value *value, int64_t *out)
{
    if (value->kind == ALLOT__INTEGER)
        *out = value->integer;
    if (value->kind != ALLOT__STRING)
        return value->kind == ALLOT__INTEGER;
    if (allot_time_read(value->string, out) == ALLOT_OK)
        return true;
    allot__doc_found(doc, allot__at(value->number), "E-range", NULL, "the string ",
                     ", allowed Unix seconds or a time like \"2026-01-31T08:00:00+01:00\"");
    return false;
}

int allot_time_read(const char *text, int64_t *out)
{
    if (!text || !out)
        return ALLOT_EUSAGE;
    if (allot__time_parse(text, out))
        return ALLOT_OK;
    bool number =
        text[0] == '-' ? text[1] >= '0' && text[1] <= '9' : text[0] >= '0' && text[0] <= '9';
    char *end;
    errno = 0;
    long long seconds = number ? strtoll(text, &end, 10) : 0;
    if (!number || *end != '\0' || errno != 0)
        return ALLOT_EINVALID;
    *out = seconds;
    return ALLOT_OK;
}

size_t allot_time_text(int64_t when, char *buf, size_t size)
{
    int64_t first = allot__days(0, 1, 1) * 86400, behind = allot__days(10000, 1, 1) * 86400;
    int written;
    if (when < first || when >= behind) {
        written = snprintf(buf, size, "%lld", (long long)when);
        return written > 0 ? (size_t)written : 0;
    }
    int64_t days = allot__floor_div(when, 86400), second = when - days * 86400;
    int32_t year = (int32_t)allot__year_of(days), month = 12;
    while (allot__days(year, month, 1) > days)
        month--;
    written = snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)year, (int)month,
                       (int)(days - allot__days(year, month, 1) + 1), (int)(second / 3600),
                       (int)(second / 60 % 60), (int)(second % 60));
    return written > 0 ? (size_t)written : 0;
}
