/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of the report: what it says of made-up states, and what it leaves out. */
#include <string.h>

#include <allot/tool.h>

#include "base/text.h"

#include "test/support/check.h"
#include "test/support/oom.h"

#define LINE(name, text, trouble)                                                                  \
    "{\"name\": \"" name "\", \"text\": \"" text "\", \"trouble\": " trouble "}"
#define TROUBLE(name, text) LINE(name, text, "true")
#define WELL(name, text)    LINE(name, text, "false")

/* A status of these members, and all rows that it gives. */
static const struct {
    const char *status, *rows;
} cases[] = {
    {"{}", ""},
    {"{\"healthy\": true}",
     WELL("well", "the store is written, cycles succeed, the clock is right")},
    {"{\"healthy\": false, \"ails\": \"the service is stopping\"}",
     TROUBLE("not well", "the service is stopping")},
    {"{\"now\": 1000000, \"up_seconds\": 59, \"version\": \"9\", \"event\": 1234567, "
     "\"decision\": 7, \"clients\": 3, \"subscribers\": 1}",
     WELL("runs",
          "allot 9, since 1970-01-12T13:45:41Z (59 s); event 1234567, decision 7") ", " WELL("clie"
                                                                                             "nts",
                                                                                             "3 "
                                                                                             "conn"
                                                                                             "ecte"
                                                                                             "d, "
                                                                                             "1 "
                                                                                             "subs"
                                                                                             "crib"
                                                                                             "e"
                                                                                             "d")},
    {"{\"version\": \"9\", \"now\": 90061, \"up_seconds\": 90061, \"event\": 0, \"decision\": 0, "
     "\"clients\": 0, \"subscribers\": 0, "
     "\"http\": {\"host\": \"::1\", \"port\": 80, \"viewers\": 0}}",
     WELL("runs", "allot 9, since 1970-01-01T00:00:00Z (1 d 1 h); event 0, decision 0") ", " WELL(
         "clients", "0 connected, 0 subscribed; live view at http://::1:80/, 0 watching")},
    {"{\"now\": 3700, \"reload\": {\"stands_in\": false, \"error\": {\"at\": 100, \"code\": "
     "\"E-x\", \"file\": \"plan.json\", \"line\": 4, \"message\": \"no\", \"hint\": \"yes\"}}}",
     TROUBLE("reload",
             "changed files were refused 1970-01-01T00:01:40Z (1 h ago), and what decided "
             "before goes on: plan.json: line 4: E-x: no (yes)")},
    {"{\"now\": 100, \"reload\": {\"error\": {\"at\": 100, \"code\": \"E-x\", \"message\": \"no\", "
     "\"errors\": 3}}}",
     TROUBLE("reload", "changed files were refused 1970-01-01T00:01:40Z, and what decided before "
                       "goes on: E-x: no; the first of 3 errors: `allot check` has them all")},
    {"{\"now\": 100, \"reload\": {\"error\": {\"at\": 100, \"message\": \"no\"}}}",
     TROUBLE("reload", "changed files were refused 1970-01-01T00:01:40Z, and what decided before "
                       "goes on: no")},
    {"{\"store\": {\"path\": \"/db\", \"error\": \"full\", \"waiting_bytes\": 2048, \"bytes\": "
     "1610612736, \"unused_bytes\": 0, \"slowest_us\": 7999, \"oldest_decision\": 12, "
     "\"damaged_rows\": 1}}",
     TROUBLE("disk", "nothing is acknowledged or decided until /db can be written; 2 KiB wait in "
                     "memory") ", " TROUBLE("store", "1 row of it cannot be read") ", " //
     WELL("disk", "/db, 1.5 GiB; slowest write 8.0 ms; decisions from 12 on")},
    {"{\"now\": 0, \"clock\": {\"behind\": 125, \"set_back\": 2}}",
     TROUBLE("clock",
             "2 min behind; the time stands still at 1970-01-01T00:00:00Z, and no deadline "
             "passes") ", " //
     TROUBLE("clock", "2 time jumps forgotten since the start; the log says when")},
    {"{\"since_start\": {\"events\": 1, \"refused\": 1, \"cycles\": 2, \"decisions\": 0, "
     "\"failed_cycles\": 1000, \"cycle_us_mean\": 55, \"cycle_us_most\": 2500000, "
     "\"turned_away\": 2, \"wrong_tokens\": 1, \"missed\": 3}}",
     TROUBLE("cycles", "1,000 cycles failed since the start; the log says why") ", " //
     TROUBLE("clients", "1 wrong token since the start") ", "                        //
     TROUBLE("clients", "2 connections turned away since the start: of another user, or too "
                        "many") ", "                                                      //
     TROUBLE("clients", "1 event refused since the start; each sender was told why") ", " //
     TROUBLE("clients", "3 decisions missed by subscribers that read too slowly") ", "    //
     WELL("cycles", "2 cycles since the start: 55 us on average, 2.5 s at most; 1 event, 0 "
                    "decisions")},
    {"{\"now\": 60, \"shadow\": {\"state\": \"stopped\", \"policy\": \"other\", \"since\": 0, "
     "\"cycles\": 9, \"differ\": 2, \"skipped\": 1, \"failed\": 3, \"error\": {\"message\": "
     "\"no\"}, \"last\": {\"quotas\": [{\"path\": \"/a\", \"live\": 1}]}}}",
     TROUBLE("shadow", "3 cycles failed: no; the shadow is stopped") ", " //
     WELL("shadow", "other, since 1970-01-01T00:00:00Z (1 min ago): 2 of 9 cycles differ, 1 left "
                    "out")},
    {"{\"shadow\": {\"state\": \"building\", \"plan\": \"b.json\"}}",
     WELL("shadow", "plan b.json is read")},
    {"{\"plan\": {\"file\": \"p.json\", \"sha256\": \"0123456789abcdef\", \"policy\": \"a\"}, "
     "\"books\": {\"consumers\": 2, \"tasks\": 1, \"sessions\": 0, \"jobs\": 5, \"reclaims\": 1}, "
     "\"reload\": {\"active\": {\"policies\": [\"a\", \"b\"], \"files\": [\"p.json\"]}, "
     "\"total\": {\"swapped\": 2}, \"last_ms\": 4, \"polled_only\": true}}",
     TROUBLE("files", "the system does not say when files change: allot looks at them now and "
                      "then") ", " //
     WELL("plan", "p.json (0123456789ab), 2 consumers; policy a, b; 2 reloads, the last in 4 "
                  "ms") ", " //
     WELL("cluster", "1 task, 5 jobs, 0 sessions, 1 reclaim in flight")},
};

