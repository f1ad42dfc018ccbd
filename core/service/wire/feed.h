/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * feed.h: subscribers get each decision in order, from a number on.
 *
 * {"jsonrpc": "2.0", "method": "decision", "params": {"seq": 7, ...}} is sent to each subscriber.
 * Earlier decisions come from memory or, when a subscription begins further back, from the store. A
 * subscriber that falls so far behind that decisions have left memory gets {"method": "missed",
 * "params": {"from": a, "to": b}} and goes on after b; `decisions` or another `subscribe` returns
 * the missed ones.
 */
#ifndef ALLOT_SERVICE_WIRE_FEED_H
#define ALLOT_SERVICE_WIRE_FEED_H

#include "service/wire/rpc.h"

/* Most decisions, and bytes of them, in memory. */
#define ALLOT__FEED_KEPT  4096
#define ALLOT__FEED_BYTES (8 * 1024 * 1024)

typedef struct allot__feed allot__feed;
int allot__feed_new(allot_service *service, allot__feed **out);
void allot__feed_free(allot__feed *feed);
/* Adds a decision, to be sent once that batch is on disk; copies the text. ENOMEM: no effect. */
int allot__feed_add(allot__feed *feed, int64_t seq, int64_t batch, const char *text, size_t len);
void allot__feed_committed(allot__feed *feed, int64_t batch);
/* Subscribes a peer from a number on, replacing its earlier subscription. ENOMEM. */
int allot__feed_join(allot__feed *feed, struct allot__connection *peer, int64_t next);
/* A peer's buffer has space again: whether something was sent. */
bool allot__feed_drained(allot__feed *feed, struct allot__connection *peer);
void allot__feed_gone(allot__feed *feed, struct allot__connection *peer);
int32_t allot__feed_subscribers(const allot__feed *feed);
int64_t allot__feed_missed(const allot__feed *feed); /* decisions, in all */

#endif
