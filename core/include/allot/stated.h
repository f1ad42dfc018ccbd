/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * stated.h: what a state states, read back: what the setters of state.h, job.h and lease.h set.
 *
 * Lists (tasks, sessions, jobs, reclaims, loans, contracts) have their getters there. Here are the
 * others. Two states that state the same decide the same, so json.h writes a state by these.
 * Pointers are borrowed until the state is opened or freed. What sealing finds out, sizes and
 * leaves, is read of sealed states: EUSAGE for another.
 */
#ifndef ALLOT_STATED_H
#define ALLOT_STATED_H

#include <allot/job.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The plan of the state, sealed or not. */
ALLOT_API const allot_plan *allot_state_plan(const allot_state *state);

/* The time of the cycle before. ENOENT: not stated. */
ALLOT_API int allot_state_last_get(const allot_state *state, int64_t *out);
/* Whether `now` is stated to be rounded down to whole seconds. Of any state. */
ALLOT_API int allot_state_now_is_rounded(const allot_state *state);
/* The size of a group. ENOENT: not stated, so hosts or the plan give it. */
ALLOT_API int allot_state_size_get(const allot_state *state, int32_t group, int64_t *out);

/* A leaf in a group. */
typedef struct allot_stated_leaf {
    int64_t demand;    /* -1: its tasks' slots: not stated, or stated as 0 without a task (C-13) */
    int64_t allocated; /* -1: the slots of those that run: not stated, or stated as 0 */
    int64_t unlisted;
    int64_t reclaimed_at, waiting_since; /* INT64_MIN: not stated */
} allot_stated_leaf;
/* What any state was told of a leaf: also a demand of 0, or what is allocated, without a task; and
 * tells an open state all of it, but what is unset of `demand` and `allocated`. EUSAGE: a parent,
 * or a queue, which has what its jobs have. */
ALLOT_API int allot_state_row_get(const allot_state *state, int32_t group, int32_t consumer,
                                  allot_stated_leaf *out);
ALLOT_API int allot_state_row_set(allot_state *state, int32_t group, int32_t consumer,
                                  const allot_stated_leaf *row);
/* What a sealed state states of it. EUSAGE: as above. */
ALLOT_API int allot_state_leaf_get(const allot_state *state, int32_t group, int32_t consumer,
                                   allot_stated_leaf *out);

/* A host that the state states, in the order of the setters. */
typedef struct allot_stated_host {
    const char *name;
    int64_t slots; /* not stated: those of the plan */
    allot_closed closed;
    int64_t load;         /* thousandths; -1: not stated */
    int32_t exclusive_to; /* a consumer, or ALLOT_ROOT */
    int32_t planned;      /* read back: nonzero where slots are not stated. Else without effect */
} allot_stated_host;
ALLOT_API int32_t allot_state_hosts(const allot_state *state);
ALLOT_API int allot_state_host_at(const allot_state *state, int32_t i, allot_stated_host *out);
/* States all of a host of an open state, in the place of what was stated of it: slots -1 are those
 * of the plan, a load of -1 is not stated. ENAME, ERANGE, EUSAGE; ENOENT: as allot_state_host. */
ALLOT_API int allot_state_host_set(allot_state *state, const allot_stated_host *host);
/* Takes back what an open state states of a host; other hosts keep their order. ENOENT, EUSAGE. */
ALLOT_API int allot_state_host_end(allot_state *state, const char *name);

/* What a queue has used, when it had, and when jobs were preempted for a resource. ENOENT: not
 * stated. EUSAGE: no such queue or resource. */
ALLOT_API int allot_state_usage_get(const allot_state *state, int32_t queue, int64_t *slot_seconds,
                                    int32_t *millionths);
ALLOT_API int allot_state_usage_time(const allot_state *state, int64_t *out);
ALLOT_API int allot_state_resource_time(const allot_state *state, int32_t resource, int64_t *out);

/* ---- Two plans ------------------------------------------------------------------------------- */

/* Which number what a plan names has under another, by names; -1: that has it not. */
typedef struct allot_plan_map {
    const allot_plan *from, *to;
    int32_t *consumers, *groups, *attributes; /* the last are those of tasks */
    int32_t consumer_count, group_count, attribute_count;
    /* All of these, and resources, have the same number under both, and may be what they are. */
    int32_t same;
} allot_plan_map;
/* Reads nothing but the plans, so that any thread can make one. ENOMEM. NULL is fine to free. */
ALLOT_API int allot_plan_map_new(allot_engine *engine, const allot_plan *from, const allot_plan *to,
                                 allot_plan_map **out);
ALLOT_API void allot_plan_map_free(allot_engine *engine, allot_plan_map *map);

#ifdef __cplusplus
}
#endif

#endif
