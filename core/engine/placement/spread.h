/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * spread.h: chooses hosts for slots that any of several hosts could give.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_SPREAD_H
#define ALLOT_ENGINE_PLACEMENT_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Hosts to choose from, in plan order; balanced: a heap after the first slot was taken. */
typedef struct allot__choice {
    int32_t *hosts;
    int32_t count;
    int32_t next; /* stacked: hosts before it are full */
    bool heaped;
    const int32_t *free; /* by host */
    int64_t total;       /* free slots of all these hosts; kept up to date */
} allot__choice;

/* Called with every piece; takes it off the free slots. */
typedef void allot__piece(void *ud, int32_t host, int32_t slots);

/* Both return the number of `want` slots that are not free there. */
int64_t allot__stack(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);
int64_t allot__balance(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);

#endif
