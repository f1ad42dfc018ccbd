/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store_write.c: a batch of records, written in one transaction on a thread that works for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store_own.h"

/* So many rows are let go with a batch. */
#define COMPACT_STEP 5000

static const char *const statements[ALLOT__RECORDS] = {
    [ALLOT__RECORD_EVENT] =
        "INSERT INTO events(seq, at, method, params, idem) VALUES(?1, ?2, ?7, ?8, ?9)",
    [ALLOT__RECORD_CYCLE] =
        "INSERT INTO cycles(cycle, seq, at, event, input, output, plan, policy, decision, effect)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [ALLOT__RECORD_SNAPSHOT] =
        "INSERT OR REPLACE INTO snapshots(event, cycle, seq, at, part, parts, plan, body)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [ALLOT__RECORD_PLAN] = "INSERT OR IGNORE INTO plans(sha256, text) VALUES(?7, ?8)",
    [ALLOT__RECORD_POLICY] = "INSERT OR IGNORE INTO policies(sha256, text) VALUES(?7, ?8)",
    [ALLOT__RECORD_VERSION] = "INSERT INTO versions(cycle, plan, policies) VALUES(?1, ?7, ?8)",
    [ALLOT__RECORD_FORGET] = "DELETE FROM snapshots WHERE event = ?1 AND cycle = ?2",
    [ALLOT__RECORD_COMPACT] = "SELECT max(event), max(cycle) FROM snapshots"
                              " WHERE event <= ?1 AND part = parts - 1",
};

