/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service.h: the service, and how its parts hang together.
 *
 * What is truth (books, store, cycle, calls) stands here. What may be there beside it (reload, live
 * view, ...) is a *part*: a row in parts.c, told what happens.
 *
 * This file owns: struct allot_service.
 */
#ifndef ALLOT_SERVICE_INSTANCE_SERVICE_H
#define ALLOT_SERVICE_INSTANCE_SERVICE_H

#include <uv.h>

#include <allot/service.h>

#include "service/books/books.h"
#include "service/instance/clock.h"
#include "service/cycle.h"
#include "service/wire/feed.h"
#include "service/base/files.h"
#include "service/books/keys.h"
#include "service/instance/log.h"
#include "service/base/map.h"
#include "service/version/recall.h"
#include "service/version/records.h"
#include "service/wire/rpc.h"
#include "service/store/store.h"
#include "service/wire/token.h"
#include "service/version/version.h"
#include "service/wire/wire.h"

/* A part; every function may be NULL. */
typedef struct allot__part {
    const char *name;
    /* Behind allot_service_start's own; EIO, ... (report) fail it. */
    int (*start)(allot_service *service, allot_report *report);
    /* Ends what it began: closes its handles (allot__handle_close). No more calls come after. */
    void (*stop)(allot_service *service);
    /* Frees its slot, once all handles are closed. */
    void (*free)(allot_service *service);
    /* An event was entered: its number and what it is. */
    void (*event)(allot_service *service, const allot__event *event, int64_t seq);
    /* A cycle is over; its decision and state live until this returns. */
    void (*cycle)(allot_service *service, const allot__cycle_done *done);
    /* A decision is on disk, and told to subscribers. */
    void (*told)(allot_service *service, int64_t seq, const char *text, size_t len);
    /* Another version of the plan decides from now on. */
    void (*swapped)(allot_service *service);
    /* Adds members to `status`'s result, and lines to /metrics. */
    void (*status)(allot_service *service, allot__buf *out);
    void (*metrics)(allot_service *service, allot__buf *out);
} allot__part;
/* The last row has no name. */
extern const allot__part allot__parts[];

/* How often things happened. */
typedef struct allot__tally {
    int64_t events, refused, repeated;   /* entered; wrong; with a key that was there already */
    int64_t cycles, decisions, failures; /* of cycles */
    int64_t cycle_us, cycle_us_most;     /* in all, and the longest */
    int64_t connections, turned_away;
} allot__tally;

struct allot_service {
    allot_engine *engine;
    uv_loop_t *loop;
    allot_service_config config; /* its strings are the service's */
    allot__files files;
    allot__version *version;        /* the one that decides */
    allot__store_pair kept;         /* by its names in the store; "": not there yet */
    allot__recall *before;          /* what decided before; NULL: nothing, or not known */
    struct allot__attempt *refused; /* the files at the start, until who reloads has it */
    allot__books *books;
    allot__reader *reader;
    allot__store *store;
    allot__feed *feed;
    struct allot__wire *wire;
    struct allot__clockwork *clockwork; /* of cycles */
    allot__keys *keys;                  /* idempotency keys */
    allot__token token;
    int64_t now; /* the time; allot__service_now moves it */
    allot__clock clock;
    int64_t event, cycle, seq; /* the last ones */
    int64_t snapshot_event;    /* the last event in a snapshot */
    allot__tally tally;
    uint64_t started;  /* uv_hrtime */
    uv_timer_t ticker; /* each second, and while it stops */
    bool ticking;
    uint64_t stop_at;              /* ms of the loop: then what is not on disk is given up */
    const char *fault;             /* why it failed; static */
    void (*failed_hook)(void *ud); /* stops it; NULL: it stops by itself */
    void *failed_ud;
    int32_t viewers; /* parts that want the monitor\'s columns (lent, ...) of each cycle */
    bool fresh;      /* a snapshot is to be written behind the next cycle, whatever happened */
    allot__records loaded; /* the last cycles that the store knows, until who rehearses has them */
    struct allot__waiter *waiters; /* embedder's calls whose answers wait for the disk */
    bool running, stopping, failed;
    int64_t snapshot_cycle, snapshot_at; /* its last cycle; its time */
    /* The last cycle that was recorded, if it was one of this version. */
    struct {
        bool known;
        bool owed; /* cycles came since that were not: what jobs used meanwhile is to be counted */
        int64_t event;
        uint64_t output;
    } recorded;
    bool settles;     /* a cycle is recorded whatever it comes to */
    uint64_t keep_at; /* ms of the loop: then rows are let go, if any may */
    int32_t handles;  /* that are open, and work that is being done: see allot__handle_open */
    void (*stopped)(void *ud);
    void *stopped_ud;
    void (*decided)(void *ud, int64_t number, const char *text, size_t len);
    void *decided_ud;
    struct {
        struct allot__reload *reload;
        struct allot__shadow *shadow;
        struct allot__view *view;
        struct allot__http *http;
        struct allot__notify *notify;
    } parts; /* what each keeps, from its start to its end; NULL: nothing */
};

/* The time, in whole seconds, which never goes back, unless it was wrong (clock.h). */
int64_t allot__service_now(allot_service *service);
/* Microseconds that only go forward; `ud` is the service. */
int64_t allot__service_timer(void *service);
/* Enters an event: checks, applies, adds to the store. *seq its number (of one whose key is known
 * the old one), *batch when it is on disk. As allot__books_apply. */
int allot__service_enter(allot_service *service, allot__event *event, const char *params,
                         size_t len, int64_t *seq, int64_t *batch, allot__fault *fault);
/* Lets another version decide from now on: the books are turned to it by `numbers`, from the old
 * plan's to the new one's. It belongs to the service
 * afterwards, and the old one, in *old, to the caller: nothing of the service is of it any more, so
 * it can be freed in another thread. Between two cycles: never from a part's `cycle`. ENOENT,
 * EINVALID (report), ENOMEM: the old one goes on, and `version` stays the caller's. */
int allot__service_swap(allot_service *service, allot__version *version,
                        const allot__numbers *numbers, allot_report *report, allot__version **old);

/* Opens the store, finds the version to begin with, and brings the books under it to where the
 * store ends: that of the files, if it may take over from the one that decided last as one that is
 * reloaded may; else that one, and `refused` says why. As allot__service_load, and of files that
 * may not while nothing decided before. */
int allot__service_begin(allot_service *service, allot_report *report);
/* Puts the version in the store as the one that decides from now on. ENOMEM. */
int allot__service_keep(allot_service *service);
/* Brings the books to where the store ends. EIO, EINVALID (report), ENOMEM. */
int allot__service_load(allot_service *service, allot_report *report);
/* Tells the embedder's calls what is on disk. */
void allot__waiters_committed(allot_service *service, int64_t batch);
void allot__waiters_free(allot_service *service);
/* Writes a snapshot when enough has happened since the last one, or `now`. */
void allot__service_snapshot(allot_service *service, bool now);
/* Lets rows go that need not be kept: once in a while, and behind each snapshot. */
void allot__service_let_go(allot_service *service);
/* Something is amiss that only a new beginning from what is on disk mends: logs it, and stops. */
void allot__service_fail(allot_service *service, const char *text);
void allot__cycle_free(allot_service *service);
void allot__wire_free(allot_service *service);

/* Counts a handle, or work on a thread, that must be over before the service is; and its end. Every
 * uv_close of a service's handle ends in allot__handle_closed. */
void allot__handle_open(allot_service *service);
void allot__handle_closed(allot_service *service);

#endif
