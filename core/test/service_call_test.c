/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of calls, the store and the life of a service, on a loop of the embedder's. */
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include <allot/service.h>

#include "service/view.h"

#include "test/check.h"
#include "test/oom.h"

static const char plan[] =
    "{\"version\": 1, \"slots\": 30, \"policy\": \"hybrid\", \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 20}, {\"name\": \"b\", \"owned\": 10}]}";

typedef struct world {
    char folder[64], plan[96], store[96];
    uv_loop_t loop;
    allot_engine *engine;
    allot_report *report;
    allot_service *service;
    char answer[4096];
    int answers, decisions;
    bool stopped;
    int64_t now;
} world;

static int64_t clock_of(void *ud)
{
    return ((world *)ud)->now;
}

static void quiet(void *ud, allot_log_level level, const char *line)
{
    (void)ud;
    (void)level;
    (void)line;
}

static void on_decision(void *ud, int64_t number, const char *text, size_t len)
{
    world *it = ud;
    (void)text;
    (void)len;
    it->decisions++;
    CHECK_EQ(number, it->decisions);
}

static int start(world *it, const char *store)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.plan = it->plan;
    config.store = store;
    config.debounce = 1;
    config.interval = 0;
    config.log = quiet;
    config.clock = clock_of;
    config.clock_ud = it;
    int status = allot_service_new(it->engine, &it->loop, &config, it->report, &it->service);
    if (status != ALLOT_OK)
        return status;
    allot_service_watch(it->service, on_decision, it);
    return allot_service_start(it->service, it->report);
}

static void open_world(world *it)
{
    *it = (world){.now = 5000};
    snprintf(it->folder, sizeof it->folder, "/tmp/allot-test-XXXXXX");
    CHECK(mkdtemp(it->folder) != NULL);
    snprintf(it->plan, sizeof it->plan, "%s/p.json", it->folder);
    snprintf(it->store, sizeof it->store, "%s/p.db", it->folder);
    FILE *file = fopen(it->plan, "w");
    fputs(plan, file);
    fclose(file);
    uv_loop_init(&it->loop);
    CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
}

static void on_stop(void *ud)
{
    ((world *)ud)->stopped = true;
}

static void stop(world *it)
{
    it->stopped = false;
    allot_service_stop(it->service, on_stop, it);
    uv_run(&it->loop, UV_RUN_DEFAULT);
    CHECK(it->stopped);
    allot_service_free(it->service);
    it->service = NULL;
}

static void close_world(world *it)
{
    char command[128];
    CHECK_EQ(uv_loop_close(&it->loop), 0);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    snprintf(command, sizeof command, "rm -rf %s", it->folder);
    CHECK_EQ(system(command), 0);
}

static void on_answer(void *ud, const char *line, size_t len)
{
    world *it = ud;
    it->answers++;
    snprintf(it->answer, sizeof it->answer, "%.*s", (int)len, line);
}

/* What a call is answered; "" when nothing comes in half a second. */
static const char *call(world *it, const char *text)
{
    int before = it->answers;
    uint64_t until = uv_hrtime() + 500000000;
    it->answer[0] = '\0';
    CHECK_EQ(allot_service_call(it->service, text, strlen(text), on_answer, it), ALLOT_OK);
    while (it->answers == before && uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    return it->answer;
}

static void rest(world *it, int ms)
{
    uint64_t until = uv_hrtime() + (uint64_t)ms * 1000000;
    while (uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
}

#define REQUEST(method, params)                                                                    \
    "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"" method "\", \"params\": " params "}"
#define SEQ(n) "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"seq\": " #n "}}"

/* ---- Calls ----------------------------------------------------------------------------------- */

static const struct {
    const char *text, *code;
} wrong[] = {
    {"{", "-32700"},
    {"nul", "-32700"},
    {"{\"a\": 1} x", "-32700"},
    {"1", "-32600"},
    {"[]", "-32600"},
    {"[1]", "-32600"},
    {"{}", "-32600"},
    {"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}", "-32600"},
    {"{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}", "-32600"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}", "-32600"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"id\": 1, \"method\": \"ping\"}", "-32600"},
    {REQUEST("nothing", "{}"), "-32601"},
    {REQUEST("keep_row", "{}"), "-32601"},
    {REQUEST("demand", "[]"), "-32602"},
    {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": \"1\"}"), "-32602"},
    {REQUEST("demand", "{\"consumer\": \"/x\", \"slots\": 1}"), "-32006"},
    {REQUEST("decisions", "{\"from\": 0}"), "-32602"},
    {REQUEST("cycle", "{\"whole\": true}"), "-32602"},
    {REQUEST("explain", "{}"), "-32602"},
    {REQUEST("explain", "{\"path\": \"/x\"}"), "-32006"},
    {"[" REQUEST("decisions", "{\"from\": 1}") "]", "-32053"},
};

