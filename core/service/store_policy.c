/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store_policy.c: which plans and policies took over, and their texts. */
#include <stdio.h>
#include <string.h>

#include "service/store_own.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* The first row's bytes; a table that an old store lacks has none. */
static int read_text(allot__store *store, const char *sql, const char *sha256, allot__buf *out)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return ALLOT_ENOENT;
    sqlite3_bind_text(statement, 1, sha256, -1, SQLITE_STATIC);
    int status = sqlite3_step(statement) == SQLITE_ROW ? ALLOT_OK : ALLOT_ENOENT;
    if (status == ALLOT_OK) {
        const void *text = sqlite3_column_blob(statement, 0);
        allot__buf_add(out, text, (size_t)sqlite3_column_bytes(statement, 0));
        allot__buf_add(out, "", 0);
        status = out->failed ? ALLOT_ENOMEM : ALLOT_OK;
    }
    sqlite3_finalize(statement);
    return status;
}

int allot__store_plan(allot__store *store, const char *sha256, allot__buf *out)
{
    return read_text(store, "SELECT text FROM plans WHERE sha256 = ?", sha256, out);
}

int allot__store_policy(allot__store *store, const char *sha256, allot__buf *out)
{
    return read_text(store, "SELECT text FROM policies WHERE sha256 = ?", sha256, out);
}

/* The row that the statement finds; it is ended. */
static int take_pair(sqlite3_stmt *statement, allot__store_pair *out)
{
    int status = ALLOT_ENOENT;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        const char *plan = (const char *)sqlite3_column_text(statement, 0);
        const char *policies = (const char *)sqlite3_column_text(statement, 1);
        snprintf(out->plan, sizeof out->plan, "%s", plan != NULL ? plan : "");
        snprintf(out->policies, sizeof out->policies, "%s", policies != NULL ? policies : "");
        status = ALLOT_OK;
    }
    sqlite3_finalize(statement);
    return status;
}

int allot__store_version(allot__store *store, int back, allot__store_pair *out)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db,
                           "SELECT plan, policies FROM versions ORDER BY number DESC"
                           " LIMIT 1 OFFSET ?",
                           -1, &statement, NULL) != SQLITE_OK)
        return ALLOT_ENOENT;
    sqlite3_bind_int(statement, 1, back);
    return take_pair(statement, out);
}

int allot__store_deciding(allot__store *store, const char *plan, int64_t cycle,
                          allot__store_pair *out)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db,
                           "SELECT plan, policies FROM versions WHERE plan = ?1 AND cycle <= ?2"
                           " ORDER BY number DESC LIMIT 1",
                           -1, &statement, NULL) != SQLITE_OK)
        return ALLOT_ENOENT;
    sqlite3_bind_text(statement, 1, plan, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, cycle);
    return take_pair(statement, out);
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
