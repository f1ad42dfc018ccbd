/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* listed_test.c: what a state lists comes, changes and goes one by one, and all at once. */
#include <stdio.h>

#include <allot/apply.h>
#include <allot/stated.h>

#include "model/state/state.h"

#include "test/support/check.h"
#include "test/support/oom.h"

static int make_plan(allot_engine *engine, allot_plan **out)
{
    allot_policy *policy = NULL;
    int32_t leaf;
    int status = allot_policy_new(engine, "p", &policy);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "all", (allot_source){ALLOT_FROM_NUMBER, 1},
                                   (allot_source){ALLOT_FROM_NEED, 0}, NULL, 0);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, out);
    if (status == ALLOT_OK)
        status = allot_plan_policy(*out, ALLOT_ALL, policy);
    allot_policy_free(policy);
    if (status == ALLOT_OK)
        status = allot_plan_slots(*out, 0, 10);
    if (status == ALLOT_OK)
        status = allot_plan_add(*out, ALLOT_ROOT, "a", 1, &leaf);
    if (status == ALLOT_OK)
        status = allot_plan_add(*out, ALLOT_ROOT, "b", 1, &leaf);
    return status == ALLOT_OK ? allot_plan_seal(*out, NULL) : status;
}

/* The same ids again and again: a state that kept them would say EEXIST. */
static int fill(allot_state *state)
{
    static const char *const going[] = {"t1"};
    allot_session session = {.id = "s", .scheduling = ALLOT_PRIORITY, .priority = 1, .demand = -1};
    allot_task task = {.id = "t1", .slots = 2, .session = "s", .host = "h"};
    allot_claim claim = {1, 1};
    allot_in_flight flight = {.id = "f",
                              .slots = 1,
                              .deadline = 9,
                              .claims = &claim,
                              .claim_count = 1,
                              .tasks = going,
                              .task_count = 1};
    int status = allot_state_session(state, &session);
    if (status == ALLOT_OK)
        status = allot_state_task(state, &task);
    task.id = "t2";
    if (status == ALLOT_OK)
        status = allot_state_task(state, &task);
    if (status == ALLOT_OK)
        status = allot_state_in_flight(state, &flight);
    return status == ALLOT_OK ? allot_state_seal(state, NULL) : status;
}

static int scenario(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = allot_state_demand(state, 0, 1, 7);
    for (int i = 0; i < 3 && status == ALLOT_OK; i++) {
        status = fill(state);
        if (status != ALLOT_OK)
            break;
        CHECK_EQ(allot_state_clear(state), ALLOT_EUSAGE); /* it is sealed */
        CHECK_EQ(allot_state_allocated_get(state, 0, 0), 4);
        CHECK_EQ(allot_state_demand_get(state, 0, 1), 7); /* what was set stays */
        CHECK_EQ(allot_state_open(state), ALLOT_OK);
        CHECK_EQ(allot_state_clear(state), ALLOT_OK);
        CHECK_EQ(allot_state_tasks(state), 0);
        CHECK_EQ(allot_state_sessions(state), 0);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

/* Tasks that end one by one: the others keep their order, and what named one that is gone knows. */
static int one_by_one(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_task task = {.id = "t3", .slots = 1}, seen;
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = fill(state);
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_task_end(state, "t1"), ALLOT_EUSAGE); /* it is sealed */
        allot_state_open(state);
        CHECK_EQ(allot_state_task_end(state, "t9"), ALLOT_ENOENT);
        CHECK_EQ(allot_state_task_end(state, "t1"), ALLOT_OK);
        CHECK_EQ(allot_state_task_end(state, "t1"), ALLOT_ENOENT);
        CHECK_EQ(allot_state_tasks(state), 2);
        CHECK_EQ(allot_state_task_at(state, 0, &seen), ALLOT_ENOENT);
        status = allot_state_task(state, &task);
    }
    if (status == ALLOT_OK) {
        task.id = "t1";
        status = allot_state_task(state, &task);
    }
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_seal(state, NULL));
    static const char *const ids[] = {"t2", "t3", "t1"};
    for (int32_t i = 0; i < 3 && status == ALLOT_OK; i++) {
        CHECK_EQ(allot_state_task_at(state, i, &seen), ALLOT_OK);
        CHECK_STR(seen.id, ids[i]);
    }
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_tasks(state), 3);
        CHECK_EQ(allot_state_allocated_get(state, 0, 0), 4);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static int set_all(allot_state *state)
{
    const allot_task task = {.id = "t1", .consumer = 1, .slots = 5, .host = "other"};
    const allot_session session = {
        .id = "s", .scheduling = ALLOT_PRIORITY, .priority = 9, .demand = -1};
    const allot_in_flight flight = {.id = "f", .slots = 2, .deadline = 7};
    int status = ALLOT_OK;
    CHECK_EQ(allot_state_set(state, ALLOT_ITEM_TASK, &task), ALLOT_EUSAGE); /* it is sealed */
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_add(state, ALLOT_ITEM_TASK, &task), ALLOT_EEXIST);
    CHECK_EQ(allot_state_add(state, ALLOT_ITEM_LOAN, &task), ALLOT_EUSAGE);
    OOM_RETRY(status, allot_state_set(state, ALLOT_ITEM_TASK, &task));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_set(state, ALLOT_ITEM_SESSION, &session));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_set(state, ALLOT_ITEM_RECLAIM, &flight));
    return status;
}

