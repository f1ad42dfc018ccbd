/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * live.h: a viewer on a WebSocket: the branches that it watches, and their numbers last sent.
 *
 * It sends {"token": "...", "group": "default", "watch": ["/", "/a", ["/b", 200, 100]]}: branches,
 * or 100 children of a branch from number 200 on. It first gets them whole, and then, whenever its
 * connection can send, the changes since the last message: a slow reader skips to the newest state
 * and takes no more memory than others. Of decisions it gets the last ALLOT__VIEW_TOLD, and as
 * "missed" the number of those left out.
 */
#ifndef ALLOT_SERVICE_VIEW_LIVE_H
#define ALLOT_SERVICE_VIEW_LIVE_H

#include "service/view/http.h"

#define ALLOT__LIVE_BRANCHES 128
#define ALLOT__LIVE_ROWS     1000
#define ALLOT__LIVE_MESSAGE  (16 * 1024) /* most bytes of a message from it */

typedef struct allot__viewer_branch {
    int32_t parent, from, count; /* count: as requested */
} allot__viewer_branch;

struct allot__viewer {
    allot__http_session *session;
    allot__viewer_branch watched[ALLOT__LIVE_BRANCHES];
    int32_t watched_count, rows, group;
    int64_t *last; /* last sent values, ALLOT__VIEW_NUMBERS for each watched row */
    int64_t number, version, plan, point, told;
    bool trusted, slow;    /* slow: the last message is not sent yet */
    bool whole, fresh;     /* whole: send its branches whole; fresh: send past events, too */
    allot__text said, out; /* out begins with LWS_PRE bytes for libwebsockets */
    char error[200];       /* to be sent; "": none */
};

/* Reads a whole message (live_take.c). Errors go to live->error. */
void allot__live_hear(struct allot__viewer *live, const char *text, size_t len);
/* Appends the next message to live->out, if there is news (live_say.c). */
void allot__live_say(struct allot__viewer *live);
/* Marks its watched rows as wanted; false: no memory. */
bool allot__live_want(struct allot__viewer *live);
/* Whether there is news for it. */
bool allot__live_behind(const struct allot__viewer *live);
void allot__live_unwatch(struct allot__viewer *live);

#endif
