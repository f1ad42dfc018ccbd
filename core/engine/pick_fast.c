/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_fast.c: a guess from a sample, one reading of all rows, a sort of the few. */
#include "base/simd.h"
#include "engine/pick_items.h"

enum { BLOCK = ALLOT__PICK_BLOCK, SMALL = 1024, SAMPLE_MOST = 2048, SAMPLE_PART = 64 };

/* ---- The guess ------------------------------------------------------------------------------- */

/* A well mixed number (splitmix64). */
static uint64_t mixed(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* Rows drawn from all, always the same: the candidates among them, and how many were drawn. */
static int draw_sample(const allot__pick *pick, allot_engine *engine, allot__items *sample,
                       int32_t *draws)
{
    int32_t most = pick->count / SAMPLE_PART;
    *draws = most < SAMPLE_MOST ? most : SAMPLE_MOST;
    int status = allot__items_room(engine, sample, (size_t)*draws + 1);
    for (int32_t i = 0; i < *draws && status == ALLOT_OK; i++) {
        int32_t row = (int32_t)(mixed((uint64_t)i) % (uint64_t)pick->count);
        if (!allot__stays(pick, row)) {
            allot__item_read(pick, row, &sample->list[sample->count++]);
        }
    }
    return status;
}

/* Slots of the sample, from the first to go on, that stand for what is owed and for three times the
 * error of such a guess. */
static int64_t guess_slots(const allot__items *sample, int64_t need)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < sample->count; i++) {
        slots += sample->list[i].slots;
    }
    int64_t mean = sample->count > 0 ? slots / sample->count : 1;
    int64_t root = 0;
    while (root * root < need / mean) {
        root++;
    }
    return need + mean * (3 * root + 4);
}

/* The last of the sample's items that it takes for so many slots; *bar stays NULL where it has not
 * so many. ENOMEM. */
static int find_bar(const allot__pick *pick, allot_engine *engine, const allot__items *sample,
                    int64_t slots, const allot__item **bar)
{
    allot__items first = *sample;
    allot__items_shorten(pick, &first, slots);
    int status = allot__items_sort(pick, engine, &first);
    *bar = NULL;
    for (int32_t i = 0; i < first.count && status == ALLOT_OK && *bar == NULL; i++) {
        slots -= first.list[i].slots;
        *bar = slots <= 0 ? &first.list[i] : NULL;
    }
    return status;
}

/* ---- One reading ----------------------------------------------------------------------------- */

/* Where the rows of a block stand to the bar: by row 1 or 0. */
typedef struct marks {
    int64_t less[BLOCK], tied[BLOCK];
} marks;

/* Both tell whether a row is tied still. */
ALLOT__CLONES static int64_t mark_first(const int64_t *restrict values, int64_t flip, int64_t bar,
                                        int32_t n, int64_t *restrict less, int64_t *restrict tied)
{
    int64_t any = 0;
#pragma omp simd reduction(| : any)
    for (int32_t i = 0; i < n; i++) {
        int64_t value = values[i] ^ flip;
        less[i] = value < bar;
        tied[i] = value == bar;
        any |= tied[i];
    }
    return any;
}

ALLOT__CLONES static int64_t mark_next(const int64_t *restrict values, int64_t flip, int64_t bar,
                                       int32_t n, int64_t *restrict less, int64_t *restrict tied)
{
    int64_t any = 0;
#pragma omp simd reduction(| : any)
    for (int32_t i = 0; i < n; i++) {
        int64_t value = values[i] ^ flip;
        less[i] |= tied[i] & (value < bar);
        tied[i] &= value == bar;
        any |= tied[i];
    }
    return any;
}

