/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool.h: many small pieces that live equally long and stay where they are. */
#ifndef ALLOT_BASE_POOL_H
#define ALLOT_BASE_POOL_H

#include "base/memory.h"

/* Pieces come one after another from chunks, and are freed all at once. Zero it to begin. */
typedef struct allot__pool {
    struct allot__pool_chunk *chunks;
    size_t used, room; /* of the newest chunk */
} allot__pool;

/* `bytes` bytes, maybe none, zeroed, aligned to `align` (a power of two, at most 16); NULL when out
 * of memory. */
void *allot__pool_take(allot_engine *engine, allot__pool *pool, size_t bytes, size_t align);
/* A copy of a string with its NUL. */
char *allot__pool_copy(allot_engine *engine, allot__pool *pool, const char *text);
/* Frees all pieces; the newest chunk stays for new ones. */
void allot__pool_clear(allot_engine *engine, allot__pool *pool);
void allot__pool_free(allot_engine *engine, allot__pool *pool);

#endif
