/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues_test.c: what scripts say of queues and leases, and how they answer. */
#include <allot/job.h>
#include <allot/lease.h>

#include "model/policy/policy.h"
#include "test/support/script_fixture.h"

static script_fixture it;

#define P(rest) "return policy { name = 'x',\n " rest " }"

/* ---- The ready-made ones --------------------------------------------------------------------- */

static const allot_policy *ready(const char *name, const allot_use_option *options, int32_t count)
{
    size_t len;
    const char *text = allot_ready_policy_text(name, &len);
    if (!CHECK(text != NULL))
        return NULL;
    if (!CHECK_EQ(script_load_with(&it, text, options, count), ALLOT_OK))
        printf("#   %s: %s\n", name, script_finding(&it)->message);
    return it.policy;
}

static void same_order(const allot__order *a, const allot__order *b)
{
    CHECK_EQ(a->count, b->count);
    for (int32_t i = 0; i < a->count; i++) {
        CHECK_EQ(a->keys[i].source.kind, b->keys[i].source.kind);
        CHECK_EQ(a->keys[i].source.value, b->keys[i].source.value);
        CHECK_EQ(a->keys[i].descending, b->keys[i].descending);
    }
}

/* What a policy that says nothing of it has; to be freed. */
static allot_policy *defaults(void)
{
    allot_policy *policy = NULL;
    CHECK_EQ(allot_policy_new(it.engine, "defaults", &policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(policy, ALLOT_ONE_BY_ONE), ALLOT_OK);
    CHECK_EQ(allot__policy_complete(policy), ALLOT_OK);
    return policy;
}

/* Each spells out what a policy has that does not say it. */
static void ready_made_policies_are_the_defaults(void)
{
    script_begin(&it);
    allot_policy *plain = defaults();
    const allot_policy *p = ready("preemption", NULL, 0);
    CHECK(p->dispatches && p->victims_given);
    same_order(&p->dispatch, &plain->dispatch);
    same_order(&p->victims, &plain->victims);
    CHECK_EQ(p->test_count, 2);
    CHECK(memcmp(p->tests, plain->tests, 2 * sizeof *p->tests) == 0);
    CHECK_EQ(p->fewest, plain->fewest);
    CHECK_EQ(p->backfill, ALLOT_FIRST_FIT);
    CHECK_EQ(p->lift, 0);
    CHECK_EQ(p->job_types, 0);
    const allot__guard *guards = p->guards.items, *others = plain->guards.items;
    CHECK_EQ(p->guards.count, plain->guards.count);
    for (size_t i = 0; i < plain->guards.count; i++) {
        CHECK_STR(guards[i].label, others[i].label);
        CHECK_EQ(guards[i].value.value, others[i].value.value);
        CHECK_EQ(guards[i].min, 1);
        CHECK_EQ(guards[i].max, INT64_MAX);
    }
    p = ready("queue_pool", NULL, 0);
    CHECK(p->dispatches && !p->victims_given);
    same_order(&p->slices, &plain->slices);
    same_order(&p->dispatch, &plain->dispatch);
    CHECK(memcmp(p->tests, plain->tests, 2 * sizeof *p->tests) == 0);
    p = ready("shared_lease", NULL, 0);
    CHECK(p->dispatches && p->lease == 0);
    same_order(&p->slices, &plain->slices);
    allot_policy_free(plain);
    script_end(&it);
}

static void words_choose(void)
{
    allot_use_option both[] = {{.name = "preempt_for",
                                .type = ALLOT_JSON_STRING,
                                .string = " LEAST_RUN_TIME\tGroup_Max user_jlp mini_job ",
                                .mine = 1},
                               {.name = "preempt_jobtype",
                                .type = ALLOT_JSON_WORDS,
                                .string = "AFFINITY BACKFILL",
                                .mine = 1}};
    script_begin(&it);
    const allot_policy *p = ready("preemption", both, 2);
    CHECK_EQ(p->lift, ALLOT_LIFT_GROUP_MAX | ALLOT_LIFT_USER_JLP);
    CHECK_EQ(p->fewest, ALLOT_MINI_JOB);
    CHECK_EQ(p->job_types, ALLOT_PREEMPT_BACKFILL);
    CHECK_EQ(p->victims.count, 4);
    CHECK_EQ(p->victims.keys[0].source.value, ALLOT_TASK_PREFERENCE);
    CHECK_EQ(p->victims.keys[2].source.value, ALLOT_TASK_RAN);
    both[0].string = "mini_job optimal_mini_job";
    both[1].string = "exclusive";
    p = ready("preemption", both, 2);
    CHECK_EQ(p->fewest, ALLOT_OPTIMAL_MINI_JOB);
    CHECK_EQ(p->job_types, ALLOT_PREEMPT_EXCLUSIVE);
    script_end(&it);
}

static void wrong_words_are_told(void)
{
    size_t len;
    const char *text = allot_ready_policy_text("preemption", &len);
    allot_use_option one = {
        .name = "preempt_for", .type = ALLOT_JSON_STRING, .string = "MINI_JOBS", .mine = 1};
    script_begin(&it);
    CHECK_EQ(script_load_with(&it, text, &one, 1), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message,
              "option \"preempt_for\" of policy \"preemption\": unknown word \"MINI_JOBS\"; known "
              "are group_jlp, group_max, host_jlu, user_jlp, least_run_time, mini_job, "
              "optimal_mini_job");
    CHECK_STR(script_finding(&it)->hint, "did you mean \"mini_job\"?");
    CHECK_STR(script_finding(&it)->path, "preempt_for");
    one.type = ALLOT_JSON_BOOLEAN;
    CHECK_EQ(script_load_with(&it, text, &one, 1), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "option \"preempt_for\" of policy \"preemption\" is a "
                                            "text of words, or a list of them");
    one = (allot_use_option){
        .name = "w", .type = ALLOT_JSON_WORDS, .string = "a", .mine = 1}; /* of one text */
    CHECK_EQ(script_load_with(&it,
                              P("options = { w = { type = 'string', values = { 'a' } } },"
                                "quota = { fill 'a' {} }"),
                              &one, 1),
             ALLOT_EPOLICY);
    script_end(&it);
}

/* ---- Everything arrives ---------------------------------------------------------------------- */

static const char full[] = P(
    "options = { w = words { 'a', 'b', default = 'B', doc = 'two' } },\n"
    " dispatch = { 'submitted', function (priority) return -priority end },\n"
    " preempts = relation { higher 'slot_share', function (high, low)\n"
    "   return high.slot_pool ~= low.slot_pool or low.preemptable\n"
    " end },\n"
    " backfill = function (o) return o.w.b and 'easy' or 'none' end,\n"
    " fewest = function (o) return o.w.b and 'mini_job' or 'no' end,\n"
    " lift = 'USER_JLP group_jlp',\n"
    " job_types = function (o) return { backfill = o.w.a, exclusive = o.w.b } end,\n"
    " slices = { fill { order = { function (queue) return queue.used end, desc 'place' },\n"
    "   up_to = percent 'slot_share', again = true } },\n"
    " guards = {},\n"
    " lease = function (p, c) return c.demand == nil and 'provider' or p.used > 1 and 'consumer'\n"
    "   or nil end");

static void everything_arrives(void)
{
    script_begin(&it);
    if (!CHECK_EQ(script_load(&it, full), ALLOT_OK))
        printf("#   %d: %s\n", (int)script_finding(&it)->line, script_finding(&it)->message);
    const allot_policy *p = it.policy;
    CHECK_EQ(p->dispatch.count, 2);
    CHECK_EQ(p->dispatch.keys[1].source.kind, ALLOT_FROM_FUNCTION);
    CHECK_EQ(p->test_count, 2);
    CHECK_EQ(p->tests[0], ALLOT_REFUSED_SLOT_SHARE);
    CHECK_EQ(p->tests[1], ALLOT_REFUSED_TEST);
    CHECK_EQ(p->fewest, ALLOT_MINI_JOB);
    CHECK_EQ(p->backfill, ALLOT_EASY);
    CHECK_EQ(p->lift, ALLOT_LIFT_USER_JLP | ALLOT_LIFT_GROUP_JLP);
    CHECK_EQ(p->job_types, ALLOT_PREEMPT_EXCLUSIVE);
    CHECK_EQ(p->slices.keys[0].source.kind, ALLOT_FROM_FUNCTION);
    CHECK_EQ(p->slices.keys[1].source.value, ALLOT_QUEUE_PLACE);
    CHECK(p->switches[ALLOT_SWITCH_UNGUARDED]);
    CHECK_EQ(p->functions.count, 3);
    CHECK(p->provider.relate != NULL);
    CHECK_EQ(script_load(&it, P("preempts = false")), ALLOT_OK);
    CHECK_EQ(it.policy->test_count, 0);
    CHECK(!it.policy->switches[ALLOT_SWITCH_UNGUARDED]);
    script_end(&it);
}

/* Calls a function of the policy for the first row of that kind. */
static int call(int32_t function, allot_batch batch)
{
    static const int32_t consumers[] = {1}, items[] = {0};
    static const int64_t values[] = {5};
    const int64_t *const columns[] = {values};
    int64_t answer;
    batch.count = 1;
    batch.columns = columns;
    batch.consumers = consumers;
    batch.items = items;
    const allot_provider *provider = &it.policy->provider;
    return provider->compute(provider->ud, function, &batch, &answer, it.report);
}

static void wrong_answers_name_the_job_or_the_queue(void)
{
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_queue queue;
    allot_job job;
    int32_t out;
    script_begin(&it);
    CHECK_EQ(script_load(&it, P("dispatch = { function (submitted)\n return submitted / 2 end },\n"
                                " slices = fill { up_to = percent 'slot_share', again = true,\n"
                                "  order = { function (used) return used .. '' end } }")),
             ALLOT_OK);
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, it.policy), ALLOT_OK);
    for (int i = 0; i < 2; i++) {
        allot_queue_init(&queue);
        queue.name = i ? "night" : "day";
        CHECK_EQ(allot_plan_queue(plan, &queue, &out), ALLOT_OK);
    }
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(plan, &state), ALLOT_OK);
    allot_job_init(&job);
    job.id = "j7";
    CHECK_EQ(allot_state_job(state, &job), ALLOT_OK);
    CHECK_EQ(call(0, (allot_batch){.plan = plan, .rows = ALLOT_TASKS, .state = state, .jobs = 1}),
             ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->path, "job j7");
    CHECK_STR(script_finding(&it)->message,
              "the function of key returned 2.5, a float; whole numbers only (use //)");
    CHECK_EQ(script_finding(&it)->line, 2);
    allot_report_clear(it.report);
    CHECK_EQ(call(1, (allot_batch){.plan = plan, .rows = ALLOT_QUEUES, .state = state}),
             ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->path, "/night");
    allot_state_free(state);
    allot_plan_free(plan);
    script_end(&it);
}

