/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* why_test.c: why a cycle does not go on from the one before. */
#include "test/support/fixture.h"

static const allot_source one = {ALLOT_FROM_NUMBER, 1};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

typedef struct site {
    fixture it;
    allot_state *state;
    int32_t a, b; /* leaves of /p, whose limit is 4 */
} site;

static void site_begin(site *at)
{
    fixture *it = &at->it;
    *at = (site){.state = NULL};
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "site", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(it->policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
}

static void site_seal(site *at)
{
    fixture *it = &at->it;
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    CHECK(fixture_add(it->plan, "/p") >= 0);
    at->a = fixture_add(it->plan, "/p/a");
    at->b = fixture_add(it->plan, "/p/b");
    CHECK_EQ(fixture_set(it->plan, "/p", ALLOT_LIMIT, 4), ALLOT_OK);
    CHECK_EQ(fixture_set(it->plan, "/p/a", ALLOT_OWNED, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it->plan, 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &at->state), ALLOT_OK);
    CHECK_EQ(allot_state_demand(at->state, 0, at->a, 8), ALLOT_OK);
    CHECK_EQ(allot_state_seal(at->state, it->report), ALLOT_OK);
}

static void site_end(site *at)
{
    allot_state_free(at->state);
    fixture_end(&at->it);
}

static const char *why(site *at)
{
    allot_decision *decision;
    if (!CHECK_EQ(allot_cycle(at->it.plan, at->state, NULL, &decision), ALLOT_OK))
        return NULL;
    const char *text = allot_decision_full(decision);
    allot_decision_free(decision);
    return text;
}

static void test_now_and_then(void)
{
    site at;
    allot_decision *decision;
    site_begin(&at);
    site_seal(&at);
    CHECK_STR(why(&at), "nothing is kept of the cycle before");
    CHECK_STR(why(&at), "nothing is kept of the cycle before");
    CHECK(why(&at) == NULL);
    CHECK_EQ(allot_cycle(at.it.plan, at.state, NULL, &decision), ALLOT_OK);
    CHECK_STR(why(&at), "another decision reads what is kept");
    allot_decision_free(decision);
    CHECK_EQ(allot_cycle_until(at.it.plan, at.state, ALLOT_STAGE_QUOTA, NULL, &decision), ALLOT_OK);
    CHECK_STR(allot_decision_full(decision), "the orders were not asked for");
    allot_decision_free(decision);
    CHECK_EQ(allot_state_open(at.state), ALLOT_OK);
    CHECK_EQ(allot_state_allocated(at.state, 0, at.a, 6), ALLOT_OK);
    CHECK_EQ(allot_state_seal(at.state, NULL), ALLOT_OK);
    CHECK_STR(why(&at), "a limit frees slots");
    CHECK_EQ(allot_state_full(at.state, 1), ALLOT_OK);
    CHECK_STR(why(&at), "it was asked for");
    site_end(&at);
}

/* These stand in the way of a policy's plans always. */
static void test_always(void)
{
    const allot_key last = {owned, 1};
    const allot_source allocated = {ALLOT_FROM_COLUMN, ALLOT_ALLOCATED};
    const allot_attribute most = {.name = "most", .type = ALLOT_INTEGER, .limit = 1, .max = 100};
    static const char *const reasons[] = {"slots that are kept", "an order of its own",
                                          "attributes that are limits", "fills by what leaves hold",
                                          "claimants that may not take from all"};
    for (int i = 0; i < 5; i++) {
        site at;
        site_begin(&at);
        if (i == 0)
            CHECK_EQ(allot_policy_damp(at.it.policy, ALLOT_OPTION_DEAD_ZONE, 1), ALLOT_OK);
        else if (i == 1)
            CHECK_EQ(allot_policy_distribute(at.it.policy, &last, 1), ALLOT_OK);
        else if (i == 2)
            CHECK_EQ(allot_policy_attribute(at.it.policy, &most), ALLOT_OK);
        else if (i == 4)
            CHECK_EQ(allot_policy_takes(at.it.policy, owned), ALLOT_OK);
        else
            CHECK_EQ(allot_policy_fill(at.it.policy, "held", one, allocated, NULL, 0), ALLOT_OK);
        site_seal(&at);
        CHECK_STR(why(&at), reasons[i]);
        site_end(&at);
    }
}

/* A task that waits is of no unit yet; one of two groups couples these. */
static void test_tasks(void)
{
    static const allot_task_slots gpu = {.group = 1, .slots = 1};
    const allot_task tasks[] = {{.id = "t", .slots = 1, .state = ALLOT_TASK_PENDING},
                                {.id = "t", .slots = 1, .also = &gpu, .also_count = 1}};
    static const char *const reasons[] = {"tasks that start whole", "tasks of several groups"};
    for (int i = 0; i < 2; i++) {
        site at;
        int32_t group;
        allot_task task = tasks[i];
        site_begin(&at);
        CHECK_EQ(allot_plan_new(at.it.engine, &at.it.plan), ALLOT_OK);
        CHECK_EQ(allot_plan_group(at.it.plan, "cpu", &group), ALLOT_OK);
        CHECK_EQ(allot_plan_group(at.it.plan, "gpu", &group), ALLOT_OK);
        CHECK_EQ(allot_plan_policy(at.it.plan, ALLOT_ALL, at.it.policy), ALLOT_OK);
        task.consumer = fixture_add(at.it.plan, "/a");
        CHECK_EQ(allot_plan_slots(at.it.plan, 0, 8), ALLOT_OK);
        CHECK_EQ(allot_plan_slots(at.it.plan, 1, 8), ALLOT_OK);
        CHECK_EQ(allot_plan_seal(at.it.plan, at.it.report), ALLOT_OK);
        CHECK_EQ(allot_state_new(at.it.plan, &at.state), ALLOT_OK);
        CHECK_EQ(allot_state_task(at.state, &task), ALLOT_OK);
        CHECK_EQ(allot_state_seal(at.state, at.it.report), ALLOT_OK);
        CHECK_STR(why(&at), reasons[i]);
        site_end(&at);
    }
}

int main(void)
{
    RUN(test_now_and_then);
    RUN(test_always);
    RUN(test_tasks);
    return check_done();
}
