/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pick_anew_test.c: a key that changes as rows go, against its words: asked before each. */
#include "engine/victims/pick.h"

#include <string.h>

#include "test/support/check.h"
#include "test/support/oom.h"

enum { MOST = 64, CLASSES = 5, KEYS = 3 };

typedef struct table {
    allot__pick pick;
    int64_t keys[KEYS][MOST];
    int64_t anew[CLASSES + 1];
    int32_t size[MOST], class[MOST];
    uint8_t ineligible[MOST];
} table;

static table rows;
static uint64_t seed;

static int32_t drawn(int32_t most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((seed >> 33) % (uint64_t)(most + 1));
}

static const int64_t *values(const allot__pick *pick, int32_t key, int32_t first, int32_t n,
                             int64_t *room)
{
    const table *from = (const table *)(const void *)pick;
    for (int32_t i = 0; i < n; i++) {
        room[i] = key == pick->anew_key ? pick->anew[from->class[first + i] + 1]
                                        : from->keys[key][first + i];
    }
    return room;
}

static bool before(const allot__pick *pick, int32_t a, int32_t b)
{
    (void)pick;
    return a > b;
}

static void fill(int32_t count)
{
    rows.pick = (allot__pick){.count = count,
                              .keys = 1 + drawn(KEYS - 1),
                              .slots = rows.size,
                              .ineligible = drawn(1) != 0 ? rows.ineligible : NULL,
                              .values = values,
                              .before = before,
                              .anew = rows.anew,
                              .anew_of = rows.class};
    rows.pick.anew_key = drawn(rows.pick.keys - 1);
    for (int32_t i = 0; i <= CLASSES; i++)
        rows.anew[i] = drawn(8) - 4;
    for (int32_t key = 0; key < KEYS; key++) {
        rows.pick.falling[key] = drawn(1) != 0;
        for (int32_t i = 0; i < count; i++)
            rows.keys[key][i] = drawn(1);
    }
    for (int32_t i = 0; i < count; i++) {
        rows.size[i] = 1 + drawn(2);
        rows.class[i] = drawn(CLASSES) - 1;
        rows.ineligible[i] = drawn(3) == 0;
    }
}

static void go(int32_t row, int32_t times)
{
    rows.anew[rows.class[row] + 1] -= rows.class[row] >= 0 ? times * rows.size[row] : 0;
}

/* The candidate that goes next of those that have not gone; -1: none. */
static int32_t next(const uint8_t *gone)
{
    int32_t best = -1, key;
    for (int32_t i = 0; i < rows.pick.count; i++) {
        bool may = !gone[i] && (!rows.pick.ineligible || !rows.ineligible[i]);
        if (may && (best < 0 || allot__pick_compare(&rows.pick, i, best, &key) < 0))
            best = i;
    }
    return best;
}

/* One after another, then backwards who is not needed; how many go. */
static int32_t pick_plainly(int64_t owed, int32_t *order)
{
    uint8_t gone[MOST] = {0};
    int32_t count = 0, left = 0;
    int64_t slots = 0;
    for (int32_t row; slots < owed && (row = next(gone)) >= 0;) {
        gone[row] = 1;
        order[count++] = row;
        slots += rows.size[row];
        go(row, 1);
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        if (rows.size[order[i]] <= slots - owed) {
            slots -= rows.size[order[i]];
            go(order[i], -1);
            order[i] = -1;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        order[left] = order[i];
        left += order[i] >= 0;
    }
    return left;
}

static void is_asked_before_each_row(void)
{
    allot_engine *engine;
    allot__arena arena;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot__arena_init(&arena, engine);
    for (int32_t turn = 0; turn < 2000; turn++) {
        int32_t order[MOST];
        int64_t was[CLASSES + 1], is[CLASSES + 1];
        allot__picked picked;
        seed = (uint64_t)turn;
        fill(drawn(MOST - 1) + 1);
        int64_t owed = drawn(2 * rows.pick.count);
        memcpy(was, rows.anew, sizeof was);
        CHECK_EQ(allot__pick_fast(&rows.pick, owed, &arena, &picked), ALLOT_OK);
        memcpy(is, rows.anew, sizeof is);
        memcpy(rows.anew, was, sizeof was);
        int32_t count = pick_plainly(owed, order);
        bool same = CHECK_EQ(picked.count, count) &&
                    CHECK(memcmp(picked.rows, order, (size_t)count * sizeof *order) == 0) &&
                    CHECK(memcmp(is, rows.anew, sizeof is) == 0);
        if (!same)
            printf("# turn %d\n", (int)turn);
    }
    allot__arena_free(&arena);
    allot_engine_free(engine);
}

static int scenario(allot_engine *under)
{
    allot__arena room;
    allot__arena_init(&room, under);
    allot__picked picked;
    int status;
    OOM_RETRY(status, allot__pick_all(&rows.pick, &room, &picked));
    allot__arena_free(&room);
    return status;
}

static void memory_runs_out(void)
{
    seed = 3;
    fill(MOST);
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(is_asked_before_each_row);
    RUN(memory_runs_out);
    return check_done();
}
