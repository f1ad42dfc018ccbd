/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* time.c: times as Unix seconds or RFC 3339, without the machine's time zone. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <allot/json.h>

#include "json/text/read.h"

/* Reads exactly `digits` digits; -1: they are not. */
static int32_t digits(const char **text, int digits)
{
    int32_t number = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return -1;
        number = number * 10 + (**text - '0');
    }
    return number;
}

static bool skip(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

static int32_t days_in_month(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar; the year begins in March here, so
 * that the leap day is its last. */
static int64_t days_since_epoch(int32_t year, int32_t month, int32_t day)
{
    int64_t y = (int64_t)year + 400 - (month <= 2);
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468 - 146097;
}

static bool read_date(const char **text, int64_t *days)
{
    int32_t year = digits(text, 4);
    if (year < 0 || !skip(text, '-'))
        return false;
    int32_t month = digits(text, 2);
    if (month < 1 || month > 12 || !skip(text, '-'))
        return false;
    int32_t day = digits(text, 2);
    if (day < 1 || day > days_in_month(year, month))
        return false;
    *days = days_since_epoch(year, month, day);
    return true;
}

/* The second 60 is the leap second, one behind 59. */
static bool read_clock(const char **text, int64_t *seconds)
{
    int32_t hour = digits(text, 2);
    if (hour < 0 || hour > 23 || !skip(text, ':'))
        return false;
    int32_t minute = digits(text, 2);
    if (minute < 0 || minute > 59 || !skip(text, ':'))
        return false;
    int32_t second = digits(text, 2);
    if (second < 0 || second > 60)
        return false;
    if (skip(text, '.')) {
        if (digits(text, 1) < 0)
            return false;
        while (**text >= '0' && **text <= '9')
            (*text)++;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

static bool read_offset(const char **text, int64_t *seconds)
{
    *seconds = 0;
    if (skip(text, 'Z') || skip(text, 'z'))
        return true;
    int32_t sign = skip(text, '+') ? 1 : skip(text, '-') ? -1 : 0;
    if (sign == 0)
        return false;
    int32_t hour = digits(text, 2);
    if (hour < 0 || hour > 23 || !skip(text, ':'))
        return false;
    int32_t minute = digits(text, 2);
    *seconds = sign * (hour * 3600 + minute * 60);
    return minute >= 0 && minute <= 59;
}

bool allot__time_parse(const char *text, int64_t *out)
{
    int64_t days, seconds, offset;
    if (!read_date(&text, &days) || !(skip(&text, 'T') || skip(&text, 't')) ||
        !read_clock(&text, &seconds) || !read_offset(&text, &offset) || *text != '\0')
        return false;
    *out = days * 86400 + seconds - offset;
    return true;
}

bool allot__time_read(allot__doc *doc, const allot__value *value, int64_t *out)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    if (value->kind == ALLOT__INTEGER)
        *out = value->integer;
    if (value->kind != ALLOT__STRING)
        return value->kind == ALLOT__INTEGER;
    if (allot__time_parse(value->string, out))
        return true;
    allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                     "found the string %s, allowed Unix seconds or a time like "
                     "\"2026-01-31T08:00:00+01:00\"",
                     allot__doc_quote(doc, allot__at(value->number), quote));
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
    int64_t first = days_since_epoch(0, 1, 1) * 86400,
            behind = days_since_epoch(10000, 1, 1) * 86400;
    int written;
    if (when < first || when >= behind) {
        written = snprintf(buf, size, "%lld", (long long)when);
        return written > 0 ? (size_t)written : 0;
    }
    int64_t days = when / 86400 - (when % 86400 < 0), second = when - days * 86400;
    int32_t year = (int32_t)(1970 + days * 400 / 146097), month = 12;
    while (days_since_epoch(year, 1, 1) > days)
        year--;
    while (days_since_epoch(year + 1, 1, 1) <= days)
        year++;
    while (days_since_epoch(year, month, 1) > days)
        month--;
    written = snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)year, (int)month,
                       (int)(days - days_since_epoch(year, month, 1) + 1), (int)(second / 3600),
                       (int)(second / 60 % 60), (int)(second % 60));
    return written > 0 ? (size_t)written : 0;
}
