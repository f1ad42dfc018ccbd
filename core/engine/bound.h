/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bound.h: limits on jobs, and how far they are used (P-20 ... P-24, Q-33).
 *
 * A limit with `per` is many: one *bound* for each queue, user, group, host that it holds of. Of a
 * bound is known what runs and what is suspended; which of the suspended count depends:
 *
 *   preemption off                                  all do (P-20)
 *   a queue's own limits                            all do (P-22)
 *   hosts' totals, users' totals                    none do (P-21)
 *   counts of jobs                                  none do (P-24)
 *   groups' totals, groups' and users' per
 *   processor, users' and groups' per host          all do, unless the policy lifts it
 * (PREEMPT_FOR)
 *
 * Slots of hosts themselves are no bound but room.h's.
 */
#ifndef ALLOT_ENGINE_BOUND_H
#define ALLOT_ENGINE_BOUND_H

#include "engine/room.h"

typedef struct allot__bound {
    int32_t limit; /* of the plan's */
    int32_t host;  /* of the room; -1: it is of none */
    int64_t most;
    int64_t used; /* slots or jobs that count */
} allot__bound;

typedef struct allot__bounds {
    const allot__work *work;
    const allot__room *room;
    allot__vector list; /* of allot__bound */
    allot__index index; /* by limit, queue, user, group, host */
    bool *lifted;       /* by limit: suspended jobs do not count */
    /* By *class* of jobs (same queue, user, group): its bounds that are of no host, and its limits
     * that are. */
    struct allot__bound_class *classes;
    int32_t class_count;
    int32_t *class_of; /* by job */
} allot__bounds;

int allot__bounds_make(const allot__work *work, const allot__room *room, allot__bounds *out);
void allot__bounds_free(allot__bounds *bounds);

/* May a job use so many slots more? *binding is else the first bound that says no. Of no host. */
bool allot__bounds_allow(const allot__bounds *bounds, int32_t job, int64_t slots, int32_t *binding);
/* How many of those that are free on a host a job may use there; *binding as above, or -1. */
int32_t allot__bounds_on_host(const allot__bounds *bounds, int32_t job, int32_t host, int32_t slots,
                              int32_t *binding);
/* Does any limit of that job's class hold by host? */
bool allot__bounds_by_host(const allot__bounds *bounds, int32_t job);

/* A job begins to run (slots that it has no longer while suspended included), or stops. */
typedef enum allot__bound_change {
    ALLOT__BOUND_START,
    ALLOT__BOUND_SUSPEND,
    ALLOT__BOUND_RESUME,
    ALLOT__BOUND_END,
    ALLOT__BOUND_GROW
} allot__bound_change;
/* ENOMEM. `places` of `count` are hosts of the room. */
int allot__bounds_change(allot__bounds *bounds, int32_t job, allot__bound_change change,
                         const allot__job_place *places, int32_t count);

#endif
