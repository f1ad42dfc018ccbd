/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* notify.c: the component that notifies the service manager. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "service/notify/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/wire/wire.h"

/* Milliseconds between checks for news, unless the watchdog needs shorter ones. */
#define LOOK_EVERY 5000

/* ---- Datagrams ------------------------------------------------------------------------------- */

/* An abstract name begins with a NUL in place of its "@", and has no other. */
static int address_of(const char *text, struct sockaddr_un *to, socklen_t *len)
{
    size_t size = strlen(text);
    if ((text[0] != '/' && text[0] != '@') || size < 2)
        return EINVAL;
    if (size >= sizeof to->sun_path)
        return ENAMETOOLONG;
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    memcpy(to->sun_path, text, size);
    if (text[0] == '@')
        to->sun_path[0] = '\0';
    *len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + (text[0] == '/'));
    return 0;
}

int allot__notify_send(const char *address, const char *text)
{
    struct sockaddr_un to;
    socklen_t len = 0;
    int error = address_of(address, &to, &len);
    if (error != 0)
        return error;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    ssize_t sent;
    do
        sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
                      (const struct sockaddr *)&to, len);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        error = errno;
    close(fd);
    return error;
}

void allot__notify_reload_text(uint64_t now, char *buf, size_t size)
{
    snprintf(buf, size, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now / 1000);
}

/* ---- News ------------------------------------------------------------------------------------ */

static int tell(allot__notify *it, const char *text)
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

/* The text that `systemctl status` shows. */
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

/* Sends all news in one datagram. */
static void look(uv_timer_t *timer)
{
    allot__notify *it = ((allot_service *)timer->data)->components.notify;
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
    allot__notify *it = service->components.notify;
    (void)report;
    if (!config->notify)
        return ALLOT_OK;
    it->service = service;
    it->watched = config->watchdog > 0;
    it->ready_owed = true;
    it->timer.data = service;
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
    allot__notify *it = service->components.notify;
    char text[64];
    if (!it->service)
        return;
    allot__notify_reload_text(uv_hrtime(), text, sizeof text);
    tell(it, text);
}

void allot__notify_ready(allot_service *service)
{
    allot__notify *it = service->components.notify;
    if (!it->service)
        return;
    it->ready_owed = true;
    look(&it->timer);
}

void allot__notify_stop(allot_service *service)
{
    allot__notify *it = service->components.notify;
    if (!it->service)
        return;
    tell(it, "STOPPING=1\nSTATUS=what was taken is written and answered");
    allot__handle_close(&it->timer);
}
