/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: what the store is made of; of the files of this folder, and of replay/, alone.
 *
 * The loop's thread gathers rows as records in `gathered`; a batch that is being written is in
 * `written`, which only the writing thread touches until it is done. SQLite's handle belongs to the
 * thread that works, of which there is one at a time.
 *
 * This file owns: struct allot__store.
 */
#ifndef ALLOT_SERVICE_STORE_OWN_H
#define ALLOT_SERVICE_STORE_OWN_H

#include <sqlite3.h>
#include <uv.h>

#include "service/store/store.h"

/* What a record is, and whether SQLite has a statement for it. */
typedef enum allot__record_kind {
    ALLOT__RECORD_EVENT,
    ALLOT__RECORD_CYCLE,
    ALLOT__RECORD_SNAPSHOT,
    ALLOT__RECORD_PLAN,
    ALLOT__RECORD_POLICY,
    ALLOT__RECORD_VERSION,
    ALLOT__RECORD_FORGET, /* the parts of a snapshot that was given up */
    ALLOT__RECORD_COMPACT,
    ALLOT__RECORDS
} allot__record_kind;

/* A record: this head, then its texts, each with a NUL, padded to 8. */
typedef struct allot__store_record {
    int32_t kind, texts;
    int64_t numbers[6];
    size_t len[5]; /* of a text; SIZE_MAX: it is NULL */
    size_t size;   /* of all */
} allot__store_record;

/* Decisions asked for, read on a thread between batches. */
typedef struct allot__store_ask {
    allot__store *store;
    int64_t from, to;
    int32_t most;
    void (*done)(void *ud, int64_t seq, const char *text, size_t len);
    void *ud;
    char *rows; /* from malloc: {int64_t seq, size_t len, text, NUL} each, as a thread adds them */
    size_t rows_len;
    int64_t damaged; /* left out */
    int status;
    struct allot__store_ask *next;
} allot__store_ask;

struct allot__store {
    allot_engine *engine;
    char *path;
    sqlite3 *db;
    sqlite3_stmt *statements[ALLOT__RECORDS];
    bool memory, writes;
    struct allot__store_hold *hold; /* NULL: of a file in memory */
    allot__store_name name;
    /* Of the loop. */
    uv_loop_t *loop;
    uv_work_t work;
    uv_timer_t *retry; /* its own block, as it is closed after the store */
    bool working, waits, attached;
    void (*committed)(void *ud, int64_t batch);
    void (*troubled)(void *ud, const char *text);
    void *ud;
    allot__text gathered, written;
    int64_t batch;             /* the gathered one's number */
    allot__store_lines *lines; /* of the snapshot that is being written; NULL: none is */
    void *lines_ud;
    allot__text part; /* the next one; empty: to be asked for */
    bool part_last;
    allot__store_record snapshot_head;
    char snapshot_plan[65];
    int64_t rows_gathered, rows_written;
    int64_t pause; /* ms until the next try */
    bool in_trouble;
    char error[256];
    allot__store_bounds bounds;     /* of what is being let go */
    int64_t behind, snapshot_bytes; /* see allot__store_behind */
    allot__store_figures figures;
    allot__store_ask *asks, *asking;
    bool asked;     /* what was done last was an ask */
    int64_t oldest; /* decision */
    /* Of the thread that works. */
    char work_error[256];
    int work_status;
    int64_t work_us, work_oldest, work_size, work_unused;
    bool work_more;   /* something is left to be let go */
    int64_t work_seq; /* events up to that one have been looked at */
};

/* Adds a text by its name, a sha256, and a number. As allot__store_put_plan. */
int64_t allot__store_put_text(allot__store *store, allot__record_kind kind, int64_t number,
                              const char *name, const char *text, size_t len);
/* ---- Who has the file (lock.c) --------------------------------------------------------------- */

/* Holds the file of that path, to write (nobody else may then) or to read, until it is dropped,
 * behind SQLite's own end. EEXIST: somebody writes; EIO: it is no file, or cannot be locked. */
struct allot__store_hold;
int allot__store_lock(const char *path, bool writes, struct allot__store_hold **out);
void allot__store_unlock(struct allot__store_hold *hold, bool writes);

/* ---- SQL (row.c) ----------------------------------------------------------------------------- */

/* Runs SQL. EIO. */
int allot__store_run(allot__store *store, const char *sql);
/* A statement whose parameters have these values: an int64_t for each 'n' of `types`, for each 't'
 * a text, which outlives the statement. NULL: SQLite does not understand it. */
sqlite3_stmt *allot__store_query(const allot__store *store, const char *sql, const char *types,
                                 ...);
/* The first column of a statement's first row, which must be a whole number; `otherwise` where
 * there is none, or something else. The second ends the statement; NULL is fine. */
int64_t allot__store_number(const allot__store *store, const char *sql, int64_t otherwise);
int64_t allot__store_take(sqlite3_stmt *statement, int64_t otherwise);
/* Adds to a report what SQLite says; EIO. */
int allot__store_say(const allot__store *store, const char *what, allot_report *report);
/* That it is damaged, and how; EIO. */
int allot__store_damaged(const allot__store *store, const char *how, allot_report *report);

/* ---- Rows that somebody may have damaged (row.c) --------------------------------------------- */

/* A row's columns; `wrong` is the first that cannot be. */
typedef struct allot__cells {
    sqlite3_stmt *from;
    int wrong;
} allot__cells;
allot__cells allot__cells_of(sqlite3_stmt *statement);
int64_t allot__cell_number(allot__cells *cells, int column, int64_t least, int64_t most);
/* NULL where it is NULL (`optional`) or wrong. */
const char *allot__cell_text(allot__cells *cells, int column, size_t *len, bool optional);
/* A decision's document: an object in a line. */
const char *allot__cell_document(allot__cells *cells, int column, size_t *len, bool optional);
/* OK; EIO (report): the row of that number in a table has something that cannot be. */
int allot__cells_end(const allot__cells *cells, const allot__store *store, const char *table,
                     int64_t number, allot_report *report);

/* ---- The file (schema.c) --------------------------------------------------------------------- */

/* Checks that it is a store, and makes or migrates it. EIO (report). */
int allot__store_check(allot__store *store, allot_report *report);
int allot__store_migrate(allot__store *store, allot_report *report);
/* Reads what store it is; where it writes, begins another epoch. EIO (report). */
int allot__store_begin(allot__store *store, allot_report *report);

/* ---- Letting go (keep.c) --------------------------------------------------------------------- */

/* A step of it, in a transaction; work_more says whether there is another. A status of SQLite. */
int allot__store_keep(allot__store *store, const allot__store_bounds *bounds);
/* How large the file is: work_size, work_unused. */
void allot__store_measure(allot__store *store);

/* Writes the records of `written` in a transaction. Any thread; work_status, work_error. */
void allot__store_write(allot__store *store);
/* Reads an ask's rows. Any thread. */
void allot__store_fetch(allot__store_ask *ask);
/* Makes all statements. */
int allot__store_prepare(allot__store *store);
/* The oldest decision in the file, or 0. */
int64_t allot__store_first(allot__store *store);

#endif
