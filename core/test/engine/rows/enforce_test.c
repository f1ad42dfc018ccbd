/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* enforce_test.c: what a switch of windows forces, from the C side, and memory failing. */
#include "engine/decision/decision.h"

#include "test/support/fixture.h"
#include "test/support/try.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
static const allot_source none = {ALLOT_FROM_NEED, 0};

/* Two leaves that own 10 of 20 each; from the hour on /a's column is `value`. */
typedef struct change {
    int32_t column;
    int64_t value;
    int64_t demand_a, held_a, held_b; /* /b demands 100 */
    int64_t rebalance_b;
    int64_t now; /* 3600 is the switch */
} change;

static int make_plan(allot_engine *engine, const change *it, allot_policy **policy,
                     allot_plan **plan)
{
    const allot_window hour = {ALLOT_ALL, 3600, 7200, 0x7f, -1};
    int32_t handle;
    int32_t window = 0;
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", policy));
    TRY(allot_policy_fill(*policy, "owned", owned, owned, NULL, 0));
    TRY(allot_policy_fill(*policy, "borrowed", owned, none, NULL, 0));
    TRY(allot_plan_new(engine, plan));
    TRY(allot_plan_policy(*plan, ALLOT_ALL, *policy));
    TRY(allot_plan_add(*plan, ALLOT_ROOT, "a", 1, &handle));
    TRY(allot_plan_add(*plan, ALLOT_ROOT, "b", 1, &handle));
    TRY(allot_plan_slots(*plan, 0, 20));
    TRY(allot_plan_set(*plan, ALLOT_ALL, 0, ALLOT_OWNED, 10));
    TRY(allot_plan_set(*plan, ALLOT_ALL, 1, ALLOT_OWNED, 5));
    TRY(allot_plan_set(*plan, ALLOT_ALL, 1, ALLOT_REBALANCE, it->rebalance_b));
    TRY(allot_plan_window(*plan, &hour, &window));
    TRY(allot_plan_window_set(*plan, window, 0, it->column, it->value));
    TRY(allot_plan_seal(*plan, NULL));
    return status;
}

static int cycle(allot_engine *engine, const change *it, allot_verdict *out)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make_plan(engine, it, &policy, &plan);
    TRY(allot_state_new(plan, &state));
    if (status == ALLOT_OK) {
        allot_state_now(state, it->now);
        allot_state_demand(state, 0, 0, it->demand_a);
        allot_state_demand(state, 0, 1, 100);
        allot_state_allocated(state, 0, 0, it->held_a);
        allot_state_allocated(state, 0, 1, it->held_b);
    }
    TRY(allot_state_seal(state, NULL));
    TRY(allot_cycle(plan, state, NULL, &decision));
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++)
        status = allot_decision_verdict(decision, 0, i, &out[i]);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void run(const change *it, allot_verdict *out)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(cycle(engine, it, out), ALLOT_OK);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void more_ownership_is_enforced(void)
{
    change it = {ALLOT_OWNED, 15, 0, 0, 20, 1, 3600};
    allot_verdict out[2];
    run(&it, out);
    CHECK_EQ(out[0].need, 15);
    CHECK_EQ(out[0].quota, 15);
    CHECK_EQ(out[1].reclaimed, 15);
    it.now = 3601;
    run(&it, out);
    CHECK_EQ(out[0].need, 0);
    CHECK_EQ(out[1].reclaimed, 0);
}

static void a_lower_limit_is_enforced(void)
{
    change it = {ALLOT_LIMIT, 4, 100, 10, 0, 1, 3600};
    allot_verdict out[2];
    run(&it, out);
    CHECK_EQ(out[0].forced, 6);
    CHECK_EQ(out[0].reclaimed, 6);
    it.now = 3601;
    run(&it, out);
    CHECK_EQ(out[0].forced, 0);
    it.now = 3599;
    run(&it, out);
    CHECK_EQ(out[0].reclaimed, 0);
    it.now = 7200; /* the limit ends: nothing is above none */
    run(&it, out);
    CHECK_EQ(out[0].forced, 0);
}

