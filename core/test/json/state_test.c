/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_test.c: states as documents: what they say, and every fault at its place. */
#include "test/support/json_fixture.h"

static const char one[] = "{\"slots\": 10, \"consumers\": [{\"name\": \"a\", \"children\": "
                          "[{\"name\": \"b\", \"owned\": 4}]}, {\"name\": \"c\"}],"
                          "\"hosts\": {\"h1\": {\"slots\": 4}, \"h2\": {\"slots\": 3}}}";
static const char two[] = "{\"slots\": 10, \"consumers\": [{\"name\": \"a\"}, {\"name\": \"c\"}],"
                          "\"groups\": {\"cpu\": {}, \"gpu\": {}}}";

/* ---- What is read ---- */

static void test_whole_state(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    CHECK_EQ(
        bench_state(&it,
                    "{\"now\": 1700000000, \"slots\": 12,\n"
                    " \"consumers\": {\"/a/b\": {\"demand\": 7, \"allocated\": 5, \"sharing\": {}},"
                    "                 \"/c\": {\"demand\": 3}},\n"
                    " \"hosts\": {\"h1\": {\"load\": 0.5, \"closed\": \"drain\"}},\n"
                    " \"tasks\": [{\"id\": \"t1\", \"consumer\": \"/c\", \"slots\": 2,"
                    "   \"session\": \"s\", \"host\": \"h1\", \"slot\": 3,"
                    "   \"started\": \"2023-11-14T22:13:20Z\", \"submitted\": null},\n"
                    "  {\"id\": \"t2\", \"consumer\": \"/c\"}],\n"
                    " \"reclaims\": [{\"id\": \"r\", \"consumer\": \"/a/b\", \"slots\": 2,"
                    "   \"tasks\": [\"t9\"], \"for\": [{\"consumer\": \"/c\", \"slots\": 1}],"
                    "   \"deadline\": 1700000100}],\n"
                    " \"sessions\": [], \"loans\": [], \"jobs\": [], \"leases\": {},"
                    " \"usage\": {}, \"usage_at\": null}"),
        ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    int32_t b = bench_find(&it, "/a/b"), c = bench_find(&it, "/c");
    CHECK_EQ(allot_state_now_get(it.state), 1700000000);
    CHECK_EQ(allot_state_slots_get(it.state, 0), 12);
    CHECK_EQ(allot_state_demand_get(it.state, 0, b), 7);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, b), 5);
    CHECK_EQ(allot_state_demand_get(it.state, 0, c), 3);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, c), 3); /* its tasks' slots */
    bench_end(&it);
}

static int64_t slots_of(bench *it, const char *hosts)
{
    char text[400];
    snprintf(text, sizeof text, "{\"now\": 0, \"hosts\": %s}", hosts);
    CHECK_EQ(bench_state(it, text), ALLOT_OK);
    return allot_state_slots_get(it->state, 0);
}

static void test_hosts(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    CHECK_EQ(slots_of(&it, "{}"), 7);
    CHECK_EQ(slots_of(&it, "{\"h1\": {\"closed\": \"drain\"}}"), 3);
    CHECK_EQ(slots_of(&it, "{\"h2\": {\"closed\": \"reclaim\"}}"), 4);
    CHECK_EQ(slots_of(&it, "{\"h1\": {\"closed\": false, \"slots\": 9}}"), 12);
    CHECK_EQ(slots_of(&it, "{\"new\": {\"slots\": 5}}"), 12);
    bench_end(&it);
}

static void test_groups(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, two), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": 5, \"slots\": {\"gpu\": 3},"
                              " \"consumers\": {\"/a\": {\"demand\": {\"cpu\": 1, \"gpu\": 2}}},"
                              " \"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\","
                              "             \"group\": \"gpu\"}]}"),
             ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    int32_t a = bench_find(&it, "/a"), c = bench_find(&it, "/c");
    CHECK_EQ(allot_state_slots_get(it.state, 0), 10);
    CHECK_EQ(allot_state_slots_get(it.state, 1), 3);
    CHECK_EQ(allot_state_demand_get(it.state, 0, a), 1);
    CHECK_EQ(allot_state_demand_get(it.state, 1, a), 2);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, c), 0);
    CHECK_EQ(allot_state_allocated_get(it.state, 1, c), 1);
    bench_end(&it);
}

/* ---- Times ---- */

