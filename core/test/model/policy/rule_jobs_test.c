/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule_jobs_test.c: what a policy may say of jobs of queues, and of leases. */
#include "model/plan/plan.h"

#include "test/support/fixture.h"

static allot_key key(int32_t column)
{
    return (allot_key){{ALLOT_FROM_COLUMN, column}, 0};
}

static int answer(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                  allot_report *report)
{
    (void)ud, (void)function, (void)report;
    for (int32_t i = 0; i < batch->count; i++)
        out[i] = 0;
    return ALLOT_OK;
}

static int relate(void *ud, int32_t function, const allot_plan *plan, int32_t high, int32_t low,
                  int32_t *out, allot_report *report)
{
    (void)ud, (void)function, (void)plan, (void)report;
    *out = high < low;
    return ALLOT_OK;
}

static void saying_any_of_it_makes_a_policy_dispatch(void)
{
    fixture it;
    fixture_begin(&it);
    for (int i = 0; i < 8; i++) {
        allot_policy *p;
        allot_key by = key(ALLOT_TASK_RAN), share = key(ALLOT_QUEUE_SLOT_SHARE);
        int32_t column = ALLOT_LEASE_SIZE, lease;
        CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
        CHECK_EQ(allot_policy_rows_function(p, ALLOT_LEASES, &column, 1, &lease), ALLOT_OK);
        CHECK_EQ(allot_policy_dispatches(p), 0);
        int status = i == 0   ? allot_policy_dispatch(p, &by, 1)
                     : i == 1 ? allot_policy_preempts(p, 3)
                     : i == 2 ? allot_policy_fewest(p, ALLOT_MINI_JOB)
                     : i == 3 ? allot_policy_lift(p, ALLOT_LIFT_GROUP_MAX)
                     : i == 4 ? allot_policy_job_types(p, ALLOT_PREEMPT_BACKFILL)
                     : i == 5 ? allot_policy_slices(p, &share, 1)
                     : i == 6 ? allot_policy_backfill(p, ALLOT_EASY)
                              : allot_policy_lease(p, lease);
        CHECK_EQ(status, ALLOT_OK);
        CHECK_EQ(allot_policy_dispatches(p), 1);
        allot_source one = {ALLOT_FROM_NUMBER, 1}, need = {ALLOT_FROM_NEED, 0};
        CHECK_EQ(allot_policy_fill(p, "x", one, need, NULL, 0), ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_distribute(p, NULL, 0), ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_reclaim(p, one, NULL, 0), ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_session_fill(p, ALLOT_MINIMUM, one, need, NULL, 0), ALLOT_EUSAGE);
        allot_policy_free(p);
    }
    CHECK_EQ(allot_policy_dispatches(NULL), 0);
    fixture_end(&it);
}

static void who_divides_slots_does_not_dispatch(void)
{
    fixture it;
    fixture_begin(&it);
    allot_source one = {ALLOT_FROM_NUMBER, 1}, need = {ALLOT_FROM_NEED, 0};
    for (int i = 0; i < 4; i++) {
        allot_policy *p;
        CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
        int status = i == 0   ? allot_policy_fill(p, "x", one, need, NULL, 0)
                     : i == 1 ? allot_policy_distribute(p, NULL, 0)
                     : i == 2 ? allot_policy_reclaim(p, one, NULL, 0)
                              : allot_policy_session_fill(p, ALLOT_MINIMUM, one, need, NULL, 0);
        CHECK_EQ(status, ALLOT_OK);
        CHECK_EQ(allot_policy_fewest(p, ALLOT_MINI_JOB), ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_preempts(p, ALLOT_NOBODY), ALLOT_EUSAGE);
        CHECK_EQ(allot_policy_dispatches(p), 0);
        allot_policy_free(p);
    }
    CHECK_EQ(allot_policy_lift(it.policy, 0), ALLOT_EUSAGE); /* a plan holds it */
    fixture_end(&it);
}

