/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory_test.c: allocation failing everywhere, and how much a large plan takes. */
#include <time.h>

#include "model/state/state.h"
#include "test/support/fixture.h"

/* What a scenario has made so far; all of it may be NULL. */
typedef struct things {
    allot_engine *engine;
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_report *report;
} things;

static int finish(things *it, int status)
{
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
    allot_report_free(it->report);
    return status;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int status__;                                                                              \
        OOM_RETRY(status__, call);                                                                 \
        if (status__)                                                                              \
            return status__;                                                                       \
    } while (0)

static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    (void)ud, (void)function, (void)batch, (void)out, (void)report;
    return ALLOT_OK;
}

static int make_policy(things *it)
{
    allot_attribute urgency = {
        .name = "urgency", .type = ALLOT_INTEGER, .max = 9, .fallback = 4, .doc = "how urgent"};
    int32_t reads = ALLOT_NEED, function;
    allot_provider provider = {.compute = compute};
    allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED}, need = {0};
    TRY(allot_policy_new(it->engine, "urgent", &it->policy));
    TRY(allot_policy_attribute(it->policy, &urgency));
    TRY(allot_policy_function(it->policy, &reads, 1, &function));
    TRY(allot_policy_provider(it->policy, &provider));
    TRY(allot_policy_fill(it->policy, "owned", owned, owned, NULL, 0));
    TRY(allot_policy_fill(it->policy, "borrowed", owned, need, NULL, 0));
    CHECK_EQ(allot_policy_fills(it->policy), 3);
    CHECK_EQ(allot_policy_attributes(it->policy), 1);
    CHECK_EQ(function, 0);
    return ALLOT_OK;
}

enum { CONSUMERS = 40 };

static int make_consumers(things *it)
{
    int32_t urgency = allot_plan_column(it->plan, "urgency", 7), handle;
    for (int32_t i = 0; i < CONSUMERS; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "c%d", (int)i);
        TRY(allot_plan_add(it->plan, i % 4 - 1 < i ? i % 4 - 1 : -1, name, (size_t)len, &handle));
        CHECK_EQ(handle, i);
        TRY(allot_plan_set(it->plan, ALLOT_ALL, i, ALLOT_RANK, CONSUMERS - i));
        if (i % 3)
            TRY(allot_plan_set(it->plan, i % 2, i, urgency, i % 10));
    }
    return ALLOT_OK;
}

static int make_plan(things *it)
{
    int32_t group;
    TRY(allot_plan_new(it->engine, &it->plan));
    TRY(allot_plan_group(it->plan, "cpu", &group));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    TRY(allot_plan_group(it->plan, "gpu", &group));
    TRY(allot_plan_host(it->plan, "h1", group, 8));
    int status = make_consumers(it);
    if (status)
        return status;
    TRY(allot_plan_seal(it->plan, it->report));
    for (int32_t i = 0; i < CONSUMERS; i++) {
        CHECK_EQ(allot_plan_get(it->plan, 0, i, ALLOT_RANK), CONSUMERS - i);
        CHECK_EQ(allot_plan_get(it->plan, i % 2, i, ALLOT_COLUMN_COUNT), i % 3 ? i % 10 : 4);
    }
    return ALLOT_OK;
}

static int plan_scenario(allot_engine *engine)
{
    things it = {.engine = engine};
    int status;
    OOM_RETRY(status, allot_report_new(engine, &it.report));
    if (status == ALLOT_OK)
        status = make_policy(&it);
    if (status == ALLOT_OK)
        status = make_plan(&it);
    return finish(&it, status);
}

static void a_plan_is_made_or_leaves_nothing(void)
{
    CHECK(oom_each(plan_scenario));
}

static int invalid_scenario(allot_engine *engine)
{
    things it = {.engine = engine};
    int status = make_policy(&it);
    int32_t handle;
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_new(engine, &it.plan));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_report_new(engine, &it.report));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_add(it.plan, ALLOT_ROOT, "a", 1, &handle));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_set(it.plan, ALLOT_ALL, 0, ALLOT_RESERVE, 1));
    if (status == ALLOT_OK) {
        OOM_RETRY(status, allot_plan_seal(it.plan, it.report)); /* no policy, reserve > owned */
        if (status == ALLOT_EINVALID) {
            CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 2);
            status = ALLOT_OK;
        }
    }
    return finish(&it, status);
}

