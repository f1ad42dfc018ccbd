/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* check_test.c: what sealing finds wrong with a plan, and how it says so. */
#include "test/support/fixture.h"

/* /a with children /a/x and /a/y, and /b beside it. */
static void begin(fixture *it)
{
    fixture_begin(it);
    CHECK_EQ(fixture_add(it->plan, "/a"), 0);
    CHECK_EQ(fixture_add(it->plan, "/b"), 1);
    CHECK_EQ(fixture_add(it->plan, "/a/x"), 2);
    CHECK_EQ(fixture_add(it->plan, "/a/y"), 3);
}

/* Sealing says just this one error. */
static void expect(fixture *it, const char *code, int32_t field, const char *path,
                   const char *message)
{
    allot_report_clear(it->report);
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it->report, ALLOT_ERROR), 1);
    const allot_diagnostic *found = allot_report_at(it->report, 0);
    if (!CHECK(found))
        return;
    CHECK_EQ(found->severity, ALLOT_ERROR);
    CHECK_STR(found->code, code);
    CHECK_STR(found->path, path);
    CHECK_STR(found->message, message);
    CHECK_EQ(found->field, field);
    CHECK_EQ(found->group, 0);
    CHECK_EQ(found->consumer, path ? fixture_find(it->plan, path) : -1);
}

static void children_own_no_more_than_their_parent(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/a", ALLOT_OWNED, 10);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, 6);
    fixture_set(it.plan, "/a/y", ALLOT_OWNED, 5);
    expect(&it, "E-unbalanced", ALLOT_OWNED, "/a",
           "owned is 10, but its children own 11: at least that is needed");
    CHECK(allot_report_at(it.report, 0)->hint != NULL);
    fixture_set(it.plan, "/a", ALLOT_OWNED, 11); /* still unsealed: mend it */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    fixture_end(&it);
}

static void a_sum_beyond_all_amounts_is_refused(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, ALLOT_AMOUNT_MAX);
    fixture_set(it.plan, "/a/y", ALLOT_OWNED, 1);
    expect(&it, "E-unbalanced", ALLOT_OWNED, "/a",
           "its children own 1000000001 slots, at most 1000000000 are allowed");
    fixture_set(it.plan, "/a/y", ALLOT_OWNED, 0);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), ALLOT_AMOUNT_MAX);
    fixture_end(&it);
}

static void the_first_level_may_own_too_much_when_slots_are_stated(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, ALLOT_AMOUNT_MAX);
    fixture_set(it.plan, "/b", ALLOT_OWNED, 5);
    expect(&it, "E-slots", -1, NULL,
           "the first level of default owns 1000000005 slots, at most 1000000000 are allowed");
    allot_report_clear(it.report);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 0);
    CHECK_EQ(allot_report_total(it.report, ALLOT_WARNING), 1);
    CHECK_STR(fixture_code(it.report, 0), "W-overowned");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "the first level of default owns 1000000005 slots, but only 100 are planned");
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 100);
    fixture_end(&it);
}

static void reserve_is_within_owned(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/b", ALLOT_OWNED, 5);
    fixture_set(it.plan, "/b", ALLOT_RESERVE, 6);
    expect(&it, "E-reserve", ALLOT_RESERVE, "/b",
           "reserve is 6, at most 5, what it owns, is allowed");
    fixture_set(it.plan, "/b", ALLOT_RESERVE, 5);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, 4);
    fixture_set(it.plan, "/a", ALLOT_RESERVE, 5);
    expect(&it, "E-reserve", ALLOT_RESERVE, "/a",
           "reserve is 5, at most 4, what it owns, is allowed");
    fixture_set(it.plan, "/a", ALLOT_RESERVE, 4);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    fixture_end(&it);
}

static void limit_is_not_below_reserve(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/b", ALLOT_OWNED, 5);
    fixture_set(it.plan, "/b", ALLOT_RESERVE, 4);
    fixture_set(it.plan, "/b", ALLOT_LIMIT, 3);
    expect(&it, "E-limit", ALLOT_LIMIT, "/b", "limit is 3, at least 4, its reserve, is needed");
    fixture_set(it.plan, "/b", ALLOT_LIMIT, 4);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    fixture_end(&it);
}

