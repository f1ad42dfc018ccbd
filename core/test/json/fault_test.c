/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fault_test.c: every fault of a plan at its place, in words, and all in one run. */
#include "test/support/json_fixture.h"

typedef struct bad {
    const char *text, *faults, *path, *message, *hint; /* of the first fault */
} bad;

#define A "{\"consumers\": [{\"name\": \"a\"}], "

static const bad bads[] = {
    {"[]", "E-type:1:1", NULL, "found a list, allowed an object", NULL},
    {"7", "E-type:1:1", NULL, "found the number 7, allowed an object", NULL},
    {"{}", "E-missing:1:1", NULL, "\"consumers\" is missing", NULL},
    {A "\"version\": 2}", "E-range:1:43", "version", "found the number 2, allowed only 1", NULL},
    {A "\"slots\": \"x\"}", "E-type:1:41", "slots",
     "found the string \"x\", allowed an integer 0 ... 1000000000", NULL},
    {A "\"slots\": 1.0}", "E-type:1:41", "slots",
     "found the number 1.0, allowed an integer 0 ... 1000000000",
     "write integers without a point or exponent"},
    {A "\"slots\": 1e3}", "E-type:1:41", "slots",
     "found the number 1e3, allowed an integer 0 ... 1000000000",
     "write integers without a point or exponent"},
    {A "\"slots\": -1}", "E-range:1:41", "slots",
     "found the number -1, allowed an integer 0 ... 1000000000", NULL},
    {A "\"slots\": 1000000001}", "E-range:1:41", "slots",
     "found the number 1000000001, allowed an integer 0 ... 1000000000", NULL},
    {A "\"slots\": 18446744073709551617}", "E-range:1:41", "slots",
     "found the number 18446744073709551617, allowed an integer 0 ... 1000000000", NULL},
    {A "\"slots\": -18446744073709551616}", "E-range:1:41", "slots",
     "found the number -18446744073709551616, allowed an integer 0 ... 1000000000", NULL},
    {A "\"slots\": null}", "E-type:1:41", "slots",
     "found null, allowed an integer 0 ... 1000000000", NULL},
    {A "\"slot\": 1}", "E-unknown-key:1:32", "slot", "found the unknown key \"slot\"",
     "did you mean \"slots\"?"},
    {A "\"zebra\": 1}", "E-unknown-key:1:32", "zebra", "found the unknown key \"zebra\"", NULL},
    {A "\"slots\": 1, \"slots\": 2}", "E-duplicate-key:1:44", "slots",
     "found the key \"slots\" again, allowed once in an object", NULL},
    {A "\"slots\": 1, \"\\u0073lots\": 2}", "E-duplicate-key:1:44", "[\"\\u0073lots\"]",
     "found the key \"\\u0073lots\" again, allowed once in an object", NULL},
    {A "\"windows\": 0}", "E-type:1:43", "windows", "found the number 0, allowed a list", NULL},
    {A "\"queues\": {}}", "E-type:1:42", "queues", "found an object, allowed a list or null", NULL},
    {A "\"leases\": 1}", "E-type:1:42", "leases", "found the number 1, allowed a list or null",
     NULL},
    {A "\"limits\": [{\"slots\": 1}]}", "E-queues:1:32", "limits",
     "found \"limits\" in a plan without queues", NULL},
    /* options */
    {A "\"options\": {\"ancestor_grace\": 2}}", "E-type:1:62", "options.ancestor_grace",
     "found the number 2, allowed true or false", NULL},
    {A "\"options\": {\"enforce_share\": \"x\"}}", "E-range:1:61", "options.enforce_share",
     "found \"x\", allowed \"leaf\" or \"parent\"", NULL},
    {A "\"options\": {\"leeway\": -1}}", "E-range:1:54", "options.leeway",
     "found the number -1, allowed an integer 0 ... 1000000000", NULL},
    {A "\"options\": {\"hold_rounding\": 1}}", "E-type:1:61", "options.hold_rounding",
     "found the number 1, allowed true or false", NULL},
    {A "\"options\": {\"hold_roundin\": true}}", "E-unknown-key:1:44", "options.hold_roundin",
     "found the unknown option \"hold_roundin\"", "did you mean \"hold_rounding\"?"},
    {A "\"options\": {\"zebra\": 1}}", "E-option:1:44", "options.zebra", "no such option", NULL},
    {A "\"options\": {\"zebra\": {}}}", "E-type:1:53", "options.zebra",
     "found an object, allowed an integer of 64 bits or true or false or a string or a list", NULL},
    {A "\"options\": {\"zebra\": [\"x\", 5]}}", "E-type:1:59", "options.zebra[1]",
     "found the number 5, allowed a string", NULL},
    /* policies */
    {A "\"policy\": \"none\"}", "E-no-policy:1:42", "policy", "no policy \"none\"", NULL},
    {A "\"policy\": \"mute\"}", "E-policy:1:42", "policy",
     "the policy cannot be loaded: the policy is invalid", NULL},
    {A "\"policy\": {\"use\": \"none\"}}", "E-no-policy:1:50", "policy.use", "no policy \"none\"",
     NULL},
    {A "\"policy\": {\"use\": \"hybrid\", \"zebra\": 1}}", "E-option:1:60", "policy.zebra",
     "no such option", NULL},
    {A "\"policy\": {\"boost\": 1}}", "E-missing:1:42", "policy", "\"use\" is missing", NULL},
    {A "\"policy\": {\"use\": 1}}", "E-type:1:50", "policy.use",
     "found the number 1, allowed a string", NULL},
    {A "\"policy\": 1}", "E-type:1:42", "policy",
     "found the number 1, allowed a string or an object", NULL},
    /* hosts */
    {A "\"hosts\": {\"h\": {}}}", "E-missing:1:47", "hosts.h", "\"slots\" is missing", NULL},
    {A "\"hosts\": {\"h\": {\"slots\": 1, \"x\": [1]}}}", "E-type:1:65", "hosts.h.x",
     "found a list, allowed a number or true or false or a string or null", NULL},
    {A "\"hosts\": {\"h\": {\"slots\": 1, \"gruop\": \"x\"}}}", "E-unknown-key:1:60",
     "hosts.h.gruop", "found the unknown key \"gruop\"", "did you mean \"group\"?"},
    {A "\"hosts\": {\"h\": {\"slot\": 1}}}", "E-unknown-key:1:48 E-missing:1:47", "hosts.h.slot",
     "found the unknown key \"slot\"", "did you mean \"slots\"?"},
    {A "\"hosts\": {\"h\": 5}}", "E-type:1:47", "hosts.h", "found the number 5, allowed an object",
     NULL},
    {A "\"hosts\": {\"\": {\"slots\": 1}}}", "E-name:1:42", "hosts[\"\"]",
     "found the host's name \"\", allowed 1 ... 255 bytes without control characters", NULL},
    {A "\"hosts\": {\"h\": {\"slots\": 1, \"group\": \"defalt\"}}}", "E-unknown-group:1:69",
     "hosts.h.group", "found the unknown group \"defalt\", allowed \"default\"",
     "did you mean \"default\"?"},
    /* consumers */
    {"{\"consumers\": 1}", "E-type:1:15", "consumers", "found the number 1, allowed a list", NULL},
    {"{\"consumers\": [1]}", "E-type:1:16", "consumers[0]", "found the number 1, allowed an object",
     NULL},
    {"{\"consumers\": [{}]}", "E-missing:1:16", "consumers[0]", "\"name\" is missing", NULL},
    {"{\"consumers\": [{\"name\": 1}]}", "E-type:1:25", "consumers[0].name",
     "found the number 1, allowed a string", NULL},
    {"{\"consumers\": [{\"name\": \"1a\"}]}", "E-name:1:25", "consumers[0].name",
     "found \"1a\", allowed a name like [A-Za-z][A-Za-z0-9_-]{0,127}", NULL},
    {"{\"consumers\": [{\"name\": \"a\"},\n{\"name\": \"a\"}]}", "E-duplicate-path:2:10",
     "consumers[1].name", "found the name \"a\" again, allowed once among siblings", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"limt\": 4}]}", "E-unknown-key:1:30", "/a: limt",
     "found the unknown key \"limt\"", "did you mean \"limit\"?"},
    {"{\"consumers\": [{\"name\": \"a\", \"children\": [{\"name\": \"b\", \"rank\": \"x\"}]}]}",
     "E-type:1:65", "/a/b: rank", "found the string \"x\", allowed an integer 0 ... 1000000000",
     NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"owned\": null}]}", "E-type:1:39", "/a: owned",
     "found null, allowed an integer 0 ... 1000000000", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"limit\": true}]}", "E-type:1:39", "/a: limit",
     "found true, allowed an integer 0 ... 1000000000 or null", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"children\": [{\"name\": \"b\", \"policy\": \"x\"}]}]}",
     "E-policy:1:67", "/a/b: policy",
     "a branch goes by one policy: only first-level consumers name one", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"policy\": 1}]}", "E-type:1:40", "/a: policy",
     "found the number 1, allowed a string or an object", NULL},
    {"{\"policy\": \"weigh\", \"consumers\": [{\"name\": \"a\", \"weight\": 11}]}", "E-range:1:59",
     "/a: weight", "found the number 11, allowed an integer 0 ... 10", NULL},
    {"{\"policy\": \"weigh\", \"consumers\": [{\"name\": \"a\", \"spread\": 1}]}", "E-type:1:59",
     "/a: spread", "found the number 1, allowed true or false", NULL},
    {"{\"policy\": \"weigh\", \"consumers\": [{\"name\": \"a\", \"weigth\": 1}]}",
     "E-unknown-key:1:49", "/a: weigth", "found the unknown key \"weigth\"",
     "did you mean \"weight\"?"},
    /* what the model finds, at the values that say it */
    {"{\"consumers\": [{\"name\": \"a\", \"owned\": 3,\n \"reserve\": 4}]}", "E-reserve:2:13", "/a",
     "reserve is 4, at most 3, what it owns, is allowed", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"owned\": 9, \"reserve\": 4, \"limit\": 3}]}",
     "E-limit:1:65", "/a", "limit is 3, at least 4, its reserve, is needed", NULL},
    {"{\"consumers\": [{\"name\": \"a\", \"owned\": 3, \"children\": [\n"
     "{\"name\": \"b\", \"owned\": 4}]}]}",
     "E-unbalanced:1:39", "/a", "owned is 3, but its children own 4: at least that is needed",
     "leave `owned` of a parent out to get the sum of its children's"},
    {"{\"slots\": 2, \"consumers\": [{\"name\": \"a\", \"owned\": 3, \"limit\": 2},"
     "{\"name\": \"b\", \"reserve\": 1}]}",
     "W-overowned:1:11 E-reserve:1:91", NULL,
     "the first level of default owns 3 slots, but only 2 are planned", NULL},
    /* groups */
    {A "\"groups\": {\"1\": {}}}", "E-name:1:43", "groups.1",
     "found \"1\", allowed a name like [A-Za-z][A-Za-z0-9_-]{0,127}", NULL},
    {A "\"groups\": {\"g\": {\"consumers\": {\"/b\": {\"limit\": 1}}}}}", "E-unknown-path:1:63",
     "groups.g.consumers[\"/b\"]", "found the path \"/b\", which no consumer of the plan has",
     NULL},
    {A "\"groups\": {\"g\": {\"consumers\": {\"/a\": {\"name\": \"b\"}}}}}", "E-unknown-key:1:70",
     "/a: name", "found the unknown key \"name\"",
     "allowed are \"lend\", \"borrow\", \"owned\", \"reserve\", \"limit\", \"rank\", "
     "\"share\", \"grace\", \"exclusive\", \"rebalance\""},
    {A
     "\"groups\": {\"g\": {}, \"h\": {\"consumers\":\n{\"/a\": {\"owned\": 1, \"reserve\": 2}}}}}",
     "E-reserve:2:32", "/a", "reserve is 2, at most 1, what it owns, is allowed", NULL},
    {A "\"groups\": {\"g\": {}, \"h\": {}}, \"hosts\": {\"x\": {\"slots\": 1}}}", "E-missing:1:77",
     "hosts.x", "\"group\" is missing: the plan has 2 groups", NULL},
    {"{\"consumers\": [{\"name\": \"sales\", \"children\": [{\"name\": \"emea\"}]}], \"groups\": "
     "{\"g\": {\"consumers\": {\"/sales/emae\": {}}}}}",
     "E-unknown-path:1:99", "groups.g.consumers[\"/sales/emae\"]",
     "found the path \"/sales/emae\", which no consumer of the plan has",
     "did you mean \"/sales/emea\"?"},
};

