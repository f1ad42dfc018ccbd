/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service.h: the books of a live cluster, kept on the caller's loop.
 *
 * A service takes events (what is demanded, started, finished, ...), decides in cycles, and tells
 * its subscribers what was decided, each decision with a number. An event is acknowledged once it
 * is on disk, and a decision is told once it is: whatever happens to the process, nothing that was
 * acknowledged is lost, and no decision is made twice.
 *
 * Link with liballot_service (allot::service, pkg-config allot-service); the rest of the library
 * needs neither a loop nor a database. This header needs no uv.h: `struct uv_loop_s` is uv_loop_t.
 *
 * Threads: a service belongs to the thread of its loop; so does the engine that it was made from,
 * which has all of its memory but for what SQLite and libuv take from malloc. Work on disk is done
 * in libuv's own threads. No function here blocks the loop but allot_service_new, which reads plan
 * and store, and allot_service_serve, which runs one.
 *
 * Time: `now` of a cycle is what the clock says, in whole seconds, and never goes back: a clock
 * that was set back stands still until it has caught up.
 */
#ifndef ALLOT_SERVICE_H
#define ALLOT_SERVICE_H

#include <allot/json.h>
#include <allot/script.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uv_loop_s;

typedef enum allot_log_level {
    ALLOT_LOG_ERROR = 0,
    ALLOT_LOG_WARNING,
    ALLOT_LOG_INFO,
    ALLOT_LOG_DEBUG
} allot_log_level;

/* How a service is made. allot_service_config_init first: what is not set then is its default.
 * Strings are copied. */
typedef struct allot_service_config {
    size_t size;      /* set by allot_service_config_init */
    const char *plan; /* the plan's file; must be given */
    /* Where events are kept. NULL: the plan's file with ".db" behind; ":memory:": nowhere, and an
     * acknowledged event is lost with the process. */
    const char *store;
    /* A Unix socket: its path. It is made with mode 0600 (a stale one is replaced), and who
     * connects must be of `uids` (none given: the service's own user, and root). NULL: none. */
    const char *socket;
    const uint32_t *uids;
    int32_t uid_count;
    /* TCP: "host:port", "[::1]:port" or "port" (of 127.0.0.1). Who connects must first call `auth`
     * with the token, which must be given, of 16 ... 1024 bytes. NULL: none. */
    const char *tcp;
    const char *token;
    const char *http; /* the live view's address, as `tcp`; NULL: none */
    int64_t interval; /* ms between cycles at most, 0: only after events; default 1000 */
    int64_t debounce; /* ms that a cycle waits after an event for more, default 10 */
    int64_t keep;     /* events behind the newest snapshot that stay for replay, default 1000000 */
    int64_t snapshot; /* a snapshot every so many events, default 200000 */
    int32_t clients;  /* at most so many connections, default 1000 */
    int32_t watch;    /* nonzero: plan and policies are reloaded when their files change; default */
    allot_script_limits limits; /* of policies */
    /* Told of every line of the log, without its end; borrowed. NULL: standard error. `log_json`:
     * lines are JSON objects; `log_level`: no more than this. */
    void (*log)(void *ud, allot_log_level level, const char *line);
    void *log_ud;
    int32_t log_json, log_level;
    /* Unix seconds; for tests and simulations. NULL: the system's clock. */
    int64_t (*clock)(void *ud);
    void *clock_ud;
} allot_service_config;
ALLOT_API void allot_service_config_init(allot_service_config *config);

typedef struct allot_service allot_service;

/*
 * Reads the plan, opens the store, makes it if there is none, and brings the books to where it
 * ends. Nothing listens yet. The engine and the loop must outlive the service. EUSAGE (a field is
 * malformed), EINVALID, EPOLICY, EBUDGET, EIO (report: also of a store that is damaged, in use by
 * another service, or of a later version), ENOMEM.
 */
ALLOT_API int allot_service_new(allot_engine *engine, struct uv_loop_s *loop,
                                const allot_service_config *config, allot_report *report,
                                allot_service **out);
/* Listens and decides from now on. EIO (report); then only allot_service_stop is left to call. */
ALLOT_API int allot_service_start(allot_service *service, allot_report *report);
/* Takes nothing new, writes down and answers what was taken, closes all; then calls `done` (NULL:
 * nobody), from where allot_service_free may be called. */
ALLOT_API void allot_service_stop(allot_service *service, void (*done)(void *ud), void *ud);
/* Only before allot_service_start, or once allot_service_stop is done. NULL is fine. */
ALLOT_API void allot_service_free(allot_service *service);

/*
 * A call as a client would make it: a JSON-RPC 2.0 text, one request or a batch. `answer` is told
 * the answer, a line without its end, borrowed; at once, or when it is on disk; not at all of
 * notifications, or when the service is stopped before. It must not free the service. EUSAGE: the
 * service is not running; ENOMEM: no effect.
 */
ALLOT_API int allot_service_call(allot_service *service, const char *text, size_t len,
                                 void (*answer)(void *ud, const char *line, size_t len), void *ud);
/* Told of each decision once it is on disk: its number and its document, borrowed. One at a time;
 * NULL: nobody. */
ALLOT_API void allot_service_watch(allot_service *service,
                                   void (*decided)(void *ud, int64_t number, const char *text,
                                                   size_t len),
                                   void *ud);
/* The newest decision's number, and the newest event's; those that are not yet on disk count. */
ALLOT_API int64_t allot_service_decisions(const allot_service *service);
ALLOT_API int64_t allot_service_events(const allot_service *service);

/* Makes a loop of its own and a service on it, and runs until SIGTERM or SIGINT; SIGHUP reloads.
 * `ready` (NULL: nobody) is called once it listens. As allot_service_new. */
ALLOT_API int allot_service_serve(allot_engine *engine, const allot_service_config *config,
                                  allot_report *report, void (*ready)(void *ud), void *ud);

#ifdef __cplusplus
}
#endif

#endif
