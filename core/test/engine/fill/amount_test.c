/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* amount_test.c: functions of a program's own that return what is no amount. */
#include "test/support/fixture.h"

/* Whatever it is asked. */
static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    (void)ud;
    (void)function;
    (void)report;
    for (int32_t i = 0; i < batch->count; i++)
        out[i] = -5;
    return ALLOT_OK;
}

/* A plan of /a and /b, whose policy has one function of such rows. */
static allot_source begin(fixture *it, allot_rows rows)
{
    const allot_provider provider = {.compute = compute};
    const int32_t column = rows == ALLOT_SESSIONS ? ALLOT_SESSION_PRIORITY : ALLOT_OWNED;
    allot_source made = {ALLOT_FROM_FUNCTION, 0};
    fixture_begin(it);
    allot_policy_free(it->policy); /* the plan holds it: nothing more can be said of it */
    CHECK_EQ(allot_policy_new(it->engine, "site", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_policy_provider(it->policy, &provider), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(it->policy, rows, &column, 1, &made.value), ALLOT_OK);
    return made;
}

static void decide(fixture *it, const char *message)
{
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    CHECK_EQ(fixture_add(it->plan, "/a"), 0);
    CHECK_EQ(fixture_add(it->plan, "/b"), 1);
    CHECK_EQ(fixture_set(it->plan, "/a", ALLOT_OWNED, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_now(state, 100), ALLOT_OK);
    for (int i = 0; i < 2; i++) {
        char id[] = {'s', (char)('0' + i), '\0'};
        allot_session session = {.id = id, .priority = 1, .demand = 2};
        CHECK_EQ(allot_state_session(state, &session), ALLOT_OK);
    }
    CHECK_EQ(allot_state_demand(state, 0, 0, 4), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it->report), ALLOT_OK);
    CHECK_EQ(allot_cycle(it->plan, state, it->report, &decision), ALLOT_ESCRIPT);
    CHECK(!decision);
    if (CHECK_STR(fixture_code(it->report, 0), "E-range"))
        CHECK_STR(allot_report_at(it->report, 0)->message, message);
    allot_state_free(state);
    fixture_end(it);
}

static void of_consumers(void)
{
    fixture it;
    const allot_source need = {ALLOT_FROM_NEED, 0}, made = begin(&it, ALLOT_CONSUMERS);
    CHECK_EQ(allot_policy_fill(it.policy, "all", made, need, NULL, 0), ALLOT_OK);
    decide(&it, "policy \"site\", /a: what a function returned is -5, allowed is 0 ... 1000000000");
}

static void of_sessions(void)
{
    fixture it;
    const allot_source need = {ALLOT_FROM_NEED, 0}, made = begin(&it, ALLOT_SESSIONS);
    const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
    CHECK_EQ(allot_policy_fill(it.policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_session_fill(it.policy, ALLOT_PROPORTIONAL, made, need, NULL, 0),
             ALLOT_OK);
    decide(&it, "policy \"site\", session s0: what a function returned is -5, allowed is 0 ... "
                "1000000000");
}

int main(void)
{
    RUN(of_consumers);
    RUN(of_sessions);
    return check_done();
}
