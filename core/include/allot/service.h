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
 * Time: `now` of a cycle is what the clock says, in whole seconds, and does not go back: while the
 * clock is behind, the time stands still, and the service is not well. After a minute of that the
 * time is what was wrong: it is the clock's again, and what was noted meanwhile, and so deadlines,
 * go back with it. What an event says of when something
 * happened does not move it, and may be a minute ahead of it at most (E-time).
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
    /* A Unix socket: its path; a stale one is replaced. NULL: none. Who connects must be the
     * service's own user, root, or of `uids`; of `socket_gid` (-1: the service's own group), where
     * that is given or `socket_mode` lets the group write; or anybody, where it lets others write
     * and no uids are given. The mode, 0: 0666 with uids, as their list decides; 0660 with a group;
     * else 0600. */
    const char *socket;
    const uint32_t *uids;
    int32_t uid_count, socket_mode;
    int64_t socket_gid;
    /* TCP: "host:port", "[::1]:port" or "port" (of 127.0.0.1). Who connects must first call `auth`
     * with the token, which must be given, of 16 ... 1024 bytes. NULL: none. Who has not yet may
     * take a quarter of the connections. `token_file`: where the token is read again, its first
     * line, once that file has changed; NULL: nowhere. */
    const char *tcp;
    const char *token, *token_file;
    const char *http;    /* the live view's address, as `tcp`; NULL: none */
    int64_t interval;    /* ms between cycles at most, 0: only after events; default 1000 */
    int64_t cycle_limit; /* ms that the functions of policies may take of a cycle together, default
                            1000; 0: as long as they take */
    int64_t debounce;    /* ms that a cycle waits after an event for more, default 10 */
    /* How much stays in the store for replay, and to be asked for: events, default 1000000; their
     * age in seconds, 0 (the default): any; bytes, default 2 GiB, 0: any. What one of them lets go
     * goes, with its cycles and snapshots; what is behind the newest snapshot stays, and the keys
     * of events of the last hour. */
    int64_t keep, keep_age, keep_size;
    int64_t snapshot; /* a snapshot every so many events, default 200000 */
    int32_t clients;  /* at most so many connections, default 1000; fewer where RLIMIT_NOFILE does
                         not allow so many files, of which a warning tells */
    int32_t watch;    /* nonzero: plan and policies are reloaded when their files change; default */
    allot_script_limits limits; /* of policies */
    /* Whom to tell that it is ready, reloads, stops and is alive, as systemd's NOTIFY_SOCKET says:
     * "/path", or "@name". NULL: nobody. `watchdog`: microseconds after which the manager takes a
     * silent service for dead, 0: never; it is told at half of that. */
    const char *notify;
    int64_t watchdog;
    /* Told of every line of the log, without its end; borrowed. NULL: standard error. `log_json`:
     * lines are JSON objects; `log_level`: no more than this. */
    void (*log)(void *ud, allot_log_level level, const char *line);
    void *log_ud;
    int32_t log_json, log_level;
    /* Unix seconds; for tests and simulations. NULL: the system's clock. */
    int64_t (*clock)(void *ud);
    void *clock_ud;
    /* Microseconds that only go forward, what `cycle_limit` goes by; as `clock`. */
    int64_t (*timer)(void *ud);
} allot_service_config;
ALLOT_API void allot_service_config_init(allot_service_config *config);

typedef struct allot_service allot_service;

/*
 * Opens the store, makes it if there is none, brings the books to where it ends, and reads the
 * plan. Plan and policies that may not take over from what decided last, as one that is reloaded
 * may, are replaced by that, which log and `status` tell. Nothing listens yet. The engine and the
 * loop must outlive the service. EUSAGE (a field is malformed), EINVALID, EPOLICY, EBUDGET, EIO
 * (report: also of a store that is damaged, in use by another service, or of a later version),
 * ENOMEM.
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

/* ---- Replay -----------------------------------------------------------------------------------
 */

/* What is to be computed again. allot_replay_config_init first. Strings are borrowed. */
typedef struct allot_replay_config {
    size_t size;        /* set by allot_replay_config_init */
    const char *store;  /* must be given; a service may be writing into it */
    const char *plan;   /* what policies are relative to; NULL: the store's name without ".db" */
    const char *policy; /* decides beside the plan's own, in its place; NULL: none */
    int64_t from, to;   /* numbers of decisions, the first and the last; 0: as far as there are */
    allot_script_limits limits;
} allot_replay_config;
ALLOT_API void allot_replay_config_init(allot_replay_config *config);

/* A cycle that was computed again. All is borrowed, until the function that is told it returns. */
typedef struct allot_replayed {
    int64_t cycle, seq, at; /* its number; the last decision's with it; when */
    /* NULL: it came out as it was recorded, byte by byte; else the first that did not: "plan" (the
     * store has none of that sha256), "policy" (the store has none, and it is another now), "event"
     * (one is refused, see the report), "input" (of the cycle), "decision", "quotas" (of those to
     * whom nothing was ordered). */
    const char *differs;
    const char *recorded, *computed; /* decisions' documents; NULL: nothing was decided */
    size_t recorded_len, computed_len;
    const allot_decision *decision; /* as it comes out now; NULL: "plan", "event" */
    const allot_decision *other;    /* what the other policy decides about the same; NULL: none */
} allot_replayed;

/* Who is told. What `cycle` returns, unless 0, ends it, and is returned: above 0, or a status.
 * `over` (NULL: nobody) is told when the plan of the cycles before is about to go, since another
 * came, or all is told. */
typedef struct allot_replay_visitor {
    void *ud;
    int (*cycle)(void *ud, const allot_replayed *cycle);
    void (*over)(void *ud);
} allot_replay_visitor;

/*
 * Computes again what a store has recorded, from the newest snapshot before what is wanted, and
 * tells each cycle that is wanted; ends behind the first that differs from its record, since from
 * there on the books are others. Another policy decides about the states that were met, and its
 * decisions are not carried out. EUSAGE, EIO, EINVALID, EPOLICY, ESCRIPT, EBUDGET (report), ENOENT
 * (report: the store has no such cycles), ENOMEM. Blocks, and needs no loop.
 */
ALLOT_API int allot_service_replay(allot_engine *engine, const allot_replay_config *config,
                                   const allot_replay_visitor *visitor, allot_report *report);

/* ---- Limits -----------------------------------------------------------------------------------
 */

/* What this machine can do at all, with nothing of a service around it. */
typedef struct allot_service_limits {
    double commit; /* s, a transaction of 100 rows of 100 bytes, as a store writes: the median */
    double echo;   /* s, a message of 100 bytes there and back over a Unix socket, 64 in flight */
} allot_service_limits;

/* Measures, for about a second, in a folder, which is left as it was. EIO (report), ENOMEM. */
ALLOT_API int allot_service_measure(allot_engine *engine, const char *folder, allot_report *report,
                                    allot_service_limits *out);

#ifdef __cplusplus
}
#endif

#endif
