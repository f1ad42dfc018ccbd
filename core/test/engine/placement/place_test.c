/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* place_test.c: hosts in whole cycles through the public API: places, memory, time. */
#include <time.h>

#include "engine/decision/decision.h"
#include "engine/placement/place.h"
#include "test/support/fixture.h"

/* Requirement "even": hosts with an even number. */
static int even(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                allot_report *report)
{
    (void)ud, (void)function, (void)report;
    CHECK_EQ(batch->rows, ALLOT_HOSTS);
    for (int32_t i = 0; i < batch->count; i++)
        out[i] = batch->items[i] % 2 == 0;
    return ALLOT_OK;
}

static int make_policy(allot_policy *policy)
{
    const allot_provider provider = {.compute = even};
    const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED}, need = {ALLOT_FROM_NEED, 0};
    int32_t function;
    int status = allot_policy_fill(policy, "owned", owned, owned, NULL, 0);
    if (!status)
        status = allot_policy_fill(policy, "borrowed", owned, need, NULL, 0);
    if (!status)
        status = allot_policy_provider(policy, &provider);
    if (!status)
        status = allot_policy_rows_function(policy, ALLOT_HOSTS, NULL, 0, &function);
    return status ? status : allot_policy_requirement(policy, "even", function);
}

/* /a takes even hosts, /b has its hosts alone, /c takes any; all own the same. */
static int make_plan(allot_plan *plan, allot_policy *policy, int32_t hosts, int64_t slots)
{
    static const char *const names[] = {"a", "b", "c"};
    char name[16];
    int status = allot_plan_policy(plan, ALLOT_ALL, policy);
    for (int32_t i = 0; i < hosts && !status; i++) {
        snprintf(name, sizeof name, "h%d", (int)i);
        status = allot_plan_host(plan, name, 0, slots);
    }
    for (int32_t i = 0, consumer; i < 3 && !status; i++) {
        status = allot_plan_add(plan, ALLOT_ROOT, names[i], 1, &consumer);
        if (!status)
            status = allot_plan_set(plan, 0, consumer, ALLOT_OWNED, hosts * slots / 3);
    }
    if (!status)
        status = allot_plan_set(plan, 0, 1, ALLOT_EXCLUSIVE, 1);
    return status ? status : allot_plan_require(plan, 0, "even");
}

static int add_task(allot_state *state, const char *id, int32_t consumer, const char *host,
                    int64_t slots)
{
    allot_task task = {.id = id, .consumer = consumer, .host = host, .slots = slots};
    return allot_state_task(state, &task);
}

static int make_state(allot_state *state, int64_t demand)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < 3 && !status; i++)
        status = allot_state_demand(state, 0, i, demand);
    if (!status)
        status = add_task(state, "t", 2, "h0", 3);
    if (!status)
        status = add_task(state, "u", 1, "h1", 1);
    return status ? status : allot_state_seal(state, NULL);
}

/* What a scenario has made so far; all of it may be NULL. */
typedef struct things {
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_decision *decision;
} things;

static int decide(allot_engine *engine, things *it, int32_t hosts, int64_t slots, int64_t demand)
{
    int status = allot_policy_new(engine, "site", &it->policy);
    if (!status)
        status = make_policy(it->policy);
    if (!status)
        status = allot_plan_new(engine, &it->plan);
    if (!status)
        status = make_plan(it->plan, it->policy, hosts, slots);
    if (!status)
        status = allot_plan_seal(it->plan, NULL);
    if (!status)
        status = allot_state_new(it->plan, &it->state);
    if (!status)
        status = make_state(it->state, demand);
    return status ? status : allot_cycle(it->plan, it->state, NULL, &it->decision);
}

static void end(things *it)
{
    allot_decision_free(it->decision);
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
}

static int scenario(allot_engine *engine)
{
    things it = {0};
    int status = decide(engine, &it, 6, 4, 30);
    end(&it);
    return status;
}

static void no_memory_is_an_error_and_no_leak(void)
{
    CHECK(oom_each(scenario));
}

static void grants_tell_their_hosts(void)
{
    oom memory = {0};
    allot_engine *engine;
    things it = {0};
    allot_grant grant;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(decide(engine, &it, 6, 4, 8), ALLOT_OK);
    CHECK_EQ(allot_decision_grants(it.decision), 3);
    /* b has h1 alone, with 3 slots free, and lacks 4 more: h3, the first that is
     * empty and that /a, who lacks slots too, does not require. */
    CHECK_EQ(allot_decision_grant(it.decision, 1, &grant), ALLOT_OK);
    CHECK_EQ(grant.place_count, 2);
    CHECK_STR(grant.places[0].name, "h1");
    CHECK_EQ(grant.places[0].host, 1);
    CHECK_EQ(grant.places[0].slots, 3);
    CHECK_STR(grant.places[1].name, "h3");
    CHECK_EQ(grant.places[1].slots, 4);
    CHECK_EQ(grant.unplaced, 0);
    CHECK_EQ(allot_decision_grant(it.decision, 3, &grant), ALLOT_EUSAGE);
    end(&it);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

/* A bound that holds under sanitizers too: one placement looks at a host a few times, no more. */
static void many_hosts_are_no_trouble(void)
{
    allot_engine *engine;
    things it = {0};
    clock_t begun = clock();
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(decide(engine, &it, 3000, 8, 4000), ALLOT_OK);
    CHECK(clock() - begun < 5 * CLOCKS_PER_SEC);
    end(&it);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(grants_tell_their_hosts);
    RUN(no_memory_is_an_error_and_no_leak);
    RUN(many_hosts_are_no_trouble);
    return check_done();
}
