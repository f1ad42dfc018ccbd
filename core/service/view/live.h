/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * live.h: a viewer on a WebSocket: which branches it looks at, and what it was told of them.
 *
 * It says {"token": "...", "group": "default", "watch": ["/", "/a", ["/b", 200, 100]]}: branches,
 * or of one the children from 200 on, 100 of them. It is told of them whole, and from then on, each
 * time it can take something, what is otherwise than when it was told last; so one that reads
 * slowly gets the newest state in place of all between, and takes no more memory than another. Of
 * decisions it is told the last ALLOT__VIEW_TOLD, and, as "missed", how many it was not told of.
 */
#ifndef ALLOT_SERVICE_VIEW_LIVE_H
#define ALLOT_SERVICE_VIEW_LIVE_H

#include "service/view/http.h"

#define ALLOT__LIVE_BRANCHES 128
#define ALLOT__LIVE_ROWS     1000
#define ALLOT__LIVE_MESSAGE  (16 * 1024) /* bytes that it may say at once */

typedef struct allot__viewer_branch {
    int32_t parent, from, count; /* count: as many as are asked for */
} allot__viewer_branch;

struct allot__viewer {
    allot__http_session *session;
    allot__viewer_branch watched[ALLOT__LIVE_BRANCHES];
    int32_t watched_count, rows, group;
    int64_t *last; /* of every row watched what it was told, ALLOT__VIEW_NUMBERS each */
    int64_t number, version, plan, point, told;
    bool trusted, slow;    /* slow: it has not taken the last */
    bool whole, fresh;     /* its branches are to be told whole; so is what happened before */
    allot__text said, out; /* out begins with LWS_PRE bytes for libwebsockets */
    char error[200];       /* to be told; "": none */
};

/* Reads what it says, whole (live_take.c). What is wrong goes to live->error. */
void allot__live_hear(struct allot__viewer *live, const char *text, size_t len);
/* Puts what is to be told next behind live->out; nothing when there is nothing (live_say.c). */
void allot__live_say(struct allot__viewer *live);
/* Wants the rows that it looks at; false: no memory. */
bool allot__live_want(struct allot__viewer *live);
/* Whether there is something. */
bool allot__live_behind(const struct allot__viewer *live);
void allot__live_unwatch(struct allot__viewer *live);

#endif
