/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of calls, the store and the life of a service, on a loop of the embedder's. */
#include <sqlite3.h>

#include "service/wire/wire.h"
#include "test/support/oom.h"
#include "test/support/service_fixture.h"

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
    static const char silent[] = "{\"jsonrpc\": \"2.0\", \"method\": \"nothing\"}";
    int answers = it.answers;
    CHECK_EQ(allot_service_call(it.service, silent, strlen(silent), on_answer, &it), ALLOT_OK);
    settle(&it);
    CHECK_EQ(it.answers, answers);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 1}")), SEQ(1));
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 2, \"key\": \"k\"}")),
              SEQ(2));
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 2, \"key\": \"k\"}")),
              SEQ(2));
    CHECK_STR(
        call(&it,
             "[" REQUEST("demand",
                         "{\"consumer\": \"/b\", \"slots\": 2}") ", {\"jsonrpc\": "
                                                                 "\"2.0\", \"method\": \"ping\"}]"),
        "[" SEQ(3) "]");
    settle(&it);
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
    settle(&it);
    int64_t decisions = allot_service_decisions(it.service);
    CHECK_EQ(decisions, 1);
    stop(&it);
    it.now = 10; /* the store's time holds */
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "5000") != NULL);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"key\": \"k\"}")),
              SEQ(1));
    settle(&it);
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
    CHECK_EQ(run_sql(it.store, "PRAGMA application_id = 0x616c6f74; PRAGMA user_version = 99"),
             SQLITE_OK);
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
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static allot__role role_of(const char *list, const char *word)
{
    char label[ALLOT__WHO_LABEL + 1];
    return allot__tokens_find(list, word, strlen(word), label);
}

static void test_tokens(void)
{
    static const char list[] = "# of the cluster\nread 0123456789abcdef\r\n\n"
                               "tell fedcba9876543210\nchange 1111222233334444\n"
                               "a token with blanks\nread a token with blanks";
    size_t len;
    CHECK(allot__token_same("abc", 3, "abc", 3));
    CHECK(!allot__token_same("abd", 3, "abc", 3));
    CHECK(!allot__token_same("abcabc", 6, "abc", 3));
    CHECK(!allot__token_same("", 0, "abc", 3));
    CHECK_EQ(allot__tokens_wrong(list, &len), 0);
    CHECK_EQ(role_of(list, "0123456789abcdef"), ALLOT__READS);
    CHECK_EQ(role_of(list, "fedcba9876543210"), ALLOT__TELLS);
    CHECK_EQ(role_of(list, "1111222233334444"), ALLOT__CHANGES);
    CHECK_EQ(role_of(list, "a token with blanks"), ALLOT__CHANGES); /* the most of its lines */
    CHECK_EQ(role_of(list, "read 0123456789abcdef"), ALLOT__NOBODY);
    CHECK_EQ(role_of(list, "# of the cluster"), ALLOT__NOBODY);
    CHECK_EQ(role_of(list, ""), ALLOT__NOBODY);
    CHECK_EQ(allot__tokens_wrong("", &len), 1);
    CHECK_EQ(allot__tokens_wrong("# nothing\n\n", &len), 1);
    CHECK_EQ(len, 0);
    CHECK_EQ(allot__tokens_wrong("0123456789abcdef\nread 0123456789abcde\n", &len), 2);
    CHECK_EQ(len, 15);
}

static void test_guesses(void)
{
    allot__token token = {.wrong = 0};
    allot__guesses *it = allot__guesses_of(&token, "127.0.0.1", 5000);
    CHECK_EQ(it->wrong, 0);
    it->wrong = ALLOT__GUESSES;
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.1", 5999)->wrong, ALLOT__GUESSES);
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.1", 6500)->wrong, ALLOT__GUESSES - 1);
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.1", 7000)->wrong, ALLOT__GUESSES - 2);
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.2", 7000)->wrong, 0);
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.1", 7000)->wrong, ALLOT__GUESSES - 2);
    CHECK_EQ(allot__guesses_of(&token, "127.0.0.1", 1000000)->wrong, 0);
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
    if (it.service && status == ALLOT_OK)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            allot_service_call(it.service, texts[i], strlen(texts[i]), on_answer, &it);
            settle(&it);
        }
    if (it.service)
        stop(&it);
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
    RUN(test_addresses);
    RUN(test_tokens);
    RUN(test_guesses);
    RUN(test_out_of_memory);
    return check_done();
}
