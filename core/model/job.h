/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: a state's jobs, by columns, and once it is sealed by queue.
 *
 * Job j is the j-th that was added. Users, groups and applications are numbers: the plan's first,
 * then those that jobs alone name. A *place* is slots of a job on a site (model/tasks.h); without
 * hosts in the plan and state there is one site -1, which has all slots.
 */
#ifndef ALLOT_MODEL_JOB_H
#define ALLOT_MODEL_JOB_H

#include <allot/job.h>

#include "base/name.h"
#include "base/pool.h"

typedef struct allot__job_place {
    int32_t site, slots;
} allot__job_place;

/* A job as it was added; strings are numbers or in the pool. */
typedef struct allot__job {
    const char *id;
    int64_t submitted, started; /* INT64_MIN: not known */
    int64_t ran, suspended_for, until;
    int32_t queue, slots, preempted, priority;
    int32_t user, group, application; /* -1: none */
    int32_t run_limit;                /* s; ALLOT_NONE: nobody says */
    int32_t grow, reserved_by;
    uint8_t state, flags, notifying;
    int32_t place, place_count; /* among the places; sites after sealing, labels before */
    int32_t grown, grown_count; /* likewise: places that it grew by and is not told of yet */
    int32_t extra;              /* tags and values; -1: none */
} allot__job;

typedef struct allot__jobs {
    allot__pool pool;
    allot__vector list;                        /* of allot__job */
    allot__index index;                        /* by id */
    allot__vector places;                      /* of allot__job_place */
    allot__vector users, groups, applications; /* of const char *: those behind the plan's */
    allot__index user_index, group_index, application_index;
    allot__vector usage; /* of allot__usage: by queue, as told */
    int64_t usage_at;
    bool usage_at_set;
    allot__vector leases; /* of allot__lease_told */
    /* After sealing: by queue its jobs, in the order of the state. */
    int32_t *first, *by_queue;
    size_t room;
} allot__jobs;

typedef struct allot__usage {
    int64_t slot_seconds;
    int32_t millionths, queue;
} allot__usage;

static inline const allot__job *allot__job_at(const allot__jobs *jobs, int32_t job)
{
    return (const allot__job *)jobs->list.items + job;
}
static inline const allot__job_place *allot__job_places(const allot__jobs *jobs,
                                                        const allot__job *job)
{
    return (const allot__job_place *)jobs->places.items + job->place;
}

/* Finds sites, queues' jobs, defaults; checks what runs against hosts: EINVALID with every fault,
 * ENOMEM. */
int allot__jobs_seal(allot_state *state, allot_report *report);
void allot__jobs_free(allot_state *state);

#endif
