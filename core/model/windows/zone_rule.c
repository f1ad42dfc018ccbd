/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone_rule.c: POSIX TZ rules, which apply after the end of a zone's table. */
#include <string.h>

#include "model/windows/zone.h"

enum { DAY = 86400, HOURS_MAX = 167 };

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct input {
    const char *at, *end;
} input;

static char peek(const input *in)
{
    return in->at < in->end ? *in->at : '\0';
}

static bool skip(input *in, char c)
{
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

/* Reads one to `most` digits with a value in least ... max; -1: there is no such number. */
static int32_t number(input *in, int most, int32_t least, int32_t max)
{
    int32_t value = 0;
    const char *from = in->at;
    while (in->at - from < most && peek(in) >= '0' && peek(in) <= '9')
        value = value * 10 + (*in->at++ - '0');
    return in->at > from && value >= least && value <= max ? value : -1;
}

/* "EST" or "<-03>": three characters at least. */
static bool read_name(input *in)
{
    bool quoted = skip(in, '<');
    const char *from = in->at;
    for (;; in->at++) {
        char c = peek(in);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '+' || c == '-';
        if (!letter && !(quoted && other))
            break;
    }
    return in->at - from >= 3 && (!quoted || skip(in, '>'));
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool read_time(input *in, int32_t hours_max, int32_t *out)
{
    int32_t sign = skip(in, '-') ? -1 : 1;
    if (sign == 1)
        skip(in, '+');
    int32_t hours = number(in, 3, 0, hours_max), minutes = 0, seconds = 0;
    if (hours >= 0 && skip(in, ':')) {
        minutes = number(in, 2, 0, 59);
        if (minutes >= 0 && skip(in, ':'))
            seconds = number(in, 2, 0, 59);
    }
    *out = sign * (hours * 3600 + minutes * 60 + seconds);
    return hours >= 0 && minutes >= 0 && seconds >= 0;
}

/* Reads an offset, which counts west of UTC there. */
static bool read_offset(input *in, int32_t *out)
{
    bool sound = read_time(in, 24, out);
    *out = -*out;
    return sound;
}

static bool read_day(input *in, allot__rule_day *out)
{
    *out = (allot__rule_day){.kind = 'N', .time = 2 * 3600};
    bool sound;
    if (skip(in, 'M')) {
        out->kind = 'M';
        out->month = number(in, 2, 1, 12);
        sound = out->month > 0 && skip(in, '.');
        out->week = sound ? number(in, 1, 1, 5) : -1;
        sound = out->week > 0 && skip(in, '.');
        out->day = sound ? number(in, 1, 0, 6) : -1;
    } else {
        bool julian = skip(in, 'J');
        out->kind = julian ? 'J' : 'N';
        out->day = number(in, 3, julian, 365);
    }
    sound = out->day >= 0;
    return sound && (!skip(in, '/') || read_time(in, HOURS_MAX, &out->time));
}

bool allot__rule_read(const char *text, size_t len, allot__zone_rule *out)
{
    input in = {text, text + len};
    allot__zone_rule rule = {.stated = len > 0};
    if (len == 0) {
        *out = rule;
        return true;
    }
    if (!read_name(&in) || !read_offset(&in, &rule.standard))
        return false;
    if (in.at < in.end) {
        rule.saving = true;
        rule.daylight = rule.standard + 3600;
        if (!read_name(&in) || (peek(&in) != ',' && !read_offset(&in, &rule.daylight)) ||
            !skip(&in, ',') || !read_day(&in, &rule.begin) || !skip(&in, ',') ||
            !read_day(&in, &rule.end) || in.at < in.end)
            return false;
    }
    *out = rule;
    return true;
}

/* ---- Calendar -------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static bool leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 to 1 January. */
static int64_t year_begin(int64_t year)
{
    int64_t y = year - 1;
    return y * 365 + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) - 719162;
}

static int64_t year_of(int64_t days)
{
    int64_t year = 1970 + floor_div(days * 400, 146097);
    while (year_begin(year) > days)
        year--;
    while (year_begin(year + 1) <= days)
        year++;
    return year;
}

/* Days from 1 January to the first of a month, 1 ... 13. */
static int32_t month_begin(int64_t year, int32_t month)
{
    static const int16_t days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return days[month - 1] + (month > 2 && leap(year));
}

/* The day of a rule in a year, from 1970-01-01 on. 1970-01-01 was a Thursday, weekday 4. */
static int64_t rule_day(const allot__rule_day *day, int64_t year)
{
    int64_t begin = year_begin(year);
    if (day->kind == 'N')
        return begin + day->day;
    if (day->kind == 'J')
        return begin + day->day - 1 + (day->day >= 60 && leap(year));
    int64_t first = begin + month_begin(year, day->month);
    int64_t behind = begin + month_begin(year, day->month + 1);
    int64_t weekday = first + 4 - 7 * floor_div(first + 4, 7);
    int64_t found = first + (day->day - weekday + 7) % 7 + 7 * (day->week - 1);
    return found < behind ? found : found - 7;
}

/* ---- When ------------------------------------------------------------------------------------ */

/* The year of a time; the years around it are looked at too, so that a change near New Year is
 * seen. Times so far off that a year around them does not fit 64 bits are capped. */
static int64_t year_at(const allot__zone_rule *rule, int64_t *when)
{
    const int64_t most = INT64_MAX - 4000LL * DAY;
    *when = *when > most ? most : *when < -most ? -most : *when;
    return year_of(floor_div(*when + rule->standard, DAY));
}

static int64_t begin_in(const allot__zone_rule *rule, int64_t year)
{
    return rule_day(&rule->begin, year) * DAY + rule->begin.time - rule->standard;
}

static int64_t end_in(const allot__zone_rule *rule, int64_t year)
{
    return rule_day(&rule->end, year) * DAY + rule->end.time - rule->daylight;
}

/* The last change decides; if saving ends at the moment when it begins again, it continues. */
int32_t allot__rule_offset(const allot__zone_rule *rule, int64_t when)
{
    if (!rule->saving)
        return rule->standard;
    int64_t year = year_at(rule, &when), last = INT64_MIN;
    int32_t offset = rule->standard;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        int64_t begin = begin_in(rule, y), end = end_in(rule, y);
        if (end <= when && end > last) {
            last = end;
            offset = rule->standard;
        }
        if (begin <= when && begin >= last) {
            last = begin;
            offset = rule->daylight;
        }
    }
    return offset;
}

int64_t allot__rule_until(const allot__zone_rule *rule, int64_t when)
{
    if (!rule->saving)
        return INT64_MAX;
    int64_t year = year_at(rule, &when), next = INT64_MAX;
    for (int64_t y = year - 1; y <= year + 2; y++) {
        int64_t begin = begin_in(rule, y), end = end_in(rule, y);
        next = begin > when && begin < next ? begin : next;
        next = end > when && end < next ? end : next;
    }
    return next;
}
