/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* embedder.c: calls of the program that embeds the service. */
#include "service/instance/service.h"
#include "service/wire/rpc.h"
#include "service/wire/wire.h"
#include "base/memory.h"

struct allot__waiter {
    struct allot__waiter *next;
    int64_t batch;
    allot__text answer;
    void (*tell)(void *ud, const char *line, size_t len);
    void *ud;
};

static void release(allot_service *service, struct allot__waiter *waiter)
{
    allot__text_free(&waiter->answer);
    allot__free(service->engine, waiter, 1, sizeof *waiter);
}

void allot__waiters_committed(allot_service *service, int64_t batch)
{
    while (service->waiters && service->waiters->batch <= batch) {
        struct allot__waiter *first = service->waiters;
        service->waiters = first->next;
        if (first->tell)
            first->tell(first->ud, first->answer.bytes, first->answer.len);
        release(service, first);
    }
}

void allot__waiters_free(allot_service *service)
{
    while (service->waiters) {
        struct allot__waiter *first = service->waiters;
        service->waiters = first->next;
        release(service, first);
    }
}

int allot_service_call(allot_service *service, const char *text, size_t len,
                       void (*answer)(void *ud, const char *line, size_t len), void *ud)
{
    if (!service->running || service->stopping)
        return ALLOT_EUSAGE;
    allot__hold_settle(service); /* the embedder's call cannot wait */
    struct allot__waiter *waiter = allot__new(service->engine, 1, sizeof *waiter);
    if (!waiter)
        return ALLOT_ENOMEM;
    waiter->answer.engine = service->engine;
    waiter->tell = answer;
    waiter->ud = ud;
    allot__request from = {.service = service, .tell = answer, .tell_ud = ud};
    int status = allot__rpc_line(&from, text, len, &waiter->answer, &waiter->batch);
    bool says = status == ALLOT_OK && waiter->answer.len > 0;
    if (says && waiter->batch > 0) {
        struct allot__waiter **at = &service->waiters;
        while (*at)
            at = &(*at)->next;
        *at = waiter;
        return ALLOT_OK;
    }
    if (says && answer)
        answer(ud, waiter->answer.bytes, waiter->answer.len);
    release(service, waiter);
    return status;
}
