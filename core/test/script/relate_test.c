/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* relate_test.c: who may preempt whom, as scripts say. */
#include "model/policy/policy.h"
#include "test/support/script_fixture.h"

static script_fixture it;
static allot_plan *plan;

enum { QUEUES = 4, HIGH = 0, MEDIUM, NORMAL, LOW };

static int32_t add(const char *name, int32_t priority, int32_t preemptive, int32_t preemptable)
{
    allot_queue queue;
    int32_t out = -1;
    allot_queue_init(&queue);
    queue.name = name;
    queue.priority = priority;
    queue.preemptive = preemptive;
    queue.preemptable = preemptable;
    CHECK_EQ(allot_plan_queue(plan, &queue, &out), ALLOT_OK);
    return out;
}

/* PV-1: high 99 PREEMPTIVE; medium 10 PREEMPTIVE[normal low+1]; normal 5 PREEMPTIVE[low]
 * PREEMPTABLE[high medium]; low 1. */
static void begin(void)
{
    static const allot_prefers of_medium[] = {{"normal", 0}, {"low", 1}},
                               of_normal[] = {{"low", 0}};
    static const char *const above[] = {"high", "medium"};
    allot_queue queue;
    int32_t out;
    script_begin(&it);
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    CHECK_EQ(add("high", 99, 1, 0), HIGH);
    allot_queue_init(&queue);
    queue.name = "medium";
    queue.priority = 10;
    queue.preemptive = 1;
    queue.low = of_medium;
    queue.low_count = 2;
    CHECK_EQ(allot_plan_queue(plan, &queue, &out), ALLOT_OK);
    queue.name = "normal";
    queue.priority = 5;
    queue.preemptable = 1;
    queue.low = of_normal;
    queue.low_count = 1;
    queue.high = above;
    queue.high_count = 2;
    CHECK_EQ(allot_plan_queue(plan, &queue, &out), ALLOT_OK);
    CHECK_EQ(add("low", 1, 0, 0), LOW);
}

static void end(void)
{
    allot_plan_free(plan);
    script_end(&it);
}

/* Asks the first function of the relation. */
static int relate(int32_t high, int32_t low, int32_t *out)
{
    const allot_provider *provider = &it.policy->provider;
    *out = 7;
    allot_report_clear(it.report);
    return provider->relate(provider->ud, 0, plan, high, low, out, it.report);
}

static bool may(int32_t high, int32_t low)
{
    int32_t out;
    CHECK_EQ(relate(high, low, &out), ALLOT_OK);
    CHECK(out == 1 || out == ALLOT_REFUSED_TEST);
    return out == 1;
}

static void load(const char *text)
{
    if (!CHECK_EQ(script_load(&it, text), ALLOT_OK))
        printf("#   %s\n", script_finding(&it)->message);
}

static void load_ready(void)
{
    size_t len;
    load(allot_ready_policy_text("preemption", &len));
}

/* A number 0 ... below - 1. */
static int32_t draw(uint64_t *seed, int32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*seed >> 33) % (uint64_t)below);
}

static allot_plan *random_plan(uint64_t seed, allot_policy *policy)
{
    static const char *const names[] = {"q0", "q1", "q2", "q3", "q4", "q5", "q6"};
    enum { COUNT = sizeof names / sizeof *names };
    allot_plan *made = NULL;
    CHECK_EQ(allot_plan_new(it.engine, &made), ALLOT_OK);
    for (int32_t i = 0; i < COUNT; i++) {
        allot_prefers low[2];
        const char *high[2];
        allot_queue queue;
        int32_t out;
        allot_queue_init(&queue);
        queue.name = names[i];
        queue.priority = 1 + draw(&seed, 4);
        queue.preemptive = draw(&seed, 2);
        queue.preemptable = draw(&seed, 2);
        int32_t below = draw(&seed, 3), above = draw(&seed, 3);
        for (int32_t k = 0; k < 2; k++) { /* none is itself, and the two differ */
            low[k] = (allot_prefers){names[(i + 1 + k * 3 + draw(&seed, 3)) % COUNT], 0};
            high[k] = names[(i + 1 + k * 3 + draw(&seed, 3)) % COUNT];
        }
        queue.low = low;
        queue.low_count = queue.preemptive ? below : 0;
        queue.high = high;
        queue.high_count = queue.preemptable ? above : 0;
        CHECK_EQ(allot_plan_queue(made, &queue, &out), ALLOT_OK);
    }
    CHECK_EQ(allot_plan_policy(made, ALLOT_ALL, policy), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(made, it.report), ALLOT_OK);
    return made;
}

