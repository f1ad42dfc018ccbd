/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service.h: the state of a live cluster and its decisions, on the caller's loop.
 *
 * A service takes events (demands, starts, ends, ...), decides in cycles, and sends its subscribers
 * each decision with a number. It acknowledges an event, and sends a decision, once that is on
 * disk: whatever happens to the process, no acknowledged event is lost, and no decision is made
 * twice.
 *
 * Link with liballot_service (allot::service, pkg-config allot-service); the rest of the library
 * needs neither a loop nor a database. This header needs no uv.h: `struct uv_loop_s` is uv_loop_t.
 *
 * Threads: a service belongs to the thread of its loop, and so does its engine. The service's
 * memory comes from the engine, except what SQLite and libuv take from malloc. Libuv's own threads
 * do the work on disk. Two functions here block: allot_service_new, which reads plan and store, and
 * allot_service_serve, which runs a loop.
 *
 * Time: `now` of a cycle is the clock's time in whole seconds, and does not go back: while the
 * clock is behind the last `now`, `now` stands still, and the service is not well. After a minute
 * the service takes the clock's time as right: `now`, times noted meanwhile, and so deadlines, go
 * back. The time stated in an event does not move `now`, and may be a minute ahead of it at most
 * (E-time).
 */
#ifndef ALLOT_SERVICE_H
#define ALLOT_SERVICE_H

#include <allot/json.h>
#include <allot/script.h>

ALLOT_C_BEGIN

struct uv_loop_s;

typedef enum allot_log_level {
    ALLOT_LOG_ERROR = 0,
    ALLOT_LOG_WARNING,
    ALLOT_LOG_INFO,
    ALLOT_LOG_DEBUG
} allot_log_level;

/* The configuration of a service. Call allot_service_config_init first, which sets all defaults.
 * Strings are copied. */
typedef struct allot_service_config {
    size_t size;      /* set by allot_service_config_init */
    const char *plan; /* the plan's file; must be given */
    /* The store, the file of events. NULL: the plan's file with ".db" behind; ":memory:": no file,
     * so acknowledged events are lost with the process; "postgresql://...": a database of a
     * PostgreSQL server, which several services may share: one leads, the others stand by and take
     * over. `address`: where clients find this service, for those that ask one that stands by;
     * NULL: `tcp`, else `socket`. `lease`: ms after which a leader that writes nothing is replaced,
     * at least 100, default 3000. */
    const char *store, *address;
    int64_t lease;
    /* Nonzero: a store in use by another process is waited for, and so is its end; default 0. */
    int32_t wait;
    /* The path of a Unix socket; a stale socket is replaced. NULL: none. Allowed clients: the
     * service's own user, root and `uids`; members of `socket_gid` (-1: the service's own group),
     * if the gid is given or `socket_mode` lets the group write; and everybody, if `socket_mode`
     * lets others write and no uids are given. socket_mode 0 means 0666 with uids (their list
     * decides), 0660 with a group, else 0600. */
    const char *socket;
    const uint32_t *uids;
    int32_t uid_count, socket_mode;
    int64_t socket_gid;
    /* TCP: "host:port", "[::1]:port" or "port" (of 127.0.0.1); NULL: none. Requires a token of 16
     * ... 1024 bytes, with which a client must first call `auth`, or a list of tokens, one a line:
     * "read TOKEN" may ask and subscribe, "tell TOKEN" may also tell events, "change TOKEN" or the
     * token alone may do everything. Clients without a token take a quarter of the connections at
     * most. `token_file`: a file whose list replaces the tokens when the file changes; NULL: none.
     */
    const char *tcp;
    const char *token, *token_file;
    const char *http;    /* the live view's address, as `tcp`; NULL: none */
    int64_t interval;    /* ms between cycles at most, 0: only after events; default 1000 */
    int64_t cycle_limit; /* ms that the functions of policies may take together in a cycle, default
                            1000; 0: no limit */
    int64_t debounce;    /* ms that a cycle waits for more events after one, default 10; up to 4
                            less, so that one commit has the events and their decision */
    /* What stays in the store for replay and for calls: the number of events, default 1000000;
     * their age in seconds, 0 (the default): any; bytes, default 2 GiB, 0: any. Events beyond any
     * of the three are removed with their cycles and snapshots. Everything after the newest
     * snapshot stays, and so do the keys of events of the last hour. */
    int64_t keep, keep_age, keep_size;
    int64_t snapshot; /* the number of events between snapshots, default 200000 */
    int32_t clients;  /* the most connections, default 1000; fewer, with a warning, if RLIMIT_NOFILE
                         allows fewer files */
    /* A change of plan or policies whose first decision takes more slots from consumers and jobs
     * than this, beyond those that the version it replaces takes, waits for the call `confirm`;
     * default -1: none waits. */
    int64_t most_change;
    int32_t watch; /* nonzero (default): plan and policies are reloaded when their files change */
    allot_script_limits limits; /* of policies */
    /* The socket of a service manager, as systemd's NOTIFY_SOCKET: "/path", or "@name". The service
     * notifies it when it is ready, reloads and stops, and that it is alive. NULL: none.
     * `watchdog`: the microseconds after which the manager takes a silent service for dead, 0:
     * never; the service notifies after half of them. */
    const char *notify;
    int64_t watchdog;
    /* Gets every line of the log, without its end; borrowed. NULL: standard error. `log_json`:
     * lines are JSON objects; `log_level`: the least important level that is logged. */
    void (*log)(void *ud, allot_log_level level, const char *line);
    void *log_ud;
    int32_t log_json, log_level;
    /* Unix seconds; for tests and simulations. NULL: the system's clock. */
    int64_t (*clock)(void *ud);
    void *clock_ud;
    /* Microseconds that only go forward, for `cycle_limit`; as `clock`. */
    int64_t (*timer)(void *ud);
} allot_service_config;
ALLOT_API void allot_service_config_init(allot_service_config *config);

