/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_clock_test.c: clocks that jump: `now` never goes back, and nothing is decided twice. */
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include <allot/service.h>

#include "check.h"

static const char plan_text[] =
    "{\"version\": 1, \"slots\": 30, \"policy\": \"hybrid\", \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 20, \"grace\": 60}, {\"name\": \"b\", \"owned\": 10}]}";

typedef struct world {
    char plan[64], store[80];
    allot_engine *engine;
    allot_report *report;
    uv_loop_t loop;
    allot_service *service;
    int64_t clock;           /* what the service is told */
    int64_t seq, now;        /* of the last decision */
    int backwards, repeated; /* decisions that went back in time; that were told again */
    int decisions, answered, stopped;
    char answer[4096];
} world;

static int64_t read_clock(void *ud)
{
    return ((const world *)ud)->clock;
}

static void on_decision(void *ud, int64_t number, const char *text, size_t len)
{
    world *it = ud;
    const char *at = strstr(text, "\"now\":");
    long long now = at != NULL ? strtoll(at + 6, NULL, 10) : 0;
    (void)len;
    it->backwards += now < it->now;
    it->repeated += number <= it->seq;
    it->now = now;
    it->seq = number;
    it->decisions++;
}

static void on_answer(void *ud, const char *line, size_t len)
{
    world *it = ud;
    snprintf(it->answer, sizeof it->answer, "%.*s", (int)len, line);
    it->answered = 1;
}

static void on_stopped(void *ud)
{
    ((world *)ud)->stopped = 1;
}

static void ask(world *it, const char *text)
{
    it->answered = 0;
    CHECK_EQ(allot_service_call(it->service, text, strlen(text), on_answer, it), ALLOT_OK);
    while (!it->answered)
        uv_run(&it->loop, UV_RUN_ONCE);
    CHECK(strstr(it->answer, "\"error\"") == NULL);
}

static void demand(world *it, const char *leaf, int slots)
{
    char text[200];
    snprintf(text, sizeof text,
             "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"demand\", \"params\": "
             "{\"consumer\": \"%s\", \"slots\": %d}}",
             leaf, slots);
    ask(it, text);
    ask(it, "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"cycle\"}");
}

static void begin(world *it)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.plan = it->plan;
    config.store = it->store;
    config.interval = 0;
    config.log_level = ALLOT_LOG_ERROR;
    config.watch = 0;
    config.clock = read_clock;
    config.clock_ud = it;
    CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(uv_loop_init(&it->loop), 0);
    CHECK_EQ(allot_service_new(it->engine, &it->loop, &config, it->report, &it->service), ALLOT_OK);
    allot_service_watch(it->service, on_decision, it);
    CHECK_EQ(allot_service_start(it->service, it->report), ALLOT_OK);
}

/* What was decided is told before the service ends. */
static void end(world *it)
{
    it->stopped = 0;
    allot_service_stop(it->service, on_stopped, it);
    while (!it->stopped)
        uv_run(&it->loop, UV_RUN_ONCE);
    CHECK_EQ(it->seq, allot_service_decisions(it->service));
    allot_service_free(it->service);
    uv_run(&it->loop, UV_RUN_DEFAULT);
    CHECK_EQ(uv_loop_close(&it->loop), 0);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
}

static void make(world *it)
{
    *it = (world){.clock = 1800000000};
    snprintf(it->plan, sizeof it->plan, "/tmp/allot-clock-%ld.json", (long)getpid());
    snprintf(it->store, sizeof it->store, "%s.db", it->plan);
    FILE *file = fopen(it->plan, "w");
    CHECK(file != NULL && fputs(plan_text, file) >= 0);
    if (file != NULL)
        fclose(file);
}

static void drop(const world *it)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-lock"};
    char name[120];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", it->store, ends[i]);
        unlink(name);
    }
    unlink(it->plan);
}

static void test_jumps(void)
{
    static const int64_t jumps[] = {-172800, 1, 31536000, -31536000, -1800000000, 3600, 0};
    world it;
    make(&it);
    begin(&it);
    demand(&it, "/b", 5);
    int64_t first = it.clock;
    for (int i = 0; jumps[i] != 0; i++) {
        it.clock += jumps[i];
        demand(&it, i % 2 == 0 ? "/a" : "/b", 6 + i);
    }
    end(&it);
    CHECK(it.decisions >= 7);
    CHECK_EQ(it.backwards, 0);
    CHECK_EQ(it.repeated, 0);
    CHECK_EQ(it.now, first - 172800 + 1 + 31536000);
    drop(&it);
}

/* The clock was set back while nobody ran: it goes on from what is recorded. */
static void test_restart(void)
{
    world it;
    make(&it);
    begin(&it);
    demand(&it, "/b", 30);
    demand(&it, "/a", 10); /* b owes 10 within no time: it has no grace */
    end(&it);
    int64_t decided = it.decisions, latest = it.now;
    it.clock -= 1000000;
    begin(&it);
    demand(&it, "/a", 20);
    end(&it);
    CHECK(it.decisions > decided);
    CHECK_EQ(it.backwards, 0);
    CHECK_EQ(it.repeated, 0);
    CHECK(it.now >= latest);
    drop(&it);
}

int main(void)
{
    RUN(test_jumps);
    RUN(test_restart);
    return check_done();
}
