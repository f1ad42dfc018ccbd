/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * visit.c: new connections: their address, their user, and whether a place is free; and the token.
 *
 * The token's file is checked at each attempt to authenticate, so a new token counts at once,
 * without a signal.
 */
#define _GNU_SOURCE /* struct ucred: who is at the other end of a Unix socket */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

bool allot__connection_is_listed(const allot__connection *peer, long *uid)
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

void allot__connection_address(const allot__connection *peer, char *out, size_t size)
{
    struct sockaddr_storage address;
    snprintf(out, size, "%s", peer->local ? "the socket" : "?");
    if (address_of(peer, &address))
        uv_ip_name((const struct sockaddr *)&address, out, size);
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
        if (it->trusted || it->local || it->ended || it == peer)
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

void allot__connection_arrive(allot__connection *peer, bool local)
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

enum { TELL_PAUSE = 10000, FILE_MOST = 4096 };

bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    volatile unsigned char differs = a_len != b_len;
    for (size_t i = 0; i < b_len; i++)
        differs |= (unsigned char)((a_len > 0 ? a[i % a_len] : 0) ^ b[i]);
    return differs == 0;
}

/* ---- Its file -------------------------------------------------------------------------------- */

/* Whether the file has changed; notes its current state. */
static bool has_changed(allot__token *token, const struct stat *file)
{
    const int64_t now[] = {(int64_t)file->st_dev,          (int64_t)file->st_ino,
                           (int64_t)file->st_size,         (int64_t)file->st_mtim.tv_sec,
                           (int64_t)file->st_mtim.tv_nsec, (int64_t)file->st_ctim.tv_nsec};
    bool changed = memcmp(now, token->stamp, sizeof now) != 0;
    memcpy(token->stamp, now, sizeof now);
    return changed;
}

/* Reads the first line of a regular file; its length, or -1. */
static ssize_t read_line(int file, char *text, size_t size)
{
    ssize_t got = read(file, text, size);
    for (ssize_t i = 0; i < got; i++)
        if (text[i] == '\n' || text[i] == '\r' || text[i] == '\0')
            got = i;
    return got >= ALLOT__TOKEN_LEAST && got <= ALLOT__TOKEN_MOST ? got : -1;
}

static void take(allot_service *service, const char *text, size_t len)
{
    allot_service_config *config = &service->config;
    const allot__log_field fields[] = {{"file", config->token_file, 0}, {0}};
    if (strlen(config->token) == len && memcmp(config->token, text, len) == 0)
        return;
    char *copy = allot__copy(service->engine, text, len);
    if (!copy)
        return;
    allot__free_string(service->engine, (char *)config->token);
    config->token = copy;
    allot__log(service, ALLOT_LOG_INFO, "the token is another from now on", fields);
}

/* Without a valid file the last token stays. */
static void refresh(allot_service *service)
{
    const allot_service_config *config = &service->config;
    const allot__log_field fields[] = {{"file", config->token_file, 0}, {0}};
    char text[FILE_MOST];
    struct stat about;
    if (!config->token_file || stat(config->token_file, &about) != 0 || !S_ISREG(about.st_mode) ||
        !has_changed(&service->wire->token, &about))
        return;
    int file = open(config->token_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t len = file >= 0 ? read_line(file, text, sizeof text) : -1;
    if (file >= 0)
        close(file);
    if (len >= 0)
        take(service, text, (size_t)len);
    else
        allot__log(service, ALLOT_LOG_WARNING,
                   "the token's file has no token of 16 to 1024 bytes: the one before stays",
                   fields);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void tell_wrong(allot_service *service, const char *address)
{
    allot__token *token = &service->wire->token;
    uint64_t now = uv_now(service->loop);
    token->wrong++;
    if (token->told > 0 && now - token->told_at < TELL_PAUSE)
        return;
    const allot__log_field fields[] = {
        {"from", address, 0}, {"times", NULL, token->wrong - token->told}, {0}};
    token->told = token->wrong;
    token->told_at = now;
    allot__log(service, ALLOT_LOG_WARNING, "somebody said a wrong token", fields);
}

bool allot__token_fits(allot_service *service, const char *word, size_t len, const char *address)
{
    if (!service->config.token)
        return false;
    refresh(service);
    const char *own = service->config.token;
    bool fits = allot__token_same(word, len, own, strlen(own));
    if (!fits)
        tell_wrong(service, address);
    return fits;
}

int64_t allot__token_wrong(const allot_service *service)
{
    return service->wire ? service->wire->token.wrong : 0;
}
