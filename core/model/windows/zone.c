/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone.c: the table of a TZif file. */
#include "model/windows/zone.h"

#include <string.h>

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