/* lua/allot/language/columns.lua repeats the core's columns for plain Lua. */
static void columns_are_the_cores(void)
{
    static const struct {
        allot_rows rows;
        const char *list;
        int count;
    } kinds[] = {{ALLOT_TASKS, "tasks", ALLOT_TASK_COLUMN_COUNT},
                 {ALLOT_SESSIONS, "sessions", ALLOT_SESSION_COLUMN_COUNT},
                 {ALLOT_QUEUES, "queues", ALLOT_QUEUE_COLUMN_COUNT}};
    script_begin(&it);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[2000];
        int at = snprintf(text, sizeof text, "local known = {");
        for (int i = 0; i < kinds[k].count; i++)
            at += snprintf(text + at, sizeof text - (size_t)at, "'%s',",
                           allot_rows_column_name(kinds[k].rows, i));
        snprintf(text + at, sizeof text - (size_t)at,
                 "}\nlocal list = require 'allot.language.columns'.%s\nassert(#known == #list)\n"
                 "for i, name in ipairs(known) do assert(list[i] == name, name) end\n" P(
                     "preempts = false"),
                 kinds[k].list);
        if (!CHECK_EQ(script_load(&it, text), ALLOT_OK))
            printf("#   %s: %s\n", kinds[k].list, script_finding(&it)->message);
    }
    script_end(&it);
}