static const struct {
    const char *text;
    int64_t now;
} times[] = {
    {"0", 0},
    {"9007199254740993", INT64_C(9007199254740993)}, /* a double would lose it */
    {"9223372036854775807", INT64_MAX},
    {"-9223372036854775808", INT64_MIN},
    {"\"1970-01-01T00:00:00Z\"", 0},
    {"\"1969-12-31T23:59:59z\"", -1},
    {"\"2000-02-29T12:00:00+00:00\"", 951825600},
    {"\"2026-01-31T08:00:00+01:00\"", 1769842800},
    {"\"2026-01-31t08:00:00.999-05:30\"", 1769866200},
    {"\"2016-12-31T23:59:60Z\"", 1483228800},
    {"\"0000-01-01T00:00:00Z\"", INT64_C(-62167219200)},
    {"\"0000-03-01T00:00:00Z\"", INT64_C(-62162035200)},
    {"\"9999-12-31T23:59:59Z\"", INT64_C(253402300799)},
    {"\"1900-03-01T00:00:00-00:00\"", INT64_C(-2203891200)},
};

static void test_times(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"now\": %s}", times[i].text);
        CHECK_EQ(bench_state(&it, text), ALLOT_OK);
        if (!CHECK_EQ(allot_state_now_get(it.state), times[i].now))
            printf("# now %s\n", times[i].text);
    }
    bench_end(&it);
}

static void test_bad_times(void)
{
    static const char *const bad[] = {"2023-02-29T00:00:00Z",
                                      "2024-13-01T00:00:00Z",
                                      "2024-00-01T00:00:00Z",
                                      "2024-01-01T24:00:00Z",
                                      "2024-01-01T00:60:00Z",
                                      "2024-01-01T00:00:61Z",
                                      "2024-01-01T00:00:00",
                                      "2024-01-01 00:00:00Z",
                                      "2024-01-01T00:00:00+1:00",
                                      "2024-01-01T00:00:00.Z",
                                      "2024-01-01T00:00:00+01:60",
                                      "2024-01-01T00:00:00Zx",
                                      "2024-1-01T00:00:00Z",
                                      "1900-02-29T00:00:00Z",
                                      "",
                                      "now",
                                      "2024-01-01T00:00:00+24:00"};
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"now\": \"%s\"}", bad[i]);
        int passed = CHECK_EQ(bench_state(&it, text), ALLOT_EINVALID);
        if (!(passed & CHECK_STR(bench_faults(&it), "E-range:1:9")))
            printf("# now %s\n", bad[i]);
    }
    bench_end(&it);
}

/* ---- Faults ---- */

typedef struct bad {
    const char *plan, *text, *faults, *path, *message; /* of the first fault */
} bad;

