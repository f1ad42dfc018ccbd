/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: the structs of connections; only for this folder.
 *
 * This file owns: struct allot__wire, struct allot__connection.
 */
#ifndef ALLOT_SERVICE_WIRE_OWN_H
#define ALLOT_SERVICE_WIRE_OWN_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"
#include "service/wire/wire.h"

#define ALLOT__READ_SIZE 65536
/* Most bytes of incomplete lines, of all peers. */
#define ALLOT__LINES_MOST (128 * 1024 * 1024)
/* Limits of a peer that is not trusted yet: bytes of a line, ms; ms for a closing peer (`deaf`). */
#define ALLOT__STRANGER_LINE 4096
#define ALLOT__STRANGER_TIME 10000
#define ALLOT__DEAF_TIME     2000

typedef struct allot__deferred {
    int64_t batch;
    size_t end; /* in `waiting` */
} allot__deferred;

/* What a peer waits for: a turn of the loop, a turn for questions, the books. */
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
    allot__text line;           /* bytes read and not yet run */
    size_t looked;              /* bytes of `line` known to have no line end */
    const allot__method *longs; /* `line` begins with a request of this method, which may be long */
    allot__text waiting;        /* answers until their batch is on disk */
    allot__deferred held[2];    /* at most two batches are not on disk */
    size_t held_count;
    allot__text out, sending;
    uv_shutdown_t shutdown;
    bool local;         /* of the Unix socket */
    uint8_t network[8]; /* of TCP: its address; IPv4 uses the first half */
    allot__role role;   /* NOBODY: not trusted */
    allot__who who;
    bool reading, writing, closing;
    bool running; /* one of its lines is running */
    int32_t owed; /* pending later answers, by size (rpc.h) */
    bool ending;  /* its input is no longer run; it is closed once its output is sent */
    bool deaf;    /* ... and until the peer closes, or for two seconds, input is read and dropped:
                     closing at once would lose sent output */
    bool shut, ended; /* ended: end it after running the input just read */
    /* Its turn (connection.c): the last one, the work done in it, and the queue it waits in. */
    uint64_t turn, asked, began; /* asked: ns of questions; began: of the running line */
    int32_t lines;
    bool asks;                     /* the running line is a question */
    struct allot__waitlist *queue; /* NULL: not waiting */
    struct allot__connection *queue_next, *queue_before;
};

struct allot__wire {
    uv_pipe_t pipe;
    uv_tcp_t tcp;
    uv_timer_t timer; /* for untrusted peers, and the end */
    bool pipe_open, tcp_open, timer_open, stopping;
    uint64_t stop_at;
    char *path; /* of the socket, once bound */
    dev_t path_dev;
    ino_t path_ino;
    allot__connection *peers;
    int32_t count;
    uint64_t last_number;
    size_t line_bytes;           /* of all peers */
    uv_prepare_t prepare;        /* runs each turn of the loop */
    uv_idle_t idle;              /* active while a peer waits for a turn */
    uint64_t turn, spent, asked; /* its number; ns of lines, and of questions, in it */
    allot__waitlist queues[ALLOT__WAITS];
    allot__token token;
    allot__text answer;
    char read[ALLOT__READ_SIZE]; /* filled and emptied in one turn */
};

/* Limits of a turn: ns of all lines, of questions, of one peer's lines; lines of a peer. */
enum {
    ALLOT__TURN_TIME = 8000000,
    ALLOT__TURN_ASKS = 4000000,
    ALLOT__TURN_OWN = 1000000,
    ALLOT__TURN_LINES = 64
};
/* Turns (connection.c). Whether more of the peer's lines may run in this turn; if not, the peer
 * waits and goes on in a later turn. A line runs between begin and end. */
void allot__turn_wait(allot__connection *peer, allot__waits what);
void allot__turn_leave(allot__connection *peer);

/* Listens (listen.c). EIO (report). */
int allot__listen_pipe(allot_service *service, allot_report *report);
int allot__listen_tcp(allot_service *service, allot_report *report);
void allot__listen_close(allot_service *service);

/* A peer with a handle for uv_accept; NULL: ENOMEM. Closed by allot__connection_close. */
allot__connection *allot__connection_new(allot_service *service);
void allot__connection_start(allot__connection *peer, allot__role role);
void allot__connection_close(allot__connection *peer);
/* Runs input while the output buffer has space; starts or stops reading. */
void allot__connection_run(allot__connection *peer);
/* Sends all output that may be sent. */
void allot__connection_flush(allot__connection *peer);
/* Answers that wait for a batch become E-lost. */
void allot__connection_lose(allot__connection *peer);
/* Releases answers of batches up to that number. */
void allot__connection_free_held(allot__connection *peer, int64_t batch);

#endif
