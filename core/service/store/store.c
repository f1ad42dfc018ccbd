/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* store.c: opens and closes a store, in the database that its name asks for. */
#include <string.h>

#include <allot/service.h>

#include "base/memory.h"
#include "service/store/own.h"

bool allot__store_is_shared(const char *path)
{
    return strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0;
}

/* A build without libpq has no such kind. */
static int choose(allot__store *store, allot_report *report)
{
    store->kind = &allot__store_sqlite;
    if (!allot__store_is_shared(store->path))
        return ALLOT_OK;
#ifdef ALLOT_POSTGRES
    (void)report;
    store->kind = &allot__store_postgres;
    return ALLOT_OK;
#else
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "this allot was built without PostgreSQL (libpq-dev)");
    return ALLOT_EIO;
#endif
}

int allot_service_measure_store(allot_engine *engine, const char *store, int32_t rows,
                                allot_report *report, allot_service_commits *out)
{
#ifdef ALLOT_POSTGRES
    if (allot__store_is_shared(store))
        return allot__postgres_measure(engine, store, rows, report, out);
#endif
    (void)engine;
    (void)rows;
    (void)out;
    allot_report_say(report, ALLOT_ERROR, "E-store",
                     "%.200s is no database of PostgreSQL that could be measured", store);
    return ALLOT_EIO;
}

static int begin(allot_engine *engine, const char *path, bool writes, allot__store **out)
{
    allot__store *store = allot__new(engine, 1, sizeof *store);
    if (!store)
        return ALLOT_ENOMEM;
    store->engine = store->gathered.engine = store->written.engine = engine;
    store->part.engine = engine;
    store->kind = &allot__store_sqlite;
    store->writes = store->leads = writes;
    store->batch = 1;
    store->path = allot__copy(engine, path, strlen(path));
    if (!store->path) {
        allot__store_close(store);
        return ALLOT_ENOMEM;
    }
    *out = store;
    return ALLOT_OK;
}

static int open_store(allot_engine *engine, const char *path, const allot__store_site *site,
                      allot_report *report, allot__store **out)
{
    allot__store *store;
    int status = begin(engine, path, site != NULL, &store);
    if (status != ALLOT_OK)
        return status;
    if (site)
        store->site = *site;
    status = choose(store, report);
    if (status == ALLOT_OK)
        status = store->kind->open(store, report);
    if (status != ALLOT_OK) {
        allot__store_close(store);
        return status;
    }
    store->name.began = allot__store_number(
        store, "SELECT seq FROM cycles WHERE decision IS NOT NULL ORDER BY seq DESC LIMIT 1", 0);
    store->oldest = store->work_oldest;
    *out = store;
    return ALLOT_OK;
}

int allot__store_open(allot_engine *engine, const char *path, const allot__store_site *site,
                      allot_report *report, allot__store **out)
{
    return open_store(engine, path, site, report, out);
}

int allot__store_open_read(allot_engine *engine, const char *path, allot_report *report,
                           allot__store **out)
{
    return open_store(engine, path, NULL, report, out);
}

void allot__store_close(allot__store *store)
{
    if (!store)
        return;
    allot__rows_end(store->reading.events);
    allot__rows_end(store->reading.cycles);
    store->kind->close(store);
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

const allot__store_name *allot__store_identity(const allot__store *store)
{
    return &store->name;
}
