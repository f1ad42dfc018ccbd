/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: a state's jobs, a block each, and by queue once it is sealed.
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
#include <allot/stated.h>

#include "base/name.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/usage.h"
#include "model/items/things.h"
#include "model/state/tasks.h"

typedef struct allot__job_place {
    int32_t site, slots; /* the site: after sealing */
} allot__job_place;

/* Members without columns in allot__job, if some are stated, in the block of the job. */
typedef struct allot__job_rest {
    allot_job of;
    const allot_job_resource *asks; /* its resources of an amount above 0 */
    int32_t ask_count;
} allot__job_rest;

/* A job. Its places follow in its block, those that it was given for growth last; then each place's
 * name of a host, as added, and that name's label. A job without hosts has one place, unless it is
 * pending. Names are numbers; -1: none. What every cycle reads of every job stands together, beside
 * the places. */
typedef struct allot__job {
    allot__thing thing;
    const allot_job *more; /* the first member of an allot__job_rest */
    int64_t ran, suspended_for, since;
    int32_t stated_limit, run_limit; /* s; -1: not stated. After sealing; ALLOT_NONE: none */
    int32_t preempted, grow, priority;
    int64_t submitted, started;               /* INT64_MIN: not known */
    uint8_t state, flags, notifying, counted; /* counted: once sealed, in sums */
    int32_t user, group, application;
    int32_t queue, slots;
    int32_t place_count, grown_count;
} allot__job;

typedef struct allot__lease_told {
    bool told;
    allot_lease_now now;
} allot__lease_told;

/* Sums over a queue's jobs, without early ones. */
typedef struct allot__queue_jobs {
    int64_t slots[ALLOT_JOB_STATE_COUNT];
    int32_t count[ALLOT_JOB_STATE_COUNT];
    int64_t grown;   /* slots that running jobs were given for growth */
    int64_t latest;  /* no running job started later */
    int32_t growing; /* running jobs that want more slots */
} allot__queue_jobs;

/* Names that only jobs have, of users, of groups and of applications. */
typedef struct allot__job_names {
    allot__pool pool;
    allot__vector lists[3]; /* of const char * */
    allot__index indexes[3];
} allot__job_names;

/* The use of a user's jobs (use.c), and the slots of those that run. */
typedef struct allot__user_use {
    allot__usage usage;
    int64_t slots;
} allot__user_use;

/* What cycles read of all jobs, or of many that do not fit. */
typedef struct allot__job_brief {
    int32_t queue, slots;
    uint8_t state;
    bool exclusive, early; /* early: it may not start yet */
} allot__job_brief;

typedef struct allot__jobs {
    allot__job_names names;
    allot__vector users;       /* of allot__user_use, by user, if the plan counts it */
    allot__usage *usage;       /* by queue; NULL: none stated. Their time is the state's usage_at */
    allot__lease_told *leases; /* by contract; NULL: none stated */
    int64_t *preempted_at;     /* by resource: the last preemption for it, or INT64_MIN; NULL: never
                                  for any */
    /* After sealing: the state's blocks, which it owns; and by queue, one more: its jobs
     * by_queue[first[q]] ..., in the order of the state, without early ones. If `ordered`, running
     * jobs come first, then from stops[q] on those suspended or stopped, and from waits[q] on
     * pending ones, in the order of the policy's dispatch; ties as in the state. */
    allot__vector list;
    int32_t *first, *by_queue, *stops, *waits;
    allot__job_brief *briefs;  /* by job */
    size_t room;               /* of by_queue and briefs */
    allot__queue_jobs *queues; /* by queue */
    int32_t flagged[8];        /* by flag: jobs that have it */
    int32_t undated;           /* jobs that do not wait, and have no `since` */
    allot__site nowhere;       /* sums of places without a site */
    const allot_plan *plan;    /* that they were arranged for */
    bool ordered;
    bool arranged;
    bool timed; /* some jobs may not start before a stated time */
    /* Of the last sealing: did it arrange only what had changed? If so: present numbers of jobs
     * that changed or are new, former numbers of those that ended, both ascending. Before it:
     * numbers as the state has them. */
    bool partly;
    allot__vector changed, ended; /* of int32_t */
    int64_t seals;                /* how often all this was derived */
    /* What dispatch keeps from one cycle to the next (engine/jobs/preempt/rows.c); NULL: nothing.
     */
    void *kept;
    void (*end_kept)(void *kept);
} allot__jobs;

static inline const allot__job *allot__job_at(const allot__jobs *jobs, int32_t job)
{
    return ((const allot__job *const *)jobs->list.items)[job];
}
static inline const allot__job_rest *allot__job_rest_of(const allot__jobs *jobs, int32_t job)
{
    return (const allot__job_rest *)(const void *)allot__job_at(jobs, job)->more;
}
/* The resources that a job holds or asks for, *count of them, in the job's order. */
static inline const allot_job_resource *allot__job_resources(const allot__jobs *jobs, int32_t job,
                                                             int32_t *count)
{
    const allot__job_rest *rest = allot__job_rest_of(jobs, job);
    *count = rest->ask_count;
    return rest->asks;
}
/* Fetches blocks that loops over by_queue reach soon, as these are anywhere in memory; `i`: the
 * entry of the present one. */
