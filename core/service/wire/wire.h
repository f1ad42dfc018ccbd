/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * wire.h: connections: lines in, lines out, both bounded.
 *
 * A peer that sends a line of more than 1 MiB gets an error and is closed. A peer is read from only
 * while less than ALLOT__OUT_MOST bytes of output wait for it and the store keeps up, so a peer
 * that stops reading gets no more answers and takes no more memory. Notifications to a subscriber
 * wait while its buffer is above half (below).
 */
#ifndef ALLOT_SERVICE_WIRE_WIRE_H
#define ALLOT_SERVICE_WIRE_WIRE_H

#include <allot/service.h>

#include "base/text.h"
#include "service/instance/who.h"
#include "service/wire/token.h"
#include <stdbool.h>

#define ALLOT__OUT_MOST (64 * 1024)

typedef struct allot__connection allot__connection;

/* Listens as the service's config says. EIO (report). */
int allot__wire_start(allot_service *service, allot_report *report);
/* Stops listening and reading; accepted requests are still answered. */
void allot__wire_quiet(allot_service *service);
/* Ends all connections once their answers are written, or after a second. */
void allot__wire_stop(allot_service *service);
/* The last hold on the books ended: peers that waited for them go on. */
void allot__wire_release(allot_service *service);
/* The store is another service's: answers that wait for it say so. */
void allot__wire_lose(allot_service *service);
/* Sends the answers that waited for batches up to that number, and then the decisions: an event is
 * acknowledged before the decision about it is sent. Peers that waited for the store go on. */
void allot__wire_committed(allot_service *service, int64_t batch);

/* Answers the embedder's calls (allot_service_call) whose batches are on disk. */
void allot__waiters_committed(allot_service *service, int64_t batch);
void allot__waiters_free(allot_service *service);

/* Sends a line, adding its end, once `batch` is on disk (0: at once). */
void allot__connection_send(allot__connection *peer, const char *line, size_t len, int64_t batch);
/* Sends output added outside a call, and subscribed decisions. */
void allot__connection_push(allot__connection *peer);
/* Bytes that wait to be sent. */
size_t allot__connection_waiting(const allot__connection *peer);
/* Adds `size` to its pending later answers; negative: one was sent. */
void allot__connection_owe(allot__connection *peer, int32_t size);
/* The running line is a question, not an event: whether it may run in this turn of the loop. */
bool allot__connection_may_ask(allot__connection *peer);
/* Who the peer is. */
allot__who *allot__connection_who(allot__connection *peer);
/* A peer's number, never reused; the peer of a number, NULL: it is gone. */
uint64_t allot__connection_number(const allot__connection *peer);
allot__connection *allot__connection_find(allot_service *service, uint64_t number);
/* What a peer may call. Another role by its token; NOBODY ends the connection: the token is wrong,
 * or *late (token.h). */
allot__role allot__connection_role(const allot__connection *peer);
allot__role allot__connection_auth(allot__connection *peer, const char *token, bool *late);
/* Closes the remaining handles once all connections are gone after allot__wire_stop. */
void allot__wire_end(allot_service *service);
void allot__wire_free(allot_service *service);
int32_t allot__wire_peers(const allot_service *service);

/* Sets keepalive: a silently broken connection is noticed after some two minutes. */
void allot__socket_alive(int fd);

/* The user at the other end of a Unix socket. */
typedef struct allot__visitor {
    uint32_t uid, own; /* own: the service's */
    bool in_group;     /* of the socket */
} allot__visitor;
/* The socket's mode; whether a user may send requests there. */
uint32_t allot__socket_mode(const allot_service_config *config);
bool allot__may_visit(const allot_service_config *config, const allot__visitor *who);
/* Whether a uid is mapped, by the text of /proc/self/uid_map: a user namespace has unmapped ones,
 * which look alike. */
bool allot__uid_is_known(const char *map, uint32_t uid);
/* Splits "host:port"; host "" for a port alone. EUSAGE. */
int allot__address_split(const char *address, char *host, size_t size, int32_t *port);

/* ---- The feed -------------------------------------------------------------------------------- */

/*
 * Subscribers get each decision in order, from a number on.
 *
 * {"jsonrpc": "2.0", "method": "decision", "params": {"seq": 7, ...}} is sent to each subscriber.
 * Earlier decisions come from memory or, when a subscription begins further back, from the store. A
 * subscriber that falls so far behind that decisions have left memory gets {"method": "missed",
 * "params": {"from": a, "to": b}} and goes on after b; `decisions` or another `subscribe` returns
 * the missed ones.
 */
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
/* Tells all subscribers something other than a decision; one that reads too slowly misses it. */
void allot__feed_tell(allot__feed *feed, const char *method, const char *params, size_t len);
/* A peer's buffer has space again: whether something was sent. */
bool allot__feed_drained(allot__feed *feed, struct allot__connection *peer);
void allot__feed_gone(allot__feed *feed, struct allot__connection *peer);
int32_t allot__feed_subscribers(const allot__feed *feed);
int64_t allot__feed_missed(const allot__feed *feed); /* decisions, in all */

#endif
