/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pour_test.c: one fill over one run of rows: known answers, and fast against exact. */
#include "engine/fill/pour.h"

#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"

enum { MOST = 300 };

/* Arrays for a pour, and a copy for the other implementation. */
typedef struct rows {
    int32_t level[MOST], level_part[MOST], need[MOST], cap[MOST], cap_part[MOST], weight[MOST];
    int32_t aim[MOST], aim_part[MOST], floor[MOST], rest[MOST];
    allot__pour pour;
} rows;

static void point(rows *rows)
{
    allot__pour *pour = &rows->pour;
    pour->level = rows->level;
    pour->need = rows->need;
    pour->cap = rows->cap;
    pour->weight = rows->weight;
    pour->aim = rows->aim;
    pour->floor = rows->floor;
    pour->rest = rows->rest;
    pour->level_part = rows->level_part;
    pour->cap_part = rows->cap_part;
    pour->aim_part = rows->aim_part;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* 0 ... most, small numbers as likely as large ones. */
static int32_t amount(int32_t most)
{
    int32_t bound = most >> (next_random() >> 20) % 30;
    return (int32_t)((next_random() >> 11) % ((uint64_t)bound + 1));
}

static void random_rows(rows *rows)
{
    allot__pour *pour = &rows->pour;
    memset(rows, 0, sizeof *rows);
    int32_t most = 1 + amount(ALLOT_AMOUNT_MAX - 1);
    int32_t heavy = 1 + amount(ALLOT_AMOUNT_MAX - 1);
    pour->count = 1 + amount(MOST - 1);
    pour->unit = next_random() >> 13 & 1 ? 1 : 1 + amount(ALLOT_AMOUNT_MAX - 1);
    int32_t unit = (int32_t)pour->unit;
    for (int32_t i = 0; i < pour->count; i++) {
        rows->level[i] = amount(most / 2);
        rows->level_part[i] = amount(unit - 1);
        rows->need[i] = rows->level[i] + amount(most / 2) + (rows->level_part[i] > 0);
        rows->cap[i] = next_random() >> 9 & 3 ? ALLOT_AMOUNT_MAX : amount(most);
        rows->cap_part[i] = rows->cap[i] == ALLOT_AMOUNT_MAX ? 0 : amount(unit - 1);
        rows->weight[i] = next_random() >> 7 & 7 ? amount(heavy) : 0;
    }
    pour->left = amount(most);
    pour->left_part = amount(unit - 1);
    point(rows);
}

static bool same(const rows *a, const rows *b, bool critical)
{
    size_t size = (size_t)a->pour.count * sizeof(int32_t);
    if (a->pour.left != b->pour.left || a->pour.left_part != b->pour.left_part)
        return false;
    if (!critical) {
        return memcmp(a->aim, b->aim, size) == 0 &&
               (a->pour.unit == 1 || memcmp(a->aim_part, b->aim_part, size) == 0);
    }
    for (int32_t i = 0; i < a->pour.count; i++)
        if (a->floor[i] != b->floor[i] || (a->rest[i] != 0) != (b->rest[i] != 0))
            return false;
    return a->pour.amount == b->pour.amount && a->pour.sum == b->pour.sum;
}

static void fast_is_exact(void)
{
    int32_t criticals = 0;
    for (int32_t k = 0; k < 60000; k++) {
        static rows plain;
        static rows fast;
        random_rows(&plain);
        fast = plain;
        point(&fast);
        fast.pour.slope = k % 3 == 0 ? 0 : (double)amount(1000) / (1 + amount(1000));
        allot__pour_aims(&plain.pour);
        allot__pour_aims(&fast.pour);
        bool critical = allot__pour_exact(&plain.pour);
        criticals += critical;
        if (!CHECK_EQ(allot__pour_fast(&fast.pour), critical) ||
            !CHECK(same(&plain, &fast, critical)))
            return;
    }
    CHECK(criticals > 10000 && criticals < 59000); /* both ways are met */
}

/* Sum of what rows have when slots ran out: exactly what there was. */
static void nothing_is_lost(void)
{
    for (int32_t k = 0; k < 20000; k++) {
        static rows some;
        static allot__u128 fraction[MOST];
        random_rows(&some);
        some.pour.fraction = fraction;
        allot__u128 before = (allot__u128)some.pour.left * (allot__u128)some.pour.unit +
                             (allot__u128)some.pour.left_part;
        for (int32_t i = 0; i < some.pour.count; i++) {
            before += (allot__u128)some.level[i] * (allot__u128)some.pour.unit +
                      (allot__u128)(some.pour.unit == 1 ? 0 : some.level_part[i]);
        }
        allot__pour_aims(&some.pour);
        if (!allot__pour_exact(&some.pour))
            continue;
        allot__u128 after = 0;
        allot__u128 one = (allot__u128)some.pour.sum * (allot__u128)some.pour.unit;
        for (int32_t i = 0; i < some.pour.count; i++)
            after += (allot__u128)some.floor[i] * one + fraction[i];
        if (!CHECK(after == before * (allot__u128)some.pour.sum))
            return;
    }
}

static void set(rows *rows, int32_t i, int32_t need, int32_t cap, int32_t weight)
{
    rows->need[i] = need;
    rows->cap[i] = cap;
    rows->weight[i] = weight;
}

/* 10 slots by 1 : 2 : 3; the first is capped at 1, so 9 go by 2 : 3. */
static void a_capped_row_leaves_to_others(void)
{
    rows rows = {.pour = {.count = 3, .unit = 1, .left = 10}};
    point(&rows);
    set(&rows, 0, 100, 1, 1);
    set(&rows, 1, 100, 100, 2);
    set(&rows, 2, 100, 100, 3);
    allot__pour_aims(&rows.pour);
    CHECK_EQ(rows.pour.lack, 201);
    CHECK(allot__pour_fast(&rows.pour));
    CHECK_EQ(rows.floor[0], 1);
    CHECK_EQ(rows.floor[1], 3); /* 9 * 2/5 = 3.6 */
    CHECK_EQ(rows.floor[2], 5); /* 9 * 3/5 = 5.4 */
    CHECK(rows.rest[0] == 0 && rows.rest[1] != 0 && rows.rest[2] != 0);
    CHECK_EQ(rows.pour.amount, 9);
    CHECK_EQ(rows.pour.sum, 5);
}

/* A row without a weight takes no part, whatever it needs; enough for all is not critical. */
static void enough_for_all(void)
{
    rows rows = {.pour = {.count = 2, .unit = 1, .left = 10}};
    point(&rows);
    set(&rows, 0, 4, 100, 7);
    set(&rows, 1, 100, 100, 0);
    allot__pour_aims(&rows.pour);
    CHECK(!allot__pour_fast(&rows.pour));
    CHECK_EQ(rows.aim[0], 4);
    CHECK_EQ(rows.aim[1], 0);
    CHECK_EQ(rows.pour.left, 6);
}

/* Weights of 10^9 and amounts of 10^9 in units of 1 / (10^9 - 1): beyond 64 bits. */
static void the_largest_numbers(void)
{
    static rows plain;
    plain = (rows){.pour = {.count = MOST, .unit = ALLOT_AMOUNT_MAX - 1, .left = ALLOT_AMOUNT_MAX}};
    for (int32_t i = 0; i < MOST; i++) {
        set(&plain, i, ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX - i);
        plain.level_part[i] = ALLOT_AMOUNT_MAX - 2 - i;
    }
    point(&plain);
    static rows fast;
    fast = plain;
    point(&fast);
    allot__pour_aims(&plain.pour);
    allot__pour_aims(&fast.pour);
    CHECK(allot__pour_exact(&plain.pour));
    CHECK(allot__pour_fast(&fast.pour));
    CHECK(same(&plain, &fast, true));
    CHECK(plain.floor[0] > plain.floor[MOST - 1]);
}

int main(void)
{
    RUN(a_capped_row_leaves_to_others);
    RUN(enough_for_all);
    RUN(the_largest_numbers);
    RUN(nothing_is_lost);
    RUN(fast_is_exact);
    return check_done();
}
