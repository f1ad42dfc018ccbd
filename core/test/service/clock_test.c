/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* clock_test.c: clocks that jump: `now` never goes back, and nothing is decided twice. */
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include <allot/service.h>

#include "service/instance/service.h"

#include "test/support/check.h"

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
    int64_t timer;           /* microseconds, likewise */
    int64_t seq, now;        /* of the last decision */
    int backwards, repeated; /* decisions that went back in time; that were told again */
    int decisions, answered, stopped;
    char answer[4096];
    const char *awaited; /* what the log is to say, and how often it did */
    int said;
} world;

static int64_t read_clock(void *ud)
{
    return ((const world *)ud)->clock;
}

static int64_t read_timer(void *ud)
{
    return ((const world *)ud)->timer;
}

static void on_line(void *ud, allot_log_level level, const char *line)
{
    world *it = ud;
    (void)level;
    it->said += it->awaited != NULL && strstr(line, it->awaited);
}

static void await(world *it, const char *text)
{
    it->awaited = text;
    it->said = 0;
}

static void on_decision(void *ud, int64_t number, const char *text, size_t len)
{
    world *it = ud;
    const char *at = strstr(text, "\"now\":");
    long long now = at ? strtoll(at + 6, NULL, 10) : 0;
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
    CHECK(!strstr(it->answer, "\"error\""));
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
    config.watch = 0;
    config.clock = read_clock;
    config.clock_ud = it;
    config.log = on_line;
    config.log_ud = it;
    config.timer = read_timer;
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

static bool says(world *it, const char *text)
{
    ask(it, "{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"status\"}");
    return strstr(it->answer, text) != NULL;
}

/* Both clocks go on. */
static void pass(world *it, int64_t seconds)
{
    it->clock += seconds;
    it->timer += seconds * 1000000;
}

static int on_replayed(void *ud, const allot_replayed *cycle)
{
    int64_t *latest = ud;
    CHECK_STR(cycle->differs, NULL);
    *latest = cycle->at > *latest ? cycle->at : *latest;
    return 0;
}

/* All that was recorded comes out again; when the latest of that was. */
static int64_t replay(world *it)
{
    int64_t latest = 0;
    allot_replay_config config;
    const allot_replay_visitor visitor = {&latest, on_replayed, NULL};
    allot_engine *engine;
    allot_report *report;
    allot_replay_config_init(&config);
    config.store = it->store;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(engine, &report), ALLOT_OK);
    CHECK_EQ(allot_service_replay(engine, &config, &visitor, report), ALLOT_OK);
    allot_report_free(report);
    allot_engine_free(engine);
    return latest;
}

