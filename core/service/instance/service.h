/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service.h: one running service: what it has, and what folders below its life may call of it.
 *
 * This file owns: struct allot_service.
 */
#ifndef ALLOT_SERVICE_INSTANCE_SERVICE_H
#define ALLOT_SERVICE_INSTANCE_SERVICE_H

#include <uv.h>

#include <allot/service.h>

#include "service/base/files.h"
#include "service/books/books.h"
#include "service/events/keys.h"
#include "service/instance/clock.h"
#include "service/instance/hold.h"
#include "service/instance/log.h"
#include "service/instance/loop.h"
#include "service/instance/component.h"
#include "service/store/store.h"
#include "service/generation/plan_texts.h"
#include "service/generation/sample.h"
#include "service/generation/generation.h"

/* How often things happened. */
typedef struct allot__tally {
    int64_t events, refused, repeated;   /* entered; wrong; with a key that was there already */
    int64_t cycles, decisions, failures; /* of cycles */
    int64_t cycle_us, cycle_us_most;     /* in all, and the longest */
    int64_t full_us;                     /* the last one that computed all anew */
    int64_t connections, turned_away;
} allot__tally;

/* What stands above: handed in when a service is made. */
typedef struct allot__upcalls {
    const allot__component *components;
    const struct allot__method *methods; /* but the events'; ends with a row without name */
    /* Enters an event: checks, applies, adds to the store. *seq its number (of one whose key is
     * known the old one), *batch when it is on disk. As allot__books_apply. */
    int (*enter)(allot_service *service, allot__event *event, const char *params, size_t len,
                 int64_t *seq, int64_t *batch, allot__error *fault);
    /* Lets another generation decide from now on: the books are rebased to it by `ids`, from the
     * old plan's to the new one's. It belongs to the service afterwards, and the old one, in *old,
     * to the caller: nothing of the service is of it any more, so it can be freed in another
     * thread. Between two cycles: never from a component's `cycle`. ENOENT, EINVALID (report),
     * ENOMEM: the old one goes on, and `generation` stays the caller's. */
    int (*swap)(allot_service *service, allot__generation *generation, const allot_plan_map *ids,
                allot_report *report, allot__generation **old);
    /* Nobody holds the books any more (hold.h): who waited for them goes on. */
    void (*released)(allot_service *service);
    /* As allot__cycle_settle and allot__cycle_touch. */
    void (*settle)(allot_service *service);
    void (*touch)(allot_service *service);
    /* Runs a cycle now; `full` gets the decision's document. As allot__cycle_run. */
    int (*decide)(allot_service *service, allot_report *report, allot__text *full);
    /* A handle has closed while the service stops. */
    void (*closed)(allot_service *service);
} allot__upcalls;

struct allot_service {
    allot_engine *engine;
    uv_loop_t *loop;
    allot_service_config config; /* its strings are the service's */
    const allot__upcalls *up;
    allot__files files;
    allot__tally tally;

    /* What is truth. */
    allot__generation *generation; /* the one that decides */
    allot__books *books;
    allot__event_reader *reader;
    allot__store *store;
    allot__event_keys *keys;   /* idempotency keys */
    int64_t event, cycle, seq; /* the last ones */
    int64_t now;               /* the time; allot__service_now moves it */
    allot__clock clock;

    /* What it began with. */
    allot__store_pair kept;    /* the generation by its names in the store; "": not there yet */
    allot__plan_texts *before; /* what decided before; NULL: nothing, or not known */
    struct allot__candidate *refused; /* the files at the start, until who reloads has it */
    allot__sample_states
        loaded; /* the last cycles that the store knows, until who rehearses has them */

    /* Cycles. */
    struct allot__clockwork *clockwork;
    struct {
        bool known; /* the last cycle that was recorded was one of this generation */
        bool owed;  /* cycles came since that were not: what jobs used meanwhile is to be counted */
        int64_t event;
        uint64_t output;
    } recorded;
    bool settles; /* a cycle is recorded whatever it comes to */
    struct {
        int64_t calls, dropped, busy_us, longest_us; /* of the last one, on the loop */
    } syncs;
    allot__holds holds; /* work that has the books to itself */

    /* Snapshots. */
    int64_t snapshot_event, snapshot_cycle, snapshot_at; /* the last one's event, cycle and time */
    bool fresh;       /* one is to be written behind the next cycle, whatever happened */
    uint64_t keep_at; /* ms of the loop: then rows are let go, if any may */

    /* Who calls, and who is told. */
    struct allot__wire *wire;
    struct allot__feed *feed;
    struct allot__waiter *waiters; /* embedder's calls whose answers wait for the disk */
    void (*decided)(void *ud, int64_t number, const char *text, size_t len);
    void *decided_ud;
    struct {
        struct allot__reload *reload;
        struct allot__shadow *shadow;
        struct allot__view *view;
        struct allot__http *http;
        struct allot__notify *notify;
    } components; /* what each keeps */

    /* Its life. */
    bool running, stopping, failed;
    uint64_t started;  /* uv_hrtime */
    uv_timer_t ticker; /* each second, and while it stops */
    bool ticking;
    int32_t handles;   /* that are open, and work that is being done: see allot__handle_open */
    uint64_t stop_at;  /* ms of the loop: then what is not on disk is given up */
    const char *fault; /* why it failed; static */
    void (*failed_hook)(void *ud); /* stops it */
    void *failed_ud;
    void (*stopped)(void *ud);
    void *stopped_ud;
};

#endif
