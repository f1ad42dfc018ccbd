/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* map.c: a hash map by name: open addressing, at most half full. */
#include "service/base/map.h"

#include <string.h>

#include "base/text.h"
#include "base/memory.h"

uint64_t allot__map_hash(const char *name, size_t len)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211U;
    return hash ^ hash >> 29;
}

/* The place of a name, or where it would be put. */
static size_t place(const allot__map *map, const char *name, size_t len, uint64_t hash)
{
    size_t mask = map->capacity - 1, at = hash & mask;
    for (const allot__map_slot *slot; (slot = &map->slots[at])->item; at = (at + 1) & mask)
        if (slot->hash == hash && slot->item->len == len &&
            memcmp(slot->item->name, name, len) == 0)
            break;
    return at;
}

allot__map_item *allot__map_find(const allot__map *map, const char *name, size_t len)
{
    if (map->count == 0)
        return NULL;
    return map->slots[place(map, name, len, allot__map_hash(name, len))].item;
}

static int widen(allot__map *map, size_t capacity)
{
    allot__map wide = *map;
    wide.capacity = capacity;
    wide.slots = allot__new(map->engine, wide.capacity, sizeof *wide.slots);
    if (!wide.slots)
        return ALLOT_ENOMEM;
    for (allot__map_item *it = map->first; it; it = it->after)
        wide.slots[place(&wide, it->name, it->len, it->hash)] = (allot__map_slot){it->hash, it};
    allot__free(map->engine, map->slots, map->capacity, sizeof *map->slots);
    *map = wide;
    return ALLOT_OK;
}

int allot__map_reserve(allot__map *map)
{
    if (map->count * 2 < map->capacity)
        return ALLOT_OK;
    return widen(map, map->capacity > 0 ? map->capacity * 2 : 16);
}

void allot__map_room(allot__map *map, size_t more)
{
    size_t capacity = map->capacity > 0 ? map->capacity : 16;
    while (capacity < (map->count + more) * 2)
        capacity *= 2;
    if (capacity > map->capacity && more > 0)
        widen(map, capacity);
}

int allot__map_put(allot__map *map, allot__map_item *item)
{
    int status = allot__map_reserve(map);
    if (status != ALLOT_OK)
        return status;
    item->hash = allot__map_hash(item->name, item->len);
    map->slots[place(map, item->name, item->len, item->hash)] = (allot__map_slot){item->hash, item};
    item->order = map->order++;
    item->walk = map->walk; /* a walk now began before the item was in */
    item->after = NULL;
    item->before = map->last;
    if (map->last)
        map->last->after = item;
    else
        map->first = item;
    map->last = item;
    map->count++;
    return ALLOT_OK;
}

/* Closes a hole: moves later slots into it, unless their own place lies after it. */
static void close_hole(allot__map *map, size_t hole)
{
    size_t mask = map->capacity - 1, at = hole;
    for (;;) {
        at = (at + 1) & mask;
        if (!map->slots[at].item)
            break;
        size_t home = map->slots[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole].item = NULL;
}

void allot__map_take(allot__map *map, allot__map_item *item)
{
    if (map->walker)
        map->walker->leaves(map->walker, item);
    close_hole(map, place(map, item->name, item->len, item->hash));
    if (item->before)
        item->before->after = item->after;
    else
        map->first = item->after;
    if (item->after)
        item->after->before = item->before;
    else
        map->last = item->before;
    map->count--;
}

void allot__map_free(allot__map *map)
{
    allot__free(map->engine, map->slots, map->capacity, sizeof *map->slots);
    *map = (allot__map){.engine = map->engine};
}
