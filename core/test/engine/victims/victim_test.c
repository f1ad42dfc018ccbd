/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* victim_test.c: sessions, guards, victims and their explanation; memory failing. */
#include "engine/decision/decision.h"

#include "test/support/fixture.h"
#include "test/support/try.h"

static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
static const allot_source tag = {ALLOT_FROM_COLUMN, ALLOT_TASK_COLUMN_COUNT};
static const allot_source own_function = {ALLOT_FROM_FUNCTION, 0};

/* /a owns 4 of 8 and holds 8, /b owns 4, wants 4 and holds none. */
typedef struct world {
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_decision *decision;
    int status; /* what the policy's function returns; its value is the number of slots, falling */
    int32_t asked;
} world;

static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    world *it = ud;
    (void)function;
    (void)report;
    CHECK_EQ(batch->rows, ALLOT_TASKS);
    CHECK(batch->state == it->state);
    for (int32_t i = 0; i < batch->count; i++) {
        CHECK_EQ(batch->consumers[i], 0);
        out[i] = -batch->columns[0][i];
        it->asked++;
    }
    return it->status;
}

static int make_rules(world *it, bool function)
{
    int status = ALLOT_OK;
    const int32_t columns[] = {ALLOT_TASK_SLOTS};
    const allot_key keys[] = {{{ALLOT_FROM_COLUMN, ALLOT_TASK_IMPORTANCE}, 0},
                              {{ALLOT_FROM_COLUMN, ALLOT_TASK_JOINED}, 1},
                              {own_function, 0}};
    const allot_attribute spared = {.name = "spared", .type = ALLOT_TAG, .max = 1};
    int32_t number;
    TRY(allot_policy_task_attribute(it->policy, &spared));
    TRY(allot_policy_guard(it->policy, "spare", tag, 0, 0));
    if (function) {
        const allot_provider provider = {.ud = it, .compute = compute};
        TRY(allot_policy_provider(it->policy, &provider));
        TRY(allot_policy_rows_function(it->policy, ALLOT_TASKS, columns, 1, &number));
        TRY(allot_policy_victims(it->policy, keys, 3));
    }
    return status;
}

static int make_plan(allot_engine *engine, world *it, bool function)
{
    int32_t handle;
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", &it->policy));
    TRY(allot_policy_fill(it->policy, "owned", owned, owned, NULL, 0));
    if (status == ALLOT_OK)
        status = make_rules(it, function);
    TRY(allot_plan_new(engine, &it->plan));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    TRY(allot_plan_add(it->plan, ALLOT_ROOT, "a", 1, &handle));
    TRY(allot_plan_add(it->plan, ALLOT_ROOT, "b", 1, &handle));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 0, ALLOT_OWNED, 4));
    TRY(allot_plan_set(it->plan, ALLOT_ALL, 1, ALLOT_OWNED, 4));
    TRY(allot_plan_seal(it->plan, NULL));
    return status;
}

/* t0 ... t5 of 1, 2, 1, 2, 1, 1 slots, by turns of the sessions s0 and s1; t5 is spared. */
static int make_state(world *it)
{
    static const char *const tags[] = {"spared"};
    int status = ALLOT_OK;
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_now(it->state, 100));
    TRY(allot_state_demand(it->state, 0, 0, 8));
    TRY(allot_state_demand(it->state, 0, 1, 4));
    for (int i = 0; i < 2; i++) {
        char id[] = {'s', (char)('0' + i), '\0'};
        allot_session session = {.id = id, .priority = 1 + 2 * i, .created = i, .demand = -1};
        TRY(allot_state_session(it->state, &session));
    }
    for (int i = 0; i < 6; i++) {
        char id[] = {'t', (char)('0' + i), '\0'};
        char session[] = {'s', (char)('0' + i % 2), '\0'};
        allot_task task = {.id = id,
                           .session = session,
                           .started = 10 * i,
                           .slots = i == 1 || i == 3 ? 2 : 1,
                           .tags = tags,
                           .tag_count = i == 5};
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
    *it = (world){0};
}

