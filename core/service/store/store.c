/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * store.c: opens, locks, checks and closes the file, makes or migrates it, and reads its identity.
 */
#define _GNU_SOURCE       /* F_OFD_SETLK */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
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

/* ---- The lock on the file -------------------------------------------------------------------- */

/*
 * A file is locked by its inode, whatever its name.
 *
 * The lock is on a byte of the database file that SQLite never uses, and belongs to an open file
 * (F_OFD_SETLK). So names, links and removed files beside it do not matter, and a second service in
 * this process is refused like one in another. When a process closes a file, all of SQLite's locks
 * there are lost; so the lock's file is closed only once no store of this process has the same file
 * open, which the list records.
 */

/* Beyond the end of any database; SQLite locks a few bytes at 2^30. */
#define LOCKED_BYTE (INT64_C(1) << 62)

/* From malloc: stores of several engines may share it. */
struct allot__store_hold {
    struct allot__store_hold *next;
    dev_t dev;
    ino_t ino;
    int file; /* -1: no store writes */
    int stores;
    bool written; /* a store holds the lock */
};

static struct allot__store_hold *holds;
static uv_mutex_t mutex;
static uv_once_t once = UV_ONCE_INIT;

static void make_mutex(void)
{
    if (uv_mutex_init(&mutex) != 0)
        abort();
}

static struct allot__store_hold *find(const struct stat *what)
{
    struct allot__store_hold *it = holds;
    while (it && (it->dev != what->st_dev || it->ino != what->st_ino))
        it = it->next;
    return it;
}

static int set_lock(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock);
}

static int lock(struct allot__store_hold *it, const char *path)
{
    struct stat what;
    if (it->written)
        return ALLOT_EEXIST;
    if (it->file < 0)
        it->file = open(path, O_RDWR | O_CLOEXEC);
    if (it->file < 0 || fstat(it->file, &what) != 0 || what.st_ino != it->ino)
        return ALLOT_EIO;
    if (set_lock(it->file, F_WRLCK) != 0)
        return errno == EACCES || errno == EAGAIN ? ALLOT_EEXIST : ALLOT_EIO;
    it->written = true;
    return ALLOT_OK;
}

static void release(struct allot__store_hold *it)
{
    struct allot__store_hold **at = &holds;
    if (--it->stores > 0)
        return;
    while (*at != it)
        at = &(*at)->next;
    *at = it->next;
    if (it->file >= 0)
        close(it->file);
    free(it);
}

static int take(const char *path, bool writes, struct allot__store_hold **out)
{
    struct stat what;
    if (stat(path, &what) != 0 || !S_ISREG(what.st_mode))
        return ALLOT_EIO;
    struct allot__store_hold *it = find(&what);
    if (!it) {
        it = calloc(1, sizeof *it);
        if (!it)
            return ALLOT_ENOMEM;
        *it = (struct allot__store_hold){
            .next = holds, .dev = what.st_dev, .ino = what.st_ino, .file = -1};
        holds = it;
    }
    it->stores++;
    int status = writes ? lock(it, path) : ALLOT_OK;
    if (status != ALLOT_OK)
        release(it);
    else
        *out = it;
    return status;
}

/* Locks the file, to write (exclusively) or to read; unlock it after SQLite has closed it. EEXIST:
 * another process writes; EIO: not a file, or it cannot be locked. */
static int lock_file(const char *path, bool writes, struct allot__store_hold **out)
{
    uv_once(&once, make_mutex);
    uv_mutex_lock(&mutex);
    int status = take(path, writes, out);
    uv_mutex_unlock(&mutex);
    return status;
}

