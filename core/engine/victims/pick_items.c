/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_items.c: the plain way: all rows read, put in order, and taken from the front. */
#include "engine/victims/pick_items.h"

#include <string.h>

enum { FEW = 16, RUN = 8, MANY = 512, DIGIT = 10 };

int allot__items_room(allot_engine *engine, allot__items *all, size_t count)
{
    allot__item *list = allot__grow(engine, all->list, &all->capacity, count, sizeof *list);
    all->list = list ? list : all->list;
    return list ? ALLOT_OK : ALLOT_ENOMEM;
}

void allot__items_free(allot_engine *engine, allot__items *all)
{
    allot__free(engine, all->list, all->capacity, sizeof *all->list);
}

int64_t allot__key_at(const allot__pick *pick, int32_t key, int32_t row)
{
    int64_t value;
    if (pick->flat[key]) {
        value = pick->flat[key][row];
    } else if (key == 0 && pick->classes) {
        value = pick->class_keys[pick->classes[row] + 1];
    } else {
        int64_t room = 0;
        value = *pick->values(pick, key, row, 1, &room);
    }
    return pick->falling[key] ? ~value : value; /* ~ cannot overflow */
}

void allot__item_read(const allot__pick *pick, int32_t row, allot__item *out)
{
    for (int32_t key = 0; key < pick->keys && key < ALLOT__ITEM_KEYS; key++)
        out->keys[key] = allot__key_at(pick, key, row);
    out->slots = pick->slots ? pick->slots[row] : 1;
    out->row = row;
}

static bool before_by_keys(const allot__pick *pick, const allot__item *a, const allot__item *b)
{
    for (int32_t key = 0; key < pick->keys; key++) {
        int64_t x = allot__item_key(pick, a, key);
        int64_t y = allot__item_key(pick, b, key);
        if (x != y)
            return x < y;
    }
    return a->row != b->row && pick->before(pick, a->row, b->row);
}

static inline bool item_before(const allot__pick *pick, bool packed, const allot__item *a,
                               const allot__item *b)
{
    if (packed && a->keys[0] != b->keys[0])
        return a->keys[0] < b->keys[0];
    return packed ? a->row != b->row && pick->before(pick, a->row, b->row)
                  : before_by_keys(pick, a, b);
}

/* How many bits tell a key's values apart, and the least of them. */
static int32_t bits_of(const allot__items *all, int32_t key, int64_t *least)
{
    int64_t most = INT64_MIN;
    *least = INT64_MAX;
    for (int32_t i = 0; i < all->count; i++) {
        int64_t value = all->list[i].keys[key];
        most = value > most ? value : most;
        *least = value < *least ? value : *least;
    }
    uint64_t range = all->count > 0 ? (uint64_t)most - (uint64_t)*least : 0;
    int32_t bits = 0;
    for (; range != 0; range >>= 1)
        bits++;
    return bits;
}

void allot__items_pack(const allot__pick *pick, allot__items *all)
{
    int64_t least[ALLOT__ITEM_KEYS];
    int32_t bits[ALLOT__ITEM_KEYS];
    int32_t sum = 0;
    for (int32_t key = 0; key < pick->keys && key < ALLOT__ITEM_KEYS; key++) {
        bits[key] = bits_of(all, key, &least[key]);
        sum += bits[key];
    }
    if (pick->keys > ALLOT__ITEM_KEYS || sum > 63)
        return;
    for (int32_t i = 0; i < all->count; i++) {
        uint64_t value = 0;
        for (int32_t key = 0; key < pick->keys; key++) {
            value = value << bits[key];
            value |= (uint64_t)all->list[i].keys[key] - (uint64_t)least[key];
        }
        all->list[i].keys[0] = (int64_t)value;
    }
    all->packed = true;
    all->bits = sum;
}

