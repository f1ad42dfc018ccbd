/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leases_test.c: contracts of shared lease, cycle by cycle; a policy's answer. */
#include <stdlib.h>

#include "test/support/lease_fixture.h"

/* ---- Vectors --------------------------------------------------------------------------------- */

typedef struct vector {
    allot_lease_now told;
    int64_t provider, consumer;
    allot_lease_phase phase;
    const char *reason;
} vector;

static void run_vectors(const vector *list, size_t n, bool damped)
{
    fixture fix;
    world it;
    begin_ten(&fix, &it, false, damped);
    for (size_t i = 0; i < n; i++) {
        allot_lease_part part = {.reason = NULL};
        tell_decide(&it, &list[i].told, &part);
        check_part(&part, list[i].provider, list[i].consumer, list[i].phase, list[i].reason);
        CHECK_EQ(part.moved, part.now.phase != ALLOT_LEASE_INACTIVE
                                 ? 0
                                 : llabs(list[i].provider - list[i].told.provider.available));
        /* What it decided is what it decides again: nothing more (fixpoint). */
        allot_lease_part again = part;
        tell_decide(&it, &part.now, &again);
        CHECK_EQ(again.moved, 0);
        CHECK_EQ(again.now.provider.available, part.now.provider.available);
    }
    leave(&fix, &it);
}

