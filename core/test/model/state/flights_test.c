/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flights_test.c: reclaims in flight with their tasks, and times told of leaves. */
#include "model/state/state.h"

#include "test/support/fixture.h"

static allot_state *begin(fixture *it)
{
    allot_state *state = NULL;
    fixture_begin(it);
    fixture_add(it->plan, "/a");
    fixture_add(it->plan, "/b");
    fixture_add(it->plan, "/p");
    fixture_add(it->plan, "/p/c");
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &state), ALLOT_OK);
    return state;
}

static int add_task(allot_state *state, const char *id, int32_t consumer)
{
    allot_task task = {.id = id, .consumer = consumer, .slots = 1};
    return allot_state_task(state, &task);
}

static int add_flight(allot_state *state, int32_t consumer, const char *first, const char *second)
{
    const char *tasks[] = {first, second};
    allot_in_flight flight = {
        .id = "r", .consumer = consumer, .slots = 2, .tasks = tasks, .task_count = 2};
    return allot_state_in_flight(state, &flight);
}

static void tasks_are_found(void)
{
    fixture it;
    allot_state *state = begin(&it);
    CHECK_EQ(add_task(state, "t0", 0), ALLOT_OK);
    CHECK_EQ(add_task(state, "t1", 0), ALLOT_OK);
    CHECK_EQ(add_flight(state, 0, "t1", "gone"), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    const int32_t *tasks = state->flight_tasks.items;
    CHECK_EQ(tasks[0], 1);
    CHECK_EQ(tasks[1], -1);
    /* And again, once it is there. */
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(add_task(state, "gone", 0), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    tasks = state->flight_tasks.items;
    CHECK_EQ(tasks[1], 2);
    allot_state_free(state);
    fixture_end(&it);
}

static void a_task_goes_once(void)
{
    fixture it;
    allot_state *state = begin(&it);
    add_task(state, "t0", 0);
    allot_state_allocated(state, 0, 0, 2);
    CHECK_EQ(add_flight(state, 0, "t0", "t0"), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-reclaim-task");
    allot_state_free(state);
    fixture_end(&it);
}

static void a_task_is_its_consumers(void)
{
    fixture it;
    allot_state *state = begin(&it);
    add_task(state, "t0", 1);
    allot_state_allocated(state, 0, 0, 2);
    CHECK_EQ(add_flight(state, 0, "t0", "x"), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-reclaim-task");
    allot_state_free(state);
    fixture_end(&it);
}

static void what_is_refused_changes_nothing(void)
{
    fixture it;
    allot_state *state = begin(&it);
    allot_in_flight flight = {.consumer = 0, .slots = 1, .task_count = 1};
    CHECK_EQ(allot_state_in_flight(state, &flight), ALLOT_EUSAGE);
    CHECK_EQ(add_flight(state, 0, "t", ""), ALLOT_ENAME);
    CHECK_EQ(add_flight(state, 2, "t", "u"), ALLOT_EUSAGE); /* no leaf */
    CHECK_EQ(allot_state_reclaims(state), 0);
    allot_state_free(state);
    fixture_end(&it);
}

static void times_are_of_leaves(void)
{
    fixture it;
    allot_state *state = begin(&it);
    CHECK_EQ(allot_state_reclaimed_at(state, 0, 2, 5), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_reclaimed_at(state, 1, 0, 5), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_waiting_since(state, 0, 9, 5), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_waiting_since(state, 0, 0, INT64_MIN), ALLOT_ERANGE);
    CHECK(!state->groups[0].reclaimed_at);
    CHECK(!state->groups[0].waiting_since);
    CHECK_EQ(allot_state_waiting_since(state, 0, 3, 5), ALLOT_OK);
    CHECK_EQ(state->groups[0].waiting_since[3], 5);
    CHECK_EQ(state->groups[0].waiting_since[0], INT64_MIN);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_reclaimed_at(state, 0, 0, 5), ALLOT_EUSAGE);
    allot_state_free(state);
    fixture_end(&it);
}

static void unlisted_slots_are_of_leaves(void)
{
    fixture it;
    allot_state *state = begin(&it);
    CHECK_EQ(allot_state_unlisted(NULL, 0, 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_unlisted(state, 1, 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_unlisted(state, 0, 2, 1), ALLOT_EUSAGE); /* no leaf */
    CHECK_EQ(allot_state_unlisted(state, 0, 0, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_state_unlisted(state, 0, 0, ALLOT_AMOUNT_MAX + 1), ALLOT_ERANGE);
    CHECK(!state->groups[0].unlisted);
    CHECK_EQ(allot_state_unlisted(state, 0, 3, 5), ALLOT_OK);
    CHECK_EQ(allot_state_unlisted(state, 0, 0, ALLOT_AMOUNT_MAX), ALLOT_OK);
    CHECK_EQ(allot_state_demand(state, 0, 3, 7), ALLOT_OK);
    CHECK_EQ(state->groups[0].unlisted[3], 5);
    CHECK_EQ(state->groups[0].unlisted[1], 0);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_unlisted(state, 0, 0, 1), ALLOT_EUSAGE);
    allot_state *copy = NULL;
    CHECK_EQ(allot_state_copy(state, state->base, it.report, &copy), ALLOT_OK);
    CHECK(copy != NULL && copy->groups[0].unlisted && copy->groups[0].unlisted[3] == 5);
    allot_state_free(copy);
    allot_state_free(state);
    fixture_end(&it);
}

/* What is told of leaves beside what they demand and hold. */
static int tell_leaf(allot_state *state)
{
    int status;
    OOM_RETRY(status, allot_state_unlisted(state, 0, 0, 5));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_reclaimed_at(state, 0, 0, 5));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_waiting_since(state, 0, 0, 5));
    return status;
}

static int scenario(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_policy *policy = NULL;
    int32_t handle;
    int status;
    OOM_RETRY(status, allot_policy_new(engine, "plain", &policy));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_new(engine, &plan));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_policy(plan, ALLOT_ALL, policy));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_add(plan, ALLOT_ROOT, "a", 1, &handle));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_seal(plan, NULL));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_new(plan, &state));
    if (status == ALLOT_OK)
        OOM_RETRY(status, add_task(state, "t0", 0));
    if (status == ALLOT_OK)
        OOM_RETRY(status, add_flight(state, 0, "t0", "gone"));
    if (status == ALLOT_OK)
        status = tell_leaf(state);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_seal(state, NULL));
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void memory_may_fail(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(tasks_are_found);
    RUN(a_task_goes_once);
    RUN(a_task_is_its_consumers);
    RUN(what_is_refused_changes_nothing);
    RUN(times_are_of_leaves);
    RUN(unlisted_slots_are_of_leaves);
    RUN(memory_may_fail);
    return check_done();
}
