/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * component.h: optional parts of a service (reload, live view, ...), called when something happens.
 */
#ifndef ALLOT_SERVICE_INSTANCE_COMPONENT_H
#define ALLOT_SERVICE_INSTANCE_COMPONENT_H

#include <allot/service.h>

#include "base/text.h"

/* The result of a cycle; borrowed for the call. */
typedef struct allot__cycle_done {
    int64_t cycle, seq, event, now; /* where it is not recorded, the last one's */
    const allot_decision *decision;
    const char *text; /* the compact document; NULL: nothing was decided */
    size_t len;
    uint64_t input, output; /* digests */
    int64_t took;           /* microseconds */
} allot__cycle_done;

/* A component; every function may be NULL. Its struct is allocated and zeroed with the service, and
 * lives as long. */
typedef struct allot__component {
    const char *name;
    size_t size, slot; /* of its struct; the offset of the service's pointer; 0: none */
    bool leads;        /* only a service that leads its store has it */
    /* Runs after allot_service_start's own steps; EIO, ... (report) make the start fail. */
    int (*start)(allot_service *service, allot_report *report);
    /* Ends what `start` began, if it ran: closes handles (allot__handle_close). */
    void (*stop)(allot_service *service);
    /* Frees the members of its struct, once all handles are closed. */
    void (*free)(allot_service *service);
    /* A cycle is over; its decision and state live until this returns. */
    void (*cycle)(allot_service *service, const allot__cycle_done *done);
    /* Another generation of the plan decides from now on. */
    void (*swapped)(allot_service *service);
    /* Adds members to `status`'s result. */
    void (*status)(allot_service *service, allot__text *out);
} allot__component;

#endif
