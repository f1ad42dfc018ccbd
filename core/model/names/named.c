/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* named.c: lists of named things, found by name. */
#include "model/names/named.h"

#include <string.h>

static uint32_t hash_of(const char *name)
{
    return allot__hash(0, name, strlen(name));
}

int32_t allot__named_find(const allot__vector *list, const allot__index *index, const char *name)
{
    uint32_t hash = hash_of(name), probe = 0;
    int32_t found;
    while ((found = allot__index_next(index, hash, &probe)) >= 0)
        if (strcmp(allot__named_at(list, found), name) == 0)
            return found;
    return -1;
}

void *allot__named_add(allot_engine *engine, allot__pool *pool, allot__vector *list,
                       allot__index *index, const char *name, size_t size)
{
    if (list->count >= INT32_MAX - 1 || allot__index_room(engine, index))
        return NULL;
    const char *copy = allot__pool_copy(engine, pool, name);
    const char **added = copy ? allot__push(engine, list, size) : NULL;
    if (!added)
        return NULL;
    *added = copy;
    allot__index_add(index, hash_of(name), (int32_t)list->count - 1);
    return added;
}

int32_t allot__named_number(allot_engine *engine, allot__pool *pool, allot__vector *list,
                            allot__index *index, const char *name)
{
    int32_t found = allot__named_find(list, index, name);
    if (found >= 0)
        return found;
    bool added = allot__named_add(engine, pool, list, index, name, sizeof(const char *));
    return added ? (int32_t)list->count - 1 : -2;
}

int allot__texts_copy(allot_engine *engine, allot__pool *pool, const char *const *texts, int32_t n,
                      const char *const **out)
{
    const char **copy = NULL;
    if (n > 0) {
        copy = allot__pool_take(engine, pool, (size_t)n * sizeof *copy, sizeof *copy);
        if (!copy)
            return ALLOT_ENOMEM;
    }
    for (int32_t i = 0; i < n; i++) {
        copy[i] = allot__pool_copy(engine, pool, texts[i]);
        if (!copy[i])
            return ALLOT_ENOMEM;
    }
    *out = copy;
    return ALLOT_OK;
}

int allot__text_copy(allot_engine *engine, allot__pool *pool, const char *text, const char **out)
{
    const char *copy = text ? allot__pool_copy(engine, pool, text) : NULL;
    if (text && !copy)
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot__texts_check(const char *const *texts, int32_t n)
{
    if (n < 0 || (n > 0 && !texts))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < n; i++)
        if (!allot__label_valid(texts[i]))
            return ALLOT_ENAME;
    return ALLOT_OK;
}
