/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wire.c: all connections together. */
#include "service/wire/wire.h"

#include <string.h>
#include <unistd.h>

#include "service/wire/own.h"
#include "base/memory.h"

/* ---- Turns of the loop ----------------------------------------------------------------------- */

/* Waiting peers keep their place until there is time for them. */
static void serve(struct allot__wire *wire, allot__waits what)
{
    bool ask = what == ALLOT__TO_ASK;
    allot__waitlist *queue = &wire->queues[what];
    for (int32_t i = queue->count; i > 0 && queue->first; i--) {
        allot__connection *first = queue->first;
        if (wire->spent >= ALLOT__TURN_TIME || (ask && wire->asked >= ALLOT__TURN_ASKS))
            break;
        allot__turn_leave(first);
        allot__connection_run(first);
    }
}

static void nothing(uv_idle_t *idle)
{
    (void)idle; /* while active, the loop does not sleep */
}

/* Once a turn of the loop, before it polls. */
static void on_turn(uv_prepare_t *prepare)
{
    struct allot__wire *wire = ((allot_service *)prepare->data)->wire;
    wire->turn++;
    wire->spent = wire->asked = 0;
    serve(wire, ALLOT__FOR_TURN);
    serve(wire, ALLOT__TO_ASK);
    if (wire->queues[ALLOT__FOR_TURN].first || wire->queues[ALLOT__TO_ASK].first)
        uv_idle_start(&wire->idle, nothing);
    else
        uv_idle_stop(&wire->idle);
}

static void start_turns(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    uv_prepare_init(service->loop, &wire->prepare);
    uv_idle_init(service->loop, &wire->idle);
    wire->prepare.data = wire->idle.data = service;
    uv_prepare_start(&wire->prepare, on_turn);
    allot__handle_open(service);
    allot__handle_open(service);
}

static void end_turns(allot_service *service)
{
    allot__handle_close(&service->wire->prepare);
    allot__handle_close(&service->wire->idle);
}

/* ---- Its life -------------------------------------------------------------------------------- */

static void each_second(uv_timer_t *timer)
{
    allot_service *service = timer->data;
    struct allot__wire *wire = service->wire;
    uint64_t now = uv_now(service->loop);
    for (allot__connection *it = wire->peers, *next; it; it = next) {
        next = it->next;
        bool stranger = it->role == ALLOT__NOBODY && now - it->since > ALLOT__STRANGER_TIME;
        bool deaf = it->deaf && now - it->since > ALLOT__DEAF_TIME;
        if (stranger || deaf || (wire->stopping && now >= wire->stop_at))
            allot__connection_close(it);
    }
}

int allot__wire_start(allot_service *service, allot_report *report)
{
    struct allot__wire *wire = allot__new(service->engine, 1, sizeof *wire);
    if (!wire)
        return ALLOT_ENOMEM;
    service->wire = wire;
    wire->answer.engine = service->engine;
    uv_timer_init(service->loop, &wire->timer);
    wire->timer.data = service;
    wire->timer_open = true;
    allot__handle_open(service);
    uv_timer_start(&wire->timer, each_second, 1000, 1000);
    start_turns(service);
    int status = ALLOT_OK;
    if (service->config.tcp)
        status = allot__listen_tcp(service, report);
    /* Last: once the socket answers, the service is complete. */
    if (status == ALLOT_OK && service->config.socket)
        status = allot__listen_pipe(service, report);
    return status;
}

void allot__wire_quiet(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire || wire->stopping)
        return;
    wire->stopping = true;
    wire->stop_at = UINT64_MAX;
    allot__listen_close(service);
    for (allot__connection *it = wire->peers, *next; it; it = next) {
        next = it->next;
        allot__connection_run(it); /* which stops reading */
    }
}

void allot__wire_stop(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire || wire->stop_at != UINT64_MAX)
        return;
    wire->stop_at = uv_now(service->loop) + 1000;
    for (allot__connection *it = wire->peers, *next; it; it = next) {
        next = it->next;
        it->ending = true;
        allot__connection_flush(it);
    }
    uv_timer_start(&wire->timer, each_second, 50, 50);
}

/* Once all peers are gone. */
void allot__wire_end(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire || !wire->timer_open || wire->peers || !wire->stopping)
        return;
    wire->timer_open = false;
    end_turns(service);
    allot__handle_close(&wire->timer);
}

void allot__wire_free(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire)
        return;
    allot__text_free(&wire->answer);
    allot__free_string(service->engine, wire->path);
    allot__free(service->engine, wire, 1, sizeof *wire);
    service->wire = NULL;
}

/* They go on in their order of waiting, as far as this turn has time. */
void allot__wire_release(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    for (allot__connection *first; wire && (first = wire->queues[ALLOT__FOR_BOOKS].first);) {
        allot__turn_leave(first);
        allot__turn_wait(first, ALLOT__FOR_TURN);
    }
    if (wire && wire->queues[ALLOT__FOR_TURN].first)
        uv_idle_start(&wire->idle, nothing);
}

void allot__wire_lose(allot_service *service)
{
    for (allot__connection *it = service->wire ? service->wire->peers : NULL; it; it = it->next)
        allot__connection_lose(it);
}

void allot__wire_committed(allot_service *service, int64_t batch)
{
    struct allot__wire *wire = service->wire;
    for (allot__connection *it = wire ? wire->peers : NULL; it; it = it->next)
        allot__connection_free_held(it, batch);
    allot__feed_committed(service->feed, batch);
    for (allot__connection *it = wire ? wire->peers : NULL, *next; it; it = next) {
        next = it->next;
        if (it->out.len > 0 || it->out.failed)
            allot__connection_push(it);
        if (!it->closing && !it->reading)
            allot__connection_run(it);
    }
}

/* ---- Peers ----------------------------------------------------------------------------------- */

uint64_t allot__connection_number(const allot__connection *peer)
{
    return peer->number;
}

allot__connection *allot__connection_find(allot_service *service, uint64_t number)
{
    allot__connection *it = service->wire ? service->wire->peers : NULL;
    while (it && it->number != number)
        it = it->next;
    return it;
}

allot__role allot__connection_auth(allot__connection *peer, const char *token, bool *late)
{
    allot__who *who = &peer->who;
    char label[ALLOT__WHO_LABEL + 1];
    allot__role role = allot__token_role(peer->service, token, strlen(token),
                                         peer->local ? "the socket" : who->address, label, late);
    if (role == ALLOT__NOBODY) {
        peer->ended = true;
        return role;
    }
    peer->role = role;
    who->role = allot__role_word(role);
    memcpy(who->token, label, sizeof label);
    who->row = 0;
    return role;
}

int32_t allot__wire_peers(const allot_service *service)
{
    return service->wire ? service->wire->count : 0;
}
