/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * log.c: a page of what happened: events, decisions and notes in one order.
 *
 * The place of an entry is three numbers: an event's own; of a decision and a note the last event
 * before it, and the cycle; of a note its number behind that cycle. So the order is that in which
 * the service did things, whatever the clock said.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "service/store/own.h"

enum { SCAN = 5000, BYTES_MOST = 1024 * 1024, LONG = 65536, SLACK = 3600, CAUSES = 4 };

typedef enum source { EVENTS, DECISIONS, NOTES, SOURCES } source;

/* The rows of a source, and what the one at which it stands has. */
typedef struct stream {
    allot__rows rows;
    bool open;
    int64_t given;
    allot__log_place place;
    int64_t at, number, before; /* of a decision: its number, the event that the cycle before saw */
    const char *kind, *text, *who;
    size_t text_len;
} stream;

typedef struct page {
    const allot__store *store;
    const allot__log_ask *ask;
    allot_engine *engine;
    stream streams[SOURCES];
    allot__text entry, out;
    size_t ends[ALLOT__LOG_MOST]; /* of entries in `out` */
    int32_t count, seen;
    int64_t rows; /* at most, of a source */
    allot__log_place first, last;
    bool cut; /* a source has more rows than were asked for */
} page;

static int compare(const allot__log_place *a, const allot__log_place *b)
{
    const int64_t x[] = {a->event, a->cycle, a->number}, y[] = {b->event, b->cycle, b->number};
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows after the last event of which everything is there belong to the next page. */
static int64_t last_event(const allot__store *store)
{
    return allot__store_number(store,
                               "SELECT max(n) FROM (SELECT max(seq) AS n FROM events UNION ALL"
                               " SELECT max(event) FROM snapshots) AS x",
                               0);
}

/* Stores of earlier versions know no clients. */
static void query_events(page *it, int64_t to)
{
    const allot__log_place *from = &it->ask->place;
    bool known = it->store->schema >= 5, back = it->ask->back;
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT e.seq, e.at, e.method, e.params, %s FROM events e%s WHERE e.seq %s $1 AND"
             " e.seq <= $2 ORDER BY e.seq%s LIMIT $3",
             known ? "c.who" : "NULL", known ? " LEFT JOIN clients c ON c.event = e.who" : "",
             back ? "<" : ">", back ? " DESC" : "");
    int64_t behind = back && (from->cycle > 0 || from->number > 0);
    it->streams[EVENTS].rows =
        allot__store_query(it->store, sql, "nnn", from->event + behind, to, it->rows);
}

static void query_decisions(page *it, int64_t to)
{
    const allot__log_place *from = &it->ask->place;
    bool back = it->ask->back;
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT event, cycle, at, seq, decision, coalesce((SELECT p.event FROM cycles p WHERE"
             " p.cycle < c.cycle ORDER BY p.cycle DESC LIMIT 1), 0) FROM cycles c WHERE decision"
             " IS NOT NULL AND (event, cycle) %s ($1, $2) AND event <= $3 ORDER BY event%s,"
             " cycle%s LIMIT $4",
             back ? "<" : ">", back ? " DESC" : "", back ? " DESC" : "");
    it->streams[DECISIONS].rows =
        allot__store_query(it->store, sql, "nnnn", from->event,
                           from->cycle + (back && from->number > 0), to, it->rows);
}

static void query_notes(page *it, int64_t to)
{
    const allot__log_place *from = &it->ask->place;
    const char *way = it->ask->back ? " DESC" : "";
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT event, cycle, number, at, kind, version, who, text FROM notes WHERE"
             " (event, cycle, number) %s ($1, $2, $3) AND event <= $4 ORDER BY event%s, cycle%s,"
             " number%s LIMIT $5",
             it->ask->back ? "<" : ">", way, way, way);
    it->streams[NOTES].rows = allot__store_query(it->store, sql, "nnnnn", from->event, from->cycle,
                                                 from->number, to, it->rows);
}

static bool read_one(stream *of, source which)
{
    size_t len;
    allot__log_place *place = &of->place;
    *place = (allot__log_place){0};
    of->who = NULL;
    if (which == EVENTS)
        return allot__row_read(of->rows, "iatto", &place->event, &of->at, &of->kind, &len,
                               &of->text, &of->text_len, &of->who, &len) < 0;
    if (which == DECISIONS)
        return allot__row_read(of->rows, "niaijn", &place->event, &place->cycle, &of->at,
                               &of->number, &of->text, &of->text_len, &of->before) < 0;
    return allot__row_read(of->rows, "nnnatnoj", &place->event, &place->cycle, &place->number,
                           &of->at, &of->kind, &len, &of->number, &of->who, &len, &of->text,
                           &of->text_len) < 0;
}

