/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sqlite.c: a store in an SQLite file: opened, checked, made or migrated, written and closed.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/memory.h"
#include "service/store/own.h"
#include "service/store/store.h"

/* ---- What it is ------------------------------------------------------------------------------ */

/* Runs SQL. EIO. */
static int run(allot__store *store, const char *sql)
{
    return sqlite3_exec(store->file.db, sql, NULL, NULL, NULL) == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
}

/* SQL from version i of the schema to i + 1. `version` of a text is the last version that uses it;
 * in `meta`, `unrounded` is the last cycle that took whole seconds for the exact time
 * (allot_state_now_rounded), `digest_first` the last with allot_decision_digest_first. */
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
    "CREATE TABLE policies(sha256 TEXT PRIMARY KEY, text BLOB, version INTEGER NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE TABLE versions(number INTEGER PRIMARY KEY, cycle INTEGER NOT NULL,"
    " plan TEXT NOT NULL, policies TEXT NOT NULL);"
    "INSERT INTO versions(cycle, plan, policies) SELECT cycle, plan, '' FROM (SELECT cycle, plan,"
    " lag(plan, 1, '') OVER (ORDER BY cycle) AS before FROM cycles) WHERE plan <> before;"
    "ALTER TABLE plans ADD COLUMN version INTEGER NOT NULL DEFAULT 0;"
    "UPDATE plans SET version = (SELECT coalesce(max(number), 0) FROM versions WHERE plan ="
    " plans.sha256);",
    "INSERT OR REPLACE INTO meta(key, value) SELECT 'unrounded', coalesce(max(cycle), 0) FROM "
    "(SELECT cycle"
    " FROM cycles UNION ALL SELECT cycle FROM snapshots);",
    "INSERT OR REPLACE INTO meta(key, value) SELECT 'digest_first', coalesce(max(cycle), 0) FROM "
    "(SELECT cycle FROM cycles UNION ALL SELECT cycle FROM snapshots);",
    "ALTER TABLE events ADD COLUMN who INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE clients(event INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL);"
    "CREATE TABLE notes(event INTEGER, cycle INTEGER, number INTEGER, at INTEGER NOT NULL,"
    " kind TEXT NOT NULL, version INTEGER NOT NULL, who TEXT, text TEXT NOT NULL,"
    " PRIMARY KEY(event, cycle, number)) WITHOUT ROWID;"
    "CREATE INDEX decided ON cycles(event, cycle) WHERE decision IS NOT NULL;",
};

/* ---- Whether it is one ----------------------------------------------------------------------- */

/* Version 1 had no application_id: it is known by having exactly these tables. */
static bool looks_first(allot__store *store)
{
    return allot__store_number(store,
                               "SELECT group_concat(name, ' ') = 'cycles events meta plans"
                               " snapshots' FROM (SELECT name FROM sqlite_master WHERE type ="
                               " 'table' ORDER BY name)",
                               0) == 1;
}

static int check_store(allot__store *store, allot_report *report)
{
    int64_t version = allot__store_number(store, "PRAGMA user_version", -1);
    int64_t magic = allot__store_number(store, "PRAGMA application_id", -1);
    int64_t tables = allot__store_number(store, "SELECT count(*) FROM sqlite_master", -1);
    if (version < 0 || magic < 0 || tables < 0)
        return allot__store_say(store, "cannot be opened", report);
    bool fresh = store->writes && tables == 0 && version == 0 && magic == 0;
    bool first = magic == 0 && version == 1 && looks_first(store);
    if (!fresh && !first && magic != ALLOT__STORE_MAGIC) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "%.200s is a database of something else, no store; it is left as it is",
                         store->path);
        return ALLOT_EIO;
    }
    if (version > ALLOT__STORE_VERSION) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "the store %.200s has version %lld, this program knows versions up to %d",
                         store->path, (long long)version, ALLOT__STORE_VERSION);
        return ALLOT_EIO;
    }
    if (version < 1 && !fresh)
        return allot__store_damaged(store, "it has no version", report);
    store->schema = store->writes ? ALLOT__STORE_VERSION : version;
    return ALLOT_OK;
}

/* ---- Making it one --------------------------------------------------------------------------- */

static int step_up(allot__store *store, int64_t version)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version=%lld", (long long)version + 1);
    if (run(store, "BEGIN IMMEDIATE"))
        return ALLOT_EIO;
    return run(store, migrations[version]) || run(store, sql) || run(store, "COMMIT") ? ALLOT_EIO
                                                                                      : ALLOT_OK;
}

