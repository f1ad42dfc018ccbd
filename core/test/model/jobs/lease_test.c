/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease_test.c: contracts about leased slots, of plans and states. */
#include "model/state/job.h"
#include "model/state/state.h"
#include "test/support/queue_fixture.h"

static void begin(fixture *it)
{
    queues_begin(it);
    CHECK_EQ(allot_plan_host(it->plan, "HostA", 0, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->plan, "HostB", 0, 2), ALLOT_OK);
}

static allot_lease lease_of(const char *name, int64_t slots, int32_t shared)
{
    return (allot_lease){.name = name,
                         .provider = "here",
                         .consumer = "C1",
                         .slots = slots,
                         .shared = shared,
                         .reclaim_delay = 600};
}

static const allot_lease_host one_each[] = {{"HostA", 1}, {"HostB", 1}};

static int add_hosts(fixture *it, const char *name, int32_t shared, const allot_lease_host *hosts,
                     int32_t n)
{
    allot_lease lease = lease_of(name, 0, shared);
    lease.hosts = hosts;
    lease.host_count = n;
    return allot_plan_lease(it->plan, &lease);
}

static void a_contract_comes_back(void)
{
    fixture it;
    begin(&it);
    allot_lease lease = lease_of("export/C1", 10, 1), got;
    lease.damped = 1;
    CHECK_EQ(allot_plan_leases(it.plan), 0);
    CHECK_EQ(allot_plan_lease(it.plan, &lease), ALLOT_OK);
    CHECK_EQ(add_hosts(&it, "hosts", 1, one_each, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_leases(it.plan), 2);
    CHECK_EQ(allot_plan_lease_find(it.plan, "hosts"), 1);
    CHECK_EQ(allot_plan_lease_find(it.plan, "host"), -1);
    CHECK_EQ(allot_plan_lease_at(it.plan, 0, &got), ALLOT_OK);
    CHECK_STR(got.name, "export/C1");
    CHECK(got.name != lease.name && got.provider != lease.provider);
    CHECK_STR(got.provider, "here");
    CHECK_STR(got.consumer, "C1");
    CHECK_EQ(got.slots, 10);
    CHECK_EQ(got.shared && got.damped, 1);
    CHECK_EQ(got.reclaim_delay, 600);
    CHECK_EQ(got.host_count, 0);
    CHECK_EQ(allot_plan_lease_at(it.plan, 1, &got), ALLOT_OK);
    CHECK_EQ(got.slots, 2); /* its hosts' sum */
    CHECK_STR(got.hosts[1].host, "HostB");
    CHECK_EQ(got.hosts[1].slots, 1);
    CHECK_EQ(allot_plan_lease_at(it.plan, 2, &got), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_lease(it.plan, &lease), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void calls_are_checked(void)
{
    fixture it;
    begin(&it);
#define TRY(change, wanted)                                                                        \
    do {                                                                                           \
        allot_lease lease = lease_of("l", 5, 1);                                                   \
        lease.change;                                                                              \
        CHECK_EQ(allot_plan_lease(it.plan, &lease), (wanted));                                     \
    } while (0)
    TRY(name = "", ALLOT_ENAME);
    TRY(provider = NULL, ALLOT_ENAME);
    TRY(consumer = "", ALLOT_ENAME);
    TRY(slots = 0, ALLOT_ERANGE);
    TRY(slots = -1, ALLOT_ERANGE);
    TRY(slots = (int64_t)ALLOT_AMOUNT_MAX + 1, ALLOT_ERANGE);
    TRY(reclaim_delay = -1, ALLOT_ERANGE);
    TRY(host_count = 1, ALLOT_EUSAGE);
    TRY(damped = 1, ALLOT_OK);
    TRY(damped = 1, ALLOT_EEXIST);
#undef TRY
    const allot_lease_host none[] = {{"HostA", 0}}, unknown[] = {{"HostC", 1}};
    CHECK_EQ(add_hosts(&it, "m", 1, none, 1), ALLOT_ERANGE);
    CHECK_EQ(add_hosts(&it, "m", 1, unknown, 1), ALLOT_EUSAGE);
    allot_lease lease = lease_of("m", 3, 1); /* 3 are not 1 + 1 */
    lease.hosts = one_each;
    lease.host_count = 2;
    CHECK_EQ(allot_plan_lease(it.plan, &lease), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_lease(it.plan, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_leases(it.plan), 1);
    CHECK_STR(allot_lease_phase_name(ALLOT_LEASE_INACTIVE), "inactive");
    CHECK_STR(allot_lease_phase_name(ALLOT_LEASE_PHASE_COUNT), NULL);
    fixture_end(&it);
}

/* L-3, LV-7: exclusive contracts may have a host in common, shared ones may not. */
static void a_shared_host_goes_to_one(void)
{
    for (int32_t i = 0; i < 4; i++) {
        fixture it;
        begin(&it);
        CHECK_EQ(add_hosts(&it, "p/C1", i & 1, one_each, 2), ALLOT_OK);
        CHECK_EQ(add_hosts(&it, "p/C2", i & 2, one_each + 1, 1), ALLOT_OK);
        CHECK_EQ(allot_plan_seal(it.plan, it.report), i ? ALLOT_EINVALID : ALLOT_OK);
        if (i > 0)
            CHECK(finds(it.report, "E-lease", "leases[1].hosts[0]"));
        CHECK_EQ(allot_report_count(it.report), i > 0);
        fixture_end(&it);
    }
}

static void hosts_of_contracts(void)
{
    fixture it;
    const allot_lease_host twice[] = {{"HostA", 1}, {"HostA", 1}}, many[] = {{"HostB", 3}};
    begin(&it);
    CHECK_EQ(add_hosts(&it, "twice", 0, twice, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK(finds(it.report, "E-lease", "leases[0].hosts[1]"));
    fixture_end(&it);
    for (int32_t shared = 0; shared < 2; shared++) { /* L-8: MXJ does not bind what is exclusive */
        begin(&it);
        CHECK_EQ(add_hosts(&it, "many", shared, many, 1), ALLOT_OK);
        CHECK_EQ(allot_plan_seal(it.plan, it.report), shared ? ALLOT_EINVALID : ALLOT_OK);
        CHECK_EQ(allot_report_count(it.report), shared);
        fixture_end(&it);
    }
}

static void a_contract_as_it_is(void)
{
    fixture it;
    begin(&it);
    allot_state *state;
    allot_lease lease = lease_of("a", 10, 1);
    CHECK_EQ(allot_plan_lease(it.plan, &lease), ALLOT_OK);
    lease.name = "b";
    CHECK_EQ(allot_plan_lease(it.plan, &lease), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    allot_lease_now now = {{9, 3, -1}, {1, 1, 8}, ALLOT_LEASE_OK, 500}, got;
    CHECK_EQ(allot_state_lease_at(state, 0, &got), ALLOT_ENOENT);
    CHECK_EQ(allot_state_lease(state, 1, &now), ALLOT_OK);
    CHECK_EQ(allot_state_lease(state, 2, &now), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_lease(state, 0, NULL), ALLOT_EUSAGE);
    now.phase = ALLOT_LEASE_PHASE_COUNT;
    CHECK_EQ(allot_state_lease(state, 0, &now), ALLOT_EUSAGE);
    now.phase = ALLOT_LEASE_CONN;
    now.consumer.used = 2; /* more than available */
    CHECK_EQ(allot_state_lease(state, 0, &now), ALLOT_ERANGE);
    now.consumer = (allot_lease_side){1, 0, -2};
    CHECK_EQ(allot_state_lease(state, 0, &now), ALLOT_ERANGE);
    CHECK_EQ(allot_state_lease_at(state, 0, &got), ALLOT_ENOENT);
    CHECK_EQ(allot_state_lease_at(state, 2, &got), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_lease_at(state, 1, &got), ALLOT_OK);
    CHECK_EQ(got.provider.available, 9);
    CHECK_EQ(got.consumer.demand, 8);
    CHECK_EQ(got.since, 500);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_lease(state, 1, &got), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_lease_at(state, 1, &got), ALLOT_OK);
    allot_state_free(state);
    fixture_end(&it);
}

int main(void)
{
    RUN(a_contract_comes_back);
    RUN(calls_are_checked);
    RUN(a_shared_host_goes_to_one);
    RUN(hosts_of_contracts);
    RUN(a_contract_as_it_is);
    return check_done();
}
