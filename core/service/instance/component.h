/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * component.h: what stands beside the truth (reload, live view, ...) and is told what happens.
 */
#ifndef ALLOT_SERVICE_INSTANCE_COMPONENT_H
#define ALLOT_SERVICE_INSTANCE_COMPONENT_H

#include <allot/service.h>

#include "base/text.h"

/* What a cycle came to; borrowed for the call. */
typedef struct allot__cycle_done {
    int64_t cycle, seq, event, now; /* of one that is not recorded, the last one's numbers */
    const allot_decision *decision;
    const char *text; /* the compact document; NULL: nothing was decided */
    size_t len;
    uint64_t input, output; /* digests */
    int64_t took;           /* microseconds */
} allot__cycle_done;

/* A component; every function may be NULL. Its struct is made, zeroed, with the service, and is
 * there for as long. */
typedef struct allot__component {
    const char *name;
    size_t size, slot; /* of its struct, and where the service points to it; 0: it has none */
    /* Behind allot_service_start's own; EIO, ... (report) fail it. */
    int (*start)(allot_service *service, allot_report *report);
    /* Ends what it began, if it did: closes its handles (allot__handle_close). */
    void (*stop)(allot_service *service);
    /* Frees what its struct has, once all handles are closed. */
    void (*free)(allot_service *service);
    /* A cycle is over; its decision and state live until this returns. */
    void (*cycle)(allot_service *service, const allot__cycle_done *done);
    /* Another generation of the plan decides from now on. */
    void (*swapped)(allot_service *service);
    /* Adds members to `status`'s result. */
    void (*status)(allot_service *service, allot__text *out);
} allot__component;

#endif
