/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.c: runs SQL, reports the database's errors, and validates rows; visits the rows on disk in
 * their order; reads versions of plan and policies, and their texts; says who leads the store.
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
                     what, store->kind->error(store));
    return ALLOT_EIO;
}

int allot__store_damaged(const allot__store *store, const char *how, allot_report *report)
{
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s is damaged: %.200s; move it away, or restore a copy",
                     store->path, how);
    return ALLOT_EIO;
}

allot__rows allot__store_query(const allot__store *store, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    allot__rows rows = {store, store->kind->query(store, sql, types, values)};
    va_end(values);
    return rows;
}

int allot__rows_step(allot__rows rows)
{
    return rows.it ? rows.store->kind->step(rows.it) : ALLOT_EIO;
}

void allot__rows_end(allot__rows rows)
{
    if (rows.it)
        rows.store->kind->end(rows.it);
}

int allot__rows_run(allot__rows rows)
{
    int step = allot__rows_step(rows);
    allot__rows_end(rows);
    return step < 0 ? step : ALLOT_OK;
}

static allot__cell cell(allot__rows row, int column)
{
    return row.store->kind->cell(row.it, column);
}

int64_t allot__store_number(const allot__store *store, const char *sql, int64_t otherwise)
{
    return allot__store_take(allot__store_query(store, sql, ""), otherwise);
}

