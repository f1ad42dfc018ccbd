/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* round_test.c: the four roundings over one family, by hand and by their properties. */
#include "engine/fill/round.h"

#include "engine/fill/pour.h"
#include "test/support/check.h"

enum { MOST = 60 };

/* A family that shares `slots` by weight, nobody capped below `cap`; poured and rounded. */
typedef struct family {
    int32_t count;
    int32_t weight[MOST], cap[MOST];
    int32_t reserve[MOST];
    int32_t zero[MOST], aim[MOST], floor[MOST], rest[MOST], order[MOST], quota[MOST];
    allot__u128 fraction[MOST];
} family;

static void divide(family *it, allot_rounding rounding, int64_t slots)
{
    allot__pour pour = {.count = it->count,
                        .unit = 1,
                        .left = slots,
                        .level = it->zero,
                        .level_part = it->zero,
                        .need = it->cap,
                        .cap = it->cap,
                        .cap_part = it->zero,
                        .weight = it->weight,
                        .aim = it->aim,
                        .floor = it->floor,
                        .rest = it->rest,
                        .fraction = it->fraction};
    allot__pour_aims(&pour);
    bool critical = allot__pour_exact(&pour);
    allot__shares shares = {.count = it->count,
                            .whole = slots - pour.left,
                            .floor = critical ? it->floor : it->aim,
                            .rest = critical ? it->rest : it->zero,
                            .fraction = it->fraction,
                            .reserve = it->reserve,
                            .weight = critical ? it->weight : NULL,
                            .base = it->zero,
                            .aim = it->aim,
                            .amount = (allot__u128)pour.amount,
                            .one = (allot__u128)pour.sum,
                            .order = it->order,
                            .quota = it->quota};
    allot__round(rounding, &shares);
}

static family of_weights(const int32_t *weights, int32_t count, int32_t cap)
{
    family it = {.count = count};
    for (int32_t i = 0; i < count; i++) {
        it.weight[i] = weights[i];
        it.cap[i] = cap;
    }
    return it;
}

static void check_quotas(const family *it, const int32_t *wanted)
{
    for (int32_t i = 0; i < it->count; i++)
        CHECK_EQ(it->quota[i], wanted[i]);
}

/* HV-4: 10 slots by 1 : 2 are 3.333 and 6.666; the first in order gets the lost slot. */
static void rank_gives_lost_slots_in_order(void)
{
    family a_first = of_weights((int32_t[]){1, 2}, 2, 100);
    divide(&a_first, ALLOT_ROUND_RANK, 10);
    check_quotas(&a_first, (int32_t[]){4, 6});
    family b_first = of_weights((int32_t[]){2, 1}, 2, 100);
    divide(&b_first, ALLOT_ROUND_RANK, 10);
    check_quotas(&b_first, (int32_t[]){7, 3});
}

/* A whole share gets no lost slot, wherever it stands. */
static void rank_passes_over_whole_shares(void)
{
    family it = of_weights((int32_t[]){2, 1, 1}, 3, 100);
    divide(&it, ALLOT_ROUND_RANK, 10);
    check_quotas(&it, (int32_t[]){5, 3, 2}); /* 5, 2.5, 2.5 */
}

/* QV-1, QV-7: 12 by 50, 30, 20 is 6, 3.6, 2.4: rounded up while slots last. */
static void ceil_rounds_up_while_slots_last(void)
{
    family it = of_weights((int32_t[]){50, 30, 20}, 3, 100);
    divide(&it, ALLOT_ROUND_CEIL_IN_ORDER, 12);
    check_quotas(&it, (int32_t[]){6, 4, 2});
    family more = of_weights((int32_t[]){50, 30, 10, 10}, 4, 100);
    divide(&more, ALLOT_ROUND_CEIL_IN_ORDER, 21);
    check_quotas(&more, (int32_t[]){11, 7, 3, 0}); /* 10.5, 6.3, 2.1, 2.1 */
}