int allot__pick_compare(const allot__pick *pick, int32_t a, int32_t b, int32_t *key)
{
    for (*key = 0; *key < pick->keys; (*key)++) {
        int64_t x = allot__key_at(pick, *key, a);
        int64_t y = allot__key_at(pick, *key, b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a == b ? 0 : pick->before(pick, a, b) ? -1 : 1;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static void merge(const allot__pick *pick, bool packed, const allot__item *a,
                  const allot__item *middle, const allot__item *high, allot__item *to)
{
    const allot__item *b = middle;
    while (a < middle && b < high) {
        bool right = packed && a->keys[0] != b->keys[0] ? b->keys[0] < a->keys[0]
                                                        : item_before(pick, packed, b, a);
        *to++ = right ? *b : *a;
        b += right;
        a += !right;
    }
    memcpy(to, a, (size_t)(middle - a) * sizeof *to);
    memcpy(to + (middle - a), b, (size_t)(high - b) * sizeof *to);
}

/* Runs of RUN items, each by insertion. */
static void sort_runs(const allot__pick *pick, bool packed, allot__item *list, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        allot__item moved = list[i];
        int32_t at = i;
        for (; at % RUN != 0 && item_before(pick, packed, &moved, &list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* In place; `other` takes as many. */
static void sort_merging(const allot__pick *pick, bool packed, allot__item *list,
                         allot__item *other, int32_t count)
{
    allot__item *from = list;
    allot__item *to = other;
    sort_runs(pick, packed, from, count);
    for (int32_t width = RUN; width < count; width = width < count / 2 + 1 ? width * 2 : count) {
        for (int32_t low = 0; low < count;) {
            int32_t middle = count - low > width ? low + width : count;
            int32_t high = count - middle > width ? middle + width : count;
            merge(pick, packed, from + low, from + middle, from + high, to + low);
            low = high;
        }
        allot__item *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != list)
        memcpy(list, from, (size_t)count * sizeof *from);
}

/* By DIGIT bits of the packed key from `shift` on, stably. */
static void deal(const allot__item *from, int32_t count, int32_t shift, allot__item *to)
{
    int32_t place[1 << DIGIT] = {0};
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        place[from[i].keys[0] >> shift & ((1 << DIGIT) - 1)]++;
    for (int32_t i = 0; i < 1 << DIGIT; i++) {
        int32_t here = place[i];
        place[i] = sum;
        sum += here;
    }
    for (int32_t i = 0; i < count; i++)
        to[place[from[i].keys[0] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Packed items digit by digit, then those with equal keys by `before`. */
static void sort_dealing(const allot__pick *pick, allot__items *all, allot__item *other)
{
    allot__item *from = all->list;
    allot__item *to = other;
    for (int32_t shift = 0; shift < all->bits; shift += DIGIT) {
        deal(from, all->count, shift, to);
        allot__item *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != all->list)
        memcpy(all->list, from, (size_t)all->count * sizeof *from);
    for (int32_t low = 0, high; low < all->count; low = high) {
        for (high = low + 1;
             high < all->count && all->list[high].keys[0] == all->list[low].keys[0];)
            high++;
        if (high - low > 1)
            sort_merging(pick, true, all->list + low, other, high - low);
    }
}

int allot__items_sort(const allot__pick *pick, allot_engine *engine, allot__items *all)
{
    size_t room = (size_t)all->count + 1;
    allot__item *other = allot_engine_alloc(engine, NULL, 0, room * sizeof *other);
    if (!other)
        return ALLOT_ENOMEM;
    if (all->packed && all->count >= MANY)
        sort_dealing(pick, all, other);
    else
        sort_merging(pick, all->packed, all->list, other, all->count);
    allot__free(engine, other, room, sizeof *other);
    return ALLOT_OK;
}

static void swap(allot__item *list, int32_t a, int32_t b)
{
    allot__item kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

/* Items low ... high - 1 with those before the middle one of three in front; its place. */
static int32_t split(const allot__pick *pick, bool packed, allot__item *list, int32_t low,
                     int32_t high)
{
    int32_t last = high - 1;
    int32_t middle = low + (high - low) / 2;
    if (item_before(pick, packed, &list[middle], &list[low]))
        swap(list, middle, low);
    if (item_before(pick, packed, &list[last], &list[middle])) {
        swap(list, last, middle);
        if (item_before(pick, packed, &list[middle], &list[low]))
            swap(list, middle, low);
    }
    swap(list, middle, last);
    int32_t at = low;
    for (int32_t i = low; i < last; i++) {
        bool first = item_before(pick, packed, &list[i], &list[last]);
        swap(list, i, at); /* always: whether it is first cannot be foretold */
        at += first;
    }
    swap(list, at, last);
    return at;
}

/* Packed items by their keys' first DIGIT bits: drops those behind the last that is needed. */
static void shorten_dealing(allot__items *all, int64_t owed)
{
    int64_t slots[1 << DIGIT] = {0};
    allot__item *list = all->list;
    int32_t n = all->count;
    int32_t shift = all->bits > DIGIT ? all->bits - DIGIT : 0;
    int32_t last = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        slots[list[i].keys[0] >> shift] += list[i].slots;
    while (last < (1 << DIGIT) - 1 && slots[last] < owed)
        owed -= slots[last++];
    for (int32_t i = 0; i < n; i++) {
        int64_t digit = list[i].keys[0] >> shift;
        list[count] = list[i];
        count += digit <= last;
    }
    all->count = count;
}

/*
 * Leaves those that go until `owed` is covered, and perhaps some more, in front, and drops the
 * others. Splitting that goes on badly is given up: then more is left to sort.
 */
void allot__items_shorten(const allot__pick *pick, allot__items *all, int64_t owed)
{
    if (all->packed && all->count >= MANY)
        shorten_dealing(all, owed);
    int32_t low = 0;
    int32_t high = all->count;
    for (int32_t round = 0; high - low > FEW && round < 48; round++) {
        int32_t at = split(pick, all->packed, all->list, low, high);
        int64_t slots = 0;
        for (int32_t i = low; i <= at; i++)
            slots += all->list[i].slots;
        if (slots >= owed) {
            high = at + 1;
            if (slots - all->list[at].slots < owed)
                break;
            high = at;
        } else {
            owed -= slots;
            low = at + 1;
        }
    }
    all->count = high;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* The reverse pass over the first `count` in order: marks those spared by no slots. */
static int32_t spare(allot__item *list, int32_t count, int64_t more)
{
    int32_t spared = 0;
    for (int32_t i = count - 1; i >= 0 && more > 0; i--) {
        if (list[i].slots <= more) {
            more -= list[i].slots;
            list[i].slots = 0;
            spared++;
        }
    }
    return spared;
}

int allot__items_take(allot__items *all, int64_t owed, allot__arena *arena, allot__picked *out)
{
    int64_t slots = 0;
    int32_t count = 0;
    while (count < all->count && slots < owed)
        slots += all->list[count++].slots;
    int32_t spared = spare(all->list, count, slots - owed);
    *out = (allot__picked){0};
    out->rows = allot__arena_take(arena, (size_t)(count - spared) + 1, sizeof *out->rows);
    if (!out->rows)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        if (all->list[i].slots > 0) {
            out->rows[out->count++] = all->list[i].row;
            out->slots += all->list[i].slots;
        }
    }
    return ALLOT_OK;
}

/* All candidates; ENOMEM. */
int allot__items_read(const allot__pick *pick, allot_engine *engine, allot__items *all)
{
    int status = allot__items_room(engine, all, (size_t)pick->count + 1);
    all->count = 0;
    for (int32_t row = 0; row < pick->count && status == ALLOT_OK; row++)
        if (!allot__pick_ineligible(pick, row))
            allot__item_read(pick, row, &all->list[all->count++]);
    return status;
}

int allot__pick_sorted(const allot__pick *pick, int64_t owed, allot__arena *arena,
                       allot__picked *out)
{
    allot__items all = {0};
    int status = allot__items_read(pick, arena->engine, &all);
    if (status == ALLOT_OK)
        status = allot__items_sort(pick, arena->engine, &all);
    if (status == ALLOT_OK)
        status = allot__items_take(&all, owed, arena, out);
    allot__items_free(arena->engine, &all);
    return status;
}
