/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.c: the versions of plan and policies that took over, and their texts. */
#include <stdio.h>
#include <string.h>

#include <allot/script.h>

#include "service/store/own.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    return text != NULL && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

/* A text must match its sha256; else it is damaged. */
static int take_text(sqlite3_stmt *statement, const char *sha256, allot__text *out)
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
static int read_text(allot__store *store, const char *sql, const char *sha256, allot_report *report,
                     allot__text *out)
{
    sqlite3_stmt *statement = allot__store_query(store, sql, "t", sha256);
    char how[120];
    if (!statement)
        return ALLOT_ENOENT;
    int step = sqlite3_step(statement);
    int status = step == SQLITE_DONE ? ALLOT_ENOENT : ALLOT_EIO;
    if (step == SQLITE_ROW)
        status = take_text(statement, sha256, out);
    sqlite3_finalize(statement);
    snprintf(how, sizeof how, "the text of the sha256 %.64s is another, or cannot be read", sha256);
    return status == ALLOT_EIO ? allot__store_damaged(store, how, report) : status;
}

int allot__store_plan(allot__store *store, const char *sha256, allot_report *report,
                      allot__text *out)
{
    return read_text(store, "SELECT text FROM plans WHERE sha256 = ?", sha256, report, out);
}

int allot__store_policy(allot__store *store, const char *sha256, allot_report *report,
                        allot__text *out)
{
    return read_text(store, "SELECT text FROM policies WHERE sha256 = ?", sha256, report, out);
}

/* A store of version 1 does not know the policies. */
static int read_pair(const allot__store *store, sqlite3_stmt *from, allot_report *report,
                     allot__store_pair *out)
{
    allot__cells cells = allot__cells_of(from);
    allot__cell_number(&cells, 0, 1, ALLOT__STORE_LAST);
    allot__cell_number(&cells, 1, 1, ALLOT__STORE_LAST);
    const char *plan = allot__cell_text(&cells, 2, NULL, false);
    const char *policies = allot__cell_text(&cells, 3, NULL, false);
    int status = allot__cells_end(&cells, store, "versions", sqlite3_column_int64(from, 0), report);
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

/* ---- Writing --------------------------------------------------------------------------------- */

int64_t allot__store_put_plan(allot__store *store, const char *sha256, const char *text, size_t len)
{
    return allot__store_put_text(store, ALLOT__RECORD_PLAN, 0, sha256, text, len);
}

int64_t allot__store_put_policy(allot__store *store, const char *sha256, const char *text,
                                size_t len)
{
    return allot__store_put_text(store, ALLOT__RECORD_POLICY, 0, sha256, text, len);
}

int64_t allot__store_put_version(allot__store *store, int64_t cycle, const char *plan,
                                 const char *policies)
{
    return allot__store_put_text(store, ALLOT__RECORD_VERSION, cycle, plan, policies,
                                 strlen(policies));
}
