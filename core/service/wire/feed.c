/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* feed.c: subscribers, and the last decisions for them. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "service/instance/service.h"
#include "service/wire/wire.h"

typedef struct kept {
    int64_t seq, batch;
    size_t len;
    char text[];
} kept;

typedef struct subscriber {
    struct subscriber *next;
    allot__connection *peer; /* NULL: gone; freed once no read is pending */
    int64_t wanted;          /* the next decision's number */
    bool asks;               /* a read of the store is pending, */
    int64_t asked_to;        /* ... up to that decision */
    bool found;              /* the read has returned some */
    allot__feed *feed;
} subscriber;

struct allot__feed {
    allot_service *service;
    kept **ring;            /* kept decisions, by number modulo `room` */
    size_t room, bytes;     /* a power of two */
    int64_t oldest, newest; /* of the kept ones; oldest > newest: none */
    int64_t told;           /* the newest on disk */
    subscriber *subscribers;
    int64_t missed;
    allot__text line;
};

int allot__feed_new(allot_service *service, allot__feed **out)
{
    allot__feed *feed = allot__new(service->engine, 1, sizeof *feed);
    if (!feed)
        return ALLOT_ENOMEM;
    feed->service = service;
    feed->line.engine = service->engine;
    feed->told = feed->newest = service->seq;
    feed->oldest = service->seq + 1;
    *out = feed;
    return ALLOT_OK;
}

static kept *at(const allot__feed *feed, int64_t seq)
{
    return feed->ring[(size_t)seq & (feed->room - 1)];
}

static void drop_first(allot__feed *feed)
{
    kept *first = at(feed, feed->oldest++);
    feed->bytes -= first->len;
    allot__free(feed->service->engine, first, 1, sizeof *first + first->len + 1);
}

static int64_t count(const allot__feed *feed)
{
    return feed->newest - feed->oldest + 1;
}

/* Makes space for one more decision. */
static int widen(allot__feed *feed)
{
    if ((size_t)count(feed) < feed->room)
        return ALLOT_OK;
    allot_engine *engine = feed->service->engine;
    size_t room = feed->room > 0 ? feed->room * 2 : 64;
    kept **ring = allot__new(engine, room, sizeof(void *));
    if (!ring)
        return ALLOT_ENOMEM;
    for (int64_t seq = feed->oldest; seq <= feed->newest; seq++)
        ring[(size_t)seq & (room - 1)] = at(feed, seq);
    allot__free(engine, feed->ring, feed->room, sizeof(void *));
    feed->ring = ring;
    feed->room = room;
    return ALLOT_OK;
}

