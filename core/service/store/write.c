/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: writes a batch of records in one transaction, on a thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/own.h"

/* The number of the next version; its texts are written before it. */
#define NEXT "(SELECT coalesce(max(number), 0) + 1 FROM versions)"

static const char *const statements[ALLOT__RECORDS] = {
    [ALLOT__RECORD_EVENT] =
        "INSERT INTO events(seq, at, method, params, idem) VALUES(?1, ?2, ?7, ?8, ?9)",
    [ALLOT__RECORD_CYCLE] =
        "INSERT INTO cycles(cycle, seq, at, event, input, output, plan, policy, decision, effect)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [ALLOT__RECORD_SNAPSHOT] =
        "INSERT OR REPLACE INTO snapshots(event, cycle, seq, at, part, parts, plan, body)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [ALLOT__RECORD_PLAN] = "INSERT INTO plans(sha256, text, version) VALUES(?7, ?8, " NEXT ")"
                           " ON CONFLICT(sha256) DO UPDATE SET version = excluded.version",
    [ALLOT__RECORD_POLICY] = "INSERT INTO policies(sha256, text, version) VALUES(?7, ?8, " NEXT ")"
                             " ON CONFLICT(sha256) DO UPDATE SET version = excluded.version",
    [ALLOT__RECORD_VERSION] = "INSERT INTO versions(cycle, plan, policies) VALUES(?1, ?7, ?8)",
    [ALLOT__RECORD_FORGET] = "DELETE FROM snapshots WHERE event = ?1 AND cycle = ?2",
    /* The snapshot up to which rows may be deleted (keep.c). */
    [ALLOT__RECORD_COMPACT] = "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND"
                              " (event <= ?1 OR at <= ?2) ORDER BY event DESC, cycle DESC LIMIT 1",
};

int allot__store_prepare(allot__store *store)
{
    for (int i = 0; i < ALLOT__RECORDS; i++)
        if (sqlite3_prepare_v3(store->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return ALLOT_EIO;
    return ALLOT_OK;
}

/* ---- A batch --------------------------------------------------------------------------------- */

static int put_row(sqlite3_stmt *statement, const allot__store_record *record, const char *texts)
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

static int write_one(allot__store *store, const allot__store_record *record, const char *texts)
{
    const int64_t *numbers = record->numbers;
    const allot__store_bounds bounds = {numbers[0], numbers[1], numbers[2], numbers[3]};
    if (record->kind == ALLOT__RECORD_COMPACT)
        return allot__store_keep(store, &bounds);
    return put_row(store->statements[record->kind], record, texts);
}

static int write_all(allot__store *store)
{
    int status = SQLITE_OK;
    for (size_t at = 0; at < store->written.len && status == SQLITE_OK;) {
        allot__store_record record;
        memcpy(&record, store->written.bytes + at, sizeof record);
        status = write_one(store, &record, store->written.bytes + at + sizeof record);
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
        return;
    }
    store->work_oldest = allot__store_first(store);
    allot__store_measure(store);
}

/* ---- Decisions asked for --------------------------------------------------------------------- */

static int add_row(allot__store_ask *ask, size_t *room, int64_t seq, const char *text, size_t len)
{
    size_t size = sizeof seq + sizeof len + ((len + 8) & ~(size_t)7);
    if (ask->rows_len + size > *room) {
        size_t more = (ask->rows_len + size) * 2;
        char *moved = realloc(ask->rows, more);
        if (!moved)
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

static int add_decision(allot__store_ask *ask, size_t *room, sqlite3_stmt *statement)
{
    size_t len = 0;
    allot__cells cells = allot__cells_of(statement);
    int64_t seq = allot__cell_number(&cells, 0, 1, ALLOT__STORE_LAST);
    const char *text = allot__cell_document(&cells, 1, &len, false);
    ask->damaged += !text || cells.wrong >= 0;
    return !text || cells.wrong >= 0 ? ALLOT_OK : add_row(ask, room, seq, text, len);
}

void allot__store_fetch(allot__store_ask *ask)
{
    enum { BYTES_MOST = 1024 * 1024 };
    size_t room = 0;
    sqlite3_stmt *statement =
        allot__store_query(ask->store,
                           "SELECT seq, decision FROM cycles WHERE decision IS NOT NULL AND"
                           " seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
                           "nnn", ask->from, ask->to, (int64_t)ask->most);
    ask->status = ALLOT_EIO;
    if (!statement)
        return;
    int step;
    ask->status = ALLOT_OK;
    while (ask->status == ALLOT_OK && ask->rows_len < BYTES_MOST &&
           (step = sqlite3_step(statement)) != SQLITE_DONE)
        ask->status = step == SQLITE_ROW ? add_decision(ask, &room, statement) : ALLOT_EIO;
    sqlite3_finalize(statement);
}
