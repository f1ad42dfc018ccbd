/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_fast.c: a guess from a sample, one reading of all rows, a sort of the few. */
#include "engine/victims/pick_items.h"

#include <string.h>

#include "base/simd.h"

/* ---- One reading ----------------------------------------------------------------------------- */

/* A byte a row says how it stands to the bar. The first key is read for all rows, each other one
 * only for those that tie so far, or for a whole block where many do. */
enum { BLOCK = ALLOT__PICK_BLOCK, MANY = BLOCK / 16 };

/* How a row stands to the bar. */
enum { LATER = 0, SOONER = 1, TIED = 2 };

typedef struct filter {
    const allot__pick *pick;
    const allot__item *bar;
    uint8_t *of_class; /* by class + 1, how it stands; NULL: no classes */
    uint8_t marks[BLOCK];
    int32_t rows[BLOCK + 1]; /* those that may go */
    int32_t count;
} filter;

/* Both tell how many rows are tied. */
ALLOT__CLONES static int32_t mark_values(const int64_t *restrict values, int64_t flip, int64_t bar,
                                         int32_t n, uint8_t *restrict marks)
{
    int64_t tied = 0;
#pragma omp simd reduction(+ : tied)
    for (int32_t i = 0; i < n; i++) {
        int64_t value = values[i] ^ flip;
        int64_t same = value == bar;
        marks[i] = (uint8_t)((value < bar ? SOONER : LATER) + same * TIED);
        tied += same;
    }
    return (int32_t)tied;
}

ALLOT__CLONES static int32_t mark_tied(const int64_t *restrict values, int64_t flip, int64_t bar,
                                       int32_t n, uint8_t *restrict marks)
{
    int64_t tied = 0;
#pragma omp simd reduction(+ : tied)
    for (int32_t i = 0; i < n; i++) {
        int64_t value = values[i] ^ flip;
        int64_t same = marks[i] == TIED && value == bar;
        int64_t sooner = marks[i] == SOONER || (marks[i] == TIED && value < bar);
        marks[i] = (uint8_t)(sooner + same * TIED);
        tied += same;
    }
    return (int32_t)tied;
}

static int make_classes(filter *it, allot_engine *engine)
{
    const allot__pick *pick = it->pick;
    if (!pick->classes)
        return ALLOT_OK;
    it->of_class = allot__new(engine, (size_t)pick->class_count + 1, 1);
    if (!it->of_class)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i <= pick->class_count; i++) {
        int64_t value = pick->class_keys[i] ^ -(int64_t)pick->falling[0];
        int64_t bar = it->bar->keys[0];
        it->of_class[i] = value < bar ? SOONER : value == bar ? TIED : LATER;
    }
    return ALLOT_OK;
}

/* Marks the rows of a block by the keys from `key` on, and those behind it where many tie; returns
 * the key that decides among rows still tied. */
static int32_t mark_block(filter *it, int32_t key, int32_t first, int32_t n)
{
    const allot__pick *pick = it->pick;
    int64_t room[BLOCK];
    int32_t tied = n;
    for (; key < pick->keys && (key == 0 || tied > MANY); key++) {
        const int64_t *values = pick->values(pick, key, first, n, room);
        tied =
            (key == 0 ? mark_values : mark_tied)(values, -(int64_t)pick->falling[key],
                                                 allot__item_key(pick, it->bar, key), n, it->marks);
    }
    return key;
}

/* Rows that are not marked as going later. Whether one is cannot be foretold, so none is skipped.
 */
static void list_marked(filter *it, int32_t first, int32_t n)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        it->rows[count] = first + i;
        count += it->marks[i] != LATER;
    }
    it->count = count;
}

