/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * arena.c: memory that is handed out piece by piece and freed whole.
 *
 * This file owns: struct allot__chunk.
 */
#include "base/memory.h"

#include <string.h>

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
