/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* postgres.c: a store in a PostgreSQL database: its schema, and its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <allot/service.h>

#include "base/memory.h"
#include "service/store/pq.h"

/* ---- The schema ------------------------------------------------------------------------------ */

enum { VERSION = 2, CHUNK = 2000 };

/* SQL from version i of the schema to i + 1. Numbers are the service's own: a sequence would leave
 * gaps. The lock is for two services that make it at once. */
#define LOCK "BEGIN; SELECT pg_advisory_xact_lock(1634496372);" /* "allot" */

static const char *const schema[VERSION] = {
    LOCK
    "CREATE SCHEMA IF NOT EXISTS allot;"
    "CREATE TABLE IF NOT EXISTS meta(key text PRIMARY KEY, value text);"
    "CREATE TABLE IF NOT EXISTS lead(one boolean PRIMARY KEY DEFAULT true CHECK (one),"
    " version bigint NOT NULL DEFAULT 1, epoch bigint NOT NULL DEFAULT 0,"
    " batch bigint NOT NULL DEFAULT 0, event bigint NOT NULL DEFAULT 0,"
    " cycle bigint NOT NULL DEFAULT 0, seq bigint NOT NULL DEFAULT 0,"
    " holder text NOT NULL DEFAULT '', address text NOT NULL DEFAULT '', pid int NOT NULL DEFAULT "
    "0,"
    " started timestamptz NOT NULL DEFAULT '-infinity', until timestamptz NOT NULL"
    " DEFAULT '-infinity') WITH (fillfactor = 10);"
    "CREATE TABLE IF NOT EXISTS terms(epoch bigint PRIMARY KEY, holder text NOT NULL,"
    " at timestamptz NOT NULL DEFAULT clock_timestamp(), event bigint NOT NULL,"
    " seq bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS events(seq bigint PRIMARY KEY, epoch bigint NOT NULL,"
    " at bigint NOT NULL, method text NOT NULL, params text NOT NULL, idem text);"
    "CREATE TABLE IF NOT EXISTS cycles(cycle bigint PRIMARY KEY, epoch bigint NOT NULL,"
    " seq bigint NOT NULL, at bigint NOT NULL, event bigint NOT NULL, plan text NOT NULL,"
    " policy text, input bigint NOT NULL, output bigint NOT NULL, decision text,"
    " effect text NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS decisions ON cycles(seq) WHERE decision IS NOT NULL;"
    "CREATE TABLE IF NOT EXISTS plans(sha256 text PRIMARY KEY, text bytea, version bigint NOT "
    "NULL);"
    "CREATE TABLE IF NOT EXISTS policies(sha256 text PRIMARY KEY, text bytea,"
    " version bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS versions(number bigint PRIMARY KEY, cycle bigint NOT NULL,"
    " plan text NOT NULL, policies text NOT NULL);"
    "CREATE TABLE IF NOT EXISTS snapshots(event bigint, cycle bigint, part bigint,"
    " parts bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, plan text NOT NULL,"
    " body text NOT NULL, PRIMARY KEY(event, cycle, part));"
    "INSERT INTO meta VALUES ('id', replace(gen_random_uuid()::text, '-', '')), ('unrounded', '0'),"
    " ('digest_first', '0') ON CONFLICT DO NOTHING;"
    "INSERT INTO lead DEFAULT VALUES ON CONFLICT DO NOTHING; COMMIT",
    LOCK "ALTER TABLE events ADD COLUMN IF NOT EXISTS who bigint NOT NULL DEFAULT 0;"
         "CREATE TABLE IF NOT EXISTS clients(event bigint PRIMARY KEY, at bigint NOT NULL,"
         " who text NOT NULL);"
         "CREATE TABLE IF NOT EXISTS notes(event bigint, cycle bigint, number bigint,"
         " at bigint NOT NULL, kind text NOT NULL, version bigint NOT NULL, who text,"
         " text text NOT NULL, PRIMARY KEY(event, cycle, number));"
         "CREATE INDEX IF NOT EXISTS decided ON cycles(event, cycle) WHERE decision IS NOT NULL;"
         "UPDATE lead SET version = 2 WHERE version = 1; COMMIT"};