static void list_classes(filter *it, int32_t first, int32_t n)
{
    const int32_t *restrict classes = it->pick->classes + first;
    const uint8_t *restrict of_class = it->of_class + 1;
    int32_t *restrict rows = it->rows;
    int32_t count = 0;
#pragma GCC unroll 4
    for (int32_t i = 0; i < n; i++) {
        rows[count] = first + i;
        count += of_class[classes[i]] != LATER;
    }
    it->count = count;
}

/* Marks what is listed; how many are tied. */
static int32_t mark_listed(filter *it, int32_t first)
{
    int32_t tied = 0;
    for (int32_t i = 0; i < it->count; i++) {
        uint8_t mark = it->of_class[it->pick->classes[it->rows[i]] + 1];
        it->marks[it->rows[i] - first] = mark;
        tied += mark / TIED;
    }
    return tied;
}

/* Lists the rows of a block that may go; returns the key that decides among tied rows. */
static int32_t find_rows(filter *it, int32_t first, int32_t n)
{
    int32_t key = 0;
    if (it->of_class) {
        list_classes(it, first, n);
        if (mark_listed(it, first) <= MANY)
            return 1;
        memset(it->marks, LATER, (size_t)n);
        mark_listed(it, first);
        key = mark_block(it, 1, first, n);
    } else if (it->pick->keys > 0) {
        key = mark_block(it, 0, first, n);
    } else {
        memset(it->marks, TIED, (size_t)n);
    }
    list_marked(it, first, n);
    return key;
}

/* Drops listed rows that go later by a key whose values are an array. */
static void narrow(filter *it, int32_t key, int32_t first)
{
    const int64_t *values = it->pick->flat[key];
    int64_t flip = -(int64_t)it->pick->falling[key];
    int64_t bar = allot__item_key(it->pick, it->bar, key);
    int32_t count = 0;
    for (int32_t i = 0; i < it->count; i++)
        __builtin_prefetch(&values[it->rows[i]]);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t row = it->rows[i];
        int64_t value = values[row] ^ flip;
        bool sooner = it->marks[row - first] == SOONER || value < bar;
        it->marks[row - first] = sooner ? SOONER : TIED;
        it->rows[count] = row;
        count += sooner || value == bar;
    }
    it->count = count;
}

/* Does a row go no later than the bar, keys before `key` being equal? */
static bool goes(const filter *it, int32_t row, int32_t key)
{
    for (; key < it->pick->keys; key++) {
        int64_t value = allot__key_at(it->pick, key, row);
        int64_t bar = allot__item_key(it->pick, it->bar, key);
        if (value != bar)
            return value < bar;
    }
    return !it->pick->before(it->pick, it->bar->row, row);
}

static int read_block(filter *it, allot_engine *engine, int32_t first, allot__items *all)
{
    int32_t n = it->pick->count - first < BLOCK ? it->pick->count - first : BLOCK;
    int32_t key = find_rows(it, first, n);
    for (; key < it->pick->keys && it->pick->flat[key]; key++)
        narrow(it, key, first);
    if (allot__items_room(engine, all, (size_t)all->count + (size_t)it->count) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < it->count && it->pick->slots; i++)
        __builtin_prefetch(&it->pick->slots[it->rows[i]]);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t row = it->rows[i];
        bool sooner = it->marks[row - first] == SOONER;
        if (!allot__pick_ineligible(it->pick, row) && (sooner || goes(it, row, key)))
            allot__item_read(it->pick, row, &all->list[all->count++]);
    }
    return ALLOT_OK;
}

int allot__pick_filter(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                       allot__items *all, int64_t *slots)
{
    filter it = {.pick = pick, .bar = bar};
    int status = make_classes(&it, engine);
    all->count = 0;
    *slots = 0;
    for (int32_t first = 0; first < pick->count && status == ALLOT_OK; first += BLOCK)
        status = read_block(&it, engine, first, all);
    for (int32_t i = 0; i < all->count; i++)
        *slots += all->list[i].slots;
    allot__free(engine, it.of_class, (size_t)pick->class_count + 1, 1);
    return status;
}

