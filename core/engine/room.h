/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * room.h: the hosts that queues run on, in one cycle: what is free there, and for whom.
 *
 * Hosts stand in the order in which jobs are put on them: least loaded first (what the state tells,
 * or else the slots used of all), ties in plan order. The order is that of the cycle's
 * beginning and stays. Without hosts there is one that has all slots.
 *
 * A suspended job leaves its slots to those who may preempt its queue, and keeps them against all
 * others (P-25); with preemption off it keeps them against everybody (P-20).
 */
#ifndef ALLOT_ENGINE_ROOM_H
#define ALLOT_ENGINE_ROOM_H

#include "engine/work.h"
#include "model/job.h"
#include "model/queue.h"

typedef struct allot__room {
    int32_t count;    /* hosts, in that order */
    int32_t *site;    /* of the state; -1: the only one */
    int32_t *slots;   /* of an open host; 0 of a closed one */
    int32_t *free;    /* below 0: more runs there than it has */
    int64_t *load;    /* thousandths */
    int32_t *running; /* jobs that run there */
    uint8_t *alone;   /* one that runs there is exclusive (P-40) */
    int32_t *host_of; /* by site: its place in the order, or -1 */
    uint64_t *open;   /* a bit by host: free > 0 and not alone */
    /* By the plan's set of hosts, one more for all: bits in this order, and what is free there. */
    uint64_t **sets;
    int64_t *total, *most; /* free slots, kept up to date; and slots of open hosts */
    int32_t set_count;
    size_t words;
} allot__room;

/* Puts hosts in order and takes off what runs; ENOMEM. */
int allot__room_make(const allot__work *work, allot__room *out);
/* The set of a queue's hosts, and which bits hosts outside it do not have. */
static inline bool allot__room_has(const allot__room *room, int32_t set, int32_t host)
{
    return room->sets[set][(size_t)host / 64] >> host % 64 & 1;
}
/* Slots are taken (below 0: given back) on a host; keeps totals and bits. */
void allot__room_take(allot__room *room, int32_t host, int32_t slots);
/* The first host of a set from `from` on that has slots free, or -1. */
int32_t allot__room_next(const allot__room *room, int32_t set, int32_t from);

#endif
