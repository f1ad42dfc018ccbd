/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* calendar.h: the proleptic Gregorian calendar, without leap seconds. */
#ifndef ALLOT_BASE_CALENDAR_H
#define ALLOT_BASE_CALENDAR_H

#include <stdint.h>

static inline int64_t allot__floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days from 1970-01-01 to a date; month 13 is January of the next year. The year begins in March
 * here, so that the leap day is its last. */
static inline int64_t allot__days(int64_t year, int32_t month, int32_t day)
{
    int64_t y = year - (month <= 2);
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return y * 365 + allot__floor_div(y, 4) - allot__floor_div(y, 100) + allot__floor_div(y, 400) +
           day_of_year - 719468;
}

/* The year of a day. */
static inline int64_t allot__year_of(int64_t days)
{
    int64_t year = 1970 + allot__floor_div(days * 400, 146097);
    while (allot__days(year, 1, 1) > days)
        year--;
    while (allot__days(year + 1, 1, 1) <= days)
        year++;
    return year;
}

#endif
