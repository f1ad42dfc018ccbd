/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* claimant_test.c: functions that read the claimant (C-16): who may have them, and what they get,
 * where memory fails. */
#include <string.h>

#include <allot/decision.h>

#include "test/support/check.h"
#include "test/support/try.h"

enum { LEVEL = ALLOT_COLUMN_COUNT };

static const allot_source own = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* Tasks of fewer slots than the claimant's level may go, the most slots first. */
static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    (void)ud;
    (void)report;
    for (int32_t i = 0; i < batch->count; i++) {
        int64_t slots = batch->columns[0][i];
        out[i] = function == 0 ? slots < batch->taker[LEVEL] : -slots * batch->taker[ALLOT_OWNED];
    }
    CHECK(batch->taker_item == 0 || batch->taker_item == 1);
    return ALLOT_OK;
}

static int make_policy(allot_engine *engine, allot_policy **policy)
{
    const allot_provider provider = {.compute = compute};
    const allot_attribute level = {.name = "level", .type = ALLOT_INTEGER, .max = 9};
    const int32_t slots = ALLOT_TASK_SLOTS;
    const allot_key key = {{ALLOT_FROM_FUNCTION, 1}, 0};
    int status = ALLOT_OK;
    int32_t number;
    TRY(allot_policy_new(engine, "p", policy));
    TRY(allot_policy_provider(*policy, &provider));
    TRY(allot_policy_attribute(*policy, &level));
    TRY(allot_policy_fill(*policy, "owned", own, own, NULL, 0));
    for (int i = 0; i < 2; i++) {
        TRY(allot_policy_rows_function(*policy, ALLOT_TASKS, &slots, 1, &number));
        TRY(allot_policy_claimant(*policy, number));
    }
    TRY(allot_policy_guard(*policy, "low", (allot_source){ALLOT_FROM_FUNCTION, 0}, 1, 1));
    TRY(allot_policy_victims(*policy, &key, 1));
    return status;
}

static int make_plan(allot_engine *engine, allot_policy *policy, allot_plan **plan)
{
    static const char *const names[] = {"high", "low", "x"};
    static const int32_t owned[] = {3, 3, 2}, levels[] = {4, 2, 0};
    int status = ALLOT_OK;
    int32_t leaf;
    TRY(allot_plan_new(engine, plan));
    TRY(allot_plan_policy(*plan, ALLOT_ALL, policy));
    for (int i = 0; i < 3; i++) {
        TRY(allot_plan_add(*plan, ALLOT_ROOT, names[i], 1, &leaf));
        TRY(allot_plan_set(*plan, ALLOT_ALL, leaf, ALLOT_OWNED, owned[i]));
        TRY(allot_plan_set(*plan, ALLOT_ALL, leaf, LEVEL, levels[i]));
    }
    TRY(allot_plan_seal(*plan, NULL));
    return status;
}

static int make_state(const allot_plan *plan, allot_state **state)
{
    static const char *const ids[] = {"a", "b", "c"};
    static const int32_t slots[] = {3, 1, 4};
    int status = ALLOT_OK;
    TRY(allot_state_new(plan, state));
    TRY(allot_state_now(*state, 100));
    for (int i = 0; i < 3; i++) {
        const allot_task task = {.id = ids[i], .consumer = 2, .slots = slots[i], .started = 10};
        TRY(allot_state_demand(*state, 0, i, 9));
        TRY(allot_state_task(*state, &task));
    }
    TRY(allot_state_allocated(*state, 0, 2, 8));
    TRY(allot_state_seal(*state, NULL));
    return status;
}

/* "a" goes for /high, which lacks 3, "b" for /low, and "c" is too large for both. */
static void check(const allot_decision *decision)
{
    allot_reclaim reclaim;
    CHECK_EQ(allot_decision_reclaims(decision), 1);
    CHECK_EQ(allot_decision_reclaim(decision, 0, &reclaim), ALLOT_OK);
    CHECK(reclaim.consumer == 2 && reclaim.slots == 4 && reclaim.claim_count == 2);
    CHECK(reclaim.claims[0].consumer == 0 && reclaim.claims[0].slots == 3);
    CHECK(reclaim.claims[1].consumer == 1 && reclaim.claims[1].slots == 1);
    CHECK(reclaim.task_count == 2 && reclaim.tasks[0] == 0 && reclaim.tasks[1] == 1);
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

/* No function of consumers, of jobs, with loans or across branches. */
static void test_refused(void)
{
    const int32_t rank = ALLOT_RANK, slots = ALLOT_TASK_SLOTS;
    const allot_source function = {ALLOT_FROM_FUNCTION, 1}, need = {ALLOT_FROM_NEED, 0};
    allot_engine *engine = NULL;
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    int32_t number;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot_policy_new(engine, "p", &policy), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(policy, ALLOT_CONSUMERS, &rank, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_claimant(policy, number), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_claimant(policy, 7), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_rows_function(policy, ALLOT_TASKS, &slots, 1, &number), ALLOT_OK);
    CHECK_EQ(allot_policy_claimant(policy, number), ALLOT_OK);
    CHECK_EQ(allot_policy_inside(policy, function), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_dispatch(policy, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_guard(policy, "g", function, 1, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "owned", own, own, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_loan(policy, "lent", need, need, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_plan_new(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, policy), ALLOT_EUSAGE);
    allot_plan_free(plan);
    allot_policy_free(policy);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(test_memory);
    RUN(test_refused);
    return check_done();
}
