/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick_items.h: rows stored with their keys, to be sorted.
 */
#ifndef ALLOT_ENGINE_VICTIMS_PICK_ITEMS_H
#define ALLOT_ENGINE_VICTIMS_PICK_ITEMS_H

#include "base/name.h"
#include "engine/victims/pick.h"

/* A row with its first keys, inverted so that all rise; further keys are looked up. */
enum { ALLOT__ITEM_KEYS = 3 };
typedef struct allot__item {
    int64_t keys[ALLOT__ITEM_KEYS];
    int32_t slots, row;
} allot__item;

/* Starts zeroed. */
typedef struct allot__items {
    allot__item *list;
    size_t capacity;
    int32_t count;
    bool packed;  /* the first key encodes all of them, */
    int32_t bits; /* ... and is below 2^bits */
} allot__items;

static inline bool allot__pick_ineligible(const allot__pick *pick, int32_t row)
{
    return pick->ineligible != NULL && pick->ineligible[row] != 0;
}

/* Grows the list to `count` items in all; ENOMEM. */
int allot__items_room(allot_engine *engine, allot__items *all, size_t count);
void allot__items_free(allot_engine *engine, allot__items *all);
/* A key's value, inverted if the key falls. */
int64_t allot__key_at(const allot__pick *pick, int32_t key, int32_t row);
static inline int64_t allot__item_key(const allot__pick *pick, const allot__item *item, int32_t key)
{
    return key < ALLOT__ITEM_KEYS ? item->keys[key] : allot__key_at(pick, key, item->row);
}
void allot__item_read(const allot__pick *pick, int32_t row, allot__item *out);
/* Reads all candidates, unsorted; ENOMEM. */
int allot__items_read(const allot__pick *pick, allot_engine *engine, allot__items *all);
/* Packs all keys into one if they fit 64 bits, so that comparisons are cheap. */
void allot__items_pack(const allot__pick *pick, allot__items *all);
/* Sorts the items. ENOMEM: they are unchanged. */
int allot__items_sort(const allot__pick *pick, allot_engine *engine, allot__items *all);
/* Keeps the items that go until `owed` is covered, and perhaps some more, and drops the others.
 * Gives up if splitting goes badly: then more items are left to sort. */
void allot__items_shorten(const allot__pick *pick, allot__items *all, int64_t owed);
/* Rules 2 and 3 over sorted items; ENOMEM. */
int allot__items_take(allot__items *all, int64_t owed, allot__arena *arena, allot__picked *out);

/* pick_fast.c: the candidates that go no later than the bar, in no order, and the sum of their
 * slots; ENOMEM. */
int allot__pick_filter(const allot__pick *pick, allot_engine *engine, const allot__item *bar,
                       allot__items *all, int64_t *slots);

#endif
