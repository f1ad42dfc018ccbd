/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_fixture.h: a service in a folder of its own, on a loop of the test's. */
#ifndef ALLOT_TEST_SUPPORT_SERVICE_FIXTURE_H
#define ALLOT_TEST_SUPPORT_SERVICE_FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include <uv.h>

#include <allot/service.h>

#include "service/view/view.h"

#include "test/support/check.h"

static const char world_plan[] =
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

static inline int64_t clock_of(void *ud)
{
    return ((world *)ud)->now;
}

static inline void quiet(void *ud, allot_log_level level, const char *line)
{
    (void)ud;
    (void)level;
    (void)line;
}

static inline void on_decision(void *ud, int64_t number, const char *text, size_t len)
{
    world *it = ud;
    (void)text;
    (void)len;
    it->decisions++;
    CHECK_EQ(number, it->decisions);
}

/* Starts a service with a store of that path; `change` (NULL: nothing) is asked what is to be
 * otherwise. */
static inline int start_as(world *it, const char *store, void (*change)(allot_service_config *))
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
    if (change)
        change(&config);
    int status = allot_service_new(it->engine, &it->loop, &config, it->report, &it->service);
    if (status != ALLOT_OK)
        return status;
    allot_service_watch(it->service, on_decision, it);
    it->decisions = (int)allot_service_decisions(it->service);
    return allot_service_start(it->service, it->report);
}

static inline int start(world *it, const char *store)
{
    return start_as(it, store, NULL);
}

static inline void open_world(world *it)
{
    *it = (world){.now = 5000};
    const char *temporary = getenv("TMPDIR");
    snprintf(it->folder, sizeof it->folder, "%.40s/allot-test-XXXXXX",
             temporary != NULL ? temporary : "/tmp");
    CHECK(mkdtemp(it->folder) != NULL);
    snprintf(it->plan, sizeof it->plan, "%s/p.json", it->folder);
    snprintf(it->store, sizeof it->store, "%s/p.db", it->folder);
    FILE *file = fopen(it->plan, "w");
    fputs(world_plan, file);
    fclose(file);
    uv_loop_init(&it->loop);
    CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
}

static inline void on_stop(void *ud)
{
    ((world *)ud)->stopped = true;
}

static inline void stop(world *it)
{
    it->stopped = false;
    allot_service_stop(it->service, on_stop, it);
    uv_run(&it->loop, UV_RUN_DEFAULT);
    CHECK(it->stopped);
    allot_service_free(it->service);
    it->service = NULL;
}

static inline void close_world(world *it)
{
    char command[128];
    CHECK_EQ(uv_loop_close(&it->loop), 0);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    snprintf(command, sizeof command, "rm -rf %s", it->folder);
    CHECK_EQ(system(command), 0);
}

static inline void on_answer(void *ud, const char *line, size_t len)
{
    world *it = ud;
    it->answers++;
    snprintf(it->answer, sizeof it->answer, "%.*s", (int)len, line);
}

/* Runs the loop until nothing is under way: no thread works for it, and several turns, over more
 * milliseconds of the loop's own time than the debounce takes, bring nothing. What is due has then
 * been done, however slow the machine is. */
static inline void settle(world *it)
{
    uint64_t since = uv_now(&it->loop);
    for (int turns = 0; turns < 4 || uv_now(&it->loop) - since < 4; turns++) {
        int before = it->answers + it->decisions;
        uv_run(&it->loop, UV_RUN_NOWAIT);
        if (it->loop.active_reqs.count > 0 || it->answers + it->decisions != before) {
            since = uv_now(&it->loop);
            turns = 0;
        }
    }
}

/* Milliseconds after which what a test waits for is taken to hang. */
#define HANGS 60000

/* Runs the loop until so many answers have come. */
static inline void wait_answers(world *it, int count)
{
    uint64_t until = uv_hrtime() + HANGS * UINT64_C(1000000);
    while (it->answers < count && uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    CHECK(it->answers >= count);
}

/* What a call is answered. */
static inline const char *call(world *it, const char *text)
{
    int before = it->answers;
    it->answer[0] = '\0';
    CHECK_EQ(allot_service_call(it->service, text, strlen(text), on_answer, it), ALLOT_OK);
    wait_answers(it, before + 1);
    return it->answer;
}

#define REQUEST(method, params)                                                                    \
    "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"" method "\", \"params\": " params "}"
#define SEQ(n) "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"seq\": " #n "}}"

#endif
