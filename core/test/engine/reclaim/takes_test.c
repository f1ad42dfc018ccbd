/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* takes_test.c: who may take from whom, of consumers and inside a leaf, where memory fails. */
#include <string.h>

#include <allot/decision.h>

#include "test/support/check.h"
#include "test/support/try.h"

enum { LEVEL = ALLOT_COLUMN_COUNT };

/* Owned slots and levels of /a ... /d. */
static const int32_t owned[] = {10, 5, 5, 6}, levels[] = {2, 1, 2, 0};

static int make_policy(allot_engine *engine, allot_policy **policy)
{
    const allot_source own = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
    const allot_attribute level = {.name = "level", .type = ALLOT_INTEGER, .max = 9};
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", policy));
    TRY(allot_policy_attribute(*policy, &level));
    TRY(allot_policy_fill(*policy, "owned", own, own, NULL, 0));
    TRY(allot_policy_takes(*policy, (allot_source){ALLOT_FROM_COLUMN, LEVEL}));
    TRY(allot_policy_inside(*policy, (allot_source){ALLOT_FROM_COLUMN, ALLOT_TASK_PRIORITY}));
    return status;
}

static int make_plan(allot_engine *engine, allot_policy *policy, allot_plan **plan)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    int status = ALLOT_OK;
    int32_t leaf;
    TRY(allot_plan_new(engine, plan));
    TRY(allot_plan_policy(*plan, ALLOT_ALL, policy));
    for (int i = 0; i < 4; i++) {
        TRY(allot_plan_add(*plan, ALLOT_ROOT, names[i], 1, &leaf));
        TRY(allot_plan_set(*plan, ALLOT_ALL, leaf, ALLOT_OWNED, owned[i]));
        TRY(allot_plan_set(*plan, ALLOT_ALL, leaf, LEVEL, levels[i]));
    }
    TRY(allot_plan_seal(*plan, NULL));
    return status;
}

/* /a lacks ten, of which /b is over by 3, and /c by 7; /d is full, and a task waits there. */
static int make_state(const allot_plan *plan, allot_state **state)
{
    const allot_task tasks[] = {
        {.id = "low", .consumer = 3, .slots = 4, .started = 10},
        {.id = "mid", .consumer = 3, .slots = 2, .started = 20, .priority = 2},
        {.id = "high", .consumer = 3, .slots = 3, .priority = 5, .state = ALLOT_TASK_PENDING}};
    const int64_t demand[] = {10, 8, 12}, allocated[] = {0, 8, 12};
    int status = ALLOT_OK;
    TRY(allot_state_new(plan, state));
    TRY(allot_state_now(*state, 100));
    for (int i = 0; i < 3; i++) {
        TRY(allot_state_demand(*state, 0, i, demand[i]));
        TRY(allot_state_allocated(*state, 0, i, allocated[i]));
        TRY(allot_state_task(*state, &tasks[i]));
    }
    TRY(allot_state_seal(*state, NULL));
    return status;
}

/* /b alone gives to /a, as /c is of its level; and "low" gives way to "high", and not "mid", which
 * does not suffice. */
static void check(const allot_decision *decision)
{
    allot_reclaim reclaim;
    CHECK_EQ(allot_decision_reclaims(decision), 2);
    CHECK_EQ(allot_decision_reclaim(decision, 0, &reclaim), ALLOT_OK);
    CHECK(reclaim.consumer == 1 && reclaim.slots == 3 && reclaim.claims[0].consumer == 0);
    CHECK_EQ(reclaim.pending, -1);
    CHECK_EQ(allot_decision_reclaim(decision, 1, &reclaim), ALLOT_OK);
    CHECK(reclaim.consumer == 3 && reclaim.slots == 4 && reclaim.claims[0].consumer == 3);
    CHECK(strcmp(reclaim.reason, "inside") == 0 && reclaim.tasks[0] == 0 && reclaim.pending == 2);
}

static int decide(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make_policy(engine, &policy);
    status = status ? status : make_plan(engine, policy, &plan);
    status = status ? status : make_state(plan, &state);
    TRY(allot_cycle(plan, state, NULL, &decision));
    if (status == ALLOT_OK)
        check(decision);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void test_memory(void)
{
    CHECK(oom_each(decide));
}

int main(void)
{
    RUN(test_memory);
    return check_done();
}
