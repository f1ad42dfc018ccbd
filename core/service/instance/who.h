/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * who.h: who a client is, and what is kept about it: a row for its events, and notes of what is no
 * event: reloads, refusals, wrong tokens, starts.
 *
 * Refused calls are kept ALLOT__NOTES times a minute at most; the next note of a refusal says how
 * many were left out.
 */
#ifndef ALLOT_SERVICE_INSTANCE_WHO_H
#define ALLOT_SERVICE_INSTANCE_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <allot/service.h>

#include "base/text.h"

/* Most bytes of a client's own name, of a token's label; refusals kept in a minute. */
enum { ALLOT__WHO_NAME = 64, ALLOT__WHO_LABEL = 32, ALLOT__WHO_ADDRESS = 64, ALLOT__NOTES = 60 };

typedef struct allot__who {
    char name[ALLOT__WHO_NAME + 1];   /* as it calls itself; "": not given */
    char address[ALLOT__WHO_ADDRESS]; /* of TCP; "": the Unix socket */
    char token[ALLOT__WHO_LABEL + 1]; /* its token's label; "": none */
    const char *role;                 /* its token's; NULL: no token */
    int64_t uid, pid;                 /* of the Unix socket */
    int64_t row;                      /* its row in the store; 0: none yet */
} allot__who;

/* Refusals that were kept or left out in this minute. */
typedef struct allot__notes {
    uint64_t since; /* ms of the loop */
    int32_t kept;
    int64_t left_out; /* since the last one kept */
} allot__notes;

/* {"name": "agent", "uid": 1000, "pid": 4711}, or {"name": ..., "address": "10.0.0.3", "role":
 * "tell", "token": "backup"}. */
void allot__who_put(const allot__who *who, allot__text *out);
/* Whether a client may call itself so: 1 to 64 bytes without control characters. */
bool allot__who_name_fits(const char *name);
/* The row for the client (NULL: the service, 0) of an event of that number, which begins one if it
 * has none; then, once the event is entered, puts that row in the store. Without memory the event's
 * client is not known. */
int64_t allot__who_row(const allot__who *who, int64_t event);
void allot__who_enter(allot_service *service, allot__who *who, int64_t row);

/* Keeps a note: `text` is an object; it is emptied. Without memory there is none. */
void allot__note(allot_service *service, const char *kind, const allot__who *who,
                 allot__text *text);
/* Keeps a note that a call was refused; code NULL: none. */
void allot__note_refusal(allot_service *service, const allot__who *who, const char *method,
                         size_t len, const char *code, const char *message);

#endif
