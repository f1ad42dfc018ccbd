/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan_test.c: building a plan: groups, options, consumers, columns, hosts. */
#include "model/plan/plan.h"

#include "test/support/fixture.h"

static void a_plan_without_groups_gets_one(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(allot_plan_groups(it.plan), 0);
    CHECK_EQ(fixture_add(it.plan, "/a"), 0);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_groups(it.plan), 1);
    CHECK_STR(allot_plan_group_name(it.plan, 0), "default");
    CHECK(allot_plan_group_policy(it.plan, 0) == it.policy);
    CHECK_EQ(allot_plan_group_find(it.plan, "default", 7), 0);
    CHECK_EQ(allot_plan_group_find(it.plan, "defaults", 8), -1);
    CHECK(!allot_plan_group_name(it.plan, 1));
    fixture_end(&it);
}

static void an_implied_group_admits_no_others(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t group = -1;
    CHECK_EQ(allot_plan_slots(it.plan, 0, 40), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "gpu", &group), ALLOT_EUSAGE);
    CHECK_EQ(group, -1);
    CHECK_EQ(allot_plan_slots(it.plan, 1, 40), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 40);
    fixture_end(&it);
}

static void groups_are_named_once_and_before_columns(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t cpu = -1, gpu = -1, more = -1;
    CHECK_EQ(allot_plan_group(it.plan, "cpu", &cpu), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "gpu", &gpu), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "cpu", &more), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_group(it.plan, "9", &more), ALLOT_ENAME);
    CHECK_EQ(allot_plan_group(it.plan, NULL, &more), ALLOT_ENAME);
    CHECK(cpu == 0 && gpu == 1);
    CHECK(allot_plan_group_policy(it.plan, gpu) == it.policy); /* given to all before */
    fixture_add(it.plan, "/a");
    CHECK_EQ(fixture_set(it.plan, "/a", ALLOT_OWNED, 3), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "fpga", &more), ALLOT_EUSAGE);
    CHECK_EQ(more, -1);
    fixture_end(&it);
}

static void groups_have_columns_of_their_own(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t cpu, gpu;
    allot_plan_group(it.plan, "cpu", &cpu);
    allot_plan_group(it.plan, "gpu", &gpu);
    int32_t a = fixture_add(it.plan, "/a"), b = fixture_add(it.plan, "/b");
    CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, a, ALLOT_OWNED, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_set(it.plan, gpu, a, ALLOT_OWNED, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_set(it.plan, cpu, b, ALLOT_SHARE, 7), ALLOT_OK);
    CHECK_EQ(allot_plan_set(it.plan, 2, b, ALLOT_SHARE, 7), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_option(it.plan, gpu, ALLOT_OPTION_DEFAULT_RANK, 9), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, cpu, a, ALLOT_OWNED), 5);
    CHECK_EQ(allot_plan_get(it.plan, gpu, a, ALLOT_OWNED), 2);
    CHECK_EQ(allot_plan_get(it.plan, cpu, b, ALLOT_SHARE), 7);
    CHECK_EQ(allot_plan_get(it.plan, gpu, b, ALLOT_SHARE), 1);
    CHECK_EQ(allot_plan_get(it.plan, cpu, a, ALLOT_RANK), 0);
    CHECK_EQ(allot_plan_get(it.plan, gpu, a, ALLOT_RANK), 9);
    CHECK_EQ(allot_plan_group_slots(it.plan, cpu), 5);
    CHECK_EQ(allot_plan_group_slots(it.plan, gpu), 2);
    fixture_end(&it);
}

