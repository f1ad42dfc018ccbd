/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease_fixture.h: plans of contracts alone, and what a cycle decides about them. */
#ifndef ALLOT_TEST_SUPPORT_LEASE_FIXTURE_H
#define ALLOT_TEST_SUPPORT_LEASE_FIXTURE_H

#include "engine/jobs/leases.h"

#include "test/support/fixture.h"
#include "test/support/try.h"

enum { NOW = 100000, DELAY = 600 };

/* A plan of contracts alone, and a state of it. */
typedef struct world {
    allot_engine *engine;
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_report *report;
    int64_t answer; /* of the policy's function */
    int32_t asked;
} world;

static inline int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                          allot_report *report)
{
    world *it = ud;
    (void)function;
    (void)report;
    CHECK_EQ(batch->rows, ALLOT_LEASES);
    CHECK(batch->state == it->state);
    for (int32_t i = 0; i < batch->count; i++) {
        allot_lease_now now;
        CHECK_EQ(allot_state_lease_at(it->state, batch->items[i], &now), ALLOT_OK);
        CHECK_EQ(batch->columns[0][i], now.provider.available - now.provider.used);
        CHECK_EQ(batch->columns[1][i], now.consumer.demand);
        out[i] = it->answer;
        it->asked++;
    }
    return ALLOT_OK;
}

static inline int make_policy(world *it, bool asks)
{
    const int32_t columns[] = {ALLOT_LEASE_PROVIDER_IDLE, ALLOT_LEASE_CONSUMER_DEMAND};
    const allot_provider provider = {.ud = it, .compute = compute};
    int32_t function = 0;
    int status = ALLOT_OK;
    TRY(allot_policy_new(it->engine, "p", &it->policy));
    TRY(allot_policy_fewest(it->policy, ALLOT_ONE_BY_ONE));
    if (asks) {
        TRY(allot_policy_provider(it->policy, &provider));
        TRY(allot_policy_rows_function(it->policy, ALLOT_LEASES, columns, 2, &function));
        TRY(allot_policy_lease(it->policy, function));
    }
    TRY(allot_plan_new(it->engine, &it->plan));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    return status;
}

static inline int begin(world *it, allot_engine *engine, bool asks)
{
    *it = (world){.engine = engine};
    int status = make_policy(it, asks);
    TRY(allot_report_new(engine, &it->report));
    return status;
}

static inline int add_lease(world *it, allot_lease lease)
{
    lease.provider = "home";
    lease.consumer = "away";
    lease.reclaim_delay = DELAY;
    return allot_plan_lease(it->plan, &lease);
}

static inline int make_state(world *it)
{
    int status = ALLOT_OK;
    TRY(allot_plan_seal(it->plan, it->report));
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_now(it->state, NOW));
    return status;
}

static inline void finish(world *it)
{
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
    allot_report_free(it->report);
}

static inline void leave(fixture *fix, world *it)
{
    finish(it);
    fixture_end(fix);
}

/* One shared contract of ten slots, not told of yet. */
static inline void begin_ten(fixture *fix, world *it, bool asks, bool damped)
{
    fixture_begin(fix);
    CHECK_EQ(begin(it, fix->engine, asks), ALLOT_OK);
    CHECK_EQ(add_lease(it, (allot_lease){.name = "l", .slots = 10, .shared = 1, .damped = damped}),
             ALLOT_OK);
    CHECK_EQ(make_state(it), ALLOT_OK);
}

static inline allot_lease_now sides(int64_t pa, int64_t pu, int64_t ca, int64_t cu)
{
    return (allot_lease_now){{pa, pu, -1}, {ca, cu, -1}, ALLOT_LEASE_OK, NOW - DELAY};
}

/* Decides once; the parts are copied, their places are not asked for. */
static inline int decide(world *it, int32_t lease, allot_lease_part *out)
{
    allot__arena arena;
    allot_lease_part *parts = NULL;
    allot__arena_init(&arena, it->engine);
    int status = allot_state_seal(it->state, it->report);
    if (status == ALLOT_OK)
        status = allot__leases(it->plan, it->state, &arena, it->report, &parts);
    if (status == ALLOT_OK) {
        *out = parts[lease];
        out->places = NULL;
    }
    allot__arena_free(&arena);
    CHECK_EQ(allot_state_open(it->state), ALLOT_OK);
    return status;
}

static inline void tell_decide(world *it, const allot_lease_now *told, allot_lease_part *out)
{
    CHECK_EQ(allot_state_lease(it->state, 0, told), ALLOT_OK);
    CHECK_EQ(decide(it, 0, out), ALLOT_OK);
}

static inline void check_part(const allot_lease_part *part, int64_t provider, int64_t consumer,
                              allot_lease_phase phase, const char *reason)
{
    CHECK_EQ(part->now.provider.available, provider);
    CHECK_EQ(part->now.consumer.available, consumer);
    CHECK_EQ(part->now.phase, phase);
    CHECK_STR(part->reason, reason);
}

static inline int add_host(world *it, const char *name, int64_t slots)
{
    return allot_plan_host(it->plan, name, 0, slots);
}

static inline int make_hosts(world *it, allot_engine *engine)
{
    const allot_lease_host hosts[] = {{"h1", 4}, {"h2", 2}, {"h3", 4}};
    int status = begin(it, engine, false);
    TRY(add_host(it, "h3", 4));
    TRY(add_host(it, "h1", 4));
    TRY(add_host(it, "h2", 4));
    TRY(add_lease(
        it, (allot_lease){.name = "l", .hosts = hosts, .host_count = 3, .slots = 10, .shared = 1}));
    return status == ALLOT_OK ? make_state(it) : status;
}

#endif
