/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_fast.c: a guess from a sample, one reading of all rows, a sort of the few. */
#include "engine/victims/pick_filter.h"

enum { SMALL = 1024, SAMPLE_MOST = 2048, SAMPLE_PART = 64 };

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
