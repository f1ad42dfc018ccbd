/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* keep_test.c: what is written in a store, and how much stays in it. */
#include "service/life.h"
#include "service/store/store.h"

#include "test/support/store_world.h"

/* ---- Who is quiet -----------------------------------------------------------------------------
 */

static void each_ms(allot_service_config *config)
{
    config->interval = 1;
}

/* Cycles run when they are asked for alone. */
static void asked(allot_service_config *config)
{
    config->debounce = 60000;
}

static void writes_nothing(void)
{
    world it;
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, each_ms), ALLOT_OK);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 7}")), SEQ(1));
    call(&it, REQUEST("cycle", "{}"));
    for (int i = 0; i < 3; i++)
        call(&it, REQUEST("cycle", "{}"));
    int64_t cycles = it.service->cycle, ran = it.service->tally.cycles;
    for (int i = 0; i < 300; i++) {
        it.now += 1000;
        call(&it, REQUEST("cycle", "{}"));
    }
    CHECK(it.service->tally.cycles >= ran + 300);
    CHECK_EQ(it.service->cycle, cycles);
    /* What comes then is seen, and decided about as if nothing had been left out. */
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9}")), SEQ(2));
    call(&it, REQUEST("cycle", "{}"));
    CHECK_EQ(it.service->seq, 2);
    stop(&it);
    CHECK(ask_sql(it.store, "SELECT count(*) FROM cycles") < 10);
    close_store(&it);
}

static const char jobs_plan[] =
    "{\"version\": 1, \"policy\": \"queue_pool\", \"hosts\": {\"h1\": {\"slots\": 8}},"
    "\"queues\": [{\"name\": \"low\", \"slot_pool\": \"p\", \"slot_share\": 100}]}";

static int same_cycle(void *ud, const allot_replayed *cycle)
{
    *(int64_t *)ud += !cycle->differs;
    return 0;
}

/* What a job uses while all are quiet is counted before its end is entered. */
static void counts_use(void)
{
    world it;
    int64_t same = 0;
    const allot_replay_visitor visitor = {.ud = &same, .cycle = same_cycle};
    allot_replay_config config;
    open_store(&it);
    FILE *file = fopen(it.plan, "w");
    fputs(jobs_plan, file);
    fclose(file);
    CHECK_EQ(start_as(&it, it.store, asked), ALLOT_OK);
    CHECK_STR(call(&it, REQUEST("submit", "{\"id\": \"j\", \"queue\": \"low\"}")), SEQ(1));
    for (int i = 0; i < 50; i++) {
        call(&it, REQUEST("cycle", "{}"));
        it.now += 10;
    }
    int64_t cycles = it.service->cycle;
    CHECK(cycles < 6);
    CHECK_STR(call(&it, REQUEST("finish", "{\"id\": \"j\"}")), SEQ(2));
    CHECK_EQ(it.service->cycle, cycles + 1);
    call(&it, REQUEST("cycle", "{}"));
    stop(&it);
    CHECK_EQ(ask_sql(it.store, "SELECT max(at) FROM cycles WHERE event = 1"), it.now);
    allot_replay_config_init(&config);
    config.store = it.store;
    config.plan = it.plan;
    CHECK_EQ(allot_service_replay(it.engine, &config, &visitor, it.report), ALLOT_OK);
    CHECK_EQ(same, ask_sql(it.store, "SELECT count(*) FROM cycles"));
    close_store(&it);
}

/* ---- How much stays ---------------------------------------------------------------------------
 */

static void by_size(allot_service_config *config)
{
    config->keep = INT64_MAX;
    config->keep_size = 80000;
}

static void by_age(allot_service_config *config)
{
    config->keep = INT64_MAX;
    config->keep_size = 0;
    config->keep_age = 600;
}

static void by_count(allot_service_config *config)
{
    config->keep = 100;
    config->keep_size = 0;
    config->watch = 0;
    config->snapshot = 50;
}

