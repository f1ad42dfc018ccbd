/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * map.h: things by their names.
 *
 * What is put in begins with an allot__named; it belongs to the caller and must not move while it
 * is in. Names are compared as bytes. Things keep the order of putting in.
 */
#ifndef ALLOT_SERVICE_MAP_H
#define ALLOT_SERVICE_MAP_H

#include <stdbool.h>

#include <allot/allot.h>

typedef struct allot__named {
    const char *name; /* the caller's */
    size_t len;
    uint64_t hash;
    struct allot__named *before, *after; /* in the order of putting in */
} allot__named;

typedef struct allot__map {
    allot_engine *engine;
    allot__named **slots;
    size_t count, capacity; /* 0, or a power of two */
    allot__named *first, *last;
} allot__map;

allot__named *allot__map_find(const allot__map *map, const char *name, size_t len);
/* `item` has its name and length; nothing of that name is in. ENOMEM. */
int allot__map_put(allot__map *map, allot__named *item);
void allot__map_take(allot__map *map, allot__named *item);
/* Puts an item in the place of one that has the same name. */
void allot__map_swap(allot__map *map, allot__named *old, allot__named *item);
/* Room for one more, so that the next put cannot fail. ENOMEM. */
int allot__map_reserve(allot__map *map);
/* Forgets all; the items are the caller's. */
void allot__map_free(allot__map *map);

#endif
