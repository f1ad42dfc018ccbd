/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_fast.c: a guess from a sample, one reading of all rows, a sort of the few. */
#include "engine/victims/pick_items.h"

enum { SMALL = 1024, SAMPLE_MOST = 2048, SAMPLE_PART = 64, BLOCK = ALLOT__PICK_BLOCK };

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

/* ---- The few --------------------------------------------------------------------------------- */

/* By class + 1, whether its rows may go by their first key; ENOMEM. */
static int mark_classes(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                        uint8_t **out)
{
    *out = NULL;
    if (!pick->classes)
        return ALLOT_OK;
    *out = allot__new(engine, (size_t)pick->class_count + 1, 1);
    for (int32_t i = 0; *out && i <= pick->class_count; i++)
        (*out)[i] = (pick->class_keys[i] ^ -(int64_t)pick->falling[0]) <= bar->keys[0];
    return *out ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Lists the rows of a block that may go by their first key. Whether one may cannot be foretold, so
 * none is skipped. */
static int32_t list_rows(const allot__pick *pick, const uint8_t *of_class, const allot__item *bar,
                         int32_t first, int32_t *restrict rows)
{
    int32_t n = pick->count - first < BLOCK ? pick->count - first : BLOCK, count = 0;
    if (of_class) {
        const int32_t *restrict classes = pick->classes + first;
#pragma GCC unroll 4
        for (int32_t i = 0; i < n; i++) {
            rows[count] = first + i;
            count += of_class[classes[i] + 1];
        }
        return count;
    }
    int64_t room[BLOCK], flip = pick->keys > 0 ? -(int64_t)pick->falling[0] : 0;
    const int64_t *values = pick->keys > 0 ? pick->values(pick, 0, first, n, room) : NULL;
    for (int32_t i = 0; i < n; i++) {
        rows[count] = first + i;
        count += !values || (values[i] ^ flip) <= bar->keys[0];
    }
    return count;
}

/* One reading of all rows, for those that go no later than a bar, and the sum of their slots;
 * ENOMEM. */
static int filter(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                  allot__items *all, int64_t *slots)
{
    int32_t rows[BLOCK + 1];
    uint8_t *of_class;
    int status = mark_classes(pick, engine, bar, &of_class);
    all->count = 0;
    *slots = 0;
    for (int32_t first = 0; first < pick->count && status == ALLOT_OK; first += BLOCK) {
        int32_t count = list_rows(pick, of_class, bar, first, rows);
        status = allot__items_room(engine, all, (size_t)all->count + (size_t)count);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            allot__item *item = &all->list[all->count];
            if (allot__pick_ineligible(pick, rows[i]))
                continue;
            allot__item_read(pick, rows[i], item);
            bool goes = !allot__item_before(pick, bar, item);
            *slots += goes ? item->slots : 0;
            all->count += goes;
        }
    }
    allot__free(engine, of_class, (size_t)pick->class_count + 1, 1);
    return status;
}

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
        status = filter(pick, engine, &bar, few, &slots);
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
    if (pick->count <= SMALL)
        return allot__pick_sorted(pick, owed, arena, out);
    allot__items few = {0};
    int status = find_few(pick, arena->engine, owed, &few);
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
