/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain_pending_test.c: explanations of tasks that wait (C-13): what calls give, and memory
 * failing. */
#include <allot/decision.h>
#include <string.h>

#include "test/support/fixture.h"
#include "test/support/try.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

/* /a owns 6 of 10: r runs on 4 of them, and p ... t wait; /b owns 4 and holds 5. */
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
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 0, ALLOT_OWNED, 6));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 1, ALLOT_OWNED, 4));
    TRY(allot_plan_seal(it->plan, NULL));
    return status;
}

/* In order p and q of 1 slot, s of 3 and t of 1. */
static int make_state(world *it)
{
    static const char *const ids[] = {"p", "q", "s", "t"};
    allot_task runs = {.id = "r", .slots = 4, .started = 1};
    int status = ALLOT_OK;
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_now(it->state, 100));
    TRY(allot_state_demand(it->state, 0, 1, 5));
    TRY(allot_state_allocated(it->state, 0, 1, 5));
    TRY(allot_state_task(it->state, &runs));
    for (int i = 0; i < 4; i++) {
        allot_task task = {.id = ids[i],
                           .slots = i == 2 ? 3 : 1,
                           .submitted = 10 + i,
                           .state = ALLOT_TASK_PENDING};
        TRY(allot_state_task(it->state, &task));
    }
    TRY(allot_state_seal(it->state, NULL));
    return status;
}

static void end_world(world *it)
{
    allot_decision_free(it->decision);
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
}

static int make_world(allot_engine *engine, world *it)
{
    int status = make_plan(engine, it);
    if (status == ALLOT_OK)
        status = make_state(it);
    TRY(allot_cycle(it->plan, it->state, NULL, &it->decision));
    return status;
}

typedef struct heard {
    char text[400]; /* the line that says what becomes of it */
    int lines;
} heard;

static void hear(void *ud, const char *text)
{
    heard *to = ud;
    to->lines++;
    if (strncmp(text, "It waits", 8) == 0 || strncmp(text, "It starts", 9) == 0)
        snprintf(to->text, sizeof to->text, "%s", text);
}

static void each_is_explained(void)
{
    static const char *const said[][2] = {
        {"p", "It starts now: all its slots are there (C-13)."},
        {"q", "It waits: it fits into the quota of /a, but its slots are not all there (C-13)."},
        {"s", "It waits behind q: nothing starts before the first task that waits for its slots, "
              "since `pending` is \"strict\" (C-13)."}};
    allot_engine *engine;
    world it = {0};
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(make_world(engine, &it), ALLOT_OK);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        heard out = {.lines = 0};
        CHECK_EQ(allot_explain_task(it.decision, said[i][0], hear, &out), ALLOT_OK);
        CHECK_STR(out.text, said[i][1]);
    }
    CHECK_STR(allot_state_task_nearest(it.state, "Q"), "q");
    CHECK(!allot_state_task_nearest(it.state, "nobody"));
    CHECK(!allot_state_task_nearest(it.state, NULL));
    CHECK(!allot_state_task_nearest(NULL, "q"));
    end_world(&it);
    allot_engine_free(engine);
}

/* What is decided up to quotas alone explains nothing. */
static void early_stages_are_refused(void)
{
    allot_engine *engine;
    world it = {0};
    heard out = {.lines = 0};
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(make_plan(engine, &it), ALLOT_OK);
    CHECK_EQ(make_state(&it), ALLOT_OK);
    CHECK_EQ(allot_cycle_until(it.plan, it.state, ALLOT_STAGE_RECLAIM, NULL, &it.decision),
             ALLOT_OK);
    CHECK_EQ(allot_explain_task(it.decision, "p", hear, &out), ALLOT_EUSAGE);
    CHECK_EQ(out.lines, 0);
    end_world(&it);
    allot_engine_free(engine);
}

static int drop(void *ud, const char *text, size_t len)
{
    (void)ud;
    return text[0] != '{' || text[len - 1] != '}';
}

static int scenario(allot_engine *engine)
{
    static const char *const ids[] = {"p", "q", "s", "t", "r"};
    world it = {0};
    int status = make_world(engine, &it);
    for (int i = 0; i < 5; i++)
        TRY(allot_explain_facts(it.decision, ALLOT_OF_TASK, ids[i], 0, 0, drop, NULL));
    TRY(allot_explain_facts(it.decision, ALLOT_OF_CONSUMER, NULL, 0, 0, drop, NULL));
    end_world(&it);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(each_is_explained);
    RUN(early_stages_are_refused);
    RUN(memory_runs_out);
    return check_done();
}