/* LV-2 ... LV-5, L-6: idle is compared, all of the larger goes, used slots stay. */
static void test_idle_goes_to_the_other_side(void)
{
    const vector list[] = {
        {sides(9, 3, 1, 1), 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle"},
        {sides(3, 3, 7, 2), 8, 2, ALLOT_LEASE_INACTIVE, "consumer-idle"},
        {sides(8, 6, 2, 0), 8, 2, ALLOT_LEASE_OK, "equal"},
        {sides(4, 1, 6, 4), 1, 9, ALLOT_LEASE_INACTIVE, "provider-idle"},
        {sides(5, 5, 5, 5), 5, 5, ALLOT_LEASE_OK, "equal"},
    };
    run_vectors(list, sizeof list / sizeof *list, false);
}

/* L-5, LV-1, A-41. */
static void test_begins_with_one_slot(void)
{
    fixture fix;
    world it;
    allot_lease_part part = {.reason = NULL};
    begin_ten(&fix, &it, false, false);
    CHECK_EQ(decide(&it, 0, &part), ALLOT_OK);
    check_part(&part, 9, 1, ALLOT_LEASE_CONN, "offered");
    part.now.provider.used = 4;
    part.now.consumer.used = 1;
    tell_decide(&it, &part.now, &part);
    check_part(&part, 9, 1, ALLOT_LEASE_OK, "made");
    CHECK_EQ(part.now.since, NOW);
    CHECK_EQ(part.now.provider.used, 4);
    leave(&fix, &it);
}

/* the delay counts from when it was made, evaluated or changed. */
static void test_waits_for_its_delay(void)
{
    allot_lease_now early = sides(9, 3, 1, 1);
    early.since = NOW - DELAY + 1;
    allot_lease_now future = early;
    future.since = NOW + 1;
    allot_lease_now first = early;
    first.since = INT64_MIN;
    allot_lease_now changed = sides(9, 3, 1, 1);
    changed.phase = ALLOT_LEASE_INACTIVE;
    const vector list[] = {
        {early, 9, 1, ALLOT_LEASE_OK, "waits"},
        {future, 9, 1, ALLOT_LEASE_OK, "waits"},
        {first, 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle"},
        {changed, 9, 1, ALLOT_LEASE_OK, "inactive"},
    };
    run_vectors(list, 3, false);
    fixture fix;
    world it;
    allot_lease_part part = {.reason = NULL};
    begin_ten(&fix, &it, false, false);
    tell_decide(&it, &changed, &part);
    check_part(&part, 9, 1, ALLOT_LEASE_OK, "inactive");
    CHECK_EQ(part.now.since, NOW - DELAY); /* of the change */
    leave(&fix, &it);
}

/* literally, both sides being idle, all goes to and fro; damped only to who wants it. */
static void test_damper(void)
{
    allot_lease_now none = sides(9, 3, 1, 1);
    none.consumer.demand = 0;
    allot_lease_now wants = none;
    wants.consumer.demand = 2;
    allot_lease_now back = sides(3, 3, 7, 2);
    back.provider.demand = 0;
    const vector list[] = {
        {none, 9, 1, ALLOT_LEASE_OK, "no-demand"},
        {wants, 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle"},
        {back, 3, 7, ALLOT_LEASE_OK, "no-demand"},
        {sides(9, 3, 1, 1), 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle"}, /* not told */
    };
    run_vectors(list, sizeof list / sizeof *list, true);
    const vector literal[] = {{none, 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle"}};
    run_vectors(literal, 1, false);
}

/* LV-6, L-4, L-8: each contract by itself. */
static void test_contracts_are_independent(void)
{
    fixture fix;
    world it;
    allot_lease_part part = {.reason = NULL};
    const allot_lease_now now[] = {sides(9, 3, 1, 1), sides(3, 3, 7, 2)};
    fixture_begin(&fix);
    CHECK_EQ(begin(&it, fix.engine, false), ALLOT_OK);
    CHECK_EQ(add_lease(&it, (allot_lease){.name = "a", .slots = 10, .shared = 1}), ALLOT_OK);
    CHECK_EQ(add_lease(&it, (allot_lease){.name = "b", .slots = 10, .shared = 1}), ALLOT_OK);
    CHECK_EQ(add_lease(&it, (allot_lease){.name = "c", .slots = 4}), ALLOT_OK);
    CHECK_EQ(make_state(&it), ALLOT_OK);
    CHECK_EQ(allot_state_lease(it.state, 0, &now[0]), ALLOT_OK);
    CHECK_EQ(allot_state_lease(it.state, 1, &now[1]), ALLOT_OK);
    CHECK_EQ(decide(&it, 0, &part), ALLOT_OK);
    check_part(&part, 3, 7, ALLOT_LEASE_INACTIVE, "provider-idle");
    CHECK_EQ(decide(&it, 1, &part), ALLOT_OK);
    check_part(&part, 8, 2, ALLOT_LEASE_INACTIVE, "consumer-idle");
    CHECK_EQ(decide(&it, 2, &part), ALLOT_OK);
    check_part(&part, 0, 4, ALLOT_LEASE_OK, "exclusive");
    leave(&fix, &it);
}

/* what is on closed hosts is gone from idle slots, the provider's first; later it is back. */
static void test_hosts_that_close(void)
{
    fixture fix;
    world it;
    allot_lease_part part = {.reason = NULL};
    const allot_lease_now now[] = {sides(6, 3, 4, 2), sides(6, 6, 4, 3), sides(6, 6, 4, 4),
                                   sides(3, 3, 3, 2)};
    fixture_begin(&fix);
    CHECK_EQ(make_hosts(&it, fix.engine), ALLOT_OK);
    CHECK_EQ(allot_state_host(it.state, "h1", -1, ALLOT_CLOSED_NOW), ALLOT_OK);
    tell_decide(&it, &now[0], &part);
    CHECK_EQ(part.size, 6);
    check_part(&part, 3, 3, ALLOT_LEASE_INACTIVE, "shrunk");
    CHECK_EQ(part.now.since, NOW);
    tell_decide(&it, &now[1], &part);
    check_part(&part, 6, 3, ALLOT_LEASE_INACTIVE, "shrunk"); /* used ones stay above the size */
    tell_decide(&it, &now[2], &part);
    check_part(&part, 6, 4, ALLOT_LEASE_OK, "equal");
    CHECK_EQ(allot_state_host(it.state, "h1", 3, ALLOT_OPEN), ALLOT_OK);
    tell_decide(&it, &now[3], &part);
    CHECK_EQ(part.size, 9);
    check_part(&part, 6, 3, ALLOT_LEASE_INACTIVE, "grown");
    leave(&fix, &it);
}

/* ---- A policy's answer ----------------------------------------------------------------------- */

static void test_policy_says_otherwise(void)
{
    fixture fix;
    world it;
    allot_lease_part part = {.reason = NULL};
    const allot_lease_now now = sides(9, 3, 2, 1);
    begin_ten(&fix, &it, true, false);
    CHECK_EQ(decide(&it, 0, &part), ALLOT_OK);
    CHECK_EQ(it.asked, 0); /* it is not due */
    it.answer = -1;
    allot_lease_now ten = now;
    ten.consumer.available = 1;
    ten.provider.available = 9;
    ten.consumer.used = 0;
    tell_decide(&it, &ten, &part);
    check_part(&part, 10, 0, ALLOT_LEASE_INACTIVE, "policy"); /* it has one idle, not more */
    it.answer = 0;
    CHECK_EQ(decide(&it, 0, &part), ALLOT_OK);
    check_part(&part, 9, 1, ALLOT_LEASE_OK, "policy");
    ten.consumer.used = 1;
    it.answer = -1;
    tell_decide(&it, &ten, &part);
    check_part(&part, 9, 1, ALLOT_LEASE_OK, "none-idle");
    CHECK_EQ(part.to_consumer, 0);
    it.answer = 2;
    CHECK_EQ(decide(&it, 0, &part), ALLOT_ESCRIPT);
    CHECK_STR(fixture_code(it.report, 0), "E-range");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "policy \"p\", lease \"l\": the function returned 2, allowed is -1, 0 or 1");
    CHECK_EQ(it.asked, 4);
    leave(&fix, &it);
}

int main(void)
{
    RUN(test_idle_goes_to_the_other_side);
    RUN(test_begins_with_one_slot);
    RUN(test_waits_for_its_delay);
    RUN(test_damper);
    RUN(test_contracts_are_independent);
    RUN(test_hosts_that_close);
    RUN(test_policy_says_otherwise);
    return check_done();
}
