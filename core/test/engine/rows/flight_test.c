/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flight_test.c: reclaims in flight and closed hosts, from the C side; memory failing. */
#include "engine/decision/decision.h"

#include "test/support/fixture.h"
#include "test/support/try.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* /a owns 10 of 20, /b 10 with a grace of 30; hosts h (10) and i (10). */
/* Of the task that is gone a reclaim tells its name (0), or only that there was one (1). */
static int32_t numbered;

typedef struct world {
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_decision *decision;
} world;

static int make_plan(allot_engine *engine, world *it)
{
    int32_t handle;
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", &it->policy));
    TRY(allot_policy_fill(it->policy, "owned", owned, owned, NULL, 0));
    TRY(allot_plan_new(engine, &it->plan));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    TRY(allot_plan_add(it->plan, ALLOT_ROOT, "a", 1, &handle));
    TRY(allot_plan_add(it->plan, ALLOT_ROOT, "b", 1, &handle));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 0, ALLOT_OWNED, 10));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 1, ALLOT_OWNED, 10));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 1, ALLOT_GRACE, 30));
    TRY(allot_plan_host(it->plan, "h", 0, 10));
    TRY(allot_plan_host(it->plan, "i", 0, 10));
    TRY(allot_plan_seal(it->plan, NULL));
    return status;
}

/* Tasks t0 ... of /b on h, 2 slots each, and the last on i; a reclaim names the first and a task
 * that is gone. */
static int make_state(world *it, int64_t deadline, int64_t now, allot_closed closed)
{
    static const char *const ids[] = {"t0", "t1", "t2"};
    const char *const named[] = {"t0", "gone"};
    const allot_claim claims[] = {{0, 3}, {0, 1}};
    const allot_in_flight flight = {.id = "r",
                                    .consumer = 1,
                                    .slots = 4,
                                    .deadline = deadline,
                                    .claims = claims,
                                    .claim_count = 2,
                                    .tasks = named,
                                    .task_count = 2 - numbered,
                                    .gone = numbered};
    int status = ALLOT_OK;
    TRY(allot_state_new(it->plan, &it->state));
    if (status == ALLOT_OK) {
        allot_state_now(it->state, now);
        allot_state_demand(it->state, 0, 0, 10);
        allot_state_demand(it->state, 0, 1, 10);
    }
    for (int32_t i = 0; i < 3; i++) {
        const allot_task task = {
            .id = ids[i], .consumer = 1, .slots = 2, .host = i == 2 ? "i" : "h"};
        TRY(allot_state_task(it->state, &task));
    }
    TRY(allot_state_host(it->state, "h", -1, closed));
    TRY(allot_state_in_flight(it->state, &flight));
    TRY(allot_state_seal(it->state, NULL));
    return status;
}

static void end(world *it)
{
    allot_decision_free(it->decision);
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
}

static int run(allot_engine *engine, world *it, int64_t deadline, int64_t now, allot_closed closed)
{
    *it = (world){0};
    int status = make_plan(engine, it);
    if (status == ALLOT_OK)
        status = make_state(it, deadline, now, closed);
    TRY(allot_cycle(it->plan, it->state, NULL, &it->decision));
    return status;
}

typedef struct table {
    oom memory;
    allot_engine *engine;
    world world;
} table;

static allot_flight begin(table *it, int64_t deadline, int64_t now, allot_closed closed)
{
    allot_flight flight = {0};
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(run(it->engine, &it->world, deadline, now, closed), ALLOT_OK);
    CHECK_EQ(allot_decision_flights(it->world.decision), 1);
    CHECK_EQ(allot_decision_flight(it->world.decision, 0, &flight), ALLOT_OK);
    return flight;
}

static void finish(table *it)
{
    end(&it->world);
    allot_engine_free(it->engine);
    CHECK(oom_clean(&it->memory));
}

