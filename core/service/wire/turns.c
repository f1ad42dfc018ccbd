/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * turns.c: how many lines of each peer may run before the loop goes on to other work: results from
 * the disk, timers, other peers.
 *
 * A turn of the loop is bounded in time, and each peer's share in lines. A peer that has used up
 * either waits in a queue, first come, first served, and is not read from meanwhile. Questions have
 * a queue of their own and may take only a part of a turn: an event waits for few of them, however
 * many readers there are. Calls that need the books during a hold (instance/hold.h) wait in a third
 * queue until it ends.
 */
#include "service/wire/own.h"

/* ---- Queues ---------------------------------------------------------------------------------- */

void allot__turn_wait(allot__connection *peer, allot__waits what)
{
    if (peer->queue || peer->closing)
        return;
    allot__waitlist *queue = &peer->service->wire->queues[what];
    peer->queue = queue;
    peer->queue_next = NULL;
    peer->queue_before = queue->last;
    *(queue->last ? &queue->last->queue_next : &queue->first) = peer;
    queue->last = peer;
    queue->count++;
}

void allot__turn_leave(allot__connection *peer)
{
    allot__waitlist *queue = peer->queue;
    if (!queue)
        return;
    peer->queue = NULL;
    *(peer->queue_before ? &peer->queue_before->queue_next : &queue->first) = peer->queue_next;
    *(peer->queue_next ? &peer->queue_next->queue_before : &queue->last) = peer->queue_before;
    queue->count--;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* A peer that is not trusted may send so little that only its lines are counted. */
bool allot__turn_has(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    if (peer->turn != wire->turn) {
        peer->turn = wire->turn;
        peer->lines = 0;
        peer->asked = 0;
    }
    bool has =
        peer->lines < ALLOT__TURN_LINES && (!peer->trusted || wire->spent < ALLOT__TURN_TIME);
    if (!has)
        allot__turn_wait(peer, ALLOT__FOR_TURN);
    return has;
}

bool allot__connection_may_ask(allot__connection *peer)
{
    peer->asks = true;
    return peer->service->wire->asked < ALLOT__TURN_ASKS && peer->asked < ALLOT__TURN_OWN;
}

void allot__turn_begin(allot__connection *peer)
{
    peer->asks = false;
    peer->lines++;
    peer->began = uv_hrtime();
}

void allot__turn_end(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    uint64_t took = uv_hrtime() - peer->began;
    wire->spent += took;
    if (!peer->asks)
        return;
    wire->asked += took;
    peer->asked += took;
}

bool allot__connection_trusted(const allot__connection *peer)
{
    return peer->trusted;
}
