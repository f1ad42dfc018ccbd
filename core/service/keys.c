/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* keys.c: idempotency keys, which go as they came. */
#include "service/keys.h"

#include <string.h>

#include "service/map.h"
#include "service/text.h"

typedef struct key_item {
    allot__named named;
    int64_t seq, at;
    size_t size;
} key_item;

struct allot__keys {
    allot_engine *engine;
    allot__map map;
};

int allot__keys_new(allot_engine *engine, allot__keys **out)
{
    allot__keys *keys = allot__sv_new(engine, 1, sizeof *keys);
    if (keys == NULL)
        return ALLOT_ENOMEM;
    keys->engine = keys->map.engine = engine;
    *out = keys;
    return ALLOT_OK;
}

static void take(allot__keys *keys, allot__named *named)
{
    key_item *item = (key_item *)(void *)named;
    allot__map_take(&keys->map, named);
    allot__sv_free(keys->engine, item, 1, item->size);
}

void allot__keys_free(allot__keys *keys)
{
    if (keys == NULL)
        return;
    while (keys->map.first != NULL)
        take(keys, keys->map.first);
    allot__map_free(&keys->map);
    allot__sv_free(keys->engine, keys, 1, sizeof *keys);
}

int64_t allot__keys_find(const allot__keys *keys, const char *key)
{
    const allot__named *found = allot__map_find(&keys->map, key, strlen(key));
    return found != NULL ? ((const key_item *)(const void *)found)->seq : 0;
}

int allot__keys_add(allot__keys *keys, const char *key, int64_t seq, int64_t at)
{
    size_t len = strlen(key), size = sizeof(key_item) + len + 1;
    key_item *item = allot__sv_new(keys->engine, 1, size);
    if (item == NULL)
        return ALLOT_ENOMEM;
    char *text = (char *)(item + 1);
    memcpy(text, key, len + 1);
    *item = (key_item){.named = {.name = text, .len = len}, .seq = seq, .at = at, .size = size};
    if (allot__map_put(&keys->map, &item->named) != ALLOT_OK) {
        allot__sv_free(keys->engine, item, 1, size);
        return ALLOT_ENOMEM;
    }
    const key_item *oldest = (const key_item *)(const void *)keys->map.first;
    while (keys->map.count > ALLOT__KEYS_MOST || oldest->at < at - ALLOT__KEYS_AGE) {
        take(keys, keys->map.first);
        oldest = (const key_item *)(const void *)keys->map.first;
    }
    return ALLOT_OK;
}

void allot__keys_undo(allot__keys *keys)
{
    take(keys, keys->map.last);
}