static void options_have_ranges(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(allot_plan_option(it.plan, ALLOT_ALL, ALLOT_OPTION_HOLD_ROUNDING, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_option(it.plan, ALLOT_ALL, ALLOT_OPTION_HOLD_ROUNDING, 2), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_option(it.plan, ALLOT_ALL, ALLOT_OPTION_DEFAULT_RANK, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_option(it.plan, ALLOT_ALL, ALLOT_OPTION_COUNT, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_option(it.plan, 3, ALLOT_OPTION_HOLD_ROUNDING, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_HOLD_ROUNDING), 1);
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP), 0);
    CHECK_STR(allot_option_name(0), "keep_shrunk_ownership");
    CHECK_STR(allot_option_name(ALLOT_OPTION_DEFAULT_RANK), "default_rank");
    CHECK(!allot_option_name(ALLOT_OPTION_COUNT) && !allot_option_name(-1));
    fixture_end(&it);
}

static void consumers_are_named_once_among_siblings(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t handle = -7;
    CHECK_EQ(fixture_add(it.plan, "/a"), 0);
    CHECK_EQ(fixture_add(it.plan, "/b"), 1);
    CHECK_EQ(fixture_add(it.plan, "/a/b"), 2);
    CHECK_EQ(fixture_add(it.plan, "/b/b"), 3);
    CHECK_EQ(fixture_add(it.plan, "/a/b"), ALLOT_EEXIST);
    CHECK_EQ(fixture_add(it.plan, "/b"), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_add(it.plan, 4, "x", 1, &handle), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_add(it.plan, -2, "x", 1, &handle), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_add(it.plan, 0, "x y", 3, &handle), ALLOT_ENAME);
    CHECK_EQ(allot_plan_add(it.plan, 0, "", 0, &handle), ALLOT_ENAME);
    CHECK_EQ(allot_plan_add(it.plan, 0, "xyz", 3, NULL), ALLOT_EUSAGE);
    CHECK_EQ(handle, -7);
    CHECK_EQ(allot_plan_consumers(it.plan), 4);
    CHECK_EQ(allot_plan_parent(it.plan, 2), 0);
    CHECK_EQ(allot_plan_parent(it.plan, 0), ALLOT_ROOT);
    CHECK_STR(allot_plan_name(it.plan, 3), "b");
    CHECK(!allot_plan_name(it.plan, 4));
    fixture_end(&it);
}

static void columns_have_ranges(void)
{
    fixture it;
    fixture_begin(&it);
    fixture_add(it.plan, "/a");
    for (int32_t i = ALLOT_OWNED; i <= ALLOT_GRACE; i++) {
        CHECK_EQ(fixture_set(it.plan, "/a", i, ALLOT_AMOUNT_MAX), ALLOT_OK);
        CHECK_EQ(fixture_set(it.plan, "/a", i, -1), ALLOT_ERANGE);
        CHECK_EQ(fixture_set(it.plan, "/a", i, ALLOT_AMOUNT_MAX + 1), ALLOT_ERANGE);
        CHECK_EQ(fixture_set(it.plan, "/a", i, ALLOT_NONE),
                 i == ALLOT_LIMIT ? ALLOT_OK : ALLOT_ERANGE);
        CHECK_EQ(fixture_set(it.plan, "/a", i, INT64_MIN), ALLOT_ERANGE);
    }
    CHECK_EQ(fixture_set(it.plan, "/a", ALLOT_DEMAND, 1), ALLOT_EUSAGE);
    CHECK_EQ(fixture_set(it.plan, "/a", ALLOT_COLUMN_COUNT, 1), ALLOT_EUSAGE);
    CHECK_EQ(fixture_set(it.plan, "/a", -1, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, 1, ALLOT_OWNED, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, -1, ALLOT_OWNED, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, 0, 0, ALLOT_LIMIT), ALLOT_NONE);
    CHECK_EQ(allot_plan_get(it.plan, 0, 0, ALLOT_GRACE), ALLOT_AMOUNT_MAX);
    fixture_end(&it);
}

static allot_policy *with_attribute(fixture *it, const char *name, int32_t min, int32_t fallback)
{
    allot_policy *policy;
    CHECK_EQ(allot_policy_new(it->engine, name, &policy), ALLOT_OK);
    allot_attribute attribute = {
        .name = name, .type = ALLOT_INTEGER, .min = min, .max = 9, .fallback = fallback};
    CHECK_EQ(allot_policy_attribute(policy, &attribute), ALLOT_OK);
    return policy;
}

static void attributes_become_columns(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t cpu, gpu;
    allot_plan_group(it.plan, "cpu", &cpu);
    allot_plan_group(it.plan, "gpu", &gpu);
    fixture_add(it.plan, "/a");
    allot_policy *x = with_attribute(&it, "x", -9, -3),
                 *y = with_attribute(&it, "y", 0, ALLOT_NONE);
    CHECK_EQ(allot_plan_policy(it.plan, cpu, x), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, gpu, y), ALLOT_OK);
    CHECK_EQ(allot_plan_columns(it.plan), ALLOT_PLAN_COLUMNS + 2);
    int32_t column = allot_plan_column(it.plan, "y", 1);
    CHECK_EQ(column, ALLOT_COLUMN_COUNT + 1);
    CHECK_EQ(fixture_set(it.plan, "/a", column, -1), ALLOT_ERANGE);
    CHECK_EQ(fixture_set(it.plan, "/a", column, ALLOT_NONE), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/a", column - 1, -9), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/a", column - 1, -10), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_set(it.plan, gpu, 0, column, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, cpu, 0, column), ALLOT_NONE);
    CHECK_EQ(allot_plan_get(it.plan, gpu, 0, column), 4);
    CHECK_EQ(allot_plan_get(it.plan, gpu, 0, column - 1), -9);
    CHECK_EQ(it.plan->groups[cpu].governing[0].attribute_column[0], ALLOT_PLAN_COLUMNS);
    CHECK_EQ(it.plan->groups[gpu].governing[0].attribute_column[0], ALLOT_PLAN_COLUMNS + 1);
    allot_policy_free(x);
    allot_policy_free(y);
    fixture_end(&it);
}

