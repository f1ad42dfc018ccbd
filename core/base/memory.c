/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory.c: the engine and the blocks that it hands out; memory handed out piece by piece and freed
 * whole. */
#include "base/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void *standard_alloc(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    (void)ud;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

int allot_engine_new(allot_alloc alloc, void *ud, allot_engine **out)
{
    if (!out)
        return ALLOT_EUSAGE;
    if (!alloc)
        alloc = standard_alloc;
    allot_engine *engine = alloc(ud, NULL, 0, sizeof *engine);
    if (!engine)
        return ALLOT_ENOMEM;
    *engine = (allot_engine){.alloc = alloc, .ud = ud};
    *out = engine;
    return ALLOT_OK;
}

void allot__teller_free(allot_engine *engine)
{
    if (engine->teller)
        engine->teller_end(engine->teller);
    engine->teller = NULL;
}

void allot_engine_free(allot_engine *engine)
{
    if (!engine)
        return;
    allot__spare_free(engine);
    allot__teller_free(engine);
    engine->alloc(engine->ud, engine, sizeof *engine, 0);
}

void *allot_engine_alloc(allot_engine *engine, void *ptr, size_t old_size, size_t new_size)
{
    if (!ptr && new_size == 0)
        return NULL;
    return engine->alloc(engine->ud, ptr, ptr ? old_size : 0, new_size);
}

