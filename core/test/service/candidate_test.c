/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* candidate_test.c: the next version is made of files, checked, tried, or refused. */
#include <stdlib.h>
#include <unistd.h>

#include "service/generation/candidate.h"
#include "test/support/check.h"

static char root[64], plan_path[96], policy_path[96];
static allot__candidate *it;
/* What was tried last, and what lives. */
static allot_engine *engine;
static allot__sources before, trusted;

static const char plan_text[] = "{\"version\": 1, \"slots\": 10, \"policy\": \"fair.lua\",\n"
                                " \"consumers\": [{\"name\": \"a\", \"owned\": 5},"
                                " {\"name\": \"b\", \"owned\": 5}]}";
static const char policy_text[] = "return policy { name = \"fair\",\n"
                                  "  quota = { fill \"own\" { by = \"owned\" } } }\n";

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (CHECK(file)) {
        fputs(text, file);
        fclose(file);
    }
}

static void begin(void)
{
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    before.engine = trusted.engine = engine;
    snprintf(root, sizeof root, "/tmp/allot-attempt-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    snprintf(plan_path, sizeof plan_path, "%s/plan.json", root);
    snprintf(policy_path, sizeof policy_path, "%s/fair.lua", root);
    put(plan_path, plan_text);
    put(policy_path, policy_text);
}

static void end(void)
{
    allot__candidate_free(it);
    it = NULL;
    allot__sources_free(&before);
    allot__sources_free(&trusted);
    allot_engine_free(engine);
    unlink(plan_path);
    unlink(policy_path);
    CHECK_EQ(rmdir(root), 0);
}

/* The next attempt, after `it`: what that was is tried, and trusted if it was made. */
static void next(const char *instead)
{
    allot__candidate *made = NULL;
    if (!CHECK_EQ(allot__candidate_new(plan_path, instead, NULL, &made), ALLOT_OK))
        return;
    if (it) {
        allot__sources_free(&before);
        allot__sources_copy(&before, &it->sources);
    }
    if (it && it->outcome == ALLOT__MADE) {
        allot__sources_free(&trusted);
        allot__sources_copy(&trusted, &it->sources);
    }
    made->before = &before;
    made->trusted = &trusted;
    allot__candidate_free(it);
    it = made;
}

static const allot_diagnostic *finding(void)
{
    static const allot_diagnostic none = {.code = "", .message = "(none)"};
    for (int32_t i = 0; i < allot_report_count(it->report); i++)
        if (allot_report_at(it->report, i)->severity == ALLOT_ERROR)
            return allot_report_at(it->report, i);
    return &none;
}

static void a_version_is_made_of_files_and_knows_them(void)
{
    begin();
    next(NULL);
    allot__candidate_build(it);
    if (!CHECK_EQ(it->outcome, ALLOT__MADE))
        printf("# %s: %s\n", finding()->file, finding()->message);
    CHECK_EQ(it->checked, 1);
    CHECK_EQ(it->sources.count, 2);
    CHECK(allot__sources_find(&it->sources, plan_path) != NULL);
    CHECK(allot__sources_find(&it->sources, policy_path) != NULL);
    CHECK_EQ(it->paths.count, 2);
    CHECK(it->generation != NULL && !it->generation->loud);
    end();
}

static void what_is_the_same_is_left(void)
{
    begin();
    next(NULL);
    allot__candidate_build(it);
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__AS_LIVE);
    CHECK(!it->generation);
    CHECK_EQ(it->paths.count, 2);
    next(NULL);
    it->forced = true;
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__MADE);
    end();
}

static void bad_then_reverted_is_what_lives(void)
{
    begin();
    next(NULL);
    allot__candidate_build(it);
    put(policy_path, "return policy { name = \"fair\",\n  quota = { fill \"own\" { by = 1 }, }");
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__REFUSED);
    CHECK_EQ(it->status, ALLOT_EINVALID);
    CHECK_STR(finding()->file, policy_path);
    CHECK_EQ(finding()->line, 2);
    CHECK_EQ(it->paths.count, 2);
    next(NULL);
    allot__candidate_build(it); /* as bad as before: not said twice */
    CHECK_EQ(it->outcome, ALLOT__SAME);
    put(policy_path, policy_text);
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__AS_LIVE);
    end();
}

static void what_is_missing_is_waited_for(void)
{
    begin();
    CHECK_EQ(unlink(policy_path), 0);
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__REFUSED);
    CHECK_STR(finding()->code, "E-io");
    CHECK_EQ(it->sources.count, 2);
    CHECK_EQ(it->paths.count, 2);
    put(policy_path, policy_text);
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__MADE);
    CHECK_EQ(unlink(plan_path), 0);
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__REFUSED);
    CHECK_STR(finding()->code, "E-io");
    CHECK_EQ(it->sources.count, 1);
    end();
}

static void a_policy_keeps_its_own_properties(void)
{
    begin();
    put(policy_path, "return policy { name = \"fair\",\n"
                     "  quota = { fill \"own\" { by = \"owned\" } },\n"
                     "  properties = {\n"
                     "    property \"nobody gets a slot\" (function (case)\n"
                     "      for _, row in pairs (case.rows) do\n"
                     "        if row.quota > 0 then return false end\n"
                     "      end\n      return true\n    end),\n  } }\n");
    next(NULL);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__REFUSED);
    CHECK_EQ(it->status, ALLOT_EPOLICY);
    CHECK_STR(finding()->file, policy_path);
    CHECK_STR(finding()->code, "E-property");
    end();
}