static void test_calls(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!CHECK(strstr(call(&it, wrong[i].text), wrong[i].code) != NULL))
            printf("# %s: %s\n", wrong[i].text, it.answer);
    CHECK_STR(call(&it, "{\"jsonrpc\": \"2.0\", \"method\": \"nothing\"}"), "");
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 1}")), SEQ(1));
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 2, \"key\": \"k\"}")),
              SEQ(2));
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 3, \"key\": \"k\"}")),
              SEQ(2));
    CHECK_STR(
        call(&it,
             "[" REQUEST("demand",
                         "{\"consumer\": \"/b\", \"slots\": 2}") ", {\"jsonrpc\": "
                                                                 "\"2.0\", \"method\": \"ping\"}]"),
        "[" SEQ(3) "]");
    rest(&it, 50);
    CHECK_EQ(allot_service_events(it.service), 3);
    CHECK_EQ(it.decisions, allot_service_decisions(it.service));
    CHECK(it.decisions > 0);
    CHECK(strstr(call(&it, REQUEST("explain", "{\"path\": \"/a\"}")), "It holds 2") != NULL);
    CHECK(strstr(call(&it, REQUEST("decisions", "{\"from\": 1}")), "\"grants\"") != NULL);
    CHECK(strstr(call(&it, REQUEST("cycle", "{\"full\": true}")), "allot/decision/v1") != NULL);
    CHECK(strstr(call(&it, REQUEST("status", "{}")), "\"state\": \"running\"") != NULL);
    stop(&it);
    close_world(&it);
}

static void test_clock(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "5000") != NULL);
    it.now = 1000;
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "5000") != NULL);
    it.now = 9000;
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "9000") != NULL);
    stop(&it);
    close_world(&it);
}

/* ---- The store ------------------------------------------------------------------------------- */

static void test_start_again(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"key\": \"k\"}")),
              SEQ(1));
    rest(&it, 50);
    int64_t decisions = allot_service_decisions(it.service);
    CHECK_EQ(decisions, 1);
    stop(&it);
    it.now = 10; /* the store's time holds */
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "5000") != NULL);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"key\": \"k\"}")),
              SEQ(1));
    rest(&it, 50);
    CHECK_EQ(allot_service_decisions(it.service), decisions); /* what was granted is granted */
    CHECK_STR(call(&it, REQUEST("release", "{\"consumer\": \"/a\", \"slots\": 9}")), SEQ(2));
    /* Nobody else may open it meanwhile, but for reading. */
    allot__store *other;
    CHECK_EQ(allot__store_open_read(it.engine, it.store, it.report, &other), ALLOT_OK);
    allot__store_close(other);
    stop(&it);
    close_world(&it);
}

static int run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    int status = sqlite3_open(path, &db);
    if (status == SQLITE_OK)
        status = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    return status;
}

static void test_stores_that_are_refused(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(run_sql(it.store, "PRAGMA user_version = 99"), SQLITE_OK);
    CHECK_EQ(start(&it, it.store), ALLOT_EIO);
    CHECK(strstr(allot_report_at(it.report, 0)->message, "version 99") != NULL);
    FILE *file = fopen(it.store, "w");
    for (int i = 0; i < 2000; i++)
        fputs("this is no database. ", file);
    fclose(file);
    allot_report_clear(it.report);
    CHECK_EQ(start(&it, it.store), ALLOT_EIO);
    CHECK_EQ(allot_report_count(it.report), 1);
    CHECK_EQ(start(&it, "/nowhere/at/all.db"), ALLOT_EIO);
    close_world(&it);
}

/* ---- What is refused -------------------------------------------------------------------------- */

static void test_configurations_that_are_refused(void)
{
    static const struct {
        const char *plan, *tcp, *token;
        int64_t interval;
        const char *message;
    } cases[] = {
        {NULL, NULL, NULL, 0, "a service needs a plan"},
        {"p", "7400", NULL, 0, "TCP needs a token, which clients call `auth` with"},
        {"p", "7400", "short", 0, "a token has 16 to 1024 bytes"},
        {"p", NULL, NULL, -1, "a number of the service's configuration is out of range"},
    };
    world it;
    open_world(&it);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        allot_service_config config;
        allot_service_config_init(&config);
        config.plan = cases[i].plan;
        config.tcp = cases[i].tcp;
        config.token = cases[i].token;
        config.interval = cases[i].interval;
        allot_report_clear(it.report);
        CHECK_EQ(allot_service_new(it.engine, &it.loop, &config, it.report, &it.service),
                 ALLOT_EUSAGE);
        CHECK_EQ(allot_report_count(it.report), 1);
        CHECK_STR(allot_report_at(it.report, 0)->message, cases[i].message);
    }
    CHECK(it.service == NULL);
    close_world(&it);
}

