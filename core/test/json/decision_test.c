/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision_test.c: decisions and reports as documents, byte by byte. */
#include "test/support/json_fixture.h"

/* Keeps what was written; fails at the call `fail_at` (from 1). */
typedef struct paper {
    char text[300000];
    size_t len;
    int calls, fail_at;
} paper;

static paper written;

static int write_paper(void *ud, const char *text, size_t len)
{
    paper *it = ud;
    if (++it->calls == it->fail_at || it->len + len >= sizeof it->text)
        return 1;
    memcpy(it->text + it->len, text, len);
    it->len += len;
    it->text[it->len] = '\0';
    return 0;
}

static void paper_clear(int fail_at)
{
    memset(&written, 0, sizeof written);
    written.fail_at = fail_at;
}

static int decide(bench *it, const char *plan, const char *state, allot_decision **out)
{
    CHECK_EQ(bench_plan(it, plan), ALLOT_OK);
    CHECK_EQ(bench_state(it, state), ALLOT_OK);
    return allot_cycle(it->plan, it->state, it->report, out);
}

/* /a owns 6 of 10 and wants them back from /b, which owns 4 and holds 7. */
static const char plan[] = "{\"slots\": 10, \"consumers\": [{\"name\": \"a\", \"owned\": 6},"
                           "{\"name\": \"b\", \"owned\": 4, \"grace\": 30}]}";
static const char state[] =
    "{\"now\": 9007199254740993, \"consumers\": {\"/a\": {\"demand\": 9, \"allocated\": 2},"
    "\"/b\": {\"demand\": 9, \"allocated\": 7}}}";

static const char wanted[] =
    "{\"schema\": \"allot/decision/v1\", \"now\": 9007199254740993, "
    "\"policy\": {\"name\": \"hybrid\", \"sha256\": \"\"}, \"groups\": {\n"
    "\"default\": {\"slots\": 10, \"idle\": 1, \"idle_left\": 0, \"held\": 0, \"owned\": \"10\", "
    "\"reserve\": 0, \"demand\": 18, \"allocated\": 9, \"own_used\": 6, \"lent\": 3, "
    "\"borrowed\": 3, \"shared\": 0, \"planned\": 10, \"consumers\": [\n"
    "{\"path\": \"/a\", \"demand\": 9, \"need\": 9, \"owned\": \"6\", \"reserve\": 0, "
    "\"exact\": \"6\", \"quota\": 6, \"parts\": {\"owned\": 6}, \"allocated\": 2, "
    "\"in_flight\": 0, \"granted\": 1, \"held\": 0, \"received\": 1, \"over\": 0, \"deficit\": 3, "
    "\"earmarked\": 0, \"reclaimed\": 0, \"free\": 0, \"own_used\": 2, \"lent\": 3, "
    "\"borrowed\": 0, \"shared\": 0, \"planned\": 6, \"forced\": 0, \"held_back\": 0, "
    "\"waiting_since\": 9007199254740993},\n"
    "{\"path\": \"/b\", \"demand\": 9, \"need\": 9, \"owned\": \"4\", \"reserve\": 0, "
    "\"exact\": \"4\", \"quota\": 4, \"parts\": {\"owned\": 4}, \"allocated\": 7, "
    "\"in_flight\": 0, \"granted\": 0, \"held\": 0, \"received\": 0, \"over\": 3, \"deficit\": 0, "
    "\"earmarked\": 0, \"reclaimed\": 3, \"free\": 0, \"own_used\": 4, \"lent\": 0, "
    "\"borrowed\": 3, \"shared\": 0, \"planned\": 4, \"forced\": 0, \"held_back\": 0}]}},\n"
    "\"grants\": [\n{\"group\": \"default\", \"consumer\": \"/a\", \"slots\": 1}],\n"
    "\"reclaims\": [\n{\"group\": \"default\", \"consumer\": \"/b\", \"slots\": 3, "
    "\"for\": [{\"consumer\": \"/a\", \"slots\": 3}], \"grace\": 30, "
    "\"deadline\": 9007199254741023, \"tasks\": [], \"lost\": 0, \"why\": {\"code\": "
    "\"over-quota\", "
    "\"allocated\": 7, \"quota\": 4, \"target\": 4, \"over\": 3}}],\n"
    "\"sessions\": [],\n\"flights\": [],\n"
    "\"starts\": [], \"suspends\": [], \"resumes\": [], \"kills\": [],\n\"loans\": [], "
    "\"leases\": {}, \"warnings\": []}\n";

