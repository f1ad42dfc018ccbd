/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lease.h: slots that one cluster lends to another part-time (shared lease).
 *
 * An export policy gives slots to consumers. What one consumer gets from one policy is a
 * *contract*; a cycle decides about each contract separately (L-4). Contracts number 0, 1, ... in
 * the order of adding.
 */
#ifndef ALLOT_LEASE_H
#define ALLOT_LEASE_H

#include <allot/decision.h>

ALLOT_C_BEGIN

typedef struct allot_lease_host {
    const char *host;
    int64_t slots; /* exported there */
} allot_lease_host;

typedef struct allot_lease {
    const char *name; /* unique; of a policy with several consumers "policy/consumer" */
    const char *provider, *consumer;
    int64_t slots;                 /* exported, 1 ...; with hosts the sum of theirs */
    const allot_lease_host *hosts; /* of the plan; none: unknown */
    int32_t host_count;
    int32_t shared;        /* 0: exclusive, all slots are the consumer's, always (L-8) */
    int64_t reclaim_delay; /* s (L-6) */
    int32_t damped;        /* nothing moves to a side without pending work */
} allot_lease;
/* Adds a contract; everything is copied; `slots` may be 0 if there are hosts. EEXIST, ENAME,
 * ERANGE; EUSAGE: a host that is not in the plan. Sealing finds hosts that have a shared contract
 * and another one (L-3), and shared contracts of more slots than a host has. */
ALLOT_API int allot_plan_lease(allot_plan *plan, const allot_lease *lease);
ALLOT_API int32_t allot_plan_leases(const allot_plan *plan);
ALLOT_API int allot_plan_lease_at(const allot_plan *plan, int32_t i, allot_lease *out);

typedef enum allot_lease_phase {
    ALLOT_LEASE_CONN = 0, /* offered: the consumer has one slot, and has not used it yet (L-5) */
    ALLOT_LEASE_OK,
    ALLOT_LEASE_INACTIVE, /* just changed: nothing starts on its slots in this cycle (L-7, A-43) */
    ALLOT_LEASE_PHASE_COUNT
} allot_lease_phase;
ALLOT_API const char *allot_lease_phase_name(int phase);

typedef struct allot_lease_side {
    int64_t available, used;
    int64_t demand; /* slots that pending work wants; -1: unknown */
} allot_lease_side;
typedef struct allot_lease_now {
    allot_lease_side provider, consumer;
    allot_lease_phase phase;
    int64_t since; /* when the lease was made, evaluated or changed last */
} allot_lease_now;
/* The number of the contract of that name, or -1. */
ALLOT_API int32_t allot_plan_lease_find(const allot_plan *plan, const char *name);

/* States a contract as it is now; a contract without such a statement is at its start (L-5).
 * EUSAGE: no such; ERANGE: also if more is used than available. */
ALLOT_API int allot_state_lease(allot_state *state, int32_t lease, const allot_lease_now *now);
/* What allot_state_lease stated of a contract; ENOENT: nothing. */
ALLOT_API int allot_state_lease_at(const allot_state *state, int32_t lease, allot_lease_now *out);

/* A contract after the cycle, and what changed. */
typedef struct allot_lease_part {
    allot_lease_now now;
    int64_t size;              /* N: less than exported if hosts are down */
    int64_t moved;             /* slots that changed sides in this cycle */
    int32_t to_consumer;       /* ... to the consumer (else to the provider); of "no-demand" and
                                  "none-idle" the side that would get them */
    const allot_place *places; /* the moved slots by host; borrowed, none: unknown */
    int32_t place_count;
    /* "offered", "made", "waits", "consumer-idle" (the consumer has more idle slots),
     * "provider-idle" (the provider has), "equal", "none-idle" (the giving side has none), "policy"
     * (the policy's function takes slots from the side that has no more idle slots, or moves none
     * although one side has more), "inactive", "no-demand", "shrunk", "grown" (hosts are back,
     * A-44), "exclusive". Static. */
    const char *reason;
} allot_lease_part;
ALLOT_API int allot_decision_lease(const allot_decision *decision, int32_t lease,
                                   allot_lease_part *out);
/* Explains both sides of a contract, what moves and why, and what is next. EUSAGE: no such. */
ALLOT_API int allot_explain_lease(const allot_decision *decision, int32_t lease,
                                  void (*line)(void *ud, const char *text), void *ud);

ALLOT_C_END

#endif
