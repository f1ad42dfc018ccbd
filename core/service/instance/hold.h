/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hold.h: work on the books that takes many turns of the loop, and during which they change for
 * nobody else.
 *
 * Such work goes in slices of a few milliseconds, one a turn of the loop. Meanwhile requests that
 * read or change the books wait (wire/), and so do cycles; others go on. Who cannot wait, as a swap
 * of generations or an embedder's call, settles it: what is left is done at once. A truth is
 * entered so (sync/), and a large state written (view/state_call.c).
 */
#ifndef ALLOT_SERVICE_INSTANCE_HOLD_H
#define ALLOT_SERVICE_INSTANCE_HOLD_H

#include <stdbool.h>

#include <uv.h>

#include <allot/service.h>

typedef struct allot__hold {
    /* Works until about that time (uv_hrtime); true: to its end, behind which `end` is called. */
    bool (*step)(struct allot__hold *hold, uint64_t until);
    void (*end)(struct allot__hold *hold); /* may free it */
    struct allot__hold *next;
} allot__hold;

typedef struct allot__holds {
    uv_idle_t idle; /* turns the loop while somebody works */
    bool open;
    allot__hold *first;
    uint64_t longest; /* ns: of a slice, since asked */
} allot__holds;

/* The component. */
int allot__hold_start(allot_service *service, allot_report *report);
void allot__hold_stop(allot_service *service);
/* Works, once those that came before have. */
void allot__hold_begin(allot_service *service, allot__hold *hold);
bool allot__hold_is(const allot_service *service);
/* Does what is left of all of them. */
void allot__hold_settle(allot_service *service);

#endif