int64_t allot__store_take(allot__rows rows, int64_t otherwise)
{
    int64_t number = otherwise;
    if (allot__rows_step(rows) == 1 && cell(rows, 0).kind == ALLOT__CELL_WHOLE)
        number = cell(rows, 0).number;
    allot__rows_end(rows);
    return number;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool take_number(const allot__cell *from, char type, int64_t *out)
{
    int64_t least = type == 'd' ? INT64_MIN : type == 'a' ? -ALLOT__STORE_LAST : type == 'i';
    int64_t most = type == 'd' ? INT64_MAX : ALLOT__STORE_LAST;
    *out = from->number;
    return from->kind == ALLOT__CELL_WHOLE && *out >= least && *out <= most;
}

static bool is_object(const char *text, size_t len)
{
    bool good = len >= 2 && text[0] == '{' && text[len - 1] == '}';
    for (size_t i = 0; i < len && good; i++)
        good = (unsigned char)text[i] >= 0x20;
    return good;
}

static bool take_text(const allot__cell *from, char type, const char **out, size_t *len)
{
    bool text = from->kind == ALLOT__CELL_TEXT;
    *out = text ? from->text : NULL;
    *len = text ? from->len : 0;
    if (!text)
        return from->kind == ALLOT__CELL_NOTHING && type != 't';
    return !memchr(*out, '\0', *len) && (type != 'j' || is_object(*out, *len));
}

static int read_row(allot__rows row, const char *types, va_list to)
{
    for (int i = 0; types[i] != '\0'; i++) {
        bool number = strchr("niad", types[i]) != NULL;
        const char **text = number ? NULL : va_arg(to, const char **);
        allot__cell from = cell(row, i);
        if (!(number ? take_number(&from, types[i], va_arg(to, int64_t *))
                     : take_text(&from, types[i], text, va_arg(to, size_t *))))
            return i;
    }
    return -1;
}

int allot__row_read(allot__rows row, const char *types, ...)
{
    va_list to;
    va_start(to, types);
    int wrong = read_row(row, types, to);
    va_end(to);
    return wrong;
}

int allot__row_take(const char *table, allot__rows row, allot_report *report, const char *types,
                    ...)
{
    static const char *const kinds[] = {[ALLOT__CELL_WHOLE] = "a whole number that cannot be",
                                        [ALLOT__CELL_FRACTION] = "a fraction",
                                        [ALLOT__CELL_TEXT] = "a text that cannot be",
                                        [ALLOT__CELL_BYTES] = "bytes",
                                        [ALLOT__CELL_NOTHING] = "nothing"};
    char how[160];
    va_list to;
    va_start(to, types);
    int wrong = read_row(row, types, to);
    va_end(to);
    if (wrong < 0)
        return ALLOT_OK;
    snprintf(how, sizeof how, "`%s` of row %lld in `%s` is %s",
             row.store->kind->name(row.it, wrong), (long long)cell(row, 0).number, table,
             kinds[cell(row, wrong).kind]);
    return allot__store_damaged(row.store, how, report);
}

static int failed(const allot__store *store, allot_report *report)
{
    return allot__store_say(store, "cannot be read", report);
}

/* ---- Snapshot, events and cycles ------------------------------------------------------------- */

/* Reads a part of a snapshot; all parts have the same head. */
static int read_part(allot__rows rows, int64_t part, allot__snapshot_row *row, char plan[65],
                     allot__text *body, allot_report *report)
{
    size_t len, plan_len;
    int64_t number;
    const char *name, *lines;
    allot__snapshot_row head = {.event = 0};
    int status = allot__row_take("snapshots", rows, report, "nnnattn", &head.event, &head.cycle,
                                 &head.seq, &head.at, &name, &plan_len, &lines, &len, &number);
    if (status != ALLOT_OK)
        return status;
    bool same = part == 0 || (head.event == row->event && head.cycle == row->cycle &&
                              head.seq == row->seq && head.at == row->at && !strcmp(name, plan));
    if (!same || number != part || plan_len > 64)
        return allot__store_damaged(rows.store, "a snapshot's parts do not fit together", report);
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
    allot__rows rows = allot__store_query(
        store,
        "SELECT event, cycle, seq, at, plan, body, part FROM snapshots,"
        " (SELECT event AS e, cycle AS c, part AS last FROM snapshots"
        " WHERE event <= $1 AND part = parts - 1 ORDER BY event DESC, cycle DESC LIMIT 1) AS newest"
        " WHERE event = e AND cycle = c AND part <= last ORDER BY part",
        "n", event);
    int step = allot__rows_step(rows), status = ALLOT_OK;
    for (int64_t part = 0; step == 1 && status == ALLOT_OK; part++) {
        status = read_part(rows, part, row, plan, body, report);
        if (status == ALLOT_OK)
            step = allot__rows_step(rows);
    }
    allot__rows_end(rows);
    row->body = body->bytes ? body->bytes : "";
    row->body_len = body->len;
    return step >= 0 || status != ALLOT_OK ? status : failed(store, report);
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

static int missing(const allot__store_reading *it, const char *what, int64_t number)
{
    char how[80];
    snprintf(how, sizeof how, "%s %lld is not there", what, (long long)number);
    return allot__store_damaged(it->store, how, it->report);
}

static int read_event(allot__rows from, allot__event_row *row, allot_report *report)
{
    size_t len;
    return allot__row_take("events", from, report, "iatto", &row->seq, &row->at, &row->method, &len,
                           &row->params, &row->params_len, &row->key, &len);
}

static int tell_event(allot__store_reading *it, const allot__store_visitor *visitor)
{
    allot__event_row row;
    int status = read_event(it->events, &row, it->report);
    if (status == ALLOT_OK && row.seq != it->last_event + 1)
        status = missing(it, "event", it->last_event + 1);
    if (status != ALLOT_OK)
        return status;
    it->last_event = row.seq;
    it->store->behind += (int64_t)row.params_len;
    return visitor->event ? visitor->event(visitor->ud, &row) : ALLOT_OK;
}

/* A cycle refers to existing events only, and a decision has the next number. */
static int check_cycle(allot__store_reading *it, const allot__cycle_row *row)
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

static int tell_cycle(allot__store_reading *it, const allot__store_visitor *visitor)
{
    allot__cycle_row row;
    size_t len;
    int status = allot__row_take("cycles", it->cycles, it->report, "inantoddjt", &row.cycle,
                                 &row.seq, &row.at, &row.event, &row.plan, &len, &row.policy, &len,
                                 &row.input, &row.output, &row.decision, &row.decision_len,
                                 &row.effect, &row.effect_len);
    if (status == ALLOT_OK)
        status = check_cycle(it, &row);
    if (status != ALLOT_OK)
        return status;
    it->store->behind += (int64_t)(row.decision_len + row.effect_len);
    return visitor->cycle ? visitor->cycle(visitor->ud, &row) : ALLOT_OK;
}

/* Steps to the next row of a statement; false and *status: there is none. */
static bool next(allot__rows rows, allot_report *report, int *status)
{
    int step = allot__rows_step(rows);
    if (step < 0)
        *status = failed(rows.store, report);
    return step == 1;
}

static int tell_rows(allot__store_reading *it, const allot__store_visitor *visitor)
{
    int status = ALLOT_OK;
    bool event = next(it->events, it->report, &status);
    bool cycle = next(it->cycles, it->report, &status);
    while (status == ALLOT_OK && (event || cycle)) {
        bool first = cycle && (!event || cell(it->cycles, 3).number < cell(it->events, 0).number);
        status = first ? tell_cycle(it, visitor) : tell_event(it, visitor);
        if (status == ALLOT_OK && first)
            cycle = next(it->cycles, it->report, &status);
        else if (status == ALLOT_OK)
            event = next(it->events, it->report, &status);
    }
    return status;
}

int allot__store_tell(allot__store *store, const allot__store_visitor *visitor)
{
    allot__store_reading *it = &store->reading;
    int status = tell_rows(it, visitor);
    allot__rows_end(it->events);
    allot__rows_end(it->cycles);
    it->events.it = it->cycles.it = NULL;
    return status;
}

/* Rows before the first or after the last have changed numbers: damage. A store being written by
 * another process may have new ones. */
static int check_ends(const allot__store_reading *it)
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

/* Visits the events and cycles after a snapshot, or after none. */
static int tell_later(allot__store *store, const allot__snapshot_row *from,
                      const allot__store_visitor *visitor, allot_report *report)
{
    store->reading = (allot__store_reading){
        .events = allot__store_query(store,
                                     "SELECT seq, at, method, params, idem FROM events"
                                     " WHERE seq > $1 ORDER BY seq",
                                     "n", from->event),
        .cycles = allot__store_query(
            store,
            "SELECT cycle, seq, at, event, plan, policy, input, output, decision, effect"
            " FROM cycles WHERE cycle > $1 ORDER BY cycle",
            "n", from->cycle),
        .last_event = from->event,
        .last_cycle = from->cycle,
        .last_seq = from->seq,
        .store = store,
        .report = report};
    int status = allot__store_tell(store, visitor);
    if (status == ALLOT_OK)
        status = check_ends(&store->reading);
    store->reading.report = NULL;
    return status;
}

int allot__store_read(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                      allot_report *report)
{
    allot__snapshot_row from;
    store->kind->snap(store, true);
    int status = tell_snapshot(store, event, visitor, &from, report);
    if (status == ALLOT_OK)
        status = tell_later(store, &from, visitor, report);
    store->kind->snap(store, false);
    return status;
}
/* ---- Keys, decisions ------------------------------------------------------------------------- */

int allot__store_keys(allot__store *store, int64_t since,
                      int (*each)(void *ud, const allot__event_row *row), void *ud,
                      allot_report *report)
{
    store->kind->snap(store, true); /* they may not fit in memory at once */
    allot__rows rows = allot__store_query(store,
                                          "SELECT seq, at, method, params, idem FROM events"
                                          " WHERE at >= $1 AND idem IS NOT NULL ORDER BY seq",
                                          "n", since);
    int status = ALLOT_OK;
    while (status == ALLOT_OK && next(rows, report, &status)) {
        allot__event_row row;
        status = read_event(rows, &row, report);
        if (status == ALLOT_OK)
            status = each(ud, &row);
    }
    allot__rows_end(rows);
    store->kind->snap(store, false);
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
static int take_bytes(allot__cell from, const char *sha256, allot__text *out)
{
    char known[65];
    if (from.kind != ALLOT__CELL_BYTES && from.kind != ALLOT__CELL_TEXT)
        return ALLOT_EIO;
    allot_sha256(from.text ? from.text : "", from.len, known);
    if (strcmp(known, sha256) != 0)
        return ALLOT_EIO;
    allot__text_add(out, from.text, from.len);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* A table that an old store lacks has no rows. */
int allot__store_text(allot__store *store, allot__store_texts of, const char *sha256,
                      allot_report *report, allot__text *out)
{
    const char *sql = of == ALLOT__STORE_PLANS ? "SELECT text FROM plans WHERE sha256 = $1"
                                               : "SELECT text FROM policies WHERE sha256 = $1";
    allot__rows rows = allot__store_query(store, sql, "t", sha256);
    char how[120];
    if (!rows.it)
        return ALLOT_ENOENT;
    int step = allot__rows_step(rows);
    int status = step == 0 ? ALLOT_ENOENT : ALLOT_EIO;
    if (step == 1)
        status = take_bytes(cell(rows, 0), sha256, out);
    allot__rows_end(rows);
    snprintf(how, sizeof how, "the text of the sha256 %.64s is another, or cannot be read", sha256);
    return status == ALLOT_EIO ? allot__store_damaged(store, how, report) : status;
}

/* A store of version 1 does not know the policies. */
static int read_pair(allot__rows from, allot_report *report, allot__store_pair *out)
{
    int64_t number, cycle;
    const char *plan, *policies;
    size_t len;
    int status = allot__row_take("versions", from, report, "iitt", &number, &cycle, &plan, &len,
                                 &policies, &len);
    if (status != ALLOT_OK)
        return status;
    if (!is_name(plan) || (*policies != '\0' && !is_name(policies)))
        return allot__store_damaged(from.store, "a row of `versions` names no text", report);
    out->number = number;
    out->cycle = cycle;
    memcpy(out->plan, plan, sizeof out->plan);
    snprintf(out->policies, sizeof out->policies, "%s", policies);
    return ALLOT_OK;
}

/* Reads the row and ends the rows; refused: the store is too old for it. */
static int take_pair(allot__rows rows, allot_report *report, allot__store_pair *out)
{
    int step = rows.it ? allot__rows_step(rows) : 0;
    int status = step == 0   ? ALLOT_ENOENT
                 : step == 1 ? read_pair(rows, report, out)
                             : allot__store_say(rows.store, "cannot be read", report);
    allot__rows_end(rows);
    return status;
}

int allot__store_version(allot__store *store, int back, allot_report *report,
                         allot__store_pair *out)
{
    return take_pair(allot__store_query(store,
                                        "SELECT number, cycle, plan, policies FROM versions"
                                        " ORDER BY number DESC LIMIT 1 OFFSET $1",
                                        "n", (int64_t)back),
                     report, out);
}

int allot__store_deciding(allot__store *store, const char *plan, int64_t cycle,
                          allot_report *report, allot__store_pair *out)
{
    return take_pair(allot__store_query(store,
                                        "SELECT number, cycle, plan, policies FROM versions WHERE"
                                        " plan = $1 AND cycle <= $2 ORDER BY number DESC LIMIT 1",
                                        "tn", plan, cycle),
                     report, out);
}

/* ---- Several services ------------------------------------------------------------------------ */

bool allot__store_leads(const allot__store *store)
{
    return store->leads && !store->gone;
}

bool allot__store_current(const allot__store *store)
{
    return !store->kind->look ||
           uv_hrtime() - store->trusted < (uint64_t)store->site.lease * UINT64_C(1000000);
}

const char *allot__store_leader(const allot__store *store, int64_t *behind)
{
    *behind = store->leads ? 0 : store->seen.event - store->reading.last_event;
    return store->leads ? store->site.address : store->seen.address;
}
