/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: writes a batch of records in one transaction, on a thread; deletes old rows. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/own.h"

/* ---- Old rows -------------------------------------------------------------------------------- */

/*
 * Rows are deleted from the oldest up to a whole snapshot, from which the rest can be restored. A
 * step looks at a limited number of rows, so that no batch waits long; the next step goes on there.
 * Free pages are given back, except some for the next rows.
 */
enum { ROWS_STEP = 5000, PAGES_STEP = 500, SPARE = 8 };

/* Deletes versions before the one that decided at cycle ?1, except the last two; and unused
 * texts. */
static const struct {
    const char *sql, *types;
} texts[] = {
    {"DELETE FROM versions WHERE number < (SELECT max(number) FROM versions WHERE cycle <= ?1) AND"
     " number NOT IN (SELECT number FROM versions ORDER BY number DESC LIMIT 2)",
     "n"},
    {"DELETE FROM plans WHERE version < (SELECT min(number) FROM versions) AND sha256 NOT IN"
     " (SELECT plan FROM snapshots)",
     ""},
    {"DELETE FROM policies WHERE version < (SELECT min(number) FROM versions)", ""},
};

/* ---- How far --------------------------------------------------------------------------------- */

typedef struct reach {
    int64_t event, cycle; /* of the snapshot before which rows are deleted; -1: none */
} reach;

/* Reads a row of two numbers and ends the statement; none if the row is missing or damaged. */
static int read_reach(sqlite3_stmt *statement, reach *out)
{
    int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    if (status != SQLITE_ROW || allot__row_read(statement, "nn", &out->event, &out->cycle) >= 0)
        *out = (reach){-1, -1};
    sqlite3_finalize(statement);
    return status == SQLITE_ROW || status == SQLITE_DONE ? SQLITE_OK : status;
}

/* The oldest snapshot that still has rows before it. */
static int next_reach(allot__store *store, reach *out)
{
    return read_reach(
        allot__store_query(store,
                           "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND cycle >="
                           " (SELECT min(cycle) FROM cycles) ORDER BY event, cycle LIMIT 1",
                           ""),
        out);
}

