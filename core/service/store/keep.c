/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * keep.c: deletes old rows.
 *
 * Rows are deleted from the oldest up to a whole snapshot, from which the rest can be restored. A
 * step looks at a limited number of rows, so that no batch waits long; the next step goes on there.
 * Free pages are given back, except some for the next rows.
 */
#include <stdio.h>
#include <string.h>

#include "service/store/own.h"

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

/* Reads a row of two numbers; none if the row is missing or damaged. */
static int read_reach(sqlite3_stmt *statement, reach *out)
{
    int status = sqlite3_step(statement);
    allot__cells cells = allot__cells_of(statement);
    *out = (reach){-1, -1};
    if (status == SQLITE_ROW) {
        reach it = {allot__cell_number(&cells, 0, 0, ALLOT__STORE_LAST),
                    allot__cell_number(&cells, 1, 0, ALLOT__STORE_LAST)};
        *out = cells.wrong < 0 ? it : *out;
    }
    sqlite3_reset(statement);
    return status == SQLITE_ROW || status == SQLITE_DONE ? SQLITE_OK : status;
}

/* The oldest snapshot that still has rows before it. */
static int next_reach(allot__store *store, reach *out)
{
    sqlite3_stmt *statement = allot__store_query(
        store,
        "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND cycle >= (SELECT min(cycle)"
        " FROM cycles) ORDER BY event, cycle LIMIT 1",
        "");
    int status = statement ? read_reach(statement, out) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    return status;
}

void allot__store_measure(allot__store *store)
{
    int64_t page = allot__store_number(store, "PRAGMA page_size", 0);
    store->work_size = page * allot__store_number(store, "PRAGMA page_count", 0);
    store->work_unused = page * allot__store_number(store, "PRAGMA freelist_count", 0);
}

static bool is_too_large(allot__store *store, const allot__store_bounds *bounds)
{
    allot__store_measure(store);
    return bounds->size >= 0 && store->work_size - store->work_unused > bounds->size;
}

static int find_reach(allot__store *store, const allot__store_bounds *bounds, reach *out)
{
    sqlite3_stmt *find = store->statements[ALLOT__RECORD_COMPACT];
    sqlite3_bind_int64(find, 1, bounds->event);
    sqlite3_bind_int64(find, 2, bounds->at);
    int status = read_reach(find, out);
    reach next = {-1, -1};
    if (status == SQLITE_OK && is_too_large(store, bounds))
        status = next_reach(store, &next);
    if (next.event > out->event || next.cycle > out->cycle)
        *out = next;
    return status;
}

/* ---- A step ---------------------------------------------------------------------------------- */

static int run(sqlite3_stmt *statement)
{
    int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    return status == SQLITE_DONE ? SQLITE_OK : status;
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
    allot__store_measure(store);
    if (store->work_unused <= store->work_size / SPARE)
        return SQLITE_OK;
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", PAGES_STEP);
    int64_t before = store->work_unused;
    int status = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    allot__store_measure(store);
    store->work_more = store->work_more || (store->work_unused < before &&
                                            store->work_unused > store->work_size / SPARE);
    return status;
}

int allot__store_keep(allot__store *store, const allot__store_bounds *bounds)
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
