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
    ALLOT__STATE_LAST,
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
    struct allot__task_keys *task_keys; /* while tasks are read */
    bool doubtful;                      /* a task or reclaim is faulty, so sums of them may be */
} allot__state_reader;

/* Reads `hosts`, and the lists `sessions`, `tasks`, `reclaims` and `loans`. ENOMEM alone: faults
 * are said. */
int allot__hosts_read(allot__state_reader *reader);
int allot__sessions_read(allot__state_reader *reader);
int allot__tasks_read(allot__state_reader *reader);
int allot__reclaims_read(allot__state_reader *reader);
int allot__loans_read(allot__state_reader *reader);

/* Calls `read` with each member of the object at a key. */
int allot__members_read(allot__state_reader *reader, allot__state_key key,
                        int (*read)(allot__state_reader *reader, const cJSON *member));
/* Calls `read` with each object of a list; what is no object is said. */
int allot__each_object(allot__state_reader *reader, uint32_t list,
                       int (*read)(allot__state_reader *reader, uint32_t object));
/* The leaf that a value names; ALLOT_ROOT: a fault, which is said, or it is not there. */
int32_t allot__leaf_value(allot__state_reader *reader, const allot__value *value);
int64_t allot__amount_or(const allot__value *value, int64_t fallback);
/* The time, or 0 where it is not there. */
int64_t allot__time_or_zero(allot__doc *doc, const allot__value *value);

#endif
