/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone.c: the table of a TZif file, and the POSIX TZ rule that applies after its end. */
#include "model/windows/zone.h"

#include <string.h>

#include "base/calendar.h"

enum { DAY = 86400, HOURS_MAX = 167 };

/* ---- Rules: reading -------------------------------------------------------------------------- */

typedef struct rule_text {
    const char *at, *end;
} rule_text;

static char peek(const rule_text *in)
{
    return in->at < in->end ? *in->at : '\0';
}

static bool skip_char(rule_text *in, char c)
{
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

/* Reads one to `most` digits with a value in least ... max; -1: there is no such number. */
static int32_t number(rule_text *in, int most, int32_t least, int32_t max)
{
    int32_t value = 0;
    const char *from = in->at;
    while (in->at - from < most && peek(in) >= '0' && peek(in) <= '9')
        value = value * 10 + (*in->at++ - '0');
    return in->at > from && value >= least && value <= max ? value : -1;
}

/* "EST" or "<-03>": three characters at least. */
static bool read_name(rule_text *in)
{
    bool quoted = skip_char(in, '<');
    const char *from = in->at;
    for (;; in->at++) {
        char c = peek(in);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '+' || c == '-';
        if (!letter && !(quoted && other))
            break;
    }
    return in->at - from >= 3 && (!quoted || skip_char(in, '>'));
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool read_time(rule_text *in, int32_t hours_max, int32_t *out)
{
    int32_t sign = skip_char(in, '-') ? -1 : 1;
    if (sign == 1)
        skip_char(in, '+');
    int32_t hours = number(in, 3, 0, hours_max), minutes = 0, seconds = 0;
    if (hours >= 0 && skip_char(in, ':')) {
        minutes = number(in, 2, 0, 59);
        if (minutes >= 0 && skip_char(in, ':'))
            seconds = number(in, 2, 0, 59);
    }
    *out = sign * (hours * 3600 + minutes * 60 + seconds);
    return hours >= 0 && minutes >= 0 && seconds >= 0;
}

/* Reads an offset, which counts west of UTC there. */
static bool read_offset(rule_text *in, int32_t *out)
{
    bool sound = read_time(in, 24, out);
    *out = -*out;
    return sound;
}

static bool read_day(rule_text *in, allot__rule_day *out)
{
    *out = (allot__rule_day){.kind = 'N', .time = 2 * 3600};
    bool sound;
    if (skip_char(in, 'M')) {
        out->kind = 'M';
        out->month = number(in, 2, 1, 12);
        sound = out->month > 0 && skip_char(in, '.');
        out->week = sound ? number(in, 1, 1, 5) : -1;
        sound = out->week > 0 && skip_char(in, '.');
        out->day = sound ? number(in, 1, 0, 6) : -1;
    } else {
        bool julian = skip_char(in, 'J');
        out->kind = julian ? 'J' : 'N';
        out->day = number(in, 3, julian, 365);
    }
    sound = out->day >= 0;
    return sound && (!skip_char(in, '/') || read_time(in, HOURS_MAX, &out->time));
}

bool allot__rule_read(const char *text, size_t len, allot__zone_rule *out)
{
    rule_text in = {text, text + len};
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
            !skip_char(&in, ',') || !read_day(&in, &rule.begin) || !skip_char(&in, ',') ||
            !read_day(&in, &rule.end) || in.at < in.end)
            return false;
    }
    *out = rule;
    return true;
}

/* ---- Rules: the calendar --------------------------------------------------------------------- */

/* The day of a rule in a year, from 1970-01-01 on. 1970-01-01 was a Thursday, weekday 4. */
static int64_t rule_day(const allot__rule_day *day, int64_t year)
{
    int64_t begin = allot__days(year, 1, 1);
    if (day->kind == 'N')
        return begin + day->day;
    if (day->kind == 'J')
        return day->day < 60 ? begin + day->day - 1 : allot__days(year, 3, 1) + day->day - 60;
    int64_t first = allot__days(year, day->month, 1);
    int64_t behind = allot__days(year, day->month + 1, 1);
    int64_t weekday = first + 4 - 7 * allot__floor_div(first + 4, 7);
    int64_t found = first + (day->day - weekday + 7) % 7 + 7 * (day->week - 1);
    return found < behind ? found : found - 7;
}

/* ---- Rules: when ----------------------------------------------------------------------------- */

/* The year of a time; the years around it are looked at too, so that a change near New Year is
 * seen. Times so far off that a year around them does not fit 64 bits are capped. */
