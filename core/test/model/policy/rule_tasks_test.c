/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule_tasks_test.c: what a policy may say of tasks, sessions and hosts. */
#include "model/plan/plan.h"

#include "test/support/fixture.h"

static allot_source column(int32_t number)
{
    return (allot_source){ALLOT_FROM_COLUMN, number};
}

static int answer(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                  allot_report *report)
{
    (void)ud, (void)function, (void)report;
    for (int32_t i = 0; i < batch->count; i++)
        out[i] = 1;
    return ALLOT_OK;
}

static void attributes_of_tasks_are_checked(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *policy;
    CHECK_EQ(allot_policy_new(it.engine, "p", &policy), ALLOT_OK);
    allot_attribute cost = {.name = "cost", .type = ALLOT_INTEGER, .max = 9};
    allot_attribute tag = {.name = "inter-active", .type = ALLOT_TAG, .max = 1};
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_OK);
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_task_attribute(policy, &tag), ALLOT_OK);
    CHECK_EQ(allot_policy_attribute(policy, &cost), ALLOT_OK); /* another namespace */
    tag.name = "gold";
    CHECK_EQ(allot_policy_attribute(policy, &tag), ALLOT_EUSAGE);
    cost.name = "ran";
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_EEXIST);
    cost.name = "session";
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_EEXIST);
    cost.name = "a-b";
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_ENAME);
    cost.name = "owned"; /* a column of consumers alone */
    cost.fallback = 10;
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_ERANGE);
    cost.fallback = 9;
    CHECK_EQ(allot_policy_task_attribute(policy, &cost), ALLOT_OK);
    CHECK_EQ(allot_policy_task_attributes(policy), 3);
    CHECK_STR(allot_policy_task_attribute_at(policy, 1)->name, "inter-active");
    CHECK(!allot_policy_task_attribute_at(policy, 3));
    allot_policy_free(policy);
    fixture_end(&it);
}

static void rules_know_their_rows(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p;
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    int32_t of_tasks, of_hosts, of_consumers, ran = ALLOT_TASK_RAN, none;
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_TASKS, &ran, 1, &of_tasks), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_HOSTS, NULL, 0, &of_hosts), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_HOSTS, &ran, 1, &none), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_function(p, NULL, 0, &of_consumers), ALLOT_OK);
    int32_t beyond = ALLOT_TASK_COLUMN_COUNT;
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_TASKS, &beyond, 1, &none), ALLOT_EUSAGE);
    allot_key keys[] = {{{ALLOT_FROM_FUNCTION, of_tasks}, 7}, {column(ALLOT_TASK_LOT), 0}};
    CHECK_EQ(p->victims.count, 2);
    CHECK(!p->victims_given);
    CHECK_EQ(allot_policy_victims(p, keys, 2), ALLOT_OK);
    CHECK(p->victims_given && p->victims.keys[0].descending == 1);
    CHECK_EQ(allot_policy_distribute(p, keys, 1), ALLOT_EUSAGE);
    keys[0].source.value = of_consumers;
    CHECK_EQ(allot_policy_victims(p, keys, 2), ALLOT_EUSAGE);
    CHECK_EQ(p->victims.keys[0].source.value, of_tasks);
    CHECK_EQ(allot_policy_requirement(p, "big", of_tasks), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_requirement(p, "b g", of_hosts), ALLOT_ENAME);
    CHECK_EQ(allot_policy_requirement(p, "big", of_hosts), ALLOT_OK);
    CHECK_EQ(allot_policy_requirement(p, "big", of_hosts), ALLOT_EEXIST);
    CHECK_EQ(allot__requirement_find(p, "big"), 0);
    CHECK_EQ(allot__requirement_find(p, "bi"), -1);
    allot_policy_free(p);
    fixture_end(&it);
}

