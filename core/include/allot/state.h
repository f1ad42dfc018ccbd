/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.h: what is demanded and held. */
#ifndef ALLOT_STATE_H
#define ALLOT_STATE_H

#include <allot/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State: what is demanded and held -------------------------------------------------------- */

/* A running task. Strings are copied; NULL where unknown. */
typedef struct allot_task {
    const char *id;   /* unique, 1 ... 255 bytes */
    int32_t consumer; /* a leaf */
    int32_t group;
    int64_t slots; /* 1 ... ALLOT_AMOUNT_MAX */
    int64_t started, submitted;
    const char *session, *host;
} allot_task;

typedef struct allot_claim {
    int32_t consumer; /* a leaf, or a parent: for its own reserve (C-5) */
    int64_t slots;
} allot_claim;

/* A reclaim ordered earlier and not finished: `slots` of `consumer` are on their way to the
 * claimants (the sum of whose slots is at most `slots`). Everything is copied. */
typedef struct allot_in_flight {
    const char *id; /* may be NULL */
    int32_t consumer, group;
    int64_t slots;
    int64_t deadline;
    const allot_claim *claims;
    int32_t claim_count;
} allot_in_flight;

/* A state is filled (in any order), then sealed. It can be opened again to be changed. */
ALLOT_API int allot_state_new(const allot_plan *plan, allot_state **out);
ALLOT_API void allot_state_free(allot_state *state);
ALLOT_API int allot_state_now(allot_state *state, int64_t now);
/* The actual size of a group, 0 ... ALLOT_AMOUNT_MAX. Unset: the sum of open hosts' slots where
 * the plan or state names hosts of the group, else the planned size. */
ALLOT_API int allot_state_slots(allot_state *state, int32_t group, int64_t slots);
/* Of a leaf. EUSAGE: not a leaf. ERANGE. `allocated` not set: the sum of its tasks' slots. */
ALLOT_API int allot_state_demand(allot_state *state, int32_t group, int32_t consumer,
                                 int64_t slots);
ALLOT_API int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer,
                                    int64_t slots);
/* A host as it is now: slots -1 = as planned; closed hosts do not count. A host that the plan
 * does not know is of group 0. ENOENT: it is not known and slots are not given. */
ALLOT_API int allot_state_host(allot_state *state, const char *name, int64_t slots, int closed);
/* EEXIST: the id is taken. */
ALLOT_API int allot_state_task(allot_state *state, const allot_task *task);
ALLOT_API int allot_state_in_flight(allot_state *state, const allot_in_flight *reclaim);
/* Checks whole (allocated below the tasks' slots, ...). EINVALID with diagnostics. */
ALLOT_API int allot_state_seal(allot_state *state, allot_report *report);
/* Makes a sealed state changeable again; what was set stays. */
ALLOT_API int allot_state_open(allot_state *state);

ALLOT_API int64_t allot_state_now_get(const allot_state *state);
/* After sealing. */
ALLOT_API int64_t allot_state_slots_get(const allot_state *state, int32_t group);
ALLOT_API int64_t allot_state_demand_get(const allot_state *state, int32_t group, int32_t consumer);
ALLOT_API int64_t allot_state_allocated_get(const allot_state *state, int32_t group,
                                            int32_t consumer);

#ifdef __cplusplus
}
#endif

#endif
