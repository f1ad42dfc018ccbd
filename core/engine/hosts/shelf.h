/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * shelf.h: open hosts without an owner, in the order in which an exclusive consumer chooses among
 * them. Hosts that suit alike are on one shelf, in plan order; the order of shelves is:
 *  1. hosts that no other consumer that lacks slots requires,
 *  2. empty hosts, then hosts whose most important session is the least (XV-4),
 *  3. hosts with the fewest slots in use,
 *  4. hosts with the fewest slots too many, in plan order.
 */
#ifndef ALLOT_ENGINE_HOSTS_SHELF_H
#define ALLOT_ENGINE_HOSTS_SHELF_H

#include "engine/hosts/match.h"

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
