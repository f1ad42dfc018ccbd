/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan_test.c: plans as documents: what they say. */
#include "test/support/json_fixture.h"

/* ---- What is read ---- */

static void test_whole_plan(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it,
                        "{\"version\": 1, \"slots\": 20,\n"
                        " \"consumers\": [\n"
                        "  {\"children\": [{\"name\": \"b\", \"owned\": 4, \"reserve\": 1},\n"
                        "                 {\"name\": \"c\", \"limit\": null}],\n"
                        "   \"name\": \"a\", \"owned\": 9, \"rank\": 3, \"limit\": 15,\n"
                        "   \"share\": 2, \"grace\": 60},\n"
                        "  {\"name\": \"d-1_X\"}],\n"
                        " \"hosts\": {\"h 1\": {\"slots\": 3, \"ram\": 1.5, \"tag\": \"x\"}},\n"
                        " \"options\": {\"leeway\": 300, \"default_rank\": 7,\n"
                        "               \"hold_rounding\": true, \"enforce_share\": \"leaf\",\n"
                        "               \"ancestor_grace\": false},\n"
                        " \"windows\": [], \"queues\": [], \"leases\": []}"),
             ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    CHECK_EQ(allot_plan_consumers(it.plan), 4);
    CHECK_EQ(allot_plan_groups(it.plan), 1);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 20);
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_DEFAULT_RANK), 7);
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_HOLD_ROUNDING), 1);
    int32_t a = bench_find(&it, "/a"), b = bench_find(&it, "/a/b"), c = bench_find(&it, "/a/c");
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_OWNED), 9);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_RANK), 3);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_LIMIT), 15);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_SHARE), 2);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_GRACE), 60);
    CHECK_EQ(allot_plan_get(it.plan, 0, b, ALLOT_RESERVE), 1);
    CHECK_EQ(allot_plan_get(it.plan, 0, c, ALLOT_LIMIT), ALLOT_NONE);
    CHECK(bench_find(&it, "/d-1_X") >= 0);
    CHECK_STR(it.seen.text, "hybrid enforce_share='leaf'");
    bench_end(&it);
}

static void test_policies(void)
{
    bench it;
    bench_begin(&it);
    /* The policy is behind the consumers that state its attributes. */
    CHECK_EQ(bench_plan(&it, "{\"consumers\": [{\"name\": \"a\", \"weight\": 7, \"spread\": true,"
                             " \"level\": null}, {\"name\": \"b\", \"level\": -5}],"
                             " \"options\": {\"evenly\": true},"
                             " \"policy\": {\"boost\": 3, \"use\": \"weigh\","
                             " \"hold_rounding\": true, \"keep_shrunk_ownership\": false}}"),
             ALLOT_OK);
    CHECK_STR(it.seen.text, "weigh evenly=1 boost=3!");
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_HOLD_ROUNDING), 1);
    int32_t weight = allot_plan_column(it.plan, "weight", 6);
    int32_t level = allot_plan_column(it.plan, "level", 5);
    int32_t spread = allot_plan_column(it.plan, "spread", 6);
    int32_t a = bench_find(&it, "/a"), b = bench_find(&it, "/b");
    CHECK_EQ(allot_plan_get(it.plan, 0, a, weight), 7);
    CHECK_EQ(allot_plan_get(it.plan, 0, b, weight), 1);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, level), ALLOT_NONE);
    CHECK_EQ(allot_plan_get(it.plan, 0, b, level), -5);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, spread), 1);
    bench_end(&it);
}

/* Lists arrive as texts; escapes are undone, and who stands elsewhere is not touched. */
static void test_words(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it,
                        "{\"options\": {\"zebra\": [\"x\"], \"boost\": \"a b\"},"
                        " \"consumers\": [{\"name\": \"a\"}], \"groups\": {\"g\": {\"policy\":"
                        " {\"boost\": [\"mini\", \"u\\u0073er\", \"\"], \"use\": \"weigh\"}}}}"),
             ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    CHECK_STR(it.seen.text, "weigh zebra=[x] boost='a b' boost=[mini user ]!");
    CHECK_EQ(bench_plan(&it, "{\"consumers\": [{\"name\": \"a\"}], \"policy\":"
                             " {\"use\": \"weigh\", \"boost\": []}}"),
             ALLOT_OK);
    CHECK_STR(it.seen.text, "weigh boost=[]!");
    bench_end(&it);
}

