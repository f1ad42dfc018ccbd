/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_test.c: the fast pick against the plain one, and both against C-8's words. */
#include "engine/victims/pick_items.h"

#include "test/support/check.h"
#include "test/support/oom.h"

enum { MOST = 20000 };

/* Rows as plain arrays; `name` is what ties go by, larger first. */
typedef struct table {
    allot__pick pick;
    int64_t keys[5][MOST];
    int32_t size[MOST];
    int32_t name[MOST];
    uint8_t ineligible[MOST];
    int32_t classes[MOST];
    int64_t class_keys[40];
} table;

static table rows; /* too large for the stack */

static const int64_t *values(const allot__pick *pick, int32_t key, int32_t first, int32_t n,
                             int64_t *room)
{
    const table *from = (const table *)(const void *)pick;
    if (key == 1)
        return from->keys[key] + first;
    memcpy(room, from->keys[key] + first, (size_t)n * sizeof *room);
    return room;
}

static bool before(const allot__pick *pick, int32_t a, int32_t b)
{
    const table *from = (const table *)(const void *)pick;
    return from->name[a] > from->name[b];
}

static uint64_t seed;

static int64_t drawn(int64_t most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)(most + 1));
}

/* Random rows: keys of at most `wide` values, slots up to `largest`, names all different. */
static void fill(int32_t count, int32_t keys, int64_t wide, int64_t largest, bool some_stay)
{
    rows.pick = (allot__pick){.count = count,
                              .keys = keys,
                              .ineligible = some_stay ? rows.ineligible : NULL,
                              .values = values,
                              .slots = rows.size,
                              .before = before};
    for (int32_t i = 0; i < count; i++) {
        for (int32_t key = 0; key < keys; key++) {
            rows.keys[key][i] = drawn(wide) - wide / 2;
            rows.pick.falling[key] = drawn(1) != 0;
        }
        rows.size[i] = 1 + (int32_t)drawn(largest - 1);
        rows.name[i] = i;
        rows.ineligible[i] = drawn(3) == 0;
    }
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t other = (int32_t)drawn(i);
        int32_t name = rows.name[i];
        rows.name[i] = rows.name[other];
        rows.name[other] = name;
    }
}

/* Makes the first key one of few values, and gives some others as arrays. */
static void shorten_ways(void)
{
    rows.pick.class_count = (int32_t)drawn(38);
    for (int32_t i = 0; i <= rows.pick.class_count; i++)
        rows.class_keys[i] = drawn(30) - 15;
    for (int32_t i = 0; i < rows.pick.count && rows.pick.keys > 0; i++) {
        rows.classes[i] = (int32_t)drawn(rows.pick.class_count) - 1;
        rows.keys[0][i] = rows.class_keys[rows.classes[i] + 1];
    }
    rows.pick.classes = rows.pick.keys > 0 ? rows.classes : NULL;
    rows.pick.class_keys = rows.class_keys;
    for (int32_t key = 1; key < rows.pick.keys; key++)
        rows.pick.flat[key] = drawn(1) != 0 ? rows.keys[key] : NULL;
}

/* By `values` alone. */
static allot__pick without_ways(void)
{
    allot__pick plain = rows.pick;
    plain.classes = NULL;
    memset(plain.flat, 0, sizeof plain.flat);
    return plain;
}

static allot_engine *engine;
static allot__arena arena;

static void begin(void)
{
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot__arena_init(&arena, engine);
}

static void end(void)
{
    allot__arena_free(&arena);
    allot_engine_free(engine);
}

static bool same(const allot__picked *a, const allot__picked *b)
{
    return a->count == b->count && a->slots == b->slots &&
           memcmp(a->rows, b->rows, (size_t)a->count * sizeof *a->rows) == 0;
}

static int64_t in_all(void)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < rows.pick.count; i++)
        sum += rows.pick.ineligible != NULL && rows.ineligible[i] ? 0 : rows.size[i];
    return sum;
}

