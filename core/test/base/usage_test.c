/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * usage_test.c: use that fades, against the power itself in long integers.
 *
 * x is use * parts^(-s/period) to the nearest if (2x - 1)^period * parts^s <= (2 use)^period and
 * (2x + 1)^period * parts^s >= (2 use)^period: whole numbers alone.
 */
#include "base/usage.h"

#include <stdbool.h>

#include "test/support/check.h"

enum { LIMBS = 400 };

typedef struct number {
    uint32_t limb[LIMBS]; /* least first */
    int count;
} number;

static allot__u128 fade(allot__u128 use, int64_t seconds, const allot_decay *decay)
{
    allot__fading fading = allot__fading_over(seconds, decay, NULL);
    return allot__usage_left(use, &fading);
}

static void times_small(number *n, uint64_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < n->count; i++) {
        uint64_t part = n->limb[i] * factor + carry;
        n->limb[i] = (uint32_t)part;
        carry = part >> 32;
    }
    if (carry)
        n->limb[n->count++] = (uint32_t)carry;
}

/* n * factor, which has up to 96 bits. */
static void times_wide(number *n, allot__u128 factor)
{
    number out = {.count = 0};
    for (int shift = 2; shift >= 0; shift--) {
        number part = *n;
        times_small(&part, (uint32_t)(factor >> (32 * shift)));
        uint64_t carry = 0;
        for (int i = 0; i + shift < LIMBS; i++) {
            carry += (uint64_t)out.limb[i + shift] + (i < part.count ? part.limb[i] : 0);
            out.limb[i + shift] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    for (out.count = LIMBS; out.count > 0 && out.limb[out.count - 1] == 0;)
        out.count--;
    *n = out;
}

static int compare(const number *a, const number *b)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static number power(allot__u128 base, int64_t times, uint32_t factor, int64_t factors)
{
    number n = {.limb = {1}, .count = 1};
    for (int64_t i = 0; i < times; i++)
        times_wide(&n, base);
    for (int64_t i = 0; i < factors; i++)
        times_small(&n, factor);
    return n;
}

static bool nearest(allot__u128 x, allot__u128 use, int64_t seconds, const allot_decay *decay)
{
    uint32_t parts = (uint32_t)decay->parts;
    number wanted = power(2 * use, decay->period, 1, 0);
    number high = power(2 * x + 1, decay->period, parts, seconds);
    if (compare(&high, &wanted) < 0)
        return false;
    if (x == 0)
        return true;
    number low = power(2 * x - 1, decay->period, parts, seconds);
    return compare(&low, &wanted) <= 0;
}

static uint64_t seed = 5;

static uint64_t bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void use_is_the_power_to_the_nearest(void)
{
    for (int i = 0; i < 1500; i++) {
        allot_decay decay = {.period = 1 + (int64_t)(bits() % 40),
                             .parts = i % 3 ? 2 + (int32_t)(bits() % 9) : 1 << (bits() % 20)};
        int64_t seconds = (int64_t)(bits() % (i % 2 ? 100 : 1500)) / (decay.parts > 100 ? 10 : 1);
        allot__u128 use = ((allot__u128)bits() << 64 | bits()) >> (44 + bits() % 80);
        allot__u128 left = fade(use, seconds, &decay);
        bool good = decay.parts == 1 ? left == use : nearest(left, use, seconds, &decay);
        if (!CHECK(good)) {
            printf("# period %lld, parts %d, %lld s\n", (long long)decay.period, decay.parts,
                   (long long)seconds);
            return;
        }
    }
}

/* one hour of use counts a tenth after 5 hours, and nothing ever stays. */
static void the_law_of_hist_hours(void)
{
    allot_decay law = {.period = 5 * 3600, .parts = 10};
    allot__u128 hour = 3600000000u;
    CHECK(fade(hour, 5 * 3600, &law) == 360000000);
    CHECK(fade(hour, 10 * 3600, &law) == 36000000);
    CHECK(fade(hour, 0, &law) == hour);
    CHECK(fade(hour, -5, &law) == hour);
    CHECK(fade(hour, INT64_MAX, &law) == 0);
    CHECK(fade(((allot__u128)1 << 84) - 1, 26 * 5 * 3600, &law) == 0);
    /* 3600 * 10^(-1/5) and 3600 * 10^(-1/18000), to the nearest millionth: bc -l */
    CHECK(fade(hour, 3600, &law) == 2271446440);
    CHECK(fade(hour, 1, &law) == 3599539512);
}

static void without_a_period_nothing_fades(void)
{
    allot_decay none = {.period = 0, .parts = 10}, one = {.period = 60, .parts = 1};
    CHECK(fade(12345, 1000000, &none) == 12345);
    CHECK(fade(12345, 1000000, &one) == 12345);
}

/* A step that is cut in pieces ends within 2 millionths a piece of the whole one. */
static void pieces_of_a_step(void)
{
    int wrong = 0;
    for (int i = 0; i < 400; i++) {
        allot_decay decay = {.period = 1 + (int64_t)(bits() % 100000), .parts = 2 + i % 12};
        allot__u128 use = ((allot__u128)bits() << 20) | bits(), whole, steps = use;
        int64_t pieces = 1 + (int64_t)(bits() % 9), seconds = 0;
        for (int64_t k = 0; k < pieces; k++) {
            int64_t step = (int64_t)(bits() % (uint64_t)(decay.period * 2));
            steps = fade(steps, step, &decay);
            seconds += step;
        }
        whole = fade(use, seconds, &decay);
        allot__u128 apart = whole > steps ? whole - steps : steps - whole;
        wrong += apart >= 2 * (allot__u128)pieces;
    }
    CHECK_EQ(wrong, 0);
}

/* Use that is more stays more, or becomes equal: no order turns round by fading. */
static void fading_keeps_order(void)
{
    allot_decay decay = {.period = 777, .parts = 3};
    int wrong = 0;
    for (int i = 0; i < 2000; i++) {
        allot__u128 use = bits() >> (bits() % 40);
        int64_t seconds = (int64_t)(bits() % 20000);
        wrong += fade(use, seconds, &decay) > fade(use + 1, seconds, &decay);
        wrong += fade(use, seconds, &decay) < fade(use, seconds + 1, &decay);
    }
    CHECK_EQ(wrong, 0);
}

/* One second after another by the power itself, which the sum in one go is to be. */
static void use_that_goes_on(void)
{
    int wrong = 0;
    for (int i = 0; i < 200; i++) {
        allot_decay decay = {.period = 1 + (int64_t)(bits() % 20000), .parts = 2 + i % 12};
        allot__pace pace = allot__pace_of(&decay, NULL);
        int64_t slots = 1 + (int64_t)(bits() % 1000), seconds = (int64_t)(bits() % 300);
        allot__u128 sum = 0, once = (allot__u128)slots * 1000000;
        for (int64_t k = 0; k < seconds; k++)
            sum += fade(once, k, &decay);
        allot__u128 made = allot__usage_made(slots, seconds, &pace);
        allot__u128 apart = made > sum ? made - sum : sum - made;
        wrong += apart > (allot__u128)seconds; /* half a millionth a second, and one */
    }
    CHECK_EQ(wrong, 0);
}

/* How often it was asked in between does not matter. */
static void use_in_pieces(void)
{
    int wrong = 0;
    for (int i = 0; i < 400; i++) {
        allot_decay decay = {.period = 1 + (int64_t)(bits() % 100000), .parts = 2 + i % 12};
        allot__pace pace = allot__pace_of(&decay, NULL);
        int64_t slots = 1 + (int64_t)(bits() >> (24 + bits() % 40)), seconds = 0;
        int64_t pieces = 1 + (int64_t)(bits() % 9);
        allot__u128 steps = 0;
        for (int64_t k = 0; k < pieces; k++) {
            int64_t step = (int64_t)(bits() % 100000);
            steps = fade(steps, step, &decay) + allot__usage_made(slots, step, &pace);
            seconds += step;
        }
        allot__u128 made = allot__usage_made(slots, seconds, &pace);
        allot__u128 apart = made > steps ? made - steps : steps - made;
        wrong += apart > 3 * (allot__u128)pieces;
    }
    CHECK_EQ(wrong, 0);
}

/* Are two amounts at most one apart? */
static bool near(allot__u128 a, allot__u128 b)
{
    return a + 1 - b <= 2;
}

/* slots * (1 - r^n) / (1 - r), to the nearest millionth: by Python's decimals, 120 digits. */
static void use_of_many_slots(void)
{
    static const struct {
        int64_t slots, seconds, period;
        uint64_t high, low; /* of a wanted number, high * 10^18 + low */
        int32_t parts;
    } rows[] = {
        {3000000, 1000, 86400, 0, 2988010296570655, 2},
        {5000000, 30 * 86400, 7 * 86400, 4, 139031856725417822, 2},
        {1000000000, 1, 604800, 0, 1000000000000000, 2},
        {1000000000, 604800, 604800, 436, 271230364870287581, 2},
        {1000000000, 3600, 18000, 2, 885101925086942281, 10},
        {(int64_t)1 << 40, 365 * 86400, 1000000000, 34297971, 811444072961476339, 2},
        {(int64_t)1 << 34, 1000000000, 1000000000, 12392656, 41733928500399378, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        allot_decay decay = {.period = rows[i].period, .parts = rows[i].parts};
        allot__pace pace = allot__pace_of(&decay, NULL);
        allot__u128 made = allot__usage_made(rows[i].slots, rows[i].seconds, &pace);
        allot__u128 wanted = (allot__u128)rows[i].high * 1000000000000000000u + rows[i].low;
        CHECK(near(made, wanted));
    }
}

/* Three products tell use within a millionth, as the sum in one go does; or they tell nothing. */
static void use_by_three_products(void)
{
    static allot__decay fades;
    int wrong = 0, told = 0;
    for (int i = 0; i < 300; i++) {
        allot_decay decay = {.period = 1 + (int64_t)(bits() >> (34 + bits() % 30)),
                             .parts = i % 3 ? 2 : 10};
        allot__decay_make(&decay, &fades);
        for (int k = 0; k < 300; k++) {
            int64_t seconds = 1 + (int64_t)(bits() >> (34 + bits() % 30));
            int32_t slots = k % 5 ? (int32_t)(bits() >> (34 + bits() % 30)) : 0;
            allot__usage usage = {.slot_seconds = (int64_t)(bits() >> (2 + bits() % 62)),
                                  .millionths = (int32_t)(bits() % ALLOT__MILLION)};
            allot__fading fading = allot__fading_over(seconds, &decay, &fades.roots);
            allot__u128 use = allot__usage_left(allot__usage_whole(&usage), &fading) +
                              allot__usage_made(slots, seconds, &fades.pace);
            int64_t soon = allot__usage_soon(&usage, slots, seconds, &fades);
            wrong += soon >= 0 && !near((allot__u128)soon, use);
            told += soon >= 0;
        }
    }
    CHECK_EQ(wrong, 0);
    CHECK(told > 20000);
}

static void use_at_its_bounds(void)
{
    allot_decay none = {.period = 0, .parts = 10}, slow = {.period = INT64_MAX, .parts = 2};
    allot__pace still = allot__pace_of(&none, NULL), pace = allot__pace_of(&slow, NULL);
    CHECK(allot__usage_made(7, 100, &still) == 700000000);
    CHECK(allot__usage_made(7, 0, &pace) == 0);
    CHECK(allot__usage_made(7, -1, &pace) == 0);
    CHECK(allot__usage_made(0, 5, &pace) == 0);
    CHECK(allot__usage_made(7, 1, &pace) == 7000000);
    /* 2^40 slots for ever: 2^40 / (1 - 2^(-1/INT64_MAX)), which is 2^40 * INT64_MAX / ln 2, but
     * for what INT64_MAX seconds leave, which is half. */
    allot__u128 made = allot__usage_made((int64_t)1 << 40, INT64_MAX, &pace);
    allot__u128 wanted = (((allot__u128)INT64_MAX * 721347520444481704u) / 1000000000000000000u)
                         << 40;
    CHECK(made / 1000000 / (wanted / 1000000) == 1000000 ||
          made / 1000000 / (wanted / 1000000) == 999999);
}

int main(void)
{
    RUN(use_that_goes_on);
    RUN(use_in_pieces);
    RUN(use_of_many_slots);
    RUN(use_by_three_products);
    RUN(use_at_its_bounds);
    RUN(use_is_the_power_to_the_nearest);
    RUN(the_law_of_hist_hours);
    RUN(without_a_period_nothing_fades);
    RUN(pieces_of_a_step);
    RUN(fading_keeps_order);
    return check_done();
}