static void test_decision(void)
{
    bench it;
    allot_decision *decision = NULL;
    bench_begin(&it);
    CHECK_EQ(decide(&it, plan, state, &decision), ALLOT_OK);
    paper_clear(0);
    CHECK_EQ(allot_decision_write(decision, it.report, write_paper, &written), ALLOT_OK);
    CHECK_STR(written.text, wanted);
    paper_clear(1);
    CHECK_EQ(allot_decision_write(decision, NULL, write_paper, &written), ALLOT_EIO);
    CHECK_EQ(allot_decision_write(decision, NULL, NULL, NULL), ALLOT_EUSAGE);
    allot_decision_free(decision);
    bench_end(&it);
}

static void test_groups_and_warnings(void)
{
    bench it;
    allot_decision *decision = NULL;
    bench_begin(&it);
    CHECK_EQ(decide(&it,
                    "{\"consumers\": [{\"name\": \"a\", \"owned\": 3}], \"groups\": {\"cpu\": {},"
                    "\"gpu\": {\"policy\": \"weigh\", \"slots\": 2}}}",
                    "{\"now\": -5}", &decision),
             ALLOT_OK);
    allot_report_say(it.report, ALLOT_ERROR, "E-x", "no warning");
    allot_report_say(it.report, ALLOT_WARNING, "W-x",
                     "a \"quote\", a \\, \t, \x01, \xC3\xA9, \xFF");
    paper_clear(0);
    CHECK_EQ(allot_decision_write(decision, it.report, write_paper, &written), ALLOT_OK);
    CHECK(strstr(written.text, "\"now\": -5, \"groups\": {") != NULL); /* no policy for all */
    CHECK(strstr(written.text, "\"cpu\": {\"policy\": {\"name\": \"hybrid\", \"sha256\": \"\"}, "
                               "\"slots\": 3,") != NULL);
    CHECK(strstr(written.text, "\"gpu\": {\"policy\": {\"name\": \"weigh\", \"sha256\": \"\"}, "
                               "\"slots\": 2,") != NULL);
    const char *warnings = strstr(written.text, "\"warnings\"");
    CHECK_STR(warnings,
              "\"warnings\": [\n{\"code\": \"W-x\", \"message\": \"a \\\"quote\\\", a \\\\, \\t, "
              "\\u0001, \xC3\xA9, \xEF\xBF\xBD\", \"path\": null, \"hint\": null}]}\n");
    allot_decision_free(decision);
    bench_end(&it);
}

static int count_slashes(void *ud, const char *text, size_t len)
{
    long *slashes = ud;
    for (size_t i = 0; i < len; i++)
        *slashes += text[i] == '/';
    return 0;
}

enum { DEEP = 520 };

/* A chain deeper than a document's can be, with names so long that the last paths fit no buffer. */
static int make_deep(bench *it)
{
    static char name[ALLOT_NAME_MAX];
    allot_policy *policy = NULL;
    int32_t last = ALLOT_ROOT;
    memset(name, 'n', sizeof name);
    int status = loader_load(NULL, it->engine, "hybrid", NULL, NULL, 0, &policy, NULL);
    if (status == ALLOT_OK)
        status = allot_plan_new(it->engine, &it->plan);
    if (status == ALLOT_OK)
        status = allot_plan_policy(it->plan, ALLOT_ALL, policy);
    for (int i = 0; i < DEEP && status == ALLOT_OK; i++)
        status = allot_plan_add(it->plan, last, name, sizeof name, &last);
    if (status == ALLOT_OK)
        status = allot_plan_set(it->plan, ALLOT_ALL, last, ALLOT_OWNED, 1);
    if (status == ALLOT_OK)
        status = allot_plan_seal(it->plan, NULL);
    if (status == ALLOT_OK)
        status = allot_state_new(it->plan, &it->state);
    if (status == ALLOT_OK)
        status = allot_state_demand(it->state, 0, last, 1);
    if (status == ALLOT_OK)
        status = allot_state_seal(it->state, NULL);
    allot_policy_free(policy);
    return status;
}