/* Few values make many ties; a single value leaves all to the names. */
static void fast_agrees_with_sorted(void)
{
    static const int64_t widths[] = {0, 1, 3, 1000, 1000000000};
    begin();
    for (int32_t turn = 0; turn < 120; turn++) {
        seed = (uint64_t)turn;
        fill((int32_t)drawn(MOST - 1) + 1, (int32_t)drawn(5), widths[drawn(4)], 1 + drawn(8),
             drawn(1) != 0);
        allot__picked fast;
        allot__picked plain;
        int64_t owed = drawn(in_all() >> drawn(10));
        CHECK_EQ(allot__pick_fast(&rows.pick, owed, &arena, &fast), ALLOT_OK);
        CHECK_EQ(allot__pick_sorted(&rows.pick, owed, &arena, &plain), ALLOT_OK);
        if (!CHECK(same(&fast, &plain)))
            printf("# turn %d\n", (int)turn);
    }
    end();
}

/* What says where values are does not change them. */
static void short_ways_agree_with_values(void)
{
    static const int64_t widths[] = {0, 3, 1000, 1000000000};
    begin();
    for (int32_t turn = 0; turn < 160; turn++) {
        seed = (uint64_t)turn + 5000;
        fill((int32_t)drawn(MOST - 1) + 1, 1 + (int32_t)drawn(4), widths[drawn(3)], 1 + drawn(3),
             drawn(1) != 0);
        shorten_ways();
        allot__picked fast;
        allot__picked plain;
        int64_t owed = drawn(in_all() >> drawn(10));
        CHECK_EQ(allot__pick_fast(&rows.pick, owed, &arena, &fast), ALLOT_OK);
        rows.pick = without_ways();
        CHECK_EQ(allot__pick_sorted(&rows.pick, owed, &arena, &plain), ALLOT_OK);
        if (!CHECK(same(&fast, &plain)))
            printf("# turn %d\n", (int)turn);
    }
    end();
}

/* Exactly those that go no later than the bar, in the order in which they were read. */
static void the_filter_keeps_its_bar(void)
{
    static const int64_t widths[] = {0, 1, 6, 1000000};
    begin();
    for (int32_t turn = 0; turn < 120; turn++) {
        seed = (uint64_t)turn + 9000;
        fill((int32_t)drawn(5000) + 1, (int32_t)drawn(4), widths[drawn(3)], 3, drawn(1) != 0);
        if (drawn(2) > 0)
            shorten_ways();
        allot__items found = {0};
        allot__item bar;
        int64_t slots;
        int64_t sum = 0;
        int32_t at = 0;
        allot__item_read(&rows.pick, (int32_t)drawn(rows.pick.count - 1), &bar);
        CHECK_EQ(allot__pick_filter(&rows.pick, engine, &bar, &found, &slots), ALLOT_OK);
        rows.pick = without_ways();
        for (int32_t i = 0; i < rows.pick.count; i++) {
            int32_t key;
            bool ineligible = rows.pick.ineligible != NULL && rows.ineligible[i];
            if (!ineligible && allot__pick_compare(&rows.pick, i, bar.row, &key) <= 0) {
                sum += rows.size[i];
                CHECK(at < found.count && found.list[at].row == i);
                at++;
            }
        }
        CHECK_EQ(found.count, at);
        CHECK_EQ(slots, sum);
        allot__items_free(engine, &found);
    }
    end();
}

/* C-8 in its own words, on few rows: order, until covered, nobody who is not needed. */
static void what_is_picked_covers_and_is_needed(void)
{
    begin();
    for (int32_t turn = 0; turn < 400; turn++) {
        seed = (uint64_t)turn + 1000;
        fill(1 + (int32_t)drawn(30), 2, 3, 5, drawn(1) != 0);
        int64_t most = in_all();
        int64_t owed = drawn(most + 3);
        allot__picked picked;
        CHECK_EQ(allot__pick_fast(&rows.pick, owed, &arena, &picked), ALLOT_OK);
        int64_t sum = 0;
        for (int32_t i = 0; i < picked.count; i++) {
            int32_t key;
            CHECK(!rows.pick.ineligible || !rows.ineligible[picked.rows[i]]);
            CHECK(i == 0 ||
                  allot__pick_compare(&rows.pick, picked.rows[i - 1], picked.rows[i], &key) < 0);
            sum += rows.size[picked.rows[i]];
        }
        CHECK_EQ(sum, picked.slots);
        CHECK(sum >= (owed < most ? owed : most));
        for (int32_t i = 0; i < picked.count; i++)
            CHECK(sum - rows.size[picked.rows[i]] < owed);
    }
    end();
}