static const bad bads[] = {
    {one, "{}", "E-missing:1:1", NULL, "\"now\" is missing"},
    {one, "{\"now\": 1.5}", "E-type:1:9", "now",
     "found the number 1.5, allowed an integer of 64 bits or a string"},
    {one, "{\"now\": 9223372036854775808}", "E-range:1:9", "now",
     "found the number 9223372036854775808, allowed an integer of 64 bits or a string"},
    {one, "{\"now\": 1, \"demand\": {}}", "E-unknown-key:1:12", "demand",
     "found the unknown key \"demand\""},
    {one, "{\"now\": 1, \"jobs\": [1]}", "E-queues:1:12", "jobs",
     "found \"jobs\" beside a plan without queues"},
    {one, "{\"now\": 1, \"usage\": {\"q\": 1}, \"usage_at\": 5}", "E-queues:1:12", "usage",
     "found \"usage\" beside a plan without queues"},
    {one, "{\"now\": 1, \"usage_at\": true}", "E-type:1:24", "usage_at",
     "found true, allowed an integer of 64 bits or a string or null"},
    {one, "{\"now\": 1,\n\"consumers\": {\"/a/x\": {}}}", "E-unknown-path:2:15",
     "consumers[\"/a/x\"]", "found the path \"/a/x\", which no consumer of the plan has"},
    {one, "{\"now\": 1,\n\"consumers\": {\"a/b\": {}}}", "E-unknown-path:2:15",
     "consumers[\"a/b\"]",
     "found the path \"a/b\", which no consumer of the plan has; paths begin with \"/\""},
    {one, "{\"now\": 1,\n\"consumers\": {\"/a\": {\"demand\": 1}}}", "E-not-leaf:2:15",
     "consumers[\"/a\"]", "found \"/a\", which has children, allowed only consumers without"},
    {one, "{\"now\": 1,\n\"consumers\": {\"/c\": {\"demand\": -1}}}", "E-range:2:32", "/c: demand",
     "found the number -1, allowed an integer 0 ... 1000000000 or an object"},
    {one, "{\"now\": 1,\n\"consumers\": {\"/c\": {\"demand\": {\"default\": 1, \"x\": 2}}}}",
     "E-unknown-group:2:47", "/c: demand.x", "found the unknown group \"x\", allowed \"default\""},
    {one, "{\"now\": 1,\n\"consumers\": {\"/c\": {\"sharing\": {\"x\": 1}}}}", "E-unsupported:2:22",
     "/c: sharing", "\"sharing\" is not in this version yet, allowed only empty"},
    {one, "{\"now\": 1,\n\"consumers\": {\"/c\": {}, \"\\u002fc\": {}}}", "E-duplicate-key:2:25",
     "consumers[\"\\u002fc\"]", "found the key \"\\u002fc\" again, allowed once in an object"},
    {two, "{\"now\": 1, \"slots\": 5}", "E-type:1:21", "slots",
     "found one number, allowed {group: number}: the plan has 2 groups"},
    {two, "{\"now\": 1,\n\"consumers\": {\"/a\": {\"demand\": 1}}}", "E-type:2:32", "/a: demand",
     "found one number, allowed {group: number}: the plan has 2 groups"},
    {two, "{\"now\": 1, \"tasks\": [{\"id\": \"t\", \"consumer\": \"/a\"}]}", "E-missing:1:22",
     "tasks[0]", "\"group\" is missing: the plan has 2 groups"},
    {one, "{\"now\": 1, \"hosts\": {\"h9\": {}}}", "E-unknown-host:1:22", "hosts.h9",
     "found the host \"h9\", which the plan does not have: \"slots\" is missing"},
    {one, "{\"now\": 1, \"hosts\": {\"h1\": {\"closed\": true}}}", "E-range:1:39",
     "hosts.h1.closed", "found true, allowed false, \"drain\" or \"reclaim\""},
    {one, "{\"now\": 1, \"hosts\": {\"h1\": {\"exclusive_to\": 7}}}", "E-type:1:45",
     "hosts.h1.exclusive_to", "found the number 7, allowed a string or null"},
    {one, "{\"now\": 1, \"tasks\": [{\"consumer\": \"/c\"}]}", "E-missing:1:22", "tasks[0]",
     "\"id\" is missing"},
    {one,
     "{\"now\": 1, \"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\"},\n"
     "{\"id\": \"t\", \"consumer\": \"/c\"}]}",
     "E-duplicate-id:2:8", "tasks[1].id", "found the task \"t\" again, allowed once"},
    {one, "{\"now\": 1, \"tasks\": [{\"id\": \"t\", \"consumer\": \"/a\"}]}", "E-not-leaf:1:46",
     "tasks[0].consumer", "found \"/a\", which has children, allowed only consumers without"},
    {one, "{\"now\": 1, \"tasks\": [{\"id\": \"\", \"consumer\": \"/c\", \"slots\": 0}]}",
     "E-range:1:60", "tasks[0].slots",
     "found the number 0, allowed an integer 1 ... 1000000000 or an object"},
    {one, "{\"now\": 1, \"tasks\": [{\"id\": \"\", \"consumer\": \"/c\"}]}", "E-name:1:29",
     "tasks[0].id", "found \"\", allowed 1 ... 255 bytes"},
    {one,
     "{\"now\": 1, \"reclaims\": [{\"consumer\": \"/c\", \"slots\": 2, \"for\": [\n"
     "{\"consumer\": \"/a/b\", \"slots\": 3}]}]}",
     "E-claims:1:63", "reclaims[0].for", "found claims of 3 slots, allowed 2, what is given back"},
    {one, "{\"now\": 1, \"reclaims\": [{\"consumer\": \"/c\", \"slots\": 2, \"tasks\": [1]}]}",
     "E-type:1:66", "reclaims[0].tasks[0]", "found the number 1, allowed a string"},
    {one, "{\"now\": 1, \"reclaims\": [{\"consumer\": \"/c\"}]}", "E-missing:1:25", "reclaims[0]",
     "\"slots\" is missing"},
    /* what the model finds */
    {one,
     "{\"now\": 1, \"consumers\": {\"/c\": {\"demand\": 1,\n \"allocated\": 1}},"
     " \"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\", \"slots\": 2}]}",
     "E-allocated:2:15", "/c", "allocated is 1, at least 2, what its tasks hold, is needed"},
    {one,
     "{\"now\": 1,\n\"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\", \"slots\": 1000000000},"
     "{\"id\": \"u\", \"consumer\": \"/c\"}]}",
     "E-allocated:2:10", "/c", "its tasks hold 1000000001 slots, at most 1000000000 are allowed"},
};

