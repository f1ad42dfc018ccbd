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

#include "base/bits.h"
#include "engine/hosts/hosts.h"

/* A kind that is open to a class, and how many of its slots the class has. */
typedef struct allot__edge {
    int32_t class, kind;
    int32_t place; /* among the edges by kind */
    int64_t flow;
} allot__edge;

typedef struct allot__match {
    int32_t classes, kinds, edge_count;
    int32_t *class_of; /* by row; -1: not a leaf */
    int32_t *kind_of;  /* by host; -1: open to no leaf */
    int32_t *first;    /* by class: its edges; classes + 1 entries */
    allot__edge *edges;
    int32_t *by_kind;     /* edges, kind by kind */
    int32_t *kind_first;  /* by kind: its place there; kinds + 1 entries */
    allot__bits flowing;  /* places of edges with flow */
    int64_t *most, *left; /* by kind: its slots, and those that no class has */
    /* Of the last search: the edge that led to a class or kind, or -1; and its queue. */
    int32_t *class_via, *kind_via, *queue;
    int32_t seen; /* entries of the queue */
    /* By class and kind: a search of this era found that no slot is left behind it. An era ends
     * when slots become free. */
    int32_t *class_tight, *kind_tight, era;
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
/* Did a push since the last reset fall short, so that the class can have no more, as above? */
static inline bool allot__match_tight(const allot__match *match, int32_t class)
{
    return match->class_tight[class] == match->era;
}
/* Changes the slots that a class has of a kind. */
static inline void allot__edge_add(allot__match *match, allot__edge *edge, int64_t slots)
{
    edge->flow += slots;
    allot__bits_set(&match->flowing, edge->place, edge->flow > 0);
}
/* Ends an era: kinds have more slots left. */
static inline void allot__match_loosen(allot__match *match)
{
    match->era++;
}
/* Writes, by class, whether it could get a slot. */
void allot__match_open(allot__match *match, uint8_t *open);

/* Do hosts differ for any leaf? */
static inline bool allot__group_hosts_uneven(const allot__group_hosts *hosts)
{
    return hosts != NULL && (hosts->owned || hosts->exclusive_of || hosts->asks);
}

/*
 * joint.c: quotas within the slots that hosts offer leaves together (H-17).
 *
 * For any set of leaves that require something, are exclusive, or are given hosts, the sum of their
 * quotas is within the slots of all hosts open to any of them. If the group's size would give them
 * more, slots are divided as if the group grew slot by slot: at the size at which the hosts are
 * used up, quotas of these leaves stay, and those of other leaves grow on. So leaves that compete
 * for hosts share them by the policy's own rules, and other leaves get the slots that they cannot
 * use.
 */
/* After need and quota, if hosts differ: lowers limits and computes need and quota anew until
 * quotas fit. ENOMEM, or what a policy's function failed with. */
int allot__joint(allot__work *work);

/*
 * shelf.c: open hosts without an owner, in the order in which an exclusive consumer chooses among
 * them. Hosts that suit alike are on one shelf, in plan order; the order of shelves is:
 *  1. hosts that no other consumer that lacks slots requires,
 *  2. empty hosts, then hosts whose most important session is the least (XV-4),
 *  3. hosts with the fewest slots in use,
 *  4. hosts with the fewest slots too many, in plan order.
 */
typedef struct allot__shelf {
    int32_t kind, slots, used;
    int64_t important; /* the most important session there, for which all count; -1: none */
    bool needed;       /* another consumer that lacks slots requires such hosts */
    int32_t first;     /* its first host, or -1 */
} allot__shelf;

typedef struct allot__shelves {
    allot__shelf *list;
    int32_t count;
    int32_t front;     /* shelves before it are empty */
    int32_t *next;     /* by host: the next one on its shelf, or -1 */
    int32_t *shelf_of; /* by host */
} allot__shelves;

/* Allocates shelves for so many hosts. ENOMEM. */
int allot__shelves_make(allot__shelves *shelves, allot__arena *arena, size_t host_count);
/* Puts all hosts on shelves but barred ones; `lacks`, by requirement: a consumer lacks slots. */
void allot__shelves_fill(allot__shelves *shelves, const allot__work *work,
                         const allot__match *match, const bool *lacks);
/* Takes the host that best suits a row that wants so many slots; -1: none does. */
int32_t allot__shelves_take(allot__shelves *shelves, const allot__group_hosts *hosts, int32_t row,
                            int64_t want);
/* Puts a host back: of its shelf, the one taken last and not put back yet. */
void allot__shelves_put(allot__shelves *shelves, int32_t host);

#endif