/* Where no hint is written down, only an unknown key has one: what is allowed. */
static int check_hint(const allot_diagnostic *found, const char *wanted)
{
    bool listed = !wanted && strcmp(found->code, "E-unknown-key") == 0;
    if (!listed)
        return CHECK_STR(found->hint, wanted);
    return CHECK(found->hint != NULL && strncmp(found->hint, "allowed are \"", 13) == 0);
}

static void test_faults(void)
{
    bench it;
    bench_begin(&it);
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        int passed = CHECK_EQ(bench_plan(&it, bads[i].text), ALLOT_EINVALID) & CHECK(!it.plan) &
                     CHECK_STR(bench_faults(&it), bads[i].faults);
        const allot_diagnostic *first = allot_report_at(it.report, 0);
        if (first)
            passed &= CHECK_STR(first->message, bads[i].message) &
                      CHECK_STR(first->path, bads[i].path) & check_hint(first, bads[i].hint) &
                      CHECK_STR(first->file, "plan.json");
        if (!passed)
            printf("# in case %zu: %s\n", i, bads[i].text);
    }
    bench_end(&it);
}

/* One run shows all, and nothing that only follows from another fault. */
static void test_all_faults(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it,
                        "{\"slots\": true,\n"
                        " \"consumers\": [\n"
                        "  {\"name\": \"a\", \"owned\": \"9\", \"reserve\": 4},\n"
                        "  {\"name\": \"b\", \"ownd\": 9, \"reserve\": 4},\n"
                        "  {\"name\": \"?\", \"children\": [{\"name\": \"x\", \"rank\": -1}]},\n"
                        "  {\"name\": \"c\", \"reserve\": 4}],\n"
                        " \"groups\": {\"g\": {\"consumers\": {\"/z\": {\"rank\": 1.5}}}},\n"
                        " \"hosts\": {\"h\": {}}, \"polcy\": 1}"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-type:1:11 E-unknown-key:8:22 E-missing:8:17 E-type:3:26 "
                                 "E-unknown-key:4:17 E-name:5:12 E-range:5:52 E-unknown-path:7:33 "
                                 "E-type:7:48 E-reserve:6:28");
    bench_end(&it);
}