static void make_of(world *it, const char *text)
{
    *it = (world){.clock = 1800000000};
    snprintf(it->plan, sizeof it->plan, "/tmp/allot-clock-%ld.json", (long)getpid());
    snprintf(it->store, sizeof it->store, "%s.db", it->plan);
    FILE *file = fopen(it->plan, "w");
    CHECK(file != NULL && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void make(world *it)
{
    make_of(it, plan_text);
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

enum { YEAR = 31536000 };

/* A reclaim is ordered, the clock jumps a year ahead, and another one is. */
static int64_t jump(world *it)
{
    demand(it, "/a", 30);
    demand(it, "/b", 1);            /* a gives it back within a minute */
    int64_t early = it->clock + 61; /* whole seconds are rounded up */
    CHECK_EQ(allot__books_due(it->service->books, it->clock), early);
    it->clock += YEAR;
    demand(it, "/b", 10);
    CHECK_EQ(it->service->now, it->clock);
    CHECK_EQ(allot__books_due(it->service->books, it->clock), it->clock + 61);
    return early;
}

/* The time stands still for a minute, and says so. */
static void wait_for_it(world *it)
{
    int64_t ahead = it->clock - 5 + YEAR;
    CHECK(says(it, "\"healthy\": false"));
    CHECK(strstr(it->answer, "the clock is 31535995 s behind the time, which stands still: it was "
                             "set back, and counts again after 60 s") != NULL);
    CHECK(strstr(it->answer, "\"behind\": 31535995") != NULL);
    CHECK(says(it, "\"set_back\": 0"));
    await(it, "the time was ahead: it is the clock's again");
    pass(it, 59);
    demand(it, "/b", 9);
    CHECK_EQ(it->service->now, ahead);
    CHECK_EQ(it->said, 0);
    pass(it, 1);
    demand(it, "/b", 10);
    CHECK_EQ(it->said, 1);
    CHECK_EQ(it->service->now, it->clock);
    CHECK(says(it, "\"healthy\": true") && says(it, "\"set_back\": 1"));
    CHECK_EQ(it->backwards, 0); /* nothing is ordered yet */
}

/* The clock is set right again, which `restart` has happen while nothing runs. */
static void forget_a_year(bool restart)
{
    world it;
    make(&it);
    begin(&it);
    int64_t early = jump(&it);
    if (restart)
        end(&it);
    it.clock -= YEAR;
    pass(&it, 5);
    int64_t right = it.clock;
    if (restart)
        begin(&it);
    wait_for_it(&it);
    /* What was ordered before the jump has its deadline still; what was ordered behind it is as far
     * from its own as it was when the clock was seen to be right. */
    CHECK_EQ(allot__books_due(it.service->books, right), early);
    CHECK_EQ(allot__books_due(it.service->books, early), right + 61);
    it.now = 0;
    pass(&it, 1000);
    demand(&it, "/a", 20);
    demand(&it, "/b", 3);
    end(&it);
    CHECK_EQ(replay(&it), right - 5 + YEAR);
    begin(&it); /* and it is so after a restart */
    CHECK_EQ(it.service->now, it.clock);
    CHECK(says(&it, "\"healthy\": true"));
    end(&it);
    CHECK_EQ(it.repeated, 0);
    drop(&it);
}

static void test_forgotten(void)
{
    forget_a_year(false);
}

static void test_forgotten_restart(void)
{
    forget_a_year(true);
}

/* A clock that is set back a little is waited for. */
static void test_patience(void)
{
    world it;
    make(&it);
    begin(&it);
    demand(&it, "/a", 5);
    int64_t before = it.clock;
    it.clock -= 30;
    await(&it, "the clock is behind the time, which stands still");
    demand(&it, "/a", 6);
    CHECK_EQ(it.said, 1);
    await(&it, "the clock and the time are the same again");
    CHECK(says(&it, "\"healthy\": false"));
    for (int i = 0; i < 29; i++) {
        pass(&it, 1);
        CHECK(says(&it, "\"set_back\": 0"));
        CHECK_EQ(it.service->now, before);
    }
    CHECK_EQ(it.said, 0);
    pass(&it, 1);
    CHECK(says(&it, "\"healthy\": true"));
    CHECK_EQ(it.said, 1);
    pass(&it, 100);
    demand(&it, "/a", 7);
    CHECK(says(&it, "\"set_back\": 0"));
    CHECK_EQ(it.backwards, 0);
    /* A second is none. */
    it.clock -= 1;
    CHECK(says(&it, "\"healthy\": true"));
    /* One that is set back again and again is waited for anew. */
    for (int i = 0; i < 5; i++) {
        it.clock -= 500;
        CHECK(says(&it, "\"healthy\": false"));
        pass(&it, 40);
        demand(&it, "/a", 8 + i);
        CHECK(says(&it, "\"set_back\": 0"));
    }
    end(&it);
    CHECK_EQ(replay(&it), it.now);
    drop(&it);
}

/* Cycles that changed nothing but what jobs have used are recorded before the time goes back: else
 * nobody could tell later that they were, and at which time. By an event, or by a cycle itself. */
static void settles(bool by_event)
{
    static const char queues[] =
        "{\"version\": 1, \"slots\": 4, \"policy\": \"preemption\", \"queues\": "
        "[{\"name\": \"q\", \"priority\": 1}]}";
    static const char cycle[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"cycle\"}";
    world it;
    make_of(&it, queues);
    begin(&it);
    ask(&it, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"submit\", \"params\": "
             "{\"id\": \"j\", \"queue\": \"q\"}}");
    ask(&it, cycle);
    ask(&it, cycle); /* decides the same: from then on nothing is recorded */
    int64_t recorded = it.service->cycle, began = it.clock, ahead = it.clock + YEAR;
    it.clock = ahead;
    ask(&it, cycle);
    CHECK_EQ(it.service->cycle, recorded);
    it.clock = began;
    CHECK(says(&it, "\"behind\": 31536000"));
    pass(&it, 60);
    ask(&it, by_event ? "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"submit\", "
                        "\"params\": {\"id\": \"k\", \"queue\": \"q\"}}"
                      : cycle);
    ask(&it, cycle);
    CHECK(says(&it, "\"set_back\": 1"));
    CHECK_EQ(it.service->now, it.clock);
    end(&it);
    CHECK_EQ(replay(&it), ahead);
    drop(&it);
}

static void test_settled_by_event(void)
{
    settles(true);
}

static void test_settled_by_cycle(void)
{
    settles(false);
}

int main(void)
{
    RUN(test_jumps);
    RUN(test_restart);
    RUN(test_forgotten);
    RUN(test_forgotten_restart);
    RUN(test_patience);
    RUN(test_settled_by_event);
    RUN(test_settled_by_cycle);
    return check_done();
}