static void what_makes_no_sense_is_refused(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p;
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    allot_key beyond = key(ALLOT_QUEUE_COLUMN_COUNT), of_tasks = key(ALLOT_TASK_COLUMN_COUNT);
    int32_t of_queues, size = ALLOT_LEASE_COLUMN_COUNT, none;
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_QUEUES, NULL, 0, &of_queues), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(p, ALLOT_LEASES, &size, 1, &none), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_slices(p, &beyond, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_dispatch(p, &of_tasks, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_preempts(p, -2), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_preempts(p, INT32_MAX), ALLOT_EUSAGE);
    static const int32_t tests[] = {ALLOT_REFUSED_TEST - 3, ALLOT_REFUSED, 0, 0, 0, 0, 0, 0, 0};
    CHECK_EQ(allot_policy_tests(p, tests, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_tests(p, tests, ALLOT_TESTS_MAX + 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_tests(p, tests, 2), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_tests(p, NULL, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fewest(p, (allot_fewest)3), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_backfill(p, (allot_backfill)4), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_lift(p, 1 << ALLOT_LIFT_COUNT), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_lift(p, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_job_types(p, 4), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_lease(p, of_queues), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_lease(p, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_lease(NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_dispatches(p), 0); /* nothing was said */
    allot_policy_free(p);
    fixture_end(&it);
}

/* Gives the policy to a plan, which completes it. */
static int adopt(fixture *it, allot_policy *p)
{
    return allot_plan_policy(it->plan, ALLOT_ALL, p);
}

static void what_is_not_said_has_its_default(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p;
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    CHECK_EQ(p->test_count, 2);
    CHECK_EQ(p->tests[0], ALLOT_REFUSED_PRIORITY);
    CHECK_EQ(p->tests[1], ALLOT_REFUSED_QUEUES);
    CHECK_EQ(allot_policy_fewest(p, ALLOT_ONE_BY_ONE), ALLOT_OK);
    CHECK_EQ(adopt(&it, p), ALLOT_OK);
    CHECK_EQ(p->victims.count, 5);
    CHECK_EQ(p->victims.keys[0].source.value, ALLOT_TASK_QUEUE_ORDER);
    CHECK_EQ(p->victims.keys[4].descending, 1);
    CHECK_EQ(p->guards.count, 5);
    CHECK_EQ(p->dispatch.keys[0].source.value, ALLOT_TASK_PRIORITY);
    CHECK(p->dispatch.keys[0].descending && !p->dispatch.keys[1].descending);
    CHECK_EQ(p->slices.keys[0].source.value, ALLOT_QUEUE_USED_OVER_SHARE);
    CHECK_EQ(p->lease, -1);
    CHECK_EQ(allot_policy_fills(p), 1);
    CHECK_STR(allot_policy_fill_label(p, 0), "dispatched");
    allot_policy_free(p);
    fixture_end(&it);
}

/* Jobs are asked about once for all preemptors: but for keys of victims nothing reads who it is. */
static void who_preempts_is_for_victims(void)
{
    static const int32_t columns[] = {ALLOT_TASK_PREFERENCE, ALLOT_TASK_QUEUE_ORDER};
    const allot_provider provider = {.compute = answer, .relate = relate};
    for (int i = 0; i < 8; i++) {
        fixture it;
        fixture_begin(&it);
        allot_policy *p;
        allot_key by = key(columns[i & 1]);
        int32_t function;
        CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
        CHECK_EQ(allot_policy_fewest(p, ALLOT_ONE_BY_ONE), ALLOT_OK);
        if (i / 2 == 0)
            CHECK_EQ(allot_policy_dispatch(p, &by, 1), ALLOT_OK);
        else if (i / 2 == 1)
            CHECK_EQ(allot_policy_guard(p, "g", by.source, 1, 2), ALLOT_OK);
        else if (i / 2 == 2)
            CHECK_EQ(allot_policy_rows_function(p, ALLOT_TASKS, &columns[i & 1], 1, &function),
                     ALLOT_OK);
        else
            CHECK_EQ(allot_policy_victims(p, &by, 1), ALLOT_OK);
        CHECK_EQ(allot_policy_provider(p, &provider), ALLOT_OK);
        CHECK_EQ(adopt(&it, p), i / 2 == 3 ? ALLOT_OK : ALLOT_EUSAGE);
        allot_policy_free(p);
        fixture_end(&it);
    }
}

static void what_is_said_stays(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *p;
    allot_key ran = key(ALLOT_TASK_RAN);
    CHECK_EQ(allot_policy_new(it.engine, "p", &p), ALLOT_OK);
    CHECK_EQ(allot_policy_preempts(p, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_victims(p, &ran, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_switch(p, ALLOT_SWITCH_UNGUARDED, 1), ALLOT_OK);
    CHECK_EQ(adopt(&it, p), ALLOT_EUSAGE); /* nobody to ask */
    allot_provider provider = {.compute = answer, .relate = relate};
    CHECK_EQ(allot_policy_provider(p, &provider), ALLOT_OK);
    CHECK_EQ(adopt(&it, p), ALLOT_OK);
    CHECK_EQ(p->victims.count, 1);
    CHECK_EQ(p->guards.count, 0);
    allot_policy_free(p);
    fixture_end(&it);
}

static void columns_have_names(void)
{
    CHECK_EQ(allot_rows_column_find(ALLOT_QUEUES, "slot_share", 10), ALLOT_QUEUE_SLOT_SHARE);
    CHECK_EQ(allot_rows_column_find(ALLOT_LEASES, "size", 4), ALLOT_LEASE_SIZE);
    CHECK_EQ(allot_rows_column_find(ALLOT_TASKS, "queue_order", 11), ALLOT_TASK_QUEUE_ORDER);
    CHECK(!allot_rows_column_name(ALLOT_QUEUES, ALLOT_QUEUE_COLUMN_COUNT));
    CHECK(allot_rows_column_doc(ALLOT_LEASES, ALLOT_LEASE_CONSUMER_DEMAND) != NULL);
    CHECK_STR(allot_fewest_name(ALLOT_OPTIMAL_MINI_JOB), "optimal_mini_job");
    CHECK(!allot_fewest_name(3) && !allot_fewest_name(-1));
    CHECK_STR(allot_backfill_name(ALLOT_CONSERVATIVE), "conservative");
    CHECK(!allot_backfill_name(4) && !allot_backfill_name(-1));
    CHECK_EQ(ALLOT_LIFT_GROUP_JLP | ALLOT_LIFT_GROUP_MAX | ALLOT_LIFT_HOST_JLU |
                 ALLOT_LIFT_USER_JLP,
             15);
}

static int scenario(allot_engine *engine)
{
    allot_policy *p = NULL;
    allot_plan *plan = NULL;
    int status = allot_policy_new(engine, "p", &p);
    if (status == ALLOT_OK)
        status = allot_policy_preempts(p, ALLOT_NOBODY);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &plan);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_policy(plan, ALLOT_ALL, p));
    if (status == ALLOT_OK)
        CHECK(p->guards.count == 5 && p->fill_count == 1);
    allot_plan_free(plan);
    allot_policy_free(p);
    return status;
}

static void out_of_memory_leaves_nothing(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(saying_any_of_it_makes_a_policy_dispatch);
    RUN(who_divides_slots_does_not_dispatch);
    RUN(what_makes_no_sense_is_refused);
    RUN(what_is_not_said_has_its_default);
    RUN(who_preempts_is_for_victims);
    RUN(what_is_said_stays);
    RUN(columns_have_names);
    RUN(out_of_memory_leaves_nothing);
    return check_done();
}
