/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state.h: a state while it is read from its document.
 */
#ifndef ALLOT_JSON_STATE_STATE_H
#define ALLOT_JSON_STATE_STATE_H

#include <allot/json.h>

#include "json/text/read.h"

/* The value of a state's "schema", if stated. */
#define ALLOT__STATE_SCHEMA_V1 "allot/state/v1"

/* The state's keys, in the order of the table in state.c. */
typedef enum allot__state_key {
    ALLOT__STATE_SCHEMA,
    ALLOT__STATE_NOW,
    ALLOT__STATE_LAST,
    ALLOT__STATE_NOW_ROUNDED,
    ALLOT__STATE_SLOTS,
    ALLOT__STATE_CONSUMERS,
    ALLOT__STATE_HOSTS,
    ALLOT__STATE_SESSIONS,
    ALLOT__STATE_TASKS,
    ALLOT__STATE_RECLAIMS,
    ALLOT__STATE_LOANS,
    ALLOT__STATE_JOBS,
    ALLOT__STATE_USERS,
    ALLOT__STATE_LEASES,
    ALLOT__STATE_USAGE,
    ALLOT__STATE_USAGE_AT,
    ALLOT__STATE_USAGE_REST,
    ALLOT__STATE_PREEMPTED_AT,
    ALLOT__STATE_KEYS
} allot__state_key;

/* Members of consumers at most. */
#define ALLOT__ROW_FIELDS 9

typedef struct allot__state_reader {
    allot__doc doc;
    const allot_plan *plan;
    allot_state *state;
    allot__value top[ALLOT__STATE_KEYS];
    /* Members of consumers, of all groups or each, and of one group (allot/members.h). */
    allot__field row[ALLOT__ROW_FIELDS], of_group[ALLOT__ROW_FIELDS];
    uint32_t *objects; /* by consumer: its object, and whether it is faulty; 0: none */
    bool uncounted;    /* leaves' use was stated that the plan does not count */
    bool doubtful;     /* a task, job or reclaim is faulty, so sums may be wrong */
} allot__state_reader;

/* Each reads a part, reports faults, and keeps failures (allot__doc_keep). `hosts`, `sessions`,
 * `tasks`, `reclaims`, `loans` and `jobs`; `usage`, `usage_at` and `usage_rest`; `leases`;
 * `resources_preempted_at`. */
void allot__lists_read(allot__state_reader *reader);
void allot__usage_read(allot__state_reader *reader);
void allot__leases_now_read(allot__state_reader *reader);
void allot__preempted_at_read(allot__state_reader *reader);
/* The queue of that name, which stands at that spot; -1: a fault (reported). */
int32_t allot__queue_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name);

/* Whether the time of use that stands at a value may be: of a plan that counts use, one after `now`
 * may not, since what will have been used is not known now (C-14; reported). */
bool allot__use_is_past(allot__state_reader *reader, uint32_t number, int64_t when);
/* Calls `read` with each member of the object at a key. */
void allot__members_read(allot__state_reader *reader, allot__state_key key,
                         void (*read)(allot__state_reader *reader, uint32_t member));
#endif
