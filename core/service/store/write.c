/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: the SQL of records, the deletion of old rows, and reads between batches: on a thread. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/own.h"

/* ---- Old rows -------------------------------------------------------------------------------- */

/*
 * Rows are deleted from the oldest up to a whole snapshot, from which the rest can be restored. A
 * step looks at a limited number of rows, so that no batch waits long; the next step goes on there.
 */
enum { ROWS_STEP = 5000 };

/* Deletes versions before the one that decided at cycle $1, except the last two; unused texts; and
 * what belongs to deleted events (65536: ALLOT__STORE_SPAN). */
static const struct {
    const char *sql, *types;
} texts[] = {
    {"DELETE FROM versions WHERE number < (SELECT max(number) FROM versions WHERE cycle <= $1) AND"
     " number NOT IN (SELECT number FROM versions ORDER BY number DESC LIMIT 2)",
     "n"},
    {"DELETE FROM plans WHERE version < (SELECT min(number) FROM versions) AND sha256 NOT IN"
     " (SELECT plan FROM snapshots)",
     ""},
    {"DELETE FROM policies WHERE version < (SELECT min(number) FROM versions)", ""},
    {"DELETE FROM clients WHERE event < (SELECT min(seq) FROM events) - 65536", ""},
    {"DELETE FROM notes WHERE event < (SELECT min(seq) FROM events)", ""},
};

/* Notes are bounded by their number, too, since refused clients cause them without any event. */
static const char notes[] =
    "DELETE FROM notes WHERE (event, cycle, number) <= (SELECT event, cycle, number FROM notes"
    " ORDER BY event DESC, cycle DESC, number DESC LIMIT 1 OFFSET 10000)";

/* ---- How far --------------------------------------------------------------------------------- */

/* Reads a row of two numbers and ends the rows; none if the row is missing or damaged. */
static int read_reach(allot__rows rows, allot__store_reach *out)
{
    int step = allot__rows_step(rows);
    if (step != 1 || allot__row_read(rows, "nn", &out->event, &out->cycle) >= 0)
        *out = (allot__store_reach){-1, -1};
    allot__rows_end(rows);
    return step < 0 ? step : ALLOT_OK;
}

/* The oldest snapshot that still has cycles before it, or another snapshot: where cycles fail, rows
 * are events alone. */
static int next_reach(allot__store *store, allot__store_reach *out)
{
    return read_reach(
        allot__store_query(store,
                           "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND (cycle >="
                           " (SELECT min(cycle) FROM cycles) OR (event, cycle) > (SELECT event,"
                           " cycle FROM snapshots WHERE part = parts - 1 ORDER BY event, cycle"
                           " LIMIT 1)) ORDER BY event, cycle LIMIT 1",
                           ""),
        out);
}

static bool is_too_large(allot__store *store, const allot__store_bounds *bounds)
{
    store->kind->measure(store);
    return bounds->size >= 0 && store->work_size - store->work_unused > bounds->size;
}

static int find_reach(allot__store *store, const allot__store_bounds *bounds,
                      allot__store_reach *out)
{
    int status = read_reach(
        allot__store_query(store,
                           "SELECT event, cycle FROM snapshots WHERE part = parts - 1 AND (event <="
                           " $1 OR at <= $2) ORDER BY event DESC, cycle DESC LIMIT 1",
                           "nn", bounds->event, bounds->at),
        out);
    allot__store_reach next = {-1, -1};
    if (status == ALLOT_OK && is_too_large(store, bounds))
        status = next_reach(store, &next);
    if (next.event > out->event || next.cycle > out->cycle)
        *out = next;
    return status;
}

/* ---- A step ---------------------------------------------------------------------------------- */

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
    int status =
        allot__rows_run(allot__store_query(store,
                                           "DELETE FROM events WHERE seq BETWEEN $1 AND $2 AND"
                                           " (idem IS NULL OR at < $3)",
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
    return allot__rows_run(allot__store_query(
        store, "DELETE FROM cycles WHERE cycle BETWEEN $1 AND $2", "nn", from, end));
}

static int delete_rest(allot__store *store, const allot__store_reach *to)
{
    int status = allot__rows_run(allot__store_query(
        store, "DELETE FROM snapshots WHERE event < $1 OR (event = $1 AND cycle < $2)", "nn",
        to->event, to->cycle));
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == ALLOT_OK; i++)
        status =
            allot__rows_run(allot__store_query(store, texts[i].sql, texts[i].types, to->cycle));
    return status;
}