ALLOT__INLINE void allot__job_fetch(const allot__jobs *jobs, int32_t i, int32_t count)
{
    enum { AHEAD = 12 };
    const allot__job *const *list = jobs->list.items;
    if (i + 2 * AHEAD < count)
        __builtin_prefetch(&list[jobs->by_queue[i + 2 * AHEAD]]);
    if (i + AHEAD < count) {
        __builtin_prefetch(&list[jobs->by_queue[i + AHEAD]]->state);
        __builtin_prefetch(&list[jobs->by_queue[i + AHEAD]]->place_count);
    }
}
/* How many jobs have this flag? */
static inline int32_t allot__jobs_flagged(const allot__jobs *jobs, uint32_t flag)
{
    return jobs->flagged[__builtin_ctz(flag)];
}
/* Of a queue's list, the part where its jobs of a state stand, and maybe others: [*from, end). */
static inline int32_t allot__jobs_of(const allot__jobs *jobs, int32_t queue, int state,
                                     int32_t *from)
{
    int32_t end = jobs->first[queue + 1];
    *from = jobs->first[queue];
    if (!jobs->ordered)
        return end;
    if (state != ALLOT_RUNNING)
        *from = state == ALLOT_PENDING ? jobs->waits[queue] : jobs->stops[queue];
    return state == ALLOT_PENDING   ? end
           : state == ALLOT_RUNNING ? jobs->stops[queue]
                                    : jobs->waits[queue];
}
static inline allot__job_place *allot__job_places(const allot__job *job)
{
    return (allot__job_place *)(uintptr_t)(job + 1);
}
/* ... those that it was granted and not yet notified of. */
static inline const allot__job_place *allot__job_grown(const allot__job *job)
{
    return allot__job_places(job) + job->place_count;
}
static inline int32_t allot__job_all_places(const allot__job *job)
{
    return job->place_count + job->grown_count;
}
/* The names of the places' hosts, and their labels; NULL and -1: the only host. */
static inline allot_job_host *allot__job_hosts(const allot__job *job)
{
    return (void *)(allot__job_places(job) + allot__job_all_places(job));
}
static inline int32_t *allot__job_labels(const allot__job *job)
{
    return (void *)(allot__job_hosts(job) + allot__job_all_places(job));
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
    return job->state == ALLOT_PENDING && job->more->begin > now;
}

/* The name of a user, or of a group, by its number; NULL of -1. */
const char *allot__job_user(const allot_state *state, int32_t number);
const char *allot__job_group(const allot_state *state, int32_t number);

/* The block of a job, whose names get numbers. NULL: ENOMEM. */
allot__thing *allot__job_make(allot_state *state, const allot_job *job);
/* What it was made of; lists and strings are the block's. */
allot_job allot__job_told(const allot_state *state, const allot__job *job);
/* Marks the hosts that jobs name. */
int allot__jobs_fill(allot_state *state);
/* Drops names of users, groups and applications that no job has. ENOMEM: they stay. */
int allot__job_names_trim(allot_state *state);
/* Gives names of another state's jobs numbers; with `set`, which cannot fail after that, its jobs
 * get these numbers. ENOMEM. */
int allot__jobs_rename(allot_state *state, const allot_state *from, bool set);
/* Gives users of another state that have use numbers; with `set`, likewise, they have that use
 * here. ENOMEM. */
int allot__users_carry(allot_state *state, const allot_state *from, bool set);

/* A state's jobs, made on first use; NULL: out of memory. */
allot__jobs *allot__jobs_open(allot_state *state);
/* Makes room for what is stated of queues, contracts, resources: that cannot fail then. ENOMEM. */
int allot__jobs_room(allot_state *state);
/* job_list.c: notes that the job of that number is new (`old` NULL), is replaced, or ends (`made`
 * NULL). */
void allot__job_changed(allot_state *state, int32_t number, const allot__job *old,
                        const allot__job *made);
/* use.c: does some policy of the plan read users' use? */
bool allot__users_counted(const allot_state *state);
/* A user of the state is known by that number. ENOMEM. */
int allot__user_room(allot_state *state, int32_t user);
/* A job is replaced by the other, as above: what ran until now is use of its user. */
void allot__user_change(allot_state *state, const allot__job *old, const allot__job *made);
/* The use of a user until the state's time; NULL: none is counted. */
const allot__user_use *allot__user_use_of(const allot_state *state, int32_t user);
allot__usage allot__user_usage(const allot_state *state, int32_t user);
/* Sets what a user had used. ENOMEM. */
int allot__user_set(allot_state *state, const allot_stated_user *user);
/* Is there anything to state of the user? */
bool allot__user_has_use(const allot_state *state, int32_t user);
/* Sums up the slots that users' jobs run on anew. */
void allot__users_recount(allot_state *state);
/* Steps of sealing: takes jobs that were replaced or ended out of sums, while their blocks are
 * there; then sets defaults, finds the places' sites, and lists jobs by queue. ENOMEM. */
void allot__jobs_leave(allot_state *state);
int allot__jobs_arrange(allot_state *state);
/* The value of a key of dispatch, signed so that smaller goes first; false: the key needs more than
 * the job, and so has no value. */
bool allot__job_key(const allot__job *job, const allot_key *key, int64_t *value);
/* Sets what queues demand and hold; checks jobs: EINVALID with every fault. */
int allot__jobs_seal(allot_state *state, allot_report *report);
void allot__jobs_free(allot_state *state);

#endif
