/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * keys.h: idempotency keys of the last hour, however many there are.
 *
 * Of a key and of what it came with digests are kept: 40 bytes and a place in an index, whatever
 * their length.
 */
#ifndef ALLOT_SERVICE_EVENTS_KEYS_H
#define ALLOT_SERVICE_EVENTS_KEYS_H

#include <allot/allot.h>

#define ALLOT__KEYS_AGE 3600

typedef struct allot__event_keys allot__event_keys;
int allot__event_keys_new(allot_engine *engine, allot__event_keys **out);
void allot__event_keys_free(allot__event_keys *keys);

/* What an event says, blanks between its parts aside: JSON that is known to be valid. */
uint64_t allot__event_keys_content(const char *method, const char *params, size_t len);
/* The event that came with a key within an hour before `now`, and what it said; 0: none. */
int64_t allot__event_keys_find(const allot__event_keys *keys, const char *key, int64_t now,
                               uint64_t *content);
/* Room for one more, so that the next put cannot fail. ENOMEM. */
int allot__event_keys_reserve(allot__event_keys *keys);
/* Puts one in that came `at`; a few of those that are older than an hour by then go. */
void allot__event_keys_put(allot__event_keys *keys, const char *key, uint64_t content, int64_t seq,
                           int64_t at);
/* How many are kept. */
size_t allot__event_keys_count(const allot__event_keys *keys);

#endif