static void much(world *it, int count, int64_t step)
{
    char text[700], tag[200];
    memset(tag, 'x', sizeof tag - 1);
    tag[sizeof tag - 1] = '\0';
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text,
                 "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"session\", \"params\": {\"id\": "
                 "\"s%d%s\", \"consumer\": \"/a\", \"priority\": %d, \"key\": \"k%d\"}}",
                 i % 3, tag + 10 * (i % 9), i % 50 + 1, i);
        call(it, text);
        if (i % 4 == 0)
            call(it, REQUEST("cycle", "{}"));
        it->now += step;
    }
    call(it, REQUEST("cycle", "{}"));
    for (int i = 0; i < 2; i++) { /* once the last snapshot is written */
        settle(it);
        it->service->keep_at = 0;
        allot__service_let_go(it->service);
    }
    settle(it);
}

/* Keys are kept for an hour, whatever else goes. */
static void keeps_keys(world *it)
{
    int64_t since = it->now - 3600;
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM events WHERE idem IS NOT NULL AND at >= %lld",
             (long long)since);
    int64_t there = ask_sql(it->store, sql);
    snprintf(sql, sizeof sql, "SELECT max(seq) - min(seq) + 1 FROM events WHERE at >= %lld",
             (long long)since);
    CHECK_EQ(there, ask_sql(it->store, sql));
    CHECK(there > 0);
}

static void stays(void (*change)(allot_service_config *), int64_t step, const char *sql,
                  int64_t most)
{
    world it;
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, change), ALLOT_OK);
    much(&it, 400, step);
    keeps_keys(&it);
    stop(&it);
    int64_t left = ask_sql(it.store, sql);
    CHECK(left > 0 && left <= most);
    if (left <= 0 || left > most)
        printf("# %s: %lld\n", sql, (long long)left);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM cycles WHERE cycle = 1"), 0);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM events WHERE seq = 1"), 0);
    CHECK_EQ(start_as(&it, it.store, change), ALLOT_OK);
    CHECK_EQ(allot_service_events(it.service), 400);
    stop(&it);
    close_store(&it);
}

static void is_kept(void)
{
    stays(by_size, 60,
          "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count,"
          " pragma_freelist_count, pragma_page_size",
          160000);
    stays(by_age, 60, "SELECT max(at) - min(at) FROM cycles", 600 + 600 / 8 + 120);
    stays(by_count, 60, "SELECT max(seq) - min(seq) FROM events", 100 + 60 + 100);
}

/* A file that had much gives back what it does not need. */
static void shrinks(void)
{
    world it;
    open_store(&it);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    much(&it, 700, 60);
    stop(&it);
    int64_t before = ask_sql(it.store, "PRAGMA page_count");
    CHECK_EQ(start_as(&it, it.store, by_size), ALLOT_OK);
    much(&it, 1, 60);
    stop(&it);
    int64_t after = ask_sql(it.store, "PRAGMA page_count");
    CHECK(after < before / 2);
    close_store(&it);
}

/* A minute later; what is due then is done. */
static void minute(world *it)
{
    it->now += 60;
    it->service->keep_at = 0;
    allot__clock_set(it->service);
    allot__service_let_go(it->service);
    settle(it);
}

static void at_once(allot_service_config *config)
{
    by_age(config);
    config->debounce = 0;
}

/* Where nothing happens any more rows get old, too; and a newest snapshot is enough. */
static void ages_alone(void)
{
    world it;
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, at_once), ALLOT_OK);
    much(&it, 30, 1);
    for (int i = 0; i < 100; i++)
        minute(&it);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM events"), 0);
    CHECK_EQ(ask_sql(it.store, "SELECT count(DISTINCT event) FROM snapshots"), 1);
    CHECK_EQ(it.service->event, 30);
    int64_t cycle = it.service->cycle;
    for (int i = 0; i < 100; i++)
        minute(&it);
    CHECK_EQ(it.service->cycle, cycle);
    CHECK_EQ(ask_sql(it.store, "SELECT max(cycle) FROM snapshots"), cycle);
    stop(&it);
    close_store(&it);
}

static void two_mib(allot_service_config *config)
{
    by_size(config);
    config->keep_size = 2 << 20;
    config->debounce = 60000;
}

