/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* name_test.c: which names are allowed, and the index over names. */
#include "base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/oom.h"

static bool valid(const char *name)
{
    return allot__name_valid(name, strlen(name));
}

static void names_follow_the_rule(void)
{
    char longest[ALLOT_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest);
    CHECK(valid("a") && valid("Z") && valid("a-b_c9") && valid("A__") && valid("x-"));
    CHECK(!valid("") && !valid("9a") && !valid("_a") && !valid("-a") && !valid("a b"));
    CHECK(!valid("a/b") && !valid("a.b") && !valid("\xc3\xa4") && !valid("a\xc3\xa4"));
    CHECK(!allot__name_valid("a\0b", 3));
    CHECK(allot__name_valid(longest, ALLOT_NAME_MAX));
    CHECK(!allot__name_valid(longest, ALLOT_NAME_MAX + 1));
    CHECK(!allot__name_valid(NULL, 0));
}

static void labels_are_printable(void)
{
    char text[258];
    memset(text, 'x', sizeof text);
    text[256] = '\0';
    CHECK(!allot__label_valid(text));
    text[255] = '\0';
    CHECK(allot__label_valid(text));
    CHECK(allot__label_valid("host-1.example.org") && allot__label_valid("\xc3\xa4"));
    CHECK(!allot__label_valid("") && !allot__label_valid(NULL));
    CHECK(!allot__label_valid("a\nb") && !allot__label_valid("\x7f"));
}

/* How often `number` comes up for that hash before -1. */
static int32_t seek(const allot__index *index, uint32_t hash, int32_t number)
{
    uint32_t probe = 0;
    int32_t found, times = 0;
    while ((found = allot__index_next(index, hash, &probe)) >= 0)
        times += found == number;
    return times;
}

static void an_index_finds_what_was_added(void)
{
    oom memory = {0};
    allot_engine *engine;
    allot_engine_new(oom_alloc, &memory, &engine);
    allot__index index = {0};
    CHECK_EQ(seek(&index, 7, 0), 0);
    for (int32_t i = 0; i < 50000; i++) {
        if (!CHECK_EQ(allot__index_room(engine, &index), ALLOT_OK))
            break;
        allot__index_add(&index, (uint32_t)i / 5 * 2654435761u, i); /* five of each hash */
    }
    CHECK_EQ(index.count, 50000);
    int wrong = 0;
    for (int32_t i = 0; i < 50000; i++)
        wrong += seek(&index, (uint32_t)i / 5 * 2654435761u, i) != 1;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(seek(&index, 12345, 12345), 0);
    allot__index_free(engine, &index);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

/* Hashes fall on few places, so that what is taken out stands in the way of others. */
static void an_index_forgets_what_was_taken_out(void)
{
    enum { COUNT = 3000 };
    allot_engine *engine;
    allot_engine_new(NULL, NULL, &engine);
    allot__index index = {0};
    int32_t numbers[COUNT], left = 0;
    int wrong = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        CHECK_EQ(allot__index_room(engine, &index), ALLOT_OK);
        allot__index_add(&index, (uint32_t)(i * i) % 911, i);
    }
    for (int32_t i = 0; i < COUNT; i++) {
        numbers[i] = left;
        if (i % 7 < 4)
            allot__index_remove(&index, (uint32_t)(i * i) % 911, i);
        else
            left++;
    }
    CHECK_EQ(index.count, left);
    for (int32_t i = 0; i < COUNT; i++)
        wrong += seek(&index, (uint32_t)(i * i) % 911, i) != (i % 7 >= 4);
    allot__index_renumber(&index, numbers);
    for (int32_t i = 0; i < COUNT; i++)
        if (i % 7 >= 4)
            wrong += seek(&index, (uint32_t)(i * i) % 911, numbers[i]) != 1;
    CHECK_EQ(wrong, 0);
    allot__index_free(engine, &index);
    allot_engine_free(engine);
}

static void an_index_that_cannot_grow_stays(void)
{
    oom memory = {0};
    allot_engine *engine;
    allot_engine_new(oom_alloc, &memory, &engine);
    allot__index index = {0};
    memory.fail_at = 3;
    int32_t added = 0;
    for (; allot__index_room(engine, &index) == ALLOT_OK; added++)
        allot__index_add(&index, (uint32_t)added, added);
    CHECK(added > 4);
    for (int32_t i = 0; i < added; i++)
        CHECK_EQ(seek(&index, (uint32_t)i, i), 1);
    CHECK_EQ(allot__index_room(engine, &index), ALLOT_OK);
    allot__index_free(engine, &index);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

/* Names that people give: all alike but for a number. Buckets fill as evenly as at random. */
static void hashes_spread(void)
{
    enum { NAMES = 1 << 17, BUCKETS = 1 << 16 };
    unsigned char *bucket = calloc(BUCKETS, 1);
    int fullest = 0, empty = 0;
    for (int i = 0; bucket && i < NAMES; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "user%d", i);
        int filled = ++bucket[allot__hash((uint32_t)i % 100, name, (size_t)len) % BUCKETS];
        fullest = filled > fullest ? filled : fullest;
    }
    for (int i = 0; bucket && i < BUCKETS; i++)
        empty += bucket[i] == 0;
    CHECK(fullest > 2 && fullest < 20);
    CHECK(empty > BUCKETS / 10 && empty < BUCKETS / 6); /* e^-2 = 0.135 */
    free(bucket);
}

static void hashes_read_every_byte(void)
{
    char name[20] = "abcdefghijklmnopqr";
    for (size_t len = 1; len <= 18; len++) {
        uint32_t hash = allot__hash(1, name, len);
        for (size_t i = 0; i < len; i++) {
            name[i] ^= 1;
            CHECK(allot__hash(1, name, len) != hash);
            name[i] ^= 1;
        }
        CHECK(allot__hash(2, name, len) != hash);
        CHECK(allot__hash(1, name, len - 1) != hash);
    }
}

int main(void)
{
    RUN(names_follow_the_rule);
    RUN(labels_are_printable);
    RUN(an_index_finds_what_was_added);
    RUN(an_index_forgets_what_was_taken_out);
    RUN(an_index_that_cannot_grow_stays);
    RUN(hashes_spread);
    RUN(hashes_read_every_byte);
    return check_done();
}
