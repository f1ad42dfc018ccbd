/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.h: puts grants on hosts.
 *
 * Stacked: each host is filled before the next, in plan order. Balanced: each slot goes to the host
 * with the most free slots by then, ties in plan order. An exclusive consumer fills its own hosts,
 * then takes empty ones; exclusive consumers and consumers with a requirement are placed before
 * others.
 *
 * A consumer is not granted slots that no host serving it has free; other consumers that can use
 * them get them. Free slots on unknown hosts are granted to consumers that take any host, as
 * unplaced.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_PLACE_H
#define ALLOT_ENGINE_PLACEMENT_PLACE_H

#include "engine/hosts/hosts.h"

/*
 * Which consumers get the idle slots (C-5). First pass, top-down: members in order take slots up to
 * their quota above their allocation; a parent passes its part down. A parent's quota beyond its
 * children's is that of a *last member*, which demands and holds nothing, so that the parent can
 * place all that it takes. Second pass, in the same order: the rest goes to leaves (and last
 * members) that are still below quota although their parents are not. Writes idle, idle_left,
 * received, spare, and sums' received.
 */
int allot__distribute(allot__work *work);
/* The same, within what hosts have free. */
int allot__place(allot__work *work);
/* Then, if hosts are known, finds hosts for the granted slots. */
int allot__place_grants(allot__work *work);

/* Slots that a leaf lacks although they are idle: no host that serves it has them. */
int64_t allot__barred(const allot__work *work, int32_t row);

/* ---- Spreading slots over hosts that could all give them ----------------------------------------
 */

/* Hosts to choose from, in plan order; balanced: a heap after the first slot was taken. */
typedef struct allot__choice {
    int32_t *hosts;
    int32_t count;
    int32_t next; /* stacked: hosts before it are full */
    bool heaped;
    const int32_t *free; /* by host */
    int64_t total;       /* free slots of all these hosts; kept up to date */
} allot__choice;

/* Called with every piece; takes it off the free slots. */
typedef void allot__piece(void *ud, int32_t host, int32_t slots);

/* Stacked and balanced, as above; both return the number of `want` slots that are not free there.
 */
int64_t allot__stack(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);
int64_t allot__balance(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);

#endif