/* Where events are many and cycles few, a snapshot is left only once all events before it are. */
static void few_cycles(void)
{
    world it;
    char sync[80000];
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, two_mib), ALLOT_OK);
    for (int turn = 0; turn < 90; turn++) {
        size_t len = (size_t)snprintf(sync, sizeof sync,
                                      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"sync\","
                                      " \"params\": {\"tasks\": [");
        for (int i = 0; i < 1000; i++)
            len += (size_t)snprintf(sync + len, sizeof sync - len,
                                    "%s{\"id\": \"t%d\", \"consumer\": \"/a\", \"priority\": %d}",
                                    i > 0 ? ", " : "", i, turn + 1);
        snprintf(sync + len, sizeof sync - len, "]}}");
        CHECK(strstr(call(&it, sync), "\"result\"") != NULL);
        it.now += 60;
    }
    settle(&it);
    stop(&it);
    int64_t rows = ask_sql(it.store, "SELECT count(*) FROM events");
    CHECK(rows > 1000 && rows < 40000);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM events WHERE seq < (SELECT min(event) FROM"
                               " snapshots)"),
             0);
    close_store(&it);
}

/* ---- What decided -----------------------------------------------------------------------------
 */

static void put(const world *it, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", it->folder, name);
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
}

/* Another policy under that plan takes over. */
static void change_policy(world *it, int number)
{
    char text[200], plan[sizeof world_plan + 16];
    const char *name = strstr(world_plan, "hybrid");
    snprintf(text, sizeof text,
             "return policy { name = \"p%d\", quota = { fill \"all\" { by = \"demand\" } } }\n",
             number);
    put(it, "p.lua", text);
    snprintf(plan, sizeof plan, "%.*sp.lua%s", (int)(name - world_plan), world_plan, name + 6);
    put(it, "p.json", plan);
    settle(it);
    int64_t versions = ask_sql(it->store, "SELECT max(number) FROM versions");
    CHECK(strstr(call(it, REQUEST("reload", "{}")), "\"result\"") != NULL);
    settle(it);
    CHECK_EQ(ask_sql(it->store, "SELECT max(number) FROM versions"), versions + 1);
}

static int64_t count_of(const world *it, const char *table)
{
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    return ask_sql(it->store, sql);
}

/* Each cycle that stays is decided once more as it was, whatever has become of the files. */
static void decides_again(world *it)
{
    int64_t same = 0;
    const allot_replay_visitor visitor = {.ud = &same, .cycle = same_cycle};
    allot_replay_config config;
    allot_replay_config_init(&config);
    config.store = it->store;
    config.plan = it->plan;
    put(it, "p.lua", "return nothing");
    CHECK_EQ(allot_service_replay(it->engine, &config, &visitor, it->report), ALLOT_OK);
    CHECK(same > 0);
    CHECK_EQ(same, ask_sql(it->store, "SELECT count(*) FROM cycles WHERE cycle > (SELECT"
                                      " min(cycle) FROM snapshots)"));
}

/* Versions of the plan, and texts, go with the last cycle that needs them. */
static void texts_go(void)
{
    world it;
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, by_count), ALLOT_OK);
    for (int i = 1; i <= 8; i++) {
        change_policy(&it, i);
        much(&it, 60, 60);
    }
    int64_t versions = count_of(&it, "versions");
    CHECK(versions > 2 && versions < 8);
    CHECK_EQ(count_of(&it, "policies"), 2 * versions); /* a list and a text each */
    CHECK_EQ(count_of(&it, "plans"), 1);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM versions WHERE policies NOT IN"
                               " (SELECT sha256 FROM policies)"),
             0);
    decides_again(&it);
    much(&it, 400, 60);
    CHECK_EQ(count_of(&it, "versions"), 2);
    CHECK_EQ(count_of(&it, "policies"), 4);
    CHECK_EQ(ask_sql(it.store, "SELECT max(number) FROM versions"), 9);
    stop(&it);
    close_store(&it);
}

int main(void)
{
    RUN(writes_nothing);
    RUN(counts_use);
    RUN(is_kept);
    RUN(shrinks);
    RUN(ages_alone);
    RUN(few_cycles);
    RUN(texts_go);
    return check_done();
}