static int make_world(allot_engine *engine, world *it, bool function)
{
    int status = make_plan(engine, it, function);
    if (status == ALLOT_OK)
        status = make_state(it);
    TRY(allot_cycle(it->plan, it->state, NULL, &it->decision));
    return status;
}

static allot_engine *engine;

/* The tasks that go, as one string. */
static void going(const world *it, char *out)
{
    allot_reclaim reclaim = {0};
    CHECK_EQ(allot_decision_reclaims(it->decision), 1);
    CHECK_EQ(allot_decision_reclaim(it->decision, 0, &reclaim), ALLOT_OK);
    *out = '\0';
    for (int32_t i = 0; i < reclaim.task_count; i++) {
        allot_task task;
        CHECK_EQ(allot_state_task_at(it->state, reclaim.tasks[i], &task), ALLOT_OK);
        strcat(out, task.id);
    }
}

static void start(world *it, bool function)
{
    *it = (world){0};
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(make_world(engine, it, function), ALLOT_OK);
}

static void finish(world *it)
{
    end_world(it);
    allot_engine_free(engine);
}

/* By default the last started; t5 is protected; of t4, t3, t2 (1, 2, 1) all are needed for 4. */
static void last_started_goes_first(void)
{
    world it;
    char text[64];
    start(&it, false);
    going(&it, text);
    CHECK_STR(text, "t4t3t2");
    finish(&it);
}

/* Most slots first, then larger ids: t3 and t1 cover 4; every task is asked of once. */
static void functions_are_asked_once(void)
{
    world it;
    char text[64];
    start(&it, true);
    going(&it, text);
    CHECK_STR(text, "t3t1");
    CHECK_EQ(it.asked, 6);
    finish(&it);
}

static void a_failing_function_fails_the_cycle(void)
{
    world it;
    allot_decision *none = NULL;
    start(&it, true);
    it.status = ALLOT_ESCRIPT;
    CHECK_EQ(allot_cycle(it.plan, it.state, NULL, &none), ALLOT_ESCRIPT);
    CHECK(!none);
    finish(&it);
}

/* 1 to 3 of 4, held 3 and 5. */
static void sessions_have_their_parts(void)
{
    world it;
    allot_session_part part;
    start(&it, false);
    CHECK_EQ(allot_decision_session(it.decision, 0, &part), ALLOT_OK);
    CHECK_EQ(part.quota, 1);
    CHECK_EQ(part.allocated, 3);
    CHECK_EQ(allot_decision_session(it.decision, 1, &part), ALLOT_OK);
    CHECK_EQ(part.quota, 3);
    CHECK_EQ(part.need, 8);
    CHECK_EQ(allot_decision_session(it.decision, 2, &part), ALLOT_EUSAGE);
    CHECK_EQ(allot_decision_session(it.decision, -1, &part), ALLOT_EUSAGE);
    finish(&it);
}

static int keep(void *ud, const char *text, size_t len)
{
    CHECK(len > 0 && text[0] == '{');
    ++*(int *)ud;
    return 0;
}

static int facts_of(const world *it, const char *id, int *pieces)
{
    return allot_explain_facts(it->decision, ALLOT_OF_TASK, id, 0, 0, keep, pieces);
}

static void tasks_are_explained(void)
{
    world it;
    for (int function = 0; function < 2; function++) {
        start(&it, function != 0);
        for (int i = 0; i < 6; i++) {
            char id[] = {'t', (char)('0' + i), '\0'};
            int pieces = 0;
            CHECK_EQ(facts_of(&it, id, &pieces), ALLOT_OK);
            CHECK_EQ(pieces, 1);
        }
        CHECK_EQ(facts_of(&it, "t6", NULL), ALLOT_ENOENT);
        CHECK_EQ(facts_of(&it, NULL, NULL), ALLOT_EUSAGE);
        finish(&it);
    }
}

static int scenario(allot_engine *under)
{
    world it = {0};
    int status = make_world(under, &it, true);
    end_world(&it);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(last_started_goes_first);
    RUN(functions_are_asked_once);
    RUN(a_failing_function_fails_the_cycle);
    RUN(sessions_have_their_parts);
    RUN(tasks_are_explained);
    RUN(memory_runs_out);
    return check_done();
}