/* The number that a prepared statement reads; 0: none. */
static int64_t read_number(const allot__store *store, int which)
{
    sqlite3_stmt *statement = store->statements[which];
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

static bool is_too_large(allot__store *store, const allot__store_bounds *bounds)
{
    measure(store);
    return bounds->size >= 0 && store->work_size - store->work_unused > bounds->size;
}

static int find_reach(allot__store *store, const allot__store_bounds *bounds, reach *out)
{
    int status = read_reach(
        allot__store_query(store,
                           "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND (event <="
                           " ?1 OR at <= ?2) ORDER BY event DESC, cycle DESC LIMIT 1",
                           "nn", bounds->event, bounds->at),
        out);
    reach next = {-1, -1};
    if (status == SQLITE_OK && is_too_large(store, bounds))
        status = next_reach(store, &next);
    if (next.event > out->event || next.cycle > out->cycle)
        *out = next;
    return status;
}

/* ---- A step ---------------------------------------------------------------------------------- */

static int step(sqlite3_stmt *statement)
{
    int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

static int run(sqlite3_stmt *statement)
{
    int status = statement ? step(statement) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    return status;
}

/* The last row that this step looks at, counted from the first existing one. */
static int64_t end_of(int64_t first, int64_t to)
{
    return first >= 0 && first <= to && to - first >= ROWS_STEP ? first + ROWS_STEP - 1 : to;
}

/* Events with a key stay for an hour; those that a step kept are looked at again after the rest. */
static int delete_events(allot__store *store, int64_t to, int64_t keys)
{
    int64_t from = store->work_seq;
    if (from == 0)
        from = allot__store_number(store, "SELECT min(seq) FROM events", to + 1);
    int64_t end = end_of(from, to);
    int status = run(allot__store_query(store,
                                        "DELETE FROM events WHERE seq BETWEEN ?1 AND ?2 AND"
                                        " (idem IS NULL OR at < ?3)",
                                        "nnn", from, end, keys));
    bool more = end < to;
    store->work_seq = more ? end + 1 : 0;
    store->work_more = store->work_more || more;
    return status;
}

static int delete_cycles(allot__store *store, int64_t to)
{
    int64_t from = allot__store_number(store, "SELECT min(cycle) FROM cycles", to + 1);
    int64_t end = end_of(from, to);
    store->work_more = store->work_more || end < to;
    return run(allot__store_query(store, "DELETE FROM cycles WHERE cycle BETWEEN ?1 AND ?2", "nn",
                                  from, end));
}

static int delete_rest(allot__store *store, const reach *to)
{
    int status = run(allot__store_query(store,
                                        "DELETE FROM snapshots WHERE event < ?1 OR (event = ?1 AND"
                                        " cycle < ?2)",
                                        "nn", to->event, to->cycle));
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == SQLITE_OK; i++)
        status = run(allot__store_query(store, texts[i].sql, texts[i].types, to->cycle));
    return status;
}

static int give_back(allot__store *store)
{
    char sql[60];
    measure(store);
    if (store->work_unused <= store->work_size / SPARE)
        return SQLITE_OK;
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", PAGES_STEP);
    int64_t before = store->work_unused;
    int status = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    measure(store);
    store->work_more = store->work_more || (store->work_unused < before &&
                                            store->work_unused > store->work_size / SPARE);
    return status;
}

/* Deletes some rows in a transaction; sets work_more if more are left. A status of SQLite. */
static int delete_old(allot__store *store, const allot__store_bounds *bounds)
{
    reach to;
    int status = find_reach(store, bounds, &to);
    if (status == SQLITE_OK && to.event >= 0) {
        status = delete_events(store, to.event, bounds->keys);
        if (status == SQLITE_OK)
            status = delete_cycles(store, to.cycle);
        if (status == SQLITE_OK)
            status = delete_rest(store, &to);
        reach next = {-1, -1};
        if (status == SQLITE_OK && !store->work_more && is_too_large(store, bounds))
            status = next_reach(store, &next);
        store->work_more = store->work_more || next.cycle > to.cycle;
    }
    return status == SQLITE_OK ? give_back(store) : status;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The number of the next version; its texts are written before it. */
#define NEXT  "(SELECT coalesce(max(number), 0) + 1 FROM versions)"
#define AGAIN " ON CONFLICT(sha256) DO UPDATE SET version = excluded.version"

const allot__store_sql allot__store_statements[ALLOT__STORE_STATEMENTS] = {
    [ALLOT__RECORD_EVENT] =
        {"nnsts", "INSERT INTO events(seq, at, method, params, idem) VALUES(?, ?, ?, ?, ?)"},
    [ALLOT__RECORD_CYCLE] =
        {"nnnnnnsstt",
         "INSERT INTO cycles(cycle, seq, at, event, input, output, plan, policy, decision, effect)"
         " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    [ALLOT__RECORD_SNAPSHOT] =
        {"nnnnnnst", "INSERT OR REPLACE INTO snapshots(event, cycle, seq, at, part, parts, plan,"
                     " body) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"},
    [ALLOT__RECORD_PLAN] = {"sb", "INSERT INTO plans(sha256, text, version) VALUES(?, ?, " NEXT
                                  ")" AGAIN},
    [ALLOT__RECORD_POLICY] = {"sb", "INSERT INTO policies(sha256, text, version) VALUES(?, ?, " NEXT
                                    ")" AGAIN},
    [ALLOT__RECORD_VERSION] = {"nss",
                               "INSERT INTO versions(cycle, plan, policies) VALUES(?, ?, ?)"},
    [ALLOT__RECORD_FORGET] = {"nn", "DELETE FROM snapshots WHERE event = ? AND cycle = ?"},
    [ALLOT__RECORD_COMPACT] = {"nnnn", ""}, /* the members of its bounds: delete_old */
    [ALLOT__STORE_BEGIN] = {"", "BEGIN IMMEDIATE"},
    [ALLOT__STORE_COMMIT] = {"", "COMMIT"},
    [ALLOT__STORE_PAGE_SIZE] = {"", "PRAGMA page_size"},
    [ALLOT__STORE_PAGES] = {"", "PRAGMA page_count"},
    [ALLOT__STORE_FREE_PAGES] = {"", "PRAGMA freelist_count"},
    [ALLOT__STORE_OLDEST] = {"", "SELECT seq FROM cycles WHERE decision IS NOT NULL AND seq > 0"
                                 " ORDER BY seq LIMIT 1"},
};

/* Has SQLite tell the log's length after each commit, rather than copy it before the commit ends.
 */
static int on_commit(void *ud, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((allot__store *)ud)->work_log = pages;
    return SQLITE_OK;
}

/* A failure is no loss: the log stays, and is copied after another batch. */
void allot__store_copy(allot__store *store)
{
    store->work_log = 0;
    sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

int allot__store_prepare(allot__store *store)
{
    for (int i = 0; i < ALLOT__STORE_STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->db, allot__store_statements[i].sql, -1,
                               SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL) != SQLITE_OK)
            return ALLOT_EIO;
    sqlite3_wal_hook(store->db, on_commit, store);
    measure(store);
    store->work_oldest = read_number(store, ALLOT__STORE_OLDEST);
    return ALLOT_OK;
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* Binds the value at *at, and steps over it. */
static void bind_value(sqlite3_stmt *statement, int i, char type, const char **at)
{
    int64_t number;
    memcpy(&number, *at, sizeof number);
    *at += sizeof number;
    if (type == 'n') {
        sqlite3_bind_int64(statement, i, number);
        return;
    }
    if (number < 0)
        sqlite3_bind_null(statement, i);
    else if (type == 'b')
        sqlite3_bind_blob64(statement, i, *at, (sqlite3_uint64)number, SQLITE_STATIC);
    else
        sqlite3_bind_text64(statement, i, *at, (sqlite3_uint64)number, SQLITE_STATIC, SQLITE_UTF8);
    *at += number < 0 ? 0 : number;
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
        return delete_old(store, &bounds);
    }
    const char *types = allot__store_statements[kind].types;
    for (int i = 0; types[i] != '\0'; i++)
        bind_value(store->statements[kind], i + 1, types[i], at);
    return step(store->statements[kind]);
}

static int write_all(allot__store *store)
{
    const char *at = store->written.bytes, *end = at + store->written.len;
    int status = SQLITE_OK;
    while (at < end && status == SQLITE_OK)
        status = write_one(store, &at);
    return status;
}

void allot__store_write(allot__store *store)
{
    store->work_more = false;
    uint64_t from = uv_hrtime();
    int status = step(store->statements[ALLOT__STORE_BEGIN]);
    if (status == SQLITE_OK)
        status = write_all(store);
    if (status == SQLITE_OK) {
        measure(store);
        store->work_oldest = read_number(store, ALLOT__STORE_OLDEST);
        status = step(store->statements[ALLOT__STORE_COMMIT]);
    }
    store->work_us = (int64_t)((uv_hrtime() - from) / 1000);
    store->work_status = status == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
    if (status != SQLITE_OK) {
        snprintf(store->work_error, sizeof store->work_error, "%s (%d)", sqlite3_errmsg(store->db),
                 status);
        if (!sqlite3_get_autocommit(store->db))
            sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
}

/* ---- Decisions asked for --------------------------------------------------------------------- */

static void add_decision(allot__store_ask *ask, FILE *out, sqlite3_stmt *statement)
{
    size_t len;
    int64_t seq;
    const char *text;
    bool good = allot__row_read(statement, "ij", &seq, &text, &len) < 0;
    ask->damaged += !good;
    if (!good)
        return;
    fwrite(&seq, sizeof seq, 1, out);
    fwrite(&len, sizeof len, 1, out);
    fwrite(text, len + 1, 1, out);
}

void allot__store_fetch(allot__store_ask *ask)
{
    enum { BYTES_MOST = 1024 * 1024 };
    int step = SQLITE_ERROR;
    FILE *out = open_memstream(&ask->rows, &ask->rows_len);
    sqlite3_stmt *statement =
        allot__store_query(ask->store,
                           "SELECT seq, decision FROM cycles WHERE decision IS NOT NULL AND"
                           " seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
                           "nnn", ask->from, ask->to, (int64_t)ask->most);
    while (out && statement && ftell(out) < BYTES_MOST &&
           (step = sqlite3_step(statement)) == SQLITE_ROW)
        add_decision(ask, out, statement);
    bool kept = out && !ferror(out);
    kept = out && fclose(out) == 0 && kept;
    ask->status = !kept                                       ? ALLOT_ENOMEM
                  : step == SQLITE_ROW || step == SQLITE_DONE ? ALLOT_OK
                                                              : ALLOT_EIO;
    sqlite3_finalize(statement);
}
