/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * notify.h: notifications to the service manager (sd_notify(3)), without libsystemd, which would
 * bring five libraries along.
 *
 * READY=1 once the service listens; RELOADING=1 with MONOTONIC_USEC in one datagram, then READY=1;
 * STOPPING=1; WATCHDOG=1 from a timer of the loop at half the manager's timeout, so that a stuck
 * loop is noticed; STATUS= with a summary whenever the summary changes.
 */
#ifndef ALLOT_SERVICE_NOTIFY_NOTIFY_H
#define ALLOT_SERVICE_NOTIFY_NOTIFY_H

#include "service/instance/service.h"

/* Most bytes of a datagram. */
#define ALLOT__NOTIFY_MOST 512

/* Sends a datagram to "/path", or to "@name", which is abstract. Never waits. 0 or errno: EINVAL
 * (no such address), ENAMETOOLONG, EAGAIN (the manager is slow), ... */
int allot__notify_send(const char *address, const char *text);
/* "RELOADING=1\nMONOTONIC_USEC=..." of that many nanoseconds. */
void allot__notify_reload_text(uint64_t now, char *buf, size_t size);

/* A reload begins; it has ended, with any result. Without a manager nothing is sent. */
void allot__notify_reloading(allot_service *service);
void allot__notify_ready(allot_service *service);

/* The component. */
typedef struct allot__notify {
    allot_service *service; /* NULL: there is no manager */
    uv_timer_t timer;
    bool watched, ready_owed;
    int error;                     /* the last one, to log it once */
    char told[ALLOT__NOTIFY_MOST]; /* the last STATUS sent */
} allot__notify;
int allot__notify_start(allot_service *service, allot_report *report);
void allot__notify_stop(allot_service *service);

#endif
