/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* compute_test.c: a policy's functions over rows: what they get, and what they may answer.
 */
#include "model/policy/policy.h"
#include "test/support/script_fixture.h"

enum { ROWS = 100 };

static script_fixture it;
static allot_plan *plan;
static int64_t owned[ROWS], share[ROWS], cells[ALLOT_COLUMN_COUNT + 2][ROWS], out[ROWS];
static int32_t consumers[ROWS];

/* A plan with one consumer a row: "/c0", "/c1", ... */
static void begin(void)
{
    script_begin(&it);
    CHECK_EQ(allot_plan_new(it.engine, &plan), ALLOT_OK);
    for (int32_t i = 0; i < ROWS; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "c%d", (int)i);
        CHECK_EQ(allot_plan_add(plan, ALLOT_ROOT, name, (size_t)len, &consumers[i]), ALLOT_OK);
        owned[i] = i;
        share[i] = 1000 - i;
        for (int c = 0; c < ALLOT_COLUMN_COUNT + 2; c++)
            cells[c][i] = 100 * c + i;
    }
}

static void end(void)
{
    allot_plan_free(plan);
    script_end(&it);
}

/* Loads a policy whose first fill's `by` is the function. */
static int load(const char *function)
{
    char text[1000];
    snprintf(text, sizeof text,
             "return policy { name = 'x', attributes = { zeal = { type = 'integer' } },\n"
             " quota = { fill 'a' { by =\n%s\n} } }",
             function);
    return script_load(&it, text);
}

static int compute(const int64_t *const *columns, int32_t count)
{
    const allot_provider *provider = &it.policy->provider;
    allot_batch batch = {
        .count = count, .columns = columns, .consumers = consumers, .plan = plan, .group = 0};
    memset(out, 0xff, sizeof out);
    return provider->compute(provider->ud, 0, &batch, out, it.report);
}

static int two_columns(const char *function, int32_t count)
{
    const int64_t *columns[] = {owned, share};
    return CHECK_EQ(load(function), ALLOT_OK) ? compute(columns, count) : ALLOT_EINTERNAL;
}

static void parameters_are_columns(void)
{
    begin();
    CHECK_EQ(two_columns("function (owned, share) return owned * 2 + share end", ROWS), ALLOT_OK);
    for (int i = 0; i < ROWS; i++)
        CHECK_EQ(out[i], 1000 + i);
    CHECK_EQ(two_columns("function (owned, share) return share end", 33), ALLOT_OK);
    CHECK_EQ(out[32], 968);
    CHECK_EQ(out[33], -1);
    CHECK_EQ(two_columns("function () return 7 end", 1), ALLOT_OK);
    CHECK_EQ(out[0], 7);
    CHECK_EQ(two_columns("function () return 7 end", 0), ALLOT_OK);
    end();
}

static int view(const char *function)
{
    const int64_t *columns[ALLOT_COLUMN_COUNT + 1];
    if (!CHECK_EQ(load(function), ALLOT_OK))
        return ALLOT_EINTERNAL;
    const allot__function *declared = it.policy->functions.items;
    for (int32_t i = 0; i < declared->count; i++)
        columns[i] = cells[declared->columns[i]];
    return compute(columns, ROWS);
}

static void one_other_parameter_is_a_row(void)
{
    begin();
    CHECK_EQ(view("function (c) return c.owned * 1000 + c.in_flight + c.zeal * 0 end"), ALLOT_OK);
    for (int i = 0; i < ROWS; i++)
        CHECK_EQ(out[i], i * 1000 + 100 * ALLOT_IN_FLIGHT + i);
    CHECK_EQ(view("function (row) return row.zeal end"), ALLOT_OK);
    CHECK_EQ(out[3], 100 * ALLOT_COLUMN_COUNT + 3);
    CHECK_EQ(view("function (c) return c.ownd end"), ALLOT_ESCRIPT);
    CHECK_EQ(strncmp(script_finding(&it)->message, "unknown column 'ownd'; known are all", 36), 0);
    CHECK_STR(script_finding(&it)->hint, "did you mean 'owned'?");
    CHECK_EQ(view("function (c) return c.over end"), ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->message, "column 'over' is not known yet at this stage");
    CHECK_EQ(view("function (c) c.owned = 5 return 1 end"), ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->message, "a row is only read; it cannot be changed");
    end();
}