static int64_t year_at(const allot__zone_rule *rule, int64_t *when)
{
    const int64_t most = INT64_MAX - 4000LL * DAY;
    *when = *when > most ? most : *when < -most ? -most : *when;
    return allot__year_of(allot__floor_div(*when + rule->standard, DAY));
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

/* ---- Files ----------------------------------------------------------------------------------- */

enum { HEADER = 44, TYPE = 6 };
enum { OFFSET_MIN = -89999, OFFSET_MAX = 93599 }; /* RFC 8536, 3.2 */

/* The unread rest of a file. */
typedef struct input {
    const unsigned char *at;
    size_t left;
} input;

/* The counts of a header, in its order. */
enum { ISUT, ISSTD, LEAP, TIME, TYPES, CHARS, COUNTS };
typedef struct header {
    char version;
    uint32_t count[COUNTS];
} header;

static uint32_t get32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Reads two's complement, whatever the machine uses. */
static int32_t signed32(uint32_t bits)
{
    return bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

static int64_t get_time(const unsigned char *p, size_t size)
{
    uint64_t bits = size == 8 ? (uint64_t)get32(p) << 32 | get32(p + 4) : 0;
    if (size == 4)
        return signed32(get32(p));
    return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)(UINT64_MAX - bits) - 1;
}

static bool skip(input *in, uint64_t bytes)
{
    if (bytes > in->left)
        return false;
    in->at += bytes;
    in->left -= (size_t)bytes;
    return true;
}

static bool read_header(input *in, header *out)
{
    const unsigned char *p = in->at;
    if (!skip(in, HEADER) || memcmp(p, "TZif", 4) != 0)
        return false;
    out->version = (char)p[4];
    for (int i = 0; i < COUNTS; i++)
        out->count[i] = get32(p + 20 + 4 * i);
    bool known = out->version == '\0' || (out->version >= '2' && out->version <= '4');
    return known && out->count[TYPES] >= 1 && out->count[TYPES] <= 256 && out->count[CHARS] >= 1 &&
           (out->count[ISUT] == 0 || out->count[ISUT] == out->count[TYPES]) &&
           (out->count[ISSTD] == 0 || out->count[ISSTD] == out->count[TYPES]);
}

/* Bytes of the block behind a header whose times have `size` bytes. */
static uint64_t block_size(const header *head, size_t size)
{
    const uint32_t *n = head->count;
    return (uint64_t)n[TIME] * (size + 1) + (uint64_t)n[TYPES] * TYPE + n[CHARS] +
           (uint64_t)n[LEAP] * (size + 4) + n[ISSTD] + n[ISUT];
}

static bool offset_of(const unsigned char *types, uint32_t type, int32_t *out)
{
    const unsigned char *p = types + (size_t)type * TYPE;
    *out = signed32(get32(p));
    return *out >= OFFSET_MIN && *out <= OFFSET_MAX && p[4] <= 1;
}

static bool fill(allot__zone *zone, const header *head, const unsigned char *block, size_t size)
{
    const unsigned char *index = block + zone->count * size, *types = index + zone->count;
    bool sound = offset_of(types, 0, &zone->first);
    for (size_t i = 0; sound && i < zone->count; i++) {
        zone->at[i] = get_time(block + i * size, size);
        sound = index[i] < head->count[TYPES] && offset_of(types, index[i], &zone->offset[i]) &&
                (i == 0 || zone->at[i] > zone->at[i - 1]);
    }
    return sound;
}

static int read_block(allot_engine *engine, input *in, const header *head, size_t size,
                      allot__zone *zone)
{
    const unsigned char *block = in->at;
    if (head->count[LEAP] > 0 || !skip(in, block_size(head, size)))
        return ALLOT_EINVALID;
    size_t count = head->count[TIME];
    if (count > 0) {
        zone->at = allot__new(engine, count, sizeof *zone->at);
        zone->offset = allot__new(engine, count, sizeof *zone->offset);
        zone->count = count;
        if (!zone->at || !zone->offset)
            return ALLOT_ENOMEM;
    }
    return fill(zone, head, block, size) ? ALLOT_OK : ALLOT_EINVALID;
}

static bool read_footer(const input *in, allot__zone_rule *out)
{
    const char *text = (const char *)in->at;
    size_t len = in->left;
    return len >= 2 && text[0] == '\n' && text[len - 1] == '\n' &&
           allot__rule_read(text + 1, len - 2, out);
}

static int read_file(allot_engine *engine, const void *data, size_t len, allot__zone *zone)
{
    input in = {data, len};
    header head;
    if (!read_header(&in, &head))
        return ALLOT_EINVALID;
    if (head.version == '\0')
        return read_block(engine, &in, &head, 4, zone);
    if (!skip(&in, block_size(&head, 4)) || !read_header(&in, &head) || head.version == '\0')
        return ALLOT_EINVALID;
    int status = read_block(engine, &in, &head, 8, zone);
    if (status == ALLOT_OK && !read_footer(&in, &zone->rule))
        status = ALLOT_EINVALID;
    return status;
}

int allot__zone_read(allot_engine *engine, const char *name, const void *data, size_t len,
                     allot__zone *out)
{
    allot__zone zone = {.name = allot__copy(engine, name, strlen(name))};
    int status = zone.name ? read_file(engine, data, len, &zone) : ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        *out = zone;
    else
        allot__zone_free(engine, &zone);
    return status;
}

void allot__zone_free(allot_engine *engine, allot__zone *zone)
{
    allot__free(engine, zone->at, zone->count, sizeof *zone->at);
    allot__free(engine, zone->offset, zone->count, sizeof *zone->offset);
    allot__free_string(engine, zone->name);
    *zone = (allot__zone){0};
}

/* How many transitions are not after `when`. */
static size_t passed(const allot__zone *zone, int64_t when)
{
    size_t low = 0, high = zone->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->at[middle] <= when)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t allot__zone_offset(const allot__zone *zone, int64_t when)
{
    size_t count = passed(zone, when);
    if (count == zone->count && zone->rule.stated)
        return allot__rule_offset(&zone->rule, when);
    return count > 0 ? zone->offset[count - 1] : zone->first;
}

int64_t allot__zone_until(const allot__zone *zone, int64_t when)
{
    size_t count = passed(zone, when);
    if (count < zone->count)
        return zone->at[count];
    return zone->rule.stated ? allot__rule_until(&zone->rule, when) : INT64_MAX;
}
