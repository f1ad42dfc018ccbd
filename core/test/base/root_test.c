/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* root_test.c: roots are the largest numbers whose squares fit. */
#include "base/wide.h"

#include "test/support/check.h"

static const allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS;

/* Is a <= b? */
static int at_most(allot__wide a, allot__wide b)
{
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
}

static void check_root(allot__u128 n)
{
    allot__u128 r = allot__root(n);
    allot__wide whole = {n >> (128 - ALLOT__ONE_BITS), n << ALLOT__ONE_BITS};
    CHECK(at_most(allot__wide_times(r, r), whole));
    CHECK(!at_most(allot__wide_times(r + 1, r + 1), whole));
}

static void test_roots(void)
{
    allot__u128 n = 12345;
    CHECK(allot__root(0) == 0);
    CHECK(allot__root(one) == one);
    CHECK(allot__root(one / 4) == one / 2);
    for (int i = 0; i < 500; i++) {
        n = (n * 6364136223846793005u + 1442695040888963407u) % one;
        check_root(n);
        check_root(n >> (i % 120));
    }
}

static void test_products(void)
{
    allot__u128 all = ~(allot__u128)0;
    allot__wide square = allot__wide_times(all, all); /* 2^256 - 2^129 + 1 */
    CHECK(square.high == all - 1 && square.low == 1);
    CHECK(allot__wide_whole(allot__wide_times(one, one / 3)) == one / 3);
}

/* Each is the root of the one before. */
static void test_sequence(void)
{
    allot__roots roots;
    const int32_t parts[] = {2, 10, 1000000000};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        allot__roots_make(parts[k], &roots);
        CHECK(roots.of[0] == allot__root(one / (uint32_t)parts[k]));
        for (int i = 1; i < ALLOT__ROOTS; i++)
            CHECK(roots.of[i] == allot__root(roots.of[i - 1]));
    }
}

int main(void)
{
    RUN(test_roots);
    RUN(test_products);
    RUN(test_sequence);
    return check_done();
}