int allot__store_prepare(allot__store *store)
{
    for (int i = 0; i < ALLOT__RECORDS; i++)
        if (sqlite3_prepare_v3(store->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return ALLOT_EIO;
    return ALLOT_OK;
}

/* ---- Letting go ------------------------------------------------------------------------------ */

static int delete_some(allot__store *store, const char *sql, int64_t to, int64_t since)
{
    sqlite3_stmt *statement;
    int status = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (status != SQLITE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, to);
    sqlite3_bind_int64(statement, 2, since);
    sqlite3_bind_int(statement, 3, COMPACT_STEP);
    status = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE)
        return status;
    store->work_more = store->work_more || sqlite3_changes(store->db) >= COMPACT_STEP;
    return SQLITE_OK;
}

/* Behind the newest snapshot up to there all is needed, before it nothing. */
static int compact(allot__store *store, int64_t event, int64_t since)
{
    sqlite3_stmt *find = store->statements[ALLOT__RECORD_COMPACT];
    sqlite3_bind_int64(find, 1, event);
    int status = sqlite3_step(find);
    int64_t to = sqlite3_column_int64(find, 0), cycle = sqlite3_column_int64(find, 1);
    bool none = status != SQLITE_ROW || sqlite3_column_type(find, 0) == SQLITE_NULL;
    sqlite3_reset(find);
    if (none)
        return status == SQLITE_ROW ? SQLITE_OK : status;
    status = delete_some(store,
                         "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE seq <= ?1"
                         " AND (idem IS NULL OR at < ?2) ORDER BY seq LIMIT ?3)",
                         to, since);
    if (status == SQLITE_OK)
        status = delete_some(store,
                             "DELETE FROM cycles WHERE cycle IN (SELECT cycle FROM cycles"
                             " WHERE cycle <= ?1 AND ?2 IS NOT NULL ORDER BY cycle LIMIT ?3)",
                             cycle, since);
    if (status == SQLITE_OK)
        status = delete_some(store,
                             "DELETE FROM snapshots WHERE event < ?1 AND ?2 IS NOT NULL AND ?3 > 0",
                             to, since);
    return status;
}

/* ---- A batch --------------------------------------------------------------------------------- */

static int put_row(sqlite3_stmt *statement, const allot__record *record, const char *texts)
{
    int last = sqlite3_bind_parameter_count(statement);
    for (int i = 0; i < 6 && i < last; i++)
        sqlite3_bind_int64(statement, i + 1, record->numbers[i]);
    for (int i = 0; i < record->texts; i++) {
        if (record->len[i] == SIZE_MAX) {
            sqlite3_bind_null(statement, 7 + i);
            continue;
        }
        bool bytes = record->kind == ALLOT__RECORD_PLAN || record->kind == ALLOT__RECORD_POLICY;
        if (bytes && i == 1)
            sqlite3_bind_blob64(statement, 7 + i, texts, record->len[i], SQLITE_STATIC);
        else
            sqlite3_bind_text64(statement, 7 + i, texts, record->len[i], SQLITE_STATIC,
                                SQLITE_UTF8);
        texts += record->len[i] + 1;
    }
    int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

static int write_all(allot__store *store)
{
    int status = SQLITE_OK;
    for (size_t at = 0; at < store->written.len && status == SQLITE_OK;) {
        allot__record record;
        memcpy(&record, store->written.bytes + at, sizeof record);
        if (record.kind == ALLOT__RECORD_COMPACT)
            status = compact(store, record.numbers[0], record.numbers[1]);
        else
            status = put_row(store->statements[record.kind], &record,
                             store->written.bytes + at + sizeof record);
        at += record.size;
    }
    return status;
}

void allot__store_write(allot__store *store)
{
    store->work_more = false;
    uint64_t from = uv_hrtime();
    int status = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (status == SQLITE_OK)
        status = write_all(store);
    if (status == SQLITE_OK)
        status = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    store->work_us = (int64_t)((uv_hrtime() - from) / 1000);
    store->work_status = status == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
    if (status != SQLITE_OK) {
        snprintf(store->work_error, sizeof store->work_error, "%s (%d)", sqlite3_errmsg(store->db),
                 status);
        if (!sqlite3_get_autocommit(store->db))
            sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    store->work_oldest = store->work_status == ALLOT_OK ? allot__store_first(store) : 0;
}

/* ---- Decisions asked for --------------------------------------------------------------------- */

static int add_row(allot__store_ask *ask, size_t *room, int64_t seq, const char *text, size_t len)
{
    size_t size = sizeof seq + sizeof len + ((len + 8) & ~(size_t)7);
    if (ask->rows_len + size > *room) {
        size_t more = (ask->rows_len + size) * 2;
        char *moved = realloc(ask->rows, more);
        if (moved == NULL)
            return ALLOT_ENOMEM;
        ask->rows = moved;
        *room = more;
    }
    char *at = ask->rows + ask->rows_len;
    memcpy(at, &seq, sizeof seq);
    memcpy(at + sizeof seq, &len, sizeof len);
    memcpy(at + sizeof seq + sizeof len, text, len);
    at[sizeof seq + sizeof len + len] = '\0';
    ask->rows_len += size;
    return ALLOT_OK;
}

void allot__store_fetch(allot__store_ask *ask)
{
    enum { BYTES_MOST = 1024 * 1024 };
    sqlite3_stmt *statement;
    size_t room = 0;
    ask->status = ALLOT_EIO;
    if (sqlite3_prepare_v2(ask->store->db,
                           "SELECT seq, decision FROM cycles WHERE decision IS NOT NULL AND"
                           " seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
                           -1, &statement, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_int64(statement, 1, ask->from);
    sqlite3_bind_int64(statement, 2, ask->to);
    sqlite3_bind_int(statement, 3, ask->most);
    int step;
    ask->status = ALLOT_OK;
    while (ask->status == ALLOT_OK && ask->rows_len < BYTES_MOST &&
           (step = sqlite3_step(statement)) != SQLITE_DONE)
        ask->status = step == SQLITE_ROW ? add_row(ask, &room, sqlite3_column_int64(statement, 0),
                                                   (const char *)sqlite3_column_text(statement, 1),
                                                   (size_t)sqlite3_column_bytes(statement, 1))
                                         : ALLOT_EIO;
    sqlite3_finalize(statement);
}
