/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* row.c: runs SQL, reports SQLite's errors, and validates rows. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int allot__store_run(allot__store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
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

allot__cells allot__cells_of(sqlite3_stmt *statement)
{
    return (allot__cells){.from = statement, .wrong = -1};
}

static void found_wrong(allot__cells *cells, int column)
{
    if (cells->wrong < 0)
        cells->wrong = column;
}

int64_t allot__cell_number(allot__cells *cells, int column, int64_t least, int64_t most)
{
    bool whole = sqlite3_column_type(cells->from, column) == SQLITE_INTEGER;
    int64_t number = whole ? sqlite3_column_int64(cells->from, column) : least;
    if (whole && number >= least && number <= most)
        return number;
    found_wrong(cells, column);
    return least;
}

const char *allot__cell_text(allot__cells *cells, int column, size_t *len, bool optional)
{
    int type = sqlite3_column_type(cells->from, column);
    const char *text =
        type == SQLITE_TEXT ? (const char *)sqlite3_column_text(cells->from, column) : NULL;
    size_t size = text ? (size_t)sqlite3_column_bytes(cells->from, column) : 0;
    if (text && memchr(text, '\0', size))
        text = NULL;
    if (!text && !(type == SQLITE_NULL && optional))
        found_wrong(cells, column);
    if (len)
        *len = text ? size : 0;
    return text;
}

const char *allot__cell_document(allot__cells *cells, int column, size_t *len, bool optional)
{
    const char *text = allot__cell_text(cells, column, len, optional);
    if (!text)
        return NULL;
    bool good = *len >= 2 && text[0] == '{' && text[*len - 1] == '}';
    for (size_t i = 0; i < *len && good; i++)
        good = (unsigned char)text[i] >= 0x20;
    if (good)
        return text;
    found_wrong(cells, column);
    *len = 0;
    return NULL;
}

int allot__cells_end(const allot__cells *cells, const allot__store *store, const char *table,
                     int64_t number, allot_report *report)
{
    static const char *const types[] = {[SQLITE_INTEGER] = "a whole number that cannot be",
                                        [SQLITE_FLOAT] = "a fraction",
                                        [SQLITE_TEXT] = "a text that cannot be",
                                        [SQLITE_BLOB] = "bytes",
                                        [SQLITE_NULL] = "nothing"};
    char how[160];
    if (cells->wrong < 0)
        return ALLOT_OK;
    snprintf(how, sizeof how, "`%s` of row %lld in `%s` is %s",
             sqlite3_column_name(cells->from, cells->wrong), (long long)number, table,
             types[sqlite3_column_type(cells->from, cells->wrong)]);
    return allot__store_damaged(store, how, report);
}