void allot__feed_free(allot__feed *feed)
{
    if (!feed)
        return;
    while (count(feed) > 0)
        drop_first(feed);
    allot__free(feed->service->engine, feed->ring, feed->room, sizeof(void *));
    while (feed->subscribers) {
        subscriber *it = feed->subscribers;
        feed->subscribers = it->next;
        allot__free(feed->service->engine, it, 1, sizeof *it);
    }
    allot__text_free(&feed->line);
    allot__free(feed->service->engine, feed, 1, sizeof *feed);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool has_room(const subscriber *it)
{
    return allot__connection_waiting(it->peer) < ALLOT__OUT_MOST / 2;
}

static void notify(const subscriber *it, const char *method, const char *params, size_t len)
{
    allot__text *line = &it->feed->line;
    allot__text_clear(line, 1024 * 1024);
    allot__text_printf(line, "{\"jsonrpc\": \"2.0\", \"method\": \"%s\", \"params\": ", method);
    allot__text_add(line, params, len);
    allot__text_puts(line, "}");
    if (!line->failed)
        allot__connection_send(it->peer, line->bytes, line->len, 0);
    line->failed = false;
}

static void send_missed(subscriber *it, int64_t to)
{
    char params[80];
    int len = snprintf(params, sizeof params, "{\"from\": %lld, \"to\": %lld}",
                       (long long)it->wanted, (long long)to);
    notify(it, "missed", params, (size_t)len);
    it->feed->missed += to - it->wanted + 1;
    it->wanted = to + 1;
}

static void advance(subscriber *it);

static void release(subscriber *it)
{
    subscriber **place = &it->feed->subscribers;
    while (*place != it)
        place = &(*place)->next;
    *place = it->next;
    allot__free(it->feed->service->engine, it, 1, sizeof *it);
}

/* A decision from the store; after the last, `text` NULL and a status. */
static void on_stored(void *ud, int64_t seq, const char *text, size_t len)
{
    subscriber *it = ud;
    if (text) {
        it->found = true;
        if (!it->peer || !has_room(it) || seq < it->wanted)
            return;
        if (seq > it->wanted)
            send_missed(it, seq - 1);
        notify(it, "decision", text, len);
        it->wanted = seq + 1;
        return;
    }
    it->asks = false;
    if (!it->peer) {
        release(it);
        return;
    }
    /* Decisions that are missing or unreadable are not read again. */
    if ((!it->found || seq != ALLOT_OK) && it->wanted <= it->asked_to)
        send_missed(it, it->asked_to);
    advance(it);
    allot__connection_push(it->peer);
}

/* Begins a read of the store; true: it is pending, and the rest follows it. */
static bool ask_store(subscriber *it, int64_t to)
{
    allot_service *service = it->feed->service;
    int64_t oldest = allot__store_oldest(service->store);
    if (oldest > 0 && it->wanted < oldest)
        send_missed(it, (oldest <= to ? oldest : to + 1) - 1);
    if (it->wanted > to || service->stopping)
        return false;
    it->asked_to = to;
    it->found = false;
    it->asks =
        allot__store_decisions(service->store, it->wanted, to, 256, on_stored, it) == ALLOT_OK;
    return it->asks;
}

/* Sends wanted decisions while the peer's buffer has space. */
static void advance(subscriber *it)
{
    allot__feed *feed = it->feed;
    if (!it->peer || it->asks || it->wanted > feed->told || !has_room(it))
        return;
    if (it->wanted < feed->oldest && ask_store(it, feed->oldest - 1))
        return;
    while (it->wanted >= feed->oldest && it->wanted <= feed->told && has_room(it)) {
        const kept *item = at(feed, it->wanted++);
        notify(it, "decision", item->text, item->len);
    }
}

int allot__feed_add(allot__feed *feed, int64_t seq, int64_t batch, const char *text, size_t len)
{
    if (widen(feed) != ALLOT_OK)
        return ALLOT_ENOMEM;
    kept *item = allot__new(feed->service->engine, 1, sizeof *item + len + 1);
    if (!item)
        return ALLOT_ENOMEM;
    item->seq = seq;
    item->batch = batch;
    item->len = len;
    memcpy(item->text, text, len);
    feed->newest = seq;
    feed->ring[(size_t)seq & (feed->room - 1)] = item;
    feed->bytes += len;
    return ALLOT_OK;
}

void allot__feed_tell(allot__feed *feed, const char *method, const char *params, size_t len)
{
    for (const subscriber *it = feed->subscribers; it; it = it->next)
        if (it->peer && has_room(it))
            notify(it, method, params, len);
}

static void tell(allot_service *service, const kept *item)
{
    if (service->decided)
        service->decided(service->decided_ud, item->seq, item->text, item->len);
}

void allot__feed_committed(allot__feed *feed, int64_t batch)
{
    int64_t before = feed->told;
    while (feed->told < feed->newest && at(feed, feed->told + 1)->batch <= batch)
        tell(feed->service, at(feed, ++feed->told));
    if (feed->told == before)
        return;
    for (subscriber *it = feed->subscribers, *next; it; it = next) {
        next = it->next;
        advance(it);
    }
    while ((count(feed) > ALLOT__FEED_KEPT || feed->bytes > ALLOT__FEED_BYTES) &&
           feed->oldest <= feed->told)
        drop_first(feed);
}

/* ---- Subscribers ----------------------------------------------------------------------------- */

static subscriber *find(allot__feed *feed, const allot__connection *peer)
{
    subscriber *it = feed->subscribers;
    while (it && it->peer != peer)
        it = it->next;
    return it;
}

int allot__feed_join(allot__feed *feed, allot__connection *peer, int64_t next)
{
    allot__feed_gone(feed, peer);
    subscriber *it = allot__new(feed->service->engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (subscriber){.next = feed->subscribers, .peer = peer, .wanted = next, .feed = feed};
    feed->subscribers = it;
    return ALLOT_OK;
}

bool allot__feed_drained(allot__feed *feed, allot__connection *peer)
{
    subscriber *it = find(feed, peer);
    int64_t before = it ? it->wanted : 0;
    if (it)
        advance(it);
    return it != NULL && it->wanted > before;
}

void allot__feed_gone(allot__feed *feed, allot__connection *peer)
{
    subscriber *it = find(feed, peer);
    if (!it)
        return;
    it->peer = NULL;
    if (!it->asks)
        release(it);
}

int32_t allot__feed_subscribers(const allot__feed *feed)
{
    int32_t count = 0;
    for (const subscriber *it = feed->subscribers; it; it = it->next)
        count += it->peer != NULL;
    return count;
}

int64_t allot__feed_missed(const allot__feed *feed)
{
    return feed->missed;
}