/* A policy that fails is no reason to doubt the consumers' attributes, nor to stop. */
static void test_failed_policy(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, "{\"policy\": \"none\", \"consumers\": [{\"name\": \"a\", \"x\": 1,"
                             " \"rank\": -1},\n{\"name\": \"b\", \"reserve\": 1}]}"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-no-policy:1:12 E-range:1:64 E-reserve:2:26");
    bench_end(&it);
}

/* ... but slips for what every consumer may state are told, where it is not stated. */
static void test_failed_policy_slips(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, "{\"policy\": \"none\", \"consumers\": [\n"
                             "{\"nmae\": \"a\"},\n"
                             "{\"name\": \"b\", \"childern\": []},\n"
                             "{\"name\": \"c\", \"ownd\": 1, \"level\": 3},\n"
                             "{\"name\": \"d\", \"limit\": 3, \"limit2\": 3}],\n"
                             "\"groups\": {\"g\": {\"consumers\": {\"/d\": {\"rnak\": 1}}}}}"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-no-policy:1:12 E-unknown-key:2:2 E-missing:2:1 "
                                 "E-unknown-key:3:15 E-unknown-key:4:15 E-unknown-key:6:39");
    CHECK_STR(allot_report_at(it.report, 4)->hint, "did you mean \"owned\"?");
    bench_end(&it);
}

