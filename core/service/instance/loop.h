/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.h: what keeps a service on its loop, and what ends it there. */
#ifndef ALLOT_SERVICE_INSTANCE_LOOP_H
#define ALLOT_SERVICE_INSTANCE_LOOP_H

#include <allot/service.h>

/* Counts a handle, or work on a thread, that must be over before the service is; and its end. Every
 * uv_close of a service's handle ends in allot__handle_closed. */
void allot__handle_open(allot_service *service);
void allot__handle_closed(allot_service *service);
/* Closes a handle whose data is the service. */
void allot__handle_close(void *handle);
/* Something is amiss that only a new beginning from what is on disk mends: logs it, and stops. */
void allot__service_fail(allot_service *service, const char *text);

#endif
