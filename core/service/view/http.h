/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * http.h: the live view: pages, documents and a WebSocket, by libwebsockets on the service's loop.
 *
 * It answers only GET and HEAD, and keeps no client state but the connection. Documents come from
 * the service's own methods. If a token is configured, requests for data must send it
 * ("Authorization: Bearer ..."); beyond loopback nothing is served without one. A Host that is a
 * name other than this machine's is refused: a page may have rebound it (DNS rebinding).
 *
 * libwebsockets ignores SIGPIPE for the whole process; its log is switched off.
 *
 * This file owns: struct allot__http.
 */
#ifndef ALLOT_SERVICE_VIEW_HTTP_H
#define ALLOT_SERVICE_VIEW_HTTP_H

#include <libwebsockets.h>

#include "service/view/view.h"

#define ALLOT__HTTP_LIVE    64  /* connections with a WebSocket */
#define ALLOT__HTTP_SECONDS 10  /* to receive a whole request, or send an answer */
#define ALLOT__HTTP_ROWS    200 /* most rows in a document */

typedef struct allot__http_session allot__http_session;

/* A connection, and whether its request has come. */
typedef struct allot__http_guest {
    struct lws *wsi;
    bool asks, goes;                         /* goes: it is being closed */
    struct allot__http_guest *before, *next; /* the longest waiting first */
} allot__http_guest;

typedef struct allot__http {
    allot_service *service;
    struct lws_context *context; /* libwebsockets sets NULL when the context is gone */
    struct lws_vhost *vhost;
    char host[256];
    int32_t port;
    uv_tcp_t listener;
    bool listens, waits;         /* waits: a connection is not accepted yet */
    int32_t connections, asking; /* asking: with a request */
    int32_t going;               /* without a request, and being closed */
    allot__http_guest *first, *last;
    uv_timer_t tick;                   /* sends to viewers */
    void (*on_tick)(uv_timer_t *tick); /* also called once a waiting connection may be accepted */
    uv_idle_t wait;                    /* until libwebsockets is closed */
    int quiet_turns;
    bool stopping, tick_opened;
    allot__http_session *live; /* sessions with a WebSocket */
    int32_t live_count;
    int64_t requests, refused; /* answers with 2xx; with other statuses */
} allot__http;

/* Per connection; allocated and zeroed by libwebsockets. */
struct allot__http_session {
    allot__http *http;
    struct lws *wsi;
    bool head, ready, begun;
    int status;
    const char *type;
    const char *bytes; /* the answer: in `body`, or static */
    size_t len, sent;
    allot__text body;
    struct allot__viewer *socket; /* of a WebSocket */
    allot__http_session *next;
};

/* A file of the page, built in. */
typedef struct allot__page_file {
    const char *path, *type;
    const unsigned char *bytes;
    size_t len;
} allot__page_file;
extern const allot__page_file allot__page_files[]; /* generated; the last has no path */

/* ---- Connections (http_listen.c) ------------------------------------------------------------- */

/* Listens where the configuration says. EIO (report). */
int allot__http_listen(allot__http *http, allot_report *report);
/* Accepts the waiting connection, if there is a free place. */
void allot__http_accept(allot__http *http);
/* A connection begins; ends; its request has come (false: too many have one); it waits for a
 * request. */
int allot__http_come(allot__http *http, struct lws *wsi);
void allot__http_go(allot__http *http, struct lws *wsi);
bool allot__http_asks(allot__http *http, struct lws *wsi);
void allot__http_rests(allot__http *http, struct lws *wsi);
/* Ends listening. */
void allot__http_deafen(allot__http *http);

/* ---- Access and answers (http_answer.c) ------------------------------------------------------ */

/* 0, or the status to refuse a request with: 405, 400, 421, 403 (from a page of another origin). */
int allot__http_refuse(allot__http *http, struct lws *wsi);
/* Whether the request has the token, or needs none. */
bool allot__http_trusts(const allot__http *http, struct lws *wsi);
bool allot__http_token(const allot__http *http, struct lws *wsi, const char *token, size_t len);

/* Queues a line of text as the answer. */
void allot__http_say(allot__http_session *session, int status, const char *text);
/* Sends as much as possible now. Nonzero: the connection is over. */
int allot__http_write(allot__http_session *session);
/* Finds the document of a request's path, and queues the answer. */
void allot__http_route(allot__http_session *session, const char *path);
void allot__http_forget(allot__http_session *session);

/* ---- WebSocket (live.c) ---------------------------------------------------------------------- */

typedef struct allot__viewer allot__viewer;
/* 0, or nonzero: refused. */
int allot__live_open(allot__http_session *session);
void allot__live_close(allot__http_session *session);
int allot__live_take(allot__http_session *session, const char *bytes, size_t len);
int allot__live_write(allot__http_session *session);
/* Every ALLOT__VIEW_AGE ms: asks for a write where a viewer has news. */
void allot__live_tick(allot__http *http);

/* The component (service.c). */
int allot__http_start(allot_service *service, allot_report *report);
void allot__http_stop(allot_service *service);
void allot__http_status(allot_service *service, allot__text *out);

#endif
