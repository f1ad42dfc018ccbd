/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ruled_test.c: branches with policies of their own. */
#include "model/plan/plan.h"

#include "test/support/fixture.h"

static allot_policy *another(fixture *it, const char *name)
{
    allot_policy *policy = NULL;
    CHECK_EQ(allot_policy_new(it->engine, name, &policy), ALLOT_OK);
    return policy;
}

static void a_branch_is_of_the_first_level(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *exact = another(&it, "exact");
    int32_t a = fixture_add(it.plan, "/a");
    int32_t b = fixture_add(it.plan, "/a/b");
    CHECK_EQ(allot_plan_branch(it.plan, b, exact), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_branch(it.plan, ALLOT_ROOT, exact), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_branch(it.plan, 9, exact), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_branch(it.plan, a, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_branch(it.plan, a, exact), ALLOT_OK);
    allot_policy_free(exact); /* the plan holds it */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK(allot_plan_consumer_policy(it.plan, 0, b) == exact);
    CHECK(allot_plan_group_policy(it.plan, 0) == it.policy);
    CHECK_EQ(allot_plan_branch(it.plan, a, it.policy), ALLOT_EUSAGE); /* sealed */
    fixture_end(&it);
}

/* Ranks put the branches in another order than the plan's; below them policies follow. */
static void a_policy_goes_down_its_branch(void)
{
    static const char *const paths[] = {"/a", "/b", "/c", "/a/x", "/a/y", "/c/z", "/a/y/q"};
    fixture it;
    fixture_begin(&it);
    allot_policy *exact = another(&it, "exact");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK(fixture_add(it.plan, paths[i]) >= 0);
    CHECK_EQ(fixture_set(it.plan, "/a", ALLOT_RANK, 7), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/a/x", ALLOT_RANK, 3), ALLOT_OK);
    CHECK_EQ(allot_plan_branch(it.plan, fixture_find(it.plan, "/a"), exact), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const allot_policy *wanted = paths[i][1] == 'a' ? exact : it.policy;
        CHECK(allot_plan_consumer_policy(it.plan, 0, fixture_find(it.plan, paths[i])) == wanted);
    }
    CHECK(!allot_plan_consumer_policy(it.plan, 0, 99));
    CHECK(!allot_plan_consumer_policy(it.plan, 1, 0));
    allot_policy_free(exact);
    fixture_end(&it);
}

/* Attributes can be there before the branch is. */
static void attributes_come_ahead(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *keen = another(&it, "keen");
    allot_attribute zeal = {.name = "zeal", .type = ALLOT_INTEGER, .max = 9, .fallback = 1};
    CHECK_EQ(allot_policy_attribute(keen, &zeal), ALLOT_OK);
    CHECK_EQ(allot_plan_attributes(it.plan, keen), ALLOT_OK);
    int32_t a = fixture_add(it.plan, "/a");
    int32_t column = allot_plan_column(it.plan, "zeal", 4);
    CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, a, column, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_branch(it.plan, a, keen), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, column), 5);
    allot_policy_free(keen);
    fixture_end(&it);
}

/* Whatever its branches go by, a group without a policy is told of, once, and the plan can go on.
 */
static void a_branch_does_not_stand_for_its_group(void)
{
    for (int kind = 0; kind < 16; kind++) {
        fixture it;
        fixture_begin(&it);
        allot_plan *plan = NULL;
        int32_t group = -1;
        CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
        CHECK_EQ(allot_plan_group(plan, "cpu", &group), ALLOT_OK);
        int32_t a = fixture_add(plan, "/a");
        CHECK(fixture_add(plan, "/b") >= 0);
        allot_policy *branch = another(&it, "branch");
        CHECK_EQ(allot_policy_scale(branch, kind & 1), ALLOT_OK);
        if (kind & 2)
            CHECK_EQ(allot_plan_slots(plan, group, 100), ALLOT_OK);
        if (kind & 4)
            CHECK_EQ(fixture_set(plan, "/b", ALLOT_OWNED, 7), ALLOT_OK);
        if (kind & 8)
            CHECK_EQ(allot_plan_policy(plan, group, NULL), ALLOT_EUSAGE);
        CHECK_EQ(allot_plan_branch(plan, a, branch), ALLOT_OK);
        CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_EINVALID);
        CHECK_EQ(allot_report_count(it.report), 1);
        CHECK_STR(fixture_code(it.report, 0), "E-policy");
        allot_report_clear(it.report);
        CHECK_EQ(allot_plan_policy(plan, group, it.policy), ALLOT_OK);
        CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_OK);
        allot_plan_free(plan);
        allot_policy_free(branch);
        fixture_end(&it);
    }
}

int main(void)
{
    RUN(a_branch_is_of_the_first_level);
    RUN(a_policy_goes_down_its_branch);
    RUN(attributes_come_ahead);
    RUN(a_branch_does_not_stand_for_its_group);
    return check_done();
}
