/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* order_test.c: fills up to parts at the edge of what their numbers hold, and memory.
 */
#include "engine/quota/quota.h"

#include "engine/decision/decision.h"
#include "engine/quota/trace.h"
#include "test/support/fixture.h"

static const allot_source none = {ALLOT_FROM_NEED, 0}, part = {ALLOT_FROM_PART, 0};
static const allot_source share = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* Owned slots if wanted, then planned shares, what is held beyond, and the rest. */
static int rules(allot_policy *policy, bool owns)
{
    const allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    const allot_source held = {ALLOT_FROM_HELD, 0};
    int status = owns ? allot_policy_fill(policy, "owned", owned, owned, NULL, 0) : ALLOT_OK;
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "planned", share, part, NULL, 0);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "kept", share, held, &by_rank, 1);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "shared", share, none, NULL, 0);
    return status ? status : allot_policy_switch(policy, ALLOT_SWITCH_ACROSS, 1);
}

static void begin(fixture *it, bool owns)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "shares", &it->policy), ALLOT_OK);
    CHECK_EQ(rules(it->policy, owns), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    CHECK_EQ(fixture_add(it->plan, "/A"), 0);
    CHECK_EQ(fixture_add(it->plan, "/B"), 1);
    CHECK_EQ(fixture_add(it->plan, "/C"), 2);
}

/* The quotas of A, B and C when the first two want all of `slots`. */
static int decide(fixture *it, int64_t slots, int64_t *quotas)
{
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_slots(state, 0, slots), ALLOT_OK);
    CHECK_EQ(allot_state_demand(state, 0, 0, slots), ALLOT_OK);
    CHECK_EQ(allot_state_demand(state, 0, 1, slots), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it->report), ALLOT_OK);
    int status = allot_cycle(it->plan, state, it->report, &decision);
    for (int32_t i = 0; i < 3 && status == ALLOT_OK; i++) {
        allot_verdict verdict;
        CHECK_EQ(allot_decision_verdict(decision, 0, i, &verdict), ALLOT_OK);
        quotas[i] = verdict.quota;
    }
    allot_decision_free(decision);
    allot_state_free(state);
    return status;
}

/* Parts of 333333333 and 666666666 leave one slot, of which A gets a third and B two (C-4: A). */
static void the_largest_shares_are_exact(void)
{
    fixture it;
    int64_t quotas[3];
    begin(&it, false);
    CHECK_EQ(fixture_set(it.plan, "/A", ALLOT_SHARE, 333333333), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/B", ALLOT_SHARE, 666666666), ALLOT_OK);
    CHECK_EQ(decide(&it, 1000000000, quotas), ALLOT_OK);
    CHECK_EQ(quotas[0], 333333334);
    CHECK_EQ(quotas[1], 666666666);
    CHECK_EQ(quotas[2], 0);
    fixture_end(&it);
}

/*
 * 10^9 slots where 999999937, a prime, were planned: what is owned is a fraction over it. A owns
 * 499999968 * 10^9 / 999999937 = 499999999.49..., above its planned share of 333333333; the other
 * 500000000.50... are below B's, 666666666. The lost slot is A's (C-4).
 */
static void fractions_of_fractions_are_exact(void)
{
    fixture it;
    int64_t quotas[3];
    begin(&it, true);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 999999937), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/A", ALLOT_OWNED, 499999968), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/A", ALLOT_SHARE, 333333333), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/B", ALLOT_SHARE, 666666666), ALLOT_OK);
    CHECK_EQ(decide(&it, 1000000000, quotas), ALLOT_OK);
    CHECK_EQ(quotas[0], 500000000);
    CHECK_EQ(quotas[1], 500000000);
    fixture_end(&it);
}

/* C's is one of 1000000001: A's and B's parts are 4 each, and two are left for them. */
static void heavy_shares_add_up(void)
{
    fixture it;
    int64_t quotas[3];
    begin(&it, false);
    CHECK_EQ(fixture_set(it.plan, "/A", ALLOT_SHARE, 500000000), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/B", ALLOT_SHARE, 500000000), ALLOT_OK);
    CHECK_EQ(decide(&it, 10, quotas), ALLOT_OK);
    CHECK_EQ(quotas[0], 5);
    CHECK_EQ(quotas[1], 5);
    CHECK_EQ(quotas[2], 0);
    fixture_end(&it);
}

static int fill_state(allot_plan *plan, allot_state *state)
{
    int status = allot_state_slots(state, 0, 7);
    for (int32_t leaf = 1; leaf < 6 && status == ALLOT_OK; leaf++) {
        if (allot_plan_children(plan, leaf) > 0)
            continue;
        status = allot_state_demand(state, 0, leaf, 5);
        if (status == ALLOT_OK)
            status = allot_state_allocated(state, 0, leaf, leaf);
    }
    return status ? status : allot_state_seal(state, NULL);
}

static int plan_of(allot_engine *engine, allot_plan **out)
{
    static const char *const paths[] = {"/P", "/P/A", "/P/B", "/Q", "/Q/C", "/Q/D"};
    allot_policy *policy = NULL;
    int status = allot_policy_new(engine, "shares", &policy);
    if (status == ALLOT_OK)
        status = rules(policy, false);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, out);
    if (status == ALLOT_OK)
        status = allot_plan_policy(*out, ALLOT_ALL, policy);
    for (int i = 0; i < 6 && status == ALLOT_OK; i++) {
        int32_t handle = fixture_add(*out, paths[i]);
        status = handle < 0 ? handle : ALLOT_OK;
    }
    allot_policy_free(policy);
    return status ? status : allot_plan_seal(*out, NULL);
}

static int scenario(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = plan_of(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = fill_state(plan, state);
    if (status == ALLOT_OK)
        status = allot_cycle(plan, state, NULL, &decision);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static void no_memory_is_an_error_and_no_leak(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(the_largest_shares_are_exact);
    RUN(fractions_of_fractions_are_exact);
    RUN(heavy_shares_add_up);
    RUN(no_memory_is_an_error_and_no_leak);
    return check_done();
}
