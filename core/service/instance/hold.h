/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hold.h: work on the books over many turns of the loop, during which nothing else changes them.
 *
 * The work is done in slices of a few milliseconds, one a turn of the loop. Meanwhile cycles and
 * requests that read or change the books wait (wire/); other requests go on. A caller that cannot
 * wait (a swap of generations, an embedder's call) settles it: the rest is done at once. Users:
 * entering a truth (sync/), writing a large state (view/state_call.c).
 */
#ifndef ALLOT_SERVICE_INSTANCE_HOLD_H
#define ALLOT_SERVICE_INSTANCE_HOLD_H

#include <stdbool.h>

#include <uv.h>

#include <allot/service.h>

typedef struct allot__hold {
    /* Works until about that time (uv_hrtime); true: done, and `end` is called next. */
    bool (*step)(struct allot__hold *hold, uint64_t until);
    void (*end)(struct allot__hold *hold); /* may free it */
    struct allot__hold *next;
} allot__hold;

typedef struct allot__holds {
    uv_idle_t idle; /* keeps the loop turning while there is work */
    bool open;
    allot__hold *first;
    uint64_t longest; /* ns: the longest slice since it was last read */
} allot__holds;

/* The component. */
int allot__hold_start(allot_service *service, allot_report *report);
void allot__hold_stop(allot_service *service);
/* Starts the work once all earlier holds are done. */
void allot__hold_begin(allot_service *service, allot__hold *hold);
bool allot__hold_is(const allot_service *service);
/* Finishes all holds at once. */
void allot__hold_settle(allot_service *service);

#endif