void *allot__new(allot_engine *engine, size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size)
        return NULL;
    void *block = allot_engine_alloc(engine, NULL, 0, count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

void allot__free(allot_engine *engine, void *block, size_t count, size_t size)
{
    if (block)
        allot_engine_alloc(engine, block, count * size, 0);
}

char *allot__copy(allot_engine *engine, const char *text, size_t len)
{
    char *copy = allot_engine_alloc(engine, NULL, 0, len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void allot__free_string(allot_engine *engine, char *text)
{
    if (text)
        allot_engine_alloc(engine, text, strlen(text) + 1, 0);
}

void *allot__grow(allot_engine *engine, void *block, size_t *capacity, size_t need, size_t size)
{
    if (block && need <= *capacity)
        return block;
    size_t room = *capacity < 8 ? 8 : *capacity;
    while (room < need && room <= SIZE_MAX / 2)
        room *= 2;
    if (room < need || room > SIZE_MAX / size)
        return NULL;
    void *grown = allot_engine_alloc(engine, block, *capacity * size, room * size);
    if (grown)
        *capacity = room;
    return grown;
}

int allot__vector_room(allot_engine *engine, allot__vector *vector, size_t more, size_t size)
{
    if (more > SIZE_MAX - vector->count)
        return ALLOT_ENOMEM;
    void *items = allot__grow(engine, vector->items, &vector->capacity, vector->count + more, size);
    if (!items)
        return ALLOT_ENOMEM;
    vector->items = items;
    vector->size = size;
    return ALLOT_OK;
}

void *allot__push(allot_engine *engine, allot__vector *vector, size_t size)
{
    if (vector->count == vector->capacity && allot__vector_room(engine, vector, 1, size))
        return NULL;
    return memset((char *)vector->items + vector->count++ * size, 0, size);
}

void allot__vector_trim(allot_engine *engine, allot__vector *vector)
{
    if (vector->count == vector->capacity || vector->count == 0)
        return;
    void *items = allot_engine_alloc(engine, vector->items, vector->capacity * vector->size,
                                     vector->count * vector->size);
    if (!items)
        return;
    vector->items = items;
    vector->capacity = vector->count;
}

void allot__vector_free(allot_engine *engine, allot__vector *vector)
{
    allot__free(engine, vector->items, vector->capacity, vector->size);
    *vector = (allot__vector){0};
}

/* ---- Arenas ---------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64, SMALLEST = 64 * 1024 };

struct allot__chunk {
    struct allot__chunk *next;
    size_t size; /* of the whole block, with this header and alignment loss */
};

static const size_t overhead = sizeof(struct allot__chunk) + ALIGNMENT;

static void chunk_free(allot_engine *engine, struct allot__chunk *chunk)
{
    allot__free(engine, chunk, chunk ? chunk->size : 0, 1);
}

static char *chunk_data(struct allot__chunk *chunk)
{
    uintptr_t start = (uintptr_t)(chunk + 1);
    return (char *)(chunk + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
}

/* Keeps the larger of two chunks as the engine's spare. */
static void spare_offer(allot_engine *engine, struct allot__chunk *chunk)
{
    struct allot__chunk *loser = chunk;
    if (!engine->spare || engine->spare->size < chunk->size) {
        loser = engine->spare;
        engine->spare = chunk;
    }
    chunk_free(engine, loser);
}

void allot__spare_free(allot_engine *engine)
{
    chunk_free(engine, engine->spare);
    engine->spare = NULL;
}

void allot__spare_trim(allot_engine *engine)
{
    if (engine->spare && engine->spare->size > SMALLEST + overhead)
        allot__spare_free(engine);
}

void allot__arena_init(allot__arena *arena, allot_engine *engine)
{
    *arena = (allot__arena){.engine = engine, .chunks = engine->spare};
    engine->spare = NULL;
    if (!arena->chunks)
        return;
    arena->chunks->next = NULL;
    arena->capacity = arena->chunks->size - overhead;
}

int allot__arena_reserve(allot__arena *arena, size_t bytes)
{
    if (bytes <= arena->capacity - arena->used)
        return ALLOT_OK;
    size_t room = arena->capacity < SIZE_MAX / 2 ? arena->capacity * 2 : arena->capacity;
    if (room < SMALLEST)
        room = SMALLEST;
    if (room < bytes)
        room = bytes;
    if (room > SIZE_MAX - overhead)
        return ALLOT_ENOMEM;
    struct allot__chunk *chunk = allot_engine_alloc(arena->engine, NULL, 0, room + overhead);
    if (!chunk)
        return ALLOT_ENOMEM;
    *chunk = (struct allot__chunk){.next = arena->chunks, .size = room + overhead};
    arena->chunks = chunk;
    arena->used = 0;
    arena->capacity = room;
    return ALLOT_OK;
}

void *allot__arena_take(allot__arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    if (allot__arena_reserve(arena, bytes))
        return NULL;
    void *piece = chunk_data(arena->chunks) + arena->used;
    arena->used += bytes;
    return piece;
}

void *allot__arena_zeroed(allot__arena *arena, size_t count, size_t size)
{
    void *piece = allot__arena_take(arena, count, size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

int allot__arena_all(allot__arena *arena, bool zeroed, const allot__wanted *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *piece = zeroed ? allot__arena_zeroed(arena, all[i].count + 1, all[i].size)
                             : allot__arena_take(arena, all[i].count, all[i].size);
        if (!piece)
            return ALLOT_ENOMEM;
        memcpy(all[i].slot, &piece, sizeof piece);
    }
    return ALLOT_OK;
}

void allot__arena_free(allot__arena *arena)
{
    struct allot__chunk *chunk = arena->chunks;
    while (chunk) {
        struct allot__chunk *next = chunk->next;
        spare_offer(arena->engine, chunk);
        chunk = next;
    }
    *arena = (allot__arena){.engine = arena->engine};
}

/* ---- Pools ----------------------------------------------------------------------------------- */

/* The first chunk is small, since small documents come by the thousand. */
enum { FIRST_CHUNK = 4 * 1024, CHUNK = 32 * 1024 };

struct allot__pool_chunk {
    struct allot__pool_chunk *next;
    size_t size; /* of the data */
    alignas(16) char data[];
};

static bool add_chunk(allot_engine *engine, allot__pool *pool, size_t bytes)
{
    size_t least = pool->chunks ? CHUNK : FIRST_CHUNK, size = bytes > least ? bytes : least;
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