static allot_state *make_state(void)
{
    allot_state *state = NULL;
    CHECK_EQ(allot_state_new(it->generation->plan, &state), ALLOT_OK);
    for (int32_t i = 0; i < 2; i++)
        CHECK_EQ(allot_state_demand(state, 0, i, 7), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it->report), ALLOT_OK);
    return state;
}

static void try_policy(const char *text, int64_t live_us, int status, const char *code)
{
    put(policy_path, text);
    next(NULL);
    it->forced = true;
    allot__sources_free(&trusted);
    allot__sources_add(&trusted, policy_path, NULL, 0); /* so that cycles alone show it */
    allot__candidate_build(it);
    if (!CHECK_EQ(it->outcome, ALLOT__MADE)) {
        printf("# %s: %s\n", finding()->code, finding()->message);
        return;
    }
    allot_state *state = make_state();
    CHECK_EQ(allot__candidate_try(it, state, true, live_us, NULL), status);
    allot_state_free(state);
    CHECK_STR(finding()->code, code);
    if (status != ALLOT_OK)
        allot__candidate_refuse(it, status);
}

static void recorded_cycles_show_what_fails(void)
{
    begin();
    try_policy(policy_text, 10, ALLOT_OK, "");
    try_policy("return policy { name = \"fair\", quota = { fill \"own\" {\n"
               "  by = function (demand) return 10 // (demand - 7) end } } }\n",
               10, ALLOT_ESCRIPT, "E-policy-run");
    CHECK_EQ(finding()->line, 2);
    CHECK_EQ(it->outcome, ALLOT__REFUSED);
    end();
}

/* A clock that goes on by so much each time that it is looked at. */
typedef struct ticking {
    int64_t now, step;
} ticking;

static int64_t tick(void *ud)
{
    ticking *clock = ud;
    clock->now += clock->step;
    return clock->now;
}

static void make_timed(const char *policy, ticking *clock, int64_t limit)
{
    static const allot_script_limits none = {.instructions = -1};
    put(policy_path, policy);
    next(NULL);
    it->limits = none;
    it->forced = true;
    it->clock = tick;
    it->clock_ud = clock;
    it->cycle_limit = limit;
    allot__sources_free(&trusted);
    allot__sources_add(&trusted, policy_path, NULL, 0);
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__MADE);
}

static void a_cycle_that_takes_too_long_is_refused(void)
{
    ticking clock = {.step = 100000};
    begin();
    make_timed(policy_text, &clock, 0);
    if (it->outcome == ALLOT__MADE) {
        allot_state *state = make_state();
        CHECK_EQ(allot__candidate_try(it, state, true, -1, NULL), ALLOT_OK);
        CHECK_EQ(allot__candidate_try(it, state, true, 10000, NULL),
                 ALLOT_OK); /* 100 ms, and may take 250 */
        CHECK_EQ(allot__candidate_try(it, state, true, 2000, NULL), ALLOT_EBUDGET);
        CHECK_STR(finding()->code, "E-slow");
        CHECK_STR(finding()->message, "a recorded cycle takes 100 ms, and may take 90: 20 times "
                                      "what it took, and 50 more");
        allot_state_free(state);
    }
    end();
}

/* A loop that never ends, without a budget: the cycle's time ends it. */
static void a_cycle_has_so_much_time(void)
{
    static const char endless[] = "return policy { name = \"fair\", quota = {\n"
                                  "  fill \"own\" { by = function () while true do end end },\n"
                                  "} }\n";
    ticking clock = {.step = 7000};
    begin();
    make_timed(endless, &clock, 1000);
    if (it->outcome == ALLOT__MADE) {
        allot_state *state = make_state();
        CHECK_EQ(allot__candidate_try(it, state, true, -1, NULL), ALLOT_EBUDGET);
        CHECK_STR(finding()->code, "E-cycle-limit");
        CHECK_STR(finding()->file, policy_path);
        CHECK_EQ(finding()->line, 2);
        allot_state_free(state);
    }
    CHECK(clock.now < 1100000 + 5 * clock.step);
    end();
}

static void a_policy_stands_in_until_the_plan_says_else(void)
{
    begin();
    next("hybrid");
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__MADE);
    CHECK_EQ(it->sources.count, 2); /* the plan's own says which attributes there are */
    next("hybrid");
    it->lasting = it->forced = true;
    allot__candidate_build(it);
    CHECK_STR(it->instead, "hybrid");
    char text[sizeof plan_text + 1];
    snprintf(text, sizeof text, "%s ", plan_text);
    put(plan_path, text);
    next("hybrid");
    it->lasting = true;
    allot__candidate_build(it);
    CHECK_EQ(it->outcome, ALLOT__MADE);
    CHECK_STR(it->instead, NULL);
    CHECK_EQ(it->sources.count, 2);
    end();
}

int main(void)
{
    RUN(a_version_is_made_of_files_and_knows_them);
    RUN(what_is_the_same_is_left);
    RUN(bad_then_reverted_is_what_lives);
    RUN(what_is_missing_is_waited_for);
    RUN(a_policy_keeps_its_own_properties);
    RUN(recorded_cycles_show_what_fails);
    RUN(a_cycle_that_takes_too_long_is_refused);
    RUN(a_cycle_has_so_much_time);
    RUN(a_policy_stands_in_until_the_plan_says_else);
    return check_done();
}
