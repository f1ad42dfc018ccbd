/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store_test.c: whose a store is, which one it is, and what was made by version 1. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "service/instance/service.h"
#include "service/store/own.h"

#include "test/support/store_world.h"

/* ---- Whose it is ------------------------------------------------------------------------------
 */

/* Whether another process sees a lock of SQLite's on the file: that somebody has it open. */
static const allot__store_site site = {.lease = 3000};

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
        _exit(-allot__store_open(it->engine, path, &site, it->report, &store));
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
    CHECK_EQ(allot__store_open(it.engine, it.store, &site, it.report, &store), ALLOT_OK);
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
        CHECK_EQ(allot__store_open(it.engine, names[i], &site, it.report, &other), ALLOT_EIO);
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
    CHECK_EQ(allot__store_open(it.engine, it.store, &site, it.report, &store), ALLOT_OK);
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
    if (CHECK_EQ(allot__store_open(it->engine, path, &site, it->report, &store), ALLOT_OK)) {
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

/* ---- What is on disk --------------------------------------------------------------------------
 */

typedef struct told {
    allot__store *store;
    int64_t first, second; /* batches of the two events */
    int64_t done[8];       /* batches that were told to be on disk, in order */
    int count;
} told;

static int64_t put_event(allot__store *store, int64_t seq)
{
    const allot__event_row row = {
        .seq = seq, .at = 1000, .method = "cycle", .params = "{}", .params_len = 2};
    return allot__store_event(store, &row);
}

static void note_done(void *ud, int64_t batch)
{
    told *it = ud;
    if (CHECK(it->count < 8))
        it->done[it->count++] = batch;
}

/* What waited for the store to work again is put at once, and the next batch sent. */
static void put_second(void *ud, const char *text)
{
    told *it = ud;
    if (!text && it->second == 0)
        it->second = put_event(it->store, 2);
}

static void acknowledges_what_is_done(void)
{
    world it;
    uv_loop_t loop;
    told found = {.store = NULL};
    const allot__store_hooks hooks = {.ud = &found, .committed = note_done, .troubled = put_second};
    open_world(&it);
    CHECK_EQ(allot__store_open(it.engine, it.store, &site, it.report, &found.store), ALLOT_OK);
    uv_loop_init(&loop);
    CHECK_EQ(allot__store_attach(found.store, &loop, &hooks), ALLOT_OK);
    found.store->in_trouble = true; /* as after a batch that failed */
    found.first = put_event(found.store, 1);
    for (int i = 0; i < 1000 && found.count < 2; i++)
        uv_run(&loop, UV_RUN_ONCE);
    CHECK(found.second > found.first);
    CHECK_EQ(found.done[0], found.first);
    CHECK_EQ(found.done[1], found.second);
    allot__store_detach(found.store);
    while (uv_run(&loop, UV_RUN_DEFAULT) != 0)
        continue;
    allot__store_close(found.store);
    uv_loop_close(&loop);
    close_world(&it);
}

int main(void)
{
    RUN(one_service);
    RUN(which_one);
    RUN(is_told);
    RUN(removes_its_own);
    RUN(not_a_store);
    RUN(goes_on);
    RUN(acknowledges_what_is_done);
    return check_done();
}
