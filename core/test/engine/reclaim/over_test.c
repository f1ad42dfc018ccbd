/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* over_test.c: damping through the public API, and with memory failing. */
#include "engine/decision/decision.h"

#include "engine/reclaim/over.h"
#include "test/support/fixture.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* /a owns 10 and lacks 10, /b owns 10 and holds 20, of 20; now is 100. */
static int make(allot_engine *engine, allot_option option, int64_t value, allot_plan **plan,
                allot_state **state)
{
    allot_policy *policy = NULL;
    int32_t a = 0, b = 0;
    int status;
    OOM_RETRY(status, allot_policy_new(engine, "p", &policy));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_fill(policy, "owned", owned, owned, NULL, 0));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_new(engine, plan));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_policy(*plan, ALLOT_ALL, policy));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_option(*plan, ALLOT_ALL, option, value));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_add(*plan, ALLOT_ROOT, "a", 1, &a));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_add(*plan, ALLOT_ROOT, "b", 1, &b));
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++)
        OOM_RETRY(status, allot_plan_set(*plan, ALLOT_ALL, i, ALLOT_OWNED, 10));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_seal(*plan, NULL));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_new(*plan, state));
    if (status == ALLOT_OK) {
        allot_state_now(*state, 100);
        allot_state_demand(*state, 0, a, 10);
        allot_state_demand(*state, 0, b, 20);
        allot_state_allocated(*state, 0, b, 20);
    }
    allot_policy_free(policy);
    return status;
}

/* Which of both is given a time, and when; without: INT64_MIN. */
static int cycle(allot_engine *engine, allot_option option, int64_t value, int64_t reclaimed_at,
                 int64_t waiting_since, allot_verdict *verdicts)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make(engine, option, value, &plan, &state);
    if (status == ALLOT_OK && reclaimed_at != INT64_MIN)
        OOM_RETRY(status, allot_state_reclaimed_at(state, 0, 1, reclaimed_at));
    if (status == ALLOT_OK && waiting_since != INT64_MIN)
        OOM_RETRY(status, allot_state_waiting_since(state, 0, 0, waiting_since));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_seal(state, NULL));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_cycle(plan, state, NULL, &decision));
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++)
        status = allot_decision_verdict(decision, 0, i, &verdicts[i]);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

/* What /b gives back, and what it is let to keep. */
static void check(allot_option option, int64_t value, int64_t reclaimed_at, int64_t waiting_since,
                  int64_t reclaimed, int64_t held_back)
{
    oom memory = {0};
    allot_engine *engine;
    allot_verdict verdicts[2];
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(cycle(engine, option, value, reclaimed_at, waiting_since, verdicts), ALLOT_OK);
    CHECK_EQ(verdicts[1].reclaimed, reclaimed);
    CHECK_EQ(verdicts[1].held_back, held_back);
    CHECK_EQ(verdicts[1].over, 10);
    CHECK_EQ(verdicts[0].deficit, 10);
    CHECK_EQ(verdicts[0].waiting_since, waiting_since == INT64_MIN ? 100 : waiting_since);
    CHECK_EQ(verdicts[1].waiting_since, INT64_MIN);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void options_damp(void)
{
    const int64_t none = INT64_MIN;
    check(ALLOT_OPTION_DEAD_ZONE, 0, none, none, 10, 0);
    check(ALLOT_OPTION_DEAD_ZONE, 10, none, none, 0, 10);
    check(ALLOT_OPTION_DEAD_ZONE, 9, none, none, 10, 0);
    check(ALLOT_OPTION_MOST_RECLAIMED, 100, none, none, 10, 0);
    check(ALLOT_OPTION_MOST_RECLAIMED, 44, none, none, 8, 2);
    check(ALLOT_OPTION_MOST_RECLAIMED, 1, none, none, 1, 9);
    check(ALLOT_OPTION_RECLAIM_INTERVAL, 10, 90, none, 10, 0);
    check(ALLOT_OPTION_RECLAIM_INTERVAL, 11, 90, none, 0, 10);
    check(ALLOT_OPTION_RECLAIM_INTERVAL, 11, none, none, 10, 0);
    check(ALLOT_OPTION_CLAIM_DELAY, 10, none, none, 0, 0);
    check(ALLOT_OPTION_CLAIM_DELAY, 10, none, 91, 0, 0);
    check(ALLOT_OPTION_CLAIM_DELAY, 10, none, 90, 10, 0);
}

static void times_are_safe(void)
{
    /* Clocks that were set back, and differences beyond 64 bits. */
    check(ALLOT_OPTION_RECLAIM_INTERVAL, 11, 101, INT64_MIN, 0, 10);
    check(ALLOT_OPTION_RECLAIM_INTERVAL, 11, INT64_MAX, INT64_MIN, 0, 10);
    check(ALLOT_OPTION_RECLAIM_INTERVAL, ALLOT_AMOUNT_MAX, INT64_MIN + 1, INT64_MIN, 10, 0);
    check(ALLOT_OPTION_CLAIM_DELAY, ALLOT_AMOUNT_MAX, INT64_MIN, INT64_MIN + 1, 10, 0);
}

static int scenario(allot_engine *engine)
{
    allot_verdict verdicts[2];
    return cycle(engine, ALLOT_OPTION_MOST_RECLAIMED, 44, 50, 50, verdicts);
}

static void memory_may_fail(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(options_damp);
    RUN(times_are_safe);
    RUN(memory_may_fail);
    return check_done();
}
