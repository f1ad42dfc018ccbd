/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * http_listen.c: a listener of libuv, whose connections libwebsockets adopts.
 *
 * libwebsockets can listen by itself, but with no file descriptor left it polls endlessly for a
 * connection that it cannot accept; libuv closes it. A connection beyond the limit waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "service/view/http.h"
#include "service/wire/wire.h"
#include "base/memory.h"

static int refuse(allot_report *report, const char *format, const char *address)
{
    allot_report_say(report, ALLOT_ERROR, "E-listen", format, address);
    return ALLOT_EIO;
}

/* ---- Those who come -------------------------------------------------------------------------- */

static void let_go(uv_handle_t *handle)
{
    allot_service *service = handle->data;
    allot__free(service->engine, handle, 1, sizeof(uv_tcp_t));
    allot__handle_closed(service);
}

/* The connection then has two descriptors; libuv's is closed. */
static void adopt(allot__http *http, const uv_tcp_t *tcp)
{
    uv_os_fd_t fd;
    int own = uv_fileno((const uv_handle_t *)tcp, &fd) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (own >= 0)
        lws_adopt_descriptor_vhost(http->vhost, LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP,
                                   (lws_sock_file_fd_type){.sockfd = own}, NULL, NULL);
}

static void accept_one(allot__http *http)
{
    allot_service *service = http->service;
    uv_tcp_t *tcp = allot__new(service->engine, 1, sizeof *tcp);
    uv_os_fd_t fd;
    http->waits = !tcp;
    if (!tcp)
        return;
    uv_tcp_init(service->loop, tcp);
    tcp->data = service;
    allot__handle_open(service);
    if (uv_accept((uv_stream_t *)&http->listener, (uv_stream_t *)tcp) == 0) {
        uv_tcp_nodelay(tcp, 1);
        if (uv_fileno((const uv_handle_t *)tcp, &fd) == 0)
            allot__socket_alive(fd);
        adopt(http, tcp);
    }
    uv_close((uv_handle_t *)tcp, let_go);
}

/* With few places left, or none, closes the connection that has waited longest for its request, but
 * not the newest: so a client that sends its request at once finds a place. */
static void make_room(allot__http *http)
{
    int32_t places = http->service->files.viewers, spare = places / 16;
    allot__http_guest *it = http->first;
    while (it && (it->asks || it->goes))
        it = it->next;
    if (http->connections - http->going + spare < places || !it || it == http->last)
        return;
    it->goes = true;
    http->going++;
    lws_set_timeout(it->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

/* A connection not accepted stays with libuv, which then accepts no other; each tick tries
 * again. */
void allot__http_accept(allot__http *http)
{
    if (http->waits && !http->stopping && http->connections < http->service->files.viewers)
        accept_one(http);
    make_room(http);
}

/* ---- Guests ---------------------------------------------------------------------------------- */

static void link_last(allot__http *http, allot__http_guest *it)
{
    it->before = http->last;
    it->next = NULL;
    *(http->last ? &http->last->next : &http->first) = it;
    http->last = it;
}

static void unlink_guest(allot__http *http, allot__http_guest *it)
{
    *(it->before ? &it->before->next : &http->first) = it->next;
    *(it->next ? &it->next->before : &http->last) = it->before;
}

/* Searched, since libwebsockets overwrites its user pointer on adoption. */
static allot__http_guest *find_guest(const allot__http *http, const struct lws *wsi)
{
    allot__http_guest *it = http->last;
    while (it && it->wsi != wsi)
        it = it->before;
    return it;
}

int allot__http_come(allot__http *http, struct lws *wsi)
{
    allot__http_guest *it = allot__new(http->service->engine, 1, sizeof *it);
    if (!it)
        return -1;
    it->wsi = wsi;
    link_last(http, it);
    http->connections++;
    return 0;
}

void allot__http_go(allot__http *http, struct lws *wsi)
{
    allot__http_guest *it = find_guest(http, wsi);
    if (!it)
        return;
    http->connections--;
    http->asking -= it->asks;
    http->going -= it->goes;
    if (http->waits && !http->stopping && http->tick_opened)
        uv_timer_start(&http->tick, http->on_tick, 0, ALLOT__VIEW_AGE);
    unlink_guest(http, it);
    allot__free(http->service->engine, it, 1, sizeof *it);
}

bool allot__http_asks(allot__http *http, struct lws *wsi)
{
    allot__http_guest *it = find_guest(http, wsi);
    int32_t places = http->service->files.viewers, most = places - places / 8;
    if (it && !it->asks) {
        it->asks = true;
        http->asking++;
    }
    return http->asking <= most;
}

void allot__http_rests(allot__http *http, struct lws *wsi)
{
    allot__http_guest *it = find_guest(http, wsi);
    if (!it || !it->asks)
        return;
    it->asks = false;
    http->asking--;
    unlink_guest(http, it);
    link_last(http, it);
}

static void on_connection(uv_stream_t *listener, int status)
{
    allot__http *http = ((allot_service *)listener->data)->components.http;
    if (status != 0)
        return;
    http->waits = true;
    allot__http_accept(http);
}

/* ---- Listening ------------------------------------------------------------------------------- */

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage storage;
} address;

static int find(const allot__http *http, address *to, bool *six)
{
    const char *host = strcmp(http->host, "localhost") == 0 ? "127.0.0.1" : http->host;
    *six = uv_ip4_addr(host, http->port, &to->v4) != 0;
    return *six ? uv_ip6_addr(host, http->port, &to->v6) : 0;
}

/* Whether an address may be served without a token. */
static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

int allot__http_listen(allot__http *http, allot_report *report)
{
    const char *said = http->service->config.http;
    address at = {.storage = {0}};
    int len = sizeof at;
    bool six;
    if (allot__address_split(said, http->host, sizeof http->host, &http->port) != ALLOT_OK)
        return refuse(report, "http: %.200s is no address: host:port, [::1]:port or port", said);
    if (http->host[0] == '\0')
        snprintf(http->host, sizeof http->host, "127.0.0.1");
    if (find(http, &at, &six) != 0)
        return refuse(report, "http: %.200s is no address: host:port, [::1]:port or port", said);
    if (!is_loopback(http->host) && !http->service->config.token)
        return refuse(report, "http: %.200s can be reached from elsewhere, so a token is needed",
                      said);
    uv_tcp_init(http->service->loop, &http->listener);
    http->listener.data = http->service;
    http->listens = true;
    allot__handle_open(http->service);
    int status = uv_tcp_bind(&http->listener, &at.any, six ? UV_TCP_IPV6ONLY : 0);
    if (status == 0)
        status = uv_listen((uv_stream_t *)&http->listener, 511, on_connection);
    if (status == 0)
        status = uv_tcp_getsockname(&http->listener, &at.any, &len);
    if (status != 0)
        return refuse(report, "http: %.200s cannot be listened on: it is taken, or not ours", said);
    http->port = ntohs(six ? at.v6.sin6_port : at.v4.sin_port);
    return ALLOT_OK;
}

void allot__http_deafen(allot__http *http)
{
    if (http->listens)
        allot__handle_close(&http->listener);
    http->listens = false;
}