/* The relation that preemption spells out is the one that holds where a policy says none (P-7). */
static void P_7_spelled_out_is_the_default(void)
{
    allot_policy *plain;
    int pairs = 0;
    script_begin(&it);
    load_ready();
    CHECK_EQ(allot_policy_new(it.engine, "plain", &plain), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(plain, ALLOT_ONE_BY_ONE), ALLOT_OK);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        allot_plan *a = random_plan(seed, it.policy), *b = random_plan(seed, plain);
        int32_t count = allot_plan_queues(a), wrong = 0;
        for (int32_t i = 0; i < count * count; i++) {
            int said = allot_plan_may_preempt(a, i / count, i % count);
            wrong += said != allot_plan_may_preempt(b, i / count, i % count);
            pairs += said;
        }
        if (!CHECK_EQ(wrong, 0))
            printf("#   seed %d\n", (int)seed);
        allot_plan_free(a);
        allot_plan_free(b);
        allot_report_clear(it.report); /* of lists that name higher queues */
    }
    CHECK(pairs > 500);
    allot_policy_free(plain);
    script_end(&it);
}

static void functions_see_both_queues(void)
{
    begin();
    load("return policy { name = 'x', preempts = relation { higher 'priority',\n"
         " function (high, low)\n"
         "   return low.name == 'low' and high.priority >= 10 and high.preemptive == true\n"
         "     and low.preemptive == false and low.preemptable == false\n"
         "     and high.slot_pool == nil and high.slot_share + low.slot_share >= 0\n"
         " end } }");
    CHECK(may(HIGH, LOW) && may(MEDIUM, LOW));
    CHECK(!may(NORMAL, LOW) && !may(HIGH, NORMAL) && !may(LOW, HIGH));
    end();
}

static void tests_behind_one_that_fails_are_not_asked(void)
{
    begin();
    load("return policy { name = 'x', preempts = relation { higher 'priority',\n"
         " function (high, low) return high.priority > low.priority or error 'asked' end } }");
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_OK);
    for (int32_t high = 0; high < QUEUES; high++)
        for (int32_t low = 0; low < QUEUES; low++)
            CHECK_EQ(allot_plan_may_preempt(plan, high, low), high < low);
    end();
    begin();
    load("return policy { name = 'x', preempts = relation { higher 'priority',\n"
         " function (high, low) error 'asked' end } }");
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(plan, it.report), ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->message, "asked");
    end();
}

typedef struct wrong {
    const char *text;
    int status;
    int32_t line;
    const char *message;
} wrong;

#define R(body) "return policy { name = 'x', preempts = function (high, low)\n " body " end }"

static const wrong hostile[] = {
    {R("return 1"), ALLOT_ESCRIPT, 1,
     "the function of preempts returned a number, not true or false"},
    {R(""), ALLOT_ESCRIPT, 1, "the function of preempts returned a nil, not true or false"},
    {R("return high.priorty > 1"), ALLOT_ESCRIPT, 2,
     "unknown field of a queue 'priorty'; known are name, preemptable, preemptive, priority, "
     "slot_pool, slot_share"},
    {R("low.priority = 0"), ALLOT_ESCRIPT, 2, "a queue is only read; it cannot be changed"},
    {R("return high < low"), ALLOT_ESCRIPT, 2, "attempt to compare two userdata values"},
    {R("while true do end"), ALLOT_EBUDGET, 2,
     "the policy runs for more than its 10000 instructions"},
    {R("pcall(function () while true do end end) return true"), ALLOT_EBUDGET, 2, NULL},
    {R("local function f() return 1 + f() end return f() > 1"), ALLOT_EBUDGET, 2, NULL},
    {R("local t = {} for i = 1, 1 << 40 do t[i] = {} end"), ALLOT_EBUDGET, 2, NULL},
    {R("x = 1"), ALLOT_ESCRIPT, 2, "assignment to global 'x'"},
};