static void test_groups(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(
        bench_plan(&it,
                   "{\"slots\": 50, \"policy\": {\"use\": \"hybrid\", \"default_rank\": 4},"
                   " \"consumers\": [{\"name\": \"a\", \"owned\": 5, \"limit\": 9,"
                   "   \"children\": [{\"name\": \"b\", \"owned\": 2}]}],"
                   " \"groups\": {"
                   "  \"gpu\": {\"slots\": 8, \"policy\": {\"use\": \"weigh\", \"boost\": \"x\"},"
                   "   \"consumers\": {\"/a\": {\"limit\": null, \"owned\": 6},"
                   "                   \"/a/b\": {\"weight\": 3}}},"
                   "  \"cpu\": {}},"
                   " \"hosts\": {\"g1\": {\"slots\": 8, \"group\": \"gpu\"}}}"),
        ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    CHECK_EQ(it.seen.count, 2);
    CHECK_STR(it.seen.text, "weigh boost='x'!");
    CHECK_EQ(allot_plan_groups(it.plan), 2);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 8);
    CHECK_EQ(allot_plan_group_slots(it.plan, 1), 50);
    CHECK_STR(allot_policy_name(allot_plan_group_policy(it.plan, 0)), "weigh");
    CHECK_STR(allot_policy_name(allot_plan_group_policy(it.plan, 1)), "hybrid");
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_DEFAULT_RANK), 0);
    CHECK_EQ(allot_plan_option_get(it.plan, 1, ALLOT_OPTION_DEFAULT_RANK), 4);
    int32_t a = bench_find(&it, "/a"), b = bench_find(&it, "/a/b");
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_OWNED), 6);
    CHECK_EQ(allot_plan_get(it.plan, 1, a, ALLOT_OWNED), 5);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_LIMIT), ALLOT_NONE);
    CHECK_EQ(allot_plan_get(it.plan, 1, a, ALLOT_LIMIT), 9);
    CHECK_EQ(allot_plan_get(it.plan, 0, b, allot_plan_column(it.plan, "weight", 6)), 3);
    bench_end(&it);
}

/* ---- Memory ---- */

static int scenario(allot_engine *engine)
{
    static const char text[] =
        "// a comment\n{\"policy\": {\"use\": \"weigh\", \"boost\": [\"a\", \"b\"]}, "
        "\"options\": {\"evenly\": true},"
        "\"consumers\": [{\"name\": \"a\", \"owned\": 9, \"children\": [{\"name\": \"b\","
        "\"weight\": 2, \"borrow\": [\"all\"]}]}, {\"name\": \"c\", \"lend\": \"/a/b\"}],"
        "\"hosts\": {\"h\": {\"slots\": 1, \"os\": \"x\"},"
        "\"i\": {\"slots\": 2, \"ghz\": 1.5, \"gpu\": true}},"
        "\"groups\": {\"g\": {\"slots\": 3, \"policy\": \"hybrid\", \"consumers\": {\"/a/b\":"
        "{\"rank\": 5}}}}}";
    static const char faulty[] =
        "{\"slots\": \"x\", \"consumers\": [{\"name\": \"a\", \"ownd\": 1}, {\"name\": \"b\","
        "\"reserve\": 1}]}";
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    allot_report *report = NULL;
    allot_plan *plan = NULL;
    int status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, text, strlen(text), "p", &loader, report, &plan);
    if (status != ALLOT_OK)
        CHECK(!plan);
    allot_plan_free(plan);
    plan = NULL;
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, faulty, strlen(faulty), "p", &loader, report, &plan);
    CHECK(!plan);
    allot_report_free(report);
    return status == ALLOT_EINVALID ? ALLOT_OK : status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_whole_plan);
    RUN(test_policies);
    RUN(test_words);
    RUN(test_groups);
    RUN(test_out_of_memory);
    return check_done();
}
