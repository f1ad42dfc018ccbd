/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* things.c: things by id, in the order of adding. */
#include "model/items/things.h"

#include <string.h>

/* ---- A thing --------------------------------------------------------------------------------- */

allot__thing *allot__thing_make(allot_engine *engine, allot_item kind, const void *item)
{
    const allot_members *members = allot_members_of(kind);
    size_t own = (members->size + 7) & ~(size_t)7;
    size_t size = sizeof(allot__thing) + own + allot_item_room(members, item);
    allot__thing *thing = size < INT32_MAX ? allot__new(engine, size, 1) : NULL;
    if (!thing)
        return NULL;
    thing->size = (uint32_t)size & INT32_MAX;
    allot_item_copy(members, item, thing + 1, (char *)(thing + 1) + own);
    memcpy(&thing->id, thing + 1, sizeof thing->id);
    return thing;
}

void allot__thing_free(allot_engine *engine, allot__thing *thing)
{
    if (thing)
        allot__free(engine, thing, thing->size, 1);
}

/* ---- Things ---------------------------------------------------------------------------------- */

static bool is_found(const allot__thing *thing)
{
    return thing->id && !thing->part;
}

static uint32_t hash_of(const char *id)
{
    return allot__hash(0, id, strlen(id));
}

allot__thing *allot__things_find(const allot__things *things, const char *id)
{
    uint32_t probe = 0;
    int32_t found;
    if (!id || things->index.count == 0)
        return NULL;
    uint32_t hash = hash_of(id);
    while ((found = allot__index_next(&things->index, hash, &probe)) >= 0) {
        allot__thing *thing = allot__things_at(things, found);
        if (strcmp(thing->id, id) == 0)
            return thing;
    }
    return NULL;
}

int allot__things_room(allot_engine *engine, allot__things *things, size_t more)
{
    if (things->list.count + more >= INT32_MAX || allot__index_room(engine, &things->index))
        return ALLOT_ENOMEM;
    if (allot__vector_room(engine, &things->replaced, more, sizeof(allot__thing *)))
        return ALLOT_ENOMEM;
    return allot__vector_room(engine, &things->list, more, sizeof(allot__thing *));
}

void allot__things_put(allot_engine *engine, allot__things *things, allot__thing *thing)
{
    allot__thing **place = allot__push(engine, &things->list, sizeof(allot__thing *));
    *place = thing;
    thing->number = (int32_t)things->list.count - 1;
    if (is_found(thing))
        allot__index_add(&things->index, hash_of(thing->id), thing->number);
}

void allot__things_swap(allot__things *things, allot__thing *old, allot__thing *thing)
{
    thing->number = old->number;
    ((allot__thing **)things->list.items)[old->number] = thing;
    ((allot__thing **)things->replaced.items)[things->replaced.count++] = old;
}

/* Its number stays unused until gaps are closed up. */
void allot__things_end(allot__things *things, allot__thing *thing)
{
    if (is_found(thing))
        allot__index_remove(&things->index, hash_of(thing->id), thing->number);
    thing->number = -1;
    things->gone++;
}

void allot__things_cut(allot_engine *engine, allot__things *things, size_t count)
{
    while (things->list.count > count) {
        allot__thing *thing = allot__things_at(things, (int32_t)things->list.count - 1);
        if (is_found(thing))
            allot__index_remove(&things->index, hash_of(thing->id), thing->number);
        allot__thing_free(engine, thing);
        things->list.count--;
    }
}

static void free_replaced(allot_engine *engine, allot__things *things)
{
    for (size_t i = 0; i < things->replaced.count; i++)
        allot__thing_free(engine, ((allot__thing **)things->replaced.items)[i]);
    things->replaced.count = 0;
}

int allot__things_close_up(allot_engine *engine, allot__things *things)
{
    size_t count = things->list.count;
    allot__thing **list = things->list.items;
    int32_t left = 0;
    free_replaced(engine, things);
    if (things->gone == 0)
        return ALLOT_OK;
    int32_t *numbers = allot__new(engine, count, sizeof *numbers);
    if (!numbers)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = left;
        if (list[i]->number < 0) {
            allot__thing_free(engine, list[i]);
            continue;
        }
        list[i]->number = left;
        list[left++] = list[i];
    }
    allot__index_renumber(&things->index, numbers);
    allot__free(engine, numbers, count, sizeof *numbers);
    things->list.count = (size_t)left;
    things->gone = 0;
    return ALLOT_OK;
}

void allot__things_clear(allot_engine *engine, allot__things *things)
{
    allot__thing **list = things->list.items;
    for (size_t i = 0; i < things->list.count; i++)
        allot__thing_free(engine, list[i]);
    free_replaced(engine, things);
    things->list.count = things->gone = 0;
    allot__index_clear(&things->index);
}

void allot__things_free(allot_engine *engine, allot__things *things)
{
    allot__things_clear(engine, things);
    allot__vector_free(engine, &things->list);
    allot__vector_free(engine, &things->replaced);
    allot__index_free(engine, &things->index);
}
