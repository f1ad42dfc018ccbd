/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * notify.h: what the service tells the manager that started it (sd_notify(3)), in datagrams of its
 * own: libsystemd would bring five libraries along.
 *
 * READY=1 once it listens; RELOADING=1 with MONOTONIC_USEC in one datagram, then READY=1;
 * STOPPING=1; WATCHDOG=1 from a timer of the loop at half of what the manager waits, so that a loop
 * that stands still is noticed; STATUS= with what it does, whenever that changed.
 */
#ifndef ALLOT_SERVICE_NOTIFY_NOTIFY_H
#define ALLOT_SERVICE_NOTIFY_NOTIFY_H

#include "service/instance/service.h"

/* Bytes of a datagram at most. */
#define ALLOT__NOTIFY_MOST 512

/* Sends a datagram to "/path", or to "@name", which is abstract. Never waits. 0 or errno: EINVAL
 * (no such address), ENAMETOOLONG, EAGAIN (the manager is slow), ... */
int allot__notify_send(const char *address, const char *text);
/* "RELOADING=1\nMONOTONIC_USEC=..." of that many nanoseconds. */
void allot__notify_reload_text(uint64_t now, char *buf, size_t size);

/* A reload begins; it is over, whatever came of it. Nothing is told where nobody asked for it. */
void allot__notify_reloading(allot_service *service);
void allot__notify_ready(allot_service *service);

/* The component. */
typedef struct allot__notify {
    allot_service *service; /* NULL: nobody is to be told */
    uv_timer_t timer;
    bool watched, ready_owed;
    int error;                     /* the last, so that it is logged once */
    char told[ALLOT__NOTIFY_MOST]; /* the STATUS that the manager knows */
} allot__notify;
int allot__notify_start(allot_service *service, allot_report *report);
void allot__notify_stop(allot_service *service);

#endif