static void policies_must_agree_on_attributes(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *x = with_attribute(&it, "x", 0, 1), *same = with_attribute(&it, "x", 0, 1),
                 *other = with_attribute(&it, "x", 0, 2);
    allot_attribute more = {.name = "a", .type = ALLOT_INTEGER, .max = 1};
    allot_policy *mixed = with_attribute(&it, "b", 0, 1);
    CHECK_EQ(allot_policy_attribute(mixed, &more), ALLOT_OK);
    more = (allot_attribute){.name = "x", .type = ALLOT_INTEGER, .max = 1};
    CHECK_EQ(allot_policy_attribute(mixed, &more), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, x), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, other), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, mixed), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_columns(it.plan), ALLOT_PLAN_COLUMNS + 1);
    CHECK_EQ(allot_plan_column(it.plan, "b", 1), -1);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, same), ALLOT_OK);
    CHECK_EQ(allot_plan_columns(it.plan), ALLOT_PLAN_COLUMNS + 1);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, NULL), ALLOT_EUSAGE);
    allot_policy_free(x);
    allot_policy_free(same);
    allot_policy_free(other);
    allot_policy_free(mixed);
    fixture_end(&it);
}

static void columns_are_described(void)
{
    fixture it;
    fixture_begin(&it);
    allot_attribute column;
    CHECK_EQ(allot_plan_column_at(it.plan, ALLOT_LIMIT, &column), ALLOT_LIMIT);
    CHECK_STR(column.name, "limit");
    CHECK(column.min == 0 && column.max == ALLOT_AMOUNT_MAX && column.fallback == ALLOT_NONE);
    CHECK_STR(column.doc, allot_column_doc(ALLOT_LIMIT));
    allot_plan_column_at(it.plan, ALLOT_SHARE, &column);
    CHECK_EQ(column.fallback, 1);
    CHECK_EQ(allot_plan_column_at(it.plan, ALLOT_PLAN_COLUMNS, &column), -1);
    CHECK_EQ(allot_plan_column(it.plan, "ranked", 4), ALLOT_RANK);
    CHECK_EQ(allot_plan_column(it.plan, "demand", 6), -1);
    CHECK_EQ(allot_plan_column(it.plan, "configured", 10), -1);
    CHECK_EQ(allot_plan_column(it.plan, "grace", 5), ALLOT_GRACE);
    CHECK_EQ(allot_column_find("demand", 6), ALLOT_DEMAND);
    CHECK(!allot_column_doc(ALLOT_COLUMN_COUNT) && !allot_column_doc(-1));
    CHECK_EQ(allot_column_find("deman", 5), -1);
    CHECK_STR(allot_column_name(ALLOT_OVER), "over");
    CHECK(!allot_column_name(ALLOT_COLUMN_COUNT) && !allot_column_name(-1));
    fixture_end(&it);
}

static void hosts_are_named_once(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(allot_plan_host(it.plan, "h1.example.org", 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it.plan, "h1.example.org", 0, 9), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_host(it.plan, "", 0, 8), ALLOT_ENAME);
    CHECK_EQ(allot_plan_host(it.plan, "h2", 0, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_host(it.plan, "h2", 1, 8), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_host(it.plan, "h2", ALLOT_ALL, 8), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void a_sealed_plan_does_not_change(void)
{
    fixture it;
    fixture_begin(&it);
    fixture_add(it.plan, "/a");
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    int32_t out = -7;
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_group(it.plan, "g", &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_add(it.plan, 0, "b", 1, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_set(it.plan, 0, 0, ALLOT_OWNED, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_policy(it.plan, 0, it.policy), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_option(it.plan, 0, ALLOT_OPTION_HOLD_ROUNDING, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_host(it.plan, "h", 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(out, -7);
    fixture_end(&it);
}

int main(void)
{
    RUN(a_plan_without_groups_gets_one);
    RUN(an_implied_group_admits_no_others);
    RUN(groups_are_named_once_and_before_columns);
    RUN(groups_have_columns_of_their_own);
    RUN(options_have_ranges);
    RUN(consumers_are_named_once_among_siblings);
    RUN(columns_have_ranges);
    RUN(attributes_become_columns);
    RUN(policies_must_agree_on_attributes);
    RUN(columns_are_described);
    RUN(hosts_are_named_once);
    RUN(a_sealed_plan_does_not_change);
    return check_done();
}