static void hostile_relations_fail_alone(void)
{
    begin();
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const wrong *row = &hostile[i];
        int32_t out;
        load(row->text);
        int passed = CHECK_EQ(relate(MEDIUM, LOW, &out), row->status) & CHECK_EQ(out, 7) &
                     CHECK_EQ(script_finding(&it)->line, row->line) &
                     CHECK_STR(script_finding(&it)->path, "queues medium and low");
        if (row->message)
            passed &= CHECK_STR(script_finding(&it)->message, row->message);
        if (!passed)
            printf("#   in %s: %s\n", row->text, script_finding(&it)->message);
    }
    end();
}

static void a_queue_is_not_there_later(void)
{
    int32_t out;
    begin();
    load("local kept\n"
         "return policy { name = 'x', preempts = function (high, low) kept = low return true end,\n"
         " lease = function (p, c) return kept.name end }");
    CHECK_EQ(relate(HIGH, LOW, &out), ALLOT_OK);
    int64_t cells[ALLOT_LEASE_COLUMN_COUNT] = {0}, decided;
    const int64_t *columns[ALLOT_LEASE_COLUMN_COUNT];
    int32_t item = 0;
    for (int i = 0; i < ALLOT_LEASE_COLUMN_COUNT; i++)
        columns[i] = &cells[i];
    allot_batch batch = {.count = 1, .columns = columns, .rows = ALLOT_LEASES, .items = &item};
    const allot_provider *provider = &it.policy->provider;
    CHECK_EQ(provider->compute(provider->ud, it.policy->lease, &batch, &decided, it.report),
             ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->message, "a queue can only be read while its function runs");
    end();
}

static void wrong_relations_are_told_with_their_line(void)
{
    static const wrong rows[] = {
        {"return policy { name = 'x', preempts = relation {\n higher 'prio' } }", 0, 2,
         "unknown number of a queue 'prio'; known are priority, slot_share"},
        {"return policy { name = 'x', preempts = relation {\n function (a, b, c) end } }", 0, 2,
         "a test is a function of two: the preempting queue and the other"},
        {"return policy { name = 'x', preempts = relation { preemptive_or_preemptable,\n"
         " function (...) end } }",
         0, 2, "a test is a function of two: the preempting queue and the other"},
        {"return policy { name = 'x', preempts = {} }", 0, 1,
         "preempts is a relation, a function of two queues, or false: nobody; not a table"},
        {"return policy { name = 'x', lease = function (a,\n b, c) end }", 0, 1,
         "lease is a function of two: provider and consumer"},
        {"return { kind = 'policy', name = 'x', preempts = { kind = 'relation' } }", 0, 1,
         "a relation has 1 to 8 tests"},
        {"return { kind = 'policy', name = 'x', preempts = { kind = 'relation', 5 } }", 0, 1,
         "an item of a relation is no test: make it with test { ... }"},
        {"return { kind = 'policy', name = 'x', preempts = false, quota = { 5 } }", 0, 1,
         "a policy that dispatches jobs has no quota"},
        {"return { kind = 'policy', name = 'x', slices = { kind = 'fill', by = 1 } }", 0, 1,
         "a slice goes up to percent \"slot_share\", again = true"},
        {"return { kind = 'policy', name = 'x', lift = { 'group_jlp', 'x' } }", 0, 1,
         "lift has a word that is not known"},
        {"return { kind = 'policy', name = 'x', backfill = 'eazy' }", 0, 1,
         "backfill is \"first_fit\", \"none\", \"easy\" or \"conservative\", not \"eazy\""},
        {"return { kind = 'policy', name = 'x', fewest = 'few' }", 0, 1,
         "fewest is \"no\", \"mini_job\" or \"optimal_mini_job\", not \"few\""},
    };
    script_begin(&it);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int passed = CHECK_EQ(script_load(&it, rows[i].text), ALLOT_EPOLICY) &
                     CHECK_STR(script_finding(&it)->message, rows[i].message) &
                     CHECK_EQ(script_finding(&it)->line, rows[i].line);
        if (!passed)
            printf("#   in %s\n", rows[i].text);
    }
    script_end(&it);
}

int main(void)
{
    RUN(P_7_spelled_out_is_the_default);
    RUN(functions_see_both_queues);
    RUN(tests_behind_one_that_fails_are_not_asked);
    RUN(hostile_relations_fail_alone);
    RUN(a_queue_is_not_there_later);
    RUN(wrong_relations_are_told_with_their_line);
    return check_done();
}
