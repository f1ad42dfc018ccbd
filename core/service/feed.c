/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* feed.c: subscribers, and the last decisions for them. */
#include "service/feed.h"

#include <string.h>

#include "service/service.h"

typedef struct kept {
    struct kept *next;
    int64_t seq, batch;
    size_t len;
    char text[];
} kept;

typedef struct subscriber {
    struct subscriber *next;
    allot__peer *peer; /* NULL: gone; it goes once nothing is asked for */
    int64_t wanted;    /* the next decision's number */
    allot__store_ask *ask;
    allot__feed *feed;
} subscriber;

struct allot__feed {
    allot_service *service;
    kept *first, *last; /* those that are kept, oldest first */
    size_t count, bytes;
    int64_t told; /* the newest that is on disk */
    subscriber *subscribers;
    int64_t missed;
    allot__buf line;
};

int allot__feed_new(allot_service *service, allot__feed **out)
{
    allot__feed *feed = allot__sv_new(service->engine, 1, sizeof *feed);
    if (feed == NULL)
        return ALLOT_ENOMEM;
    feed->service = service;
    feed->line.engine = service->engine;
    feed->told = service->seq;
    *out = feed;
    return ALLOT_OK;
}

static void drop_first(allot__feed *feed)
{
    kept *first = feed->first;
    feed->first = first->next;
    feed->last = feed->first != NULL ? feed->last : NULL;
    feed->count--;
    feed->bytes -= first->len;
    allot__sv_free(feed->service->engine, first, 1, sizeof *first + first->len + 1);
}

