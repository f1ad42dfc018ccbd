/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* repl_test.c: pieces that are typed: their outcomes, what a failure leaves, interruption,
 * and a REPL without memory. What its words do is tested by the specs. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <allot/repl.h>

#include "test/support/script_fixture.h"

typedef struct world {
    script_fixture base;
    allot_repl *repl;
    char out[4000];
    size_t len;
    int decisions;
} world;

static void put(void *ud, const char *text, size_t len)
{
    world *it = ud;
    size_t room = sizeof it->out - it->len - 1;
    len = len < room ? len : room;
    memcpy(it->out + it->len, text, len);
    it->len += len;
    it->out[it->len] = '\0';
}

static int read_file(void *ud, const char *path, allot_sink sink, void *sink_ud, char *why)
{
    static const char text[] = "{\"consumers\": [{\"name\": \"Z\", \"owned\": 3}]}";
    (void)ud;
    if (strcmp(path, "plan.json") == 0)
        return sink(sink_ud, text, strlen(text)) ? ALLOT_ENOMEM : ALLOT_OK;
    snprintf(why, ALLOT_TOOL_WHY_MAX, "none such");
    return ALLOT_EIO;
}

static int write_file(void *ud, const char *path, const char *text, size_t len, char *why)
{
    (void)path;
    (void)why;
    put(ud, text, len < 10 ? len : 10);
    return ALLOT_OK;
}

static void show(void *ud, const allot_decision *decision)
{
    ((world *)ud)->decisions += allot_decision_plan(decision) != NULL;
}

static const char *no_option(void *ud, const char *name)
{
    (void)ud;
    (void)name;
    return NULL;
}

static int open_repl(world *it, allot_engine *engine, int64_t memory)
{
    const allot_repl_host host = {
        .tool = {.ud = it, .out = put, .read = read_file, .write = write_file, .option = no_option},
        .decision = show,
        .memory = memory};
    return allot_repl_new(engine, &host, &it->repl);
}

static void begin(world *it)
{
    memset(it, 0, sizeof *it);
    script_begin(&it->base);
    CHECK_EQ(open_repl(it, it->base.engine, 0), ALLOT_OK);
}

static void end(world *it)
{
    allot_repl_free(it->repl);
    script_end(&it->base);
}

static allot_repl_outcome eval(world *it, const char *text, int *status)
{
    it->len = 0;
    it->out[0] = '\0';
    allot_report_clear(it->base.report);
    return allot_repl_eval(it->repl, text, strlen(text), "test", 1, it->base.report, status);
}

/* Evaluates, and compares what is shown. */
static void shows(world *it, const char *text, const char *wanted)
{
    int status;
    if (!CHECK_EQ(eval(it, text, &status), ALLOT_EVALUATED))
        printf("#   %s: %s\n", text, script_finding(&it->base)->message);
    CHECK_EQ(status, ALLOT_OK);
    CHECK_STR(it->out, wanted);
}

static void fails(world *it, const char *text, int wanted, const char *code, const char *message)
{
    int status;
    CHECK_EQ(eval(it, text, &status), ALLOT_FAILED);
    CHECK_EQ(status, wanted);
    CHECK_STR(script_finding(&it->base)->code, code);
    CHECK_STR(script_finding(&it->base)->message, message);
    CHECK_STR(it->out, "");
}

static void pieces_are_expressions_chunks_and_commands(void)
{
    world it;
    int status;
    begin(&it);
    shows(&it, "1 + 1", "2\n");
    shows(&it, "x = 3", "");
    shows(&it, "x, 'a'", "3\n\"a\"\n");
    shows(&it, "", "");
    shows(&it, "-- nothing", "");
    shows(&it, "cycle()", "");
    CHECK_EQ(it.decisions, 1);
    CHECK_EQ(eval(&it, "for i = 1, 2 do", &status), ALLOT_INCOMPLETE);
    CHECK_EQ(eval(&it, "1 +", &status), ALLOT_INCOMPLETE);
    CHECK_EQ(eval(&it, "x = [[", &status), ALLOT_INCOMPLETE);
    shows(&it, "for i = 1, 2 do\nprint(i) end", "1\n2\n");
    CHECK_EQ(eval(&it, ":quit", &status), ALLOT_QUIT);
    shows(&it, ":load plan.json", "the plan is on the desk: plan.json\n");
    shows(&it, "consumers['/Z'].owned", "3\n");
    end(&it);
}