/* A plan is as it should be, but its policies are away: that is no fault of the plan. */
static void test_unread_policy(void)
{
    static const char away[] = "{\"policy\": \"away\", \"consumers\": [{\"name\": \"a\"%s}]}";
    char text[200];
    bench it;
    bench_begin(&it);
    snprintf(text, sizeof text, away, ", \"weight\": 3");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EIO);
    CHECK(!it.plan);
    CHECK_STR(bench_faults(&it), "E-io:1:12");
    snprintf(text, sizeof text, away, ", \"policy\": {\"use\": \"away\"}");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EIO);
    CHECK_STR(bench_faults(&it), "E-io:1:12 E-io:1:66");
    snprintf(text, sizeof text, away, ", \"policy\": \"none\"");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    snprintf(text, sizeof text, away, ", \"rank\": -1");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    snprintf(text, sizeof text, away, ", \"reserve\": 1");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    bench_end(&it);
}

static void test_many_faults(void)
{
    static char text[20000];
    size_t len = (size_t)sprintf(text, "{\"consumers\": [");
    bench it;
    bench_begin(&it);
    for (int i = 0; i < 200; i++)
        len += (size_t)sprintf(text + len, "%s\n{\"name\": \"c%d\", \"rank\": -1}",
                               i > 0 ? "," : "", i);
    sprintf(text + len, "]}");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_EQ(allot_report_count(it.report), 50);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 200);
    CHECK_EQ(allot_report_at(it.report, 49)->line, 51);
    CHECK_STR(allot_report_at(it.report, 49)->source, "{\"name\": \"c49\", \"rank\": -1},");
    bench_end(&it);
}