int allot__store_delete(allot__store *store, const allot__store_bounds *bounds)
{
    allot__store_reach *to = &store->reach, next = {-1, -1};
    int status = allot__rows_run(allot__store_query(store, notes, ""));
    if (status == ALLOT_OK && !store->deletes)
        status = find_reach(store, bounds, to);
    if (status == ALLOT_OK && to->event >= 0) {
        status = delete_events(store, to->event, bounds->keys);
        if (status == ALLOT_OK)
            status = delete_cycles(store, to->cycle);
        if (status == ALLOT_OK)
            status = delete_rest(store, to);
        store->deletes = store->work_more;
        if (status == ALLOT_OK && !store->work_more && is_too_large(store, bounds))
            status = next_reach(store, &next);
        store->work_more = store->work_more || next.cycle >= 0;
    }
    return status == ALLOT_OK ? store->kind->give_back(store) : status;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The number of the next version; its texts are written before it. */
#define NEXT  "(SELECT coalesce(max(number), 0) + 1 FROM versions)"
#define AGAIN " ON CONFLICT(sha256) DO UPDATE SET version = excluded.version"

const allot__store_sql allot__store_statements[ALLOT__RECORDS] = {
    [ALLOT__RECORD_EVENT] =
        {"nnstsn",
         "INSERT INTO events(seq, at, method, params, idem, who) VALUES($1, $2, $3, $4, $5, $6)"},
    [ALLOT__RECORD_CLIENT] =
        {"nns", "INSERT INTO clients(event, at, who) VALUES($1, $2, $3) ON CONFLICT(event)"
                " DO UPDATE SET at = excluded.at, who = excluded.who"},
    [ALLOT__RECORD_NOTE] =
        {"nnnsss",
         "INSERT INTO notes(event, cycle, number, at, kind, version, who, text) VALUES($1, $2,"
         " (SELECT coalesce(max(number), 0) + 1 FROM notes WHERE event = $1 AND cycle = $2), $3,"
         " $4, (SELECT coalesce(max(number), 0) FROM versions), $5, $6) ON CONFLICT(event,"
         " cycle, number) DO NOTHING"},
    [ALLOT__RECORD_CYCLE] =
        {"nnnnnnsstt",
         "INSERT INTO cycles(cycle, seq, at, event, input, output, plan, policy, decision, effect)"
         " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"},
    [ALLOT__RECORD_SNAPSHOT] =
        {"nnnnnnst",
         "INSERT INTO snapshots(event, cycle, seq, at, part, parts, plan, body)"
         " VALUES($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT(event, cycle, part) DO UPDATE SET"
         " seq = excluded.seq, at = excluded.at, parts = excluded.parts, plan = excluded.plan,"
         " body = excluded.body"},
    [ALLOT__RECORD_PLAN] = {"sb", "INSERT INTO plans(sha256, text, version) VALUES($1, $2, " NEXT
                                  ")" AGAIN},
    [ALLOT__RECORD_POLICY] = {"sb",
                              "INSERT INTO policies(sha256, text, version) VALUES($1, $2, " NEXT
                              ")" AGAIN},
    [ALLOT__RECORD_VERSION] = {"nss", "INSERT INTO versions(number, cycle, plan, policies)"
                                      " VALUES(" NEXT ", $1, $2, $3)"},
    [ALLOT__RECORD_FORGET] = {"nn", "DELETE FROM snapshots WHERE event = $1 AND cycle = $2"},
    [ALLOT__RECORD_COMPACT] = {"nnnn", ""}, /* the members of its bounds: allot__store_delete */
};

allot__cell allot__record_value(const char **at, char type)
{
    allot__cell value = {.kind = ALLOT__CELL_WHOLE};
    memcpy(&value.number, *at, sizeof value.number);
    *at += sizeof value.number;
    if (type == 'n')
        return value;
    value.kind = value.number < 0 ? ALLOT__CELL_NOTHING
                 : type == 'b'    ? ALLOT__CELL_BYTES
                                  : ALLOT__CELL_TEXT;
    value.len = value.number < 0 ? 0 : (size_t)value.number;
    value.text = *at;
    *at += value.len;
    return value;
}

void allot__store_write(allot__store *store)
{
    uint64_t from = uv_hrtime();
    store->work_more = false;
    store->kind->write(store);
    store->work_us = (int64_t)((uv_hrtime() - from) / 1000);
}

/* ---- Decisions asked for --------------------------------------------------------------------- */

static void put_row(FILE *out, int64_t seq, const char *text, size_t len)
{
    fwrite(&seq, sizeof seq, 1, out);
    fwrite(&len, sizeof len, 1, out);
    fwrite(text, len, 1, out);
    putc('\0', out);
}

static void add_decision(allot__store_ask *ask, FILE *out, allot__rows row)
{
    size_t len;
    int64_t seq;
    const char *text;
    bool good = allot__row_read(row, "ij", &seq, &text, &len) < 0;
    ask->damaged += !good;
    if (good)
        put_row(out, seq, text, len);
}

/* The memory of the service's engine is the loop's. */
static void fetch_page(allot__store_ask *ask, FILE *out)
{
    allot_engine *engine = NULL;
    allot__text text = {0};
    ask->status = allot_engine_new(NULL, NULL, &engine);
    text.engine = engine;
    if (ask->status == ALLOT_OK)
        ask->status = allot__store_log_page(ask->store, &ask->page, &text);
    if (ask->status == ALLOT_OK && out)
        put_row(out, 0, text.bytes, text.len);
    bool kept = out && !ferror(out);
    kept = out && fclose(out) == 0 && kept;
    if (!kept)
        ask->status = ALLOT_ENOMEM;
    if (engine) {
        allot__text_free(&text);
        allot_engine_free(engine);
    }
}

void allot__store_fetch(allot__store_ask *ask)
{
    enum { BYTES_MOST = 1024 * 1024 };
    int step = ALLOT_EIO;
    FILE *out = open_memstream(&ask->rows, &ask->rows_len);
    if (ask->log) {
        fetch_page(ask, out);
        return;
    }
    allot__rows rows =
        allot__store_query(ask->store,
                           "SELECT seq, decision FROM cycles WHERE decision IS NOT NULL AND"
                           " seq >= $1 AND seq <= $2 ORDER BY seq LIMIT $3",
                           "nnn", ask->from, ask->to, (int64_t)ask->most);
    while (out && ftell(out) < BYTES_MOST && (step = allot__rows_step(rows)) == 1)
        add_decision(ask, out, rows);
    bool kept = out && !ferror(out);
    kept = out && fclose(out) == 0 && kept;
    ask->status = !kept ? ALLOT_ENOMEM : step >= 0 ? ALLOT_OK : ALLOT_EIO;
    allot__rows_end(rows);
}
