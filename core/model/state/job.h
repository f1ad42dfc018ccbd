/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: a state's jobs, as structs of numbers, and by queue once it is sealed.
 *
 * Job j is the j-th that was added. Users, groups and applications are numbers: the plan's first,
 * then those that only jobs name. A *place* is slots of a job on a site (model/state/tasks.h);
 * without hosts in the plan and state there is one site -1, which has all slots.
 */
#ifndef ALLOT_MODEL_STATE_JOB_H
#define ALLOT_MODEL_STATE_JOB_H

#include <stdbool.h>

#include <allot/job.h>
#include <allot/lease.h>

#include "base/name.h"
#include "base/pool.h"

typedef struct allot__job_place {
    int32_t site, slots;
} allot__job_place;

/* A job as the engine reads it; names are numbers. The members that every cycle reads of every job
 * come first, in one cache line. */
typedef struct allot__job {
    const char *id;
    int32_t queue, slots;
    int32_t place, place_count; /* in `places`; one place for a job without hosts, unless pending */
    int32_t grown_count;
    uint8_t state, flags, notifying;
    int32_t user, group, application; /* -1: none */
    int32_t priority;
    int64_t submitted, started; /* INT64_MIN: not known */
    int64_t ran, suspended_for, since, begin, until;
    int32_t run_limit; /* s, after sealing; ALLOT_NONE: not stated */
    int32_t preempted, grow, reserved_by;
    int32_t grown; /* the first of grown_count places given to it for growth */
    const allot_job *told;
} allot__job;

typedef struct allot__usage {
    bool told;
    int64_t slot_seconds;
    int32_t millionths;
} allot__usage;

typedef struct allot__lease_told {
    bool told;
    allot_lease_now now;
} allot__lease_told;

typedef struct allot__jobs {
    allot__pool pool;
    allot__vector list;                        /* of allot__job */
    allot__vector places;                      /* of allot__job_place; sites after sealing */
    allot__vector labels;                      /* of int32_t: places' hosts; -1: the only one */
    allot__vector users, groups, applications; /* of const char *: those behind the plan's */
    allot__index user_index, group_index, application_index;
    allot__usage *usage; /* by queue; NULL: none stated */
    int64_t usage_at;
    bool usage_at_set;
    allot__lease_told *leases;   /* by contract; NULL: none stated */
    allot__vector resources;     /* of allot_job_resource: above 0, those of a job together */
    allot__vector resource_jobs; /* ... of int32_t: the job of each */
    int64_t *preempted_at; /* by resource: the last preemption for it, or INT64_MIN; NULL: never for
                              any */
    /* After sealing: by queue, one more: its jobs by_queue[first[q]] ..., in the order of the
     * state, without early ones. */
    int32_t *first, *by_queue;
    size_t room; /* of by_queue */
    bool arranged;
    bool timed; /* some jobs may not start before a stated time */
} allot__jobs;

static inline const allot__job *allot__job_at(const allot__jobs *jobs, int32_t job)
{
    return (const allot__job *)jobs->list.items + job;
}
static inline const allot__job_place *allot__job_places(const allot__jobs *jobs,
                                                        const allot__job *job)
{
    return allot__vector_from(&jobs->places, (size_t)job->place, sizeof(allot__job_place));
}

/* ... and places that it was granted and not yet notified of. */
static inline const allot__job_place *allot__job_grown(const allot__jobs *jobs,
                                                       const allot__job *job)
{
    return allot__vector_from(&jobs->places, (size_t)job->grown, sizeof(allot__job_place));
}

/* Seconds until `now` since job->since; those that it ran in all; those suspended. */
static inline int64_t allot__job_since(const allot__job *job, int64_t now)
{
    return job->since != INT64_MIN && job->since < now ? now - job->since : 0;
}
static inline int64_t allot__job_ran(const allot__job *job, int64_t now)
{
    if (job->ran >= 0)
        return job->ran + (job->state == ALLOT_RUNNING ? allot__job_since(job, now) : 0);
    if (job->state == ALLOT_PENDING)
        return 0;
    int64_t since = job->started == INT64_MIN ? 0 : job->started;
    return since < now ? now - since : 0;
}
static inline int64_t allot__job_suspended(const allot__job *job, int64_t now)
{
    bool waits = job->state == ALLOT_SUSPENDED || job->state == ALLOT_STOPPED;
    return job->suspended_for + (waits ? allot__job_since(job, now) : 0);
}
/* Is it too early for the job to want slots? */
static inline bool allot__job_is_early(const allot__job *job, int64_t now)
{
    return job->state == ALLOT_PENDING && job->begin > now;
}

/* The name of a user, or of a group, by its number; NULL of -1. */
const char *allot__job_user(const allot_state *state, int32_t number);
const char *allot__job_group(const allot_state *state, int32_t number);

/* Fills the structs and lists anew. ENOMEM. */
int allot__jobs_fill(allot_state *state);
/* The resources that a job holds or asks for, *count of them, in the job's order. */
const allot_job_resource *allot__job_resources(const allot__jobs *jobs, int32_t job,
                                               int32_t *count);

/* A state's jobs, made on first use; NULL: out of memory. */
allot__jobs *allot__jobs_open(allot_state *state);
/* Makes room for what is stated of queues, contracts, resources: that cannot fail then. ENOMEM. */
int allot__jobs_room(allot_state *state);
/* Sets defaults and what queues demand and hold; checks jobs: EINVALID with every fault. */
int allot__jobs_seal(allot_state *state, allot_report *report);
/* Step one of sealing: finds the places' sites, and lists jobs by queue. ENOMEM. */
int allot__jobs_arrange(allot_state *state);
void allot__jobs_free(allot_state *state);

#endif