/* A row that was kept is of no use in another function's batch. */
static void a_row_cannot_be_kept(void)
{
    begin();
    CHECK_EQ(script_load(&it, "local kept\n"
                              "return policy { name = 'x', quota = {\n"
                              "  fill 'a' { by = function (c) kept = c return 1 end,\n"
                              "             up_to = function (owned) return kept.owned end } } }"),
             ALLOT_OK);
    const int64_t *columns[ALLOT_COLUMN_COUNT];
    for (int c = 0; c < ALLOT_COLUMN_COUNT; c++)
        columns[c] = cells[c];
    CHECK_EQ(compute(columns, 2), ALLOT_OK);
    allot_batch batch = {.count = 1, .columns = columns, .consumers = consumers, .plan = plan};
    CHECK_EQ(it.policy->provider.compute(it.policy->provider.ud, 1, &batch, out, it.report),
             ALLOT_ESCRIPT);
    CHECK_STR(script_finding(&it)->message, "a row can only be read while its function runs");
    CHECK_EQ(script_finding(&it)->line, 4);
    end();
}

static const struct {
    const char *function, *message;
} wrong[] = {
    {"function (owned, share) return owned == 40 and 2.5 or 1 end",
     "the function of by returned 2.5, a float; whole numbers only (use //)"},
    {"function (owned, share) return owned == 40 and 2.0 or 1 end",
     "the function of by returned 2.0, a float; whole numbers only (use //)"},
    {"function (owned, share) return owned == 40 and 1 / 0 or 1 end",
     "the function of by returned inf, a float; whole numbers only (use //)"},
    {"function (owned, share) return owned == 40 and -1 or 1 end",
     "the function of by returned -1; a number here is 0 ... 1000000000"},
    {"function (owned, share) return owned == 40 and 1000000001 or 1 end",
     "the function of by returned 1000000001; a number here is 0 ... 1000000000"},
    {"function (owned, share) return owned == 40 and '7' or 1 end",
     "the function of by returned a string, not a whole number"},
    {"function (owned, share) if owned ~= 40 then return 1 end end",
     "the function of by returned a nil, not a whole number"},
    {"function (own) return own.owned == 40 and own or 1 end",
     "the function of by returned a row, not a whole number: a parameter that names no column is "
     "the whole row"},
    {"function (owned, share) return owned == 40 and owned.x or 1 end",
     "attempt to index a number value (local 'owned')"},
    {"function (owned, share) return owned == 40 and error { message = 'no' } or 1 end", "no"},
};

static void wrong_answers_name_line_and_consumer(void)
{
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(two_columns(wrong[i].function, ROWS), ALLOT_ESCRIPT);
        const allot_diagnostic *found = script_finding(&it);
        CHECK_EQ(allot_report_count(it.report), 1);
        CHECK_STR(found->code, "E-policy-run");
        CHECK_STR(found->message, wrong[i].message);
        CHECK_STR(found->path, "/c40");
        CHECK_EQ(found->consumer, 40);
        CHECK_STR(found->file, "site/fair.lua");
        CHECK_EQ(found->line, 3);
        CHECK_STR(found->source, wrong[i].function);
    }
    end();
}

static void keys_may_be_any_whole_number(void)
{
    const int64_t *columns[] = {owned};
    begin();
    CHECK_EQ(script_load(&it, "return policy { name = 'x', quota = {\n"
                              "  fill 'a' { order = { function (owned)\n"
                              "    return owned == 0 and math.mininteger or math.maxinteger\n"
                              "  end } } } }"),
             ALLOT_OK);
    CHECK_EQ(compute(columns, 2), ALLOT_OK);
    CHECK_EQ(out[0] == INT64_MIN && out[1] == INT64_MAX, 1);
    end();
}

