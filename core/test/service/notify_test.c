/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* notify_test.c: datagrams to a manager that is not one. */
#define _GNU_SOURCE
#include "service/notify/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test/support/check.h"

/* A manager's socket at an address as NOTIFY_SOCKET has it. */
static int listen_at(const char *address)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t len = strlen(address);
    memcpy(at.sun_path, address, len);
    if (address[0] == '@')
        at.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(fd, (const struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static const char *heard(int fd)
{
    static char text[1024];
    ssize_t len = recv(fd, text, sizeof text - 1, 0);
    text[len < 0 ? 0 : len] = '\0';
    return text;
}

static void test_path(void)
{
    char address[64];
    snprintf(address, sizeof address, "/tmp/allot-notify-%ld", (long)getpid());
    int fd = listen_at(address);
    CHECK(fd >= 0);
    CHECK_EQ(allot__notify_send(address, "READY=1\nSTATUS=here"), 0);
    CHECK_STR(heard(fd), "READY=1\nSTATUS=here");
    close(fd);
    CHECK_EQ(allot__notify_send(address, "READY=1"), ECONNREFUSED);
    unlink(address);
    CHECK_EQ(allot__notify_send(address, "READY=1"), ENOENT);
}

static void test_abstract(void)
{
    char address[64];
    snprintf(address, sizeof address, "@allot-notify-%ld", (long)getpid());
    int fd = listen_at(address);
    CHECK(fd >= 0);
    CHECK_EQ(allot__notify_send(address, "WATCHDOG=1"), 0);
    CHECK_STR(heard(fd), "WATCHDOG=1");
    /* Its length is its name: one byte more is another name. */
    strcat(address, "x");
    CHECK_EQ(allot__notify_send(address, "WATCHDOG=1"), ECONNREFUSED);
    close(fd);
}

static void test_addresses(void)
{
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[0] = '/';
    longer[sizeof longer - 1] = '\0';
    CHECK_EQ(allot__notify_send(longer, "READY=1"), ENAMETOOLONG);
    CHECK_EQ(allot__notify_send("relative", "READY=1"), EINVAL);
    CHECK_EQ(allot__notify_send("", "READY=1"), EINVAL);
    CHECK_EQ(allot__notify_send("@", "READY=1"), EINVAL);
}

/* A manager that does not read must not stop the loop. */
static void test_full(void)
{
    char address[64];
    snprintf(address, sizeof address, "@allot-notify-full-%ld", (long)getpid());
    int fd = listen_at(address), error = 0;
    for (int i = 0; i < 100000 && error == 0; i++)
        error = allot__notify_send(address, "WATCHDOG=1");
    CHECK_EQ(error, EAGAIN);
    close(fd);
}

/* systemd wants both in one message, or it takes the reload for over. */
static void test_reload(void)
{
    char text[64];
    allot__notify_reload_text(1234567890123456, text, sizeof text);
    CHECK_STR(text, "RELOADING=1\nMONOTONIC_USEC=1234567890123");
}

int main(void)
{
    RUN(test_path);
    RUN(test_abstract);
    RUN(test_addresses);
    RUN(test_full);
    RUN(test_reload);
    return check_done();
}
