/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * damage_test.c: each column of each table, and what nobody writes there. Whoever reads
 * such a store says that it is damaged, or starts, and never comes to a fault.
 */
#include "test/support/store_world.h"

/* %s is the column. */
static const char *const values[] = {
    "NULL",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "-1",
    "0",
    "9007199254740993",
    "1.5",
    "9e999",
    "'x'",
    "''",
    "x'00ff10'",
    "zeroblob(100000)",
    "CAST(x'7b00007d' AS TEXT)",
    "CAST(x'fffe' AS TEXT)",
    "'{'",
    "'{\"method\": \"keep_clock\", \"params\": {\"now\": 9223372036854775807}}'",
    "substr(%s, 1, length(%s) / 2)",
    "CAST(%s AS BLOB)",
    "%s + 1",
    "%s - 1",
};

/* Which rows: all, the first, the last; one of these with each value, or, with ALLOT_RUNS, each. */
static const char *const rows[] = {"1", "%s = (SELECT min(%s) FROM %s)",
                                   "%s = (SELECT max(%s) FROM %s)"};

/* ---- A store ----------------------------------------------------------------------------------
 */

static void often(allot_service_config *config)
{
    config->snapshot = 6;
    config->watch = 0;
}

static void seldom(allot_service_config *config)
{
    config->watch = 0;
}

static void serve_some(world *it, void (*change)(allot_service_config *), int count, int base)
{
    CHECK_EQ(start_as(it, it->store, change), ALLOT_OK);
    for (int i = 0; i < count; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"demand\", \"params\": {"
                 "\"consumer\": \"/%c\", \"slots\": %d, \"key\": \"k%d\"}}",
                 "ab"[i % 2], 3 * i + base, base + i);
        call(it, text);
        call(it, REQUEST("cycle", "{}"));
        it->now++;
    }
    stop(it);
}

/* Snapshots, and rows behind the newest. */
static void make_store(world *it)
{
    serve_some(it, often, 5, 1);
    serve_some(it, seldom, 4, 18);
    /* As if it had not been stopped: rows stand behind the newest snapshot. */
    CHECK_EQ(run_sql(it->store, "DELETE FROM snapshots WHERE event = (SELECT max(event) FROM"
                                " snapshots); PRAGMA wal_checkpoint(TRUNCATE)"),
             SQLITE_OK);
    CHECK(ask_sql(it->store, "SELECT count(*) FROM snapshots") > 0);
    CHECK(ask_sql(it->store, "SELECT count(*) FROM cycles WHERE cycle > (SELECT max(cycle) FROM"
                             " snapshots) AND decision IS NOT NULL") > 0);
    CHECK_EQ(run_sql(it->store, "INSERT INTO clients VALUES(1, 1000, '{\"uid\": 0, \"pid\": 1}')"),
             SQLITE_OK);
    /* Nothing keeps anybody from writing whatever he likes. */
    CHECK_EQ(run_sql(it->store, "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql ="
                                " replace(sql, ' NOT NULL', '') WHERE type = 'table'"),
             SQLITE_OK);
}

static void copy_file(const char *from, const char *to)
{
    char command[300];
    snprintf(command, sizeof command, "rm -f %s %s-wal %s-shm; cp %s %s", to, to, to, from, to);
    CHECK_EQ(system(command), 0);
}

/* ---- Whoever reads it -------------------------------------------------------------------------
 */

static int on_cycle(void *ud, const allot_replayed *cycle)
{
    *(int *)ud += cycle->differs != NULL;
    return 0;
}

/* Replays it; what fails says why. */
static bool replays(world *it, const char *store)
{
    int differs = 0;
    const allot_replay_visitor visitor = {.ud = &differs, .cycle = on_cycle};
    allot_replay_config config;
    allot_replay_config_init(&config);
    config.store = store;
    config.plan = it->plan;
    allot_report_clear(it->report);
    int status = allot_service_replay(it->engine, &config, &visitor, it->report);
    return status == ALLOT_OK || allot_report_count(it->report) > 0;
}

static bool has_error(const world *it)
{
    for (int32_t i = 0; i < allot_report_count(it->report); i++)
        if (strcmp(allot_report_at(it->report, i)->code, "E-store") == 0)
            return true;
    return false;
}

/* Serves it: what is not used says why, what is answers. */
static bool serves(world *it, const char *store)
{
    static const char status_call[] = REQUEST("status", "{}");
    allot_report_clear(it->report);
    int status = start_as(it, store, often);
    it->decisions = 0;
    if (status != ALLOT_OK) {
        if (it->service)
            stop(it);
        return status == ALLOT_EIO && has_error(it);
    }
    allot_service_watch(it->service, NULL, NULL);
    bool good = strstr(call(it, status_call), "\"result\"") != NULL;
    call(it, REQUEST("decisions", "{\"from\": 1}"));
    call(it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 2, \"key\": \"k19\"}"));
    call(it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 3}"));
    good = good && strstr(call(it, REQUEST("cycle", "{}")), "\"result\"");
    stop(it);
    return good;
}

