/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state.h: a state while it is read from its document.
 */
#ifndef ALLOT_JSON_STATE_H
#define ALLOT_JSON_STATE_H

#include <allot/json.h>

#include "json/read.h"

/* The state's keys, in the order of the table in state.c. */
typedef enum allot__state_key {
    ALLOT__STATE_NOW,
    ALLOT__STATE_SLOTS,
    ALLOT__STATE_CONSUMERS,
    ALLOT__STATE_HOSTS,
    ALLOT__STATE_SESSIONS,
    ALLOT__STATE_TASKS,
    ALLOT__STATE_RECLAIMS,
    ALLOT__STATE_LOANS,
    ALLOT__STATE_JOBS,
    ALLOT__STATE_LEASES,
    ALLOT__STATE_USAGE,
    ALLOT__STATE_USAGE_AT,
    ALLOT__STATE_KEYS
} allot__state_key;

typedef struct allot__state_reader {
    allot__doc doc;
    const allot_plan *plan;
    allot_state *state;
    allot__value top[ALLOT__STATE_KEYS];
    uint32_t *objects; /* by consumer: its object, and whether it is faulty; 0: none */
    bool doubtful;     /* a task or reclaim is faulty, so sums of them may be */
} allot__state_reader;

/* Reads the lists `tasks`, `reclaims` and `loans`. ENOMEM alone: faults are said. */
int allot__tasks_read(allot__state_reader *reader);
int allot__reclaims_read(allot__state_reader *reader);
int allot__loans_read(allot__state_reader *reader);

#endif
