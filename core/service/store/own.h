/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: the structs of the store; only for this folder and replay/.
 *
 * The loop's thread gathers rows as records in `gathered`; the batch being written is in `written`,
 * which only the writing thread touches until it is done. The database's handle belongs to the
 * working thread; there is one at a time.
 *
 * This file owns: struct allot__store.
 */
#ifndef ALLOT_SERVICE_STORE_OWN_H
#define ALLOT_SERVICE_STORE_OWN_H

#include <stdarg.h>

#include <sqlite3.h>
#include <uv.h>

#include "service/store/store.h"

/* The kind of a record; each has its statement (write.c). */
typedef enum allot__record_kind {
    ALLOT__RECORD_EVENT,
    ALLOT__RECORD_CYCLE,
    ALLOT__RECORD_CLIENT,
    ALLOT__RECORD_NOTE,
    ALLOT__RECORD_SNAPSHOT,
    ALLOT__RECORD_PLAN,
    ALLOT__RECORD_POLICY,
    ALLOT__RECORD_VERSION,
    ALLOT__RECORD_FORGET, /* deletes the parts of a given-up snapshot */
    ALLOT__RECORD_COMPACT,
    ALLOT__RECORDS
} allot__record_kind;

/* Statements of an SQLite file that belong to no record (sqlite.c). */
enum {
    ALLOT__STORE_BEGIN = ALLOT__RECORDS,
    ALLOT__STORE_COMMIT,
    ALLOT__STORE_PAGE_SIZE,
    ALLOT__STORE_PAGES,
    ALLOT__STORE_FREE_PAGES,
    ALLOT__STORE_OLDEST, /* decision */
    ALLOT__STORE_STATEMENTS
};

/* The statements of records (write.c), with the types of their values; in memory a record is its
 * kind and then the values: 'n' an int64_t; 's' a string, 't' a text, 'b' bytes: their length, -1
 * for NULL, and then themselves. */
typedef struct allot__store_sql {
    const char *types, *sql;
} allot__store_sql;
extern const allot__store_sql allot__store_statements[ALLOT__RECORDS];

/* ---- Databases ------------------------------------------------------------------------------- */

/* A value in a row. */
typedef struct allot__cell {
    enum {
        ALLOT__CELL_WHOLE,
        ALLOT__CELL_FRACTION,
        ALLOT__CELL_TEXT,
        ALLOT__CELL_BYTES,
        ALLOT__CELL_NOTHING
    } kind;
    int64_t number;
    const char *text; /* of a text or bytes, with a NUL behind; until the next row */
    size_t len;
} allot__cell;

/* The rows of a statement, in order; `it` NULL: the database refuses the SQL. */
typedef struct allot__rows {
    const allot__store *store;
    void *it;
} allot__rows;

/* What one database does its own way; the SQL of reading and of records is the same for all, with
 * parameters $1, $2, ... in their order. `query` and `step` as allot__store_query and
 * allot__rows_step. */
typedef struct allot__store_kind {
    int (*open)(allot__store *store, allot_report *report); /* EIO (report), ENOMEM */
    void (*close)(allot__store *store);
    const char *(*error)(const allot__store *store);
    void *(*query)(const allot__store *store, const char *sql, const char *types, va_list values);
    int (*step)(void *rows);
    allot__cell (*cell)(void *rows, int column);
    const char *(*name)(void *rows, int column);
    void (*end)(void *rows);
    void (*snap)(const allot__store *store, bool on); /* queries until the end see one instant */
    /* The rest is done on a thread. `write`: as allot__store_write; it may set work_lost. `copy`
     * (may be NULL): brings SQLite's log into the database. `measure` sets work_size and
     * work_unused. `give_back` frees space after rows were deleted. `look` (NULL: the store has one
     * service): takes the lead if nobody has it, and reads the next rows. */
    void (*write)(allot__store *store);
    void (*copy)(allot__store *store);
    void (*measure)(allot__store *store);
    int (*give_back)(allot__store *store);
    void (*look)(allot__store *store);
} allot__store_kind;
extern const allot__store_kind allot__store_sqlite, allot__store_postgres;
/* As allot_service_measure_store (postgres.c). */
struct allot_service_commits;
int allot__postgres_measure(allot_engine *engine, const char *name, int32_t rows,
                            allot_report *report, struct allot_service_commits *out);