/* As a client's line that comes while the last rows are written. */
static const char *late(world *it, const char *text)
{
    allot__buf answer = {.engine = it->engine};
    allot__call from = {.service = it->service};
    int64_t batch;
    CHECK_EQ(allot__rpc_line(&from, text, strlen(text), &answer, &batch), ALLOT_OK);
    snprintf(it->answer, sizeof it->answer, "%.*s", (int)answer.len, answer.bytes);
    allot__buf_free(&answer);
    return it->answer;
}

static void test_nothing_is_taken_once_it_stops(void)
{
    static const char reload[] = REQUEST("reload", "{}"), ping[] = REQUEST("ping", "{}");
    world it;
    char why[200];
    open_world(&it);
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    CHECK(strstr(call(&it, REQUEST("subscribe", "{}")),
                 "who embeds the service has allot_service_watch") != NULL);
    CHECK_EQ(allot_service_call(it.service, reload, strlen(reload), on_answer, &it), ALLOT_OK);
    allot_service_stop(it.service, on_stop, &it);
    CHECK(strstr(it.answer, "the service is stopping, or has no memory") != NULL);
    CHECK_EQ(allot_service_call(it.service, ping, strlen(ping), on_answer, &it), ALLOT_EUSAGE);
    CHECK(strstr(late(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 1}")),
                 "the service is about to stop") != NULL);
    CHECK(strstr(late(&it, reload), "this service cannot reload") != NULL);
    CHECK(allot__health_ails(it.service, why, sizeof why));
    CHECK_STR(why, "the service is stopping");
    uv_run(&it.loop, UV_RUN_DEFAULT);
    CHECK(it.stopped);
    allot_service_free(it.service);
    close_world(&it);
}

/* ---- Addresses and tokens -------------------------------------------------------------------- */

static void test_addresses(void)
{
    char host[64];
    int32_t port;
    CHECK_EQ(allot__address_split("127.0.0.1:80", host, sizeof host, &port), ALLOT_OK);
    CHECK_STR(host, "127.0.0.1");
    CHECK_EQ(port, 80);
    CHECK_EQ(allot__address_split("[::1]:8080", host, sizeof host, &port), ALLOT_OK);
    CHECK_STR(host, "::1");
    CHECK_EQ(allot__address_split("7400", host, sizeof host, &port), ALLOT_OK);
    CHECK_STR(host, "");
    CHECK_EQ(allot__address_split("host:", host, sizeof host, &port), ALLOT_EUSAGE);
    CHECK_EQ(allot__address_split("host:65536", host, sizeof host, &port), ALLOT_EUSAGE);
    CHECK_EQ(allot__address_split("host:http", host, sizeof host, &port), ALLOT_EUSAGE);
    CHECK(allot__token_same("abc", 3, "abc", 3));
    CHECK(!allot__token_same("abd", 3, "abc", 3));
    CHECK(!allot__token_same("abcabc", 6, "abc", 3));
    CHECK(!allot__token_same("", 0, "abc", 3));
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static int live_a_little(allot_engine *engine)
{
    static const char *const texts[] = {
        REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"key\": \"k\"}"),
        REQUEST("status", "{}"),
        REQUEST("explain", "{\"path\": \"/a\"}"),
        REQUEST("decisions", "{\"from\": 1}"),
        REQUEST("cycle", "{\"full\": true}"),
    };
    world it;
    open_world(&it);
    allot_report_free(it.report);
    allot_engine_free(it.engine);
    it.report = NULL;
    it.engine = engine;
    int status = start(&it, ":memory:");
    if (it.service != NULL && status == ALLOT_OK)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            allot_service_call(it.service, texts[i], strlen(texts[i]), on_answer, &it);
            rest(&it, 2);
        }
    if (it.service != NULL) {
        stop(&it);
    }
    it.engine = NULL;
    close_world(&it);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(live_a_little));
}

int main(void)
{
    RUN(test_calls);
    RUN(test_clock);
    RUN(test_start_again);
    RUN(test_stores_that_are_refused);
    RUN(test_configurations_that_are_refused);
    RUN(test_nothing_is_taken_once_it_stops);
    RUN(test_addresses);
    RUN(test_out_of_memory);
    return check_done();
}
