/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pq.c: libpq, loaded when it is needed; a session, its statements and their results. */
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/pq.h"

/* ---- libpq ----------------------------------------------------------------------------------- */

#define CALLS(X)                                                                                   \
    X(PQclear)                                                                                     \
    X(PQcmdStatus)                                                                                 \
    X(PQconnectdbParams)                                                                           \
    X(PQconninfoFree)                                                                              \
    X(PQconninfoParse)                                                                             \
    X(PQconsumeInput)                                                                              \
    X(PQerrorMessage)                                                                              \
    X(PQfinish)                                                                                    \
    X(PQflush)                                                                                     \
    X(PQfname)                                                                                     \
    X(PQfreemem)                                                                                   \
    X(PQftype)                                                                                     \
    X(PQgetResult)                                                                                 \
    X(PQgetisnull)                                                                                 \
    X(PQgetlength)                                                                                 \
    X(PQgetvalue)                                                                                  \
    X(PQisBusy)                                                                                    \
    X(PQntuples)                                                                                   \
    X(PQresultErrorField)                                                                          \
    X(PQresultErrorMessage)                                                                        \
    X(PQresultStatus)                                                                              \
    X(PQsendPrepare)                                                                               \
    X(PQsendQuery)                                                                                 \
    X(PQsendQueryParams)                                                                           \
    X(PQsendQueryPrepared)                                                                         \
    X(PQsetNoticeProcessor)                                                                        \
    X(PQsetnonblocking)                                                                            \
    X(PQsocket)                                                                                    \
    X(PQstatus)

#define MEMBER(name) __typeof__(name) *name;
#define NAME(name)   #name,

static union {
    struct {
        CALLS(MEMBER)
    } calls;
    void *all[64];
} libpq;
#define PQ(name) libpq.calls.name

static uv_once_t once = UV_ONCE_INIT;
static bool loaded;

static void load(void)
{
    static const char *const names[] = {CALLS(NAME)};
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    loaded = library != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && loaded; i++) {
        libpq.all[i] = dlsym(library, names[i]);
        loaded = libpq.all[i] != NULL;
    }
}

int allot__pq_load(allot_report *report)
{
    uv_once(&once, load);
    if (loaded)
        return ALLOT_OK;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "a store in PostgreSQL needs libpq.so.5, which is not there (Debian: libpq5)");
    return ALLOT_EIO;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void allot__pq_put(char *at, int64_t number, int bytes)
{
    for (int i = bytes; i-- > 0; number >>= 8)
        at[i] = (char)(number & 0xff);
}