static void who_drains_keeps(void)
{
    change it = {ALLOT_OWNED, 15, 0, 0, 20, 0, 3600};
    allot_verdict out[2];
    run(&it, out);
    CHECK_EQ(out[1].over, 15);
    CHECK_EQ(out[1].held_back, 15);
    CHECK_EQ(out[1].reclaimed, 0);
}

static void what_is_not_changed_is_not_enforced(void)
{
    change it = {ALLOT_GRACE, 15, 0, 0, 20, 1, 3600};
    allot_verdict out[2];
    run(&it, out);
    CHECK_EQ(out[0].need, 0);
    CHECK_EQ(out[1].reclaimed, 0);
}

/* Two leaves that own 10 each; until the hour slots are lent, then not. */
static int make_lending(allot_engine *engine, allot_policy **lending, allot_policy **plain,
                        allot_plan **plan)
{
    const allot_window hour = {ALLOT_ALL, 3600, 7200, 0x7f, -1};
    int32_t handle;
    int32_t window = 0;
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "lending", lending));
    TRY(allot_policy_fill(*lending, "owned", owned, owned, NULL, 0));
    TRY(allot_policy_loan(*lending, "lent", none, none, NULL, 0));
    TRY(allot_policy_new(engine, "plain", plain));
    TRY(allot_policy_fill(*plain, "any", owned, none, NULL, 0));
    TRY(allot_plan_new(engine, plan));
    TRY(allot_plan_policy(*plan, ALLOT_ALL, *lending));
    TRY(allot_plan_add(*plan, ALLOT_ROOT, "a", 1, &handle));
    TRY(allot_plan_add(*plan, ALLOT_ROOT, "b", 1, &handle));
    TRY(allot_plan_set(*plan, ALLOT_ALL, 0, ALLOT_OWNED, 10));
    TRY(allot_plan_set(*plan, ALLOT_ALL, 1, ALLOT_OWNED, 10));
    TRY(allot_plan_window(*plan, &hour, &window));
    TRY(allot_plan_window_policy(*plan, window, *plain));
    TRY(allot_plan_seal(*plan, NULL));
    return status;
}

/* At the hour /b holds so much, 5 of it borrowed from /a. */
static int end_of_loans(allot_engine *engine, int64_t held, allot_verdict *out)
{
    const allot_loan loan = {0, 0, 1, 5};
    allot_policy *lending = NULL;
    allot_policy *plain = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make_lending(engine, &lending, &plain, &plan);
    TRY(allot_state_new(plan, &state));
    if (status == ALLOT_OK) {
        allot_state_now(state, 3600);
        allot_state_demand(state, 0, 1, 100);
        allot_state_allocated(state, 0, 1, held);
    }
    TRY(allot_state_loan(state, &loan));
    TRY(allot_state_seal(state, NULL));
    TRY(allot_cycle(plan, state, NULL, &decision));
    if (status == ALLOT_OK)
        status = allot_decision_verdict(decision, 0, 1, out);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(plain);
    allot_policy_free(lending);
    return status;
}

/* H-16: what is borrowed, or what is above ownership, whichever is more. */
static void loans_end_with_their_policy(void)
{
    static const int64_t cases[][2] = {{12, 5}, {15, 5}, {18, 8}, {5, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oom memory = {0};
        allot_engine *engine;
        allot_verdict out = {0};
        CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
        CHECK_EQ(end_of_loans(engine, cases[i][0], &out), ALLOT_OK);
        CHECK_EQ(out.forced, cases[i][1]);
        CHECK_EQ(out.reclaimed, cases[i][1]);
        allot_engine_free(engine);
        CHECK(oom_clean(&memory));
    }
}

static int scenario(allot_engine *engine)
{
    const change it = {ALLOT_LIMIT, 4, 100, 10, 8, 1, 3600};
    allot_verdict out[2];
    return cycle(engine, &it, out);
}

static void memory_may_fail(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(more_ownership_is_enforced);
    RUN(a_lower_limit_is_enforced);
    RUN(who_drains_keeps);
    RUN(what_is_not_changed_is_not_enforced);
    RUN(loans_end_with_their_policy);
    RUN(memory_may_fail);
    return check_done();
}
