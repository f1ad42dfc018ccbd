/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * zone.h: a time zone: how far local clocks are ahead of UTC, and when that changes.
 *
 * A zone comes from a TZif file (RFC 8536, versions 1 to 4): a table of transitions, and a footer
 * with a POSIX TZ rule for the time after them. Files that count leap seconds are refused, as our
 * times do not count them. Nothing here opens a file.
 */
#ifndef ALLOT_MODEL_WINDOWS_ZONE_H
#define ALLOT_MODEL_WINDOWS_ZONE_H

#include "base/memory.h"

/* A day of a year, and its second (local time, maybe on another day) at which clocks change. */
typedef struct allot__rule_day {
    char kind;                /* 'M': month, week, weekday; 'J': day 1 ... 365, no 29 February;
                                 'N': day 0 ... 365 */
    int32_t month, week, day; /* week 5: the last; day 0 of a week is Sunday */
    int32_t time;             /* seconds, +/- a week */
} allot__rule_day;

/* The footer: "CET-1CEST,M3.5.0,M10.5.0/3". Offsets are seconds east of UTC. */
typedef struct allot__zone_rule {
    bool stated;
    bool saving; /* there is daylight saving: from `begin` (standard time) to `end` (the other) */
    int32_t standard, daylight;
    allot__rule_day begin, end;
} allot__zone_rule;

typedef struct allot__zone {
    char *name;
    size_t count;    /* of transitions */
    int64_t *at;     /* by transition: when, ascending */
    int32_t *offset; /* ... and the offset from then on */
    int32_t first;   /* the offset before */
    allot__zone_rule rule;
} allot__zone;

/* Reads a TZif file. EINVALID: it is not one; ENOMEM. On failure *out is unchanged. */
int allot__zone_read(allot_engine *engine, const char *name, const void *data, size_t len,
                     allot__zone *out);
void allot__zone_free(allot_engine *engine, allot__zone *zone);

/* Seconds east of UTC at a time. */
int32_t allot__zone_offset(const allot__zone *zone, int64_t when);
/* A time after `when` up to which the offset does not change; INT64_MAX: for ever. The offset may
 * be the same from then on too. */
int64_t allot__zone_until(const allot__zone *zone, int64_t when);

/* Reads a footer without its newlines; false: it is not valid. "" states no rule. */
bool allot__rule_read(const char *text, size_t len, allot__zone_rule *out);
int32_t allot__rule_offset(const allot__zone_rule *rule, int64_t when);
int64_t allot__rule_until(const allot__zone_rule *rule, int64_t when);

#endif
