/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool_test.c: pieces that live equally long. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/oom.h"

static void pieces_are_aligned_zeroed_and_stay(void)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    allot__pool pool = {0};
    CHECK(allot__pool_take(engine, &pool, 0, 8) != NULL);
    char *first = allot__pool_copy(engine, &pool, "first");
    int64_t *numbers = allot__pool_take(engine, &pool, 3 * sizeof *numbers, sizeof *numbers);
    CHECK(numbers && (uintptr_t)numbers % sizeof *numbers == 0);
    CHECK(numbers[0] == 0 && numbers[2] == 0);
    for (int i = 0; i < 10000; i++)
        CHECK_STR(allot__pool_copy(engine, &pool, "another"), "another");
    CHECK_STR(first, "first");
    CHECK(memory.blocks < 10);
    char *large = allot__pool_take(engine, &pool, 1000000, 1);
    CHECK(large && large[0] == 0 && large[999999] == 0);
    CHECK_STR(allot__pool_copy(engine, &pool, ""), "");
    allot__pool_free(engine, &pool);
    CHECK(!pool.chunks);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static int scenario(allot_engine *engine)
{
    allot__pool pool = {0};
    char *text = allot__pool_copy(engine, &pool, "text");
    char *large = text ? allot__pool_take(engine, &pool, 100000, 16) : NULL;
    if (large)
        CHECK_STR(text, "text");
    allot__pool_free(engine, &pool);
    return large ? ALLOT_OK : ALLOT_ENOMEM;
}

static void out_of_memory_gives_nothing(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(pieces_are_aligned_zeroed_and_stay);
    RUN(out_of_memory_gives_nothing);
    return check_done();
}
