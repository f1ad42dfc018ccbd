/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* listen.c: the listeners, and who may connect. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/wire/own.h"

#include "base/memory.h"

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
    allot__connection_arrive(peer, unix_socket);
    service->tally.connections++;
    if (wire->count > service->files.clients + TOLD_MOST)
        allot__connection_close(peer);
    else if (wire->count > service->files.clients)
        turn_away(peer, "too many connections", 0);
    else if (unix_socket && !allot__connection_is_listed(peer, &uid))
        turn_away(peer, "this user is not on the list", uid);
    else
        allot__connection_start(peer, unix_socket);
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