static void a_failure_changes_nothing(void)
{
    world it;
    begin(&it);
    shows(&it, "consumers['/a'] = { owned = 2 } kept = 1", "");
    fails(&it, "consumers['/a'].owned = 5 kept = 2 other = 3 error 'no'", ALLOT_ESCRIPT, "E-repl",
          "no");
    shows(&it, "consumers['/a'].owned, kept", "2\n1\n");
    fails(&it, "other", ALLOT_ESCRIPT, "E-repl", "there is no 'other' here");
    fails(&it, "consumers['/a'].owned = 'x'", ALLOT_EINVALID, "E-type",
          "consumers[\"/a\"].owned: found the string \"x\", allowed an integer 0 ... 1000000000");
    shows(&it, "consumers['/a'].owned", "2\n");
    fails(&it, "x = = 1", ALLOT_ESCRIPT, "E-repl-syntax", "unexpected symbol near '='");
    fails(&it, "plan.consumers = {}", ALLOT_EINVALID, "E-desk",
          "plan.consumers: consumers lie beside the plan");
    fails(&it, ":time 1", ALLOT_EINVALID, "E-desk", "there is no clock here");
    fails(&it, "undo() undo()", ALLOT_EINVALID, "E-desk", "there is nothing to undo");
    shows(&it, "consumers['/a'].owned", "2\n");
    shows(&it, "undo()", "consumers[\"/a\"]: {\"owned\": 2} -> none\n");
    shows(&it, "consumers['/a']", "nil\n");
    end(&it);
}

static void caught_errors_are_no_failures(void)
{
    world it;
    begin(&it);
    shows(&it, "local fine, why = pcall(explain, '/none') return fine, why.message",
          "false\n\"there is no consumer /none\"\n");
    end(&it);
}

static void no_piece_leaves_the_sandbox(void)
{
    world it;
    begin(&it);
    fails(&it, "io.open 'x'", ALLOT_ESCRIPT, "E-repl", "there is no 'io' here");
    fails(&it, "require 'allot.core'", ALLOT_ESCRIPT, "E-repl",
          "no module 'allot.core' here; a policy can require \"allot\" alone");
    fails(&it, "require 'allot.repl.native'", ALLOT_ESCRIPT, "E-repl",
          "no module 'allot.repl.native' here; a policy can require \"allot\" alone");
    fails(&it, "getmetatable('')", ALLOT_ESCRIPT, "E-repl", "there is no 'getmetatable' here");
    fails(&it, "local function f() return 1 + f() end return f()", ALLOT_EBUDGET, "E-repl-limit",
          "calls are nested deeper than 200, or have more than 250 arguments");
    shows(&it, "1", "1\n");
    end(&it);
}

static void memory_has_a_cap(void)
{
    world it;
    memset(&it, 0, sizeof it);
    script_begin(&it.base);
    CHECK_EQ(open_repl(&it, it.base.engine, 1000), ALLOT_EBUDGET);
    CHECK_EQ(open_repl(&it, it.base.engine, 4 << 20), ALLOT_OK);
    fails(&it, "local t = {} for i = 1, 1e9 do t[i] = i end", ALLOT_EBUDGET, "E-repl-limit",
          "more than 4194304 bytes of memory");
    shows(&it, "#consumers", "0\n");
    end(&it);
}

static atomic_bool ended;

