/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool.c: many small pieces that live equally long and stay where they are. */
#include "base/pool.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

enum { CHUNK = 32 * 1024 };

struct allot__pool_chunk {
    struct allot__pool_chunk *next;
    size_t size; /* of the data */
    alignas(16) char data[];
};

static bool add_chunk(allot_engine *engine, allot__pool *pool, size_t bytes)
{
    size_t size = bytes > CHUNK ? bytes : CHUNK;
    if (size > SIZE_MAX - sizeof(struct allot__pool_chunk))
        return false;
    struct allot__pool_chunk *chunk = allot__new(engine, 1, sizeof *chunk + size);
    if (!chunk)
        return false;
    chunk->next = pool->chunks;
    chunk->size = size;
    pool->chunks = chunk;
    pool->used = 0;
    pool->room = size;
    return true;
}

void *allot__pool_take(allot_engine *engine, allot__pool *pool, size_t bytes, size_t align)
{
    size_t at = (pool->used + align - 1) & ~(align - 1);
    if (!pool->chunks || at > pool->room || bytes > pool->room - at) {
        if (!add_chunk(engine, pool, bytes))
            return NULL;
        at = 0;
    }
    pool->used = at + bytes;
    return pool->chunks->data + at;
}

char *allot__pool_copy(allot_engine *engine, allot__pool *pool, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = allot__pool_take(engine, pool, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

void allot__pool_clear(allot_engine *engine, allot__pool *pool)
{
    struct allot__pool_chunk *newest = pool->chunks;
    if (!newest)
        return;
    allot__pool rest = {.chunks = newest->next};
    allot__pool_free(engine, &rest);
    newest->next = NULL;
    memset(newest->data, 0, pool->used); /* pieces are handed out zeroed */
    pool->used = 0;
}

void allot__pool_free(allot_engine *engine, allot__pool *pool)
{
    for (struct allot__pool_chunk *it = pool->chunks, *next; it; it = next) {
        next = it->next;
        allot__free(engine, it, 1, sizeof *it + it->size);
    }
    *pool = (allot__pool){0};
}