/* A file made without auto_vacuum shrinks only after it is rewritten once (VACUUM). If the disk
 * lacks space for that, the file stays as it is, and the next start tries again. */
static void let_shrink(allot__store *store, allot_report *report)
{
    enum { INCREMENTAL = 2 };
    if (store->file.memory || allot__store_number(store, "PRAGMA auto_vacuum", 0) == INCREMENTAL)
        return;
    if (run(store, "PRAGMA auto_vacuum=INCREMENTAL") == ALLOT_OK &&
        run(store, "VACUUM") == ALLOT_OK)
        return;
    allot_report_say(report, ALLOT_WARNING, "W-store",
                     "the store %.200s cannot be written anew, so its file does not get smaller: "
                     "%.200s",
                     store->path, sqlite3_errmsg(store->file.db));
}

/* Check that the file is a store; make or migrate it. EIO (report). */
static int migrate(allot__store *store, allot_report *report)
{
    char sql[64];
    int64_t version = allot__store_number(store, "PRAGMA user_version", -1);
    for (; version < ALLOT__STORE_VERSION; version++)
        if (step_up(store, version) != ALLOT_OK) {
            allot__store_say(store, "cannot be brought to this version", report);
            run(store, "ROLLBACK");
            return ALLOT_EIO;
        }
    snprintf(sql, sizeof sql, "PRAGMA application_id=%d", ALLOT__STORE_MAGIC);
    if (allot__store_number(store, "PRAGMA application_id", 0) != ALLOT__STORE_MAGIC &&
        run(store, sql) != ALLOT_OK)
        return allot__store_say(store, "cannot be brought to this version", report);
    let_shrink(store, report);
    return ALLOT_OK;
}

/* ---- Which one it is ------------------------------------------------------------------------- */

/* Reads a row of `meta`; "" if there is none. */
static int read_meta(allot__store *store, const char *key, char *out, size_t size,
                     allot_report *report)
{
    allot__rows rows = allot__store_query(store, "SELECT value FROM meta WHERE key = $1", "t", key);
    size_t len = 0;
    const char *text = NULL;
    *out = '\0';
    if (!rows.it)
        return allot__store_say(store, "cannot be read", report);
    bool good =
        allot__rows_step(rows) != 1 || (allot__row_read(rows, "t", &text, &len) < 0 && len < size);
    if (good && text)
        memcpy(out, text, len + 1);
    allot__rows_end(rows);
    return good ? ALLOT_OK : allot__store_damaged(store, "a row of `meta` cannot be", report);
}

static int write_meta(const allot__store *store, const char *key, const char *value)
{
    return allot__rows_run(allot__store_query(
        store, "INSERT OR REPLACE INTO meta(key, value) VALUES($1, $2)", "tt", key, value));
}

/* SQLite's log lies beside the name by which the file was opened; opened by another hard link,
 * commits still in the log would be missed. */
static int check_name(allot__store *store, char *real, allot_report *report)
{
    char before[PATH_MAX], log[PATH_MAX + 8];
    struct stat one, other;
    int status = read_meta(store, "path", before, sizeof before, report);
    if (status != ALLOT_OK)
        return status;
    if (!realpath(store->path, real))
        snprintf(real, PATH_MAX, "%s", store->path);
    snprintf(log, sizeof log, "%s-wal", before);
    if (strcmp(before, real) == 0 || stat(before, &one) != 0 || stat(real, &other) != 0 ||
        one.st_dev != other.st_dev || one.st_ino != other.st_ino || stat(log, &one) != 0 ||
        one.st_size == 0)
        return ALLOT_OK;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s is another name of %.200s, beside which there is what is "
                     "not in the file yet: start it once by that name",
                     store->path, before);
    return ALLOT_EIO;
}

static int read_name(allot__store *store, allot_report *report)
{
    char epoch[32], *end;
    int status = read_meta(store, "id", store->name.id, sizeof store->name.id, report);
    if (status == ALLOT_OK)
        status = read_meta(store, "epoch", epoch, sizeof epoch, report);
    if (status != ALLOT_OK)
        return status;
    long long number = strtoll(epoch, &end, 10);
    if (*end != '\0' || number < 0 || number >= ALLOT__STORE_LAST ||
        (store->name.id[0] != '\0' && strspn(store->name.id, "0123456789abcdef") != 32))
        return allot__store_damaged(store, "it has an id or an epoch that cannot be", report);
    store->name.epoch = number;
    return ALLOT_OK;
}