/* ---- Leases ---------------------------------------------------------------------------------- */

enum { LEASES = 3 };
static int64_t cells[ALLOT_LEASE_COLUMN_COUNT][LEASES], out[LEASES];

static allot_plan *plan;

/* Three contracts, for messages. */
static void begin_leases(void)
{
    script_begin(&it);
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    for (int i = 0; i < LEASES; i++) {
        char name[16];
        snprintf(name, sizeof name, "L%d", i);
        allot_lease lease = {.name = name,
                             .provider = "east",
                             .consumer = "west",
                             .slots = 10,
                             .shared = 1,
                             .reclaim_delay = 600};
        CHECK_EQ(allot_plan_lease(plan, &lease), ALLOT_OK);
    }
    memset(cells, 0, sizeof cells);
}

static void end_leases(void)
{
    allot_plan_free(plan);
    script_end(&it);
}

static int decide(void)
{
    static const int32_t items[LEASES] = {0, 1, 2};
    const int64_t *columns[ALLOT_LEASE_COLUMN_COUNT];
    for (int i = 0; i < ALLOT_LEASE_COLUMN_COUNT; i++)
        columns[i] = cells[i];
    const allot_provider *provider = &it.policy->provider;
    allot_batch batch = {
        .count = LEASES, .columns = columns, .plan = plan, .rows = ALLOT_LEASES, .items = items};
    allot_report_clear(it.report);
    return provider->compute(provider->ud, it.policy->lease, &batch, out, it.report);
}

