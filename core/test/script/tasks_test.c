/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tasks_test.c: a policy's functions over tasks, sessions and hosts. */
#include <time.h>

#include "model/policy/policy.h"
#include "model/state/state.h"
#include "test/support/script_fixture.h"

enum { ROWS = 600 };

static script_fixture it;
static allot_plan *plan;
static allot_state *state;
static int64_t ran[ROWS], cost[ROWS], out[ROWS];
static int32_t items[ROWS], consumers[ROWS];

static const char source[] =
    "return policy { name = 'x',\n"
    " task_attributes = { cost = { type = 'integer' } },\n"
    " quota = { fill 'a' {} },\n"
    " guards = { guard 'odd' (function (ran) return ran % 2 == 1 end), spare_tagged 'vip',\n"
    "   guard 'worth' { value = function (cost, ran)\n"
    "     return cost * ran\n"
    "   end, min = 10 } },\n"
    " victims = order { function (cost) return cost == 7 and cost / 2 or -cost end, desc 'vip',\n"
    "   function (task) return task.ran end },\n"
    " sessions = { minimum = { fill { by = function (priority) return priority * 2 end } } },\n"
    " requirements = { fast = function (ghz, os) return os == 'linux' and ghz > 2 end } }";

/* The numbers of the source's functions: guards come first, in their order. */
enum { ODD, WORTH, BY_COST, BY_VIEW, OF_SESSION, FAST };

static void add_host(const char *name, const char *ghz)
{
    CHECK_EQ(allot_plan_host(plan, name, 0, 4), ALLOT_OK);
    allot_host_value os = {.name = "os", .text = "linux"};
    allot_host_value speed = {.name = "ghz", .text = ghz, .decimal = 1};
    CHECK_EQ(allot_plan_host_set(plan, name, &os), ALLOT_OK);
    if (ghz)
        CHECK_EQ(allot_plan_host_set(plan, name, &speed), ALLOT_OK);
}

static void begin(void)
{
    int32_t leaf;
    int wrong = 0;
    script_begin(&it);
    CHECK_EQ(script_load(&it, source), ALLOT_OK);
    CHECK_STR(script_finding(&it)->message, "(no finding)");
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_add(plan, ALLOT_ROOT, "a", 1, &leaf), ALLOT_OK);
    add_host("h1", "2.5");
    add_host("h2", "2");
    add_host("h3", NULL);
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    for (int32_t i = 0; i < ROWS; i++) {
        char id[16];
        snprintf(id, sizeof id, "t%d", (int)i);
        allot_task task = {.id = id, .consumer = leaf, .slots = 1};
        wrong += allot_state_task(state, &task) != ALLOT_OK;
        items[i] = i;
        consumers[i] = leaf;
        ran[i] = i;
        cost[i] = 1000 + i;
    }
    CHECK_EQ(wrong, 0);
}

static void end(void)
{
    allot_state_free(state);
    allot_plan_free(plan);
    script_end(&it);
}

static int compute(int32_t function, allot_rows rows, const int64_t *const *columns, int32_t count)
{
    const allot_provider *provider = &it.policy->provider;
    allot_batch batch = {.count = count,
                         .columns = columns,
                         .consumers = rows == ALLOT_HOSTS ? NULL : consumers,
                         .plan = plan,
                         .rows = rows,
                         .items = items,
                         .state = state};
    memset(out, 0xff, sizeof out);
    allot_report_clear(it.report);
    return provider->compute(provider->ud, function, &batch, out, it.report);
}

