/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * match.h: how many slots leaves can have together if hosts differ.
 *
 * A class is the leaves to which the same hosts are open; a kind is the hosts open to the same
 * classes: there are few of both. Slots flow from kinds to classes. A class that asks for more
 * moves other classes to other kinds that they can use, so classes together get as much as any
 * assignment could give them (a maximum flow). A class that asks first never gets less because of
 * one that asks later.
 *
 * A class that gets no more, with those that it could not move, holds all slots of all kinds open
 * to any of them (Hall's condition): none of these classes can have more.
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
    int32_t *class_of; /* by row; -1: not a leaf */
    int32_t *kind_of;  /* by host; -1: open to no leaf */
    int32_t *first;    /* by class: its edges; classes + 1 entries */
    int32_t *by_kind;  /* by kind: the first of its edges, or -1 */
    allot__edge *edges;
    int64_t *most, *left; /* by kind: its slots, and those that no class has */
    /* Of the last search: the edge that led to a class or kind, or -1; and its queue. */
    int32_t *class_via, *kind_via, *queue;
    int32_t seen; /* entries of the queue */
} allot__match;

/* Which slots a kind has: all slots of open hosts, whatever runs there; free slots; or slots of
 * hosts with an owner: common hosts count none yet, and are open to exclusive consumers, too. */
typedef enum allot__matched {
    ALLOT__ALL_SLOTS,
    ALLOT__FREE_SLOTS,
    ALLOT__OWN_SLOTS
} allot__matched;

/* Makes the classes and kinds of a group with hosts; `unknown` further slots are open only to
 * leaves that take any host. No class has slots yet. ENOMEM. */
int allot__match_make(allot__work *work, allot__matched what, int64_t unknown, allot__match *out);
/* Takes all slots back from all classes. */
void allot__match_reset(allot__match *match);
/* Gives a class up to `slots` more; returns the number given. */
int64_t allot__match_push(allot__match *match, int32_t class, int64_t slots);
/* After a push that fell short: is the class one of those that can have no more, as above? */
static inline bool allot__match_tight(const allot__match *match, int32_t class)
{
    return match->class_via[class] != -1;
}
/* Writes, by class, whether it could get a slot. */
void allot__match_open(allot__match *match, uint8_t *open);

/* Do hosts differ for any leaf? */
static inline bool allot__group_hosts_uneven(const allot__group_hosts *hosts)
{
    return hosts != NULL && (hosts->owned || hosts->exclusive_of || hosts->asks);
}

#endif
