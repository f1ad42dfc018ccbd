/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* send.c: one datagram to the manager. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "service/notify/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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
