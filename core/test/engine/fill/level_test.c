/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* level_test.c: fills that raise totals (C-15): known answers, what defines them, fast and plain.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/fill/pour.h"
#include "test/support/check.h"

enum { MOST = 300 };

typedef struct rows {
    int32_t level[MOST], level_part[MOST], need[MOST], cap[MOST], cap_part[MOST], weight[MOST];
    int32_t aim[MOST], aim_part[MOST], floor[MOST], rest[MOST];
    allot__u128 fraction[MOST];
    allot__pour pour;
} rows;

static const int32_t zeros[MOST];
static int32_t scratch[MOST];

static void point(rows *rows, bool fractions)
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
    pour->fraction = fractions ? rows->fraction : NULL;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* 0 ... most, smaller numbers more often. */
static int32_t amount(int32_t most)
{
    int32_t bound = most >> (next_random() >> 20) % 8;
    return (int32_t)((next_random() >> 11) % ((uint64_t)bound + 1));
}

/* Levels and what is left are within ALLOT_AMOUNT_MAX together, as in a group. */
static void random_rows(rows *rows)
{
    allot__pour *pour = &rows->pour;
    memset(rows, 0, sizeof *rows);
    pour->count = 1 + amount(next_random() >> 15 & 1 ? 8 : MOST - 1);
    int32_t most = 1 + (amount(ALLOT_AMOUNT_MAX / (2 * MOST)) >> next_random() % 20);
    int32_t heavy = 1 + amount(ALLOT_AMOUNT_MAX - 1);
    pour->unit = next_random() >> 13 & 1 ? 1 : 1 + amount(ALLOT_AMOUNT_MAX - 1);
    int32_t unit = (int32_t)pour->unit, lack = 1;
    for (int32_t i = 0; i < pour->count; i++) {
        rows->level[i] = next_random() >> 17 & 1 ? amount(most) : 0;
        rows->level_part[i] = amount(unit - 1);
        lack += amount(most);
        rows->need[i] = rows->level[i] + amount(most) + (rows->level_part[i] > 0);
        rows->cap[i] = next_random() >> 9 & 3 ? ALLOT_AMOUNT_MAX : amount(2 * most);
        rows->cap_part[i] = rows->cap[i] == ALLOT_AMOUNT_MAX ? 0 : amount(unit - 1);
        rows->weight[i] = next_random() >> 7 & 7 ? amount(heavy) : 0;
    }
    pour->left = amount(lack);
    pour->left_part = amount(unit - 1);
}

static bool level(rows *rows, bool exact)
{
    allot__pour_aims(&rows->pour);
    return exact ? allot__pour_level(&rows->pour, zeros, scratch)
                 : allot__pour_level_fast(&rows->pour, zeros, scratch);
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
        point(&plain, false);
        fast = plain;
        point(&fast, false);
        fast.pour.slope = k % 3 == 0 ? 0 : (double)amount(1000) / (1 + amount(1000));
        bool critical = level(&plain, true);
        criticals += critical;
        if (!CHECK_EQ(level(&fast, false), critical) || !CHECK(same(&plain, &fast, critical)))
            return;
    }
    CHECK(criticals > 30000 && criticals < 59000); /* both ways are met */
}

static allot__u128 of_unit(const rows *rows, int32_t whole, int32_t part)
{
    return (allot__u128)whole * (allot__u128)rows->pour.unit +
           (allot__u128)(rows->pour.unit == 1 ? 0 : part);
}

/* A row's total by the rule, over unit * sum. */
static allot__u128 total_of(const rows *rows, int32_t i)
{
    allot__u128 sum = (allot__u128)rows->pour.sum;
    allot__u128 had = of_unit(rows, rows->level[i], rows->level_part[i]) * sum;
    allot__u128 aim = of_unit(rows, rows->aim[i], rows->aim_part[i]) * sum;
    allot__u128 due = (allot__u128)rows->pour.amount * (allot__u128)rows->weight[i];
    due = due < aim ? due : aim;
    return due > had ? due : had;
}

/* Every row has max(level, min(aim, rate * weight)), and together that is what there was. */
static void totals_are_by_the_rule(void)
{
    int32_t held = 0;
    for (int32_t k = 0; k < 30000; k++) {
        static rows some;
        random_rows(&some);
        point(&some, true);
        allot__u128 before = of_unit(&some, (int32_t)some.pour.left, (int32_t)some.pour.left_part);
        for (int32_t i = 0; i < some.pour.count; i++)
            before += of_unit(&some, some.level[i], some.level_part[i]);
        if (!level(&some, true))
            continue;
        allot__u128 after = 0;
        allot__u128 one = (allot__u128)some.pour.sum * (allot__u128)some.pour.unit;
        for (int32_t i = 0; i < some.pour.count; i++) {
            allot__u128 total = (allot__u128)some.floor[i] * one + some.fraction[i];
            if (!CHECK(total == total_of(&some, i)) ||
                !CHECK_EQ(some.rest[i] != 0, some.fraction[i] != 0))
                return;
            after += total;
            held +=
                some.level[i] > 0 && total == of_unit(&some, some.level[i], some.level_part[i]) *
                                                  (allot__u128)some.pour.sum;
        }
        if (!CHECK(after == before * (allot__u128)some.pour.sum))
            return;
    }
    CHECK(held > 100000); /* many a row has more than it would be raised to */
}

