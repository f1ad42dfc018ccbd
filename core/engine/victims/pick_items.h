/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick_items.h: rows with their keys beside them, so that they can be put in order.
 */
#ifndef ALLOT_ENGINE_VICTIMS_PICK_ITEMS_H
#define ALLOT_ENGINE_VICTIMS_PICK_ITEMS_H

#include "engine/victims/pick.h"

/* A row with its first keys, turned so that all rise; the others are asked for. */
enum { ALLOT__ITEM_KEYS = 3 };
typedef struct allot__item {
    int64_t keys[ALLOT__ITEM_KEYS];
    int32_t slots, row;
} allot__item;

/* Zero it to begin. */
typedef struct allot__items {
    allot__item *list;
    size_t capacity;
    int32_t count;
    bool packed;  /* the first key tells as much as all of them, */
    int32_t bits; /* ... and is below 2^bits */
} allot__items;

static inline bool allot__pick_ineligible(const allot__pick *pick, int32_t row)
{
    return pick->ineligible != NULL && pick->ineligible[row] != 0;
}

/* Makes room for `count` in all; ENOMEM. */
int allot__items_room(allot_engine *engine, allot__items *all, size_t count);
void allot__items_free(allot_engine *engine, allot__items *all);
/* A key's value, turned so that it rises. */
int64_t allot__key_at(const allot__pick *pick, int32_t key, int32_t row);
static inline int64_t allot__item_key(const allot__pick *pick, const allot__item *item, int32_t key)
{
    return key < ALLOT__ITEM_KEYS ? item->keys[key] : allot__key_at(pick, key, item->row);
}
void allot__item_read(const allot__pick *pick, int32_t row, allot__item *out);
/* All candidates, in no order; ENOMEM. */
int allot__items_read(const allot__pick *pick, allot_engine *engine, allot__items *all);
/* Makes one key of all where they fit 64 bits, so that comparing is cheap. */
void allot__items_pack(const allot__pick *pick, allot__items *all);
/* ENOMEM: all is as it was. */
int allot__items_sort(const allot__pick *pick, allot_engine *engine, allot__items *all);
/* Leaves those that go until `owed` is covered, and perhaps some more, in front, and drops the
 * others. Where that goes on badly it is given up: then more is left to sort. */
void allot__items_shorten(const allot__pick *pick, allot__items *all, int64_t owed);
/* Rules 2 and 3 over items in order; ENOMEM. */
int allot__items_take(allot__items *all, int64_t owed, allot__arena *arena, allot__picked *out);

#endif
