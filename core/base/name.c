/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * name.c: which names are allowed, and an open-addressing index over names.
 *
 * This file owns: struct allot__slot.
 */
#include "base/name.h"

#include <string.h>

#include "base/text.h"

struct allot__slot {
    uint32_t hash;
    uint32_t number; /* + 1; 0: empty */
};

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool allot__name_valid(const char *name, size_t len)
{
    if (!name || len == 0 || len > ALLOT_NAME_MAX || !letter(name[0]))
        return false;
    for (size_t i = 1; i < len; i++) {
        char c = name[i];
        if (!letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return true;
}

bool allot__label_valid(const char *name)
{
    size_t len = name ? strlen(name) : 0, size = 0;
    for (size_t i = 0; i < len && len <= 255; i += size) {
        size = allot__utf8(name + i, len - i);
        if (size == 0 || (unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return false;
    }
    return len > 0 && len <= 255;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

uint32_t allot__hash(uint32_t seed, const char *text, size_t len)
{
    uint64_t hash = mix(seed, len);
    for (; len >= 8; text += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = mix(hash, word);
    }
    uint64_t tail = 0;
    memcpy(&tail, text, len);
    return (uint32_t)(mix(mix(hash, tail), len) >> 16);
}

void allot__index_add(allot__index *index, uint32_t hash, int32_t number)
{
    uint32_t mask = index->capacity - 1;
    uint32_t at = hash & mask;
    while (index->slots[at].number)
        at = (at + 1) & mask;
    index->slots[at] = (struct allot__slot){.hash = hash, .number = (uint32_t)number + 1};
    index->count++;
}

int allot__index_room(allot_engine *engine, allot__index *index)
{
    if (index->count + 1 <= index->capacity / 4 * 3)
        return ALLOT_OK;
    if (index->capacity > UINT32_MAX / 2)
        return ALLOT_ENOMEM;
    allot__index grown = {.capacity = index->capacity ? index->capacity * 2 : 16};
    grown.slots = allot__new(engine, grown.capacity, sizeof *grown.slots);
    if (!grown.slots)
        return ALLOT_ENOMEM;
    for (uint32_t i = 0; i < index->capacity; i++)
        if (index->slots[i].number)
            allot__index_add(&grown, index->slots[i].hash, (int32_t)(index->slots[i].number - 1));
    allot__index_free(engine, index);
    *index = grown;
    return ALLOT_OK;
}

int32_t allot__index_next(const allot__index *index, uint32_t hash, uint32_t *probe)
{
    while (*probe < index->capacity) {
        const struct allot__slot *slot = &index->slots[(hash + (*probe)++) & (index->capacity - 1)];
        if (!slot->number)
            return -1;
        if (slot->hash == hash)
            return (int32_t)(slot->number - 1);
    }
    return -1;
}

/* Later entries move up, but not beyond their own place, so that no probe ends early. */
void allot__index_remove(allot__index *index, uint32_t hash, int32_t number)
{
    uint32_t mask = index->capacity - 1, at = hash & mask;
    struct allot__slot *slots = index->slots;
    while (slots[at].number != (uint32_t)number + 1)
        at = (at + 1) & mask;
    for (uint32_t next = (at + 1) & mask; slots[next].number; next = (next + 1) & mask) {
        uint32_t from_home = (next - slots[next].hash) & mask;
        if (from_home < ((next - at) & mask))
            continue;
        slots[at] = slots[next];
        at = next;
    }
    slots[at] = (struct allot__slot){0};
    index->count--;
}

void allot__index_renumber(allot__index *index, const int32_t *numbers)
{
    for (uint32_t i = 0; i < index->capacity; i++) {
        struct allot__slot *slot = &index->slots[i];
        if (slot->number)
            slot->number = (uint32_t)numbers[slot->number - 1] + 1;
    }
}

void allot__index_clear(allot__index *index)
{
    if (index->count > 0)
        memset(index->slots, 0, index->capacity * sizeof *index->slots);
    index->count = 0;
}

void allot__index_free(allot_engine *engine, allot__index *index)
{
    allot__free(engine, index->slots, index->capacity, sizeof *index->slots);
    *index = (allot__index){0};
}

/* ---- Edit distance, for "did you mean" ------------------------------------------------------- */

/* Longer names are never near, which bounds the work for a suggestion. */
enum { LONGEST = 255 };

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), upper
 * and lower case alike. Three rows are enough: a swap looks back two. */
static int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            int best = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                best = smaller(best, above2[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[a_len % 3][b_len];
}

allot__near allot__near_begin(const char *name, size_t len)
{
    int32_t allowed = len < 4 ? 1 : len < 9 ? 2 : (int32_t)(len / 3);
    return (allot__near){.name = name, .len = len, .best = 2 * (allowed + 1)};
}

bool allot__near_try(allot__near *near, const char *candidate, size_t len)
{
    size_t longer = len > near->len ? len : near->len;
    size_t apart = longer - (len > near->len ? near->len : len);
    if (near->len == 0 || longer > LONGEST || 2 * apart >= (size_t)near->best)
        return false;
    int edits = distance(near->name, near->len, candidate, len);
    if ((size_t)edits >= longer)
        return false; /* nothing in common */
    bool same_case = edits > 0 || (len == near->len && memcmp(near->name, candidate, len) == 0);
    int32_t score = 2 * edits + !same_case;
    if (score >= near->best)
        return false;
    near->best = score;
    return true;
}

const char *allot_nearest(const char *name, size_t len, const char *const *names, size_t n)
{
    const char *nearest = NULL;
    if (!name || !names)
        return NULL;
    allot__near near = allot__near_begin(name, len);
    for (size_t i = 0; i < n; i++)
        if (names[i] && allot__near_try(&near, names[i], strlen(names[i])))
            nearest = names[i];
    return nearest;
}
