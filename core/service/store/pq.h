/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pq.h: one session with a PostgreSQL server; only for postgres.c and lead.c.
 *
 * libpq is loaded when the first such store is opened, so other services neither need nor load it.
 * A statement is sent, and its result awaited; a server that says nothing for ten seconds is left.
 * Statements are never cancelled: a commit that waits for a synchronous standby would then report
 * success though only one machine has it. If somebody else cancels one, the notice is all that
 * shows it, and the session counts as lost: what is known of the batch then is what `lead` says.
 *
 * This file owns: struct allot__pq, struct allot__pq_params.
 */
#ifndef ALLOT_SERVICE_STORE_PQ_H
#define ALLOT_SERVICE_STORE_PQ_H

#include <libpq-fe.h>

#include "service/store/own.h"

/* Types of parameters and columns, as pg_type has them. */
enum {
    ALLOT__PQ_BOOL = 16,
    ALLOT__PQ_BYTES = 17,
    ALLOT__PQ_INT8 = 20,
    ALLOT__PQ_TEXT = 25,
    ALLOT__PQ_INT8S = 1016,
    ALLOT__PQ_TEXTS = 1009
};

struct allot__pq {
    PGconn *conn; /* NULL: none */
    char *target; /* the store's name, a conninfo */
    bool doubted; /* a synchronous commit was cancelled: its result does not count */
    bool reads;   /* queries see one instant: they are cursors in a transaction */
    bool heard;   /* the last statement had a result, maybe an error */
    int cursors;
    char state[6]; /* SQLSTATE of the last error */
    char error[256];
    bool prepared;
};

/* Parameters of a statement, all in binary. */
typedef struct allot__pq_params {
    enum { ALLOT__PQ_PARAMS = 22 } most;
    int count;
    Oid types[ALLOT__PQ_PARAMS];
    const char *values[ALLOT__PQ_PARAMS];
    int lengths[ALLOT__PQ_PARAMS], formats[ALLOT__PQ_PARAMS];
    char numbers[ALLOT__PQ_PARAMS][8];
} allot__pq_params;

void allot__pq_number(allot__pq_params *to, int64_t number);
/* `bytes` NULL: null. They must outlive the statement. */
void allot__pq_bytes(allot__pq_params *to, Oid type, const char *bytes, size_t len);
void allot__pq_cell(allot__pq_params *to, const allot__cell *value);
/* Big-endian numbers. */
void allot__pq_put(char *at, int64_t number, int bytes);
int64_t allot__pq_get(const char *at, int bytes);

/* Loads libpq; EIO (report). */
int allot__pq_load(allot_report *report);
/* Checks a conninfo, which must have no secrets; EIO (report). */
int allot__pq_check(struct allot__pq *pq, allot_report *report);
/* Connects, unless that is done. false: `error` says why. */
bool allot__pq_connect(struct allot__pq *pq);
void allot__pq_leave(struct allot__pq *pq);
/* Runs a statement; `sql` NULL: the prepared one. NULL: `error` says why; if `heard`, the server
 * refused and the session lives, unless `conn` is NULL. allot__pq_drop frees the result. */
PGresult *allot__pq_run(struct allot__pq *pq, const char *sql, const allot__pq_params *params);
/* The same of statements without parameters and results, separated by semicolons. */
bool allot__pq_do(struct allot__pq *pq, const char *sql);
void allot__pq_drop(PGresult *result);
/* Prepares the one statement. */
bool allot__pq_prepare(struct allot__pq *pq, const char *sql, const allot__pq_params *params);
/* Values of a result. */
int allot__pq_count(const PGresult *result);
allot__cell allot__pq_value(const PGresult *result, int row, int column);
const char *allot__pq_name(const PGresult *result, int column);
/* The command that was done, such as "COMMIT". */
const char *allot__pq_done(PGresult *result);

/* ---- The lead (lead.c) ----------------------------------------------------------------------- */

/* Until this service or another leads; then `leads` of the store says which. EIO (report). */
int allot__lead_begin(allot__store *store, allot_report *report);
/* As allot__store_kind has them. */
void allot__lead_look(allot__store *store);
void allot__lead_write(allot__store *store);
/* Writes the events of `written` by a plain INSERT of that session, to measure it. */
bool allot__lead_bare(const allot__store *store, struct allot__pq *pq);
/* Lets another lead at once. */
void allot__lead_end(allot__store *store);

#endif
