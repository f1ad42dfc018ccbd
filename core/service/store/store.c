/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store.c: opens, checks and closes the file. */
#include "service/store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/store/own.h"
#include "base/memory.h"

static int check_sound(allot__store *store, allot_report *report)
{
    sqlite3_stmt *statement = allot__store_query(store, "PRAGMA quick_check(1)", "");
    if (!statement)
        return allot__store_say(store, "cannot be read", report);
    int step = sqlite3_step(statement);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    int status = text != NULL && strcmp(text, "ok") == 0 ? ALLOT_OK : ALLOT_EIO;
    if (status != ALLOT_OK)
        allot__store_damaged(store, text ? text : sqlite3_errmsg(store->db), report);
    sqlite3_finalize(statement);
    return status;
}

/* A new store is private to its user, like the socket; SQLite gives the files beside it the same
 * mode. An existing file keeps its mode. */
static void make_private(const allot__store *store)
{
    int file = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static int take_hold(allot__store *store, allot_report *report)
{
    if (store->memory)
        return ALLOT_OK;
    if (store->writes)
        make_private(store);
    int status = allot__store_lock(store->path, store->writes, &store->hold);
    if (status == ALLOT_EIO)
        allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s cannot be %s",
                         store->path, store->writes ? "locked" : "opened");
    if (status != ALLOT_EEXIST)
        return status;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "the store %.200s is in use by another service", store->path);
    return ALLOT_EIO;
}

static int open_file(allot__store *store, allot_report *report)
{
    int flags = store->writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int status = take_hold(store, report);
    if (status != ALLOT_OK)
        return status;
    if (sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return allot__store_say(store, "cannot be opened", report);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, 2000);
    return allot__store_check(store, report);
}

/* Makes a new file with auto_vacuum, so that it can shrink. */
static int set_up(allot__store *store, allot_report *report)
{
    bool good = allot__store_run(store, "PRAGMA auto_vacuum=INCREMENTAL") == ALLOT_OK;
    if (good && !store->memory)
        good = allot__store_run(store, "PRAGMA journal_mode=WAL") == ALLOT_OK &&
               allot__store_run(store, "PRAGMA synchronous=FULL") == ALLOT_OK &&
               allot__store_run(store, "PRAGMA wal_autocheckpoint=1000") == ALLOT_OK &&
               allot__store_run(store, "PRAGMA journal_size_limit=67108864") == ALLOT_OK;
    return good ? ALLOT_OK : allot__store_say(store, "cannot be opened", report);
}

static int begin(allot_engine *engine, const char *path, bool writes, allot__store **out)
{
    allot__store *store = allot__new(engine, 1, sizeof *store);
    if (!store)
        return ALLOT_ENOMEM;
    store->engine = store->gathered.engine = store->written.engine = engine;
    store->part.engine = engine;
    store->memory = strcmp(path, ":memory:") == 0;
    store->writes = writes;
    store->batch = 1;
    store->path = allot__copy(engine, path, strlen(path));
    if (!store->path) {
        allot__store_close(store);
        return ALLOT_ENOMEM;
    }
    *out = store;
    return ALLOT_OK;
}

int allot__store_open(allot_engine *engine, const char *path, allot_report *report,
                      allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, true, &store);
    if (status != ALLOT_OK)
        return status;
    status = open_file(store, report);
    if (status == ALLOT_OK)
        status = set_up(store, report);
    if (status == ALLOT_OK)
        status = check_sound(store, report);
    if (status == ALLOT_OK)
        status = allot__store_migrate(store, report);
    if (status == ALLOT_OK)
        status = allot__store_begin(store, report);
    if (status == ALLOT_OK && allot__store_prepare(store) != ALLOT_OK)
        status = allot__store_say(store, "has other tables than it should", report);
    if (status != ALLOT_OK) {
        allot__store_close(store);
        return status;
    }
    store->oldest = allot__store_first(store);
    *out = store;
    return ALLOT_OK;
}

int allot__store_open_read(allot_engine *engine, const char *path, allot_report *report,
                           allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, false, &store);
    if (status != ALLOT_OK)
        return status;
    status = open_file(store, report);
    if (status == ALLOT_OK)
        status = allot__store_begin(store, report);
    if (status == ALLOT_OK)
        *out = store;
    else
        allot__store_close(store);
    return status;
}

void allot__store_close(allot__store *store)
{
    if (!store)
        return;
    for (int i = 0; i < ALLOT__RECORDS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    allot__store_unlock(store->hold, store->writes);
    allot__free_string(store->engine, store->path);
    allot__text_free(&store->gathered);
    allot__text_free(&store->written);
    allot__text_free(&store->part);
    while (store->asks) {
        allot__store_ask *ask = store->asks;
        store->asks = ask->next;
        allot__free(store->engine, ask, 1, sizeof *ask);
    }
    allot__free(store->engine, store, 1, sizeof *store);
}