static void put_words(void *out, const char *text, size_t len)
{
    allot__text_add(out, text, len);
}

static int put(const char *status, allot__text *out)
{
    const allot_tool_host host = {.ud = out, .out = put_words};
    int answer, result = allot_tool_run(out->engine, &host, "service.report", "run", &status, 1,
                                        &answer, NULL);
    return out->failed ? ALLOT_ENOMEM : result;
}

static void says_what_is(void)
{
    allot_engine *engine = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        allot__text out = {.engine = engine};
        CHECK_EQ(put(cases[i].status, &out), ALLOT_OK);
        char *rows = strstr(out.bytes, "\"rows\": [");
        if (CHECK(rows != NULL)) {
            out.bytes[out.len - 2] = '\0';
            CHECK_STR(rows + strlen("\"rows\": ["), cases[i].rows);
        }
        allot__text_free(&out);
    }
    allot_engine_free(engine);
}

static int put_last(allot_engine *engine)
{
    const char *text = cases[sizeof cases / sizeof *cases - 1].status;
    allot__text out = {.engine = engine};
    int status = put(text, &out);
    allot__text_free(&out);
    return status;
}

static void survives_without_memory(void)
{
    CHECK(oom_each(put_last));
}

int main(void)
{
    RUN(says_what_is);
    RUN(survives_without_memory);
    return check_done();
}