typedef struct allot_service allot_service;

/*
 * Opens the store or makes one, reads the plan, and brings the cluster's state to the end of the
 * store. Plan and policies must pass the checks of a reload against the generation that decided
 * last; if they fail, the service continues with that generation, and log and `status` say so. The
 * service does not listen yet. The engine and the loop must outlive the service. EUSAGE (a field is
 * malformed), EINVALID, EPOLICY, EBUDGET, EIO (report: also if the store is damaged, in use by
 * another service, or of a later version), ENOMEM.
 */
ALLOT_API int allot_service_new(allot_engine *engine, struct uv_loop_s *loop,
                                const allot_service_config *config, allot_report *report,
                                allot_service **out);
/* Starts to listen and decide. EIO (report): only allot_service_stop may be called then. */
ALLOT_API int allot_service_start(allot_service *service, allot_report *report);
/* Stops: takes no more events, writes and answers those taken, and closes everything; then calls
 * `done` (may be NULL), which may call allot_service_free. */
ALLOT_API void allot_service_stop(allot_service *service, void (*done)(void *ud), void *ud);
/* Only before allot_service_start, or once allot_service_stop is done. Takes NULL. */
ALLOT_API void allot_service_free(allot_service *service);

/*
 * Makes a call as a client does: a JSON-RPC 2.0 text, one request or a batch. `answer` gets the
 * answer, a line without its end, borrowed: at once, or when the event is on disk. It is not called
 * for notifications, or if the service stops before. `answer` must not free the service. EUSAGE:
 * the service is not running; ENOMEM: no effect.
 */
ALLOT_API int allot_service_call(allot_service *service, const char *text, size_t len,
                                 void (*answer)(void *ud, const char *line, size_t len), void *ud);
/* Sets the function that gets each decision once it is on disk: its number and its document,
 * borrowed. A service has one such function; NULL: none. */
ALLOT_API void allot_service_watch(allot_service *service,
                                   void (*decided)(void *ud, int64_t number, const char *text,
                                                   size_t len),
                                   void *ud);
/* Whether the service leads, rather than stands by for another one with the same store. */
ALLOT_API int allot_service_leads(const allot_service *service);
/* The newest decision's number, and the newest event's, also if they are not on disk yet. */
ALLOT_API int64_t allot_service_decisions(const allot_service *service);
ALLOT_API int64_t allot_service_events(const allot_service *service);

/* Makes a loop and a service on it, and runs until SIGTERM or SIGINT; SIGHUP reloads. Calls `ready`
 * (may be NULL) once the service listens. Fails as allot_service_new. A service that lost the lead
 * of a shared store is freed, and made anew to stand by. */
