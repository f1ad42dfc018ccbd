/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * wire.h: connections: lines in, lines out, both bounded.
 *
 * A peer that sends a line of more than 1 MiB is told so and closed. A peer is read from only while
 * less than ALLOT__OUT_MOST of what it has to read waits for it, and while the store keeps up; who
 * stops reading so stops being answered, and takes no more memory than that. Notifications to a
 * subscriber are dropped, and counted, while its buffer is above half (feed.h).
 */
#ifndef ALLOT_SERVICE_WIRE_WIRE_H
#define ALLOT_SERVICE_WIRE_WIRE_H

#include <allot/service.h>

#include "base/text.h"

#define ALLOT__OUT_MOST (64 * 1024)

typedef struct allot__connection allot__connection;

/* Listens as the service's config says. EIO (report). */
int allot__wire_start(allot_service *service, allot_report *report);
/* Stops listening and reading; what was taken is answered still. */
void allot__wire_quiet(allot_service *service);
/* Ends all connections once their answers are written, or after a second. */
void allot__wire_stop(allot_service *service);
/* Reads again from those that were left waiting. */
void allot__wire_resume(allot_service *service);
/* Nobody holds the books any more: those who waited for them go on. */
void allot__wire_release(allot_service *service);
/* Sends answers that waited for batches up to that number. */
void allot__wire_committed(allot_service *service, int64_t batch);

/* Tells the embedder's calls (allot_service_call) what is on disk. */
void allot__waiters_committed(allot_service *service, int64_t batch);
void allot__waiters_free(allot_service *service);

/* A line, to which an end is added, at once or once `batch` is on disk (0: at once). */
void allot__connection_send(allot__connection *peer, const char *line, size_t len, int64_t batch);
/* Sends what was added from elsewhere than a call, and what the peer subscribed to. */
void allot__connection_push(allot__connection *peer);
/* Bytes that wait to be sent. */
size_t allot__connection_waiting(const allot__connection *peer);
/* It is to be answered later, or was: by so much more. */
void allot__connection_owe(allot__connection *peer, int32_t size);
/* The line that is run is a question, and no event: may it be in this turn of the loop? */
bool allot__connection_may_ask(allot__connection *peer);
/* A peer's number is never used twice; NULL: it is gone. */
uint64_t allot__connection_number(const allot__connection *peer);
allot__connection *allot__connection_find(allot_service *service, uint64_t number);
/* Whether it may call what is not open; and the token that lets it. Constant time in the token's
 * bytes. */
bool allot__connection_trusted(const allot__connection *peer);
bool allot__connection_auth(allot__connection *peer, const char *token);
/* Closes the rest once all connections are gone and it was told to stop. */
void allot__wire_end(allot_service *service);
void allot__wire_free(allot_service *service);
int32_t allot__wire_peers(const allot_service *service);

/* Whose connection ends is noticed though nothing is said: after some two minutes. */
void allot__socket_alive(int fd);

/* Who is at the other end of a Unix socket. */
typedef struct allot__visitor {
    uint32_t uid, own; /* own: the service's */
    bool in_group;     /* of the socket */
} allot__visitor;
/* The socket's mode, and whether somebody may say anything there. */
uint32_t allot__socket_mode(const allot_service_config *config);
bool allot__may_visit(const allot_service_config *config, const allot__visitor *who);
/* Whether a user can be told from others here, by the text of /proc/self/uid_map: in a namespace
 * there are some that cannot. */
bool allot__uid_is_known(const char *map, uint32_t uid);
/* "host:port" -> its parts; host "" for port alone. EUSAGE. */
int allot__address_split(const char *address, char *host, size_t size, int32_t *port);

#endif
