/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule_test.c: fills, orders and rounding, and what they may read. */
#include "model/policy/policy.h"

#include "test/support/fixture.h"

static allot_source column(int32_t number)
{
    return (allot_source){ALLOT_FROM_COLUMN, number};
}

static const allot_source one = {ALLOT_FROM_NUMBER, 1}, need = {ALLOT_FROM_NEED, 0};

static allot_policy *begin(fixture *it)
{
    fixture_begin(it);
    allot_policy_free(it->policy);
    CHECK_EQ(allot_policy_new(it->engine, "rules", &it->policy), ALLOT_OK);
    return it->policy;
}

static void reserve_is_poured_first(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_fill(policy, "owned", column(ALLOT_OWNED), column(ALLOT_OWNED), NULL, 0),
             ALLOT_OK);
    CHECK_EQ(allot_policy_fills(policy), 2);
    CHECK_STR(allot_policy_fill_label(policy, 0), "reserved");
    CHECK_STR(allot_policy_fill_label(policy, 1), "owned");
    CHECK_EQ(policy->fills[0].by.value, ALLOT_RESERVE);
    CHECK_EQ(policy->fills[0].up_to.kind, ALLOT_FROM_COLUMN);
    CHECK_EQ(policy->fills[0].up_to.value, ALLOT_RESERVE);
    CHECK_EQ(allot_policy_fill(policy, "reserved", one, need, NULL, 0), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_fill(policy, "owned", one, need, NULL, 0), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_fills(policy), 2);
    fixture_end(&it);
}

