/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * notify.c: the component that keeps the manager informed.
 *
 * This file owns: its timer, and what was told last.
 */
#include "service/notify/notify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/instance/service.h"
#include "service/wire/wire.h"
#include "base/memory.h"

/* Milliseconds between looks at what is to be told, where no watchdog wants more. */
#define LOOK_EVERY 5000

typedef struct allot__notify {
    allot_service *service;
    uv_timer_t timer;
    bool watched, ready_owed;
    int error;                     /* the last, so that it is logged once */
    char told[ALLOT__NOTIFY_MOST]; /* the STATUS that the manager knows */
} notify;

static int tell(notify *it, const char *text)
{
    int error = allot__notify_send(it->service->config.notify, text);
    if (error != 0 && error != it->error) {
        const allot__log_field fields[] = {
            {"socket", it->service->config.notify, 0},
            {"error", uv_strerror(uv_translate_sys_error(error)), 0},
            {NULL, NULL, 0},
        };
        allot__log(it->service, ALLOT_LOG_WARNING, "the service manager cannot be told", fields);
    }
    it->error = error;
    return error;
}

/* What `systemctl status` shows. */
static void status_of(allot_service *service, char *buf, size_t size)
{
    const char *trouble = allot__store_error(service->store);
    if (trouble) {
        snprintf(buf, size, "STATUS=nothing is acknowledged: %.300s", trouble);
        return;
    }
    snprintf(buf, size,
             "STATUS=%" PRId64 " events, %" PRId64 " decisions, %" PRId32
             " connections, plan %.12s",
             service->event, service->seq, allot__wire_peers(service), service->generation->sha256);
}

/* One datagram has all that there is to tell. */
static void look(uv_timer_t *timer)
{
    notify *it = timer->data;
    char text[2 * ALLOT__NOTIFY_MOST] = "", status[ALLOT__NOTIFY_MOST];
    size_t len = 0;
    if (it->ready_owed)
        len += (size_t)snprintf(text + len, sizeof text - len, "READY=1\n");
    if (it->watched)
        len += (size_t)snprintf(text + len, sizeof text - len, "WATCHDOG=1\n");
    status_of(it->service, status, sizeof status);
    bool news = strcmp(status, it->told) != 0;
    if (news)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", status);
    if (len == 0 || tell(it, text) != 0)
        return;
    it->ready_owed = false;
    if (news)
        memcpy(it->told, status, sizeof status);
}

int allot__notify_start(allot_service *service, allot_report *report)
{
    const allot_service_config *config = &service->config;
    (void)report;
    if (!config->notify)
        return ALLOT_OK;
    notify *it = allot__new(service->engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    it->service = service;
    it->watched = config->watchdog > 0;
    it->ready_owed = true;
    it->timer.data = it;
    service->components.notify = it;
    uint64_t every = it->watched ? (uint64_t)config->watchdog / 2000 : LOOK_EVERY;
    every = every == 0 ? 1 : every;
    uv_timer_init(service->loop, &it->timer);
    allot__handle_open(service);
    look(&it->timer);
    uv_timer_start(&it->timer, look, every, every);
    uv_unref((uv_handle_t *)&it->timer);
    return ALLOT_OK;
}

void allot__notify_reloading(allot_service *service)
{
    notify *it = service->components.notify;
    char text[64];
    if (!it)
        return;
    allot__notify_reload_text(uv_hrtime(), text, sizeof text);
    tell(it, text);
}

void allot__notify_ready(allot_service *service)
{
    notify *it = service->components.notify;
    if (!it)
        return;
    it->ready_owed = true;
    look(&it->timer);
}

static void closed(uv_handle_t *handle)
{
    allot__handle_closed(((notify *)handle->data)->service);
}

void allot__notify_stop(allot_service *service)
{
    notify *it = service->components.notify;
    if (!it)
        return;
    tell(it, "STOPPING=1\nSTATUS=what was taken is written and answered");
    uv_close((uv_handle_t *)&it->timer, closed);
}

void allot__notify_free(allot_service *service)
{
    allot__free(service->engine, service->components.notify, 1, sizeof(notify));
    service->components.notify = NULL;
}