static void pick_small(const int32_t *sizes, int32_t count, int64_t owed, const int32_t *wanted,
                       int32_t n)
{
    seed = 1;
    fill(count, 1, 0, 1, false);
    rows.pick.falling[0] = false;
    for (int32_t i = 0; i < count; i++) {
        rows.keys[0][i] = i;
        rows.size[i] = sizes[i];
    }
    allot__picked picked;
    CHECK_EQ(allot__pick_fast(&rows.pick, owed, &arena, &picked), ALLOT_OK);
    CHECK_EQ(picked.count, n);
    for (int32_t i = 0; i < n && i < picked.count; i++)
        CHECK_EQ(picked.rows[i], wanted[i]);
}

/* 1 + 2 + 4 cover 4 in that order; of these only the last is needed. Of 3, 1, 1 for 4 the last
 * is never reached; of 1, 3, 2 for 5 the first is spared. */
static void the_reverse_pass_spares(void)
{
    begin();
    pick_small((int32_t[]){1, 2, 4}, 3, 4, (int32_t[]){2}, 1);
    pick_small((int32_t[]){3, 1, 1}, 3, 4, (int32_t[]){0, 1}, 2);
    pick_small((int32_t[]){1, 3, 2}, 3, 5, (int32_t[]){1, 2}, 2);
    pick_small((int32_t[]){1, 3, 2}, 3, 0, NULL, 0);
    pick_small((int32_t[]){2, 2}, 2, 9, (int32_t[]){0, 1}, 2);
    end();
}

static void compare_names_the_key(void)
{
    int32_t key;
    fill(2, 3, 0, 1, false);
    rows.keys[1][0] = 7;
    rows.keys[1][1] = 5;
    rows.pick.falling[1] = true;
    CHECK(allot__pick_compare(&rows.pick, 0, 1, &key) < 0);
    CHECK_EQ(key, 1);
    rows.pick.falling[1] = false;
    CHECK(allot__pick_compare(&rows.pick, 0, 1, &key) > 0);
    rows.keys[1][0] = 5;
    rows.name[0] = 1;
    rows.name[1] = 2;
    CHECK(allot__pick_compare(&rows.pick, 0, 1, &key) > 0);
    CHECK_EQ(key, 3);
    CHECK_EQ(allot__pick_compare(&rows.pick, 1, 1, &key), 0);
}

/* Extremes do not overflow when the order is turned round. */
static void any_integer_is_a_key(void)
{
    begin();
    for (int turned = 0; turned < 2; turned++) {
        fill(3, 1, 0, 1, false);
        rows.keys[0][0] = INT64_MIN;
        rows.keys[0][1] = 0;
        rows.keys[0][2] = INT64_MAX;
        rows.pick.falling[0] = turned != 0;
        allot__picked picked;
        CHECK_EQ(allot__pick_fast(&rows.pick, 1, &arena, &picked), ALLOT_OK);
        CHECK_EQ(picked.rows[0], turned ? 2 : 0);
    }
    end();
}

static int scenario(allot_engine *under)
{
    allot__arena room;
    allot__arena_init(&room, under);
    allot__picked picked;
    int status;
    OOM_RETRY(status, allot__pick_fast(&rows.pick, 500, &room, &picked));
    allot__arena_free(&room);
    return status;
}

static void memory_runs_out(void)
{
    seed = 5;
    fill(MOST, 2, 100, 3, true);
    CHECK(oom_each(scenario));
    shorten_ways();
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(fast_agrees_with_sorted);
    RUN(short_ways_agree_with_values);
    RUN(the_filter_keeps_its_bar);
    RUN(what_is_picked_covers_and_is_needed);
    RUN(the_reverse_pass_spares);
    RUN(compare_names_the_key);
    RUN(any_integer_is_a_key);
    RUN(memory_runs_out);
    return check_done();
}
