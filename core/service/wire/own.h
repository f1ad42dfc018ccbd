/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: what connections are made of; of wire.c, turns.c, connection.c and listen.c alone.
 *
 * This file owns: struct allot__wire, struct allot__connection.
 */
#ifndef ALLOT_SERVICE_WIRE_OWN_H
#define ALLOT_SERVICE_WIRE_OWN_H

#include "service/instance/service.h"
#include "service/wire/feed.h"
#include "service/wire/rpc.h"
#include "service/wire/token.h"
#include "service/wire/wire.h"

#define ALLOT__READ_SIZE 65536
/* Bytes of lines that have not ended, of all peers. */
#define ALLOT__LINES_MOST (128 * 1024 * 1024)
/* What a peer may say, and how long it may take, before it is trusted. */
#define ALLOT__STRANGER_LINE 4096
#define ALLOT__STRANGER_TIME 10000
#define ALLOT__DEAF_TIME     2000

typedef struct allot__deferred {
    int64_t batch;
    size_t end; /* in `waiting` */
} allot__deferred;

/* What a peer waits for: a turn of the loop, one to ask in, the books. */
typedef enum allot__waits {
    ALLOT__FOR_TURN,
    ALLOT__TO_ASK,
    ALLOT__FOR_BOOKS,
    ALLOT__WAITS
} allot__waits;

typedef struct allot__waitlist {
    struct allot__connection *first, *last;
    int32_t count;
} allot__waitlist;

struct allot__connection {
    struct allot__connection *next, *before;
    allot_service *service;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    uv_write_t request;
    uint64_t number, since;     /* ms of the loop */
    allot__text line;           /* what was read and not yet run */
    size_t looked;              /* of `line`: there is no line's end */
    const allot__method *longs; /* `line` begins with a request of it, which may be long */
    allot__text waiting;        /* answers until their batch is on disk */
    allot__deferred *held;
    size_t held_count, held_room;
    allot__text out, sending;
    uv_shutdown_t shutdown;
    bool local;         /* of the Unix socket */
    uint8_t network[8]; /* of TCP: where it is from; of IPv4 the first half */
    bool trusted, reading, writing, closing;
    bool running; /* a line of it is */
    int32_t owed; /* answers that come later, by their size (rpc.h) */
    bool ending;  /* nothing it says is run any more; it goes once it was told what it is to hear */
    bool deaf;    /* ... and until it has gone by itself, or for two seconds, what it says is read
                     and dropped: closing at once would lose what it was told */
    bool shut, ended; /* ended: it is to end once what it just said was run */
    /* Its turn (turns.c): the last one it had, what it had run in that, and where it waits. */
    uint64_t turn, asked, began; /* asked: ns that questions took; began: the line that runs */
    int32_t lines;
    bool asks;                     /* the line that runs is a question */
    struct allot__waitlist *queue; /* NULL: it does not wait */
    struct allot__connection *queue_next, *queue_before;
};

struct allot__wire {
    uv_pipe_t pipe;
    uv_tcp_t tcp;
    uv_timer_t timer; /* strangers, and the end */
    bool pipe_open, tcp_open, timer_open, stopping;
    uint64_t stop_at;
    char *path; /* of the socket, once it is ours */
    dev_t path_dev;
    ino_t path_ino;
    allot__connection *peers;
    int32_t count;
    uint64_t last_number;
    size_t line_bytes;           /* of all peers */
    uv_prepare_t prepare;        /* each turn of the loop */
    uv_idle_t idle;              /* while somebody waits for a turn */
    uint64_t turn, spent, asked; /* its number; ns that lines, and questions, have taken in it */
    allot__waitlist queues[ALLOT__WAITS];
    allot__token token;
    allot__text answer;
    char read[ALLOT__READ_SIZE]; /* filled and emptied in one turn */
};

/* Of a turn: ns of all lines, of questions, and of one peer's; and lines of a peer. */
enum {
    ALLOT__TURN_TIME = 8000000,
    ALLOT__TURN_ASKS = 4000000,
    ALLOT__TURN_OWN = 1000000,
    ALLOT__TURN_LINES = 64
};
/* Turns (turns.c): may more of the peer's lines be run in this one? If not, it waits, and is run
 * again in one of the next. A line that is run stands between begin and end. */
bool allot__turn_has(allot__connection *peer);
void allot__turn_begin(allot__connection *peer);
void allot__turn_end(allot__connection *peer);
void allot__turn_wait(allot__connection *peer, allot__waits what);
void allot__turn_leave(allot__connection *peer);

/* Listens (listen.c). EIO (report). */
int allot__listen_pipe(allot_service *service, allot_report *report);
int allot__listen_tcp(allot_service *service, allot_report *report);
void allot__listen_close(allot_service *service);

/* Somebody has connected (visit.c): where from is noted; and where places are taken, the one of
 * those that have not said the token goes that came first, so that there is one for who will. They
 * may have a quarter of all, and half of that from one address. */
void allot__connection_arrive(allot__connection *peer, bool local);
/* Whether the process at the other end is of a user who may. */
bool allot__connection_is_listed(const allot__connection *peer, long *uid);
#define ALLOT__ADDRESS_MOST 64
void allot__connection_address(const allot__connection *peer, char *out, size_t size);

/* A peer whose handle is to be accepted; NULL: ENOMEM. Closed by allot__connection_close. */
allot__connection *allot__connection_new(allot_service *service);
void allot__connection_start(allot__connection *peer, bool trusted);
void allot__connection_close(allot__connection *peer);
/* It has heard the last; see `deaf`. */
void allot__connection_end(allot__connection *peer);
/* Runs what was read, as far as there is room; reads or stops reading. */
void allot__connection_run(allot__connection *peer);
/* Sends what may be sent. */
void allot__connection_flush(allot__connection *peer);
/* Lets answers of batches up to that number go. */
void allot__connection_free_held(allot__connection *peer, int64_t batch);

#endif
