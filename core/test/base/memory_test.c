/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory_test.c: the engine, its blocks and growing vectors. */
#include "base/memory.h"

#include <string.h>

#include "test/support/check.h"
#include "test/support/oom.h"

static void an_engine_uses_malloc_by_default(void)
{
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    char *block = allot_engine_alloc(engine, NULL, 0, 4);
    memcpy(block, "abc", 4);
    block = allot_engine_alloc(engine, block, 4, 4000);
    CHECK_STR(block, "abc");
    CHECK(!allot_engine_alloc(engine, block, 4000, 0));
    CHECK(!allot_engine_alloc(engine, NULL, 0, 0));
    allot_engine_free(engine);
    allot_engine_free(NULL);
}

static void an_engine_without_memory_is_none(void)
{
    oom memory = {.fail_at = 1};
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_ENOMEM);
    CHECK(!engine);
    CHECK(oom_clean(&memory));
}

static void blocks_are_zeroed_and_sized(void)
{
    oom memory = {0};
    allot_engine *engine;
    allot_engine_new(oom_alloc, &memory, &engine);
    int *numbers = allot__new(engine, 100, sizeof *numbers);
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum |= numbers[i];
    CHECK_EQ(sum, 0);
    allot__free(engine, numbers, 100, sizeof *numbers);
    CHECK(!allot__new(engine, 0, 4));
    CHECK(!allot__new(engine, SIZE_MAX / 2, 3));
    char *copy = allot__copy(engine, "hello world", 5);
    CHECK_STR(copy, "hello");
    allot__free_string(engine, copy);
    allot__free_string(engine, NULL);
    allot__free(engine, NULL, 1, 1);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void vectors_grow_and_keep_what_they_have(void)
{
    oom memory = {0};
    allot_engine *engine;
    allot_engine_new(oom_alloc, &memory, &engine);
    allot__vector vector = {0};
    for (int64_t i = 0; i < 1000; i++) {
        int64_t *item = allot__push(engine, &vector, sizeof *item);
        if (!CHECK(item && *item == 0))
            break;
        *item = i;
    }
    CHECK_EQ(vector.count, 1000);
    for (int64_t i = 0; i < 1000; i++)
        CHECK_EQ(((int64_t *)vector.items)[i], i);
    CHECK(memory.calls < 15); /* doubling */
    allot__vector_free(engine, &vector);
    CHECK(!vector.items && vector.count == 0);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void a_vector_that_cannot_grow_stays(void)
{
    oom memory = {0};
    allot_engine *engine;
    allot_engine_new(oom_alloc, &memory, &engine);
    allot__vector vector = {0};
    size_t before = 0;
    memory.fail_at = 3; /* engine, first block, then */
    for (int *item; (item = allot__push(engine, &vector, sizeof *item));)
        before = vector.count;
    CHECK(before > 0);
    CHECK_EQ(vector.count, before);
    CHECK(allot__push(engine, &vector, sizeof(int)) != NULL);
    CHECK_EQ(vector.count, before + 1);
    allot__vector_free(engine, &vector);
    size_t capacity = 0;
    CHECK(!allot__grow(engine, NULL, &capacity, SIZE_MAX / 4, 8));
    CHECK_EQ(capacity, 0);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

int main(void)
{
    RUN(an_engine_uses_malloc_by_default);
    RUN(an_engine_without_memory_is_none);
    RUN(blocks_are_zeroed_and_sized);
    RUN(vectors_grow_and_keep_what_they_have);
    RUN(a_vector_that_cannot_grow_stays);
    return check_done();
}