/* Again and again: an interruption that comes before the piece has begun is none of it. */
static void *interrupt_until_ended(void *repl)
{
    while (!atomic_load(&ended)) {
        allot_repl_interrupt(repl);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}

static void runaways_are_interrupted(void)
{
    static const char *const pieces[] = {
        "while true do end",
        "while true do pcall(function () while true do end end) end",
        "consumers['/x'] = {} while true do ('x'):rep(4000):find 'y' end",
    };
    world it;
    begin(&it);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        pthread_t thread;
        atomic_store(&ended, false);
        CHECK_EQ(pthread_create(&thread, NULL, interrupt_until_ended, it.repl), 0);
        fails(&it, pieces[i], ALLOT_ESCRIPT, "E-interrupted", "interrupted; nothing was changed");
        atomic_store(&ended, true);
        pthread_join(thread, NULL);
        shows(&it, "consumers['/x']", "nil\n");
    }
    end(&it);
}

static void keep(void *ud, const char *candidate)
{
    world *it = ud;
    put(it, candidate, strlen(candidate));
    put(it, " ", 1);
}

static void completes(world *it, const char *text, size_t wanted_from, const char *wanted)
{
    size_t from = 99, len = strlen(text);
    it->len = 0;
    it->out[0] = '\0';
    allot_repl_complete(it->repl, text, len, len, &from, keep, it);
    CHECK_EQ(from, wanted_from);
    if (!CHECK_STR(it->out, wanted))
        printf("#   of %s\n", text);
}

static void words_are_completed(void)
{
    world it;
    begin(&it);
    shows(&it, "consumers['/risk'] = {owned = 3} consumers['/risk/desk'] = {} mine = {first = 1}",
          "");
    completes(&it, "cons", 0, "consumers ");
    completes(&it, "x = demand('/ris", 12, "/risk /risk/desk ");
    completes(&it, "consumers[\"/risk/", 11, "/risk/desk ");
    completes(&it, "state.consumers['/risk/", 17, "/risk/desk ");
    completes(&it, "consumers['/risk'].ow", 19, "owned ");
    completes(&it, "consumers['/risk/desk'].ow", 24, "owned ");
    completes(&it, "state.consumers['/none'].d", 25, "");
    completes(&it, "mine.f", 5, "first ");
    completes(&it, "string.re", 7, "rep reverse ");
    completes(&it, "try 'queue", 5, "queue_pool ");
    completes(&it, "plan.policy = \"ow", 15, "ownership ");
    completes(&it, ":h", 0, ":help ");
    completes(&it, ":help fil", 6, "fill ");
    completes(&it, "-- 'it", 4, "");
    completes(&it, "nothing.x", 8, "");
    completes(&it, "\"", 1, "/risk /risk/desk ");
    end(&it);
}

static int scenario(allot_engine *engine)
{
    world it = {.repl = NULL};
    allot_report *report = NULL;
    static const char *const pieces[] = {
        "consumers['/a'] = { owned = 2 } demand('/a', 3)",
        "cycle()",
        "diff()",
        "explain '/a'",
        "try 'share_ratio'",
        "step(2)",
        "consumers",
        ":save x y",
        "undo()",
        "error {}",
        "consumers['/a'] = 5",
        ":load plan.json",
    };
    int status = open_repl(&it, engine, 0);
    if (!status)
        status = allot_report_new(engine, &report);
    for (size_t i = 0; !status && i < sizeof pieces / sizeof *pieces; i++) {
        int why;
        allot_repl_eval(it.repl, pieces[i], strlen(pieces[i]), "test", 1, report, &why);
        status = why == ALLOT_ENOMEM ? why : ALLOT_OK;
    }
    allot_report_free(report);
    allot_repl_free(it.repl);
    return status;
}

static void memory_may_run_out(void)
{
    long calls = script_failure(scenario, 0, 0);
    for (long at = 1; at <= calls; at += at < 30 ? 1 : calls / 150 + 1)
        script_failure(scenario, at, at % 2 == 0);
    CHECK(calls > 1000);
}

int main(void)
{
    RUN(pieces_are_expressions_chunks_and_commands);
    RUN(a_failure_changes_nothing);
    RUN(caught_errors_are_no_failures);
    RUN(no_piece_leaves_the_sandbox);
    RUN(memory_has_a_cap);
    RUN(runaways_are_interrupted);
    RUN(words_are_completed);
    RUN(memory_may_run_out);
    return check_done();
}
