/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wildcard_test.c: consumers named "*", and plans that are read again with newcomers. */
#include "test/support/json_fixture.h"

#define PLAN                                                                                       \
    "{\"policy\": \"weigh\", \"slots\": 9, \"hosts\": {\"h\": {\"slots\": 9}}, \"consumers\": ["   \
    "{\"name\": \"a\", \"children\": [{\"name\": \"*\", \"limit\": 3, \"weight\": 2}]},"           \
    "{\"name\": \"b\"}], \"windows\": [{\"from\": \"08:00\", \"to\": \"09:00\", \"consumers\": "   \
    "{\"/a/*\": {\"limit\": 1}}}]}"
#define STATE "{\"now\": 0, \"consumers\": {\"/a/z\": {\"demand\": 2}, \"/a/m\": {\"demand\": 2}}}"

static int read_plan(allot_engine *engine, const allot_report *newcomers, allot_plan **out)
{
    allot_policy_loader loader = {.load = loader_load};
    loader.newcomers = allot_report_newcomers(newcomers, &loader.newcomer_count);
    return allot_plan_read(engine, PLAN, strlen(PLAN), "p.json", &loader, NULL, out);
}

static int read_state(const allot_plan *plan, allot_report *report, allot_state **out)
{
    return allot_state_read(plan, STATE, strlen(STATE), "s.json", report, out);
}

static int32_t find(const allot_plan *plan, const char *path)
{
    return allot_plan_find(plan, path, strlen(path));
}

static void a_state_names_newcomers(void)
{
    bench it;
    bench_begin(&it);
    int32_t count;
    const allot_plan *variant;
    CHECK_EQ(read_plan(it.engine, NULL, &it.plan), ALLOT_OK);
    CHECK_EQ(allot_plan_wildcard(it.plan, "/a/z", 4), find(it.plan, "/a/*"));
    CHECK_EQ(allot_plan_wildcard(it.plan, "/b/z", 4), ALLOT_ROOT);
    CHECK_EQ(allot_plan_wildcard(it.plan, "/z", 2), ALLOT_ROOT);
    CHECK_EQ(allot_plan_wildcard(it.plan, "/a/*", 4), ALLOT_ROOT);
    CHECK_EQ(read_state(it.plan, it.report, &it.state), ALLOT_ENOENT);
    CHECK_EQ(allot_report_count(it.report), 0);
    allot_report_newcomers(it.report, &count);
    CHECK_EQ(count, 2);
    CHECK_EQ(allot_report_newcomer(it.report, "/a/z"), ALLOT_OK); /* known */
    CHECK_EQ(allot_report_newcomer(it.report, "/b/z"), ALLOT_OK); /* left out */
    allot_plan_free(it.plan);
    CHECK_EQ(read_plan(it.engine, it.report, &it.plan), ALLOT_OK);
    CHECK_EQ(read_state(it.plan, it.report, &it.state), ALLOT_OK);
    CHECK_EQ(allot_plan_consumers(it.plan), 5);
    CHECK_EQ(find(it.plan, "/a/m"), 3);
    CHECK_EQ(find(it.plan, "/a/z"), 4);
    CHECK_EQ(allot_plan_wildcard_of(it.plan, 4), find(it.plan, "/a/*"));
    CHECK_EQ(allot_plan_wildcard_of(it.plan, 2), ALLOT_ROOT);
    CHECK_EQ(allot_plan_get(it.plan, 0, 4, ALLOT_LIMIT), 3);
    CHECK_EQ(allot_plan_get(it.plan, 0, 4, allot_plan_column(it.plan, "weight", 6)), 2);
    CHECK_EQ(allot_plan_at(it.plan, 8 * 3600, &variant), ALLOT_OK);
    CHECK_EQ(allot_plan_get(variant, 0, 4, ALLOT_LIMIT), 1);
    bench_end(&it);
}

/* The order of calls does not matter: values may be stated after a newcomer is added. */
static void newcomers_are_built(void)
{
    bench it;
    bench_begin(&it);
    int32_t a, wild, newcomer;
    allot_policy *policy = NULL;
    CHECK_EQ(loader_load(NULL, it.engine, "hybrid", NULL, NULL, 0, &policy, NULL), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it.engine, &it.plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, 0, policy), ALLOT_OK);
    allot_policy_free(policy);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_add(it.plan, ALLOT_ROOT, "a", 1, &a), ALLOT_OK);
    CHECK_EQ(allot_plan_newcomer(it.plan, "/a/x", 4, &newcomer), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_add(it.plan, a, "*", 1, &wild), ALLOT_OK);
    CHECK_EQ(allot_plan_add(it.plan, a, "**", 2, &wild), ALLOT_ENAME);
    CHECK_EQ(allot_plan_newcomer(it.plan, "/a/x", 4, &newcomer), ALLOT_OK);
    CHECK_EQ(allot_plan_newcomer(it.plan, "/a/x", 4, &newcomer), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_newcomer(it.plan, "/a/", 3, &newcomer), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_newcomer(it.plan, "a", 1, &newcomer), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_set(it.plan, 0, wild, ALLOT_LIMIT, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, 0, newcomer, ALLOT_LIMIT), 4);
    CHECK_EQ(allot_plan_newcomer(it.plan, "/a/y", 4, &newcomer), ALLOT_EUSAGE);
    bench_end(&it);
}

static int scenario(allot_engine *engine)
{
    allot_report *report = NULL;
    allot_plan *plan = NULL, *grown = NULL;
    allot_state *state = NULL;
    int status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = read_plan(engine, NULL, &plan);
    if (status == ALLOT_OK)
        status = read_state(plan, report, &state);
    if (status == ALLOT_ENOENT)
        status = read_plan(engine, report, &grown);
    if (status == ALLOT_OK)
        status = read_state(grown, report, &state);
    allot_state_free(state);
    allot_plan_free(grown);
    allot_plan_free(plan);
    allot_report_free(report);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(a_state_names_newcomers);
    RUN(newcomers_are_built);
    RUN(memory_may_run_out);
    return check_done();
}
