/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource_test.c: resources of a plan, and what of them jobs say. */
#include "test/support/job_fixture.h"

static void test_plans(void)
{
    fixture it;
    allot_resource of;
    queues_begin(&it);
    CHECK_EQ(allot_plan_resources(it.plan), 0);
    CHECK_EQ(allot_plan_resource_find(it.plan, "lic"), -1);
    char name[] = "lic";
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){name, 3, 0}), ALLOT_OK);
    name[0] = 'x'; /* it was copied */
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"none", 0, 7}), ALLOT_OK);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"lic", 4, 0}), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"", 4, 0}), ALLOT_ENAME);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"a", -1, 0}), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"a", (int64_t)ALLOT_AMOUNT_MAX + 1, 0}),
             ALLOT_ERANGE);
    CHECK_EQ(allot_plan_resource(it.plan, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_resources(it.plan), 2);
    CHECK_EQ(allot_plan_resource_find(it.plan, "none"), 1);
    CHECK_EQ(allot_plan_resource_at(it.plan, 0, &of), ALLOT_OK);
    CHECK_STR(of.name, "lic");
    CHECK_EQ(of.amount, 3);
    CHECK_EQ(of.preemptable, 0);
    CHECK_EQ(allot_plan_resource_at(it.plan, 1, &of), ALLOT_OK);
    CHECK_EQ(of.preemptable, 1);
    CHECK_EQ(allot_plan_resource_at(it.plan, 2, &of), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_resource_at(it.plan, -1, &of), ALLOT_EUSAGE);
    fixture_end(&it);
}

/* P-36: 300 is the least, and what holds if nothing is said. */
static void test_wait(void)
{
    fixture it;
    queues_begin(&it);
    allot_queue queue = queue_named("q", 1);
    CHECK_EQ(queue_add(&it, &queue), ALLOT_OK);
    CHECK_EQ(allot__preemption_wait(it.plan->queues), 300);
    CHECK_EQ(allot_plan_preemption_wait(it.plan, 299), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_preemption_wait(it.plan, 301), ALLOT_OK);
    CHECK_EQ(allot__preemption_wait(it.plan->queues), 301);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_preemption_wait(it.plan, 301), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"a", 1, 0}), ALLOT_EUSAGE);
    fixture_end(&it);
}

static int added(allot_state *state, const char *id, const allot_job_resource *asks, int32_t count)
{
    allot_job job = job_of(id, 0, ALLOT_PENDING, 1);
    job.resources = asks;
    job.resource_count = count;
    return allot_state_job(state, &job);
}

static void test_jobs(void)
{
    fixture it;
    allot_state *state;
    allot_job job;
    queues_begin(&it);
    allot_queue queue = queue_named("q", 1);
    CHECK_EQ(queue_add(&it, &queue), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"a", 3, 0}), ALLOT_OK);
    CHECK_EQ(allot_plan_resource(it.plan, &(allot_resource){"b", 3, 0}), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    CHECK_EQ(added(state, "1", (allot_job_resource[]){{1, 2}, {0, 5}}, 2), ALLOT_OK);
    CHECK_EQ(added(state, "2", NULL, 0), ALLOT_OK);
    CHECK_EQ(added(state, "3", (allot_job_resource[]){{0, 0}, {1, 1}}, 2), ALLOT_OK);
    CHECK_EQ(added(state, "4", (allot_job_resource[]){{2, 1}}, 1), ALLOT_EUSAGE);
    CHECK_EQ(added(state, "4", (allot_job_resource[]){{-1, 1}}, 1), ALLOT_EUSAGE);
    CHECK_EQ(added(state, "4", (allot_job_resource[]){{1, 1}, {1, 1}}, 2), ALLOT_EUSAGE);
    CHECK_EQ(added(state, "4", NULL, 1), ALLOT_EUSAGE);
    CHECK_EQ(added(state, "4", (allot_job_resource[]){{1, -1}}, 1), ALLOT_ERANGE);
    CHECK_EQ(allot_state_resource_preempted(state, 2, 5), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_resource_preempted(state, 1, 5), ALLOT_OK);
    CHECK(state->jobs->preempted_at[0] == INT64_MIN && state->jobs->preempted_at[1] == 5);
    CHECK_EQ(allot_state_jobs(state), 3);
    CHECK_EQ(allot_state_job_at(state, 0, &job), ALLOT_OK);
    CHECK_EQ(job.resource_count, 2);
    CHECK(job.resources[0].resource == 1 && job.resources[0].amount == 2);
    CHECK(job.resources[1].resource == 0 && job.resources[1].amount == 5);
    CHECK_EQ(allot_state_job_at(state, 1, &job), ALLOT_OK);
    CHECK(job.resource_count == 0 && !job.resources);
    CHECK_EQ(allot_state_job_at(state, 2, &job), ALLOT_OK);
    CHECK_EQ(job.resource_count, 2); /* as told; what it holds of is one */
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    int32_t count;
    CHECK_EQ(allot__job_resources(state->jobs, 2, &count)->resource, 1);
    CHECK_EQ(count, 1);
    allot_state_free(state);
    fixture_end(&it);
}

int main(void)
{
    RUN(test_plans);
    RUN(test_wait);
    RUN(test_jobs);
    return check_done();
}
