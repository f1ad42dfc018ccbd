/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hold.c: work on the books over many turns of the loop. */
#include "service/instance/hold.h"

#include "service/instance/service.h"

enum { SLICE = 5000000 }; /* ns */

int allot__hold_start(allot_service *service, allot_report *report)
{
    (void)report;
    allot__holds *holds = &service->holds;
    uv_idle_init(service->loop, &holds->idle);
    holds->idle.data = service;
    holds->open = true;
    allot__handle_open(service);
    return ALLOT_OK;
}

void allot__hold_stop(allot_service *service)
{
    if (!service->holds.open)
        return;
    allot__hold_settle(service);
    service->holds.open = false;
    allot__handle_close(&service->holds.idle);
}

bool allot__hold_is(const allot_service *service)
{
    return service->holds.first != NULL;
}

static void work(allot_service *service, uint64_t until)
{
    allot__holds *holds = &service->holds;
    allot__hold *hold = holds->first;
    if (!hold->step(hold, until))
        return;
    holds->first = hold->next;
    hold->end(hold);
    if (!holds->first)
        service->up->released(service);
}

static void on_turn(uv_idle_t *idle)
{
    allot_service *service = idle->data;
    uint64_t began = uv_hrtime();
    if (service->holds.first)
        work(service, began + SLICE);
    uint64_t took = uv_hrtime() - began;
    if (took > service->holds.longest)
        service->holds.longest = took;
    if (!service->holds.first)
        uv_idle_stop(idle);
}

void allot__hold_begin(allot_service *service, allot__hold *hold)
{
    allot__hold **at = &service->holds.first;
    while (*at)
        at = &(*at)->next;
    hold->next = NULL;
    *at = hold;
    uv_idle_start(&service->holds.idle, on_turn);
}

void allot__hold_settle(allot_service *service)
{
    while (service->holds.first)
        work(service, UINT64_MAX);
}
