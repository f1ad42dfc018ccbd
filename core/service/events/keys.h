/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * keys.h: the idempotency keys of the last hour, without a limit on their number.
 *
 * A key costs 40 bytes and a place in an index, whatever its length: only digests of the key and of
 * its event are kept.
 */
#ifndef ALLOT_SERVICE_EVENTS_KEYS_H
#define ALLOT_SERVICE_EVENTS_KEYS_H

#include <allot/allot.h>

#define ALLOT__KEYS_AGE 3600

typedef struct allot__event_keys allot__event_keys;
int allot__event_keys_new(allot_engine *engine, allot__event_keys **out);
void allot__event_keys_free(allot__event_keys *keys);

/* A digest of an event's content without blanks between tokens; `params` is valid JSON. */
uint64_t allot__event_keys_content(const char *method, const char *params, size_t len);
/* The event that had the key within an hour before `now`, and its content's digest; 0: none. */
int64_t allot__event_keys_find(const allot__event_keys *keys, const char *key, int64_t now,
                               uint64_t *content);
/* Reserves capacity for one more, so that the next put cannot fail. ENOMEM. */
int allot__event_keys_reserve(allot__event_keys *keys);
/* Adds a key that came `at`; drops a few keys older than an hour. */
void allot__event_keys_put(allot__event_keys *keys, const char *key, uint64_t content, int64_t seq,
                           int64_t at);
/* How many are kept. */
size_t allot__event_keys_count(const allot__event_keys *keys);

#endif
