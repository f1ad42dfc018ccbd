/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service.h: one running service, and the calls into files above that lower folders may make.
 *
 * This file owns: struct allot_service.
 */
#ifndef ALLOT_SERVICE_INSTANCE_SERVICE_H
#define ALLOT_SERVICE_INSTANCE_SERVICE_H

#include <uv.h>

#include <allot/service.h>

#include "service/books/books.h"
#include "service/events/keys.h"
#include "service/instance/clock.h"
#include "service/instance/hold.h"
#include "service/instance/log.h"
#include "service/instance/loop.h"
#include "service/instance/component.h"
#include "service/instance/who.h"
#include "service/store/store.h"
#include "service/generation/candidate.h"
#include "service/generation/generation.h"

/* Shares of the limit on open files: connections to the socket and TCP, and to the live view. */
typedef struct allot__files {
    int32_t clients, viewers;
} allot__files;

/* Counts, and times of cycles. */
typedef struct allot__tally {
    int64_t events, refused, repeated;   /* entered; refused; repeated: the key was known */
    int64_t cycles, decisions, failures; /* of cycles */
    int64_t cycle_us, cycle_us_most;     /* total, and the longest */
    int64_t full_us;                     /* the last full pass */
    int64_t connections, turned_away;
} allot__tally;

/* Functions of the files above, handed in when a service is made. */
/* Waits until the plan has grown, or cannot; in a list. */
typedef struct allot__growing {
    void (*grown)(struct allot__growing *it); /* also when the service stops */
    struct allot__growing *next;
} allot__growing;

typedef struct allot__upcalls {
    const allot__component *components;
    const struct allot__method *methods; /* except events; ends with a row without name */
    /* Enters an event: checks, applies, adds to the store. *seq: its number (of a known key the old
     * one); *batch: the batch that puts it on disk. Errors as allot__books_apply. */
    int (*enter)(allot_service *service, allot__event *event, const char *params, size_t len,
                 int64_t *seq, int64_t *batch, allot__error *fault);
    /* Lets another generation decide from now on: the books are rebased by `ids`, from the old
     * plan's numbers to the new one's. The service then owns it, and the caller owns the old one,
     * *old, which any thread may free: the service has no pointer into it any more. Between two
     * cycles: never from a component's `cycle`. ENOENT, EINVALID (report), ENOMEM: the old one goes
     * on, and `generation` stays the caller's. */
    int (*swap)(allot_service *service, allot__generation *generation, const allot_plan_map *ids,
                allot_report *report, allot__generation **old);
    /* Makes another generation with these newcomers (plan.h). OK: it is being made; `released` is
     * called then, and `it` (NULL: none). ENOENT: it cannot be made with one of them. ENOMEM. */
    int (*grow)(allot_service *service, const allot_report *newcomers, allot__growing *it);
    /* The last hold on the books ended (hold.h), or the plan has grown: waiting requests go on. */
    void (*released)(allot_service *service);
    /* As allot__cycle_settle and allot__cycle_touch. */
    void (*settle)(allot_service *service);
    void (*touch)(allot_service *service);
    /* Runs a cycle now; `full` gets the decision's document. As allot__cycle_run. */
    int (*decide)(allot_service *service, allot_report *report, allot__text *full);
    /* A handle has closed while the service stops. */
    void (*closed)(allot_service *service);
} allot__upcalls;

/* When cycles run, and what the last one wrote. */
typedef struct allot__clockwork {
    uv_timer_t timer;
    bool open;
    bool touched; /* events wait for a cycle; the timer is set */
    bool fails;   /* the last cycle failed, which was logged */
    int failures; /* failures in a row by the policies of the following generation */
    const allot__generation *generation;
    allot__text text, effect;
} allot__clockwork;

struct allot_service {
    allot_engine *engine;
    uv_loop_t *loop;
    allot_service_config config; /* its strings are the service's */
    const allot__upcalls *up;
    allot__files files;
    allot__tally tally;
    allot__notes notes;

    /* The cluster's state, and how events reach it. */
    allot__generation *generation; /* the live one */
    allot__books *books;
    allot__event_reader *reader;
    allot_json *params; /* of the running call, or the last one */
    allot__store *store;
    allot__event_keys *keys;   /* idempotency keys */
    int64_t event, cycle, seq; /* the last ones */
    int64_t now;               /* the time; allot__service_now moves it */
    allot__clock clock;

    /* From the start. */
    allot__store_pair kept;           /* the generation's names in the store; "": not stored yet */
    allot__plan_texts *before;        /* of the previous generation; NULL: none, or unknown */
    struct allot__candidate *refused; /* the files at the start; NULL: reload/ took it */
    bool unjudged; /* ... or they are to be tried as in a reload, once the service has started */
    allot__sample_states
        loaded; /* states of the last cycles in the store; empty: reload/ has taken them */

    /* Cycles. */
    allot__clockwork clockwork;
    struct {
        bool known; /* the last recorded cycle was decided by this generation */
        bool owed;  /* unrecorded cycles ran since: jobs' use is still to be counted */
        int64_t event;
        uint64_t output;
    } recorded;
    bool settles; /* the cycle is recorded whatever its result */
    struct {
        int64_t calls, dropped, busy_us, longest_us; /* of the last one, on the loop */
    } syncs;
    allot__holds holds; /* work that has the books to itself */

    /* Snapshots. */
    int64_t snapshot_event, snapshot_cycle, snapshot_at; /* the last one's event, cycle and time */
    bool fresh;       /* write one after the next cycle in any case */
    uint64_t keep_at; /* ms of the loop: when old rows are next deleted */

    /* Clients, subscribers, the embedder. */
    struct allot__wire *wire;
    struct allot__feed *feed;
    struct allot__reply *waiters; /* embedder's calls whose answers wait for the disk */
    void (*decided)(void *ud, int64_t number, const char *text, size_t len);
    void *decided_ud;
    struct {
        struct allot__reload *reload;
        struct allot__shadow *shadow;
        struct allot__view *view;
        struct allot__http *http;
        struct allot__notify *notify;
    } components; /* the components' structs */

    /* Its life. */
    bool running, stopping, failed;
    bool again;        /* it failed, and may be made anew: another service leads */
    uint64_t started;  /* uv_hrtime */
    uv_timer_t ticker; /* each second, and while it stops */
    bool ticking;
    int32_t handles;               /* open handles and running work: see allot__handle_open */
    uint64_t stop_at;              /* ms of the loop: then unwritten rows are given up */
    const char *fault;             /* why it failed; static */
    void (*failed_hook)(void *ud); /* stops it */
    void *failed_ud;
    void (*stopped)(void *ud);
    void *stopped_ud;
};

#endif