int64_t allot__pq_get(const char *at, int bytes)
{
    uint64_t number = (at[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | (unsigned char)at[i];
    return (int64_t)number;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* libpq's messages have several lines, and tabs before some. */
static void set_error(struct allot__pq *pq, const char *text)
{
    size_t len = 0;
    for (; *text != '\0' && len + 1 < sizeof pq->error; text++)
        if (*text != '\n' && *text != '\t')
            pq->error[len++] = *text;
        else if (*text == '\n' && text[1] != '\0')
            pq->error[len++] = ' ';
    pq->error[len] = '\0';
}

void allot__pq_leave(struct allot__pq *pq)
{
    if (pq->conn)
        PQ(PQfinish)(pq->conn);
    pq->conn = NULL;
    pq->prepared = false;
}

static void lose(struct allot__pq *pq, const char *why)
{
    set_error(pq, why && *why != '\0' ? why : "the server does not answer");
    snprintf(pq->state, sizeof pq->state, "08006");
    allot__pq_leave(pq);
}

static void on_notice(void *ud, const char *text)
{
    struct allot__pq *pq = ud;
    pq->doubted = pq->doubted || strstr(text, "synchronous replication") != NULL;
}

/* ---- Statements ------------------------------------------------------------------------------ */

/* Waits until a result, or the end of all, can be read without waiting. False: the session is lost,
 * or nothing moved for ten seconds: a large result may take longer. */
static bool arrive(const struct allot__pq *pq)
{
    enum { PATIENCE = 10 };
    uint64_t until = uv_hrtime() + PATIENCE * UINT64_C(1000000000);
    for (;;) {
        int unsent = PQ(PQflush)(pq->conn);
        if (unsent < 0)
            return false;
        if (unsent == 0 && !PQ(PQisBusy)(pq->conn))
            return true;
        uint64_t now = uv_hrtime();
        struct pollfd fd = {.fd = PQ(PQsocket)(pq->conn),
                            .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
        if (now >= until)
            return false;
        if (poll(&fd, 1, (int)((until - now) / 1000000) + 1) <= 0)
            continue;
        if ((fd.revents & ~POLLOUT) != 0 && !PQ(PQconsumeInput)(pq->conn))
            return false;
        until = uv_hrtime() + PATIENCE * UINT64_C(1000000000);
    }
}

static bool is_good(const PGresult *result)
{
    ExecStatusType status = PQ(PQresultStatus)(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static void note_error(struct allot__pq *pq, const PGresult *result)
{
    const char *state = PQ(PQresultErrorField)(result, PG_DIAG_SQLSTATE);
    const char *text = PQ(PQresultErrorField)(result, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(pq->state, sizeof pq->state, "%s", state ? state : "");
    set_error(pq, text ? text : PQ(PQresultErrorMessage)(result));
}

/* The last result of what was sent; NULL: one was an error, or the session is lost. */
static PGresult *await(struct allot__pq *pq, int sent)
{
    PGresult *kept = NULL, *result = NULL;
    bool good = sent == 1, arrived = false;
    pq->heard = false;
    while (sent == 1 && (arrived = arrive(pq)) && (result = PQ(PQgetResult)(pq->conn))) {
        PQ(PQclear)(kept);
        kept = result;
        pq->heard = true;
        if (good && !is_good(result)) {
            good = false;
            note_error(pq, result);
        }
    }
    if (!arrived || PQ(PQstatus)(pq->conn) != CONNECTION_OK)
        lose(pq, pq->heard && !good ? pq->error : PQ(PQerrorMessage)(pq->conn));
    else if (pq->doubted)
        lose(pq, "a commit that waited for a synchronous standby was cancelled");
    if (good && pq->conn)
        return kept;
    PQ(PQclear)(kept);
    return NULL;
}

PGresult *allot__pq_run(struct allot__pq *pq, const char *sql, const allot__pq_params *params)
{
    static const allot__pq_params none;
    const allot__pq_params *with = params ? params : &none;
    if (!pq->conn)
        return NULL;
    int sent = sql ? PQ(PQsendQueryParams)(pq->conn, sql, with->count, with->types, with->values,
                                           with->lengths, with->formats, 1)
                   : PQ(PQsendQueryPrepared)(pq->conn, "allot", with->count, with->values,
                                             with->lengths, with->formats, 1);
    return await(pq, sent);
}

bool allot__pq_prepare(struct allot__pq *pq, const char *sql, const allot__pq_params *params)
{
    PGresult *result =
        await(pq, PQ(PQsendPrepare)(pq->conn, "allot", sql, params->count, params->types));
    allot__pq_drop(result);
    pq->prepared = result != NULL;
    return pq->prepared;
}

bool allot__pq_do(struct allot__pq *pq, const char *sql)
{
    PGresult *result = pq->conn ? await(pq, PQ(PQsendQuery)(pq->conn, sql)) : NULL;
    allot__pq_drop(result);
    return result != NULL;
}

void allot__pq_drop(PGresult *result)
{
    PQ(PQclear)(result);
}

/* ---- Parameters and results ------------------------------------------------------------------ */

void allot__pq_bytes(allot__pq_params *to, Oid type, const char *bytes, size_t len)
{
    int i = to->count++;
    to->types[i] = type;
    to->values[i] = bytes;
    to->lengths[i] = (int)len;
    to->formats[i] = 1;
}

void allot__pq_number(allot__pq_params *to, int64_t number)
{
    char *at = to->numbers[to->count];
    allot__pq_put(at, number, 8);
    allot__pq_bytes(to, ALLOT__PQ_INT8, at, 8);
}

void allot__pq_cell(allot__pq_params *to, const allot__cell *value)
{
    if (value->kind == ALLOT__CELL_WHOLE)
        allot__pq_number(to, value->number);
    else
        allot__pq_bytes(to, value->kind == ALLOT__CELL_BYTES ? ALLOT__PQ_BYTES : ALLOT__PQ_TEXT,
                        value->kind == ALLOT__CELL_NOTHING ? NULL : value->text, value->len);
}

int allot__pq_count(const PGresult *result)
{
    return PQ(PQntuples)(result);
}

const char *allot__pq_name(const PGresult *result, int column)
{
    return PQ(PQfname)(result, column);
}

const char *allot__pq_done(PGresult *result)
{
    return PQ(PQcmdStatus)(result);
}

allot__cell allot__pq_value(const PGresult *result, int row, int column)
{
    allot__cell out = {.kind = ALLOT__CELL_NOTHING};
    Oid type = PQ(PQftype)(result, column);
    if (PQ(PQgetisnull)(result, row, column))
        return out;
    out.text = PQ(PQgetvalue)(result, row, column);
    out.len = (size_t)PQ(PQgetlength)(result, row, column);
    out.kind = type == ALLOT__PQ_BYTES ? ALLOT__CELL_BYTES : ALLOT__CELL_TEXT;
    if (type == ALLOT__PQ_INT8 || type == ALLOT__PQ_BOOL) {
        out.kind = ALLOT__CELL_WHOLE;
        out.number = allot__pq_get(out.text, (int)out.len);
    }
    return out;
}

/* ---- The session ----------------------------------------------------------------------------- */

/* `any` role may set these; they are set by statements, since `options` would replace the site's.
 * The server gives up a leader that is cut off or stopped within a transaction, so that its row
 * is free. */
static const char settings[] =
    "SET search_path = allot; SET statement_timeout = 0; SET lock_timeout = 500;"
    "SET default_transaction_isolation = 'read committed';"
    "SET idle_in_transaction_session_timeout = 2000; SET client_connection_check_interval = 1000;"
    "SET tcp_user_timeout = 3000; SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1;"
    "SET tcp_keepalives_count = 3; SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'";

bool allot__pq_connect(struct allot__pq *pq)
{
    /* What follows a name replaces it: the site's conninfo comes last. */
    static const char *const names[] = {"connect_timeout",
                                        "tcp_user_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "client_encoding",
                                        "fallback_application_name",
                                        "target_session_attrs",
                                        "dbname",
                                        NULL};
    const char *values[] = {"2",    "3000",  "1",          "1",        "3",
                            "UTF8", "allot", "read-write", pq->target, NULL};
    if (pq->conn)
        return true;
    pq->doubted = false;
    pq->conn = PQ(PQconnectdbParams)(names, values, 1);
    if (!pq->conn || PQ(PQstatus)(pq->conn) != CONNECTION_OK) {
        lose(pq, pq->conn ? PQ(PQerrorMessage)(pq->conn) : "out of memory");
        return false;
    }
    PQ(PQsetnonblocking)(pq->conn, 1);
    PQ(PQsetNoticeProcessor)(pq->conn, on_notice, pq);
    if (allot__pq_do(pq, settings))
        return true;
    allot__pq_leave(pq);
    return false;
}

static bool has_secret(const PQconninfoOption *options)
{
    bool found = false;
    for (const PQconninfoOption *it = options; it->keyword; it++)
        found = found || (it->val && (strcmp(it->keyword, "password") == 0 ||
                                      strcmp(it->keyword, "sslpassword") == 0));
    return found;
}

int allot__pq_check(struct allot__pq *pq, allot_report *report)
{
    char *why = NULL;
    PQconninfoOption *options = PQ(PQconninfoParse)(pq->target, &why);
    if (!options) {
        set_error(pq, why ? why : "out of memory");
        PQ(PQfreemem)(why);
        allot_report_say(report, ALLOT_ERROR, "E-store", "--store: %s", pq->error);
        return ALLOT_EIO;
    }
    bool secret = has_secret(options);
    PQ(PQconninfoFree)(options);
    if (!secret)
        return ALLOT_OK;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "a password in --store is seen by all: give passfile= or PGPASSFILE");
    return ALLOT_EIO;
}