/* What the server is not fit for; of the last row a warning. */
static const struct {
    const char *sql, *what;
} needs[] = {
    {"SELECT count(*) FROM pg_database WHERE datname = current_database() AND"
     " pg_encoding_to_char(encoding) = 'UTF8'",
     "its encoding is not UTF8"},
    {"SELECT (NOT pg_is_in_recovery())::int::bigint", "it is a standby of another server"},
    {"SELECT count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid() AND"
     " backend_start IS NOT NULL",
     "this role does not see its own sessions in pg_stat_activity"},
    {"SELECT (current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on')"
     "::int::bigint",
     "fsync or full_page_writes is off: a crash of the server's machine can lose what was "
     "acknowledged"},
};

static int check_server(const allot__store *store, allot_report *report)
{
    size_t count = sizeof needs / sizeof *needs;
    for (size_t i = 0; i < count; i++) {
        int64_t good = allot__store_number(store, needs[i].sql, -1);
        if (good == 1)
            continue;
        if (good < 0)
            return allot__store_say(store, "cannot be opened", report);
        bool last = i + 1 == count;
        allot_report_say(report, last ? ALLOT_WARNING : ALLOT_ERROR, last ? "W-store" : "E-store",
                         "the store %.200s: %s", store->path, needs[i].what);
        if (!last)
            return ALLOT_EIO;
    }
    return ALLOT_OK;
}

/* Makes the schema, or migrates it. A read-only store stays as it is. */
static int step_up(allot__store *store, int64_t version, allot_report *report)
{
    bool good = true;
    for (; store->writes && good && version < VERSION; version += good)
        good = allot__pq_do(store->pq, schema[version]);
    store->schema = version + ALLOT__STORE_VERSION - VERSION;
    if (good)
        return ALLOT_OK;
    int status = allot__store_say(
        store, version == 0 ? "cannot be made" : "cannot be brought to this version", report);
    allot__pq_do(store->pq, "ROLLBACK");
    return status;
}

static int check_schema(allot__store *store, allot_report *report)
{
    int64_t there = allot__store_number(
        store, "SELECT (to_regclass('allot.lead') IS NOT NULL)::int::bigint", -1);
    if (there < 0)
        return allot__store_say(store, "cannot be opened", report);
    if (there == 0 && !store->writes) {
        allot_report_say(report, ALLOT_ERROR, "E-store", "there is no store in %.200s",
                         store->path);
        return ALLOT_EIO;
    }
    int64_t version = there == 0 ? 0 : allot__store_number(store, "SELECT version FROM lead", -1);
    if (version < 0)
        return allot__store_say(store, "cannot be read", report);
    if (version <= VERSION)
        return step_up(store, version, report);
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s has version %lld, this program knows versions up to %d",
                     store->path, (long long)version, VERSION);
    return ALLOT_EIO;
}

