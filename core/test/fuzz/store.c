/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * store.c: a store some of whose rows were damaged, as the input says: six bytes a change. It is
 * refused as damaged, or the service starts, decides and writes; and replay ends with a status.
 */
#include <sqlite3.h>

#include "test/fuzz/fuzz.h"
#include "test/support/service_fixture.h"

enum { CHANGE = 6, COLUMNS_MOST = 16 };

static char *made; /* a sound store, as bytes */
static sqlite3_int64 made_size;

static void frequent(allot_service_config *config)
{
    config->watch = 0;
    config->snapshot = 4;
}

static sqlite3 *database(const world *it)
{
    sqlite3 *db = NULL;
    MUST(sqlite3_open(it->store, &db) == SQLITE_OK);
    return db;
}

static void make(void)
{
    world it;
    open_world(&it);
    MUST(start_as(&it, it.store, frequent) == ALLOT_OK);
    for (int i = 0; i < 12; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 REQUEST("%s", "{\"consumer\": \"/%c\", \"slots\": %d, \"key\": \"k%d\"}"),
                 i % 3 == 2 ? "release" : "demand", "ab"[i % 2], i % 3 == 2 ? 1 : 5 + i, i);
        call(&it, line);
        call(&it, REQUEST("cycle", "{}"));
        it.now += 10;
    }
    stop(&it);
    sqlite3 *db = database(&it);
    MUST(sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK);
    unsigned char *bytes = sqlite3_serialize(db, "main", &made_size, 0);
    made = malloc((size_t)made_size);
    MUST(bytes != NULL && made);
    memcpy(made, bytes, (size_t)made_size);
    sqlite3_free(bytes);
    sqlite3_close(db);
    close_world(&it);
}

/* The number-th name of a list that some SQL gives; false: there is none. */
static bool pick(sqlite3 *db, const char *sql, int number, char *out, size_t size)
{
    sqlite3_stmt *rows = NULL;
    int count = 0;
    MUST(sqlite3_prepare_v2(db, sql, -1, &rows, NULL) == SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW)
        count++;
    sqlite3_reset(rows);
    for (int i = count > 0 ? number % count : -1; i >= 0; i--)
        MUST(sqlite3_step(rows) == SQLITE_ROW);
    if (count > 0)
        snprintf(out, size, "%s", (const char *)sqlite3_column_text(rows, 0));
    sqlite3_finalize(rows);
    return count > 0;
}

/* Table, column, row, kind of value, and two bytes that go into it. */
static void damage(sqlite3 *db, const uint8_t *with)
{
    static const char *const values[] = {"NULL",
                                         "0",
                                         "-1",
                                         "1",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1e300",
                                         "''",
                                         "x''",
                                         "x'00ff80'",
                                         "'x'",
                                         "substr(%s, %d)",
                                         "substr(%s, 1, %d)",
                                         "%s || char(%d)",
                                         "%s + %d",
                                         "zeroblob(%.0s%d)"};
    char table[64], first[64], column[64], sql[1024], value[200], row[200];
    if (!pick(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
              with[0], table, sizeof table))
        return;
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s')", table);
    MUST(pick(db, sql, with[1], column, sizeof column));
    MUST(pick(db, sql, 0, first, sizeof first)); /* its key, or what it begins with */
    snprintf(sql, sizeof sql, "SELECT quote(%s) FROM %s", first, table);
    if (!pick(db, sql, with[2], row, sizeof row))
        return;
    int kind = with[3] % (int)(sizeof values / sizeof *values + 1);
    if (kind == sizeof values / sizeof *values) {
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s = %s", table, first, row);
    } else {
        snprintf(value, sizeof value, values[kind], column, with[4] + 256 * with[5]);
        snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = %s WHERE %s = %s", table, column,
                 value, first, row);
    }
    sqlite3_exec(db, sql, NULL, NULL, NULL); /* what the schema refuses is none */
}

static int replayed(void *ud, const allot_replayed *cycle)
{
    (void)ud;
    (void)cycle;
    return 0;
}

static void live(world *it)
{
    int status = start_as(it, it->store, frequent);
    MUST(status == ALLOT_OK || status == ALLOT_EIO || status == ALLOT_EINVALID);
    MUST((status == ALLOT_OK) == (allot_report_total(it->report, ALLOT_ERROR) == 0));
    if (status == ALLOT_OK) {
        it->decisions = (int)allot_service_decisions(it->service);
        call(it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 3}"));
        settle(it);
        call(it, REQUEST("status", "{}"));
    }
    if (it->service)
        stop(it);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!made)
        make();
    world it;
    open_world(&it);
    FILE *file = fopen(it.store, "wb");
    MUST(file != NULL && fwrite(made, 1, (size_t)made_size, file) == (size_t)made_size);
    fclose(file);
    sqlite3 *db = database(&it);
    for (size_t at = 0; at + CHANGE <= size && at < 8 * CHANGE; at += CHANGE)
        damage(db, data + at);
    sqlite3_close(db);
    fuzz_replay(it.store, it.plan, replayed);
    live(&it);
    close_world(&it);
    MUST(check__.failed_checks == 0);
    return 0;
}