static void functions_of_tasks_are_computed(void)
{
    const int64_t *both[] = {cost, ran}, *one[] = {ran}, *of_cost[] = {cost};
    begin();
    CHECK_EQ(compute(ODD, ALLOT_TASKS, one, ROWS), ALLOT_OK);
    CHECK(out[0] == 0 && out[1] == 1 && out[ROWS - 1] == 1);
    CHECK_EQ(compute(WORTH, ALLOT_TASKS, both, ROWS), ALLOT_OK);
    CHECK_EQ(out[3], 3 * 1003);
    CHECK_EQ(compute(BY_COST, ALLOT_TASKS, of_cost, 5), ALLOT_OK);
    CHECK_EQ(out[4], -1004);
    const allot__function *view = (const allot__function *)it.policy->functions.items + BY_VIEW;
    CHECK_EQ(view->count, ALLOT_TASK_COLUMN_COUNT + 2); /* cost and the tag */
    const int64_t *all[ALLOT_TASK_COLUMN_COUNT + 2];
    for (int32_t i = 0; i < view->count; i++)
        all[i] = view->columns[i] == ALLOT_TASK_RAN ? ran : cost;
    CHECK_EQ(compute(BY_VIEW, ALLOT_TASKS, all, 9), ALLOT_OK);
    CHECK_EQ(out[8], 8);
    CHECK_EQ(compute(OF_SESSION, ALLOT_SESSIONS, one, 4), ALLOT_OK);
    CHECK_EQ(out[3], 6);
    end();
}

static void a_guard_is_as_it_was_written(void)
{
    begin();
    const allot__guard *guards = it.policy->guards.items;
    CHECK_EQ(it.policy->guards.count, 3);
    CHECK_STR(guards[0].label, "odd");
    CHECK(guards[0].min == 1 && guards[0].max == 1);
    CHECK_EQ(guards[1].value.kind, ALLOT_FROM_COLUMN);
    CHECK_EQ(guards[1].value.value, ALLOT_TASK_COLUMN_COUNT + 1);
    CHECK(guards[1].min == INT64_MIN && guards[1].max == 0);
    CHECK(guards[2].min == 10 && guards[2].max == INT64_MAX);
    CHECK_EQ(it.policy->session_fills[ALLOT_MINIMUM].count, 1);
    CHECK_EQ(it.policy->session_fills[ALLOT_PRIORITY].count, 0);
    end();
}

static void a_wrong_answer_names_the_task(void)
{
    const int64_t *of_cost[] = {cost};
    begin();
    cost[42] = 7;
    CHECK_EQ(compute(BY_COST, ALLOT_TASKS, of_cost, ROWS), ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->path, "task t42");
    CHECK_EQ(script_finding(&it)->line, 8);
    CHECK(strstr(script_finding(&it)->message, "3.5, a float") != NULL);
    end();
}

static void requirements_read_attributes_of_hosts(void)
{
    begin();
    CHECK_EQ(compute(FAST, ALLOT_HOSTS, NULL, 2), ALLOT_OK);
    CHECK(out[0] == 1 && out[1] == 0);
    CHECK_EQ(compute(FAST, ALLOT_HOSTS, NULL, 3), ALLOT_ESCRIPT); /* h3 states no ghz */
    CHECK_STR(script_finding(&it)->path, "host h3");
    CHECK(strstr(script_finding(&it)->message, "nil") != NULL);
    end();
}

static void a_key_costs_little(void)
{
    enum { TIMES = 500 };
    const int64_t *both[] = {cost, ran};
    struct timespec from, to;
    begin();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int i = 0; i < TIMES; i++)
        compute(WORTH, ALLOT_TASKS, both, ROWS);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    printf("# %.1f ns a task for a key of two columns\n", ns / TIMES / ROWS);
    CHECK_EQ(out[2], 2 * 1002);
    end();
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    int status =
        allot_script_load(engine, source, strlen(source), "x.lua", NULL, 0, NULL, NULL, &policy);
    if (status == ALLOT_OK)
        CHECK_EQ(allot_policy_task_attributes(policy), 2);
    allot_policy_free(policy);
    return status;
}

static void out_of_memory_leaves_nothing(void)
{
    script_each_failure(scenario);
}

int main(void)
{
    RUN(functions_of_tasks_are_computed);
    RUN(a_guard_is_as_it_was_written);
    RUN(a_wrong_answer_names_the_task);
    RUN(requirements_read_attributes_of_hosts);
    RUN(a_key_costs_little);
    RUN(out_of_memory_leaves_nothing);
    return check_done();
}
