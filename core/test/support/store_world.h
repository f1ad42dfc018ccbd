/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store_world.h: a service's store that is looked into, and written in, with SQL. */
#ifndef ALLOT_TEST_SUPPORT_STORE_WORLD_H
#define ALLOT_TEST_SUPPORT_STORE_WORLD_H

#include <sqlite3.h>

#include "test/support/service_fixture.h"

static inline int run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    int status = sqlite3_open(path, &db);
    if (status == SQLITE_OK)
        status = sqlite3_exec(db, sql, NULL, NULL, &why);
    sqlite3_free(why);
    sqlite3_close(db);
    return status;
}

/* As open_world, with its store in memory where there is such a folder: it is not asked whether
 * what is written is on disk. close_store ends it. */
static inline void open_store(world *it)
{
    open_world(it);
    if (access("/dev/shm", W_OK) == 0)
        snprintf(it->store, sizeof it->store, "/dev/shm/allot-test-%ld.db", (long)getpid());
}

static inline void close_store(world *it)
{
    char command[200];
    snprintf(command, sizeof command, "rm -f %s*", it->store);
    CHECK_EQ(system(command), 0);
    close_world(it);
}

/* The first number that a statement gives; -1: none. */
static inline int64_t ask_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

/* Whether the report's first finding has that code, and words. */
static inline bool says(const world *it, const char *code, const char *words)
{
    if (allot_report_count(it->report) == 0)
        return false;
    const allot_diagnostic *finding = allot_report_at(it->report, 0);
    bool good = strcmp(finding->code, code) == 0 && strstr(finding->message, words);
    if (!good)
        printf("# %s: %s\n", finding->code, finding->message);
    return good;
}

/* What could not be started leaves nothing to stop. */
static inline void refuses(world *it, const char *store, const char *words)
{
    allot_report_clear(it->report);
    CHECK_EQ(start(it, store), ALLOT_EIO);
    CHECK(says(it, "E-store", words));
}

#endif