static void test_long_paths(void)
{
    bench it;
    allot_decision *decision = NULL;
    long slashes = 0;
    bench_begin(&it);
    CHECK_EQ(make_deep(&it), ALLOT_OK);
    CHECK_EQ(allot_cycle(it.plan, it.state, NULL, &decision), ALLOT_OK);
    CHECK_EQ(allot_decision_grants(decision), 1);
    CHECK_EQ(allot_decision_write(decision, NULL, count_slashes, &slashes), ALLOT_OK);
    /* Those of every consumer's path, of the grant's, and of the schema. */
    CHECK_EQ(slashes, DEEP * (DEEP + 1) / 2 + DEEP + 2);
    allot_decision_free(decision);
    bench_end(&it);
}

static void test_report(void)
{
    bench it;
    bench_begin(&it);
    bench_plan(&it, "{\"consumers\": [{\"name\": \"a\", \"limt\": 1}]}");
    allot_report_say(it.report, ALLOT_WARNING, "W-x", "x");
    paper_clear(0);
    CHECK_EQ(allot_report_write(it.report, write_paper, &written), ALLOT_OK);
    CHECK_STR(
        written.text,
        "{\"schema\": \"allot/error/v1\", \"errors\": 1, \"warnings\": 1, \"diagnostics\": [\n"
        "{\"file\": \"plan.json\", \"line\": 1, \"col\": 30, \"code\": \"E-unknown-key\", "
        "\"message\": \"found the unknown key \\\"limt\\\"\", "
        "\"hint\": \"did you mean \\\"limit\\\"?\", \"severity\": \"error\", "
        "\"path\": \"/a: limt\", \"width\": 6, "
        "\"source\": \"{\\\"consumers\\\": [{\\\"name\\\": \\\"a\\\", \\\"limt\\\": 1}]}\"},\n"
        "{\"file\": null, \"line\": null, \"col\": null, \"code\": \"W-x\", "
        "\"message\": \"x\", \"hint\": null, \"severity\": \"warning\", \"path\": null, "
        "\"width\": null, \"source\": null}]}\n");
    paper_clear(1);
    CHECK_EQ(allot_report_write(it.report, write_paper, &written), ALLOT_EIO);
    CHECK_EQ(allot_report_write(NULL, write_paper, &written), ALLOT_EUSAGE);
    bench_end(&it);
}

static int scenario(allot_engine *engine)
{
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    allot_plan *read = NULL;
    allot_state *now = NULL;
    allot_decision *decision = NULL;
    int status = allot_plan_read(engine, plan, strlen(plan), "p", &loader, NULL, &read);
    if (status == ALLOT_OK)
        status = allot_state_read(read, state, strlen(state), "s", NULL, &now);
    if (status == ALLOT_OK)
        status = allot_cycle(read, now, NULL, &decision);
    paper_clear(0);
    if (status == ALLOT_OK)
        status = allot_decision_write(decision, NULL, write_paper, &written);
    if (status == ALLOT_OK)
        CHECK_STR(written.text, wanted);
    allot_decision_free(decision);
    allot_state_free(now);
    allot_plan_free(read);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_decision);
    RUN(test_groups_and_warnings);
    RUN(test_long_paths);
    RUN(test_report);
    RUN(test_out_of_memory);
    return check_done();
}