/* The next row; damaged ones are left out. EIO. */
static int advance(page *it, source which)
{
    stream *of = &it->streams[which];
    int step;
    do {
        step = of->rows.it ? allot__rows_step(of->rows) : 0;
        of->given += step == 1;
        of->open = step == 1;
    } while (step == 1 && !read_one(of, which));
    it->cut = it->cut || (step == 0 && of->given == it->rows);
    return step < 0 ? step : ALLOT_OK;
}

static int begin(page *it)
{
    static void (*const queries[SOURCES])(page *, int64_t) = {query_events, query_decisions,
                                                              query_notes};
    const allot__log_kind kind = it->ask->kind;
    int64_t to = last_event(it->store);
    int status = ALLOT_OK;
    for (source i = EVENTS; i < SOURCES && status == ALLOT_OK; i++) {
        bool wanted = kind == ALLOT__LOG_ALL ||
                      (i == NOTES ? kind >= ALLOT__LOG_RELOAD : kind == (allot__log_kind)i);
        if (!wanted || (i == NOTES && it->store->schema < 5))
            continue;
        queries[i](it, to);
        status = it->streams[i].rows.it ? advance(it, i) : ALLOT_EIO;
    }
    return status;
}

/* ---- Which of them --------------------------------------------------------------------------- */

static const char *const kinds[] = {"event",       "decision", "reload", "refusal",
                                    "wrong-token", "start",    "stop",   NULL};

const char *allot__log_kind_word(int kind)
{
    return kind >= 0 && kind < (int)(sizeof kinds / sizeof *kinds) ? kinds[kind] : NULL;
}

/* Whether a text in JSON has a consumer, or one below it. */
static bool has_consumer(const char *text, const char *path)
{
    size_t len = strlen(path);
    for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
        if (at > text && at[-1] == '"' && (at[len] == '"' || at[len] == '/'))
            return true;
    return false;
}

/* Whether clients' descriptions have a name, address or label, or a uid. */
static bool has_who(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text ? strstr(text, word) : NULL; at; at = strstr(at + 1, word)) {
        bool quoted = at - text > 3 && memcmp(at - 3, ": \"", 3) == 0 && at[len] == '"';
        bool uid = at - text > 7 && memcmp(at - 7, "\"uid\": ", 7) == 0;
        if (quoted || (uid && (at[len] == ',' || at[len] == '}')))
            return true;
    }
    return false;
}

