/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.c: handles and thread work of a service, and fatal failures. */
#include "service/instance/loop.h"

#include "service/instance/service.h"

void allot__handle_open(allot_service *service)
{
    service->handles++;
}

void allot__handle_closed(allot_service *service)
{
    service->handles--;
    if (service->stopping)
        service->up->closed(service);
}

static void closed(uv_handle_t *handle)
{
    allot__handle_closed(handle->data);
}

void allot__handle_close(void *handle)
{
    uv_close(handle, closed);
}

static void work_run(uv_work_t *uv)
{
    allot__work *work = uv->data;
    work->run(work->ud);
}

/* Work is never cancelled. */
static void work_done(uv_work_t *uv, int status)
{
    allot__work *work = uv->data;
    allot_service *service = work->service;
    (void)status;
    work->done(work->ud);
    allot__handle_closed(service);
}

void allot__work_begin(allot_service *service, allot__work *work, void (*run)(void *ud),
                       void (*done)(void *ud), void *ud)
{
    *work = (allot__work){.service = service, .run = run, .done = done, .ud = ud};
    work->uv.data = work;
    allot__handle_open(service);
    uv_queue_work(service->loop, &work->uv, work_run, work_done);
}

void allot__service_fail(allot_service *service, const char *text)
{
    allot__log(service, ALLOT_LOG_ERROR, text, NULL);
    service->failed = true;
    service->fault = text;
    service->failed_hook(service->failed_ud);
}