static void a_policy_may_pour_reserve_itself(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    allot_source reserve = column(ALLOT_RESERVE);
    CHECK_EQ(allot_policy_fill(policy, "kept", reserve, reserve, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "reserved", one, need, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fills(policy), 2);
    CHECK_STR(allot_policy_fill_label(policy, 0), "kept");
    fixture_end(&it);
}

/* C-15: the last fill is meant; a ledger has none, since it tells own slots from others. */
static void the_last_fill_may_raise_totals(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    allot_source owned = column(ALLOT_OWNED);
    CHECK_EQ(allot_policy_fill_level(NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill_level(policy), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill_level(policy), ALLOT_OK);
    CHECK(!policy->fills[0].level && policy->fills[1].level);
    CHECK_EQ(allot_policy_pool(policy, "shared", one, need), ALLOT_EUSAGE);
    fixture_end(&it);
    policy = begin(&it);
    CHECK_EQ(allot_policy_fill(policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_pool(policy, "shared", one, need), ALLOT_OK);
    CHECK_EQ(allot_policy_fill_level(policy), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void what_only_looks_like_reserve_is_not(void)
{
    allot_source reserve = column(ALLOT_RESERVE);
    allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_fill(policy, "reserved", reserve, reserve, &by_rank, 1), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_fill(policy, "reserved", reserve, need, NULL, 0), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_fills(policy), 0);
    CHECK_EQ(allot_policy_fill(policy, "kept", reserve, reserve, &by_rank, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_fills(policy), 2);
    fixture_end(&it);
}

static void a_plan_completes_a_policy_without_fills(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(allot_policy_fills(it.policy), 1);
    CHECK_STR(allot_policy_fill_label(it.policy, 0), "reserved");
    fixture_end(&it);
}

static void fills_read_what_is_known_before_quota(void)
{
    fixture it;
    for (int32_t i = ALLOT_OWNED; i < ALLOT_COLUMN_COUNT; i++) {
        int wanted = i <= ALLOT_IN_FLIGHT ? ALLOT_OK : ALLOT_EUSAGE;
        CHECK_EQ(allot_policy_fill(begin(&it), "f", column(i), need, NULL, 0), wanted);
        fixture_end(&it);
    }
    allot_policy *policy = begin(&it);
    allot_key key = {column(ALLOT_QUOTA), 0};
    CHECK_EQ(allot_policy_fill(policy, "x", one, column(ALLOT_QUOTA), NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "x", one, need, &key, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "x", column(-1), need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "x", column(ALLOT_COLUMN_COUNT), need, NULL, 0),
             ALLOT_EUSAGE);
    fixture_end(&it);
}

static void weights_are_not_negative(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    allot_attribute a = {.name = "a", .type = ALLOT_INTEGER, .max = 9},
                    b = {.name = "b", .type = ALLOT_INTEGER, .min = -9, .max = 9};
    CHECK_EQ(allot_policy_attribute(policy, &a), ALLOT_OK);
    CHECK_EQ(allot_policy_attribute(policy, &b), ALLOT_OK);
    allot_source good = column(ALLOT_COLUMN_COUNT), bad = column(ALLOT_COLUMN_COUNT + 1);
    allot_source minus = {ALLOT_FROM_NUMBER, -1}, much = {ALLOT_FROM_NUMBER, ALLOT_AMOUNT_MAX + 1};
    allot_key key = {bad, 7};
    CHECK_EQ(allot_policy_fill(policy, "x", good, good, &key, 1), ALLOT_OK);
    CHECK_EQ(policy->fills[1].order.keys[0].descending, 1);
    CHECK_EQ(allot_policy_fill(policy, "y", bad, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "y", one, bad, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "y", minus, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "y", much, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "y", need, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reclaim(policy, bad, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "9", one, need, NULL, 0), ALLOT_ENAME);
    CHECK_EQ(allot_policy_fill(policy, NULL, one, need, NULL, 0), ALLOT_ENAME);
    fixture_end(&it);
}

static void functions_are_checked_where_they_are_used(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    int32_t early = ALLOT_NEED, late = ALLOT_OVER, f, g;
    CHECK_EQ(allot_policy_function(policy, &early, 1, &f), ALLOT_OK);
    CHECK_EQ(allot_policy_function(policy, &late, 1, &g), ALLOT_OK);
    allot_source first = {ALLOT_FROM_FUNCTION, f}, second = {ALLOT_FROM_FUNCTION, g},
                 none = {ALLOT_FROM_FUNCTION, 2};
    allot_key keys[] = {{first, 0}, {second, 1}};
    CHECK_EQ(allot_policy_fill(policy, "x", first, first, keys, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "y", second, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "y", none, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_distribute(policy, keys, 2), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reclaim(policy, second, keys, 2), ALLOT_OK);
    CHECK_EQ(allot_policy_takes(policy, one), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_takes(policy, none), ALLOT_EUSAGE);
    for (int i = 0; i < ALLOT_TESTS_MAX; i++)
        CHECK_EQ(allot_policy_takes(policy, i % 2 ? second : column(ALLOT_OVER)), ALLOT_OK);
    CHECK_EQ(allot_policy_takes(policy, second), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void orders_have_defaults_and_bounds(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK(policy->distribute.count == 1 && policy->reclaim.count == 1);
    CHECK_EQ(policy->distribute.keys[0].source.value, ALLOT_RANK);
    CHECK_EQ(policy->distribute.keys[0].descending, 0);
    CHECK_EQ(policy->reclaim.keys[0].source.value, ALLOT_RANK);
    CHECK_EQ(policy->reclaim.keys[0].descending, 1);
    CHECK_EQ(policy->reclaim_by.value, ALLOT_OVER);
    CHECK_EQ(policy->rounding, ALLOT_ROUND_RANK);
    allot_key keys[ALLOT_KEYS_MAX + 1] = {{column(ALLOT_QUOTA), 0}};
    for (int i = 1; i <= ALLOT_KEYS_MAX; i++)
        keys[i] = keys[0];
    CHECK_EQ(allot_policy_distribute(policy, keys, ALLOT_KEYS_MAX + 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_distribute(policy, keys, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_distribute(policy, NULL, 1), ALLOT_EUSAGE);
    CHECK_EQ(policy->distribute.count, 1);
    CHECK_EQ(allot_policy_distribute(policy, keys, ALLOT_KEYS_MAX), ALLOT_OK);
    CHECK_EQ(policy->distribute.count, ALLOT_KEYS_MAX);
    CHECK_EQ(allot_policy_distribute(policy, NULL, 0), ALLOT_OK);
    CHECK_EQ(policy->distribute.count, 0);
    keys[0].source.value = ALLOT_RECEIVED;
    CHECK_EQ(allot_policy_distribute(policy, keys, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reclaim(policy, column(ALLOT_OVER), keys, 1), ALLOT_OK);
    keys[0].source = need;
    CHECK_EQ(allot_policy_distribute(policy, keys, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_round(policy, ALLOT_ROUND_WEBSTER), ALLOT_OK);
    CHECK_EQ(policy->rounding, ALLOT_ROUND_WEBSTER);
    CHECK_EQ(allot_policy_round(policy, (allot_rounding)4), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void there_is_room_for_so_many_fills(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    char label[16];
    for (int i = 1; i < ALLOT_FILLS_MAX; i++) { /* the first is the reserve's */
        snprintf(label, sizeof label, "f%d", i);
        CHECK_EQ(allot_policy_fill(policy, label, one, need, NULL, 0), ALLOT_OK);
    }
    CHECK_EQ(allot_policy_fill(policy, "more", one, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fills(policy), ALLOT_FILLS_MAX);
    fixture_end(&it);
}

static void one_fill_goes_up_to_parts(void)
{
    const allot_source part = {ALLOT_FROM_PART, 0}, held = {ALLOT_FROM_HELD, 0};
    allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_fill(policy, "a", part, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", one, part, &by_rank, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", one, held, &by_rank, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot__policy_parted(policy), -1);
    CHECK_EQ(allot_policy_fill(policy, "a", one, part, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot__policy_parted(policy), 1); /* behind the reserve */
    CHECK_EQ(allot_policy_fill(policy, "b", one, part, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "b", held, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "b", one, held, &by_rank, 1), ALLOT_OK);
    fixture_end(&it);
}

static void what_is_owned_may_be_left_out(void)
{
    const int32_t reads[] = {ALLOT_SHARE, ALLOT_CONFIGURED};
    const allot_source call = {ALLOT_FROM_FUNCTION, 0};
    int32_t number;
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_function(policy, reads, 2, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "a", column(ALLOT_SHARE), need, NULL, 0), ALLOT_OK);
    CHECK(!allot_policy_owns(policy));
    CHECK_EQ(allot_policy_fill(policy, "b", call, need, NULL, 0), ALLOT_OK);
    CHECK(allot_policy_owns(policy));
    fixture_end(&it);
}

/* A sum is known when its column is, and a function that sums what is owned reads ownership. */
static void functions_read_sums(void)
{
    const int32_t owned[] = {ALLOT_SUM_OF(ALLOT_OWNED)}, quotas[] = {ALLOT_SUM_OF(ALLOT_QUOTA)};
    const int32_t none[] = {ALLOT_SUM_OF(ALLOT_COLUMN_COUNT)}, task[] = {ALLOT_SUM_OF(0)};
    allot_source by = {ALLOT_FROM_FUNCTION, 0}, late = {ALLOT_FROM_FUNCTION, 1};
    int32_t number;
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_function(policy, owned, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_function(policy, quotas, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_function(policy, none, 1, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_rows_function(policy, ALLOT_TASKS, task, 1, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", late, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", column(owned[0]), need, NULL, 0), ALLOT_EUSAGE);
    CHECK(!allot_policy_owns(policy));
    CHECK_EQ(allot_policy_fill(policy, "a", by, need, NULL, 0), ALLOT_OK);
    CHECK(allot_policy_owns(policy));
    fixture_end(&it);
}

/* What a family divides is known to functions alone, once its fills are poured. */
static void functions_read_parent_slots(void)
{
    const int32_t slots[] = {ALLOT_PARENT_SLOTS}, sum[] = {ALLOT_SUM_OF(ALLOT_PARENT_SLOTS)};
    const allot_source call = {ALLOT_FROM_FUNCTION, 0}, part = {ALLOT_FROM_PART, 0};
    const allot_key key = {call, 0};
    int32_t number;
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_function(policy, sum, 1, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_function(policy, slots, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "a", column(slots[0]), need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", one, column(slots[0]), NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", call, part, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "a", call, call, &key, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_distribute(policy, &key, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_round(policy, ALLOT_ROUND_CEIL_IN_ORDER), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void reserves_are_of_what_plans_state(void)
{
    const int32_t slots[] = {ALLOT_GROUP_SLOTS, ALLOT_RESERVE}, demand[] = {ALLOT_DEMAND};
    const allot_source call = {ALLOT_FROM_FUNCTION, 0}, late = {ALLOT_FROM_FUNCTION, 1};
    int32_t number;
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK(allot__is_reserve(policy->reserve));
    CHECK_EQ(allot_policy_function(policy, slots, 2, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_function(policy, demand, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_reserve(policy, late), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reserve(policy, need), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reserve(policy, column(ALLOT_NEED)), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reserve(policy, column(ALLOT_COLUMN_COUNT)), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reserve(NULL, one), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reserve(policy, one), ALLOT_OK);
    CHECK_EQ(allot_policy_reserve(policy, column(ALLOT_OWNED)), ALLOT_OK);
    CHECK_EQ(allot_policy_reserve(policy, call), ALLOT_OK);
    CHECK_EQ(allot_policy_dispatch(policy, NULL, 0), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void loans_weigh_borrowers(void)
{
    const allot_source owned = column(ALLOT_OWNED), share = column(ALLOT_SHARE);
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_loan_by(policy, share), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_loan_by(policy, share), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_loan(policy, "lent", need, need, NULL, 0), ALLOT_OK);
    CHECK(!policy->fills[2].weighs);
    CHECK_EQ(allot_policy_loan_by(policy, need), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_loan_by(policy, column(ALLOT_PARENT_SLOTS)), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_loan_by(NULL, share), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_loan_by(policy, share), ALLOT_OK);
    CHECK(policy->fills[2].weighs);
    fixture_end(&it);
}

static void percentages_are_of_what_plans_state(void)
{
    allot_attribute whole = {.name = "whole", .type = ALLOT_INTEGER, .max = 100};
    allot_attribute flag = {.name = "flag", .type = ALLOT_BOOLEAN, .max = 1};
    allot_attribute sign = {.name = "sign", .type = ALLOT_INTEGER, .min = -1, .max = 1};
    allot_attribute most = {.name = "most", .type = ALLOT_INTEGER, .max = 9, .limit = 3};
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(allot_policy_attribute(policy, &whole), ALLOT_OK);
    CHECK_EQ(allot_policy_attribute(policy, &flag), ALLOT_OK);
    CHECK_EQ(allot_policy_attribute(policy, &sign), ALLOT_OK);
    CHECK_EQ(allot_policy_attribute(policy, &most), ALLOT_EUSAGE);
    const int32_t columns[] = {ALLOT_SHARE,
                               ALLOT_COLUMN_COUNT,
                               ALLOT_OWNED,
                               -1,
                               ALLOT_COLUMN_COUNT + 1,
                               ALLOT_COLUMN_COUNT + 2,
                               ALLOT_COLUMN_COUNT + 3};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const allot_source percent = {ALLOT_FROM_PERCENT, columns[i]};
        char label[] = {(char)('a' + i), '\0'};
        CHECK_EQ(allot_policy_fill(policy, label, one, percent, NULL, 0),
                 i < 2 ? ALLOT_OK : ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_fill(policy, label, percent, need, NULL, 0), ALLOT_EUSAGE);
    }
    fixture_end(&it);
}

/* Can a share of 0 leave a row out of two fills? */
static bool leaves_out(allot_source by, allot_source up_to, allot_source by2)
{
    fixture it;
    allot_policy *policy = begin(&it);
    const int32_t reads[] = {ALLOT_SHARE};
    int32_t number;
    CHECK_EQ(allot_policy_function(policy, reads, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "a", by, up_to, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "b", by2, need, NULL, 0), ALLOT_OK);
    bool found = allot__policy_leaves_out(policy);
    fixture_end(&it);
    return found;
}

static void shares_of_nothing_leave_out(void)
{
    const allot_source call = {ALLOT_FROM_FUNCTION, 0}, zero = {ALLOT_FROM_NUMBER, 0};
    const allot_source share = column(ALLOT_SHARE), owned = column(ALLOT_OWNED);
    const allot_source reserve = column(ALLOT_RESERVE);
    CHECK(leaves_out(owned, need, share));
    CHECK(leaves_out(zero, need, share));
    CHECK(!leaves_out(owned, need, owned));
    CHECK(!leaves_out(share, need, one));
    CHECK(!leaves_out(share, need, call));
    CHECK(!leaves_out(share, need, column(ALLOT_ALLOCATED)));
    CHECK(!leaves_out(one, need, share));
    CHECK(leaves_out(one, reserve, share));
    CHECK(leaves_out(call, reserve, share));
    CHECK(!leaves_out(share, reserve, owned));
}

static void damping_is_of_some_options(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    CHECK_EQ(policy->options_set, 0);
    CHECK_EQ(allot_policy_damp(policy, ALLOT_OPTION_LEEWAY, 3), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_damp(policy, -1, 3), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_damp(policy, ALLOT_OPTION_COUNT, 3), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_damp(NULL, ALLOT_OPTION_DEAD_ZONE, 3), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_damp(policy, ALLOT_OPTION_MOST_RECLAIMED, 0), ALLOT_ERANGE);
    CHECK_EQ(policy->options_set, 0);
    CHECK_EQ(allot_policy_damp(policy, ALLOT_OPTION_DEAD_ZONE, 3), ALLOT_OK);
    CHECK_EQ(policy->options_set, 1 << ALLOT_OPTION_DEAD_ZONE);
    CHECK_EQ(policy->options[ALLOT_OPTION_DEAD_ZONE], 3);
    fixture_end(&it);
}

static void switches_are_off_and_few(void)
{
    fixture it;
    allot_policy *policy = begin(&it);
    for (int i = 0; i < ALLOT_SWITCH_COUNT; i++) {
        CHECK(!policy->switches[i]);
        CHECK_EQ(allot_policy_switch(policy, (allot_switch)i, 7), ALLOT_OK);
        CHECK(policy->switches[i]);
    }
    CHECK_EQ(allot_policy_switch(policy, ALLOT_SWITCH_COUNT, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_switch(policy, (allot_switch)-1, 1), ALLOT_EUSAGE);
    fixture_end(&it);
}

int main(void)
{
    RUN(reserve_is_poured_first);
    RUN(a_policy_may_pour_reserve_itself);
    RUN(the_last_fill_may_raise_totals);
    RUN(what_only_looks_like_reserve_is_not);
    RUN(a_plan_completes_a_policy_without_fills);
    RUN(fills_read_what_is_known_before_quota);
    RUN(weights_are_not_negative);
    RUN(functions_are_checked_where_they_are_used);
    RUN(orders_have_defaults_and_bounds);
    RUN(there_is_room_for_so_many_fills);
    RUN(one_fill_goes_up_to_parts);
    RUN(what_is_owned_may_be_left_out);
    RUN(functions_read_sums);
    RUN(functions_read_parent_slots);
    RUN(reserves_are_of_what_plans_state);
    RUN(loans_weigh_borrowers);
    RUN(percentages_are_of_what_plans_state);
    RUN(shares_of_nothing_leave_out);
    RUN(damping_is_of_some_options);
    RUN(switches_are_off_and_few);
    return check_done();
}