static void check_numbers(const allot_state *state, int32_t task)
{
    CHECK_EQ(allot_state_find(state, ALLOT_ITEM_TASK, "t1"), task);
    CHECK_EQ(allot_state_find(state, ALLOT_ITEM_RECLAIM, "f"), 0);
    CHECK_EQ(allot_state_find(state, ALLOT_ITEM_RECLAIM, "g"), -1);
    CHECK_EQ(allot_state_find(state, ALLOT_ITEM_LOAN, "f"), -1);
}

static void check_all(const allot_state *state)
{
    allot_task task;
    allot_in_flight flight;
    CHECK_EQ(allot_state_task_at(state, 1, &task), ALLOT_OK);
    CHECK(task.slots == 5 && task.consumer == 1 && task.session == NULL);
    CHECK_STR(task.host, "other");
    CHECK_EQ(allot_state_session_at(state, 0)->priority, 9);
    CHECK_EQ(allot_state_reclaim_at(state, 0, &flight), ALLOT_OK);
    CHECK(flight.slots == 2 && flight.deadline == 7 && flight.task_count == 0);
    CHECK_EQ(allot_state_allocated_get(state, 0, 0), 2);
}

static int end_all(allot_state *state)
{
    int status = ALLOT_OK;
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_end(state, ALLOT_ITEM_SESSION, "s"), ALLOT_OK);
    CHECK_EQ(allot_state_end(state, ALLOT_ITEM_SESSION, "s"), ALLOT_ENOENT);
    CHECK_EQ(allot_state_end(state, ALLOT_ITEM_RECLAIM, "f"), ALLOT_OK);
    OOM_RETRY(status, allot_state_seal(state, NULL));
    return status;
}

/* A thing that is set anew keeps its id; a task goes behind the others, another keeps its place.
 * What was borrowed of the old one stays until the state is sealed. */
static int set_anew(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_in_flight before;
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = fill(state);
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_reclaim_at(state, 0, &before), ALLOT_OK);
        status = set_all(state);
    }
    if (status == ALLOT_OK) {
        CHECK_STR(before.tasks[0], "t1");
        check_numbers(state, 2);
        OOM_RETRY(status, allot_state_seal(state, NULL));
    }
    if (status == ALLOT_OK) {
        check_numbers(state, 1);
        check_all(state);
        status = end_all(state);
    }
    if (status == ALLOT_OK)
        CHECK_EQ(allot_state_sessions(state) + allot_state_reclaims(state), 0);
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

