/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy_test.c: what a policy declares, and how long it lives. */
#include "test/support/fixture.h"

static allot_attribute integer(const char *name, int32_t min, int32_t max, int32_t fallback)
{
    return (allot_attribute){
        .name = name, .type = ALLOT_INTEGER, .min = min, .max = max, .fallback = fallback};
}

static int declare(fixture *it, allot_attribute attribute)
{
    return allot_policy_attribute(it->policy, &attribute);
}

/* A fixture whose policy no plan holds yet. */
static void begin(fixture *it)
{
    fixture_begin(it);
    allot_policy_free(it->policy);
    CHECK_EQ(allot_policy_new(it->engine, "site/fair", &it->policy), ALLOT_OK);
}

static void a_new_policy_is_empty(void)
{
    fixture it;
    begin(&it);
    CHECK_STR(allot_policy_name(it.policy), "site/fair");
    CHECK_STR(allot_policy_sha256(it.policy), "");
    CHECK_EQ(allot_policy_fills(it.policy), 0);
    CHECK_EQ(allot_policy_attributes(it.policy), 0);
    CHECK(!allot_policy_fill_label(it.policy, 0));
    CHECK(!allot_policy_attribute_at(it.policy, 0));
    allot_policy *none = NULL;
    CHECK_EQ(allot_policy_new(it.engine, "", &none), ALLOT_ENAME);
    CHECK_EQ(allot_policy_new(it.engine, NULL, &none), ALLOT_ENAME);
    CHECK_EQ(allot_policy_new(NULL, "x", &none), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_new(it.engine, "x", NULL), ALLOT_EUSAGE);
    CHECK(!none);
    fixture_end(&it);
}

static void attributes_are_copied(void)
{
    fixture it;
    begin(&it);
    char name[] = "urgency", doc[] = "how urgent";
    allot_attribute urgency = integer(name, -5, 5, -1);
    urgency.doc = doc;
    CHECK_EQ(declare(&it, urgency), ALLOT_OK);
    CHECK_EQ(declare(&it, integer("share_limit", 0, ALLOT_AMOUNT_MAX, ALLOT_NONE)), ALLOT_OK);
    name[0] = doc[0] = 'x';
    CHECK_EQ(allot_policy_attributes(it.policy), 2);
    const allot_attribute *kept = allot_policy_attribute_at(it.policy, 0);
    CHECK_STR(kept->name, "urgency");
    CHECK_STR(kept->doc, "how urgent");
    CHECK(kept->min == -5 && kept->max == 5 && kept->fallback == -1);
    CHECK(!allot_policy_attribute_at(it.policy, 1)->doc);
    CHECK(!allot_policy_attribute_at(it.policy, 2));
    fixture_end(&it);
}