/* Rows being visited: they come in order of their numbers, without gaps. */
typedef struct allot__store_reading {
    allot__rows events, cycles;
    int64_t last_event, last_cycle, last_seq; /* visited */
    allot__store *store;
    allot_report *report;
} allot__store_reading;

/* The lead of a store that several services share; of the thread that works. */
typedef struct allot__store_lead {
    bool taken;
    int64_t epoch, batch;      /* the leader's, and its last batch that is known to be committed */
    int64_t event, cycle, seq; /* the last rows in the store */
    int64_t version;           /* of plan and policies: the last one's number */
    int64_t freed;             /* the epoch that had no leader at the last look; -1: none */
    bool doubtful;             /* whether the last batch is committed is not known */
    char address[256];         /* the leader's */
} allot__store_lead;

/* Decisions asked for, read on a thread between batches. */
typedef struct allot__store_ask {
    allot__store *store;
    int64_t from, to;
    int32_t most;
    void (*done)(void *ud, int64_t seq, const char *text, size_t len);
    void *ud;
    char *rows; /* from open_memstream on a thread: {int64_t seq, size_t len, text, NUL} each */
    size_t rows_len;
    int64_t damaged; /* left out */
    bool log;        /* a page of the log is asked for */
    allot__log_ask page;
    int status;
    struct allot__store_ask *next;
} allot__store_ask;

/* A snapshot before which rows are deleted; -1: none. */
typedef struct allot__store_reach {
    int64_t event, cycle;
} allot__store_reach;

struct allot__store {
    allot_engine *engine;
    const allot__store_kind *kind;
    char *path;
    bool writes;
    int64_t schema; /* its version, as the store was found or migrated */
    struct {        /* of an SQLite file */
        sqlite3 *db;
        sqlite3_stmt *statements[ALLOT__STORE_STATEMENTS];
        bool memory;
        struct allot__store_hold *hold; /* NULL: a store in memory */
    } file;
    struct allot__pq *pq;         /* of a PostgreSQL store */
    allot__store_lead lead, seen; /* `seen` is the loop's copy, of the last look */
    allot__store_site site;
    allot__store_reading reading;
    int64_t version; /* of plan and policies, as this service has them */
    allot__store_name name;
    /* Of the loop. */
    uv_loop_t *loop;
    uv_work_t work;
    uv_timer_t *later; /* begins work; a block of its own, closed after the store */
    uv_timer_t *beat;  /* looks at the lead, or renews it; likewise; NULL: one service */
    allot__store_hooks hooks;
    bool working, waits, gathers, attached;
    bool leads, gone;       /* gone: nothing is written any more (hooks.lost) */
    bool looks, looking;    /* a look is due; the work is one */
    bool renews;            /* a batch is due, though it be empty */
    bool tried;             /* the batch in `written` was begun: it stays as it is */
    uint64_t sent, trusted; /* ns: when the last batch, and the last confirmed one, was sent */
    bool hurries;           /* the gathered batch has more than events */
    bool busy;              /* rows came while the last batch was being written */
    uint64_t began;         /* when the last batch did (uv_now) */
    bool decided;           /* the last batch had more than events */
    bool copying;           /* the work is to copy the log into the database */
    allot__text gathered, written;
    int64_t batch;             /* the gathered one's number */
    allot__store_lines *lines; /* of the snapshot being written; NULL: none */
    void *lines_ud;
    allot__text part; /* the next part; empty: to be fetched */
    bool part_last;
    allot__snapshot_row snapshot; /* its plan's name is in `snapshot_plan` */
    int64_t parts;                /* added of it */
    char snapshot_plan[65];
    int64_t rows_gathered, rows_written;
    int64_t pause; /* ms until the next try */
    bool in_trouble;
    char error[256];
    allot__store_bounds bounds;     /* of the deletion in progress */
    int64_t behind, snapshot_bytes; /* see allot__store_behind */
    allot__store_figures figures;
    allot__store_ask *asks, *asking;
    bool asked;     /* the last work was an ask */
    int64_t oldest; /* decision */
    /* Of the thread that works. */
    char work_error[256];
    int work_status;
    int64_t work_us, work_oldest, work_size, work_unused;
    int work_log;        /* pages in SQLite's log that are not in the database */
    bool work_more;      /* more rows are to be deleted */
    bool work_again;     /* of work_lost: it goes on as a follower */
    char work_lost[200]; /* why this service must not go on; "": it may */
    int64_t work_seq;    /* events up to that one were considered */
    bool deletes;        /* up to `reach`, which stays until that is done */
    allot__store_reach reach;
};

