/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wide_test.c: exact fractions. */
#include "base/wide.h"

#include "test/support/check.h"

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Up to `bits` random bits. */
static allot__u128 random_number(int bits)
{
    allot__u128 n = (allot__u128)random_bits() << 64 | random_bits();
    return n >> (128 - bits);
}

static allot__u128 euclid(allot__u128 a, allot__u128 b)
{
    while (b) {
        allot__u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void gcd_is_that_of_euclid(void)
{
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        allot__u128 factor = random_number(1 + i % 40) + 1;
        allot__u128 a = random_number(1 + i % 88) * factor, b = random_number(1 + i % 71) * factor;
        wrong += allot__gcd(a, b) != euclid(a, b);
    }
    CHECK_EQ(wrong, 0);
    CHECK(allot__gcd(0, 0) == 0 && allot__gcd(0, 6) == 6 && allot__gcd(6, 0) == 6);
    allot__u128 largest = ~(allot__u128)0;
    CHECK(allot__gcd(largest, largest) == largest);
    CHECK(allot__gcd(largest, largest / 3) == largest / 3);
    CHECK(allot__gcd((allot__u128)1 << 127, (allot__u128)1 << 100) == (allot__u128)1 << 100);
}

static void ratios_are_in_lowest_terms(void)
{
    allot_ratio ratio = allot__ratio(90, 4);
    CHECK(ratio.num_low == 45 && ratio.den_low == 2 && !ratio.num_high && !ratio.den_high);
    ratio = allot__ratio(0, 7);
    CHECK(ratio.num_low == 0 && ratio.den_low == 1);
    ratio = allot__ratio((allot__u128)3 << 100, (allot__u128)9 << 90);
    CHECK(ratio.num_low == 1024 && ratio.den_low == 3);
    ratio = allot__ratio(((allot__u128)1 << 100) + 1, (allot__u128)1 << 70);
    CHECK(ratio.num_high == (uint64_t)1 << 36 && ratio.num_low == 1);
    CHECK(ratio.den_high == 64 && ratio.den_low == 0);
}

static void texts_are_decimal(void)
{
    char text[80];
    allot_ratio ratio = allot__ratio(10, 3);
    CHECK_EQ(allot_ratio_text(&ratio, text, sizeof text), 4);
    CHECK_STR(text, "10/3");
    ratio = allot__ratio(18, 2);
    CHECK_EQ(allot_ratio_text(&ratio, text, sizeof text), 1);
    CHECK_STR(text, "9");
    ratio = allot__ratio(0, 2);
    CHECK_EQ(allot_ratio_text(&ratio, text, sizeof text), 1);
    CHECK_STR(text, "0");
    allot__u128 largest = ~(allot__u128)0;
    ratio = allot__ratio(largest, largest - 1);
    CHECK_EQ(allot_ratio_text(&ratio, text, sizeof text), 79);
    CHECK_STR(text, "340282366920938463463374607431768211455/"
                    "340282366920938463463374607431768211454");
}

static void texts_are_cut_to_size(void)
{
    allot_ratio ratio = allot__ratio(123456, 789);
    char text[8] = "unused", whole[80];
    size_t len = allot_ratio_text(&ratio, whole, sizeof whole);
    CHECK_STR(whole, "41152/263");
    CHECK_EQ(allot_ratio_text(&ratio, text, 4), len);
    CHECK_STR(text, "411");
    CHECK_EQ(allot_ratio_text(&ratio, text, 1), len);
    CHECK_STR(text, "");
    CHECK_EQ(allot_ratio_text(&ratio, NULL, 0), len);
}

static double value(allot__u128 num, allot__u128 den)
{
    allot_ratio ratio = allot__ratio(num, den);
    return allot_ratio_value(&ratio);
}

/* One division of doubles that hold their numbers exactly is rounded to the nearest. */
static void values_are_the_nearest(void)
{
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        allot__u128 num = random_number(1 + i % 53), den = random_number(1 + i % 41) + 1;
        double wanted = (double)(uint64_t)num / (double)(uint64_t)den;
        wrong += value(num, den) != wanted;
        wrong += value(num << 60, den) != wanted * 1152921504606846976.0;
        wrong += value(num, den << 60) != wanted / 1152921504606846976.0;
    }
    CHECK_EQ(wrong, 0);
    CHECK(value(0, 5) == 0 && value(45, 2) == 22.5);
}

/* 2^53 + 1 is halfway between two doubles: what follows decides. */
static void values_round_once(void)
{
    allot__u128 half = ((allot__u128)1 << 53) + 1;
    CHECK(value(half, 1) == 9007199254740992.0);
    CHECK(value((half << 60) + 1, (allot__u128)1 << 60) == 9007199254740994.0);
    CHECK(value((half << 70) + 1, 1) == 9007199254740994.0 * 1180591620717411303424.0);
    CHECK(value((half << 60) - 1, (allot__u128)1 << 60) == 9007199254740992.0);
    CHECK(value(half * 3 + 1, 3) == 9007199254740994.0);
}

int main(void)
{
    RUN(gcd_is_that_of_euclid);
    RUN(ratios_are_in_lowest_terms);
    RUN(texts_are_decimal);
    RUN(texts_are_cut_to_size);
    RUN(values_are_the_nearest);
    RUN(values_round_once);
    return check_done();
}
