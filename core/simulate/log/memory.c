/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory.c: lists that grow, and texts that are kept once. */
#include "simulate/log/memory.h"

#include <stdint.h>
#include <string.h>

void *allot__take(allot_engine *engine, size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size)
        return NULL;
    void *block = allot_engine_alloc(engine, NULL, 0, count * size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void allot__give(allot_engine *engine, void *block, size_t count, size_t size)
{
    if (block)
        allot_engine_alloc(engine, block, count * size, 0);
}

int allot__list_room(allot_engine *engine, allot__list *list, size_t more, size_t size)
{
    list->size = size;
    if (list->room - list->count >= more)
        return ALLOT_OK;
    size_t room = list->room * 2 > 16 ? list->room * 2 : 16;
    room = room > list->count + more ? room : list->count + more;
    if (room > SIZE_MAX / size)
        return ALLOT_ENOMEM;
    void *items = allot_engine_alloc(engine, list->items, list->room * size, room * size);
    if (!items)
        return ALLOT_ENOMEM;
    list->items = items;
    list->room = room;
    return ALLOT_OK;
}

void *allot__list_add(allot_engine *engine, allot__list *list, size_t size)
{
    if (allot__list_room(engine, list, 1, size) != ALLOT_OK)
        return NULL;
    void *item = (char *)list->items + list->count++ * size;
    memset(item, 0, size);
    return item;
}

void allot__list_free(allot_engine *engine, allot__list *list)
{
    allot__give(engine, list->items, list->room, list->size);
    *list = (allot__list){0};
}

void allot__list_trim(allot_engine *engine, allot__list *list)
{
    if (list->count == list->room || list->count == 0)
        return;
    void *items =
        allot_engine_alloc(engine, list->items, list->room * list->size, list->count * list->size);
    if (!items)
        return;
    list->items = items;
    list->room = list->count;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t hash(const char *text, size_t len)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)text[i]) * 16777619u;
    return sum;
}

const char *allot__book_text(const allot__book *names, int32_t number)
{
    if (number < 0)
        return NULL;
    return (const char *)names->bytes.items + ((const size_t *)names->starts.items)[number];
}

static bool is(const allot__book *names, int32_t number, const char *text, size_t len)
{
    const char *own = allot__book_text(names, number);
    return strncmp(own, text, len) == 0 && own[len] == '\0';
}

/* The place among the slots where the text is, or where it would come. */
static size_t place_of(const allot__book *names, const char *text, size_t len)
{
    const int32_t *slots = names->slots.items;
    size_t mask = names->slots.count - 1, at = hash(text, len) & mask;
    while (slots[at] != 0 && !is(names, slots[at] - 1, text, len))
        at = (at + 1) & mask;
    return at;
}

int32_t allot__book_find(const allot__book *names, const char *text, size_t len)
{
    if (names->slots.count == 0)
        return -1;
    return ((const int32_t *)names->slots.items)[place_of(names, text, len)] - 1;
}

/* Twice as many slots as names, at least. */
static int make_slots(allot_engine *engine, allot__book *names)
{
    size_t wanted = names->slots.count == 0 ? 64 : names->slots.count * 2;
    if (names->slots.count > 2 * (names->starts.count + 1))
        return ALLOT_OK;
    int32_t *slots = allot__take(engine, wanted, sizeof *slots);
    if (!slots)
        return ALLOT_ENOMEM;
    allot__list_free(engine, &names->slots);
    names->slots = (allot__list){slots, wanted, wanted, sizeof *slots};
    for (size_t i = 0; i < names->starts.count; i++) {
        const char *text = allot__book_text(names, (int32_t)i);
        slots[place_of(names, text, strlen(text))] = (int32_t)i + 1;
    }
    return ALLOT_OK;
}

int32_t allot__book_put(allot_engine *engine, allot__book *names, const char *text, size_t len)
{
    int32_t found = allot__book_find(names, text, len);
    if (found >= 0)
        return found;
    if (names->starts.count >= INT32_MAX - 1 || make_slots(engine, names) != ALLOT_OK ||
        allot__list_room(engine, &names->starts, 1, sizeof(size_t)) != ALLOT_OK ||
        allot__list_room(engine, &names->bytes, len + 1, 1) != ALLOT_OK)
        return -1;
    char *copy = (char *)names->bytes.items + names->bytes.count;
    size_t place = place_of(names, text, len);
    memcpy(copy, text, len);
    copy[len] = '\0';
    ((size_t *)names->starts.items)[names->starts.count] = names->bytes.count;
    ((int32_t *)names->slots.items)[place] = (int32_t)++names->starts.count;
    names->bytes.count += len + 1;
    return (int32_t)names->starts.count - 1;
}

void allot__book_free(allot_engine *engine, allot__book *names)
{
    allot__list_free(engine, &names->bytes);
    allot__list_free(engine, &names->starts);
    allot__list_free(engine, &names->slots);
}
