/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease_test.c: contracts in a decision: which slots move; memory failing. */
#include "test/support/lease_fixture.h"

/* idle slots between those that are used, in the order of the contract's hosts. */
static void test_which_slots_move(void)
{
    fixture fix;
    world it;
    allot_decision *decision = NULL;
    allot_lease_part part;
    const allot_lease_now now = sides(9, 3, 1, 1);
    fixture_begin(&fix);
    CHECK_EQ(make_hosts(&it, fix.engine), ALLOT_OK);
    CHECK_EQ(allot_state_lease(it.state, 0, &now), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK_EQ(allot_cycle(it.plan, it.state, it.report, &decision), ALLOT_OK);
    CHECK_EQ(allot_decision_lease(decision, 1, &part), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_lease(decision, -1, &part), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_lease(NULL, 0, &part), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_lease(decision, 0, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_lease(decision, 0, &part), ALLOT_OK);
    CHECK_EQ(part.moved, 6); /* slots 3 ... 8 of h1 0-3, h2 4-5, h3 6-9 */
    CHECK(part.to_consumer);
    if (CHECK_EQ(part.place_count, 3)) {
        CHECK_STR(part.places[0].name, "h1");
        CHECK_EQ(part.places[0].slots, 1);
        CHECK_EQ(part.places[1].slots, 2);
        CHECK_EQ(part.places[2].slots, 3);
        CHECK_EQ(part.places[2].host, 0);
    }
    allot_decision_free(decision);
    leave(&fix, &it);
}

static int scenario(allot_engine *engine)
{
    world it;
    allot_decision *decision = NULL;
    const allot_lease_now now = sides(9, 3, 1, 1);
    int status = make_hosts(&it, engine);
    TRY(allot_state_lease(it.state, 0, &now));
    TRY(allot_state_seal(it.state, it.report));
    TRY(allot_cycle(it.plan, it.state, it.report, &decision));
    allot_decision_free(decision);
    finish(&it);
    return status;
}

static void test_memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_which_slots_move);
    RUN(test_memory_runs_out);
    return check_done();
}