static void an_invalid_plan_leaves_nothing(void)
{
    CHECK(oom_each(invalid_scenario));
}

static int fill_state(things *it)
{
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_host(it->state, "h1", 6, 0));
    TRY(allot_state_host(it->state, "h2", 5, 0));
    for (int32_t i = 3; i < CONSUMERS; i++) {
        char id[16];
        snprintf(id, sizeof id, "t%d", (int)i);
        allot_claim claims[] = {{CONSUMERS - 1, 1}, {CONSUMERS - 2, 1}};
        allot_task task = {.id = id, .consumer = i, .slots = i, .session = "s", .host = "h"};
        allot_in_flight reclaim = {
            .id = id, .consumer = i, .slots = 2, .claims = claims, .claim_count = 2};
        TRY(allot_state_task(it->state, &task));
        CHECK_EQ(allot_state_task(it->state, &task), ALLOT_EEXIST);
        TRY(allot_state_in_flight(it->state, &reclaim));
        TRY(allot_state_demand(it->state, 0, i, i));
    }
    for (int round = 0; round < 2; round++) {
        TRY(allot_state_seal(it->state, it->report));
        if (round == 0)
            TRY(allot_state_open(it->state));
    }
    for (int32_t i = 3; i < CONSUMERS; i++)
        CHECK_EQ(allot_state_allocated_get(it->state, 0, i), i);
    CHECK_EQ(allot_state_reclaims(it->state), CONSUMERS - 3);
    CHECK_EQ(allot_state_slots_get(it->state, 1), 6);
    return ALLOT_OK;
}

static int state_scenario(allot_engine *engine)
{
    things it = {.engine = engine};
    int status = make_policy(&it);
    if (status == ALLOT_OK)
        status = make_plan(&it);
    if (status == ALLOT_OK)
        status = fill_state(&it);
    return finish(&it, status);
}

static void a_state_is_made_or_leaves_nothing(void)
{
    CHECK(oom_each(state_scenario));
}

/* ---- A million consumers --------------------------------------------------------------------- */

enum { BRANCHES = 1000, LEAVES = 999, MILLION = BRANCHES * (LEAVES + 1) };

static void add_million(allot_plan *plan)
{
    char name[32];
    int wrong = 0;
    for (int i = 0; i < BRANCHES; i++) {
        int32_t branch = -1, leaf = -1;
        int len = snprintf(name, sizeof name, "department%d", i);
        wrong += allot_plan_add(plan, ALLOT_ROOT, name, (size_t)len, &branch) != ALLOT_OK;
        for (int k = 0; k < LEAVES; k++) {
            len = snprintf(name, sizeof name, "user%d", i * LEAVES + k);
            wrong += allot_plan_add(plan, branch, name, (size_t)len, &leaf) != ALLOT_OK;
            for (int32_t column = ALLOT_OWNED; column <= ALLOT_GRACE; column++)
                wrong += allot_plan_set(plan, ALLOT_ALL, leaf, column, 1 + k * 7 % 13) != ALLOT_OK;
        }
    }
    CHECK_EQ(wrong, 0);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void a_million_consumers_are_kept_small(void)
{
    fixture it;
    fixture_begin(&it);
    size_t before = it.memory.bytes;
    double start = seconds();
    add_million(it.plan);
    double built = seconds();
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    double sealed = seconds();
    double kept = (double)(it.memory.bytes - before) / MILLION;
    double beyond = (double)(it.memory.peak - it.memory.bytes) / MILLION;
    printf(
        "# %.1f bytes a consumer are kept, %.1f more at the peak; %.2f s to build, %.2f to seal\n",
        kept, beyond, built - start, sealed - built);
    CHECK_EQ(allot_plan_consumers(it.plan), MILLION);
    CHECK(kept > 50 && kept <= 120);
    CHECK(beyond <= 120);
    CHECK(it.plan->groups[0].tree_row != NULL);
    CHECK_EQ(fixture_find(it.plan, "/department998/user998001"), -1);
    CHECK_EQ(fixture_find(it.plan, "/department999/user998001"), 999 * 1000 + 1);
    fixture_end(&it);
}

int main(void)
{
    RUN(a_plan_is_made_or_leaves_nothing);
    RUN(an_invalid_plan_leaves_nothing);
    RUN(a_state_is_made_or_leaves_nothing);
    RUN(a_million_consumers_are_kept_small);
    return check_done();
}
