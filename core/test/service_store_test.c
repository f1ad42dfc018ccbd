/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_store_test.c: whose a store is, which one it is, and how much stays in it. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "service/service.h"
#include "service/store.h"

#include "test/store_world.h"

/* ---- Whose it is ------------------------------------------------------------------------------
 */

/* Whether another process sees a lock of SQLite's on the file: that somebody has it open. */
static bool is_open_elsewhere(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
        int file = open(path, O_RDWR);
        _exit(file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static int open_elsewhere(world *it, const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        allot__store *store;
        _exit(-allot__store_open(it->engine, path, it->report, &store));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? -WEXITSTATUS(status) : 0;
}

static void one_service(void)
{
    world it;
    char names[5][200];
    allot__store *store, *other;
    open_world(&it);
    CHECK_EQ(allot__store_open(it.engine, it.store, it.report, &store), ALLOT_OK);
    snprintf(names[0], sizeof names[0], "%s", it.store);
    snprintf(names[1], sizeof names[1], "%s/./p.db", it.folder);
    snprintf(names[2], sizeof names[2], "%s/hard.db", it.folder);
    snprintf(names[3], sizeof names[3], "%s/soft.db", it.folder);
    snprintf(names[4], sizeof names[4], "%s/there/p.db", it.folder);
    CHECK_EQ(link(it.store, names[2]), 0);
    CHECK_EQ(symlink(it.store, names[3]), 0);
    char folder[200];
    snprintf(folder, sizeof folder, "%s/there", it.folder);
    CHECK_EQ(symlink(it.folder, folder), 0);
    for (int i = 0; i < 5; i++) {
        allot_report_clear(it.report);
        CHECK_EQ(allot__store_open(it.engine, names[i], it.report, &other), ALLOT_EIO);
        CHECK(says(&it, "E-store", "in use by another service"));
        CHECK_EQ(open_elsewhere(&it, names[i]), ALLOT_EIO);
    }
    /* Who was refused took no lock of the first one's with it, nor did who read. */
    CHECK_EQ(allot__store_open_read(it.engine, it.store, it.report, &other), ALLOT_OK);
    allot__store_close(other);
    CHECK(is_open_elsewhere(it.store));
    CHECK_EQ(open_elsewhere(&it, it.store), ALLOT_EIO);
    CHECK_EQ(allot__store_open_read(it.engine, it.store, it.report, &other), ALLOT_OK);
    allot__store_close(store);
    CHECK(is_open_elsewhere(it.store)); /* by who reads still */
    CHECK_EQ(open_elsewhere(&it, it.store), ALLOT_OK);
    CHECK_EQ(allot__store_open(it.engine, it.store, it.report, &store), ALLOT_OK);
    allot__store_close(other);
    CHECK_EQ(open_elsewhere(&it, it.store), ALLOT_EIO);
    allot__store_close(store);
    close_world(&it);
}

/* ---- Which one it is --------------------------------------------------------------------------
 */

static allot__store_name name_of(world *it, const char *path)
{
    allot__store *store;
    allot__store_name name = {.epoch = -1};
    if (CHECK_EQ(allot__store_open(it->engine, path, it->report, &store), ALLOT_OK)) {
        name = *allot__store_identity(store);
        allot__store_close(store);
    }
    return name;
}

static void which_one(void)
{
    world it;
    char copy[100], command[300];
    open_world(&it);
    snprintf(copy, sizeof copy, "%s/copy.db", it.folder);
    allot__store_name first = name_of(&it, it.store);
    CHECK_EQ(strlen(first.id), 32);
    snprintf(command, sizeof command, "cp %s %s", it.store, copy);
    CHECK_EQ(system(command), 0);
    allot__store_name again = name_of(&it, it.store), other = name_of(&it, ":memory:");
    CHECK_STR(again.id, first.id);
    CHECK(again.epoch > first.epoch);
    CHECK(strcmp(other.id, first.id) != 0);
    allot__store_name restored = name_of(&it, copy);
    CHECK_STR(restored.id, first.id);
    CHECK(restored.epoch > first.epoch);
    close_world(&it);
}

static void is_told(void)
{
    world it;
    char id[80];
    open_world(&it);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    snprintf(id, sizeof id, "\"id\": \"%s\"", allot__store_identity(it.service->store)->id);
    CHECK(strstr(call(&it, REQUEST("status", "{}")), id) != NULL);
    CHECK(strstr(it.answer, "\"epoch\": ") != NULL);
    stop(&it);
    close_world(&it);
}

/* ---- What is ours ------------------------------------------------------------------------------
 */

static char at_path[100];

static void on_socket(allot_service_config *config)
{
    config->socket = at_path;
}

/* A socket that another one has put in its place stays. */
static void removes_its_own(void)
{
    world it;
    struct stat there;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    open_world(&it);
    snprintf(at_path, sizeof at_path, "%s/s", it.folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", at_path);
    CHECK_EQ(start_as(&it, it.store, on_socket), ALLOT_OK);
    CHECK_EQ(lstat(at_path, &there), 0);
    stop(&it);
    CHECK(lstat(at_path, &there) != 0);
    CHECK_EQ(start_as(&it, it.store, on_socket), ALLOT_OK);
    int other = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK_EQ(unlink(at_path), 0);
    CHECK_EQ(bind(other, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(other, 1), 0);
    stop(&it);
    CHECK_EQ(lstat(at_path, &there), 0);
    close(other);
    close_world(&it);
}

/* What a file of somebody else's says is not changed. */
static void not_a_store(void)
{
    static const char *const cases[] = {
        "CREATE TABLE meta(a)",
        "CREATE TABLE t(a); PRAGMA user_version = 1",
        "PRAGMA application_id = 77",
        "PRAGMA user_version = 1",
    };
    world it;
    open_world(&it);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stat before, after;
        unlink(it.store);
        CHECK_EQ(run_sql(it.store, cases[i]), SQLITE_OK);
        CHECK_EQ(stat(it.store, &before), 0);
        refuses(&it, it.store, "is a database of something else, no store");
        CHECK_EQ(stat(it.store, &after), 0);
        CHECK_EQ(after.st_size, before.st_size);
        CHECK_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    }
    close_world(&it);
}

/* ---- What was made by version 1 ---------------------------------------------------------------
 */

#define OLD "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" /* of "text" */

static const char first_version[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE plans(sha256 TEXT PRIMARY KEY, text BLOB) WITHOUT ROWID;"
    "CREATE TABLE events(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL,"
    " params TEXT NOT NULL, idem TEXT);"
    "CREATE TABLE cycles(cycle INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL,"
    " event INTEGER NOT NULL, plan TEXT NOT NULL, policy TEXT, input INTEGER NOT NULL,"
    " output INTEGER NOT NULL, decision TEXT, effect TEXT NOT NULL);"
    "CREATE UNIQUE INDEX decisions ON cycles(seq) WHERE decision IS NOT NULL;"
    "CREATE TABLE snapshots(event INTEGER, cycle INTEGER, part INTEGER, parts INTEGER NOT NULL,"
    " seq INTEGER NOT NULL, at INTEGER NOT NULL, plan TEXT NOT NULL, body TEXT NOT NULL,"
    " PRIMARY KEY(event, cycle, part));"
    "PRAGMA user_version = 1; PRAGMA journal_mode = WAL;"
    "INSERT INTO plans VALUES('" OLD "', 'text');"
    "INSERT INTO events VALUES(1, 4000, 'demand', '{\"consumer\": \"/a\", \"slots\": 7,"
    " \"key\": \"k\"}', 'k');"
    "INSERT INTO cycles VALUES(1, 1, 4000, 1, '" OLD "', NULL, 1, 2, '{\"seq\": 1}',"
    " '{\"method\": \"keep_row\", \"params\": {\"consumer\": \"/a\", \"demand\": 7,"
    " \"allocated\": 7}}' || char(10));"
    "CREATE TABLE filler(a); INSERT INTO filler SELECT zeroblob(100000) FROM"
    " (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4); DROP TABLE filler;";

static void goes_on(void)
{
    world it;
    struct stat before, after;
    open_world(&it);
    CHECK_EQ(run_sql(it.store, first_version), SQLITE_OK);
    CHECK_EQ(stat(it.store, &before), 0);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK_EQ(allot_service_decisions(it.service), 1);
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 7, \"key\": \"k\"}")),
              SEQ(1));
    CHECK_STR(call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9}")), SEQ(2));
    CHECK(strstr(call(&it, REQUEST("cycle", "{}")), "\"decision\": 2") != NULL);
    CHECK(strstr(call(&it, REQUEST("decisions", "{\"from\": 2}")), "\"slots\": 2}") != NULL);
    stop(&it);
    CHECK_EQ(stat(it.store, &after), 0);
    CHECK(after.st_size < before.st_size / 2);
    CHECK_EQ(ask_sql(it.store, "PRAGMA user_version"), ALLOT__STORE_VERSION);
    CHECK_EQ(ask_sql(it.store, "PRAGMA application_id"), ALLOT__STORE_MAGIC);
    CHECK_EQ(ask_sql(it.store, "PRAGMA auto_vacuum"), 2);
    CHECK_EQ(ask_sql(it.store, "SELECT version FROM plans WHERE sha256 = '" OLD "'"), 1);
    CHECK_EQ(ask_sql(it.store, "SELECT cycle FROM versions WHERE plan = '" OLD "'"), 1);
    CHECK_EQ(ask_sql(it.store, "SELECT cycle FROM versions WHERE number = 2"), 2);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK_EQ(allot_service_events(it.service), 2);
    stop(&it);
    close_world(&it);
}

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
    *(int64_t *)ud += cycle->differs == NULL;
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
    for (int i = 0; i < 60; i++) { /* batch after batch */
        it->service->keep_at = 0;
        allot__service_keep(it->service);
        rest(it, 1);
    }
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
    CHECK(ask_sql(it.store, "SELECT min(cycle) FROM cycles") > 1);
    CHECK(ask_sql(it.store, "SELECT min(seq) FROM events") > 1);
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
    printf("# %lld pages, then %lld\n", (long long)before, (long long)after);
    CHECK(after < before / 2);
    close_store(&it);
}

/* Texts of plans that no row needs go with the rows. */
static void texts_go(void)
{
    world it;
    open_store(&it);
    CHECK_EQ(start_as(&it, it.store, by_count), ALLOT_OK);
    allot__store_put_plan(it.service->store, "unused", "text", 4);
    much(&it, 10, 60);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM plans"), 2);
    much(&it, 200, 60);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM plans"), 1);
    CHECK_EQ(ask_sql(it.store, "SELECT count(*) FROM plans WHERE sha256 = 'unused'"), 0);
    stop(&it);
    close_store(&it);
}

int main(void)
{
    RUN(one_service);
    RUN(which_one);
    RUN(is_told);
    RUN(removes_its_own);
    RUN(not_a_store);
    RUN(goes_on);
    RUN(writes_nothing);
    RUN(counts_use);
    RUN(is_kept);
    RUN(shrinks);
    RUN(texts_go);
    return check_done();
}
