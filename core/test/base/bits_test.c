/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bits_test.c: a set of numbers finds what looking at each number finds. */
#include "base/bits.h"

#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/oom.h"

enum { MOST = 70000 };

static int32_t values[MOST];

static int32_t plain_next(int32_t bound, int32_t number)
{
    while (number < bound && values[number] <= 0)
        number++;
    return number;
}

static int32_t plain_last(int32_t number)
{
    do
        number--;
    while (number >= 0 && values[number] <= 0);
    return number;
}

static void compare(const allot__bits *bits, int32_t bound)
{
    for (int32_t i = 0; i <= bound; i += 1 + rand() % (1 + bound / 50)) {
        CHECK_EQ(allot__bits_next(bits, i), plain_next(bound, i));
        CHECK_EQ(allot__bits_last(bits, i), plain_last(i));
    }
    CHECK_EQ(allot__bits_next(bits, bound), bound);
    CHECK_EQ(allot__bits_last(bits, bound), plain_last(bound));
}

/* One in `rare` numbers has a value. */
static void try_set(allot__arena *arena, int32_t bound, int rare)
{
    allot__bits bits;
    for (int32_t i = 0; i < bound; i++)
        values[i] = rand() % rare == 0 ? 1 + rand() % 9 : -(rand() % 2);
    CHECK(allot__bits_take(&bits, arena, bound));
    CHECK_EQ(allot__bits_next(&bits, 0), bound);
    CHECK_EQ(allot__bits_last(&bits, bound), -1);
    allot__bits_fill(&bits, values);
    compare(&bits, bound);
    for (int i = 0; i < 200 && bound > 0; i++) {
        int32_t number = rand() % bound;
        values[number] = rand() % rare == 0;
        if (values[number] > 0)
            allot__bits_add(&bits, number);
        else
            allot__bits_remove(&bits, number);
    }
    compare(&bits, bound);
}

static void finds_what_a_walk_finds(void)
{
    static const int32_t bounds[] = {0, 1, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8192, MOST};
    allot_engine *engine;
    allot__arena arena;
    srand(64);
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot__arena_init(&arena, engine);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int rare = 1; rare < 10000; rare *= 7)
            try_set(&arena, bounds[i], rare);
    allot__arena_free(&arena);
    allot_engine_free(engine);
}

static int scenario(allot_engine *engine)
{
    allot__arena arena;
    allot__bits bits;
    allot__arena_init(&arena, engine);
    int status = allot__bits_take(&bits, &arena, MOST) ? ALLOT_OK : ALLOT_ENOMEM;
    allot__arena_free(&arena);
    return status;
}

static void out_of_memory_gives_nothing(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(finds_what_a_walk_finds);
    RUN(out_of_memory_gives_nothing);
    return check_done();
}
