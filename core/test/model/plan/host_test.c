/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* host_test.c: hosts of a plan, their attributes, and what consumers require. */
#include "model/plan/plan.h"

#include "test/support/fixture.h"

static void a_host_is_found_by_number_and_name(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t cpu, gpu;
    CHECK_EQ(allot_plan_group(it.plan, "cpu", &cpu), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "gpu", &gpu), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it.plan, "h1", cpu, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it.plan, "h2", gpu, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it.plan, "h2", gpu, 4), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_hosts(it.plan), 2);
    CHECK_EQ(allot_plan_host_find(it.plan, "h2"), 1);
    CHECK_EQ(allot_plan_host_find(it.plan, "h3"), -1);
    CHECK_STR(allot_plan_host_name(it.plan, 1), "h2");
    CHECK_EQ(allot_plan_host_group(it.plan, 1), gpu);
    CHECK_EQ(allot_plan_host_slots(it.plan, 1), 4);
    CHECK(!allot_plan_host_name(it.plan, 2));
    CHECK(!allot_plan_host_name(it.plan, -1));
    fixture_end(&it);
}

static void an_attribute_is_copied_and_stands_once(void)
{
    fixture it;
    fixture_begin(&it);
    char name[] = "memory", text[] = "linux";
    allot_host_value memory = {.name = name, .number = 64};
    allot_host_value os = {.name = "os", .text = text};
    allot_host_value found = {0};
    CHECK_EQ(allot_plan_host(it.plan, "h1", 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_host_set(it.plan, "h1", &memory), ALLOT_OK);
    CHECK_EQ(allot_plan_host_set(it.plan, "h1", &os), ALLOT_OK);
    CHECK_EQ(allot_plan_host_set(it.plan, "h1", &os), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_host_set(it.plan, "h2", &os), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_host_set(it.plan, "h1", &(allot_host_value){.name = "a-b"}), ALLOT_ENAME);
    CHECK_EQ(allot_plan_host_set(it.plan, "h1", NULL), ALLOT_EUSAGE);
    name[0] = text[0] = '?';
    CHECK_EQ(allot_plan_host_value(it.plan, 0, "memory", &found), ALLOT_OK);
    CHECK_EQ(found.number, 64);
    CHECK(!found.text);
    CHECK_EQ(allot_plan_host_value(it.plan, 0, "os", &found), ALLOT_OK);
    CHECK_STR(found.text, "linux");
    CHECK_EQ(allot_plan_host_value(it.plan, 0, "gpus", &found), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_host_value(it.plan, 1, "os", &found), ALLOT_EUSAGE);
    fixture_end(&it);
}

static const allot__require *required(const allot_plan *plan, int32_t i)
{
    return (const allot__require *)plan->requires.items + i;
}

static void a_consumer_names_one_requirement(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t a = fixture_add(it.plan, "/a");
    int32_t y = fixture_add(it.plan, "/a/y");
    int32_t b = fixture_add(it.plan, "/b");
    CHECK_EQ(allot_plan_require(it.plan, y, "small"), ALLOT_OK);
    CHECK_EQ(allot_plan_require(it.plan, a, "big"), ALLOT_OK);
    CHECK_EQ(required(it.plan, 0)->consumer, a);
    CHECK_STR(required(it.plan, 0)->name, "big");
    CHECK_EQ(required(it.plan, 1)->consumer, y);
    CHECK_STR(required(it.plan, 1)->name, "small");
    CHECK_EQ(allot_plan_require(it.plan, y, "big"), ALLOT_OK);
    CHECK_STR(required(it.plan, 1)->name, "big");
    CHECK_EQ(it.plan->requires.count, 2);
    CHECK_EQ(allot_plan_require(it.plan, 3, "big"), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_require(it.plan, ALLOT_ROOT, "big"), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_require(it.plan, b, ""), ALLOT_ENAME);
    fixture_end(&it);
}

static void a_requirement_is_one_of_the_policy(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t b = fixture_add(it.plan, "/b");
    CHECK_EQ(allot_plan_require(it.plan, b, "big"), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-requires");
    fixture_end(&it);
}

int main(void)
{
    RUN(a_host_is_found_by_number_and_name);
    RUN(an_attribute_is_copied_and_stands_once);
    RUN(a_consumer_names_one_requirement);
    RUN(a_requirement_is_one_of_the_policy);
    return check_done();
}
