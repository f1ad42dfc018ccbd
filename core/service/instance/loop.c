/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.c: what keeps a service on its loop, and what ends it there. */
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

void allot__service_fail(allot_service *service, const char *text)
{
    allot__log(service, ALLOT_LOG_ERROR, text, NULL);
    service->failed = true;
    service->fault = text;
    service->failed_hook(service->failed_ud);
}
