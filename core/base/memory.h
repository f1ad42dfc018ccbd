/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * memory.h: the engine's allocator hook, growing blocks, and the arena of a cycle.
 *
 * This file owns: struct allot_engine.
 */
#ifndef ALLOT_BASE_MEMORY_H
#define ALLOT_BASE_MEMORY_H

#include <stdbool.h>

#include <allot/report.h>

struct allot_engine {
    allot_alloc alloc;
    void *ud;
    struct allot__chunk *spare; /* the last cycle's block, kept for the next cycle */
    void *teller;               /* what tells explanations; NULL: none is kept */
    void (*teller_end)(void *teller);
};

/* Ends the kept teller. */
void allot__teller_free(allot_engine *engine);

/* `count` items of `size` bytes, zeroed; NULL on overflow, when out of memory, or for 0 bytes. */
void *allot__new(allot_engine *engine, size_t count, size_t size);
/* Ends a block of `count` items of `size` bytes; NULL is fine. */
void allot__free(allot_engine *engine, void *block, size_t count, size_t size);
/* A copy of `len` bytes with a NUL behind; ends with allot__free(engine, copy, len + 1, 1). */
char *allot__copy(allot_engine *engine, const char *text, size_t len);
void allot__free_string(allot_engine *engine, char *text);

/* Grows a block by doubling to at least `need` items; NULL: out of memory, nothing changed. Items
 * behind the old *capacity are not zeroed. */
void *allot__grow(allot_engine *engine, void *block, size_t *capacity, size_t need, size_t size);

/* A block that grows by doubling. Zero it to begin. */
typedef struct allot__vector {
    void *items;
    size_t count, capacity, size; /* size of an item: set by the first push */
} allot__vector;

/* The items of `size` bytes from number `first` on, for ranges that may be empty; NULL: the vector
 * never had an item (adding even 0 to a NULL pointer would be undefined). */
static inline void *allot__vector_from(const allot__vector *vector, size_t first, size_t size)
{
    return !vector->items ? NULL : (char *)vector->items + first * size;
}

/* Adds a zeroed item; NULL: out of memory, nothing changed. */
void *allot__push(allot_engine *engine, allot__vector *vector, size_t size);
/* Reserves capacity for `more` items. ENOMEM: nothing changed. */
int allot__vector_room(allot_engine *engine, allot__vector *vector, size_t more, size_t size);
/* Frees unused capacity; may fail, and then nothing changes. */
void allot__vector_trim(allot_engine *engine, allot__vector *vector);
void allot__vector_free(allot_engine *engine, allot__vector *vector);

/* One block handed out piece by piece and freed whole: nothing inside has a free of its own. */
typedef struct allot__arena {
    allot_engine *engine;
    struct allot__chunk *chunks;
    size_t used, capacity; /* of the newest chunk */
} allot__arena;

void allot__arena_init(allot__arena *arena, allot_engine *engine);
/* Reserves `bytes` more, so that pieces (each rounded up to 64 bytes) need no further allocation;
 * ENOMEM. */
int allot__arena_reserve(allot__arena *arena, size_t bytes);
/* `count` items of `size` bytes, 64-byte aligned, *not* zeroed; NULL when out of memory. */
void *allot__arena_take(allot__arena *arena, size_t count, size_t size);
/* The same, zeroed. */
void *allot__arena_zeroed(allot__arena *arena, size_t count, size_t size);
/* Several arrays at once, a list of ALLOT__WANTED; ENOMEM. ZEROED: zeroed, with an item more. */
#define ALLOT__TAKE_ALL(arena, ...)   allot__arena_all(arena, false, ALLOT__WANTED_ALL(__VA_ARGS__))
#define ALLOT__ZEROED_ALL(arena, ...) allot__arena_all(arena, true, ALLOT__WANTED_ALL(__VA_ARGS__))
#define ALLOT__WANTED_ALL(...)                                                                     \
    (const allot__wanted[]){__VA_ARGS__},                                                          \
        sizeof((const allot__wanted[]){__VA_ARGS__}) / sizeof(allot__wanted)
#define ALLOT__WANTED(slot, count)                                                                 \
    {                                                                                              \
        &(slot), (count), sizeof *(slot)                                                           \
    }
/* So many items for each of up to 12 arrays. */
#define ALLOT__EACH(n, ...)     ALLOT__LIST(ALLOT__WANTED_OF, n, __VA_ARGS__)
#define ALLOT__WANTED_OF(n, it) ALLOT__WANTED(it, n)

/* A list of of(with, x) for each x of up to 12. */
#define ALLOT__LIST(of, with, ...)                                                                 \
    ALLOT__LIST_COUNT(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)                       \
    (of, with, __VA_ARGS__)
#define ALLOT__LIST_COUNT(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) ALLOT__LIST_##count

#define ALLOT__LIST_1(of, with, x)       of(with, x)
#define ALLOT__LIST_2(of, with, x, ...)  of(with, x), ALLOT__LIST_1(of, with, __VA_ARGS__)
#define ALLOT__LIST_3(of, with, x, ...)  of(with, x), ALLOT__LIST_2(of, with, __VA_ARGS__)
#define ALLOT__LIST_4(of, with, x, ...)  of(with, x), ALLOT__LIST_3(of, with, __VA_ARGS__)
#define ALLOT__LIST_5(of, with, x, ...)  of(with, x), ALLOT__LIST_4(of, with, __VA_ARGS__)
#define ALLOT__LIST_6(of, with, x, ...)  of(with, x), ALLOT__LIST_5(of, with, __VA_ARGS__)
#define ALLOT__LIST_7(of, with, x, ...)  of(with, x), ALLOT__LIST_6(of, with, __VA_ARGS__)
#define ALLOT__LIST_8(of, with, x, ...)  of(with, x), ALLOT__LIST_7(of, with, __VA_ARGS__)
#define ALLOT__LIST_9(of, with, x, ...)  of(with, x), ALLOT__LIST_8(of, with, __VA_ARGS__)
#define ALLOT__LIST_10(of, with, x, ...) of(with, x), ALLOT__LIST_9(of, with, __VA_ARGS__)
#define ALLOT__LIST_11(of, with, x, ...) of(with, x), ALLOT__LIST_10(of, with, __VA_ARGS__)
#define ALLOT__LIST_12(of, with, x, ...) of(with, x), ALLOT__LIST_11(of, with, __VA_ARGS__)

typedef struct allot__wanted {
    void *slot; /* where the pointer to the array is stored */
    size_t count, size;
} allot__wanted;
int allot__arena_all(allot__arena *arena, bool zeroed, const allot__wanted *all, size_t count);
/* The largest block stays with the engine, for the next arena. */
void allot__arena_free(allot__arena *arena);
/* Ends the block that the engine keeps; or only if it is larger than what any arena begins with. */
void allot__spare_free(allot_engine *engine);
void allot__spare_trim(allot_engine *engine);

/* ---- Many small pieces that live equally long and stay where they are ---------------------------
 */

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
