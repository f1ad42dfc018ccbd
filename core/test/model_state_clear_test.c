/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* model_state_clear_test.c: a state that is emptied and filled anew is as good as a new one. */
#include <allot/allot.h>

#include "test/check.h"
#include "test/oom.h"

static int make_plan(allot_engine *engine, allot_plan **out)
{
    allot_policy *policy = NULL;
    int32_t leaf;
    int status = allot_policy_new(engine, "p", &policy);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "all", (allot_source){ALLOT_FROM_NUMBER, 1},
                                   (allot_source){ALLOT_FROM_NEED, 0}, NULL, 0);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, out);
    if (status == ALLOT_OK)
        status = allot_plan_policy(*out, ALLOT_ALL, policy);
    allot_policy_free(policy);
    if (status == ALLOT_OK)
        status = allot_plan_slots(*out, 0, 10);
    if (status == ALLOT_OK)
        status = allot_plan_add(*out, ALLOT_ROOT, "a", 1, &leaf);
    if (status == ALLOT_OK)
        status = allot_plan_add(*out, ALLOT_ROOT, "b", 1, &leaf);
    return status == ALLOT_OK ? allot_plan_seal(*out, NULL) : status;
}

/* The same ids again and again: a state that kept them would say EEXIST. */
static int fill(allot_state *state)
{
    static const char *const going[] = {"t1"};
    allot_session session = {.id = "s", .scheduling = ALLOT_PRIORITY, .priority = 1, .demand = -1};
    allot_task task = {.id = "t1", .slots = 2, .session = "s", .host = "h"};
    allot_claim claim = {1, 1};
    allot_in_flight flight = {.id = "f",
                              .slots = 1,
                              .deadline = 9,
                              .claims = &claim,
                              .claim_count = 1,
                              .tasks = going,
                              .task_count = 1};
    int status = allot_state_session(state, &session);
    if (status == ALLOT_OK)
        status = allot_state_task(state, &task);
    task.id = "t2";
    if (status == ALLOT_OK)
        status = allot_state_task(state, &task);
    if (status == ALLOT_OK)
        status = allot_state_in_flight(state, &flight);
    return status == ALLOT_OK ? allot_state_seal(state, NULL) : status;
}

static int scenario(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = allot_state_demand(state, 0, 1, 7);
    for (int i = 0; i < 3 && status == ALLOT_OK; i++) {
        status = fill(state);
        if (status != ALLOT_OK)
            break;
        CHECK_EQ(allot_state_clear(state), ALLOT_EUSAGE); /* it is sealed */
        CHECK_EQ(allot_state_allocated_get(state, 0, 0), 4);
        CHECK_EQ(allot_state_demand_get(state, 0, 1), 7); /* what was set stays */
        CHECK_EQ(allot_state_open(state), ALLOT_OK);
        CHECK_EQ(allot_state_clear(state), ALLOT_OK);
        CHECK_EQ(allot_state_tasks(state), 0);
        CHECK_EQ(allot_state_sessions(state), 0);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static void test_again(void)
{
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(scenario(engine), ALLOT_OK);
    allot_engine_free(engine);
    CHECK_EQ(allot_state_clear(NULL), ALLOT_EUSAGE);
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_again);
    RUN(test_out_of_memory);
    return check_done();
}
