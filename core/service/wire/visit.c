/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* visit.c: new connections: their address, their user, and whether a place is free. */
#define _GNU_SOURCE /* struct ucred: who is at the other end of a Unix socket */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/wire/own.h"

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
