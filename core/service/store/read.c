/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.c: runs SQL, reports SQLite's errors, and validates rows; visits the rows on disk in their
 * order; reads versions of plan and policies, and their texts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <allot/script.h>

#include "service/store/own.h"

/* ---- SQL ------------------------------------------------------------------------------------- */

int allot__store_say(const allot__store *store, const char *what, allot_report *report)
{
    allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s %s: %.200s", store->path,
                     what, store->db ? sqlite3_errmsg(store->db) : "out of memory");
    return ALLOT_EIO;
}

int allot__store_damaged(const allot__store *store, const char *how, allot_report *report)
{
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s is damaged: %.200s; move it away, or restore a copy",
                     store->path, how);
    return ALLOT_EIO;
}

sqlite3_stmt *allot__store_query(const allot__store *store, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list values;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    va_start(values, types);
    for (int i = 0; types[i] != '\0'; i++)
        if (types[i] == 't')
            sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
        else
            sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
    va_end(values);
    return statement;
}

int64_t allot__store_number(const allot__store *store, const char *sql, int64_t otherwise)
{
    return allot__store_take(allot__store_query(store, sql, ""), otherwise);
}

int64_t allot__store_take(sqlite3_stmt *statement, int64_t otherwise)
{
    int64_t number = otherwise;
    if (statement && sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool take_number(sqlite3_stmt *row, int column, char type, int64_t *out)
{
    int64_t least = type == 'd' ? INT64_MIN : type == 'a' ? -ALLOT__STORE_LAST : type == 'i';
    int64_t most = type == 'd' ? INT64_MAX : ALLOT__STORE_LAST;
    *out = sqlite3_column_int64(row, column);
    return sqlite3_column_type(row, column) == SQLITE_INTEGER && *out >= least && *out <= most;
}

static bool is_object(const char *text, size_t len)
{
    bool good = len >= 2 && text[0] == '{' && text[len - 1] == '}';
    for (size_t i = 0; i < len && good; i++)
        good = (unsigned char)text[i] >= 0x20;
    return good;
}

static bool take_text(sqlite3_stmt *row, int column, char type, const char **out, size_t *len)
{
    int found = sqlite3_column_type(row, column);
    *out = found == SQLITE_TEXT ? (const char *)sqlite3_column_text(row, column) : NULL;
    *len = *out ? (size_t)sqlite3_column_bytes(row, column) : 0;
    if (!*out)
        return found == SQLITE_NULL && type != 't';
    return !memchr(*out, '\0', *len) && (type != 'j' || is_object(*out, *len));
}

static int read_row(sqlite3_stmt *row, const char *types, va_list to)
{
    for (int i = 0; types[i] != '\0'; i++) {
        bool number = strchr("niad", types[i]) != NULL;
        const char **text = number ? NULL : va_arg(to, const char **);
        if (!(number ? take_number(row, i, types[i], va_arg(to, int64_t *))
                     : take_text(row, i, types[i], text, va_arg(to, size_t *))))
            return i;
    }
    return -1;
}

int allot__row_read(sqlite3_stmt *row, const char *types, ...)
{
    va_list to;
    va_start(to, types);
    int wrong = read_row(row, types, to);
    va_end(to);
    return wrong;
}

int allot__row_take(const allot__store *store, const char *table, sqlite3_stmt *row,
                    allot_report *report, const char *types, ...)
{
    static const char *const kinds[] = {[SQLITE_INTEGER] = "a whole number that cannot be",
                                        [SQLITE_FLOAT] = "a fraction",
                                        [SQLITE_TEXT] = "a text that cannot be",
                                        [SQLITE_BLOB] = "bytes",
                                        [SQLITE_NULL] = "nothing"};
    char how[160];
    va_list to;
    va_start(to, types);
    int wrong = read_row(row, types, to);
    va_end(to);
    if (wrong < 0)
        return ALLOT_OK;
    snprintf(how, sizeof how, "`%s` of row %lld in `%s` is %s", sqlite3_column_name(row, wrong),
             (long long)sqlite3_column_int64(row, 0), table,
             kinds[sqlite3_column_type(row, wrong)]);
    return allot__store_damaged(store, how, report);
}

static int failed(const allot__store *store, allot_report *report)
{
    return allot__store_say(store, "cannot be read", report);
}

/* ---- Snapshot, events and cycles ------------------------------------------------------------- */

/* Rows come in order of their numbers, without gaps: these are the last ones visited. */
typedef struct reading {
    sqlite3_stmt *events, *cycles;
    bool event, cycle; /* a row is present */
    int64_t last_event, last_cycle, last_seq;
    allot__store *store;
    allot_report *report;
} reading;

/* Reads a part of a snapshot; all parts have the same head. */
static int read_part(const allot__store *store, sqlite3_stmt *statement, int64_t part,
                     allot__snapshot_row *row, char plan[65], allot__text *body,
                     allot_report *report)
{
    size_t len, plan_len;
    int64_t number;
    const char *name, *lines;
    allot__snapshot_row head = {.event = 0};
    int status =
        allot__row_take(store, "snapshots", statement, report, "nnnattn", &head.event, &head.cycle,
                        &head.seq, &head.at, &name, &plan_len, &lines, &len, &number);
    if (status != ALLOT_OK)
        return status;
    bool same = part == 0 || (head.event == row->event && head.cycle == row->cycle &&
                              head.seq == row->seq && head.at == row->at && !strcmp(name, plan));
    if (!same || number != part || plan_len > 64)
        return allot__store_damaged(store, "a snapshot's parts do not fit together", report);
    *row = head;
    memcpy(plan, name, plan_len + 1);
    row->plan = plan;
    allot__text_add(body, lines, len);
    return ALLOT_OK;
}

/* Finds the newest whole snapshot; assembles it in `body`. */
static int find_snapshot(allot__store *store, int64_t event, allot__snapshot_row *row,
                         char plan[65], allot__text *body, allot_report *report)
{
    sqlite3_stmt *statement = allot__store_query(
        store,
        "SELECT event, cycle, seq, at, plan, body, part FROM snapshots,"
        " (SELECT event AS e, cycle AS c, part AS last FROM snapshots"
        " WHERE event <= ? AND part = parts - 1 ORDER BY event DESC, cycle DESC LIMIT 1)"
        " WHERE event = e AND cycle = c AND part <= last ORDER BY part",
        "n", event);
    int step = statement ? sqlite3_step(statement) : SQLITE_ERROR, status = ALLOT_OK;
    for (int64_t part = 0; step == SQLITE_ROW && status == ALLOT_OK; part++) {
        status = read_part(store, statement, part, row, plan, body, report);
        if (status == ALLOT_OK)
            step = sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    row->body = body->bytes ? body->bytes : "";
    row->body_len = body->len;
    return step == SQLITE_DONE || status != ALLOT_OK ? status : failed(store, report);
}

static int tell_snapshot(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                         allot__snapshot_row *row, allot_report *report)
{
    allot__text body = {.engine = store->engine};
    char plan[65];
    *row = (allot__snapshot_row){0};
    int status = find_snapshot(store, event, row, plan, &body, report);
    if (status == ALLOT_OK && body.failed)
        status = ALLOT_ENOMEM;
    else if (status == ALLOT_OK && row->plan && visitor->snapshot)
        status = visitor->snapshot(visitor->ud, row);
    store->snapshot_bytes = (int64_t)body.len;
    allot__text_free(&body);
    row->plan = row->body = NULL;
    return status;
}

static int missing(const reading *it, const char *what, int64_t number)
{
    char how[80];
    snprintf(how, sizeof how, "%s %lld is not there", what, (long long)number);
    return allot__store_damaged(it->store, how, it->report);
}

static int read_event(const allot__store *store, sqlite3_stmt *from, allot__event_row *row,
                      allot_report *report)
{
    size_t len;
    return allot__row_take(store, "events", from, report, "iatto", &row->seq, &row->at,
                           &row->method, &len, &row->params, &row->params_len, &row->key, &len);
}

static int tell_event(reading *it, const allot__store_visitor *visitor)
{
    allot__event_row row;
    int status = read_event(it->store, it->events, &row, it->report);
    if (status == ALLOT_OK && row.seq != it->last_event + 1)
        status = missing(it, "event", it->last_event + 1);
    if (status != ALLOT_OK)
        return status;
    it->last_event = row.seq;
    it->store->behind += (int64_t)row.params_len;
    return visitor->event ? visitor->event(visitor->ud, &row) : ALLOT_OK;
}

/* A cycle refers to existing events only, and a decision has the next number. */
static int check_cycle(reading *it, const allot__cycle_row *row)
{
    if (row->cycle != it->last_cycle + 1)
        return missing(it, "cycle", it->last_cycle + 1);
    if (row->event > it->last_event)
        return missing(it, "event", it->last_event + 1);
    if (row->seq != it->last_seq + (row->decision != NULL))
        return missing(it, "decision", it->last_seq + 1);
    it->last_cycle = row->cycle;
    it->last_seq = row->seq;
    return ALLOT_OK;
}

static int tell_cycle(reading *it, const allot__store_visitor *visitor)
{
    allot__cycle_row row;
    size_t len;
    int status = allot__row_take(it->store, "cycles", it->cycles, it->report, "inantoddjt",
                                 &row.cycle, &row.seq, &row.at, &row.event, &row.plan, &len,
                                 &row.policy, &len, &row.input, &row.output, &row.decision,
                                 &row.decision_len, &row.effect, &row.effect_len);
    if (status == ALLOT_OK)
        status = check_cycle(it, &row);
    if (status != ALLOT_OK)
        return status;
    it->store->behind += (int64_t)(row.decision_len + row.effect_len);
    return visitor->cycle ? visitor->cycle(visitor->ud, &row) : ALLOT_OK;
}

/* Steps to the next row of a statement; false and *status: there is none. */
static bool next(const allot__store *store, sqlite3_stmt *statement, allot_report *report,
                 int *status)
{
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        *status = failed(store, report);
    return step == SQLITE_ROW;
}

static int tell_rows(reading *it, const allot__store_visitor *visitor)
{
    int status = ALLOT_OK;
    it->event = next(it->store, it->events, it->report, &status);
    it->cycle = next(it->store, it->cycles, it->report, &status);
    while (status == ALLOT_OK && (it->event || it->cycle)) {
        bool cycle = it->cycle && (!it->event || sqlite3_column_int64(it->cycles, 3) <
                                                     sqlite3_column_int64(it->events, 0));
        status = cycle ? tell_cycle(it, visitor) : tell_event(it, visitor);
        if (status != ALLOT_OK)
            break;
        if (cycle)
            it->cycle = next(it->store, it->cycles, it->report, &status);
        else
            it->event = next(it->store, it->events, it->report, &status);
    }
    return status;
}

/* Rows before the first or after the last have changed numbers: damage. A store being written by
 * another process may have new ones. */
static int check_ends(const reading *it)
{
    allot__store *store = it->store;
    if (!store->writes)
        return ALLOT_OK;
    if (allot__store_number(store, "SELECT min(seq) FROM events", 1) < 1)
        return allot__store_damaged(store, "an event's number is below 1", it->report);
    if (allot__store_number(store, "SELECT min(cycle) FROM cycles", 1) < 1)
        return allot__store_damaged(store, "a cycle's number is below 1", it->report);
    int64_t last = allot__store_number(
        store, "SELECT seq FROM cycles WHERE decision IS NOT NULL ORDER BY seq DESC LIMIT 1",
        it->last_seq);
    return last > it->last_seq ? missing(it, "decision", it->last_seq + 1) : ALLOT_OK;
}

int allot__store_read(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                      allot_report *report)
{
    allot__snapshot_row from;
    int status = tell_snapshot(store, event, visitor, &from, report);
    if (status != ALLOT_OK)
        return status;
    reading it = {.events = allot__store_query(
                      store,
                      "SELECT seq, at, method, params, idem FROM events WHERE seq > ?"
                      " ORDER BY seq",
                      "n", from.event),
                  .cycles = allot__store_query(
                      store,
                      "SELECT cycle, seq, at, event, plan, policy, input, output, decision, effect"
                      " FROM cycles WHERE cycle > ? ORDER BY cycle",
                      "n", from.cycle),
                  .last_event = from.event,
                  .last_cycle = from.cycle,
                  .last_seq = from.seq,
                  .store = store,
                  .report = report};
    if (!it.events || !it.cycles)
        status = failed(store, report);
    else
        status = tell_rows(&it, visitor);
    if (status == ALLOT_OK)
        status = check_ends(&it);
    sqlite3_finalize(it.events);
    sqlite3_finalize(it.cycles);
    return status;
}

/* ---- Keys, decisions ------------------------------------------------------------------------- */

int allot__store_keys(allot__store *store, int64_t since,
                      int (*each)(void *ud, const allot__event_row *row), void *ud,
                      allot_report *report)
{
    sqlite3_stmt *statement = allot__store_query(store,
                                                 "SELECT seq, at, method, params, idem FROM events"
                                                 " WHERE at >= ? AND idem IS NOT NULL ORDER BY seq",
                                                 "n", since);
    int status = statement ? ALLOT_OK : failed(store, report);
    while (status == ALLOT_OK && next(store, statement, report, &status)) {
        allot__event_row row;
        status = read_event(store, statement, &row, report);
        if (status == ALLOT_OK)
            status = each(ud, &row);
    }
    sqlite3_finalize(statement);
    return status;
}

int64_t allot__store_cycles(allot__store *store)
{
    return allot__store_number(store, "SELECT max(cycle) FROM cycles", 0);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    return text != NULL && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

/* A text must match its sha256; else it is damaged. */
static int take_bytes(sqlite3_stmt *statement, const char *sha256, allot__text *out)
{
    char known[65];
    int type = sqlite3_column_type(statement, 0);
    const char *text = sqlite3_column_blob(statement, 0);
    size_t len = (size_t)sqlite3_column_bytes(statement, 0);
    if (type != SQLITE_BLOB && type != SQLITE_TEXT)
        return ALLOT_EIO;
    allot_sha256(text ? text : "", len, known);
    if (strcmp(known, sha256) != 0)
        return ALLOT_EIO;
    allot__text_add(out, text, len);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* A table that an old store lacks has no rows. */
int allot__store_text(allot__store *store, allot__store_texts of, const char *sha256,
                      allot_report *report, allot__text *out)
{
    const char *sql = of == ALLOT__STORE_PLANS ? "SELECT text FROM plans WHERE sha256 = ?"
                                               : "SELECT text FROM policies WHERE sha256 = ?";
    sqlite3_stmt *statement = allot__store_query(store, sql, "t", sha256);
    char how[120];
    if (!statement)
        return ALLOT_ENOENT;
    int step = sqlite3_step(statement);
    int status = step == SQLITE_DONE ? ALLOT_ENOENT : ALLOT_EIO;
    if (step == SQLITE_ROW)
        status = take_bytes(statement, sha256, out);
    sqlite3_finalize(statement);
    snprintf(how, sizeof how, "the text of the sha256 %.64s is another, or cannot be read", sha256);
    return status == ALLOT_EIO ? allot__store_damaged(store, how, report) : status;
}

/* A store of version 1 does not know the policies. */
static int read_pair(const allot__store *store, sqlite3_stmt *from, allot_report *report,
                     allot__store_pair *out)
{
    int64_t number, cycle;
    const char *plan, *policies;
    size_t len;
    int status = allot__row_take(store, "versions", from, report, "iitt", &number, &cycle, &plan,
                                 &len, &policies, &len);
    if (status != ALLOT_OK)
        return status;
    if (!is_name(plan) || (*policies != '\0' && !is_name(policies)))
        return allot__store_damaged(store, "a row of `versions` names no text", report);
    memcpy(out->plan, plan, sizeof out->plan);
    snprintf(out->policies, sizeof out->policies, "%s", policies);
    return ALLOT_OK;
}

/* Reads the statement's row and ends the statement; NULL: the store is too old for it. */
static int take_pair(const allot__store *store, sqlite3_stmt *statement, allot_report *report,
                     allot__store_pair *out)
{
    int step = statement ? sqlite3_step(statement) : SQLITE_DONE;
    int status = step == SQLITE_DONE  ? ALLOT_ENOENT
                 : step == SQLITE_ROW ? read_pair(store, statement, report, out)
                                      : allot__store_say(store, "cannot be read", report);
    sqlite3_finalize(statement);
    return status;
}

int allot__store_version(allot__store *store, int back, allot_report *report,
                         allot__store_pair *out)
{
    sqlite3_stmt *statement =
        allot__store_query(store,
                           "SELECT number, cycle, plan, policies FROM versions"
                           " ORDER BY number DESC LIMIT 1 OFFSET ?",
                           "n", (int64_t)back);
    return take_pair(store, statement, report, out);
}

int allot__store_deciding(allot__store *store, const char *plan, int64_t cycle,
                          allot_report *report, allot__store_pair *out)
{
    sqlite3_stmt *statement =
        allot__store_query(store,
                           "SELECT number, cycle, plan, policies FROM versions WHERE plan = ?1 AND"
                           " cycle <= ?2 ORDER BY number DESC LIMIT 1",
                           "tn", plan, cycle);
    return take_pair(store, statement, report, out);
}