/* Names that only ended tasks had do not stay for ever; those of others do. */
static void test_names(void)
{
    enum { TASKS = 25000 };
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_task seen;
    char host[24], id[24];
    allot_engine_new(NULL, NULL, &engine);
    CHECK_EQ(make_plan(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(fill(state), ALLOT_OK);
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    for (int i = 0; i < TASKS; i++) {
        snprintf(id, sizeof id, "x%d", i);
        snprintf(host, sizeof host, "n%d", i);
        const allot_task task = {.id = id, .slots = 1, .host = host, .session = id};
        CHECK_EQ(allot_state_task(state, &task), ALLOT_OK);
        CHECK_EQ(allot_state_end(state, ALLOT_ITEM_TASK, id), ALLOT_OK);
    }
    CHECK(state->tasks.labels.count > TASKS);
    CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
    CHECK_EQ(state->tasks.labels.count, 2); /* s, h */
    CHECK_EQ(allot_state_task_at(state, 1, &seen), ALLOT_OK);
    CHECK_STR(seen.session, "s");
    CHECK_STR(seen.host, "h");
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
}

static allot_stated_host host_at(const allot_state *state, int32_t i)
{
    allot_stated_host host = {.name = ""};
    CHECK_EQ(allot_state_host_at(state, i, &host), ALLOT_OK);
    return host;
}

/* A host that is stated anew keeps its place, and nothing of what was said of it before. */
static int hosts(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    const allot_stated_host h1 = {"h1", 4, ALLOT_OPEN, 700, 1, 0},
                            h2 = {"h2", 3, ALLOT_OPEN, -1, -1, 0},
                            other = {"h1", 2, ALLOT_DRAIN, -1, ALLOT_ROOT, 0};
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_host_set(state, &h1));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_host_set(state, &h2));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_host_set(state, &other));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_seal(state, NULL));
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_slots_get(state, 0), 3);
        CHECK(host_at(state, 0).slots == 2 && host_at(state, 0).load == -1);
        CHECK_EQ(host_at(state, 0).exclusive_to, ALLOT_ROOT);
        CHECK_EQ(allot_state_host_end(state, "h1"), ALLOT_EUSAGE); /* it is sealed */
        CHECK_EQ(allot_state_open(state), ALLOT_OK);
        CHECK_EQ(allot_state_host_end(state, "h1"), ALLOT_OK);
        CHECK_EQ(allot_state_host_end(state, "h1"), ALLOT_ENOENT);
        OOM_RETRY(status, allot_state_seal(state, NULL));
    }
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_hosts(state), 1);
        CHECK_STR(host_at(state, 0).name, "h2");
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static void test_hosts(void)
{
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_stated_host host = {"h1", -1, ALLOT_OPEN, -1, ALLOT_ROOT, 0};
    allot_engine_new(NULL, NULL, &engine);
    CHECK_EQ(hosts(engine), ALLOT_OK);
    CHECK_EQ(make_plan(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_host_set(state, &host), ALLOT_ENOENT); /* the plan does not name it */
    host.slots = 1;
    host.load = -2;
    CHECK_EQ(allot_state_host_set(state, &host), ALLOT_ERANGE);
    host.exclusive_to = 2;
    CHECK_EQ(allot_state_host_set(state, &host), ALLOT_EUSAGE);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
}

/* A cycle knows of a reclaim that has ended no more. */
static void test_reclaims(void)
{
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    allot_engine_new(NULL, NULL, &engine);
    CHECK_EQ(make_plan(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(fill(state), ALLOT_OK);
    for (int32_t flights = 1; flights >= 0; flights--) {
        CHECK_EQ(allot_cycle(plan, state, NULL, &decision), ALLOT_OK);
        CHECK_EQ(allot_decision_flights(decision), flights);
        allot_decision_free(decision);
        allot_state_open(state);
        CHECK_EQ(allot_state_end(state, ALLOT_ITEM_RECLAIM, "f"),
                 flights > 0 ? ALLOT_OK : ALLOT_ENOENT);
        CHECK_EQ(allot_state_tasks(state), 2);
        CHECK_EQ(allot_state_sessions(state), 1);
        CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
}

/* Equal tasks are added at once, all of them or none. */
static int copies(allot_engine *engine)
{
    static const char *const tags[] = {"x"};
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_task task = {.id = "c", .slots = 1, .started = 5, .state = ALLOT_TASK_PENDING}, seen;
    int status = make_plan(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = allot_state_task_copies(state, &task, 12);
    CHECK(status != ALLOT_ENOMEM || !state || allot_state_tasks(state) == 0);
    int again = status == ALLOT_OK ? allot_state_task_copies(state, &task, 11) : ALLOT_EEXIST;
    if (again != ALLOT_EEXIST)
        status = again;
    task = (allot_task){.id = "d", .slots = 2, .session = "s", .tags = tags, .tag_count = 1};
    if (status == ALLOT_OK)
        status = allot_state_task_copies(state, &task, 2);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, NULL);
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_tasks(state), 14);
        CHECK_EQ(allot_state_find(state, ALLOT_ITEM_TASK, "c00"), 0);
        CHECK_EQ(allot_state_find(state, ALLOT_ITEM_TASK, "c11"), 11);
        CHECK_EQ(allot_state_task_at(state, 13, &seen), ALLOT_OK);
        CHECK_STR(seen.id, "d1");
        CHECK_STR(seen.tags[0], "x");
        CHECK_EQ(allot_state_demand_get(state, 0, 0), 16);
        CHECK_EQ(allot_state_clear_items(state, ALLOT_ITEM_TASK), ALLOT_EUSAGE);
        allot_state_open(state);
        CHECK_EQ(allot_state_clear_items(state, ALLOT_ITEM_LOAN), ALLOT_EUSAGE);
        CHECK_EQ(allot_state_clear_items(state, ALLOT_ITEM_TASK), ALLOT_OK);
        CHECK_EQ(allot_state_tasks(state), 0);
        CHECK_EQ(allot_state_task_copies(state, &task, -1), ALLOT_EUSAGE);
        task.slots = 0;
        CHECK_EQ(allot_state_task_copies(state, &task, 1), ALLOT_ERANGE);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static void test_again(void)
{
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(scenario(engine), ALLOT_OK);
    CHECK_EQ(one_by_one(engine), ALLOT_OK);
    CHECK_EQ(copies(engine), ALLOT_OK);
    CHECK_EQ(set_anew(engine), ALLOT_OK);
    allot_engine_free(engine);
    CHECK_EQ(allot_state_clear(NULL), ALLOT_EUSAGE);
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(scenario));
    CHECK(oom_each(one_by_one));
    CHECK(oom_each(copies));
    CHECK(oom_each(set_anew));
    CHECK(oom_each(hosts));
}

/* Slots of a reclaim come back bit by bit, and a task of it goes whose id another may have. */
static void test_reclaims_change(void)
{
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_in_flight flight;
    const char *going[] = {"t1", "t2"};
    const allot_claim claims[] = {{1, 2}, {0, 3}};
    const allot_in_flight told = {.id = "f",
                                  .slots = 6,
                                  .deadline = 9,
                                  .claims = claims,
                                  .claim_count = 2,
                                  .tasks = going,
                                  .task_count = 2};
    allot_engine_new(NULL, NULL, &engine);
    CHECK_EQ(make_plan(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_in_flight(state, &told), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_back(state, "g", 1), ALLOT_ENOENT);
    CHECK_EQ(allot_state_reclaim_back(state, "f", 7), ALLOT_ERANGE);
    CHECK_EQ(allot_state_reclaim_back(state, "f", 3), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_leave(state, "f", "t1"), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_leave(state, "f", "t1"), ALLOT_ENOENT);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_RECLAIM, "f", &flight), ALLOT_OK);
    CHECK(flight.slots == 3 && flight.claim_count == 1 && flight.task_count == 1);
    CHECK(flight.claims[0].consumer == 0 && flight.claims[0].slots == 2 && flight.gone == 1);
    CHECK_STR(flight.tasks[0], "t2");
    CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_back(state, "f", 1), ALLOT_ENOENT); /* it is sealed */
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
}

/* What has an id is read back by it; times behind `now` are moved back, those before it stay. */
static void test_got_and_set_back(void)
{
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    const allot_task told = {.id = "t", .slots = 1, .started = 100, .submitted = 40};
    const allot_session opened = {
        .id = "s", .scheduling = ALLOT_PRIORITY, .priority = 1, .demand = -1, .created = 90};
    allot_task task;
    allot_session session;
    allot_stated_host host;
    allot_engine_new(NULL, NULL, &engine);
    CHECK_EQ(make_plan(engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_task(state, &told), ALLOT_OK);
    CHECK_EQ(allot_state_session(state, &opened), ALLOT_OK);
    CHECK_EQ(allot_state_host(state, "h", 3, ALLOT_DRAIN), ALLOT_OK);
    CHECK_EQ(allot_state_set_back(state, 80, 15), ALLOT_OK);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_TASK, "t", &task), ALLOT_OK);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_SESSION, "s", &session), ALLOT_OK);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_HOST, "h", &host), ALLOT_OK);
    CHECK(task.started == 80 && task.submitted == 40 && session.created == 75);
    CHECK(host.slots == 3 && host.closed == ALLOT_DRAIN && !host.planned);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_HOST, "g", &host), ALLOT_ENOENT);
    CHECK_EQ(allot_state_get(state, ALLOT_ITEM_JOB, "t", &task), ALLOT_ENOENT);
    CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
    CHECK_EQ(allot_state_set_back(state, 80, 15), ALLOT_EUSAGE);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(test_reclaims_change);
    RUN(test_got_and_set_back);
    RUN(test_again);
    RUN(test_reclaims);
    RUN(test_names);
    RUN(test_hosts);
    RUN(test_out_of_memory);
    return check_done();
}
