/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* exhausted_test.c: whether a state that has the first few of those that wait has enough (C-13). */
#include <allot/decision.h>

#include "test/support/fixture.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* One leaf that owns 6 slots and has no others. */
static allot_plan *make_plan(allot_engine *engine, allot_policy **policy)
{
    allot_plan *plan;
    int32_t leaf;
    CHECK_EQ(allot_policy_new(engine, "p", policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(*policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_plan_new(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, *policy), ALLOT_OK);
    CHECK_EQ(allot_plan_add(plan, ALLOT_ROOT, "a", 1, &leaf), ALLOT_OK);
    CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_OWNED, 6), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(plan, NULL), ALLOT_OK);
    return plan;
}

/* Tasks of so many slots wait, up to a 0, and the leaf demands so many. */
static int64_t exhausted(const allot_plan *plan, const int *slots, int64_t demand)
{
    static const char *const ids[] = {"p", "q", "r", "s"};
    allot_state *state;
    allot_decision *decision;
    allot_brief brief;
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_now(state, 100), ALLOT_OK);
    CHECK_EQ(allot_state_demand(state, 0, 0, demand), ALLOT_OK);
    for (int i = 0; slots[i] > 0; i++) {
        const allot_task task = {
            .id = ids[i], .slots = slots[i], .submitted = 10 + i, .state = ALLOT_TASK_PENDING};
        CHECK_EQ(allot_state_task(state, &task), ALLOT_OK);
    }
    CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
    CHECK_EQ(allot_cycle(plan, state, NULL, &decision), ALLOT_OK);
    CHECK_EQ(allot_decision_brief(decision, 0, 0, &brief), ALLOT_OK);
    allot_decision_free(decision);
    allot_state_free(state);
    return brief.exhausted;
}

static void test_lists(void)
{
    static const struct {
        int slots[5];
        int64_t demand, exhausted;
    } lists[] = {
        {{4, 0}, 12, 1},    /* 2 are left for who stands behind it */
        {{4, 4, 0}, 12, 0}, /* the second does not fit, and ends the list */
        {{4, 2, 0}, 12, 1}, /* both fit: what is left to others might start a third */
        {{4, 2, 1, 0}, 12, 0}, {{4, 2, 0}, 6, 0}, /* it demands no more than they ask for */
        {{7, 0}, 12, 0},
    };
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot_policy *policy;
    allot_plan *plan = make_plan(engine, &policy);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        CHECK_EQ(exhausted(plan, lists[i].slots, lists[i].demand), lists[i].exhausted);
    allot_plan_free(plan);
    allot_policy_free(policy);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(test_lists);
    return check_done();
}