static void test_many_keys(void)
{
    static char text[20000];
    size_t len = (size_t)sprintf(text, A "\"hosts\": {");
    bench it;
    bench_begin(&it);
    for (int i = 0; i < 300; i++)
        len += (size_t)sprintf(text + len, "\"h%d\": {\"slots\": 1}, ", i);
    sprintf(text + len, "\n\"h299\": {\"slots\": 1}, \"h\\u0030\": {\"slots\": 1}}}");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-duplicate-key:2:1 E-duplicate-key:2:23");
    bench_end(&it);
}

static void test_no_loader(void)
{
    bench it;
    static const char named[] = "{\"consumers\": [], \"policy\": \"hybrid\"}";
    bench_begin(&it);
    CHECK_EQ(allot_plan_read(it.engine, named, strlen(named), NULL, NULL, it.report, &it.plan),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-policy:1:29");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "the plan names a policy, and this program loads none");
    CHECK_EQ(allot_plan_read(it.engine, named, strlen(named), NULL, NULL, NULL, &it.plan),
             ALLOT_EINVALID);
    CHECK(!it.plan);
    bench_end(&it);
}

int main(void)
{
    RUN(test_faults);
    RUN(test_all_faults);
    RUN(test_failed_policy);
    RUN(test_failed_policy_slips);
    RUN(test_unread_policy);
    RUN(test_many_faults);
    RUN(test_many_keys);
    RUN(test_no_loader);
    return check_done();
}