static void mark_block(const allot__pick *pick, const allot__item *bar, int32_t first, int32_t n,
                       marks *out)
{
    int64_t room[BLOCK];
    int64_t any = 1;
    for (int32_t i = 0; pick->keys == 0 && i < n; i++) {
        out->less[i] = 0;
        out->tied[i] = 1;
    }
    for (int32_t key = 0; key < pick->keys && any != 0; key++) {
        const int64_t *values = pick->values(pick, key, first, n, room);
        any = (key == 0 ? mark_first : mark_next)(values, -(int64_t)pick->falling[key],
                                                  allot__item_key(pick, bar, key), n, out->less,
                                                  out->tied);
    }
    for (int32_t i = 0; i < n && any != 0; i++) {
        out->less[i] |=
            out->tied[i] && (first + i == bar->row || !pick->before(pick, bar->row, first + i));
    }
}

/* The rows of a block that go no later than the bar. */
static int32_t list_block(const allot__pick *pick, int32_t first, int32_t n, const int64_t *less,
                          int32_t *rows)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        rows[count] = first + i;
        count += (int32_t)less[i];
    }
    if (pick->stays == NULL) {
        return count;
    }
    int32_t left = 0;
    for (int32_t i = 0; i < count; i++) {
        rows[left] = rows[i];
        left += !allot__stays(pick, rows[i]);
    }
    return left;
}

/* All rows that go no later than the bar, and their slots; ENOMEM. */
static int filter(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                  allot__items *all, int64_t *slots)
{
    marks marks;
    int32_t rows[BLOCK + 1];
    all->count = 0;
    *slots = 0;
    for (int32_t first = 0; first < pick->count; first += BLOCK) {
        int32_t n = pick->count - first < BLOCK ? pick->count - first : BLOCK;
        mark_block(pick, bar, first, n, &marks);
        int32_t count = list_block(pick, first, n, marks.less, rows);
        if (allot__items_room(engine, all, (size_t)all->count + (size_t)count) != ALLOT_OK) {
            return ALLOT_ENOMEM;
        }
        for (int32_t i = 0; i < count && pick->slots != NULL; i++) {
            __builtin_prefetch(&pick->slots[rows[i]]);
        }
        for (int32_t i = 0; i < count; i++) {
            allot__item_read(pick, rows[i], &all->list[all->count]);
            *slots += all->list[all->count++].slots;
        }
    }
    return ALLOT_OK;
}

/* Rows among which are all that have to go; ENOMEM. */
static int find_few(const allot__pick *pick, allot_engine *engine, int64_t owed, allot__items *few)
{
    allot__items sample = {0};
    const allot__item *bar = NULL;
    int32_t draws;
    int64_t slots = 0;
    int64_t guess = 0;
    int status = draw_sample(pick, engine, &sample, &draws);
    if (status == ALLOT_OK) {
        guess = guess_slots(&sample, owed * draws / pick->count);
        status = find_bar(pick, engine, &sample, guess, &bar);
    }
    while (status == ALLOT_OK && slots < owed && bar != NULL) {
        status = filter(pick, engine, bar, few, &slots);
        guess *= 2;
        if (status == ALLOT_OK && slots < owed) {
            status = find_bar(pick, engine, &sample, guess, &bar);
        }
    }
    if (status == ALLOT_OK && slots < owed) {
        status = allot__items_read(pick, engine, few);
    }
    allot__items_free(engine, &sample);
    return status;
}

int allot__pick_fast(const allot__pick *pick, int64_t owed, allot__arena *arena, allot__picked *out)
{
    if (pick->count <= SMALL) {
        return allot__pick_sorted(pick, owed, arena, out);
    }
    allot__items few = {0};
    int status = find_few(pick, arena->engine, owed, &few);
    if (status == ALLOT_OK) {
        allot__items_pack(pick, &few);
        allot__items_shorten(pick, &few, owed);
        status = allot__items_sort(pick, arena->engine, &few);
    }
    if (status == ALLOT_OK) {
        status = allot__items_take(&few, owed, arena, out);
    }
    allot__items_free(arena->engine, &few);
    return status;
}
