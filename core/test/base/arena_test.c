/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* arena_test.c: pieces of an arena, and the block that stays with the engine. */
#include <string.h>

#include "base/memory.h"
#include "test/support/check.h"
#include "test/support/oom.h"

static oom memory;
static allot_engine *engine;

static void begin(void)
{
    memory = (oom){0};
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
}

static void end(void)
{
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void pieces_are_aligned_and_apart(void)
{
    begin();
    allot__arena arena;
    allot__arena_init(&arena, engine);
    unsigned char *pieces[200];
    for (size_t i = 0; i < 200; i++) {
        pieces[i] = allot__arena_take(&arena, i * 37, 5);
        if (!CHECK(pieces[i]))
            return;
        CHECK_EQ((uintptr_t)pieces[i] % 64, 0);
        memset(pieces[i], (int)i, i * 37 * 5);
    }
    for (size_t i = 0; i < 200; i++) {
        size_t wrong = 0;
        for (size_t k = 0; k < i * 37 * 5; k++)
            wrong += pieces[i][k] != (unsigned char)i;
        CHECK_EQ(wrong, 0);
    }
    allot__arena_free(&arena);
    CHECK_EQ(memory.blocks, 2); /* the engine and its spare */
    end();
}

static void what_is_reserved_needs_no_more_memory(void)
{
    begin();
    allot__arena arena;
    allot__arena_init(&arena, engine);
    CHECK_EQ(allot__arena_reserve(&arena, 64 * 3000), ALLOT_OK);
    long calls = memory.calls;
    for (int i = 0; i < 3000; i++)
        CHECK(allot__arena_take(&arena, 1, 1 + (size_t)i % 64));
    CHECK_EQ(memory.calls, calls);
    allot__arena_free(&arena);
    end();
}

static void the_next_arena_asks_for_nothing(void)
{
    begin();
    allot__arena arena;
    for (int round = 0; round < 5; round++) {
        allot__arena_init(&arena, engine);
        for (int i = 0; i < 100; i++)
            CHECK(allot__arena_take(&arena, 10000, 8));
        allot__arena_free(&arena);
    }
    long calls = memory.calls;
    allot__arena_init(&arena, engine);
    for (int i = 0; i < 100; i++)
        CHECK(allot__arena_take(&arena, 10000, 8));
    CHECK_EQ(memory.calls, calls);
    allot__arena_free(&arena);
    end();
}

static void fill(allot__arena *arena, int pieces)
{
    long calls = memory.calls;
    for (int i = 0; i < pieces; i++)
        memset(allot__arena_take(arena, 64, 1), 1, 64);
    CHECK_EQ(memory.calls, calls);
}

/* The spare has room for what its arena had room for, and no more. */
static void the_spare_is_used_to_its_end(void)
{
    begin();
    allot__arena arena;
    allot__arena_init(&arena, engine);
    CHECK_EQ(allot__arena_reserve(&arena, 64 * 5000), ALLOT_OK);
    fill(&arena, 5000);
    allot__arena_free(&arena);
    allot__arena_init(&arena, engine);
    fill(&arena, 5000);
    long calls = memory.calls;
    CHECK(allot__arena_take(&arena, 1, 1));
    CHECK_EQ(memory.calls, calls + 1);
    allot__arena_free(&arena);
    end();
}

static void two_arenas_do_not_share_the_spare(void)
{
    begin();
    allot__arena first, second;
    allot__arena_init(&first, engine);
    CHECK(allot__arena_take(&first, 1, 100));
    allot__arena_free(&first);
    allot__arena_init(&first, engine);
    allot__arena_init(&second, engine);
    char *a = allot__arena_take(&first, 1, 100), *b = allot__arena_take(&second, 1, 1000000);
    CHECK(a && b && a != b);
    allot__arena_free(&second);
    size_t large = memory.bytes;
    allot__arena_free(&first); /* smaller than the spare: it goes */
    CHECK(memory.bytes < large && memory.bytes > 1000000);
    CHECK_EQ(memory.blocks, 2);
    end();
}

static void out_of_memory_leaves_the_arena(void)
{
    begin();
    allot__arena arena;
    allot__arena_init(&arena, engine);
    memory.fail_at = memory.calls + 1;
    CHECK(!allot__arena_take(&arena, 1, 10));
    char *piece = allot__arena_take(&arena, 1, 10);
    CHECK(piece);
    memory.fail_at = memory.calls + 1;
    CHECK_EQ(allot__arena_reserve(&arena, 10000000), ALLOT_ENOMEM);
    CHECK_EQ((char *)allot__arena_take(&arena, 1, 10) - piece, 64);
    CHECK(!allot__arena_take(&arena, SIZE_MAX / 2, 3));
    CHECK(!allot__arena_take(&arena, SIZE_MAX, 1));
    allot__arena_free(&arena);
    end();
}

int main(void)
{
    RUN(pieces_are_aligned_and_apart);
    RUN(what_is_reserved_needs_no_more_memory);
    RUN(the_next_arena_asks_for_nothing);
    RUN(the_spare_is_used_to_its_end);
    RUN(two_arenas_do_not_share_the_spare);
    RUN(out_of_memory_leaves_the_arena);
    return check_done();
}