/* An epoch is its start time in microseconds, so that two copies of a file begin different ones. */
static int write_name(allot__store *store, const char *real)
{
    unsigned char random[16];
    char epoch[32];
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    int64_t now = (int64_t)clock.tv_sec * 1000000 + clock.tv_nsec / 1000;
    if (store->name.id[0] == '\0') {
        if (uv_random(NULL, NULL, random, sizeof random, 0, NULL) != 0)
            return ALLOT_EIO;
        for (size_t i = 0; i < sizeof random; i++)
            snprintf(store->name.id + 2 * i, 3, "%02x", random[i]);
    }
    store->name.epoch =
        now > store->name.epoch && now < ALLOT__STORE_LAST ? now : store->name.epoch + 1;
    snprintf(epoch, sizeof epoch, "%lld", (long long)store->name.epoch);
    if (run(store, "BEGIN IMMEDIATE") || write_meta(store, "id", store->name.id) ||
        write_meta(store, "epoch", epoch) || write_meta(store, "path", real) ||
        run(store, "COMMIT") || run(store, "PRAGMA wal_checkpoint(TRUNCATE)"))
        return ALLOT_EIO;
    return ALLOT_OK;
}

/* Reads the store's identity; if it writes, begins another epoch. EIO (report). */
static int begin_epoch(allot__store *store, allot_report *report)
{
    char real[PATH_MAX];
    int status = read_name(store, report);
    if (status == ALLOT_OK && store->writes)
        status = check_name(store, real, report);
    if (status == ALLOT_OK && store->writes && write_name(store, real) != ALLOT_OK) {
        allot__store_say(store, "cannot be opened", report);
        run(store, "ROLLBACK");
        status = ALLOT_EIO;
    }
    return status;
}

static int check_sound(allot__store *store, allot_report *report)
{
    allot__rows rows = allot__store_query(store, "PRAGMA quick_check(1)", "");
    if (!rows.it)
        return allot__store_say(store, "cannot be read", report);
    const char *text =
        allot__rows_step(rows) == 1 ? (const char *)sqlite3_column_text(rows.it, 0) : NULL;
    int status = text != NULL && strcmp(text, "ok") == 0 ? ALLOT_OK : ALLOT_EIO;
    if (status != ALLOT_OK)
        allot__store_damaged(store, text ? text : sqlite3_errmsg(store->file.db), report);
    allot__rows_end(rows);
    return status;
}

/* A new store is private to its user, like the socket; SQLite gives the files beside it the same
 * mode. An existing file keeps its mode. */
static void make_private(const allot__store *store)
{
    int file = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static int take_hold(allot__store *store, allot_report *report)
{
    enum { WAIT = 20 };
    if (store->file.memory)
        return ALLOT_OK;
    if (store->writes)
        make_private(store);
    int status = allot__store_lock(store->path, store->writes, &store->file.hold);
    while (status == ALLOT_EEXIST && store->site.wait) {
        uv_sleep(WAIT);
        status = allot__store_lock(store->path, store->writes, &store->file.hold);
    }
    if (status == ALLOT_EIO)
        allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s cannot be %s",
                         store->path, store->writes ? "locked" : "opened");
    if (status != ALLOT_EEXIST)
        return status;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s is in use by another service", store->path);
    return ALLOT_EIO;
}