static void unlock_file(struct allot__store_hold *hold, bool writes)
{
    if (!hold)
        return;
    uv_mutex_lock(&mutex);
    if (writes) {
        hold->written = false;
        set_lock(hold->file, F_UNLCK);
    }
    release(hold);
    uv_mutex_unlock(&mutex);
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* Runs SQL. EIO. */
static int run(allot__store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
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
    if (store->memory || allot__store_number(store, "PRAGMA auto_vacuum", 0) == INCREMENTAL)
        return;
    if (run(store, "PRAGMA auto_vacuum=INCREMENTAL") == ALLOT_OK &&
        run(store, "VACUUM") == ALLOT_OK)
        return;
    allot_report_say(report, ALLOT_WARNING, "W-store",
                     "the store %.200s cannot be written anew, so its file does not get smaller: "
                     "%.200s",
                     store->path, sqlite3_errmsg(store->db));
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
    sqlite3_stmt *statement =
        allot__store_query(store, "SELECT value FROM meta WHERE key = ?", "t", key);
    size_t len = 0;
    const char *text = NULL;
    *out = '\0';
    if (!statement)
        return allot__store_say(store, "cannot be read", report);
    bool good = sqlite3_step(statement) != SQLITE_ROW ||
                (allot__row_read(statement, "t", &text, &len) < 0 && len < size);
    if (good && text)
        memcpy(out, text, len + 1);
    sqlite3_finalize(statement);
    return good ? ALLOT_OK : allot__store_damaged(store, "a row of `meta` cannot be", report);
}

static int write_meta(const allot__store *store, const char *key, const char *value)
{
    sqlite3_stmt *statement = allot__store_query(
        store, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", "tt", key, value);
    int step = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    return step == SQLITE_DONE ? ALLOT_OK : ALLOT_EIO;
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
    store->name.began = allot__store_number(
        store, "SELECT seq FROM cycles WHERE decision IS NOT NULL ORDER BY seq DESC LIMIT 1", 0);
    return status;
}

const allot__store_name *allot__store_identity(const allot__store *store)
{
    return &store->name;
}

static int check_sound(allot__store *store, allot_report *report)
{
    sqlite3_stmt *statement = allot__store_query(store, "PRAGMA quick_check(1)", "");
    if (!statement)
        return allot__store_say(store, "cannot be read", report);
    int step = sqlite3_step(statement);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    int status = text != NULL && strcmp(text, "ok") == 0 ? ALLOT_OK : ALLOT_EIO;
    if (status != ALLOT_OK)
        allot__store_damaged(store, text ? text : sqlite3_errmsg(store->db), report);
    sqlite3_finalize(statement);
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
    if (store->memory)
        return ALLOT_OK;
    if (store->writes)
        make_private(store);
    int status = lock_file(store->path, store->writes, &store->hold);
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
    if (sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return allot__store_say(store, "cannot be opened", report);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, 2000);
    return check_store(store, report);
}

/* Makes a new file with auto_vacuum, so that it can shrink. */
static int set_up(allot__store *store, allot_report *report)
{
    bool good = run(store, "PRAGMA auto_vacuum=INCREMENTAL") == ALLOT_OK;
    if (good && !store->memory)
        good = run(store, "PRAGMA journal_mode=WAL") == ALLOT_OK &&
               run(store, "PRAGMA synchronous=FULL") == ALLOT_OK &&
               run(store, "PRAGMA journal_size_limit=67108864") == ALLOT_OK;
    return good ? ALLOT_OK : allot__store_say(store, "cannot be opened", report);
}

static int begin(allot_engine *engine, const char *path, bool writes, allot__store **out)
{
    allot__store *store = allot__new(engine, 1, sizeof *store);
    if (!store)
        return ALLOT_ENOMEM;
    store->engine = store->gathered.engine = store->written.engine = engine;
    store->part.engine = engine;
    store->memory = strcmp(path, ":memory:") == 0;
    store->writes = writes;
    store->batch = 1;
    store->path = allot__copy(engine, path, strlen(path));
    if (!store->path) {
        allot__store_close(store);
        return ALLOT_ENOMEM;
    }
    *out = store;
    return ALLOT_OK;
}

/* Makes, migrates and checks a file that is written. */
static int make_ready(allot__store *store, allot_report *report)
{
    int status = set_up(store, report);
    if (status == ALLOT_OK)
        status = check_sound(store, report);
    return status == ALLOT_OK ? migrate(store, report) : status;
}

static int open_store(allot_engine *engine, const char *path, bool writes, allot_report *report,
                      allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, writes, &store);
    if (status != ALLOT_OK)
        return status;
    status = open_file(store, report);
    if (status == ALLOT_OK && writes)
        status = make_ready(store, report);
    if (status == ALLOT_OK)
        status = begin_epoch(store, report);
    if (status == ALLOT_OK && writes && allot__store_prepare(store) != ALLOT_OK)
        status = allot__store_say(store, "has other tables than it should", report);
    store->oldest = store->work_oldest;
    if (status == ALLOT_OK)
        *out = store;
    else
        allot__store_close(store);
    return status;
}

int allot__store_open(allot_engine *engine, const char *path, allot_report *report,
                      allot__store **out)
{
    return open_store(engine, path, true, report, out);
}

int allot__store_open_read(allot_engine *engine, const char *path, allot_report *report,
                           allot__store **out)
{
    return open_store(engine, path, false, report, out);
}

void allot__store_close(allot__store *store)
{
    if (!store)
        return;
    for (int i = 0; i < ALLOT__STORE_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    unlock_file(store->hold, store->writes);
    allot__free_string(store->engine, store->path);
    allot__text_free(&store->gathered);
    allot__text_free(&store->written);
    allot__text_free(&store->part);
    while (store->asks) {
        allot__store_ask *ask = store->asks;
        store->asks = ask->next;
        allot__free(store->engine, ask, 1, sizeof *ask);
    }
    allot__free(store->engine, store, 1, sizeof *store);
}
