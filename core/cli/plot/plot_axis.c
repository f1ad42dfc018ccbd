/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_axis.c: where the axes of a picture have marks, and how they read. */
#include "cli/plot/plot_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HOUR   3600
#define DAY    86400
#define YEARS  (10 * 365 * (int64_t)DAY) /* from here on times are Unix seconds */
#define LABELS 13
#define MONDAY (4 * DAY) /* the first one of Unix time */

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static struct tm date_of(int64_t at)
{
    time_t when = (time_t)at;
    struct tm date = {0};
    gmtime_r(&when, &date);
    return date;
}

/* When a month begins, counted from that of the year 0. */
static int64_t month_begins(int64_t month)
{
    int64_t year = month / 12, of = month % 12;
    int64_t y = of < 2 ? year - 1 : year;
    int64_t days = (153 * ((of + 10) % 12) + 2) / 5; /* since 1 March */
    return (365 * y + y / 4 - y / 100 + y / 400 + days - 719468) * DAY;
}

static int64_t month_of(int64_t at)
{
    struct tm date = date_of(at);
    return ((int64_t)date.tm_year + 1900) * 12 + date.tm_mon;
}

static void label(int64_t at, int64_t step, char *buf, size_t size)
{
    struct tm date = date_of(at);
    int year = date.tm_year + 1900;
    const char *month = months[date.tm_mon % 12];
    if (step % DAY != 0 && at % DAY != 0)
        snprintf(buf, size, "%02d:%02d", date.tm_hour, date.tm_min);
    else
        snprintf(buf, size, "%d %s", date.tm_mday, month);
    if (step >= 365 * DAY)
        snprintf(buf, size, "%d", year);
    else if (step >= 28 * DAY)
        snprintf(buf, size, "%s %d", month, year);
}

static void label_since(int64_t at, int64_t step, char *buf, size_t size)
{
    if (step % DAY == 0)
        snprintf(buf, size, "%" PRId64 " d", at / DAY);
    else if (step % HOUR == 0)
        snprintf(buf, size, "%" PRId64 " h", at / HOUR);
    else if (step % 60 == 0)
        snprintf(buf, size, "%" PRId64 " min", at / 60);
    else
        snprintf(buf, size, "%" PRId64 " s", at);
}

static int64_t rounded_up(int64_t at, int64_t step, int64_t from)
{
    int64_t rest = (at - from) % step;
    return rest == 0 ? at : at - rest + (rest > 0 ? step : 0);
}

static int month_ticks(int64_t first, int64_t last, allot__tick *ticks)
{
    static const int64_t steps[] = {1, 2, 3, 6, 12, 24, 60, 120, 600, 1200};
    size_t pick = 0;
    while (pick + 1 < sizeof steps / sizeof *steps &&
           (last - first) / (steps[pick] * 30 * DAY) > LABELS)
        pick++;
    int count = 0;
    for (int64_t month = rounded_up(month_of(first), steps[pick], 0);
         count < PICTURE_TICKS && month_begins(month) <= last; month += steps[pick]) {
        int64_t at = month_begins(month);
        if (at < first)
            continue;
        ticks[count].at = at;
        label(at, steps[pick] * 31 * DAY, ticks[count].label, sizeof ticks->label);
        count++;
    }
    return count;
}

int allot__axis_ticks(int64_t first, int64_t last, allot__tick ticks[PICTURE_TICKS])
{
    static const int64_t steps[] = {1,        2,         5,    10,      30,       60,
                                    300,      600,       1800, HOUR,    2 * HOUR, 3 * HOUR,
                                    6 * HOUR, 12 * HOUR, DAY,  2 * DAY, 7 * DAY,  14 * DAY};
    static const int64_t further = 30 * DAY;
    bool since = first < YEARS;
    size_t pick = 0, count_of = sizeof steps / sizeof *steps;
    while (pick < count_of && (last - first) / steps[pick] > LABELS)
        pick++;
    if (pick == count_of && !since)
        return month_ticks(first, last, ticks);
    int64_t step = pick < count_of ? steps[pick] : further;
    while ((last - first) / step > LABELS)
        step *= 2;
    int64_t from = !since && step % (7 * DAY) == 0 ? MONDAY : 0;
    int count = 0;
    for (int64_t at = rounded_up(first, step, from); at <= last && count < PICTURE_TICKS;
         at += step, count++) {
        ticks[count].at = at;
        (since ? label_since : label)(at, step, ticks[count].label, sizeof ticks->label);
    }
    return count;
}

void allot__axis_title(int64_t first, int64_t last, char *buf, size_t size)
{
    if (first < YEARS) {
        snprintf(buf, size, "time since the log's start");
        return;
    }
    struct tm from = date_of(first), to = date_of(last);
    int len = snprintf(buf, size, "time (UTC), %d %s %d", from.tm_mday, months[from.tm_mon % 12],
                       from.tm_year + 1900);
    bool same = first / DAY == last / DAY;
    if (!same && len > 0 && (size_t)len < size)
        snprintf(buf + len, size - (size_t)len, " to %d %s %d", to.tm_mday, months[to.tm_mon % 12],
                 to.tm_year + 1900);
}

void allot__axis_duration(int64_t seconds, char *buf, size_t size)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{DAY, "d"}, {HOUR, "h"}, {60, "min"}, {1, "s"}};
    size_t pick = 0;
    while (seconds % units[pick].seconds != 0)
        pick++;
    snprintf(buf, size, "%" PRId64 " %s", seconds / units[pick].seconds, units[pick].name);
}

int64_t allot__axis_step(int64_t most)
{
    static const int64_t leaps[] = {1, 2, 5};
    for (int64_t power = 1; power <= INT64_MAX / 100; power *= 10)
        for (size_t i = 0; i < 3; i++)
            if (most / (leaps[i] * power) <= 5)
                return leaps[i] * power;
    return most;
}
