/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* keys.h: idempotency keys of the last hour, at most a million. */
#ifndef ALLOT_SERVICE_KEYS_H
#define ALLOT_SERVICE_KEYS_H

#include <allot/allot.h>

#define ALLOT__KEYS_MOST 1000000
#define ALLOT__KEYS_AGE  3600

typedef struct allot__keys allot__keys;
int allot__keys_new(allot_engine *engine, allot__keys **out);
void allot__keys_free(allot__keys *keys);
/* The event that came with a key; 0: none. */
int64_t allot__keys_find(const allot__keys *keys, const char *key);
/* Adds one; older ones than an hour before `at` go. ENOMEM. */
int allot__keys_add(allot__keys *keys, const char *key, int64_t seq, int64_t at);
/* Takes the newest out again. */
void allot__keys_undo(allot__keys *keys);

#endif