static void test_faults(void)
{
    bench it;
    bench_begin(&it);
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        CHECK_EQ(bench_plan(&it, bads[i].plan), ALLOT_OK);
        int passed = CHECK_EQ(bench_state(&it, bads[i].text), ALLOT_EINVALID) & CHECK(!it.state) &
                     CHECK_STR(bench_faults(&it), bads[i].faults);
        const allot_diagnostic *first = allot_report_at(it.report, 0);
        if (first)
            passed &= CHECK_STR(first->message, bads[i].message) &
                      CHECK_STR(first->path, bads[i].path) & CHECK_STR(first->file, "state.json");
        if (!passed)
            printf("# in case %zu: %s\n", i, bads[i].text);
    }
    bench_end(&it);
}

static void test_all_faults(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": \"x\", \"slots\": -1,\n"
                              " \"consumers\": {\"/b\": {\"demand\": -1},\n"
                              "  \"/c\": {\"demand\": 1, \"dmand\": 2}},\n"
                              " \"hosts\": {\"h1\": {\"load\": \"x\"}},\n"
                              " \"tasks\": [{\"id\": 7, \"consumer\": \"/q\"}, 5]}"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it),
              "E-range:1:23 E-range:1:9 E-unknown-path:2:16 E-range:2:33 E-unknown-key:3:23 "
              "E-type:4:27 E-type:5:19 E-unknown-path:5:34 E-type:5:41");
    bench_end(&it);
}

static void test_warnings(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, one), ALLOT_OK);
    CHECK_EQ(
        bench_state(&it, "{\"now\": 1,\n\"reclaims\": [{\"consumer\": \"/c\", \"slots\": 2}]}"),
        ALLOT_OK);
    CHECK_STR(bench_faults(&it), "W-in-flight:2:13");
    bench_end(&it);
}

/* ---- Memory ---- */

static int scenario(allot_engine *engine)
{
    static const char text[] =
        "{\"now\": 1, \"slots\": {\"default\": 9}, \"consumers\": {\"/c\": {\"demand\": 7}},"
        "\"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\", \"host\": \"h1\"}], \"hosts\": {\"h1\":"
        "{\"slots\": 3}}, \"reclaims\": [{\"id\": \"r\", \"consumer\": \"/c\", \"slots\": 1, "
        "\"for\":"
        "[{\"consumer\": \"/a/b\", \"slots\": 1}]}]}";
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    int status = allot_plan_read(engine, one, strlen(one), "p", &loader, NULL, &plan);
    if (status == ALLOT_OK)
        status = allot_state_read(plan, text, strlen(text), "s", NULL, &state);
    if (status != ALLOT_OK)
        CHECK(!state);
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

/* The same with all that tasks and hosts can say. */
static int task_scenario(allot_engine *engine)
{
    static const char planned[] = "{\"policy\": \"weigh\", \"consumers\": [{\"name\": \"c\"}]}";
    static const char text[] =
        "{\"now\": 1, \"slots\": 9, \"sessions\": [{\"id\": \"s\", \"consumer\": \"/c\"}],"
        "\"hosts\": {\"h\": {\"slots\": 3, \"load\": 0.25, \"exclusive_to\": \"/c\"}},"
        "\"tasks\": [{\"id\": \"t\", \"consumer\": \"/c\", \"host\": \"h\", \"slot\": 1, \"cost\": "
        "3,"
        "\"session\": \"s\", \"tags\": [\"gold\", \"new\"]},"
        "{\"id\": \"u\", \"consumer\": \"/c\", \"host\": \"h\", \"slot\": \"1\"}]}";
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_task task;
    int status = allot_plan_read(engine, planned, strlen(planned), "p", &loader, NULL, &plan);
    if (status == ALLOT_OK)
        status = allot_state_read(plan, text, strlen(text), "s", NULL, &state);
    if (status == ALLOT_OK) {
        CHECK_EQ(allot_state_allocated_get(state, 0, 0), 1);
        CHECK_EQ(allot_state_task_at(state, 0, &task), ALLOT_OK);
        CHECK(task.value_count == 1 && task.values[0].value == 3 && task.tag_count == 2);
        CHECK_STR(task.tags[0], "gold");
    }
    allot_state_free(state);
    allot_plan_free(plan);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(scenario));
    CHECK(oom_each(task_scenario));
}

int main(void)
{
    RUN(test_whole_state);
    RUN(test_hosts);
    RUN(test_groups);
    RUN(test_times);
    RUN(test_bad_times);
    RUN(test_faults);
    RUN(test_all_faults);
    RUN(test_warnings);
    RUN(test_out_of_memory);
    return check_done();
}
