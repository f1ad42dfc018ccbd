/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Keys of events: known for an hour, however many there are, with what they came with. */
#include <stdbool.h>

#include "service/events/keys.h"

#include "test/support/check.h"

enum { MANY = 1100000, HOUR = 3600 };

static const char *name(int i)
{
    static char text[32];
    snprintf(text, sizeof text, "key-%d", i);
    return text;
}

static int64_t find(const allot__event_keys *keys, const char *key, int64_t now)
{
    uint64_t content;
    return allot__event_keys_find(keys, key, now, &content);
}

static void test_known_for_an_hour_however_many(void)
{
    allot_engine *engine;
    allot__event_keys *keys;
    int lost = 0, old = 0;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot__event_keys_new(engine, &keys), ALLOT_OK);
    CHECK_EQ(find(keys, "key-0", 0), 0);
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(allot__event_keys_reserve(keys), ALLOT_OK);
        allot__event_keys_put(keys, name(i), (uint64_t)i, i + 1, 1000 + i / (MANY / HOUR + 1));
    }
    CHECK_EQ(allot__event_keys_count(keys), MANY);
    for (int i = 0; i < MANY; i += 7)
        lost += find(keys, name(i), 1000 + HOUR) != i + 1;
    CHECK_EQ(lost, 0);
    CHECK_EQ(find(keys, "key", 1000), 0);
    /* A second later those of the first second are known no more. */
    for (int i = 0; i < MANY; i += 7)
        old += find(keys, name(i), 1000 + HOUR + 1) == 0;
    CHECK_EQ(old, (MANY / HOUR + 1 + 6) / 7);
    allot__event_keys_free(keys);
    allot_engine_free(engine);
}

/* Against a list of all, which is looked through: keys of few names, which come and go. */
static void test_random_keys(void)
{
    enum { STEPS = 60000, NAMES = 3000 };
    static int64_t seq[NAMES], at[NAMES];
    static uint64_t said[NAMES];
    unsigned seed = 7;
    int64_t now = 100000;
    allot_engine *engine;
    allot__event_keys *keys;
    int wrong = 0;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot__event_keys_new(engine, &keys), ALLOT_OK);
    for (int i = 1; i <= STEPS; i++) {
        uint64_t content = 0;
        seed = seed * 1103515245 + 12345;
        int one = (int)(seed >> 16) % NAMES;
        now += seed >> 8 & 1;
        int64_t known = allot__event_keys_find(keys, name(one), now, &content);
        bool is = seq[one] > 0 && at[one] >= now - HOUR;
        wrong += known != (is ? seq[one] : 0) || (is && content != said[one]);
        if (known > 0)
            continue;
        CHECK_EQ(allot__event_keys_reserve(keys), ALLOT_OK);
        allot__event_keys_put(keys, name(one), seed, i, now);
        seq[one] = i;
        at[one] = now;
        said[one] = seed;
    }
    CHECK_EQ(wrong, 0);
    CHECK(allot__event_keys_count(keys) <= NAMES);
    allot__event_keys_free(keys);
    allot_engine_free(engine);
}

static uint64_t content(const char *method, const char *params)
{
    return allot__event_keys_content(method, params, strlen(params));
}

static void test_what_is_said(void)
{
    char a[4000], b[4000];
    uint64_t of = content("demand", "{\"a\": \"x y\", \"n\": 1}");
    CHECK(of == content("demand", " {\"a\":\"x y\",\n\t\"n\" : 1 }"));
    CHECK(of != content("demand", "{\"a\": \"xy\", \"n\": 1}"));
    CHECK(of != content("demand", "{\"a\": \"x y\", \"n\": 2}"));
    CHECK(of != content("release", "{\"a\": \"x y\", \"n\": 1}"));
    CHECK(content("m", "{\"a\\\" b\": 1}") != content("m", "{\"a\\\"b\": 1}"));
    CHECK(content("m", "{\"a\\\\\" : 1}") == content("m", "{\"a\\\\\":1}"));
    memset(a, 'x', sizeof a);
    a[sizeof a - 1] = '\0';
    memcpy(b, a, sizeof b);
    b[3990] = 'y';
    CHECK(content("m", a) != content("m", b));
}

int main(void)
{
    RUN(test_known_for_an_hour_however_many);
    RUN(test_random_keys);
    RUN(test_what_is_said);
    return check_done();
}
