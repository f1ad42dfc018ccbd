/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* own_test.c: scaled ownership, a family at a time, against the fraction itself. */
#include "engine/rows/work.h"

#include "test/support/check.h"

enum { ROWS = 200 };

static int32_t configured[ROWS], own[ROWS], part[ROWS];
static const int32_t firsts[] = {0, ROWS};
static const allot__tree tree = {.rows = ROWS, .families = 1, .first = (int32_t *)firsts};
static struct allot_policy policy;
static allot__rules rules = {.policy = &policy};
static const allot__group group;
static allot_plan plan;

static allot__work scaled(int64_t times, int64_t unit)
{
    plan.tree = tree;
    return (allot__work){.plan = &plan,
                         .group = &group,
                         .tree = &tree,
                         .configured = configured,
                         .rules = &rules,
                         .rules_count = 1,
                         .times = times,
                         .unit = unit};
}

static uint64_t seed = 7;

static int32_t amount(int32_t most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    int32_t bound = most >> (seed >> 40) % 30;
    return (int32_t)((seed >> 9) % ((uint64_t)bound + 1));
}

/* Floors and parts are those of owned * times / unit; floors beyond 10^9 are cut, without part. */
static void a_family_is_its_fractions(void)
{
    for (int32_t k = 0; k < 3000; k++) {
        int64_t unit = 1 + amount(ALLOT_AMOUNT_MAX - 1);
        allot__work work = scaled(amount(ALLOT_AMOUNT_MAX), k % 3 > 0 ? unit : 1);
        for (int32_t i = 0; i < ROWS; i++)
            configured[i] = amount(ALLOT_AMOUNT_MAX);
        allot__own_family(&work, 0, own, part);
        for (int32_t i = 0; i < ROWS; i++) {
            int64_t all = configured[i] * work.times;
            bool cut = all / work.unit >= ALLOT_AMOUNT_MAX;
            int32_t one;
            bool good = own[i] == (cut ? ALLOT_AMOUNT_MAX : all / work.unit) &&
                        (work.unit == 1 || part[i] == (cut ? 0 : all % work.unit)) &&
                        allot__own(&work, &rules, i, &one) == own[i] &&
                        (work.unit == 1 || one == part[i]);
            if (!CHECK(good)) {
                printf("# %d * %lld / %lld\n", configured[i], (long long)work.times,
                       (long long)work.unit);
                return;
            }
        }
    }
}

/* H-15: what is owned exactly stays as planned. */
static void exact_ownership_does_not_scale(void)
{
    allot__work work = scaled(7, 3);
    policy.exact = true;
    configured[0] = 10;
    allot__own_family(&work, 0, own, part);
    CHECK_EQ(own[0], 10);
    CHECK_EQ(part[0], 0);
    CHECK_EQ(allot__own(&work, &rules, 0, NULL), 10);
    policy.exact = false;
    allot__own_family(&work, 0, own, part);
    CHECK_EQ(own[0], 23); /* 70/3 */
    CHECK_EQ(part[0], 1);
}

int main(void)
{
    RUN(a_family_is_its_fractions);
    RUN(exact_ownership_does_not_scale);
    return check_done();
}