static int open_file(allot__store *store, allot_report *report)
{
    int flags = store->writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int status = take_hold(store, report);
    if (status != ALLOT_OK)
        return status;
    if (sqlite3_open_v2(store->path, &store->file.db, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return allot__store_say(store, "cannot be opened", report);
    sqlite3_extended_result_codes(store->file.db, 1);
    sqlite3_busy_timeout(store->file.db, 2000);
    return check_store(store, report);
}

/* Makes a new file with auto_vacuum, so that it can shrink. */
static int set_up(allot__store *store, allot_report *report)
{
    bool good = run(store, "PRAGMA auto_vacuum=INCREMENTAL") == ALLOT_OK;
    if (good && !store->file.memory)
        good = run(store, "PRAGMA journal_mode=WAL") == ALLOT_OK &&
               run(store, "PRAGMA synchronous=FULL") == ALLOT_OK &&
               run(store, "PRAGMA journal_size_limit=67108864") == ALLOT_OK;
    return good ? ALLOT_OK : allot__store_say(store, "cannot be opened", report);
}

/* Makes, migrates and checks a file that is written. */
static int make_ready(allot__store *store, allot_report *report)
{
    int status = set_up(store, report);
    if (status == ALLOT_OK)
        status = check_sound(store, report);
    return status == ALLOT_OK ? migrate(store, report) : status;
}

/* ---- Statements ------------------------------------------------------------------------------ */

static const char *const own_sql[ALLOT__STORE_STATEMENTS] = {
    [ALLOT__STORE_BEGIN] = "BEGIN IMMEDIATE",
    [ALLOT__STORE_COMMIT] = "COMMIT",
    [ALLOT__STORE_PAGE_SIZE] = "PRAGMA page_size",
    [ALLOT__STORE_PAGES] = "PRAGMA page_count",
    [ALLOT__STORE_FREE_PAGES] = "PRAGMA freelist_count",
    [ALLOT__STORE_OLDEST] = "SELECT seq FROM cycles WHERE decision IS NOT NULL AND seq > 0"
                            " ORDER BY seq LIMIT 1",
};

/* The number that a prepared statement reads; 0: none. */
static int64_t read_number(const allot__store *store, int which)
{
    sqlite3_stmt *statement = store->file.statements[which];
    int64_t number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return number;
}

/* The file's size, as the transaction leaves it. */
static void measure(allot__store *store)
{
    int64_t page = read_number(store, ALLOT__STORE_PAGE_SIZE);
    store->work_size = page * read_number(store, ALLOT__STORE_PAGES);
    store->work_unused = page * read_number(store, ALLOT__STORE_FREE_PAGES);
}

/* Has SQLite tell the log's length after each commit, rather than copy it before the commit ends.
 */
static int on_commit(void *ud, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((allot__store *)ud)->work_log = pages;
    return SQLITE_OK;
}

static int prepare(allot__store *store)
{
    for (int i = 0; i < ALLOT__STORE_STATEMENTS; i++) {
        const char *sql = i < ALLOT__RECORDS ? allot__store_statements[i].sql : own_sql[i];
        if (sqlite3_prepare_v3(store->file.db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                               &store->file.statements[i], NULL) != SQLITE_OK)
            return ALLOT_EIO;
    }
    sqlite3_wal_hook(store->file.db, on_commit, store);
    measure(store);
    store->work_oldest = read_number(store, ALLOT__STORE_OLDEST);
    return ALLOT_OK;
}

static int open_sqlite(allot__store *store, allot_report *report)
{
    store->file.memory = strcmp(store->path, ":memory:") == 0;
    int status = open_file(store, report);
    if (status == ALLOT_OK && store->writes)
        status = make_ready(store, report);
    if (status == ALLOT_OK)
        status = begin_epoch(store, report);
    if (status == ALLOT_OK && store->writes && prepare(store) != ALLOT_OK)
        status = allot__store_say(store, "has other tables than it should", report);
    return status;
}

static void close_sqlite(allot__store *store)
{
    for (int i = 0; i < ALLOT__STORE_STATEMENTS; i++)
        sqlite3_finalize(store->file.statements[i]);
    sqlite3_close(store->file.db);
    allot__store_unlock(store->file.hold, store->writes);
}

static const char *error_of(const allot__store *store)
{
    return store->file.db ? sqlite3_errmsg(store->file.db) : "out of memory";
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void *query(const allot__store *store, const char *sql, const char *types, va_list values)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->file.db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    for (int i = 0; types[i] != '\0'; i++)
        if (types[i] == 't')
            sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
        else
            sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
    return statement;
}

static int step_rows(void *rows)
{
    int step = sqlite3_step(rows);
    return step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : ALLOT_EIO;
}

static allot__cell cell(void *rows, int column)
{
    static const int kinds[] = {[SQLITE_INTEGER] = ALLOT__CELL_WHOLE,
                                [SQLITE_FLOAT] = ALLOT__CELL_FRACTION,
                                [SQLITE_TEXT] = ALLOT__CELL_TEXT,
                                [SQLITE_BLOB] = ALLOT__CELL_BYTES,
                                [SQLITE_NULL] = ALLOT__CELL_NOTHING};
    allot__cell out = {.kind = kinds[sqlite3_column_type(rows, column)]};
    out.number = sqlite3_column_int64(rows, column);
    if (out.kind == ALLOT__CELL_TEXT)
        out.text = (const char *)sqlite3_column_text(rows, column);
    else if (out.kind == ALLOT__CELL_BYTES)
        out.text = sqlite3_column_blob(rows, column);
    if (out.text)
        out.len = (size_t)sqlite3_column_bytes(rows, column);
    return out;
}

static const char *name_of(void *rows, int column)
{
    return sqlite3_column_name(rows, column);
}

static void end_rows(void *rows)
{
    sqlite3_finalize(rows);
}

/* All statements of a reading are open at once, and so see the same instant. */
static void snap(const allot__store *store, bool on)
{
    (void)store;
    (void)on;
}

/* ---- A batch --------------------------------------------------------------------------------- */

static int step(sqlite3_stmt *statement)
{
    int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

static void bind_value(sqlite3_stmt *statement, int i, const allot__cell *value)
{
    if (value->kind == ALLOT__CELL_WHOLE)
        sqlite3_bind_int64(statement, i, value->number);
    else if (value->kind == ALLOT__CELL_NOTHING)
        sqlite3_bind_null(statement, i);
    else if (value->kind == ALLOT__CELL_BYTES)
        sqlite3_bind_blob64(statement, i, value->text, value->len, SQLITE_STATIC);
    else
        sqlite3_bind_text64(statement, i, value->text, value->len, SQLITE_STATIC, SQLITE_UTF8);
}

/* Writes the record at *at, and steps over it. */
static int write_one(allot__store *store, const char **at)
{
    allot__record_kind kind;
    allot__store_bounds bounds;
    memcpy(&kind, *at, sizeof kind);
    *at += sizeof kind;
    if (kind == ALLOT__RECORD_COMPACT) {
        memcpy(&bounds, *at, sizeof bounds);
        *at += sizeof bounds;
        return allot__store_delete(store, &bounds) == ALLOT_OK ? SQLITE_OK
                                                               : sqlite3_errcode(store->file.db);
    }
    const char *types = allot__store_statements[kind].types;
    for (int i = 0; types[i] != '\0'; i++) {
        allot__cell value = allot__record_value(at, types[i]);
        bind_value(store->file.statements[kind], i + 1, &value);
    }
    return step(store->file.statements[kind]);
}

static int write_all(allot__store *store)
{
    const char *at = store->written.bytes, *end = at + store->written.len;
    int status = SQLITE_OK;
    while (at < end && status == SQLITE_OK)
        status = write_one(store, &at);
    return status;
}

static void write_batch(allot__store *store)
{
    int status = step(store->file.statements[ALLOT__STORE_BEGIN]);
    if (status == SQLITE_OK)
        status = write_all(store);
    if (status == SQLITE_OK) {
        measure(store);
        store->work_oldest = read_number(store, ALLOT__STORE_OLDEST);
        status = step(store->file.statements[ALLOT__STORE_COMMIT]);
    }
    store->work_status = status == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
    if (status != SQLITE_OK) {
        snprintf(store->work_error, sizeof store->work_error, "%s (%d)",
                 sqlite3_errmsg(store->file.db), status);
        if (!sqlite3_get_autocommit(store->file.db))
            sqlite3_exec(store->file.db, "ROLLBACK", NULL, NULL, NULL);
    }
}

/* A failure is no loss: the log stays, and is copied after another batch. */
static void copy(allot__store *store)
{
    store->work_log = 0;
    sqlite3_wal_checkpoint_v2(store->file.db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* Free pages are given back, except some for the next rows. */
static int give_back(allot__store *store)
{
    enum { PAGES_STEP = 500, SPARE = 8 };
    char sql[60];
    measure(store);
    if (store->work_unused <= store->work_size / SPARE)
        return ALLOT_OK;
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", PAGES_STEP);
    int64_t before = store->work_unused;
    int status = run(store, sql);
    measure(store);
    store->work_more = store->work_more || (store->work_unused < before &&
                                            store->work_unused > store->work_size / SPARE);
    return status;
}

const allot__store_kind allot__store_sqlite = {
    .open = open_sqlite,
    .close = close_sqlite,
    .error = error_of,
    .query = query,
    .step = step_rows,
    .cell = cell,
    .name = name_of,
    .end = end_rows,
    .snap = snap,
    .write = write_batch,
    .copy = copy,
    .measure = measure,
    .give_back = give_back,
};
