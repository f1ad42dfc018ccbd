/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.h: what keeps a service on its loop, and what ends it there. */
#ifndef ALLOT_SERVICE_INSTANCE_LOOP_H
#define ALLOT_SERVICE_INSTANCE_LOOP_H

#include <uv.h>

#include <allot/service.h>

/* Work on a thread. */
typedef struct allot__work {
    uv_work_t uv;
    allot_service *service;
    void (*run)(void *ud);
    void (*done)(void *ud);
    void *ud;
} allot__work;
/* Calls `run` on a thread and then `done` on the loop, which may free what the work is in. The
 * service does not end before. */
void allot__work_begin(allot_service *service, allot__work *work, void (*run)(void *ud),
                       void (*done)(void *ud), void *ud);

/* Counts a handle, or work on a thread, that must be over before the service is; and its end. Every
 * uv_close of a service's handle ends in allot__handle_closed. */
void allot__handle_open(allot_service *service);
void allot__handle_closed(allot_service *service);
/* Closes a handle whose data is the service. */
void allot__handle_close(void *handle);
/* Something is amiss that only a new beginning from what is on disk mends: logs it, and stops. */
void allot__service_fail(allot_service *service, const char *text);

#endif