static void a_lease_goes_to_a_side(void)
{
    begin_leases();
    ready("shared_lease", NULL, 0);
    cells[ALLOT_LEASE_CONSUMER_IDLE][0] = 6;
    cells[ALLOT_LEASE_PROVIDER_IDLE][1] = 3;
    cells[ALLOT_LEASE_PROVIDER_IDLE][2] = cells[ALLOT_LEASE_CONSUMER_IDLE][2] = 2;
    CHECK_EQ(decide(), ALLOT_OK);
    CHECK(out[0] == -1 && out[1] == 1 && out[2] == 0);
    CHECK_EQ(script_load(&it, full), ALLOT_OK);
    cells[ALLOT_LEASE_CONSUMER_DEMAND][0] = -1; /* reads nil */
    cells[ALLOT_LEASE_PROVIDER_USED][1] = 2;
    CHECK_EQ(decide(), ALLOT_OK);
    CHECK(out[0] == -1 && out[1] == 1 && out[2] == 0);
    end_leases();
}

typedef struct wrong {
    const char *text;
    int status;
    int32_t line;
    const char *message;
} wrong;

static const wrong wrong_leases[] = {
    {P("lease = function (p, c)\n return 'both' end"), ALLOT_ESCRIPT, 2,
     "the function of lease returned \"both\", not \"provider\", \"consumer\" or nothing"},
    {P("lease = function (p, c)\n return 1 end"), ALLOT_ESCRIPT, 2,
     "the function of lease returned a number, not \"provider\", \"consumer\" or nothing"},
    {P("lease = function (p, c)\n return p.idel end"), ALLOT_ESCRIPT, 3,
     "unknown field of a lease's side 'idel'; known are available, demand, idle, used"},
    {P("lease = function (p, c)\n p.idle = 3 end"), ALLOT_ESCRIPT, 3,
     "a lease's side is only read; it cannot be changed"},
    {P("lease = function (p, c)\n error 'no' end"), ALLOT_ESCRIPT, 3, "no"},
    {P("lease = function (p, c)\n while true do end end"), ALLOT_EBUDGET, 3,
     "the policy runs for more than its 10000000 instructions"},
    {P("lease = function (p, c)\n local t = {} for i = 1, 1 << 40 do t[i] = i end end"),
     ALLOT_EBUDGET, 3, NULL},
};

static void hostile_leases_fail_alone(void)
{
    begin_leases();
    for (size_t i = 0; i < sizeof wrong_leases / sizeof *wrong_leases; i++) {
        const wrong *row = &wrong_leases[i];
        CHECK_EQ(script_load(&it, row->text), ALLOT_OK);
        int passed = CHECK_EQ(decide(), row->status) &
                     CHECK_EQ(script_finding(&it)->line, row->line) &
                     CHECK_STR(script_finding(&it)->path, "lease L0");
        if (row->message)
            passed &= CHECK_STR(script_finding(&it)->message, row->message);
        if (!passed)
            printf("#   in %s: %s\n", row->text, script_finding(&it)->message);
    }
    end_leases();
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    int status =
        allot_script_load(engine, full, sizeof full - 1, "x.lua", NULL, 0, NULL, NULL, &policy);
    if (status == ALLOT_OK)
        CHECK_EQ(policy->functions.count, 3);
    allot_policy_free(policy);
    return status;
}

static void out_of_memory_leaves_nothing(void)
{
    script_each_failure(scenario);
}

int main(void)
{
    RUN(ready_made_policies_are_the_defaults);
    RUN(words_choose);
    RUN(wrong_words_are_told);
    RUN(everything_arrives);
    RUN(columns_are_the_cores);
    RUN(wrong_answers_name_the_job_or_the_queue);
    RUN(a_lease_goes_to_a_side);
    RUN(hostile_leases_fail_alone);
    RUN(out_of_memory_leaves_nothing);
    return check_done();
}
