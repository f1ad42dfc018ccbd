/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.h: handles and thread work of a service, which keep it on its loop, and fatal failures. */
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
/* Calls `run` on a thread and then `done` on the loop, which may free the block that has the work.
 * The service does not end before `done`. */
void allot__work_begin(allot_service *service, allot__work *work, void (*run)(void *ud),
                       void (*done)(void *ud), void *ud);

/* Count up and down the open handles and thread work that the end of the service waits for. Every
 * uv_close of a service's handle ends in allot__handle_closed. */
void allot__handle_open(allot_service *service);
void allot__handle_closed(allot_service *service);
/* Closes a handle whose data is the service. */
void allot__handle_close(void *handle);
/* Logs a failure that only a restart from the store repairs, and stops the service. */
void allot__service_fail(allot_service *service, const char *text);

#endif
