/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* measure.c: measures disk and loop alone: the lower bound of every figure of a service. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <allot/service.h>

#include "base/text.h"

#include "base/memory.h"

enum { COMMITS = 301, ROWS = 100, BYTES = 100, FLIGHT = 64, MESSAGES = 200000 };

static double seconds(void)
{
    return (double)uv_hrtime() * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- The disk -------------------------------------------------------------------------------- */

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int commit_once(sqlite3 *db, sqlite3_stmt *insert)
{
    char text[BYTES];
    memset(text, 'x', sizeof text);
    int error = run(db, "BEGIN IMMEDIATE");
    for (int i = 0; i < ROWS && error == SQLITE_OK; i++) {
        sqlite3_bind_text(insert, 1, text, BYTES, SQLITE_STATIC);
        error = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        sqlite3_reset(insert);
    }
    return error == SQLITE_OK ? run(db, "COMMIT") : error;
}

static int time_commits(sqlite3 *db, double *out)
{
    double samples[COMMITS];
    sqlite3_stmt *insert = NULL;
    int error = run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                        "CREATE TABLE rows (seq INTEGER PRIMARY KEY, text TEXT)");
    if (error == SQLITE_OK)
        error = sqlite3_prepare_v2(db, "INSERT INTO rows (text) VALUES (?)", -1, &insert, NULL);
    for (int i = 0; i < COMMITS && error == SQLITE_OK; i++) {
        double from = seconds();
        error = commit_once(db, insert);
        samples[i] = seconds() - from;
    }
    sqlite3_finalize(insert);
    if (error != SQLITE_OK)
        return error;
    qsort(samples, COMMITS, sizeof *samples, by_size);
    *out = samples[COMMITS / 2];
    return SQLITE_OK;
}

static void remove_store(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char name[600];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static int measure_commit(const char *folder, allot_report *report, double *out)
{
    char path[512];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%.400s/measure-%ld.db", folder, (long)getpid());
    int error = sqlite3_open(path, &db);
    if (error == SQLITE_OK)
        error = time_commits(db, out);
    if (error != SQLITE_OK)
        allot_report_say(report, ALLOT_ERROR, "E-io", "%.300s cannot be written: %s", path,
                         sqlite3_errstr(error));
    sqlite3_close(db);
    remove_store(path);
    return error == SQLITE_OK ? ALLOT_OK : ALLOT_EIO;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* Both ends are on one loop, so the work for a message is done once at each end. */
typedef struct echo {
    uv_loop_t loop;
    uv_pipe_t ends[2];
    char text[FLIGHT * BYTES], piece[FLIGHT * BYTES];
    size_t back;
    int rounds;
} echo;

static void room(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
    echo *it = handle->data;
    (void)size;
    *buf = uv_buf_init(it->piece, sizeof it->piece);
}

static void send_all(echo *it, int end, const char *text, size_t len)
{
    const uv_buf_t buf = uv_buf_init((char *)text, (unsigned)len);
    uv_try_write((uv_stream_t *)&it->ends[end], &buf, 1);
}

/* The far end echoes; the near end sends the next round once everything is back. */
static void got(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf)
{
    echo *it = stream->data;
    if (len <= 0) {
        if (len < 0)
            uv_stop(&it->loop);
        return;
    }
    if (stream == (uv_stream_t *)&it->ends[1]) {
        send_all(it, 1, buf->base, (size_t)len);
        return;
    }
    it->back += (size_t)len;
    if (it->back < sizeof it->text)
        return;
    it->back = 0;
    if (--it->rounds == 0)
        uv_stop(&it->loop);
    else
        send_all(it, 0, it->text, sizeof it->text);
}

static double time_echo(echo *it)
{
    it->rounds = MESSAGES / FLIGHT;
    memset(it->text, 'x', sizeof it->text);
    for (int i = 0; i < 2; i++)
        uv_read_start((uv_stream_t *)&it->ends[i], room, got);
    double from = seconds();
    send_all(it, 0, it->text, sizeof it->text);
    uv_run(&it->loop, UV_RUN_DEFAULT);
    return (seconds() - from) / (MESSAGES / FLIGHT * FLIGHT);
}

static int measure_echo(allot_engine *engine, allot_report *report, double *out)
{
    int fds[2];
    echo *it = allot__new(engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 || uv_loop_init(&it->loop) != 0) {
        allot_report_say(report, ALLOT_ERROR, "E-io", "no loop and no sockets can be made");
        allot__free(engine, it, 1, sizeof *it);
        return ALLOT_EIO;
    }
    for (int i = 0; i < 2; i++) {
        uv_pipe_init(&it->loop, &it->ends[i], 0);
        uv_pipe_open(&it->ends[i], fds[i]);
        it->ends[i].data = it;
    }
    *out = time_echo(it);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&it->ends[i], NULL);
    uv_run(&it->loop, UV_RUN_DEFAULT);
    uv_loop_close(&it->loop);
    allot__free(engine, it, 1, sizeof *it);
    return ALLOT_OK;
}

int allot_service_measure(allot_engine *engine, const char *folder, allot_report *report,
                          allot_service_limits *out)
{
    allot_service_limits limits;
    int status = measure_commit(folder, report, &limits.commit);
    if (status == ALLOT_OK)
        status = measure_echo(engine, report, &limits.echo);
    if (status == ALLOT_OK)
        *out = limits;
    return status;
}
