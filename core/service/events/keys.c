/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * keys.c: idempotency keys in a ring, in the order of arrival, with an index over its places.
 */
#include "service/events/keys.h"

#include <stdlib.h>
#include <string.h>

#include <allot/script.h>

#include "base/name.h"
#include "base/text.h"
#include "base/memory.h"

/* GO_MOST: how many old keys a new one removes at most, so that the loop is not delayed. */
enum { GO_MOST = 16, ROOM_LEAST = 1024 };

typedef struct item {
    uint64_t key[2], content;
    int64_t seq, at;
} item;

struct allot__event_keys {
    allot_engine *engine;
    item *ring;
    allot__index index; /* of places, by keys */
    size_t room;        /* of the ring: 0, or a power of two */
    size_t first, last; /* numbers of items, `last` excluded; places are modulo `room` */
};

int allot__event_keys_new(allot_engine *engine, allot__event_keys **out)
{
    allot__event_keys *keys = allot__new(engine, 1, sizeof *keys);
    if (!keys)
        return ALLOT_ENOMEM;
    keys->engine = engine;
    *out = keys;
    return ALLOT_OK;
}

void allot__event_keys_free(allot__event_keys *keys)
{
    if (!keys)
        return;
    allot__free(keys->engine, keys->ring, keys->room, sizeof *keys->ring);
    allot__index_free(keys->engine, &keys->index);
    allot__free(keys->engine, keys, 1, sizeof *keys);
}

/* ---- Digests --------------------------------------------------------------------------------- */

/* 64 bits of a digest in hexadecimal digits. */
static uint64_t part(const char *digits)
{
    char text[17];
    memcpy(text, digits, 16);
    text[16] = '\0';
    return strtoull(text, NULL, 16);
}

static void digest_key(const char *key, uint64_t out[2])
{
    char digits[65];
    allot_sha256(key, strlen(key), digits);
    out[0] = part(digits);
    out[1] = part(digits + 16);
}

static uint64_t digest_piece(uint64_t before, const char *piece, size_t len)
{
    char block[8 + 1024], digits[65];
    memcpy(block, &before, 8);
    memcpy(block + 8, piece, len);
    allot_sha256(block, 8 + len, digits);
    return part(digits);
}

uint64_t allot__event_keys_content(const char *method, const char *params, size_t len)
{
    char piece[1024] = "";
    size_t used = 0;
    bool text = false;
    uint64_t digest = digest_piece(0, method, strlen(method));
    for (size_t i = 0; i < len; i++) {
        bool blank = memchr(" \t\r\n", params[i], 4) != NULL;
        if (!text && blank)
            continue;
        piece[used++] = params[i];
        bool escape = text && params[i] == '\\';
        text = text != (params[i] == '"');
        if (escape && i + 1 < len)
            piece[used++] = params[++i];
        if (used < sizeof piece - 1)
            continue;
        digest = digest_piece(digest, piece, used);
        used = 0;
    }
    return digest_piece(digest, piece, used);
}

/* ---- The index ------------------------------------------------------------------------------- */

static size_t place_of(const allot__event_keys *keys, size_t number)
{
    return number & (keys->room - 1);
}

static item *at(const allot__event_keys *keys, size_t number)
{
    return &keys->ring[place_of(keys, number)];
}

static uint32_t hash_at(const allot__event_keys *keys, size_t number)
{
    return (uint32_t)at(keys, number)->key[0];
}

static void add(allot__event_keys *keys, size_t number)
{
    allot__index_add(&keys->index, hash_at(keys, number), (int32_t)place_of(keys, number));
}

static void take_first(allot__event_keys *keys)
{
    allot__index_remove(&keys->index, hash_at(keys, keys->first),
                        (int32_t)place_of(keys, keys->first));
    keys->first++;
}

size_t allot__event_keys_count(const allot__event_keys *keys)
{
    return keys->last - keys->first;
}

int allot__event_keys_reserve(allot__event_keys *keys)
{
    size_t count = allot__event_keys_count(keys),
           room = keys->room > 0 ? keys->room * 2 : ROOM_LEAST;
    if (count < keys->room)
        return allot__index_room(keys->engine, &keys->index);
    item *ring = room <= INT32_MAX ? allot__new(keys->engine, room, sizeof *ring) : NULL;
    if (!ring)
        return ALLOT_ENOMEM;
    if (allot__index_room(keys->engine, &keys->index) != ALLOT_OK) {
        allot__free(keys->engine, ring, room, sizeof *ring);
        return ALLOT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        ring[i] = *at(keys, keys->first + i);
    allot__free(keys->engine, keys->ring, keys->room, sizeof *keys->ring);
    keys->ring = ring;
    keys->room = room;
    keys->first = 0;
    keys->last = count;
    allot__index_clear(&keys->index);
    for (size_t i = 0; i < count; i++)
        add(keys, i);
    return ALLOT_OK;
}

int64_t allot__event_keys_find(const allot__event_keys *keys, const char *key, int64_t now,
                               uint64_t *content)
{
    uint64_t wanted[2];
    const item *found = NULL;
    uint32_t probe = 0;
    int32_t place;
    digest_key(key, wanted);
    /* If a key is there twice, the older one has expired: the newest counts. */
    while ((place = allot__index_next(&keys->index, (uint32_t)wanted[0], &probe)) >= 0) {
        const item *it = &keys->ring[place];
        if (it->key[0] == wanted[0] && it->key[1] == wanted[1] && (!found || it->seq > found->seq))
            found = it;
    }
    if (!found || found->at < now - ALLOT__KEYS_AGE)
        return 0;
    *content = found->content;
    return found->seq;
}

void allot__event_keys_put(allot__event_keys *keys, const char *key, uint64_t content, int64_t seq,
                           int64_t now)
{
    *at(keys, keys->last) = (item){.content = content, .seq = seq, .at = now};
    digest_key(key, at(keys, keys->last)->key);
    add(keys, keys->last++);
    for (int i = 0; i < GO_MOST && at(keys, keys->first)->at < now - ALLOT__KEYS_AGE; i++)
        take_first(keys);
}