ALLOT_API int allot_service_serve(allot_engine *engine, const allot_service_config *config,
                                  allot_report *report, void (*ready)(void *ud), void *ud);

/* ---- Replay ---------------------------------------------------------------------------------- */

/* The part of a store to compute again. Call allot_replay_config_init first. Strings are borrowed.
 */
typedef struct allot_replay_config {
    size_t size;        /* set by allot_replay_config_init */
    const char *store;  /* must be given; a service may be writing into it */
    const char *plan;   /* paths of policies start at its folder; NULL: the store without ".db" */
    const char *policy; /* another policy, which replaces the plan's own in `other`; NULL: none */
    int64_t from, to;   /* numbers of decisions, the first and the last; 0: of the store */
    allot_script_limits limits;
} allot_replay_config;
ALLOT_API void allot_replay_config_init(allot_replay_config *config);

/* A cycle computed again. Everything is borrowed during the call. */
typedef struct allot_replayed {
    int64_t cycle, seq, at; /* the cycle's number; its decision's, or the last one's; its time */
    /* NULL: the result equals the record, byte by byte. Else the first difference: "plan" (the
     * store has no plan of that sha256), "policy" (the store does not have the policy, and its file
     * is another now), "event" (an event is refused, see the report), "input" (of the cycle),
     * "decision", "quotas" (of consumers without an order). */
    const char *differs;
    const char *recorded, *computed; /* decisions' documents; NULL: nothing was decided */
    size_t recorded_len, computed_len;
    const allot_decision *decision; /* the decision now; NULL: "plan", "event" */
    const allot_decision *other;    /* the other policy's decision about the same; NULL: none */
} allot_replayed;

/* The caller's functions. `cycle` gets each cycle; if it returns another value than 0 (above 0, or
 * a status), the replay ends and returns that value. `over` (may be NULL) is called before the plan
 * of the cycles so far is freed: when another plan follows, and at the end. */
typedef struct allot_replay_visitor {
    void *ud;
    int (*cycle)(void *ud, const allot_replayed *cycle);
    void (*over)(void *ud);
} allot_replay_visitor;

/*
 * Computes again what a store has recorded, from the newest snapshot before the first cycle wanted,
 * and passes each cycle wanted to `visitor`. Ends after the first cycle that differs from its
 * record, since the state of the cluster is another from there on. The other policy decides about
 * the same states; its decisions are not carried out. EUSAGE, EIO, EINVALID, EPOLICY, ESCRIPT,
 * EBUDGET (report), ENOENT (report: the store has no such cycles), ENOMEM. Blocks, and needs no
 * loop.
 */
ALLOT_API int allot_service_replay(allot_engine *engine, const allot_replay_config *config,
                                   const allot_replay_visitor *visitor, allot_report *report);

/* ---- The log --------------------------------------------------------------------------------- */

/* A page of what a store says happened, as the call `log` answers it: its params, an object, and
 * its result. A service may be writing into the store. EUSAGE, EINVALID, EIO (report), ENOMEM.
 * Blocks, and needs no loop. */
ALLOT_API int allot_service_log(allot_engine *engine, const char *store, const char *params,
                                size_t len, allot_sink sink, void *ud, allot_report *report);

/* ---- Limits ---------------------------------------------------------------------------------- */

/* What this machine can do without a service. */
typedef struct allot_service_limits {
    double commit; /* s of a transaction of 100 rows of 100 bytes, as a store writes: the median */
    double echo;   /* s of a message of 100 bytes there and back over a Unix socket, 64 in flight */
} allot_service_limits;

/* Measures for about a second in a folder, and leaves the folder as it was. EIO (report), ENOMEM.
 */
ALLOT_API int allot_service_measure(allot_engine *engine, const char *folder, allot_report *report,
                                    allot_service_limits *out);

/* Seconds of a commit of so many events of 100 bytes in a PostgreSQL database: as a shared store
 * writes them, and as one plain INSERT does; medians of 101, in turn, in a schema of their own that
 * is removed. EIO (report: also if the name is no such store's), ENOMEM. */
typedef struct allot_service_commits {
    double store, bare;
} allot_service_commits;
ALLOT_API int allot_service_measure_store(allot_engine *engine, const char *store, int32_t rows,
                                          allot_report *report, allot_service_commits *out);

ALLOT_C_END

#endif
