/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* replay_test.c: a record computed again, from anywhere in it, and without memory. */
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include <allot/service.h>

#include "test/support/check.h"
#include "test/support/oom.h"

static const char plan_text[] =
    "{\"version\": 1, \"slots\": 30, \"policy\": \"hybrid\", \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 20, \"grace\": 60}, {\"name\": \"b\", \"owned\": 10}]}";

static char plan_path[64], store_path[80];

/* ---- A record -------------------------------------------------------------------------------- */

static int64_t clock_of(void *ud)
{
    return 1800000000 + (*(int64_t *)ud)++;
}

static void on_answer(void *ud, const char *line, size_t len)
{
    (void)len;
    CHECK(!strstr(line, "\"error\""));
    *(int *)ud = 1;
}

static void ask(allot_service *service, uv_loop_t *loop, const char *text)
{
    int answered = 0;
    CHECK_EQ(allot_service_call(service, text, strlen(text), on_answer, &answered), ALLOT_OK);
    while (!answered)
        uv_run(loop, UV_RUN_ONCE);
}

static void write_plan(void)
{
    FILE *file = fopen(plan_path, "w");
    CHECK(file != NULL && fputs(plan_text, file) >= 0);
    if (file)
        fclose(file);
}

/* Twenty decisions, with snapshots among them; what is before the last few is let go. */
static void record(int64_t keep)
{
    allot_engine *engine;
    allot_report *report;
    allot_service *service;
    allot_service_config config;
    uv_loop_t loop;
    int64_t clock = 0;
    allot_service_config_init(&config);
    config.plan = plan_path;
    config.store = store_path;
    config.interval = 0;
    config.watch = 0;
    config.snapshot = 5;
    config.keep = keep;
    config.log_level = ALLOT_LOG_ERROR;
    config.clock = clock_of;
    config.clock_ud = &clock;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(engine, &report), ALLOT_OK);
    CHECK_EQ(uv_loop_init(&loop), 0);
    CHECK_EQ(allot_service_new(engine, &loop, &config, report, &service), ALLOT_OK);
    CHECK_EQ(allot_service_start(service, report), ALLOT_OK);
    for (int i = 0; i < 20; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"demand\", \"params\": "
                 "{\"consumer\": \"/%c\", \"slots\": %d}}",
                 "ab"[i % 2], i + 1);
        ask(service, &loop, text);
        ask(service, &loop, "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"cycle\"}");
    }
    allot_service_stop(service, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    allot_service_free(service);
    CHECK_EQ(uv_loop_close(&loop), 0);
    allot_report_free(report);
    allot_engine_free(engine);
}

static void begin(int64_t keep)
{
    snprintf(plan_path, sizeof plan_path, "/tmp/allot-replay-%ld.json", (long)getpid());
    snprintf(store_path, sizeof store_path, "%s.db", plan_path);
    write_plan();
    record(keep);
}

static void end(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-lock"};
    char name[120];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", store_path, ends[i]);
        unlink(name);
    }
    unlink(plan_path);
}

/* ---- Replaying ------------------------------------------------------------------------------- */

typedef struct heard {
    int64_t first, last, cycles, differ, others, over;
    int end_with;
} heard;

static int on_cycle(void *ud, const allot_replayed *cycle)
{
    heard *it = ud;
    it->first = it->first == 0 ? cycle->seq : it->first;
    it->last = cycle->seq;
    it->cycles++;
    it->differ += cycle->differs != NULL;
    it->others += cycle->other != NULL;
    return it->end_with;
}

static void on_over(void *ud)
{
    ((heard *)ud)->over++;
}

static int replay_with(allot_engine *engine, int64_t from, int64_t to, const char *policy,
                       heard *out)
{
    allot_report *report;
    allot_replay_config config;
    const allot_replay_visitor visitor = {out, on_cycle, on_over};
    allot_replay_config_init(&config);
    config.store = store_path;
    config.from = from;
    config.to = to;
    config.policy = policy;
    int status = allot_report_new(engine, &report);
    if (status != ALLOT_OK)
        return status;
    status = allot_service_replay(engine, &config, &visitor, report);
    allot_report_free(report);
    return status;
}

static heard replay(int64_t from, int64_t to, const char *policy, int wanted)
{
    heard it = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(replay_with(engine, from, to, policy, &it), wanted);
    CHECK_EQ(it.differ, 0);
    CHECK_EQ(it.over, it.cycles > 0);
    allot_engine_free(engine);
    return it;
}

static void test_all(void)
{
    begin(1000000);
    heard all = replay(0, 0, NULL, ALLOT_OK);
    CHECK(all.last >= 10);
    CHECK(all.cycles >= all.last);
    CHECK_EQ(all.others, 0);
    for (int64_t from = 1; from <= all.last; from++) {
        heard part = replay(from, from, NULL, ALLOT_OK);
        CHECK_EQ(part.first, from);
        CHECK_EQ(part.last, from);
    }
    replay(all.last + 1, 0, NULL, ALLOT_ENOENT);
    end();
}

static void test_other(void)
{
    begin(1000000);
    heard both = replay(3, 8, "share_ratio", ALLOT_OK);
    CHECK_EQ(both.first, 3);
    CHECK_EQ(both.last, 8);
    CHECK_EQ(both.others, both.cycles);
    end();
}

/* What was let go is not asked for; the rest begins with the oldest snapshot. */
static void test_compacted(void)
{
    begin(5);
    heard rest = replay(0, 0, NULL, ALLOT_OK);
    CHECK(rest.first > 1);
    CHECK(rest.last >= 10);
    end();
}

static void test_ended(void)
{
    heard it = {.end_with = 7};
    allot_engine *engine;
    begin(1000000);
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(replay_with(engine, 0, 0, NULL, &it), 7);
    CHECK_EQ(it.cycles, 1);
    it = (heard){.end_with = ALLOT_EIO};
    CHECK_EQ(replay_with(engine, 0, 0, NULL, &it), ALLOT_EIO);
    CHECK_EQ(replay_with(engine, -1, 0, NULL, &it), ALLOT_EUSAGE);
    allot_engine_free(engine);
    end();
}

static int scenario(allot_engine *engine)
{
    heard it = {0};
    int status = replay_with(engine, 18, 18, "share_ratio", &it);
    CHECK_EQ(it.differ, 0);
    return status;
}

static void test_memory(void)
{
    begin(1000000);
    CHECK(oom_each(scenario));
    end();
}

int main(void)
{
    RUN(test_all);
    RUN(test_other);
    RUN(test_compacted);
    RUN(test_ended);
    RUN(test_memory);
    return check_done();
}