static void set(rows *rows, int32_t i, int32_t had, int32_t need, int32_t weight)
{
    rows->level[i] = had;
    rows->need[i] = need;
    rows->cap[i] = ALLOT_AMOUNT_MAX;
    rows->weight[i] = weight;
}

/* 30 slots, 12 of them one row's from before: 18 are raised to 9 and 9. */
static void who_has_more_stays(void)
{
    rows rows = {.pour = {.count = 3, .unit = 1, .left = 18}};
    point(&rows, true);
    set(&rows, 0, 12, 30, 1);
    set(&rows, 1, 0, 30, 1);
    set(&rows, 2, 0, 30, 1);
    CHECK(level(&rows, false));
    CHECK(rows.floor[0] == 12 && rows.floor[1] == 9 && rows.floor[2] == 9);
    CHECK_EQ(rows.pour.amount, 18);
    CHECK_EQ(rows.pour.sum, 2);
}

/* 4, 3, 2 and 0 from before and 3 more: the rates 12 / 4, 8 / 3 and 5 / 2, each of the first two
 * leaving one row more where it is. */
static void one_after_another_stays(void)
{
    rows rows = {.pour = {.count = 4, .unit = 1, .left = 3}};
    point(&rows, true);
    set(&rows, 0, 4, 30, 1);
    set(&rows, 1, 3, 30, 1);
    set(&rows, 2, 2, 30, 1);
    set(&rows, 3, 0, 30, 1);
    CHECK(level(&rows, true));
    CHECK(rows.floor[0] == 4 && rows.floor[1] == 3 && rows.floor[2] == 2 && rows.floor[3] == 2);
    CHECK(rows.fraction[2] == 1 && rows.fraction[3] == 1); /* 2.5 each */
    CHECK(rows.pour.amount == 5 && rows.pour.sum == 2);
}

/* Nothing to pour: a rate of 0, as of any fill, and all stay. */
static void nothing_is_left(void)
{
    rows rows = {.pour = {.count = 2, .unit = 1, .left = 0}};
    point(&rows, true);
    set(&rows, 0, 5, 30, 1);
    set(&rows, 1, 2, 30, 1);
    CHECK(level(&rows, false));
    CHECK(rows.floor[0] == 5 && rows.floor[1] == 2);
    CHECK_EQ(rows.pour.amount, 0);
}

/* Enough for all is not critical, and a row without a weight takes no part. */
static void enough_for_all(void)
{
    rows rows = {.pour = {.count = 2, .unit = 1, .left = 10}};
    point(&rows, true);
    set(&rows, 0, 3, 7, 1);
    set(&rows, 1, 2, 30, 0);
    CHECK(!level(&rows, false));
    CHECK(rows.aim[0] == 7 && rows.aim[1] == 2);
    CHECK_EQ(rows.pour.left, 6);
}

/* Weights of 10^9 in units of 1 / (10^9 - 1): beyond 64 bits. Every other row has most of all. */
static void the_largest_numbers(void)
{
    static rows plain;
    static rows fast;
    plain =
        (rows){.pour = {.count = MOST, .unit = ALLOT_AMOUNT_MAX - 1, .left = ALLOT_AMOUNT_MAX / 5}};
    for (int32_t i = 0; i < MOST; i++) {
        set(&plain, i, i % 2 ? 5000000 + i : i, ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX - i);
        plain.level_part[i] = ALLOT_AMOUNT_MAX - 2 - i;
    }
    point(&plain, false);
    fast = plain;
    point(&fast, false);
    CHECK(level(&plain, true));
    CHECK(level(&fast, false));
    CHECK(same(&plain, &fast, true));
    CHECK_EQ(plain.floor[1], 5000001);
    CHECK(plain.floor[0] > 1333000 && plain.floor[0] >= plain.floor[298]);
}

int main(void)
{
    RUN(who_has_more_stays);
    RUN(one_after_another_stays);
    RUN(nothing_is_left);
    RUN(enough_for_all);
    RUN(the_largest_numbers);
    RUN(totals_are_by_the_rule);
    RUN(fast_is_exact);
    return check_done();
}