/* Whether the entry is wanted, beside its client. */
static bool is_wanted(const page *it, const stream *of, source which)
{
    const allot__log_ask *ask = it->ask;
    if (of->at < ask->since || of->at > ask->until)
        return false;
    if (which == NOTES && ask->kind != ALLOT__LOG_ALL && strcmp(of->kind, kinds[ask->kind]) != 0)
        return false;
    return ask->consumer[0] == '\0' || strcmp(ask->consumer, "/") == 0 ||
           has_consumer(of->text, ask->consumer);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static void put_place(allot__text *out, const char *key, const allot__log_place *place)
{
    char text[72];
    snprintf(text, sizeof text, "%lld.%lld.%lld", (long long)place->event, (long long)place->cycle,
             (long long)place->number);
    allot__text_member(out, key, text);
}

/* A text that is JSON, unless it is very long. */
static void put_json(allot__text *out, const char *key, const char *text, size_t len)
{
    if (len > LONG) {
        allot__text_number(out, "bytes", (int64_t)len);
        return;
    }
    allot__text_key(out, key);
    allot__text_add(out, text, len);
}

/* The events since the cycle before, and the last clients that sent some. */
static void put_cause(page *it, const stream *of)
{
    allot__text *out = &it->entry;
    allot__rows rows = {0};
    allot__text_open(out, "cause", "{");
    allot__text_number(out, "from", of->before + 1);
    allot__text_number(out, "to", of->place.event);
    allot__text_open(out, "who", "[");
    if (it->store->schema >= 5 && of->place.event > of->before)
        rows = allot__store_query(it->store,
                                  "SELECT DISTINCT c.who FROM (SELECT who FROM events WHERE seq >"
                                  " $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1000) AS e JOIN"
                                  " clients c ON c.event = e.who ORDER BY c.who LIMIT $3",
                                  "nnn", of->before, of->place.event, (int64_t)CAUSES);
    while (rows.it && allot__rows_step(rows) == 1) {
        const char *who;
        size_t len;
        if (allot__row_read(rows, "j", &who, &len) >= 0)
            continue;
        allot__text_key(out, NULL);
        allot__text_add(out, who, len);
    }
    allot__rows_end(rows);
    allot__text_puts(out, "]}");
}

static void put_entry(page *it, const stream *of, source which)
{
    allot__text *out = &it->entry;
    allot__text_puts(out, "{");
    put_place(out, "id", &of->place);
    allot__text_member(out, "kind", which == NOTES ? of->kind : kinds[which]);
    allot__text_number(out, "at", of->at);
    if (which == EVENTS) {
        allot__text_number(out, "seq", of->place.event);
        allot__text_member(out, "method", of->kind);
    } else if (which == DECISIONS) {
        allot__text_number(out, "seq", of->number);
        allot__text_number(out, "cycle", of->place.cycle);
        put_cause(it, of);
    } else {
        allot__text_number(out, "version", of->number);
    }
    if (of->who)
        put_json(out, "who", of->who, strlen(of->who));
    put_json(out,
             which == EVENTS      ? "params"
             : which == DECISIONS ? "decision"
                                  : "about",
             of->text, of->text_len);
    allot__text_puts(out, "}");
}

/* A decision's clients are those of its cause; a wrong token's address is what is known. */
static bool is_whose(const page *it, const stream *of, source which)
{
    const char *word = it->ask->who;
    return *word == '\0' ||
           (which == EVENTS      ? has_who(of->who, word)
            : which == DECISIONS ? has_who(strstr(it->entry.bytes, "\"who\""), word)
                                 : has_who(of->who, word) || has_who(of->text, word));
}

static void take(page *it, const stream *of, source which)
{
    if (it->seen++ == 0)
        it->first = of->place;
    it->last = of->place;
    if (!is_wanted(it, of, which))
        return;
    it->entry.len = 0;
    put_entry(it, of, which);
    if (it->entry.failed || !is_whose(it, of, which))
        return;
    allot__text_add(&it->out, it->entry.bytes, it->entry.len);
    it->ends[it->count++] = it->out.len;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* The source whose row is next; SOURCES: none. */
static source next_of(const page *it)
{
    source best = SOURCES;
    for (source i = EVENTS; i < SOURCES; i++) {
        if (!it->streams[i].open)
            continue;
        int order = best == SOURCES ? 0 : compare(&it->streams[i].place, &it->streams[best].place);
        if (best == SOURCES || (it->ask->back ? order > 0 : order < 0))
            best = i;
    }
    return best;
}

/* Backwards it ends well before the earliest time; a clock that was put right may have jumped. */
static bool is_before(const page *it, const stream *of)
{
    return it->ask->back && it->ask->since > INT64_MIN + SLACK && of->at < it->ask->since - SLACK;
}

/* *more: rows are left. EIO. */
static int gather(page *it, bool *more)
{
    int status = begin(it);
    source next;
    *more = false;
    while (status == ALLOT_OK && (next = next_of(it)) != SOURCES) {
        *more = !is_before(it, &it->streams[next]);
        if (!*more || it->cut || it->count == it->ask->limit || it->seen == SCAN ||
            it->out.len > BYTES_MOST)
            return status;
        take(it, &it->streams[next], next);
        status = advance(it, next);
    }
    *more = it->cut;
    return status;
}

static void put_page(const page *it, allot__text *out, bool more)
{
    const bool back = it->ask->back;
    allot__text_puts(out, "{");
    allot__text_open(out, "entries", "[");
    for (int32_t i = 0; i < it->count; i++) {
        int32_t k = back ? it->count - 1 - i : i;
        size_t from = k > 0 ? it->ends[k - 1] : 0;
        allot__text_key(out, NULL);
        allot__text_add(out, it->out.bytes + from, it->ends[k] - from);
    }
    allot__text_puts(out, "]");
    static const allot__log_place none;
    const allot__log_place *after = back ? &none : &it->ask->place;
    put_place(out, "next", it->seen == 0 ? after : back ? &it->first : &it->last);
    if (back)
        put_place(out, "before", it->seen == 0 ? &it->ask->place : &it->last);
    allot__text_bool(out, "more", more);
    allot__text_puts(out, "}");
}

int allot__store_log_page(const allot__store *store, const allot__log_ask *ask, allot__text *out)
{
    page *it = allot__new(out->engine, 1, sizeof *it);
    bool more;
    if (!it)
        return ALLOT_ENOMEM;
    bool picks = ask->consumer[0] != '\0' || ask->who[0] != '\0' ||
                 ask->kind >= ALLOT__LOG_RELOAD || ask->since != INT64_MIN ||
                 ask->until != INT64_MAX;
    it->store = store;
    it->ask = ask;
    it->rows = picks ? SCAN : ask->limit;
    it->entry.engine = it->out.engine = out->engine;
    int status = gather(it, &more);
    if (status == ALLOT_OK)
        put_page(it, out, more);
    if (it->entry.failed || it->out.failed || out->failed)
        status = ALLOT_ENOMEM;
    for (source i = EVENTS; i < SOURCES; i++)
        allot__rows_end(it->streams[i].rows);
    allot__text_free(&it->entry);
    allot__text_free(&it->out);
    allot__free(out->engine, it, 1, sizeof *it);
    return status;
}
