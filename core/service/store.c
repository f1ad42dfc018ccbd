/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store.c: the file: opened, made, migrated, checked, and closed. */
#include "service/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/store_own.h"

/* What makes version i + 1 of the schema from version i. */
static const char *const migrations[ALLOT__STORE_VERSION] = {
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
    " PRIMARY KEY(event, cycle, part));",
    "CREATE TABLE IF NOT EXISTS policies(sha256 TEXT PRIMARY KEY, text BLOB) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS versions(number INTEGER PRIMARY KEY, cycle INTEGER NOT NULL,"
    " plan TEXT NOT NULL, policies TEXT NOT NULL);",
};

int allot__store_say(allot__store *store, const char *path, const char *what, allot_report *report)
{
    allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s %s: %.200s", path, what,
                     store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory");
    return ALLOT_EIO;
}

static int run(allot__store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
}

/* The first column of a statement's first row, as a number; -1: it failed. */
static int64_t ask_number(allot__store *store, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t number = -1;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static int check_sound(allot__store *store, const char *path, allot_report *report)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
        return allot__store_say(store, path, "cannot be read", report);
    int step = sqlite3_step(statement);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    int status = text != NULL && strcmp(text, "ok") == 0 ? ALLOT_OK : ALLOT_EIO;
    if (status != ALLOT_OK)
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "the store %.200s is damaged: %.200s; move it away, or restore a copy",
                         path, text != NULL ? text : sqlite3_errmsg(store->db));
    sqlite3_finalize(statement);
    return status;
}

static int migrate(allot__store *store, const char *path, allot_report *report)
{
    char sql[64];
    int64_t version = ask_number(store, "PRAGMA user_version");
    if (version < 0)
        return allot__store_say(store, path, "cannot be read", report);
    if (version > ALLOT__STORE_VERSION) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "the store %.200s has version %lld, this program knows versions up to %d",
                         path, (long long)version, ALLOT__STORE_VERSION);
        return ALLOT_EIO;
    }
    for (; version < ALLOT__STORE_VERSION; version++) {
        snprintf(sql, sizeof sql, "PRAGMA user_version=%lld", (long long)version + 1);
        if (run(store, "BEGIN IMMEDIATE") || run(store, migrations[version]) || run(store, sql) ||
            run(store, "COMMIT")) {
            allot__store_say(store, path, "cannot be brought to this version", report);
            run(store, "ROLLBACK");
            return ALLOT_EIO;
        }
    }
    return ALLOT_OK;
}

/* A lock beside the file, as readers of the file itself are welcome. */
static int lock_file(allot__store *store, const char *path, allot_report *report)
{
    char name[4096];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int len = snprintf(name, sizeof name, "%s-lock", path);
    if (len > 0 && (size_t)len < sizeof name)
        store->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock >= 0 && fcntl(store->lock, F_SETLK, &lock) == 0)
        return ALLOT_OK;
    bool taken = store->lock >= 0 && (errno == EACCES || errno == EAGAIN);
    allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s %s", path,
                     taken ? "is in use by another service" : "cannot be locked");
    return ALLOT_EIO;
}

/* Nobody else may write while it is open: the lock is held until it is closed. */
static int take_hold(allot__store *store, const char *path, allot_report *report)
{
    if (store->memory)
        return ALLOT_OK;
    int status = lock_file(store, path, report);
    if (status != ALLOT_OK)
        return status;
    if (run(store, "PRAGMA journal_mode=WAL") || run(store, "PRAGMA synchronous=FULL") ||
        run(store, "PRAGMA wal_autocheckpoint=1000") ||
        run(store, "PRAGMA journal_size_limit=67108864"))
        return allot__store_say(store, path, "cannot be opened", report);
    return ALLOT_OK;
}

/* What a store tells is its service's alone, as its socket is; SQLite gives the files beside it the
 * same mode. One that is there keeps its own. */
static void make_private(const allot__store *store, const char *path)
{
    int file = store->memory ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static int open_file(allot__store *store, const char *path, int flags, allot_report *report)
{
    if (flags & SQLITE_OPEN_CREATE)
        make_private(store, path);
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return allot__store_say(store, path, "cannot be opened", report);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, 2000);
    return ALLOT_OK;
}

static int begin(allot_engine *engine, const char *path, allot__store **out)
{
    allot__store *store = allot__sv_new(engine, 1, sizeof *store);
    if (store == NULL)
        return ALLOT_ENOMEM;
    store->engine = store->gathered.engine = store->written.engine = engine;
    store->part.engine = engine;
    store->memory = strcmp(path, ":memory:") == 0;
    store->batch = 1;
    store->lock = -1;
    *out = store;
    return ALLOT_OK;
}

int allot__store_open(allot_engine *engine, const char *path, allot_report *report,
                      allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, &store);
    if (status != ALLOT_OK)
        return status;
    status = open_file(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, report);
    if (status == ALLOT_OK)
        status = take_hold(store, path, report);
    if (status == ALLOT_OK)
        status = check_sound(store, path, report);
    if (status == ALLOT_OK)
        status = migrate(store, path, report);
    if (status == ALLOT_OK && allot__store_prepare(store) != ALLOT_OK)
        status = allot__store_say(store, path, "has other tables than it should", report);
    if (status != ALLOT_OK) {
        allot__store_close(store);
        return status;
    }
    store->oldest = allot__store_first(store);
    *out = store;
    return ALLOT_OK;
}

int allot__store_open_read(allot_engine *engine, const char *path, allot_report *report,
                           allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, &store);
    if (status != ALLOT_OK)
        return status;
    status = open_file(store, path, SQLITE_OPEN_READONLY, report);
    int64_t version = status == ALLOT_OK ? ask_number(store, "PRAGMA user_version") : 0;
    if (status == ALLOT_OK && (version < 1 || version > ALLOT__STORE_VERSION)) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "%.200s has version %lld of a store, this program reads version %d, and "
                         "before",
                         path, (long long)version, ALLOT__STORE_VERSION);
        status = ALLOT_EIO;
    }
    if (status == ALLOT_OK)
        *out = store;
    else
        allot__store_close(store);
    return status;
}

void allot__store_close(allot__store *store)
{
    if (store == NULL)
        return;
    for (int i = 0; i < ALLOT__RECORDS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    if (store->lock >= 0)
        close(store->lock);
    allot__buf_free(&store->gathered);
    allot__buf_free(&store->written);
    allot__buf_free(&store->part);
    while (store->asks != NULL) {
        allot__store_ask *ask = store->asks;
        store->asks = ask->next;
        allot__sv_free(store->engine, ask, 1, sizeof *ask);
    }
    allot__sv_free(store->engine, store, 1, sizeof *store);
}