static void budgets_hold_for_rows(void)
{
    begin();
    it.limits.instructions = 10000;
    CHECK_EQ(two_columns("function (owned, share) return owned end", ROWS), ALLOT_OK);
    CHECK_EQ(two_columns("function (owned, share) while owned == 50 do end return 1 end", ROWS),
             ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-policy-budget");
    CHECK_STR(script_finding(&it)->path, "/c50");
    CHECK_EQ(script_finding(&it)->line, 3);
    CHECK_EQ(two_columns("function (owned, share) while true do pcall(error, 'x') end end", ROWS),
             ALLOT_EBUDGET);
    CHECK_EQ(two_columns("function (owned, share) for i = 1, 200 do end return 1 end", ROWS),
             ALLOT_EBUDGET);
    const int64_t *columns[] = {owned, share};
    CHECK_EQ(two_columns("function (owned, share) for i = 1, share do end return 1 end", 1),
             ALLOT_OK); /* the budget is new for each batch */
    for (int i = 0; i < 50; i++)
        CHECK_EQ(compute(columns, 1), ALLOT_OK);
    end();
}

static void memory_is_capped_and_collected(void)
{
    const int64_t *columns[] = {owned, share};
    begin();
    it.limits.memory = 300 * 1024;
    CHECK_EQ(two_columns("function (owned, share) local t = {} for i = 1, 100 do t[i] = {} end"
                         " return #t end",
                         ROWS),
             ALLOT_OK);
    for (int i = 0; i < 50; i++)
        CHECK_EQ(compute(columns, ROWS), ALLOT_OK);
    CHECK_EQ(out[99], 100);
    CHECK_EQ(two_columns("(function () local t = {} return function (owned, share)"
                         " for i = 1, 1000 do t[#t + 1] = {} end return #t end end)()",
                         ROWS),
             ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-policy-memory");
    end();
}

/* ---- The time of a cycle --------------------------------------------------------------------- */

static int64_t look(void *ud)
{
    int64_t *now = ud;
    return *now += 1000;
}

static int call(int32_t function, int32_t count)
{
    const int64_t *columns[] = {owned};
    const allot_provider *provider = &it.policy->provider;
    allot_batch batch = {
        .count = count, .columns = columns, .consumers = consumers, .plan = plan, .group = 0};
    return provider->compute(provider->ud, function, &batch, out, it.report);
}

/* Each is within its budget; together they are not within the time, and the dearer one is named. */
static void functions_share_a_time(void)
{
    int64_t now = 0;
    allot_script_time time = {.clock = look, .ud = &now};
    begin();
    it.limits.time = &time;
    CHECK_EQ(script_load(&it, "return policy { name = 'x', quota = {\n"
                              "  fill 'a' { by = function (owned)\n"
                              "    for i = 1, 10000 do end return 1 end },\n"
                              "  fill 'b' { by = function (owned)\n"
                              "    for i = 1, 40000 do end return 1 end } } }"),
             ALLOT_OK);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(call(i % 2, 1), ALLOT_OK); /* no time is set: it is not looked at */
    CHECK_EQ(now, 0);
    int calls = 0, status = ALLOT_OK;
    allot_script_time_begin(&time, 200000);
    while (status == ALLOT_OK && calls < 100)
        status = call(calls++ % 2, 1);
    CHECK_EQ(status, ALLOT_EBUDGET);
    CHECK(calls > 4 && calls < 10);
    CHECK(now < 210000);
    CHECK_STR(script_finding(&it)->code, "E-cycle-limit");
    const char *message = script_finding(&it)->message;
    CHECK(strstr(message, "the functions of a cycle may take 200 ms together, and take longer: "
                          "most, ") == message);
    CHECK(strstr(message, " ms, the one of 'by' at site/fair.lua:4") != NULL);
    /* It stays over: nothing begins any more. Then it is another cycle. */
    allot_report_clear(it.report);
    CHECK_EQ(call(0, 1), ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-cycle-limit");
    allot_script_time_begin(&time, 200000);
    CHECK_EQ(call(0, 1), ALLOT_OK);
    CHECK_EQ(time.line, 2);
    end();
}

/* What has no loop is looked at where there is much of it. */
static void loop_free_functions_take_time_too(void)
{
    int64_t now = 0;
    allot_script_time time = {.clock = look, .ud = &now};
    begin();
    it.limits.time = &time;
    CHECK_EQ(load("function (owned) return owned end"), ALLOT_OK);
    allot_script_time_begin(&time, 10000);
    int64_t before = now;
    for (int i = 0; i < 100; i++)
        CHECK_EQ(call(0, 1), ALLOT_OK);
    CHECK_EQ(now, before);
    int status = ALLOT_OK;
    for (int i = 0; i < 100 && status == ALLOT_OK; i++)
        status = call(0, ROWS);
    CHECK_EQ(status, ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-cycle-limit");
    end();
}

/* A policy that is trusted has no budget, and no less this one. */
static void no_budget_is_no_endless_cycle(void)
{
    int64_t now = 0;
    allot_script_time time = {.clock = look, .ud = &now};
    begin();
    it.limits.time = &time;
    it.limits.instructions = -1;
    CHECK_EQ(load("function (owned) while true do pcall (error, 'x') end end"), ALLOT_OK);
    allot_script_time_begin(&time, 100000);
    CHECK_EQ(call(0, 1), ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-cycle-limit");
    end();
}

int main(void)
{
    RUN(parameters_are_columns);
    RUN(one_other_parameter_is_a_row);
    RUN(a_row_cannot_be_kept);
    RUN(wrong_answers_name_line_and_consumer);
    RUN(keys_may_be_any_whole_number);
    RUN(budgets_hold_for_rows);
    RUN(memory_is_capped_and_collected);
    RUN(functions_share_a_time);
    RUN(loop_free_functions_take_time_too);
    RUN(no_budget_is_no_endless_cycle);
    return check_done();
}
