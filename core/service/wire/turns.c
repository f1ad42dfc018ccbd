/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * turns.c: who may have lines run, and how many, before the loop goes on to what else there is:
 * what came back from the disk, timers, other peers.
 *
 * Time bounds a turn of the loop, so that it is short whatever is asked; lines bound each peer's
 * share of it. Who has used up either waits in a queue, first come, first served, and is not read
 * from meanwhile. Questions, which have a queue of their own, may take a part of a turn alone: an
 * event waits for a few of them at most, however many readers there are.
 */
#include "service/wire/wire_own.h"

/* Of a turn: ns of all lines, of questions, and of one peer's; and lines of a peer. */
enum { ALL_TIME = 8000000, ASK_TIME = 4000000, OWN_TIME = 1000000, OWN_LINES = 64 };

/* ---- Queues ---------------------------------------------------------------------------------- */

void allot__turn_wait(allot__peer *peer, bool asks)
{
    if (peer->queue || peer->closing)
        return;
    allot__queue *queue = &peer->service->wire->queues[asks];
    peer->queue = queue;
    peer->queue_next = NULL;
    peer->queue_before = queue->last;
    *(queue->last ? &queue->last->queue_next : &queue->first) = peer;
    queue->last = peer;
    queue->count++;
}

void allot__turn_leave(allot__peer *peer)
{
    allot__queue *queue = peer->queue;
    if (!queue)
        return;
    peer->queue = NULL;
    *(peer->queue_before ? &peer->queue_before->queue_next : &queue->first) = peer->queue_next;
    *(peer->queue_next ? &peer->queue_next->queue_before : &queue->last) = peer->queue_before;
    queue->count--;
}

/* Those who wait keep their place until there is time for them. */
static void serve(struct allot__wire *wire, bool ask)
{
    allot__queue *queue = &wire->queues[ask];
    for (int32_t i = queue->count; i > 0 && queue->first; i--) {
        allot__peer *first = queue->first;
        if (wire->spent >= ALL_TIME || (ask && wire->asked >= ASK_TIME))
            break;
        allot__turn_leave(first);
        allot__peer_run(first);
    }
}

static void nothing(uv_idle_t *idle)
{
    (void)idle; /* the loop does not sleep while it is there */
}

/* Once a turn of the loop, before it looks what has come. */
static void on_turn(uv_prepare_t *prepare)
{
    struct allot__wire *wire = ((allot_service *)prepare->data)->wire;
    wire->turn++;
    wire->spent = wire->asked = 0;
    serve(wire, false);
    serve(wire, true);
    if (wire->queues[false].first || wire->queues[true].first)
        uv_idle_start(&wire->idle, nothing);
    else
        uv_idle_stop(&wire->idle);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Who is not trusted may say so little that only lines are counted. */
bool allot__turn_has(allot__peer *peer)
{
    struct allot__wire *wire = peer->service->wire;
    if (peer->turn != wire->turn) {
        peer->turn = wire->turn;
        peer->lines = 0;
        peer->asked = 0;
    }
    bool has = peer->lines < OWN_LINES && (!peer->trusted || wire->spent < ALL_TIME);
    if (!has)
        allot__turn_wait(peer, false);
    return has;
}

bool allot__peer_may_ask(allot__peer *peer)
{
    peer->asks = true;
    return peer->service->wire->asked < ASK_TIME && peer->asked < OWN_TIME;
}

void allot__turn_begin(allot__peer *peer)
{
    peer->asks = false;
    peer->lines++;
    peer->began = uv_hrtime();
}

void allot__turn_end(allot__peer *peer)
{
    struct allot__wire *wire = peer->service->wire;
    uint64_t took = uv_hrtime() - peer->began;
    wire->spent += took;
    if (!peer->asks)
        return;
    wire->asked += took;
    peer->asked += took;
}

/* ---- Life ------------------------------------------------------------------------------------ */

void allot__turns_start(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    uv_prepare_init(service->loop, &wire->prepare);
    uv_idle_init(service->loop, &wire->idle);
    wire->prepare.data = wire->idle.data = service;
    uv_prepare_start(&wire->prepare, on_turn);
    allot__handle_open(service);
    allot__handle_open(service);
}

static void closed(uv_handle_t *handle)
{
    allot__handle_closed(handle->data);
}

void allot__turns_end(allot_service *service)
{
    uv_close((uv_handle_t *)&service->wire->prepare, closed);
    uv_close((uv_handle_t *)&service->wire->idle, closed);
}
