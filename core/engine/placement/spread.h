/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * spread.h: which hosts slots come from, where any would do.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_SPREAD_H
#define ALLOT_ENGINE_PLACEMENT_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Hosts that serve, in plan order; balanced: as a heap once one was taken from. */
typedef struct allot__choice {
    int32_t *hosts;
    int32_t count;
    int32_t next; /* stacked: hosts before it are full */
    bool heaped;
    const int32_t *free; /* by host */
    int64_t total;       /* of these hosts; kept up to date */
} allot__choice;

/* Gets every piece; takes it off the free slots. */
typedef void allot__piece(void *ud, int32_t host, int32_t slots);

/* Both return how many of `want` slots are not free there. */
int64_t allot__stack(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);
int64_t allot__balance(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);

#endif