void allot__feed_free(allot__feed *feed)
{
    if (feed == NULL)
        return;
    while (feed->first != NULL)
        drop_first(feed);
    while (feed->subscribers != NULL) {
        subscriber *it = feed->subscribers;
        feed->subscribers = it->next;
        allot__sv_free(feed->service->engine, it, 1, sizeof *it);
    }
    allot__buf_free(&feed->line);
    allot__sv_free(feed->service->engine, feed, 1, sizeof *feed);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool has_room(const subscriber *it)
{
    return allot__peer_waiting(it->peer) < ALLOT__OUT_MOST / 2;
}

static void send_one(subscriber *it, const char *text, size_t len)
{
    allot__buf *line = &it->feed->line;
    allot__buf_clear(line, 1024 * 1024);
    allot__buf_puts(line, "{\"jsonrpc\": \"2.0\", \"method\": \"decision\", \"params\": ");
    allot__buf_add(line, text, len);
    allot__buf_puts(line, "}");
    if (!line->failed)
        allot__peer_send(it->peer, line->bytes, line->len, 0);
    line->failed = false;
}

static void send_missed(subscriber *it, int64_t to)
{
    allot__buf *line = &it->feed->line;
    allot__buf_clear(line, 1024 * 1024);
    allot__buf_printf(line,
                      "{\"jsonrpc\": \"2.0\", \"method\": \"missed\", \"params\": {\"from\": %lld, "
                      "\"to\": %lld}}",
                      (long long)it->wanted, (long long)to);
    if (!line->failed)
        allot__peer_send(it->peer, line->bytes, line->len, 0);
    it->feed->missed += to - it->wanted + 1;
    it->wanted = to + 1;
}

static void advance(subscriber *it);

static void release(subscriber *it)
{
    subscriber **at = &it->feed->subscribers;
    while (*at != it)
        at = &(*at)->next;
    *at = it->next;
    allot__sv_free(it->feed->service->engine, it, 1, sizeof *it);
}

/* A decision from the store; behind the last, `text` NULL and a status. */
static void on_stored(void *ud, int64_t seq, const char *text, size_t len)
{
    subscriber *it = ud;
    if (text != NULL) {
        if (it->peer == NULL || !has_room(it) || seq < it->wanted)
            return;
        if (seq > it->wanted)
            send_missed(it, seq - 1);
        send_one(it, text, len);
        it->wanted = seq + 1;
        return;
    }
    it->ask = NULL;
    if (it->peer == NULL) {
        release(it);
        return;
    }
    if (seq == ALLOT_OK)
        advance(it);
    allot__peer_push(it->peer);
}

/* Whether it reads from the store; the rest comes then. */
static bool ask_store(subscriber *it, int64_t to)
{
    allot_service *service = it->feed->service;
    int64_t oldest = allot__store_oldest(service->store);
    if (oldest > 0 && it->wanted < oldest)
        send_missed(it, (oldest <= to ? oldest : to + 1) - 1);
    if (it->wanted > to)
        return false;
    return allot__store_decisions(service->store, it->wanted, to, 256, on_stored, it, &it->ask) ==
           ALLOT_OK;
}

/* Sends what the subscriber wants and has room for. */
static void advance(subscriber *it)
{
    allot__feed *feed = it->feed;
    if (it->peer == NULL || it->ask != NULL || it->wanted > feed->told || !has_room(it))
        return;
    int64_t oldest = feed->first != NULL ? feed->first->seq : feed->told + 1;
    if (it->wanted < oldest && ask_store(it, oldest - 1))
        return;
    for (const kept *at = feed->first; at != NULL && at->seq <= feed->told; at = at->next) {
        if (at->seq < it->wanted)
            continue;
        if (!has_room(it))
            return;
        send_one(it, at->text, at->len);
        it->wanted = at->seq + 1;
    }
}

int allot__feed_add(allot__feed *feed, int64_t seq, int64_t batch, const char *text, size_t len)
{
    kept *item = allot__sv_new(feed->service->engine, 1, sizeof *item + len + 1);
    if (item == NULL)
        return ALLOT_ENOMEM;
    item->seq = seq;
    item->batch = batch;
    item->len = len;
    memcpy(item->text, text, len);
    if (feed->last != NULL)
        feed->last->next = item;
    else
        feed->first = item;
    feed->last = item;
    feed->count++;
    feed->bytes += len;
    return ALLOT_OK;
}

static void tell(allot_service *service, const kept *item)
{
    if (service->decided != NULL)
        service->decided(service->decided_ud, item->seq, item->text, item->len);
    for (const allot__part *part = allot__parts; part->name != NULL; part++)
        if (part->told != NULL)
            part->told(service, item->seq, item->text, item->len);
}

void allot__feed_committed(allot__feed *feed, int64_t batch)
{
    int64_t before = feed->told;
    for (const kept *at = feed->first; at != NULL && at->batch <= batch; at = at->next)
        if (at->seq > feed->told) {
            feed->told = at->seq;
            tell(feed->service, at);
        }
    if (feed->told == before)
        return;
    for (subscriber *it = feed->subscribers, *next; it != NULL; it = next) {
        next = it->next;
        advance(it);
    }
    while ((feed->count > ALLOT__FEED_KEPT || feed->bytes > ALLOT__FEED_BYTES) &&
           feed->first->seq <= feed->told)
        drop_first(feed);
}

/* ---- Who ------------------------------------------------------------------------------------- */

static subscriber *find(allot__feed *feed, const allot__peer *peer)
{
    subscriber *it = feed->subscribers;
    while (it != NULL && it->peer != peer)
        it = it->next;
    return it;
}

int allot__feed_join(allot__feed *feed, allot__peer *peer, int64_t next)
{
    allot__feed_gone(feed, peer);
    subscriber *it = allot__sv_new(feed->service->engine, 1, sizeof *it);
    if (it == NULL)
        return ALLOT_ENOMEM;
    *it = (subscriber){.next = feed->subscribers, .peer = peer, .wanted = next, .feed = feed};
    feed->subscribers = it;
    allot__peer_later(peer);
    return ALLOT_OK;
}

void allot__feed_drained(allot__feed *feed, allot__peer *peer)
{
    subscriber *it = find(feed, peer);
    if (it != NULL)
        advance(it);
}

void allot__feed_gone(allot__feed *feed, allot__peer *peer)
{
    subscriber *it = find(feed, peer);
    if (it == NULL)
        return;
    it->peer = NULL;
    if (it->ask == NULL)
        release(it);
}

int32_t allot__feed_subscribers(const allot__feed *feed)
{
    int32_t count = 0;
    for (const subscriber *it = feed->subscribers; it != NULL; it = it->next)
        count += it->peer != NULL;
    return count;
}

int64_t allot__feed_missed(const allot__feed *feed)
{
    return feed->missed;
}