static void malformed_attributes_are_refused(void)
{
    fixture it;
    begin(&it);
    CHECK_EQ(declare(&it, integer("a", 0, 9, 0)), ALLOT_OK);
    CHECK_EQ(declare(&it, integer("a", 0, 9, 0)), ALLOT_EEXIST);
    CHECK_EQ(declare(&it, integer("owned", 0, 9, 0)), ALLOT_EEXIST);
    CHECK_EQ(declare(&it, integer("over", 0, 9, 0)), ALLOT_EEXIST);
    CHECK_EQ(declare(&it, integer("a-b", 0, 9, 0)), ALLOT_ENAME);
    CHECK_EQ(declare(&it, integer("", 0, 9, 0)), ALLOT_ENAME);
    CHECK_EQ(declare(&it, integer(NULL, 0, 9, 0)), ALLOT_ENAME);
    CHECK_EQ(declare(&it, integer("one", 1, 1, 1)), ALLOT_OK);
    CHECK_EQ(declare(&it, integer("wide", -ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX, 0)), ALLOT_OK);
    CHECK_EQ(declare(&it, integer("b", 9, 0, 5)), ALLOT_ERANGE);
    CHECK_EQ(declare(&it, integer("b", 0, 9, 10)), ALLOT_ERANGE);
    CHECK_EQ(declare(&it, integer("b", 0, ALLOT_AMOUNT_MAX + 1, 0)), ALLOT_ERANGE);
    CHECK_EQ(declare(&it, integer("b", -ALLOT_AMOUNT_MAX - 1, 0, 0)), ALLOT_ERANGE);
    allot_attribute flag = {.name = "flag", .type = ALLOT_BOOLEAN, .max = 1};
    flag.fallback = ALLOT_NONE;
    CHECK_EQ(declare(&it, flag), ALLOT_ERANGE);
    flag.fallback = 1;
    CHECK_EQ(declare(&it, flag), ALLOT_OK);
    flag.name = "flag2";
    flag.max = 2;
    CHECK_EQ(declare(&it, flag), ALLOT_ERANGE);
    flag.type = (allot_attribute_type)3;
    CHECK_EQ(declare(&it, flag), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_attribute(it.policy, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_attributes(it.policy), 4);
    fixture_end(&it);
}

static void there_is_room_for_so_many_attributes(void)
{
    fixture it;
    begin(&it);
    char name[16];
    for (int i = 0; i < ALLOT_ATTRIBUTES_MAX; i++) {
        snprintf(name, sizeof name, "a%d", i);
        CHECK_EQ(declare(&it, integer(name, 0, 1, 0)), ALLOT_OK);
    }
    CHECK_EQ(declare(&it, integer("more", 0, 1, 0)), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_attributes(it.policy), ALLOT_ATTRIBUTES_MAX);
    fixture_end(&it);
}

static void digests_are_sixty_four_hex_digits(void)
{
    fixture it;
    begin(&it);
    char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    CHECK_EQ(allot_policy_digest(it.policy, hex), ALLOT_OK);
    CHECK_STR(allot_policy_sha256(it.policy), hex);
    CHECK_EQ(allot_policy_digest(it.policy, hex + 1), ALLOT_EUSAGE);
    hex[9] = 'g';
    CHECK_EQ(allot_policy_digest(it.policy, hex), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_digest(it.policy, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_digest(it.policy, ""), ALLOT_OK);
    CHECK_STR(allot_policy_sha256(it.policy), "");
    fixture_end(&it);
}

static void functions_are_numbered(void)
{
    fixture it;
    begin(&it);
    CHECK_EQ(declare(&it, integer("a", 0, 9, 0)), ALLOT_OK);
    int32_t columns[] = {ALLOT_NEED, ALLOT_COLUMN_COUNT}, number = -1;
    CHECK_EQ(allot_policy_function(it.policy, columns, 2, &number), ALLOT_OK);
    CHECK_EQ(number, 0);
    CHECK_EQ(allot_policy_function(it.policy, NULL, 0, &number), ALLOT_OK);
    CHECK_EQ(number, 1);
    columns[1]++;
    CHECK_EQ(allot_policy_function(it.policy, columns, 2, &number), ALLOT_EUSAGE);
    columns[1] = -1;
    CHECK_EQ(allot_policy_function(it.policy, columns, 2, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_function(it.policy, columns, -1, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_function(it.policy, NULL, 1, &number), ALLOT_EUSAGE);
    CHECK_EQ(number, 1);
    CHECK_EQ(allot_plan_policy(it.plan, 0, it.policy), ALLOT_EUSAGE); /* who computes them? */
    fixture_end(&it);
}

static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    (void)ud, (void)function, (void)batch, (void)out, (void)report;
    return ALLOT_OK;
}

static void count_release(void *ud)
{
    ++*(int *)ud;
}

static void the_last_hold_ends_the_policy(void)
{
    fixture it;
    begin(&it);
    int released = 0;
    allot_provider provider = {.ud = &released, .compute = compute, .release = count_release};
    CHECK_EQ(allot_policy_provider(it.policy, &(allot_provider){0}), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_provider(it.policy, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_provider(it.policy, &provider), ALLOT_OK);
    CHECK_EQ(allot_policy_provider(it.policy, &provider), ALLOT_EUSAGE);
    allot_plan *other;
    CHECK_EQ(allot_plan_new(it.engine, &other), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(other, ALLOT_ALL, it.policy), ALLOT_OK);
    allot_policy_free(it.policy);
    CHECK_EQ(allot_plan_seal(it.plan, NULL), ALLOT_OK);
    allot_plan_free(other);
    CHECK_EQ(released, 0);
    CHECK_STR(allot_policy_name(allot_plan_group_policy(it.plan, 0)), "site/fair");
    allot_plan_free(it.plan);
    CHECK_EQ(released, 1);
    it.policy = NULL;
    it.plan = NULL;
    fixture_end(&it);
}

static void a_policy_in_use_does_not_change(void)
{
    fixture it;
    fixture_begin(&it);
    allot_source one = {ALLOT_FROM_NUMBER, 1}, need = {0};
    allot_provider provider = {.compute = compute};
    int32_t number;
    CHECK_EQ(declare(&it, integer("a", 0, 9, 0)), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(it.policy, "x", one, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_round(it.policy, ALLOT_ROUND_RANK), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_distribute(it.policy, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_reclaim(it.policy, one, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_function(it.policy, NULL, 0, &number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_provider(it.policy, &provider), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_digest(it.policy, ""), ALLOT_EUSAGE);
    allot_plan_free(it.plan);
    it.plan = NULL;
    CHECK_EQ(declare(&it, integer("a", 0, 9, 0)), ALLOT_OK);
    fixture_end(&it);
}

int main(void)
{
    RUN(a_new_policy_is_empty);
    RUN(attributes_are_copied);
    RUN(malformed_attributes_are_refused);
    RUN(there_is_room_for_so_many_attributes);
    RUN(digests_are_sixty_four_hex_digits);
    RUN(functions_are_numbered);
    RUN(the_last_hold_ends_the_policy);
    RUN(a_policy_in_use_does_not_change);
    return check_done();
}
