/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * map.h: a hash map of items by name.
 *
 * An item begins with an allot__map_item; it belongs to the caller and must not move while it is
 * in. Names are compared as bytes. Items keep the order of insertion.
 *
 * A map can be walked while it changes (books/write.c): the *walker* is called before an item
 * changes or leaves.
 */
#ifndef ALLOT_SERVICE_BASE_MAP_H
#define ALLOT_SERVICE_BASE_MAP_H

#include <stdbool.h>

#include <allot/allot.h>

typedef struct allot__map_item {
    const char *name; /* the caller's */
    size_t len;
    size_t size; /* of the block that it begins, for the caller */
    uint64_t hash;
    struct allot__map_item *before, *after; /* in the order of insertion */
    uint64_t order;                         /* its number in that order */
    uint32_t walk; /* the last walk that visited it, or began before it was in */
} allot__map_item;

typedef struct allot__walker {
    /* Called before an item changes, and before it leaves. */
    void (*changes)(struct allot__walker *walker, allot__map_item *item);
    void (*leaves)(struct allot__walker *walker, allot__map_item *item);
} allot__walker;

/* Has the hash of the item's name, so that a search need not read other items. */
typedef struct allot__map_slot {
    uint64_t hash;
    allot__map_item *item; /* NULL: it is free */
} allot__map_slot;

typedef struct allot__map {
    allot_engine *engine;
    allot__map_slot *slots;
    size_t count, capacity; /* 0, or a power of two */
    allot__map_item *first, *last;
    allot__walker *walker; /* NULL: no walk */
    uint32_t walk;         /* the number of the last walk that began */
    uint64_t order;        /* items that were put in */
} allot__map;

allot__map_item *allot__map_find(const allot__map *map, const char *name, size_t len);
/* `item` has its name and length; nothing of that name is in. ENOMEM. */
int allot__map_put(allot__map *map, allot__map_item *item);
void allot__map_take(allot__map *map, allot__map_item *item);
/* Reserves capacity for one more, so that the next put cannot fail. ENOMEM. */
int allot__map_reserve(allot__map *map);
/* Reserves capacity for `more` items, if there is memory, to save growing step by step. */
void allot__map_room(allot__map *map, size_t more);
/* The hash of a name. With it the next two prefetch what a later search will read: the slot, and
 * then the item in the slot. */
uint64_t allot__map_hash(const char *name, size_t len);
static inline void allot__map_fetch_slot(const allot__map *map, uint64_t hash)
{
    if (map->count > 0)
        __builtin_prefetch(&map->slots[hash & (map->capacity - 1)]);
}
static inline void allot__map_fetch_item(const allot__map *map, uint64_t hash)
{
    const allot__map_slot *slot = map->count > 0 ? &map->slots[hash & (map->capacity - 1)] : NULL;
    if (slot && slot->item && slot->hash == hash) {
        __builtin_prefetch(slot->item);
        __builtin_prefetch((const char *)slot->item + 64);
        __builtin_prefetch((const char *)slot->item + 128);
    }
}
/* Call it before an item is changed in place. */
static inline void allot__map_touch(const allot__map *map, allot__map_item *item)
{
    if (map->walker)
        map->walker->changes(map->walker, item);
}
/* Empties the map; the items stay the caller's. */
void allot__map_free(allot__map *map);

#endif
