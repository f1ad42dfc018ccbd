/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state.h: a state as the engine reads it, once it is sealed.
 */
#ifndef ALLOT_MODEL_STATE_STATE_H
#define ALLOT_MODEL_STATE_STATE_H

#include <stdbool.h>

#include <allot/state.h>

#include "base/memory.h"
#include "base/usage.h"
#include "model/plan/plan.h"
#include "model/state/tasks.h"
#include "model/items/things.h"

typedef struct allot__group_state {
    int64_t slots;      /* actual size T, after sealing */
    int64_t stated;     /* as it was set; -1: not set */
    int32_t *demand;    /* by the group's row; 0 for parents */
    int32_t *allocated; /* likewise; after sealing the sum of its tasks where not set */
    uint8_t *set;       /* a bit by row: `allocated` was set */
    uint8_t *demanded;  /* ... `demand` was */
    bool derived;       /* some row's demand comes from its tasks (C-13), */
    uint8_t *asks;      /* by handle: its tasks start whole: one waits, or its demand comes from its
                           tasks, and one has several slots at once; */
    int32_t asking;     /* ... how many leaves do */
    int32_t *unlisted;  /* by handle; NULL: none stated */
    /* By handle; INT64_MIN: not stated. NULL: none stated. */
    int64_t *reclaimed_at, *waiting_since;
    allot__usage *usage;   /* by handle (use.c); NULL: the plan does not count use */
    double *above;         /* by row (use.c); with usage */
    allot__vector changed; /* of int32_t: rows whose demand or allocated was set (allot__since) */
} allot__group_state;

/* What the next cycle follows (engine/follow/), beside each group's rows that changed since. */
typedef struct allot__since {
    bool full;     /* the next cycle is a full pass, whatever changed */
    bool other;    /* something else changed: sizes, hosts, tasks, jobs, ... */
    int32_t broad; /* families of so many leaves are broad (engine/follow/broad.h); 0: default */
    int32_t cycles, patience; /* full passes since `kept` ended, and how many are awaited */
    void *kept;               /* NULL: nothing to follow */
    void (*end)(void *kept);
} allot__since;

/* A reclaim in flight, as the engine reads it; its tasks: flight_tasks[first_task] ... of the
 * state. */
typedef struct allot__flight {
    const char *id;
    const allot_in_flight *told;
    int32_t group, consumer;
    int64_t slots, deadline;
    const allot_claim *claims;
    int32_t count; /* of claims */
    int32_t first_task, task_count;
    int32_t gone; /* tasks that it named and that have ended */
} allot__flight;

struct allot_state {
    const allot_plan *base; /* the plan that the state was made for */
    /* After sealing the variant of `now`, whose rows all rows here are. Before, the base, or the
     * variant when the state was last sealed. */
    const allot_plan *plan;
    /* After sealing the variant of the cycle before; NULL: the same windows hold. */
    const allot_plan *former;
    allot_engine *engine;
    bool sealed;
    bool reopened; /* it has been reopened, and so keeps memory for the next filling */
    bool slight;   /* only rows, times, reclaims in flight and single tasks changed since it was
                      sealed, and there are no jobs or hosts: all else is still valid */
    allot__since *since;
    int64_t now, last; /* last: when last_set */
    bool last_set, now_rounded;
    int64_t usage_at; /* the time of use that states none; when usage_at_set */
    bool usage_at_set;
    bool begun;       /* leaves that hold other slots do so from `now` on, which counts as use */
    bool above_stale; /* `above` of all groups is to be filled anew, */
    int64_t above_at; /* ... and is that of this time; */
    int64_t above_to; /* ... all use is of this time or before */
    allot__group_state *groups; /* one for each of the plan's */
    allot__tasks tasks;
    allot__things sessions, all_jobs, reclaims;
    /* Derived once the state is sealed; lists marked `..._stale` are to be filled anew. */
    bool sessions_stale, flights_stale, jobs_stale;
    allot__vector flights;      /* of allot__flight */
    allot__vector flight_tasks; /* of int32_t: numbers of the tasks that go; -1: ended */
    bool flights_found;         /* flight_tasks and tasks.flights are valid */
    allot__vector loans;        /* of allot_loan */
    allot__hosts hosts;         /* hosts that differ from the plan */
    /* model/state/job.h; after sealing NULL only if the plan has neither queues nor leases. */
    struct allot__jobs *jobs;
};

/* Checks an item for a state of the plan. EUSAGE, ENAME, ERANGE. */
int allot__item_check(const allot_plan *plan, allot_item kind, const void *item);
/* Makes room for a time of each leaf, all INT64_MIN. ENOMEM. */
int allot__times_room(allot_state *state, int64_t **times);
/* Fills the columns of reclaims in flight anew. ENOMEM. */
int allot__flights_fill(allot_state *state);
void allot__flights_free(allot_state *state);
/* Forgets which tasks flights name, before tasks or flights change their numbers. */
void allot__flights_lose(allot_state *state);
/* Finds the tasks that flights name. EINVALID: a task is not of the flight's consumer and group, or
 * two flights name it. */
int allot__flights_seal(allot_state *state, allot_report *report);

static inline bool allot__is_amount(int64_t slots)
{
    return slots >= 0 && slots <= ALLOT_AMOUNT_MAX;
}

/* Is the state open? Called before anything but rows, times and reclaims in flight changes. */
static inline bool allot__state_changes(allot_state *state)
{
    if (!state || state->sealed)
        return false;
    state->slight = false;
    state->since->other = true;
    return true;
}
/* A task begins, ends or starts: tasks are arranged anew, which finds the rows that it changes. */
static inline void allot__tasks_change(allot_state *state)
{
    state->slight = state->tasks.arranged = false;
}
/* A row's demand or allocated was set. */
void allot__row_changed(allot_state *state, int32_t group, int32_t row);
/* use.c: a leaf holds so many slots from now on; what it held before is use until now. */
void allot__hold(allot_state *state, int32_t group, int32_t row, int32_t slots);
/* The use of a leaf until the state's time. Of a plan that counts use. */
allot__usage allot__usage_now(const allot_state *state, int32_t group, int32_t consumer);
/* So much that no use is certain by it. */
#define ALLOT__ABOVE_UNKNOWN 1e18
/* use.c: a step of sealing: fills `above` where time went too far, or use changed in other ways
 * than by other slots. */
void allot__above_fill(allot_state *state);
/* Cycles follow the present one; or none: the next is a full pass. */
void allot__since_now(const allot_state *state);
void allot__since_end(const allot_state *state);

/* The things of a kind; NULL for loans, which have no ids. */
allot__things *allot__state_things(const allot_state *state, allot_item kind);
/* The first step of sealing: fills what is stale and closes gaps in lists. ENOMEM. */
int allot__lists_fill(allot_state *state);

/* After sealing: is there a leaf of whole tasks (C-13)? */
static inline bool allot__any_whole(const allot_state *state)
{
    bool any = false;
    for (int32_t i = 0; i < state->plan->group_count; i++)
        any = any || state->groups[i].asking > 0;
    return any;
}

/* Of a state's row: was `allocated` set, was `demand`? */
static inline bool allot__allocated_set(const allot__group_state *group, int32_t row)
{
    return group->set[row / 8] >> row % 8 & 1;
}
static inline bool allot__demand_set(const allot__group_state *group, int32_t row)
{
    return group->demanded[row / 8] >> row % 8 & 1;
}

#endif