/* ---- SQL (read.c) ---------------------------------------------------------------------------- */

/* A statement with bound parameters: an int64_t for each 'n' of `types`, for each 't' a text, which
 * must outlive the rows. */
allot__rows allot__store_query(const allot__store *store, const char *sql, const char *types, ...);
/* Steps to the next row: 1; 0: there is none; EIO. A statement without rows is run by this. */
int allot__rows_step(allot__rows rows);
void allot__rows_end(allot__rows rows);
/* Runs a statement to its end. EIO. */
int allot__rows_run(allot__rows rows);
/* The first column of a statement's first row if it is a whole number, else `otherwise`. The second
 * function ends the statement. */
int64_t allot__store_number(const allot__store *store, const char *sql, int64_t otherwise);
int64_t allot__store_take(allot__rows rows, int64_t otherwise);
/* Adds the database's error to a report; EIO. */
int allot__store_say(const allot__store *store, const char *what, allot_report *report);
/* Reports that the store is damaged, and how; EIO. */
int allot__store_damaged(const allot__store *store, const char *how, allot_report *report);

/* Visits the rows of `reading`, and ends them. EIO, or the visitor's status. */
int allot__store_tell(allot__store *store, const allot__store_visitor *visitor);

/* ---- Rows, which may be damaged (read.c) ----------------------------------------------------- */

/* Reads the columns of a statement's row. `types` has for each a number, read to an int64_t: 'n' is
 * 0 ... ALLOT__STORE_LAST, 'i' from 1 on, 'a' also below 0, 'd' any; or a text, read to a const
 * char * and a size_t: 't', or one that may be NULL: 'o', and 'j', an object in a line. Returns the
 * first invalid column, which ends the reading; -1: none. */
int allot__row_read(allot__rows row, const char *types, ...);
/* The same of a row of that table, whose number is its first column; EIO (report): it is damaged.
 */
int allot__row_take(const char *table, allot__rows row, allot_report *report, const char *types,
                    ...);

/* ---- The lock on an SQLite file (lock.c) ----------------------------------------------------- */

/* Locks the file, to write (exclusively) or to read; unlock it after SQLite has closed it. EEXIST:
 * another process writes; EIO: not a file, or it cannot be locked. */
int allot__store_lock(const char *path, bool writes, struct allot__store_hold **out);
void allot__store_unlock(struct allot__store_hold *hold, bool writes);

/* ---- Threads (write.c) ----------------------------------------------------------------------- */

/* Writes the records of `written` in a transaction. Any thread; sets work_status, work_error. */
void allot__store_write(allot__store *store);
/* Reads an ask's rows: decisions, or a page of the log. Any thread. */
void allot__store_fetch(allot__store_ask *ask);
/* Deletes some old rows in the transaction; sets work_more if more are left. EIO. */
int allot__store_delete(allot__store *store, const allot__store_bounds *bounds);
/* Reads the value of that type at *at, and steps over it; a number's `text` is NULL. */
allot__cell allot__record_value(const char **at, char type);

#endif