static void guards_and_fills_of_sessions_are_checked(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p = it.policy;
    allot_source ran = column(ALLOT_TASK_RAN), by = column(ALLOT_SESSION_PRIORITY);
    CHECK_EQ(allot_policy_guard(p, "x", ran, 60, INT64_MAX), ALLOT_EUSAGE); /* a plan holds it */
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    CHECK_EQ(allot_policy_guard(p, "min run time", ran, 60, INT64_MAX), ALLOT_OK);
    CHECK_EQ(allot_policy_guard(p, "min run time", ran, 61, INT64_MAX), ALLOT_EEXIST);
    CHECK_EQ(allot_policy_guard(p, "a\nb", ran, 0, 1), ALLOT_ENAME);
    CHECK_EQ(allot_policy_guard(p, "y", column(ALLOT_TASK_COLUMN_COUNT), 0, 1), ALLOT_EUSAGE);
    char label[16];
    for (int i = 1; i < ALLOT_GUARDS_MAX; i++) {
        snprintf(label, sizeof label, "g%d", i);
        CHECK_EQ(allot_policy_guard(p, label, ran, 0, 1), ALLOT_OK);
    }
    CHECK_EQ(allot_policy_guard(p, "one more", ran, 0, 1), ALLOT_EUSAGE);
    allot_source need = {ALLOT_FROM_NEED, 0}, created = column(ALLOT_SESSION_CREATED);
    CHECK_EQ(allot_policy_session_fill(p, ALLOT_MINIMUM, by, need, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_session_fill(p, ALLOT_MINIMUM, created, need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_session_fill(p, ALLOT_MINIMUM, need, by, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_session_fill(p, ALLOT_SCHEDULING_COUNT, by, need, NULL, 0), ALLOT_EUSAGE);
    allot_key first = {created, 0};
    CHECK_EQ(allot_policy_session_fill(p, ALLOT_PRIORITY, by, by, &first, 1), ALLOT_OK);
    CHECK_EQ(p->session_fills[ALLOT_MINIMUM].count, 1);
    allot_policy_free(p);
    fixture_end(&it);
}

static void names_of_columns_are_by_kind(void)
{
    CHECK_EQ(allot_rows_column_find(ALLOT_TASKS, "ran", 3), ALLOT_TASK_RAN);
    CHECK_EQ(allot_rows_column_find(ALLOT_SESSIONS, "ran", 3), -1);
    CHECK_EQ(allot_rows_column_find(ALLOT_CONSUMERS, "owned", 5), ALLOT_OWNED);
    CHECK_EQ(allot_rows_column_find(ALLOT_HOSTS, "owned", 5), -1);
    CHECK_STR(allot_rows_column_name(ALLOT_SESSIONS, ALLOT_SESSION_MINIMUM), "minimum");
    CHECK(!allot_rows_column_name(ALLOT_TASKS, ALLOT_TASK_COLUMN_COUNT));
    CHECK(allot_rows_column_doc(ALLOT_TASKS, ALLOT_TASK_LOT) != NULL);
    CHECK_STR(allot_scheduling_name(ALLOT_PRIORITY), "priority");
    CHECK(!allot_scheduling_name(ALLOT_SCHEDULING_COUNT));
}

static void a_plan_has_the_attributes_of_all_its_policies(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p, *q;
    allot_attribute cost = {.name = "cost", .type = ALLOT_INTEGER, .max = 9};
    allot_attribute gold = {.name = "gold", .type = ALLOT_TAG, .max = 1};
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it.engine, "q", &q), ALLOT_OK);
    CHECK_EQ(allot_policy_task_attribute(p, &cost), ALLOT_OK);
    CHECK_EQ(allot_policy_task_attribute(q, &gold), ALLOT_OK);
    cost.max = 8;
    CHECK_EQ(allot_policy_task_attribute(q, &cost), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, p), ALLOT_OK);
    CHECK_EQ(allot_plan_attributes(it.plan, q), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_task_attributes(it.plan), 1); /* nothing of q stays */
    allot_policy_free(q);
    CHECK_EQ(allot_policy_new(it.engine, "q", &q), ALLOT_OK);
    cost.max = 9;
    CHECK_EQ(allot_policy_task_attribute(q, &gold), ALLOT_OK);
    CHECK_EQ(allot_policy_task_attribute(q, &cost), ALLOT_OK);
    CHECK_EQ(allot_plan_attributes(it.plan, q), ALLOT_OK);
    CHECK_EQ(allot_plan_task_attributes(it.plan), 2);
    CHECK_EQ(allot__task_attribute_of(it.plan, q, 0), 1);
    CHECK_EQ(allot__task_attribute_of(it.plan, q, 1), 0);
    allot_attribute found;
    CHECK_EQ(allot_plan_task_attribute_at(it.plan, 1, &found), ALLOT_OK);
    CHECK_STR(found.name, "gold");
    CHECK_EQ(allot_plan_task_attribute_at(it.plan, 2, &found), ALLOT_EUSAGE);
    allot_policy_free(p);
    allot_policy_free(q);
    fixture_end(&it);
}

static int scenario(allot_engine *engine)
{
    allot_policy *p = NULL;
    allot_attribute tag = {"x", ALLOT_TAG, 0, 1, 0, "a tag", 0};
    allot_source ran = column(ALLOT_TASK_RAN), by = column(ALLOT_SESSION_PRIORITY);
    allot_provider provider = {.compute = answer};
    int32_t of_hosts = 0, reads = ALLOT_TASK_RAN, of_tasks;
    int status = allot_policy_new(engine, "p", &p);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_task_attribute(p, &tag));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_rows_function(p, ALLOT_HOSTS, NULL, 0, &of_hosts));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_rows_function(p, ALLOT_TASKS, &reads, 1, &of_tasks));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_guard(p, "g", ran, 0, 1));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_requirement(p, "r", of_hosts));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_session_fill(p, ALLOT_MINIMUM, by, by, NULL, 0));
    if (status == ALLOT_OK)
        status = allot_policy_provider(p, &provider);
    if (status == ALLOT_OK)
        CHECK(p->guards.count == 1 && p->requirements.count == 1 && p->functions.count == 2);
    allot_policy_free(p);
    return status;
}

static void out_of_memory_leaves_nothing(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(attributes_of_tasks_are_checked);
    RUN(rules_know_their_rows);
    RUN(guards_and_fills_of_sessions_are_checked);
    RUN(names_of_columns_are_by_kind);
    RUN(a_plan_has_the_attributes_of_all_its_policies);
    RUN(out_of_memory_leaves_nothing);
    return check_done();
}