static void limit_is_not_below_what_is_reserved_inside(void)
{
    fixture it;
    begin(&it);
    CHECK(fixture_add(it.plan, "/a/x/p") >= 0);
    CHECK(fixture_add(it.plan, "/a/x/q") >= 0);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, 9);
    fixture_set(it.plan, "/a/x", ALLOT_RESERVE, 3); /* less than its children's: theirs counts */
    fixture_set(it.plan, "/a/x/p", ALLOT_OWNED, 4);
    fixture_set(it.plan, "/a/x/p", ALLOT_RESERVE, 4);
    fixture_set(it.plan, "/a/y", ALLOT_OWNED, 2);
    fixture_set(it.plan, "/a/y", ALLOT_RESERVE, 2);
    fixture_set(it.plan, "/a", ALLOT_LIMIT, 5);
    fixture_set(it.plan, "/a/y", ALLOT_RANK, 0);
    fixture_set(it.plan, "/a/x", ALLOT_RANK, 1);
    expect(&it, "E-limit", ALLOT_LIMIT, "/a",
           "limit is 5, at least 6, what its children reserve, is needed");
    fixture_set(it.plan, "/a", ALLOT_LIMIT, 6);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    fixture_end(&it);
}

static void every_fault_is_told_in_plan_order(void)
{
    fixture it;
    begin(&it);
    fixture_set(it.plan, "/b", ALLOT_RESERVE, 1);
    fixture_set(it.plan, "/b", ALLOT_LIMIT, 0);
    fixture_set(it.plan, "/a/y", ALLOT_RESERVE, 1);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, 2);
    fixture_set(it.plan, "/a", ALLOT_OWNED, 1);
    fixture_set(it.plan, "/a", ALLOT_RESERVE, 2);
    fixture_set(it.plan, "/a", ALLOT_LIMIT, 0);
    fixture_set(it.plan, "/b", ALLOT_RANK, 0);
    fixture_set(it.plan, "/a", ALLOT_RANK, 9);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    const char *const wanted[][2] = {{"E-unbalanced", "/a"}, {"E-reserve", "/a"},
                                     {"E-limit", "/a"},      {"E-reserve", "/a/y"},
                                     {"E-reserve", "/b"},    {"E-limit", "/b"}};
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 6);
    for (int32_t i = 0; i < 6 && i < allot_report_count(it.report); i++) {
        CHECK_STR(fixture_code(it.report, i), wanted[i][0]);
        CHECK_STR(allot_report_at(it.report, i)->path, wanted[i][1]);
    }
    CHECK_EQ(allot_plan_seal(it.plan, NULL), ALLOT_EINVALID);
    fixture_end(&it);
}

static void a_group_needs_a_policy(void)
{
    fixture it;
    fixture_begin(&it);
    allot_plan *plan;
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    fixture_add(plan, "/a");
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-policy");
    CHECK_STR(allot_report_at(it.report, 0)->message, "no policy is given for default");
    CHECK_EQ(allot_plan_groups(plan), 0); /* sealing left no trace */
    int32_t group;
    CHECK_EQ(allot_plan_group(plan, "cpu", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(plan, group, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_OK);
    allot_plan_free(plan);
    fixture_end(&it);
}

static void groups_are_checked_each_for_itself(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t cpu, gpu;
    allot_plan_group(it.plan, "cpu", &cpu);
    allot_plan_group(it.plan, "gpu", &gpu);
    fixture_add(it.plan, "/a");
    fixture_set(it.plan, "/a", ALLOT_OWNED, 5);
    fixture_set(it.plan, "/a", ALLOT_RESERVE, 5);
    CHECK_EQ(allot_plan_set(it.plan, gpu, 0, ALLOT_OWNED, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 1);
    CHECK_EQ(allot_report_at(it.report, 0)->group, gpu);
    fixture_end(&it);
}

int main(void)
{
    RUN(children_own_no_more_than_their_parent);
    RUN(a_sum_beyond_all_amounts_is_refused);
    RUN(the_first_level_may_own_too_much_when_slots_are_stated);
    RUN(reserve_is_within_owned);
    RUN(limit_is_not_below_reserve);
    RUN(limit_is_not_below_what_is_reserved_inside);
    RUN(every_fault_is_told_in_plan_order);
    RUN(a_group_needs_a_policy);
    RUN(groups_are_checked_each_for_itself);
    return check_done();
}