static int read_name(allot__store *store, allot_report *report)
{
    allot__rows rows = allot__store_query(store, "SELECT value FROM meta WHERE key = 'id'", "");
    const char *id = NULL;
    size_t len = 0;
    bool good = allot__rows_step(rows) == 1 && allot__row_read(rows, "t", &id, &len) < 0 &&
                len == sizeof store->name.id - 1;
    if (good)
        memcpy(store->name.id, id, len + 1);
    allot__rows_end(rows);
    return good ? ALLOT_OK : allot__store_damaged(store, "it has no id", report);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct rows {
    struct allot__pq *pq;
    PGresult *result; /* NULL: an error */
    int at, cursor;   /* 0: no cursor */
} rows;

static void fetch(rows *it)
{
    char sql[60];
    snprintf(sql, sizeof sql, "FETCH %d FROM c%d", CHUNK, it->cursor);
    allot__pq_drop(it->result);
    it->result = allot__pq_run(it->pq, sql, NULL);
    it->at = 0;
}

/* In a reading, a cursor: the result may not fit in memory. */
static void declare(rows *it, const char *sql, const allot__pq_params *params)
{
    char text[600];
    it->cursor = ++it->pq->cursors;
    snprintf(text, sizeof text, "DECLARE c%d NO SCROLL CURSOR FOR %s", it->cursor, sql);
    it->result = allot__pq_run(it->pq, text, params);
    if (it->result)
        fetch(it);
}

static void *query(const allot__store *store, const char *sql, const char *types, va_list values)
{
    allot__pq_params params = {.count = 0};
    rows *it = calloc(1, sizeof *it);
    if (!it)
        return NULL;
    it->pq = store->pq;
    for (; *types != '\0'; types++) {
        const char *text = *types == 't' ? va_arg(values, const char *) : NULL;
        if (text)
            allot__pq_bytes(&params, ALLOT__PQ_TEXT, text, strlen(text));
        else
            allot__pq_number(&params, va_arg(values, int64_t));
    }
    if (store->pq->reads)
        declare(it, sql, &params);
    else
        it->result = allot__pq_run(store->pq, sql, &params);
    return it;
}

static int step(void *ud)
{
    rows *it = ud;
    if (it->result && it->cursor > 0 && it->at == CHUNK)
        fetch(it);
    if (!it->result)
        return ALLOT_EIO;
    return it->at < allot__pq_count(it->result) ? (it->at++, 1) : 0;
}

static allot__cell cell(void *ud, int column)
{
    const rows *it = ud;
    return allot__pq_value(it->result, it->at - 1, column);
}

static const char *name_of(void *ud, int column)
{
    return allot__pq_name(((rows *)ud)->result, column);
}

static void end(void *ud)
{
    rows *it = ud;
    char sql[24];
    allot__pq_drop(it->result);
    if (it->cursor > 0 && it->result && it->pq->reads) {
        snprintf(sql, sizeof sql, "CLOSE c%d", it->cursor);
        allot__pq_do(it->pq, sql);
    }
    free(it);
}

static void snap(const allot__store *store, bool on)
{
    struct allot__pq *pq = store->pq;
    if (on)
        allot__pq_do(pq, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                         "SET LOCAL idle_in_transaction_session_timeout = 0");
    else
        allot__pq_do(pq, "COMMIT");
    pq->reads = on;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Bytes of a table of many rows, of which the first and the last are looked at; `more`: bytes of a
 * row besides its columns, with its entries in indexes. */
#define MANY(table, key, more)                                                                     \
    "coalesce((SELECT avg(pg_column_size(r.*)) + " more " FROM ((SELECT * FROM " table             \
    " ORDER BY " key " LIMIT 500) UNION ALL (SELECT * FROM " table " ORDER BY " key                \
    " DESC LIMIT 500)) AS r) * (SELECT max(" key ") - min(" key ") + 1 FROM " table "), 0)"
#define FEW(table, column)                                                                         \
    "coalesce((SELECT sum(pg_column_size(" column ") + 100) FROM " table "), 0)"

/* clang-format off */
static const char measure_sql[] =
    "SELECT size, greatest(size - used, 0)::bigint FROM (SELECT sum(pg_total_relation_size(oid))"
    "::bigint AS size FROM pg_class WHERE relkind = 'r' AND relnamespace ="
    " current_schema()::regnamespace) AS t, (SELECT "
    MANY("events", "seq", "40") " + " MANY("cycles", "cycle", "60") " + "
    FEW("snapshots", "body") " + " FEW("plans", "text") " + " FEW("policies", "text")
    " AS used) AS u";
/* clang-format on */

/* PostgreSQL hardly ever shortens a table: what rows do not need of the tables' bytes is free for
 * new ones (or is once it is vacuumed). */
static void measure(allot__store *store)
{
    int64_t size, unused;
    allot__rows rows = allot__store_query(store, measure_sql, "");
    if (allot__rows_step(rows) == 1 && allot__row_read(rows, "nn", &size, &unused) < 0) {
        store->work_size = size;
        store->work_unused = unused;
    }
    allot__rows_end(rows);
}

static int give_back(allot__store *store)
{
    store->work_oldest = allot__store_number(
        store, "SELECT min(seq) FROM cycles WHERE decision IS NOT NULL AND seq > 0",
        store->work_oldest);
    measure(store);
    return ALLOT_OK;
}

static const char *error_of(const allot__store *store)
{
    return store->pq && store->pq->error[0] != '\0' ? store->pq->error : "out of memory";
}

static int connect_first(allot__store *store, allot_report *report)
{
    int status = allot__pq_load(report);
    if (status != ALLOT_OK)
        return status;
    store->pq = allot__new(store->engine, 1, sizeof *store->pq);
    if (!store->pq)
        return ALLOT_ENOMEM;
    store->pq->target = store->path;
    status = allot__pq_check(store->pq, report);
    if (status == ALLOT_OK && !allot__pq_connect(store->pq))
        status = allot__store_say(store, "cannot be opened", report);
    return status;
}

static int open_postgres(allot__store *store, allot_report *report)
{
    int status = connect_first(store, report);
    if (status == ALLOT_OK)
        status = check_server(store, report);
    if (status == ALLOT_OK)
        status = check_schema(store, report);
    if (status == ALLOT_OK)
        status = read_name(store, report);
    if (status == ALLOT_OK && store->writes)
        status = allot__lead_begin(store, report);
    return status == ALLOT_OK ? give_back(store) : status;
}

static void close_postgres(allot__store *store)
{
    if (!store->pq)
        return;
    allot__lead_end(store);
    allot__pq_leave(store->pq);
    allot__free(store->engine, store->pq, 1, sizeof *store->pq);
}

const allot__store_kind allot__store_postgres = {
    .open = open_postgres,
    .close = close_postgres,
    .error = error_of,
    .query = query,
    .step = step,
    .cell = cell,
    .name = name_of,
    .end = end,
    .snap = snap,
    .write = allot__lead_write,
    .measure = measure,
    .give_back = give_back,
    .look = allot__lead_look,
};

/* ---- Measuring ------------------------------------------------------------------------------- */

enum { COMMITS = 101 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A batch of events without keys, after those before. */
static void gather(allot__store *store, int32_t rows)
{
    char params[101];
    snprintf(params, sizeof params, "{\"consumer\": \"/%083d\"}", 0);
    allot__text_clear(&store->written, SIZE_MAX);
    for (int32_t i = 1; i <= rows; i++) {
        allot__event_row row = {.seq = store->lead.event + i,
                                .method = "demand",
                                .params = params,
                                .params_len = strlen(params)};
        allot__store_encode(&store->written, &row);
    }
}

static bool time_commits(allot__store *store, struct allot__pq *bare, int32_t rows,
                         allot_service_commits *out)
{
    int64_t times[2][COMMITS];
    bool good = true;
    for (int i = 0; i < COMMITS && good; i++) {
        gather(store, rows);
        uint64_t from = uv_hrtime();
        good = allot__lead_bare(store, bare);
        times[0][i] = (int64_t)(uv_hrtime() - from);
        from = uv_hrtime();
        allot__lead_write(store);
        times[1][i] = (int64_t)(uv_hrtime() - from);
        good = good && store->work_status == ALLOT_OK && !store->written.failed;
    }
    if (!good)
        return false;
    for (int i = 0; i < 2; i++)
        qsort(times[i], COMMITS, sizeof times[i][0], by_size);
    *out = (allot_service_commits){.store = (double)times[1][COMMITS / 2] * 1e-9,
                                   .bare = (double)times[0][COMMITS / 2] * 1e-9};
    return true;
}

static int measure_store(allot__store *store, int32_t rows, allot_report *report,
                         allot_service_commits *out)
{
    struct allot__pq bare = {.target = store->path};
    int status = connect_first(store, report);
    if (status != ALLOT_OK)
        return status;
    bool good = allot__pq_do(store->pq, "DROP SCHEMA IF EXISTS allot_measure CASCADE;"
                                        "CREATE SCHEMA allot_measure;"
                                        "SET search_path = allot_measure") &&
                step_up(store, 0, report) == ALLOT_OK &&
                allot__pq_do(store->pq, "CREATE TABLE bare(LIKE events INCLUDING ALL);"
                                        "ALTER TABLE bare DROP COLUMN epoch, DROP COLUMN who") &&
                allot__lead_begin(store, report) == ALLOT_OK && allot__pq_connect(&bare) &&
                allot__pq_do(&bare, "SET search_path = allot_measure") &&
                time_commits(store, &bare, rows, out);
    if (!good)
        status = allot__store_say(store, "cannot be measured", report);
    allot__pq_do(store->pq, "DROP SCHEMA IF EXISTS allot_measure CASCADE");
    allot__pq_leave(&bare);
    return status;
}

int allot__postgres_measure(allot_engine *engine, const char *name, int32_t rows,
                            allot_report *report, allot_service_commits *out)
{
    allot__store *store = allot__new(engine, 1, sizeof *store);
    if (!store)
        return ALLOT_ENOMEM;
    store->engine = store->written.engine = engine;
    store->kind = &allot__store_postgres;
    store->site.lease = 60000;
    store->writes = true;
    store->work_oldest = 1; /* no decisions are written: none is looked for */
    store->path = allot__copy(engine, name, strlen(name));
    int status = store->path ? measure_store(store, rows, report, out) : ALLOT_ENOMEM;
    store->lead.taken = false; /* with its schema */
    close_postgres(store);
    allot__text_free(&store->written);
    allot__free_string(engine, store->path);
    allot__free(engine, store, 1, sizeof *store);
    return status;
}
