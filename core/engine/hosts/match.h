/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * match.h: what leaves can have together of hosts that are not all alike.
 *
 * Leaves to whom the same hosts are open are a class, hosts that are open to the same classes a
 * kind: there are few of both. Between them slots flow; a class that asks for more sends others on
 * to kinds that these can use as well, so the classes together get all that any assignment could
 * give them (a maximum flow). Who asks first is never given less for who asks later.
 *
 * Where a class gets no more, the classes that it could not send on hold, with it, all slots of all
 * kinds that are open to any of them (Hall's condition): no one of these can have more.
 */
#ifndef ALLOT_ENGINE_HOSTS_MATCH_H
#define ALLOT_ENGINE_HOSTS_MATCH_H

#include "engine/hosts/hosts.h"

/* A kind that is open to a class, and how many of its slots the class has. */
typedef struct allot__edge {
    int32_t class, kind;
    int32_t next; /* of the kind: another edge, or -1 */
    int64_t flow;
} allot__edge;

typedef struct allot__match {
    int32_t classes, kinds, edge_count;
    int32_t *class_of; /* by row; -1: no leaf */
    int32_t *kind_of;  /* by host; -1: open to nobody */
    int32_t *first;    /* by class: its edges; classes + 1 entries */
    int32_t *by_kind;  /* by kind: the first of its edges, or -1 */
    allot__edge *edges;
    int64_t *most, *left; /* by kind: slots, and those that nobody has */
    /* Of the last search: by which edge a class or kind was come to, or -1; and room for it. */
    int32_t *class_via, *kind_via, *queue;
    int32_t seen; /* so many of the queue were */
} allot__match;

/* What a kind has: all slots of open hosts, whoever is there now; those that are free; or those of
 * hosts that somebody owns: common ones have none yet, and are open to exclusive consumers, too. */
typedef enum allot__matched {
    ALLOT__ALL_SLOTS,
    ALLOT__FREE_SLOTS,
    ALLOT__OWN_SLOTS
} allot__matched;

/* The classes and kinds of a group with hosts; `unknown` slots more are open to those alone who
 * take any host. Nobody has any slots yet. ENOMEM. */
int allot__match_make(allot__work *work, allot__matched what, int64_t unknown, allot__match *out);
/* Nobody has any slots. */
void allot__match_reset(allot__match *match);
/* Gives a class up to `slots` more; how many. */
int64_t allot__match_push(allot__match *match, int32_t class, int64_t slots);
/* After a push that fell short: does the class hold, with the one that pushed, all that is open to
 * them? */
static inline bool allot__match_tight(const allot__match *match, int32_t class)
{
    return match->class_via[class] != -1;
}
/* By class: could it get a slot? */
void allot__match_open(allot__match *match, uint8_t *open);

/* Do hosts differ for anybody? */
static inline bool allot__group_hosts_uneven(const allot__group_hosts *hosts)
{
    return hosts != NULL && (hosts->owned || hosts->exclusive_of || hosts->asks);
}

#endif
