/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * store_own.h: what the store is made of; of store*.c alone.
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

#include "service/store.h"

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
typedef struct allot__record {
    int32_t kind, texts;
    int64_t numbers[6];
    size_t len[5]; /* of a text; SIZE_MAX: it is NULL */
    size_t size;   /* of all */
} allot__record;

/* Decisions asked for, read on a thread between batches. */
struct allot__store_ask {
    allot__store *store;
    int64_t from, to;
    int32_t most;
    void (*done)(void *ud, int64_t seq, const char *text, size_t len); /* NULL: forgotten */
    void *ud;
    char *rows; /* from malloc: {int64_t seq, size_t len, text, NUL} each, as a thread adds them */
    size_t rows_len;
    int status;
    struct allot__store_ask *next;
};

struct allot__store {
    allot_engine *engine;
    sqlite3 *db;
    sqlite3_stmt *statements[ALLOT__RECORDS];
    bool memory;
    int lock; /* the descriptor that holds the lock, or -1 */
    /* Of the loop. */
    uv_loop_t *loop;
    uv_work_t work;
    uv_timer_t *retry; /* its own block, as it is closed after the store */
    bool working, waits, attached;
    void (*committed)(void *ud, int64_t batch);
    void (*troubled)(void *ud, const char *text);
    void *ud;
    allot__buf gathered, written;
    int64_t batch;             /* the gathered one's number */
    allot__store_lines *lines; /* of the snapshot that is being written; NULL: none is */
    void *lines_ud;
    allot__buf part; /* the next one; empty: to be asked for */
    bool part_last;
    allot__record snapshot_head;
    char snapshot_plan[65];
    int64_t rows_gathered, rows_written;
    int64_t pause; /* ms until the next try */
    bool in_trouble;
    char error[256];
    int64_t compact_event, compact_since; /* what is being let go; 0: nothing */
    allot__store_figures figures;
    allot__store_ask *asks, *asking;
    bool asked;     /* what was done last was an ask */
    int64_t oldest; /* decision */
    /* Of the thread that works. */
    char work_error[256];
    int work_status;
    int64_t work_us, work_oldest;
    bool work_more; /* something is left to be let go */
};

/* Adds a text by its name, a sha256, and a number. As allot__store_put_plan. */
int64_t allot__store_put_text(allot__store *store, allot__record_kind kind, int64_t number,
                              const char *name, const char *text, size_t len);
/* Writes the records of `written` in a transaction. Any thread; work_status, work_error. */
void allot__store_write(allot__store *store);
/* Reads an ask's rows. Any thread. */
void allot__store_fetch(allot__store_ask *ask);
/* Makes all statements. */
int allot__store_prepare(allot__store *store);
/* The oldest decision in the file, or 0. */
int64_t allot__store_first(allot__store *store);
/* Adds to a report what SQLite says; EIO. */
int allot__store_say(allot__store *store, const char *path, const char *what, allot_report *report);

#endif