/* 4 slots by 1 : 1 : 1 are 1.33 each; the third's reserve of one is not rounded away. */
static void ceil_keeps_reserves(void)
{
    family it = of_weights((int32_t[]){1, 1, 1}, 3, 100);
    divide(&it, ALLOT_ROUND_CEIL_IN_ORDER, 4);
    check_quotas(&it, (int32_t[]){2, 2, 0}); /* 1.33 each */
    it.reserve[2] = 1;
    divide(&it, ALLOT_ROUND_CEIL_IN_ORDER, 4);
    check_quotas(&it, (int32_t[]){2, 1, 1});
}

static void largest_remainder_looks_at_fractions(void)
{
    family it = of_weights((int32_t[]){1, 2}, 2, 100);
    divide(&it, ALLOT_ROUND_LARGEST_REMAINDER, 10);
    check_quotas(&it, (int32_t[]){3, 7});
    family tied = of_weights((int32_t[]){1, 1, 1}, 3, 100);
    divide(&tied, ALLOT_ROUND_LARGEST_REMAINDER, 5);
    check_quotas(&tied, (int32_t[]){2, 2, 1});
}

/* Weights 53, 24, 23 over the divisors 1, 3, 5, 7: 53, 17.67, 10.6, 7.57; 24, 8; 23, 7.67. The
 * seven largest are three of the first, two of the second, two of the third; exact shares, 3.71,
 * 1.68 and 1.61, would have given the first a fourth by largest remainders. */
static void webster_goes_by_odd_divisors(void)
{
    family it = of_weights((int32_t[]){53, 24, 23}, 3, 100);
    divide(&it, ALLOT_ROUND_WEBSTER, 7);
    check_quotas(&it, (int32_t[]){3, 2, 2});
    divide(&it, ALLOT_ROUND_LARGEST_REMAINDER, 7);
    check_quotas(&it, (int32_t[]){4, 2, 1});
}

static uint64_t seed = 42;

static int32_t below(int32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int32_t)((seed >> 13) % (uint64_t)bound);
}

static family random_family(void)
{
    family it = {.count = 1 + below(MOST)};
    int32_t heavy = 1 + below(1 << (1 + below(29)));
    for (int32_t i = 0; i < it.count; i++) {
        it.weight[i] = below(5) > 0 ? below(heavy) : 0;
        it.cap[i] = below(3) > 0 ? 1000 : below(40);
    }
    return it;
}

static int64_t capacity(const family *it)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < it->count; i++)
        sum += it->weight[i] > 0 ? it->cap[i] : 0;
    return sum;
}

/* Whatever the rounding: all slots are given while rows want them, and no cap is passed. */
static void every_slot_is_given(void)
{
    for (int32_t k = 0; k < 4000; k++) {
        family it = random_family();
        int64_t slots = below(2000);
        int64_t wanted = capacity(&it) < slots ? capacity(&it) : slots;
        for (int32_t way = ALLOT_ROUND_RANK; way <= ALLOT_ROUND_WEBSTER; way++) {
            divide(&it, (allot_rounding)way, slots);
            int64_t sum = 0;
            for (int32_t i = 0; i < it.count; i++) {
                sum += it.quota[i];
                CHECK(it.quota[i] >= 0 && it.quota[i] <= (it.weight[i] > 0 ? it.cap[i] : 0));
            }
            if (!CHECK_EQ(sum, wanted)) {
                printf("# way %d, case %d\n", (int)way, (int)k);
                return;
            }
        }
    }
}

/* Nobody loses a slot because there is one more to share. */
static void webster_is_house_monotone(void)
{
    for (int32_t k = 0; k < 400; k++) {
        family it = random_family();
        int32_t before[MOST] = {0};
        for (int64_t slots = 0; slots < 150; slots++) {
            divide(&it, ALLOT_ROUND_WEBSTER, slots);
            for (int32_t i = 0; i < it.count; i++) {
                if (!CHECK(it.quota[i] >= before[i]))
                    return;
                before[i] = it.quota[i];
            }
        }
    }
}

int main(void)
{
    RUN(rank_gives_lost_slots_in_order);
    RUN(rank_passes_over_whole_shares);
    RUN(ceil_rounds_up_while_slots_last);
    RUN(ceil_keeps_reserves);
    RUN(largest_remainder_looks_at_fractions);
    RUN(webster_goes_by_odd_divisors);
    RUN(every_slot_is_given);
    RUN(webster_is_house_monotone);
    return check_done();
}
