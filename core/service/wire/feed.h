/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * feed.h: subscribers: each decision in its order, from a number on.
 *
 * {"jsonrpc": "2.0", "method": "decision", "params": {"seq": 7, ...}} is sent to whoever
 * subscribed. Who is behind reads from the last decisions kept in memory, and when it subscribed
 * from further back, from the store. Who is so slow that they have gone from memory is told
 * {"method": "missed", "params": {"from": a, "to": b}} and goes on behind b; `decisions` or another
 * `subscribe` has them.
 */
#ifndef ALLOT_SERVICE_WIRE_FEED_H
#define ALLOT_SERVICE_WIRE_FEED_H

#include "service/wire/rpc.h"

/* Decisions and bytes of them that stay in memory at most. */
#define ALLOT__FEED_KEPT  4096
#define ALLOT__FEED_BYTES (8 * 1024 * 1024)

typedef struct allot__feed allot__feed;
int allot__feed_new(allot_service *service, allot__feed **out);
void allot__feed_free(allot__feed *feed);
/* A decision that will be told once that batch is on disk; the text is copied. ENOMEM: no effect.
 */
int allot__feed_add(allot__feed *feed, int64_t seq, int64_t batch, const char *text, size_t len);
void allot__feed_committed(allot__feed *feed, int64_t batch);
/* A peer wants decisions from a number on, instead of what it wanted before. ENOMEM. */
int allot__feed_join(allot__feed *feed, struct allot__connection *peer, int64_t next);
/* A peer has room again: whether something was sent. */
bool allot__feed_drained(allot__feed *feed, struct allot__connection *peer);
void allot__feed_gone(allot__feed *feed, struct allot__connection *peer);
int32_t allot__feed_subscribers(const allot__feed *feed);
int64_t allot__feed_missed(const allot__feed *feed); /* how many were, in all */

/* Methods: subscribe {from}, unsubscribe, decisions {from, to, most}. */
void allot__feed_subscribe(allot__request *call);
void allot__feed_unsubscribe(allot__request *call);
void allot__feed_decisions(allot__request *call);

#endif
