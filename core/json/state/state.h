/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state.h: a state while it is read from its document.
 */
#ifndef ALLOT_JSON_STATE_STATE_H
#define ALLOT_JSON_STATE_STATE_H

#include <allot/json.h>

#include "json/text/read.h"

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
    ALLOT__STATE_USAGE_REST,
    ALLOT__STATE_PREEMPTED_AT,
    ALLOT__STATE_KEYS
} allot__state_key;

/* The keys that a task or job may have, and what one states (keys.c). */
typedef struct allot__keys {
    allot__field *fields; /* its own, then the plan's attributes of tasks but for tags */
    allot__value *values;
    allot_task_value *stated; /* the attributes that it states */
    int32_t *attributes;      /* by field behind its own: the plan's number */
    size_t own, count, room;  /* fields, and entries of the blocks */
} allot__keys;

typedef struct allot__state_reader {
    allot__doc doc;
    const allot_plan *plan;
    allot_state *state;
    allot__value top[ALLOT__STATE_KEYS];
    uint32_t *objects; /* by consumer: its object, and whether it is faulty; 0: none */
    int64_t usage_at;  /* if `usage_known`: the time that the state says */
    bool usage_known;
    allot__keys *keys; /* while tasks or jobs are read */
    bool doubtful;     /* a task, job or reclaim is faulty, so sums of them may be */
} allot__state_reader;

/* Each reads a part: faults are said, and failures kept (allot__doc_keep). `hosts`, and the lists
 * `sessions`, `tasks`, `reclaims` and `loans`. */
void allot__hosts_read(allot__state_reader *reader);
void allot__sessions_read(allot__state_reader *reader);
void allot__tasks_read(allot__state_reader *reader);
void allot__reclaims_read(allot__state_reader *reader);
void allot__loans_read(allot__state_reader *reader);

/* Reads `jobs`, of plans with queues; `usage`, `usage_at` and `usage_rest`; and `leases`. */
void allot__jobs_read(allot__state_reader *reader);
void allot__usage_read(allot__state_reader *reader);
void allot__leases_now_read(allot__state_reader *reader);
/* `resources_preempted_at`; and of a job {resource: amount}, into a block of *room
 * entries to be freed. */
void allot__preempted_at_read(allot__state_reader *reader);
void allot__job_resources_read(allot__state_reader *reader, const allot__value *value,
                               allot_job_resource **out, size_t *room, int32_t *count);
/* The queue of that name, which stands at that spot; -1: a fault, which is said. */
int32_t allot__queue_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name);

/* Makes keys of a table and the plan's attributes; to be ended in any case. False:
 * out of memory. */
bool allot__keys_begin(allot__state_reader *reader, const allot__field *fields, size_t count,
                       allot__keys *keys);
void allot__keys_end(allot__state_reader *reader, allot__keys *keys);
/* Gathers the attributes that the values state; returns how many. */
int32_t allot__keys_stated(const allot__keys *keys);

/* Calls `read` with each member of the object at a key. */
void allot__members_read(allot__state_reader *reader, allot__state_key key,
                         void (*read)(allot__state_reader *reader, const cJSON *member));
/* Calls `read` with each object of a list; what is no object is said. */
void allot__each_object(allot__state_reader *reader, uint32_t list,
                        void (*read)(allot__state_reader *reader, uint32_t object));
/* The leaf that a value names; ALLOT_ROOT: a fault, which is said, or it is not there. */
int32_t allot__leaf_value(allot__state_reader *reader, const allot__value *value);
int64_t allot__amount_or(const allot__value *value, int64_t fallback);
/* The time, or 0 where it is not there. */
int64_t allot__time_or_zero(allot__doc *doc, const allot__value *value);

#endif