static bool is_read(world *it, const char *copy, const char *sql)
{
    char again[128];
    copy_file(it->store, copy);
    if (run_sql(copy, sql) != SQLITE_OK)
        return true; /* nobody can write that there */
    snprintf(again, sizeof again, "%s.again", copy);
    copy_file(copy, again);
    bool good = replays(it, again) && serves(it, copy);
    if (!good)
        printf("# %s: %s\n", sql,
               allot_report_count(it->report) > 0 ? allot_report_at(it->report, 0)->message : "");
    return good;
}

static void fill(char *out, size_t size, const char *from, const char *const names[3])
{
    size_t at = 0;
    for (int used = 0; *from != '\0' && at + 1 < size; from++) {
        if (from[0] != '%') {
            out[at++] = *from;
            continue;
        }
        at += (size_t)snprintf(out + at, size - at, "%s", names[used < 2 ? 0 : 2]);
        used++;
        from++;
    }
    out[at] = '\0';
}

static void damage_column(world *it, const char *copy, const char *table, const char *first,
                          const char *column)
{
    static int turn;
    const int all = sizeof rows / sizeof *rows, count = getenv("ALLOT_RUNS") ? all : 1;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int r = 0; r < count; r++) {
            char value[200], where[200], sql[600];
            const char *const of_value[] = {column, column, column};
            const char *const of_row[] = {first, first, table};
            fill(value, sizeof value, values[v], of_value);
            fill(where, sizeof where, rows[turn++ % all], of_row);
            snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE %s", table, column, value,
                     where);
            CHECK(is_read(it, copy, sql));
        }
}

/* The number-th name that a statement gives; false: there are not so many. */
static bool find_name(const char *path, const char *sql, int number, char out[64])
{
    sqlite3 *db;
    sqlite3_stmt *statement = NULL;
    bool found = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                 sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    for (int i = 0; i <= number && found; i++)
        found = sqlite3_step(statement) == SQLITE_ROW;
    if (found)
        snprintf(out, 64, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return found;
}

static int damage_table(world *it, const char *copy, const char *table)
{
    char sql[160], first[64], column[64];
    int columns = 0;
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s')", table);
    CHECK(find_name(it->store, sql, 0, first));
    while (find_name(it->store, sql, columns, column)) {
        damage_column(it, copy, table, first, column);
        columns++;
    }
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    CHECK(ask_sql(it->store, sql) > 0); /* or nothing was tried */
    return columns;
}

static void each_column(void)
{
    world it;
    char copy[120], table[64];
    int tables = 0, columns = 0;
    open_store(&it);
    snprintf(copy, sizeof copy, "%s.copy", it.store);
    make_store(&it);
    while (find_name(it.store,
                     "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT"
                     " LIKE 'sqlite%' ORDER BY name",
                     tables, table)) {
        columns += damage_table(&it, copy, table);
        tables++;
    }
    CHECK(tables >= 7 && columns > 2 * tables);
    close_store(&it);
}

/* Rows that are gone are missed. */
static void each_row(void)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"DELETE FROM events WHERE seq = (SELECT max(seq) - 1 FROM events)", "is not there"},
        {"DELETE FROM cycles WHERE cycle = (SELECT max(cycle) - 1 FROM cycles)", "is not there"},
        {"DELETE FROM snapshots; DELETE FROM events WHERE seq = 1", "event 1 is not there"},
        {"UPDATE snapshots SET seq = 9223372036854775807", "`seq` of row"},
        {"UPDATE cycles SET plan = NULL", "NULL value in cycles.plan"},
        {"UPDATE cycles SET seq = seq + 1 WHERE cycle = (SELECT max(cycle) FROM cycles)",
         "is not there"},
    };
    world it;
    char copy[120];
    open_store(&it);
    snprintf(copy, sizeof copy, "%s.copy", it.store);
    make_store(&it);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        copy_file(it.store, copy);
        CHECK_EQ(run_sql(copy, cases[i].sql), SQLITE_OK);
        if (i != 4)
            refuses(&it, copy, cases[i].words);
        else
            CHECK(serves(&it, copy)); /* its schema allows it: the row is named */
    }
    close_store(&it);
}

int main(void)
{
    RUN(each_column);
    RUN(each_row);
    return check_done();
}
