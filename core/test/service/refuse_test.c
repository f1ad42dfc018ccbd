/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* What an embedder is refused: configurations, and calls of a service that ends. */
#include "test/support/service_fixture.h"

static void test_configurations_that_are_refused(void)
{
    static const struct {
        const char *plan, *tcp, *token;
        int64_t interval;
        int status;
        const char *message;
    } cases[] = {
        {NULL, NULL, NULL, 0, ALLOT_EUSAGE, "a service needs a plan"},
        {"p", "7400", NULL, 0, ALLOT_EUSAGE, "TCP needs a token, which clients call `auth` with"},
        {"p", "7400", "short", 0, ALLOT_EINVALID, "a token has 16 to 1024 bytes, found 5"},
        {"p", NULL, NULL, -1, ALLOT_EUSAGE,
         "a number of the service's configuration is out of range"},
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
                 cases[i].status);
        CHECK_EQ(allot_report_count(it.report), 1);
        CHECK_STR(allot_report_at(it.report, 0)->message, cases[i].message);
    }
    CHECK(!it.service);
    close_world(&it);
}

/* As a client's line that comes while the last rows are written. */
static const char *late(world *it, const char *text)
{
    allot__text answer = {.engine = it->engine};
    allot__request from = {.service = it->service};
    int64_t batch;
    CHECK_EQ(allot__rpc_line(&from, text, strlen(text), &answer, &batch), ALLOT_OK);
    snprintf(it->answer, sizeof it->answer, "%.*s", (int)answer.len, answer.bytes);
    allot__text_free(&answer);
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

int main(void)
{
    RUN(test_configurations_that_are_refused);
    RUN(test_nothing_is_taken_once_it_stops);
    return check_done();
}
