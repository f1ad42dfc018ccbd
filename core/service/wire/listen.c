/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * listen.c: the listeners, and who may connect: address, user, a free place.
 */
#define _GNU_SOURCE /* struct ucred: who is at the other end of a Unix socket */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "service/wire/own.h"
#include "service/wire/wire.h"

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

/* ---- Users ----------------------------------------------------------------------------------- */

uint32_t allot__socket_mode(const allot_service_config *config)
{
    return config->socket_mode != 0  ? (uint32_t)config->socket_mode
           : config->uid_count > 0   ? 0666
           : config->socket_gid >= 0 ? 0660
                                     : 0600;
}

bool allot__may_visit(const allot_service_config *config, const allot__visitor *who)
{
    bool group = config->socket_gid >= 0 || (config->socket_mode & 020) != 0;
    bool others = (config->socket_mode & 02) != 0 && config->uid_count == 0;
    bool listed = who->uid == 0 || who->uid == who->own || others || (group && who->in_group);
    for (int32_t i = 0; i < config->uid_count && !listed; i++)
        listed = config->uids[i] == who->uid;
    return listed;
}

bool allot__uid_is_known(const char *map, uint32_t uid)
{
    unsigned long long inside, outside, count;
    bool known = false;
    for (const char *line = map; line && *line != '\0' && !known;) {
        known = sscanf(line, "%llu %llu %llu", &inside, &outside, &count) == 3 && uid >= inside &&
                uid - inside < count;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return known;
}

static bool is_in(int fd, const struct ucred *from, gid_t group)
{
    gid_t groups[1024];
    socklen_t size = sizeof groups;
    if (from->gid == group)
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
        return false;
    for (size_t i = 0; i < size / sizeof *groups; i++)
        if (groups[i] == group)
            return true;
    return false;
}

/* Whether the peer process's user may connect. */
static bool is_listed(allot__connection *peer, long *uid)
{
    const allot_service_config *config = &peer->service->config;
    struct ucred from;
    socklen_t size = sizeof from;
    uv_os_fd_t fd;
    *uid = -1;
    if (uv_fileno(&peer->uv.handle, &fd) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &from, &size) != 0)
        return false;
    *uid = (long)from.uid;
    peer->who.uid = from.uid;
    peer->who.pid = from.pid;
    gid_t group = config->socket_gid >= 0 ? (gid_t)config->socket_gid : getegid();
    const allot__visitor who = {from.uid, geteuid(), is_in(fd, &from, group)};
    return allot__may_visit(config, &who);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

void allot__socket_alive(int fd)
{
    int on = 1, idle = 60, pause = 10, times = 6;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

static bool address_of(const allot__connection *peer, struct sockaddr_storage *out)
{
    int size = sizeof *out;
    return !peer->local && uv_tcp_getpeername(&peer->uv.tcp, (struct sockaddr *)out, &size) == 0;
}

/* An IPv6 /64 network counts as one address, since one client may have all of it. */
static void find_place(allot__connection *peer)
{
    struct sockaddr_storage address;
    uv_os_fd_t fd;
    if (uv_fileno(&peer->uv.handle, &fd) == 0)
        allot__socket_alive(fd);
    if (!address_of(peer, &address))
        return;
    uv_ip_name((const struct sockaddr *)&address, peer->who.address, sizeof peer->who.address);
    if (address.ss_family == AF_INET)
        memcpy(peer->network, &((const struct sockaddr_in *)&address)->sin_addr, 4);
    else
        memcpy(peer->network, &((const struct sockaddr_in6 *)&address)->sin6_addr, 8);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Peers without the token: their number, how many from the peer's address, the oldest. */
typedef struct strangers {
    int32_t all, near;
    allot__connection *first, *first_near;
} strangers;

static strangers look(const allot__connection *peer)
{
    strangers found = {0};
    for (allot__connection *it = peer->service->wire->peers; it; it = it->next) {
        if (it->role != ALLOT__NOBODY || it->local || it->ended || it == peer)
            continue;
        found.all++;
        found.first = it; /* newer ones come first */
        if (memcmp(it->network, peer->network, sizeof it->network) != 0)
            continue;
        found.near++;
        found.first_near = it;
    }
    return found;
}

/* A peer has connected: notes its address. Peers without the token may have a quarter of
 * all places, and half of that from one address; when those are taken, the oldest is closed. */
static void arrive(allot__connection *peer, bool local)
{
    allot_service *service = peer->service;
    int32_t places = service->files.clients / 4 + 1, near = places / 2 + 1;
    peer->local = local;
    if (!local)
        find_place(peer);
    strangers there = look(peer);
    allot__connection *goes = NULL;
    if (!local && there.near >= near)
        goes = there.first_near;
    else if ((!local && there.all >= places) || service->wire->count > service->files.clients)
        goes = there.first;
    if (!goes)
        return;
    service->tally.turned_away++;
    allot__connection_close(goes);
}

/* How many rejected peers at once may get the reason; more are not accepted for it. */
enum { TOLD_MOST = 16 };

/* Whether the path is still the socket that was bound there: while it is open, its inode number is
 * not reused. */
static bool is_ours(const struct allot__wire *wire)
{
    struct stat there;
    return lstat(wire->path, &there) == 0 && there.st_dev == wire->path_dev &&
           there.st_ino == wire->path_ino;
}

void allot__listen_close(allot_service *service)
{
    struct allot__wire *wire = service->wire;
    if (wire->path && is_ours(wire))
        unlink(wire->path);
    if (wire->pipe_open)
        allot__handle_close(&wire->pipe);
    if (wire->tcp_open)
        allot__handle_close(&wire->tcp);
    wire->pipe_open = wire->tcp_open = false;
}

/* ---- Access ---------------------------------------------------------------------------------- */

static void turn_away(allot__connection *peer, const char *why, long uid)
{
    allot_service *service = peer->service;
    allot__log_field fields[] = {{"why", why, 0}, {"uid", NULL, uid}, {0}};
    char line[200];
    int len = snprintf(line, sizeof line,
                       "{\"jsonrpc\": \"2.0\", \"id\": null, \"error\": {\"code\": %d, "
                       "\"message\": \"%s\"}}",
                       ALLOT__RPC_FORBIDDEN, why);
    service->tally.turned_away++;
    if (service->tally.turned_away < 100)
        allot__log(service, ALLOT_LOG_WARNING, "a connection was turned away", fields);
    allot__connection_send(peer, line, (size_t)len, 0);
    peer->ended = true;
    allot__connection_run(peer);
}

static void on_connection(uv_stream_t *server, int status)
{
    allot_service *service = server->data;
    struct allot__wire *wire = service->wire;
    bool unix_socket = server == (uv_stream_t *)&wire->pipe;
    allot__connection *peer = status == 0 ? allot__connection_new(service) : NULL;
    long uid;
    if (!peer)
        return;
    if (unix_socket)
        uv_pipe_init(service->loop, &peer->uv.pipe, 0);
    else
        uv_tcp_init(service->loop, &peer->uv.tcp);
    peer->uv.handle.data = peer;
    allot__handle_open(service);
    if (uv_accept(server, &peer->uv.stream) != 0) {
        allot__connection_close(peer);
        return;
    }
    if (!unix_socket)
        uv_tcp_nodelay(&peer->uv.tcp, 1);
    arrive(peer, unix_socket);
    service->tally.connections++;
    if (wire->count > service->files.clients + TOLD_MOST)
        allot__connection_close(peer);
    else if (wire->count > service->files.clients)
        turn_away(peer, "too many connections", 0);
    else if (unix_socket && !is_listed(peer, &uid))
        turn_away(peer, "this user is not on the list", uid);
    else
        allot__connection_start(peer, unix_socket ? ALLOT__CHANGES : ALLOT__NOBODY);
}

/* ---- Where ----------------------------------------------------------------------------------- */

static int fail(allot_report *report, const char *what, const char *address, const char *why)
{
    allot_report_say(report, ALLOT_ERROR, "E-listen", "cannot listen on the %s %.200s: %s", what,
                     address, why);
    return ALLOT_EIO;
}

/* Whether a process answers at a socket. */
static bool is_alive(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    bool alive = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return alive;
}

/* Refuses a list of users that cannot work: in a user namespace most users are unmapped. */
static int check_users(const allot_service_config *config, allot_report *report)
{
    char map[4096], uid[16];
    FILE *file = config->uid_count > 0 ? fopen("/proc/self/uid_map", "re") : NULL;
    if (!file)
        return ALLOT_OK;
    size_t len = fread(map, 1, sizeof map - 1, file);
    fclose(file);
    map[len] = '\0';
    for (int32_t i = 0; len > 0 && i < config->uid_count; i++) {
        snprintf(uid, sizeof uid, "%u", (unsigned)config->uids[i]);
        if (!allot__uid_is_known(map, config->uids[i]))
            return fail(report, "socket for user", uid,
                        "in this namespace (PrivateUsers) that user cannot be told from others");
    }
    return ALLOT_OK;
}

/* The mode comes last: until then only the service's user may connect. */
static int give(const allot_service_config *config)
{
    bool given = config->socket_gid < 0 || config->socket_gid == (int64_t)getegid() ||
                 chown(config->socket, (uid_t)-1, (gid_t)config->socket_gid) == 0;
    return given && chmod(config->socket, allot__socket_mode(config)) == 0
               ? 0
               : uv_translate_sys_error(errno);
}

/* As uv_pipe_bind, which however would remove any file at the path on closing. */
static int bind_pipe(struct allot__wire *wire, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat there;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error = errno;
    if (fd < 0)
        return uv_translate_sys_error(error);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    mode_t before = umask(0177);
    bool bound = bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    error = errno;
    umask(before);
    if (!bound || lstat(path, &there) != 0) {
        error = bound ? errno : error;
        close(fd);
        return uv_translate_sys_error(error);
    }
    wire->path_dev = there.st_dev;
    wire->path_ino = there.st_ino;
    int status = uv_pipe_open(&wire->pipe, fd);
    if (status != 0)
        close(fd);
    return status;
}

int allot__listen_pipe(allot_service *service, allot_report *report)
{
    struct allot__wire *wire = service->wire;
    const char *path = service->config.socket;
    struct sockaddr_un address;
    struct stat there;
    if (strlen(path) >= sizeof address.sun_path)
        return fail(report, "socket", path, "the path is too long");
    int known = check_users(&service->config, report);
    if (known != ALLOT_OK)
        return known;
    if (lstat(path, &there) == 0) {
        if (!S_ISSOCK(there.st_mode))
            return fail(report, "socket", path, "something else is there");
        if (is_alive(path))
            return fail(report, "socket", path, "somebody listens there already");
        unlink(path);
    }
    uv_pipe_init(service->loop, &wire->pipe, 0);
    wire->pipe.data = service;
    wire->pipe_open = true;
    allot__handle_open(service);
    int status = bind_pipe(wire, path);
    wire->path = status == 0 ? allot__copy(service->engine, path, strlen(path)) : NULL;
    if (status == 0 && !wire->path)
        return ALLOT_ENOMEM;
    if (status == 0)
        status = give(&service->config);
    if (status == 0)
        status = uv_listen((uv_stream_t *)&wire->pipe, 511, on_connection);
    return status == 0 ? ALLOT_OK : fail(report, "socket", path, uv_strerror(status));
}

int allot__address_split(const char *address, char *host, size_t size, int32_t *port)
{
    const char *colon = strrchr(address, ':'), *digits = colon ? colon + 1 : address;
    size_t len = colon ? (size_t)(colon - address) : 0;
    int32_t number = 0;
    if (len >= 2 && address[0] == '[' && address[len - 1] == ']') {
        address++;
        len -= 2;
    }
    if (len + 1 > size || *digits == '\0')
        return ALLOT_EUSAGE;
    for (; *digits != '\0'; digits++) {
        if (*digits < '0' || *digits > '9' || number > 65535)
            return ALLOT_EUSAGE;
        number = number * 10 + (*digits - '0');
    }
    if (number > 65535)
        return ALLOT_EUSAGE;
    memcpy(host, address, len);
    host[len] = '\0';
    *port = number;
    return ALLOT_OK;
}

int allot__listen_tcp(allot_service *service, allot_report *report)
{
    struct allot__wire *wire = service->wire;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to;
    char host[128];
    int32_t port;
    const char *address = service->config.tcp;
    if (allot__address_split(address, host, sizeof host, &port) != ALLOT_OK)
        return fail(report, "address", address, "it is no HOST:PORT");
    const char *name = host[0] == '\0' || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (uv_ip4_addr(name, port, &to.v4) != 0 && uv_ip6_addr(name, port, &to.v6) != 0)
        return fail(report, "address", address, "the host is no IP address");
    uv_tcp_init(service->loop, &wire->tcp);
    wire->tcp.data = service;
    wire->tcp_open = true;
    allot__handle_open(service);
    int status = uv_tcp_bind(&wire->tcp, &to.any, 0);
    if (status == 0)
        status = uv_listen((uv_stream_t *)&wire->tcp, 511, on_connection);
    return status == 0 ? ALLOT_OK : fail(report, "address", address, uv_strerror(status));
}