static void phases_follow_the_time(void)
{
    static const struct {
        int64_t deadline, now;
        allot_phase phase;
        int64_t left;
        int32_t kills;
    } cases[] = {
        {100, 99, ALLOT_INTERRUPTED, 1, 0},
        {100, 100, ALLOT_LEEWAY, 120, 1},
        {100, 219, ALLOT_LEEWAY, 1, 1},
        {100, 220, ALLOT_OVERDUE, 0, 1},
        {INT64_MAX, INT64_MAX, ALLOT_INTERRUPTED, INT64_MAX, 0},
        {INT64_MAX - 1, INT64_MIN, ALLOT_INTERRUPTED, INT64_MAX, 0},
        {INT64_MIN, INT64_MAX, ALLOT_OVERDUE, 0, 1},
        {INT64_MAX - 5, INT64_MAX - 4, ALLOT_LEEWAY, INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table it;
        allot_flight flight = begin(&it, cases[i].deadline, cases[i].now, ALLOT_OPEN);
        CHECK_EQ(flight.phase, cases[i].phase);
        CHECK_EQ(flight.left, cases[i].left);
        CHECK_EQ(flight.slots, 4);
        CHECK_EQ(flight.returned, 2);
        CHECK_STR(flight.id, "r");
        CHECK_EQ(allot_decision_kills(it.world.decision), cases[i].kills);
        finish(&it);
    }
}

static void what_came_back_and_what_comes(void)
{
    table it;
    allot_verdict a, b;
    allot_kill kill;
    allot_flight flight = begin(&it, 100, 100, ALLOT_OPEN);
    CHECK_EQ(flight.deadline, 100);
    CHECK_EQ(allot_decision_verdict(it.world.decision, 0, 0, &a), ALLOT_OK);
    CHECK_EQ(allot_decision_verdict(it.world.decision, 0, 1, &b), ALLOT_OK);
    CHECK_EQ(b.in_flight, 2);
    CHECK_EQ(a.earmarked, 2);
    CHECK_EQ(allot_decision_kill(it.world.decision, 0, &kill), ALLOT_OK);
    CHECK_EQ(kill.task, 0);
    CHECK_EQ(kill.flight, 0);
    CHECK_STR(kill.reason, "grace-over");
    CHECK_EQ(allot_decision_kill(it.world.decision, 1, &kill), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_flight(it.world.decision, 1, &flight), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_flight(it.world.decision, -1, &flight), ALLOT_EUSAGE);
    finish(&it);
}

static void a_closed_host_takes_each_slot_once(void)
{
    table it;
    allot_reclaim reclaim;
    allot_verdict a, b;
    allot_flight flight = begin(&it, 1000, 100, ALLOT_CLOSED_NOW);
    CHECK_EQ(flight.deadline, 130);
    CHECK_EQ(allot_decision_reclaims(it.world.decision), 1);
    CHECK_EQ(allot_decision_reclaim(it.world.decision, 0, &reclaim), ALLOT_OK);
    CHECK_STR(reclaim.reason, "closed-host");
    CHECK_EQ(reclaim.task_count, 1);
    CHECK_EQ(reclaim.tasks[0], 1); /* t0 is on its way already */
    CHECK_EQ(reclaim.slots, 2);
    CHECK_EQ(reclaim.claim_count, 0);
    CHECK_EQ(allot_decision_verdict(it.world.decision, 0, 0, &a), ALLOT_OK);
    CHECK_EQ(allot_decision_verdict(it.world.decision, 0, 1, &b), ALLOT_OK);
    CHECK_EQ(a.earmarked, 0); /* what t0 frees is nobody's */
    CHECK_EQ(b.allocated, 6);
    CHECK_EQ(b.in_flight, 2);
    CHECK_EQ(b.reclaimed, 2);
    finish(&it);
}

static void phases_have_names(void)
{
    CHECK_STR(allot_phase_name(ALLOT_INTERRUPTED), "interrupted");
    CHECK_STR(allot_phase_name(ALLOT_OVERDUE), "overdue");
    CHECK(!allot_phase_name(ALLOT_OVERDUE + 1));
    CHECK(!allot_phase_name(-1));
}

static int scenario(allot_engine *engine)
{
    world it;
    int status = run(engine, &it, 100, 300, ALLOT_CLOSED_NOW);
    end(&it);
    return status;
}

static void memory_may_fail(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    for (numbered = 0; numbered < 2; numbered++) {
        RUN(phases_follow_the_time);
        RUN(what_came_back_and_what_comes);
        RUN(a_closed_host_takes_each_slot_once);
    }
    RUN(phases_have_names);
    RUN(memory_may_fail);
    return check_done();
}
