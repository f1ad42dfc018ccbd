/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wire.c: all connections together. */
#include "service/wire/wire.h"

#include <string.h>
#include <unistd.h>

#include "service/wire/wire_own.h"

static void each_second(uv_timer_t *timer)
{
    allot_service *service = timer->data;
    struct allot__wire *wire = service->wire;
    uint64_t now = uv_now(service->loop);
    for (allot__peer *it = wire->peers, *next; it; it = next) {
        next = it->next;
        bool stranger = !it->trusted && now - it->since > ALLOT__STRANGER_TIME;
        bool deaf = it->deaf && now - it->since > ALLOT__DEAF_TIME;
        if (stranger || deaf || (wire->stopping && now >= wire->stop_at))
            allot__peer_close(it);
    }
}

int allot__wire_start(allot_service *service, allot_report *report)
{
    struct allot__wire *wire = allot__sv_new(service->engine, 1, sizeof *wire);
    if (!wire)
        return ALLOT_ENOMEM;
    service->wire = wire;
    wire->answer.engine = service->engine;
    uv_timer_init(service->loop, &wire->timer);
    wire->timer.data = service;
    wire->timer_open = true;
    allot__handle_open(service);
    uv_timer_start(&wire->timer, each_second, 1000, 1000);
    allot__turns_start(service);
    int status = ALLOT_OK;
    if (service->config.tcp)
        status = allot__listen_tcp(service, report);
    /* Last: whoever gets on the socket finds all of the service. */
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
    for (allot__peer *it = wire->peers, *next; it; it = next) {
        next = it->next;
        allot__peer_run(it); /* which stops reading */
    }
}

static void closed(uv_handle_t *handle)
{
    allot__handle_closed(handle->data);
}

void allot__wire_stop(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire || wire->stop_at != UINT64_MAX)
        return;
    wire->stop_at = uv_now(service->loop) + 1000;
    for (allot__peer *it = wire->peers, *next; it; it = next) {
        next = it->next;
        it->ending = true;
        allot__peer_flush(it);
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
    allot__turns_end(service);
    uv_close((uv_handle_t *)&wire->timer, closed);
}

void allot__wire_free(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (!wire)
        return;
    allot__buf_free(&wire->answer);
    allot__sv_drop(service->engine, wire->path);
    allot__sv_free(service->engine, wire, 1, sizeof *wire);
    service->wire = NULL;
}

void allot__wire_resume(allot_service *service)
{
    if (!service->wire)
        return;
    for (allot__peer *it = service->wire->peers, *next; it; it = next) {
        next = it->next;
        if (!it->reading)
            allot__peer_run(it);
    }
}

void allot__wire_committed(allot_service *service, int64_t batch)
{
    if (!service->wire)
        return;
    for (allot__peer *it = service->wire->peers, *next; it; it = next) {
        next = it->next;
        if (it->held_count > 0 || it->out.len > 0) {
            allot__peer_free_held(it, batch);
            allot__peer_push(it);
        }
        if (!it->closing && !it->reading)
            allot__peer_run(it);
    }
}

/* ---- Peers ----------------------------------------------------------------------------------- */

uint64_t allot__peer_number(const allot__peer *peer)
{
    return peer->number;
}

allot__peer *allot__peer_find(allot_service *service, uint64_t number)
{
    allot__peer *it = service->wire ? service->wire->peers : NULL;
    while (it && it->number != number)
        it = it->next;
    return it;
}

bool allot__peer_trusted(const allot__peer *peer)
{
    return peer->trusted;
}

bool allot__peer_auth(allot__peer *peer, const char *token)
{
    char address[ALLOT__ADDRESS_MOST];
    allot__peer_address(peer, address, sizeof address);
    if (allot__token_fits(peer->service, token, strlen(token), address))
        peer->trusted = true;
    else
        peer->ended = true;
    return peer->trusted;
}

int32_t allot__wire_peers(const allot_service *service)
{
    return service->wire ? service->wire->count : 0;
}
