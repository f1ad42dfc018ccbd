/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store_read.c: what is on disk, told in the order in which it came. */
#include <stdio.h>
#include <string.h>

#include "service/store_own.h"

static sqlite3_stmt *ask(allot__store *store, const char *sql, int64_t first)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_int64(statement, 1, first);
    return statement;
}

static const char *text_at(sqlite3_stmt *statement, int column, size_t *len)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    if (len != NULL)
        *len = text != NULL ? (size_t)sqlite3_column_bytes(statement, column) : 0;
    return text;
}

static int failed(allot__store *store, allot_report *report)
{
    return allot__store_say(store, "file", "cannot be read", report);
}

/* ---- Snapshot, events and cycles ------------------------------------------------------------- */

typedef struct reading {
    sqlite3_stmt *events, *cycles;
    bool event, cycle; /* a row is there */
} reading;

/* The newest whole snapshot; its body is put together in `body`. */
static int find_snapshot(allot__store *store, int64_t event, allot__snapshot_row *row,
                         char plan[65], allot__buf *body)
{
    sqlite3_stmt *statement =
        ask(store,
            "SELECT event, cycle, seq, at, plan, body FROM snapshots,"
            " (SELECT event AS e, cycle AS c, part AS last FROM snapshots"
            " WHERE event <= ? AND part = parts - 1 ORDER BY event DESC, cycle DESC LIMIT 1)"
            " WHERE event = e AND cycle = c AND part <= last ORDER BY part",
            event);
    int step = statement != NULL ? sqlite3_step(statement) : SQLITE_ERROR;
    for (; step == SQLITE_ROW; step = sqlite3_step(statement)) {
        size_t len;
        row->event = sqlite3_column_int64(statement, 0);
        row->cycle = sqlite3_column_int64(statement, 1);
        row->seq = sqlite3_column_int64(statement, 2);
        row->at = sqlite3_column_int64(statement, 3);
        snprintf(plan, 65, "%s", text_at(statement, 4, NULL));
        row->plan = plan;
        const char *part = text_at(statement, 5, &len);
        allot__buf_add(body, part, len);
    }
    sqlite3_finalize(statement);
    row->body = body->bytes != NULL ? body->bytes : "";
    row->body_len = body->len;
    return step == SQLITE_DONE ? ALLOT_OK : ALLOT_EIO;
}

static int tell_snapshot(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                         allot__snapshot_row *row, allot_report *report)
{
    allot__buf body = {.engine = store->engine};
    char plan[65];
    *row = (allot__snapshot_row){0};
    int status = find_snapshot(store, event, row, plan, &body);
    if (status != ALLOT_OK)
        status = failed(store, report);
    else if (body.failed)
        status = ALLOT_ENOMEM;
    else if (row->plan != NULL && visitor->snapshot != NULL)
        status = visitor->snapshot(visitor->ud, row);
    allot__buf_free(&body);
    row->plan = row->body = NULL;
    return status;
}

static allot__event_row event_at(sqlite3_stmt *statement)
{
    allot__event_row row = {.seq = sqlite3_column_int64(statement, 0),
                            .at = sqlite3_column_int64(statement, 1)};
    row.method = text_at(statement, 2, NULL);
    row.params = text_at(statement, 3, &row.params_len);
    row.key = text_at(statement, 4, NULL);
    return row;
}

static int tell_event(reading *it, const allot__store_visitor *visitor)
{
    allot__event_row row = event_at(it->events);
    return visitor->event != NULL ? visitor->event(visitor->ud, &row) : ALLOT_OK;
}

static int tell_cycle(reading *it, const allot__store_visitor *visitor)
{
    sqlite3_stmt *from = it->cycles;
    allot__cycle_row row = {.cycle = sqlite3_column_int64(from, 0),
                            .seq = sqlite3_column_int64(from, 1),
                            .at = sqlite3_column_int64(from, 2),
                            .event = sqlite3_column_int64(from, 3),
                            .input = (uint64_t)sqlite3_column_int64(from, 6),
                            .output = (uint64_t)sqlite3_column_int64(from, 7)};
    row.plan = text_at(from, 4, NULL);
    row.policy = text_at(from, 5, NULL);
    row.decision = text_at(from, 8, &row.decision_len);
    row.effect = text_at(from, 9, &row.effect_len);
    return visitor->cycle != NULL ? visitor->cycle(visitor->ud, &row) : ALLOT_OK;
}

/* The next row of a statement; false and *status where there is none. */
static bool next(allot__store *store, sqlite3_stmt *statement, allot_report *report, int *status)
{
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        *status = failed(store, report);
    return step == SQLITE_ROW;
}

static int tell_rows(allot__store *store, reading *it, const allot__store_visitor *visitor,
                     allot_report *report)
{
    int status = ALLOT_OK;
    it->event = next(store, it->events, report, &status);
    it->cycle = next(store, it->cycles, report, &status);
    while (status == ALLOT_OK && (it->event || it->cycle)) {
        bool cycle = it->cycle && (!it->event || sqlite3_column_int64(it->cycles, 3) <
                                                     sqlite3_column_int64(it->events, 0));
        status = cycle ? tell_cycle(it, visitor) : tell_event(it, visitor);
        if (status != ALLOT_OK)
            break;
        if (cycle)
            it->cycle = next(store, it->cycles, report, &status);
        else
            it->event = next(store, it->events, report, &status);
    }
    return status;
}

int allot__store_read(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                      allot_report *report)
{
    allot__snapshot_row from;
    int status = tell_snapshot(store, event, visitor, &from, report);
    if (status != ALLOT_OK)
        return status;
    reading it = {
        .events = ask(store,
                      "SELECT seq, at, method, params, idem FROM events WHERE seq > ?"
                      " ORDER BY seq",
                      from.event),
        .cycles = ask(store,
                      "SELECT cycle, seq, at, event, plan, policy, input, output, decision, effect"
                      " FROM cycles WHERE cycle > ? ORDER BY cycle",
                      from.cycle)};
    if (it.events == NULL || it.cycles == NULL)
        status = failed(store, report);
    else
        status = tell_rows(store, &it, visitor, report);
    sqlite3_finalize(it.events);
    sqlite3_finalize(it.cycles);
    return status;
}

/* ---- Keys, decisions ------------------------------------------------------------------ */

int allot__store_keys(allot__store *store, int64_t since,
                      int (*each)(void *ud, const allot__event_row *row), void *ud,
                      allot_report *report)
{
    sqlite3_stmt *statement = ask(store,
                                  "SELECT seq, at, method, params, idem FROM events"
                                  " WHERE at >= ? AND idem IS NOT NULL ORDER BY seq",
                                  since);
    int status = statement != NULL ? ALLOT_OK : failed(store, report);
    while (status == ALLOT_OK && next(store, statement, report, &status)) {
        allot__event_row row = event_at(statement);
        status = each(ud, &row);
    }
    sqlite3_finalize(statement);
    return status;
}

static int64_t number(allot__store *store, const char *sql)
{
    sqlite3_stmt *statement = ask(store, sql, 0);
    int64_t found = 0;
    if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW)
        found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return found;
}

int64_t allot__store_first(allot__store *store)
{
    return number(store, "SELECT min(seq) FROM cycles WHERE decision IS NOT NULL AND seq > ?");
}

int64_t allot__store_cycles(allot__store *store)
{
    return number(store, "SELECT max(cycle) FROM cycles WHERE cycle > ?");
}