enum { SMALL = 1024, SAMPLE_MOST = 2048, SAMPLE_PART = 64 };

/* ---- The guess ------------------------------------------------------------------------------- */

/* Rows drawn from all, always the same: the candidates among them, and how many were drawn. */
static int draw_sample(const allot__pick *pick, allot_engine *engine, allot__items *sample,
                       int32_t *draws)
{
    int32_t most = pick->count / SAMPLE_PART;
    *draws = most < SAMPLE_MOST ? most : SAMPLE_MOST;
    int status = allot__items_room(engine, sample, (size_t)*draws + 1);
    for (int32_t i = 0; i < *draws && status == ALLOT_OK; i++) {
        int32_t row = (int32_t)(allot__mixed((uint64_t)i) % (uint64_t)pick->count);
        if (!allot__pick_ineligible(pick, row))
            allot__item_read(pick, row, &sample->list[sample->count++]);
    }
    return status;
}

/* Slots of the sample, from the first to go on, that stand for what is owed and for three times the
 * error of such a guess. */
static int64_t guess_slots(const allot__items *sample, int64_t need)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < sample->count; i++)
        slots += sample->list[i].slots;
    int64_t mean = sample->count > 0 ? slots / sample->count : 1;
    int64_t root = 0;
    while (root * root < need / mean)
        root++;
    return need + mean * (3 * root + 4);
}

/* The last of the sample's items that it takes for so many slots; *found: it has so many. ENOMEM.
 */
static int find_bar(const allot__pick *pick, allot_engine *engine, const allot__items *sample,
                    int64_t slots, allot__item *bar, bool *found)
{
    allot__items first = *sample;
    allot__items_shorten(pick, &first, slots);
    int status = allot__items_sort(pick, engine, &first);
    *found = false;
    for (int32_t i = 0; i < first.count && status == ALLOT_OK && !*found; i++) {
        slots -= first.list[i].slots;
        *found = slots <= 0;
        if (*found)
            allot__item_read(pick, first.list[i].row, bar); /* its keys may be packed */
    }
    return status;
}

/* ---- The few ----------------------------------------------------------------------------------
 */

/* Rows among which are all that have to go; ENOMEM. */
static int find_few(const allot__pick *pick, allot_engine *engine, int64_t owed, allot__items *few)
{
    allot__items sample = {0};
    allot__item bar;
    bool found = false;
    int32_t draws;
    int64_t slots = 0;
    int64_t guess = 0;
    int status = draw_sample(pick, engine, &sample, &draws);
    if (status == ALLOT_OK) {
        guess = guess_slots(&sample, owed * draws / pick->count);
        allot__items_pack(pick, &sample);
        status = find_bar(pick, engine, &sample, guess, &bar, &found);
    }
    while (status == ALLOT_OK && slots < owed && found) {
        status = allot__pick_filter(pick, engine, &bar, few, &slots);
        guess *= 2;
        if (status == ALLOT_OK && slots < owed)
            status = find_bar(pick, engine, &sample, guess, &bar, &found);
    }
    if (status == ALLOT_OK && slots < owed)
        status = allot__items_read(pick, engine, few);
    allot__items_free(engine, &sample);
    return status;
}

int allot__pick_fast(const allot__pick *pick, int64_t owed, allot__arena *arena, allot__picked *out)
{
    if (pick->anew)
        return allot__pick_anew(pick, owed, arena, out);
    allot__items few = {0};
    int status = pick->count <= SMALL ? allot__items_read(pick, arena->engine, &few)
                                      : find_few(pick, arena->engine, owed, &few);
    if (status == ALLOT_OK) {
        allot__items_pack(pick, &few);
        allot__items_shorten(pick, &few, owed);
        status = allot__items_sort(pick, arena->engine, &few);
    }
    if (status == ALLOT_OK)
        status = allot__items_take(&few, owed, arena, out);
    allot__items_free(arena->engine, &few);
    return status;
}
