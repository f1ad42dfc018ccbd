/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * stated.h: getters for what the setters of state.h, job.h and lease.h set in a state.
 *
 * Lists (tasks, sessions, jobs, reclaims, loans, contracts) have their getters there. Here are the
 * others. States that state the same decide the same, so json.h writes a state by these. Pointers
 * are borrowed until the state is opened or freed. Sizes (allot_state_size_get) and
 * allot_state_leaf_get need a sealed state: else EUSAGE.
 */
#ifndef ALLOT_STATED_H
#define ALLOT_STATED_H

#include <allot/members.h>

ALLOT_C_BEGIN

/* The plan of the state, sealed or not. */
ALLOT_API const allot_plan *allot_state_plan(const allot_state *state);

/* The time of the cycle before. ENOENT: not stated. */
ALLOT_API int allot_state_last_get(const allot_state *state, int64_t *out);
/* What allot_state_now_rounded set. Of any state. */
ALLOT_API int allot_state_now_is_rounded(const allot_state *state);
/* The size of a group. ENOENT: not stated, so hosts or the plan give it. */
ALLOT_API int allot_state_size_get(const allot_state *state, int32_t group, int64_t *out);

/* A leaf in a group. */
typedef struct allot_stated_leaf {
    int64_t demand;    /* -1: its tasks' slots: not stated, or stated as 0 without a task (C-13) */
    int64_t allocated; /* -1: the slots of those that run: not stated, or stated as 0 */
    int64_t unlisted;
    int64_t reclaimed_at, waiting_since; /* INT64_MIN: not stated */
    /* Decayed slot-seconds as they were at `usage_at`, 0 ... 2^62, and millionths beyond them
     * (C-14); INT64_MIN: at the time of allot_state_usage_at. Of plans that count use. */
    int64_t usage, usage_rest, usage_at;
} allot_stated_leaf;
/* Reads what was set of a leaf in any state, also a `demand` or `allocated` of 0 without a task;
 * and sets all of it in an open state, except an unset `demand` or `allocated`. EUSAGE: a parent,
 * or a queue (its numbers are those of its jobs). */
ALLOT_API int allot_state_row_get(const allot_state *state, int32_t group, int32_t consumer,
                                  allot_stated_leaf *out);
ALLOT_API int allot_state_row_set(allot_state *state, int32_t group, int32_t consumer,
                                  const allot_stated_leaf *row);
/* What a sealed state states of a leaf. EUSAGE: as above. */
ALLOT_API int allot_state_leaf_get(const allot_state *state, int32_t group, int32_t consumer,
                                   allot_stated_leaf *out);

/* A host that the state states; hosts are in the order of the setters. */
typedef struct allot_stated_host {
    const char *name;
    int64_t slots; /* not stated: those of the plan */
    allot_closed closed;
    int64_t load;         /* thousandths; -1: not stated */
    int32_t exclusive_to; /* a consumer, or ALLOT_ROOT */
    int32_t planned;      /* nonzero in getters: slots are not stated. Setters ignore it */
} allot_stated_host;

/* The use of a user's jobs, of all queues, as it was at `usage_at` (C-14); likewise. Of plans some
 * policy of which reads it. */
typedef struct allot_stated_user {
    const char *name;
    int64_t usage, usage_rest, usage_at;
} allot_stated_user;

/* Any item of a state (members.h). */
typedef union allot_any_item {
    allot_task task;
    allot_session session;
    allot_job job;
    allot_in_flight reclaim;
    allot_loan loan;
    allot_lease_now lease;
    allot_stated_host host;
    allot_stated_leaf row;
    allot_stated_user user;
} allot_any_item;

ALLOT_API int32_t allot_state_hosts(const allot_state *state);
ALLOT_API int allot_state_host_at(const allot_state *state, int32_t i, allot_stated_host *out);
/* Replaces everything that an open state states of a host: slots -1 are those of the plan, a load
 * of -1 is not stated. ENAME, ERANGE, EUSAGE; ENOENT: as allot_state_host. */
ALLOT_API int allot_state_host_set(allot_state *state, const allot_stated_host *host);
/* Removes what an open state states of a host; other hosts keep their order. ENOENT, EUSAGE. */
ALLOT_API int allot_state_host_end(allot_state *state, const char *name);

/* How many numbers users have, and the user of a number. ENOENT: there is nothing to state of it:
 * no use is left, and none of its jobs runs. */
ALLOT_API int32_t allot_state_users(const allot_state *state);
ALLOT_API int allot_state_user_at(const allot_state *state, int32_t i, allot_stated_user *out);
/* Sets the use of a user in an open state; of a plan that does not count it, to no effect. ENAME,
 * ERANGE, EUSAGE. */
ALLOT_API int allot_state_user_set(allot_state *state, const allot_stated_user *user);

/* A queue's use, the time of that use, and the time when jobs were preempted for a resource.
 * ENOENT: not stated. EUSAGE: no such queue or resource. */
ALLOT_API int allot_state_usage_get(const allot_state *state, int32_t queue, int64_t *slot_seconds,
                                    int32_t *millionths);
ALLOT_API int allot_state_usage_time(const allot_state *state, int64_t *out);
ALLOT_API int allot_state_resource_time(const allot_state *state, int32_t resource, int64_t *out);

/* ---- Two plans ------------------------------------------------------------------------------- */

/* Numbers in plan `to` of what `from` names, matched by name; -1: `to` has no such name. */
typedef struct allot_plan_map {
    const allot_plan *from, *to;
    int32_t *consumers, *groups, *attributes; /* the last are those of tasks */
    int32_t consumer_count, group_count, attribute_count;
    /* Nonzero: all of these, and resources, have the same number and kind in both plans. */
    int32_t same;
} allot_plan_map;
/* Reads only the plans, so any thread may call it. ENOMEM. allot_plan_map_free takes NULL. */
ALLOT_API int allot_plan_map_new(allot_engine *engine, const allot_plan *from, const allot_plan *to,
                                 allot_plan_map **out);
ALLOT_API void allot_plan_map_free(allot_engine *engine, allot_plan_map *map);

ALLOT_C_END

#endif
