/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * window.h: what a plan states for some hours, and the plans that result.
 *
 * A variant is a plan of its own: a copy of the plan to which its windows belong (the base),
 * sharing all but the groups that the windows change. The base owns its variants; it makes each on
 * first use, and keeps it, since states, decisions and callers point to it. allot_plan_at states
 * how many there can be.
 */
#ifndef ALLOT_MODEL_WINDOWS_WINDOW_H
#define ALLOT_MODEL_WINDOWS_WINDOW_H

#include "model/plan/plan.h"
#include "model/windows/say.h"
#include "model/windows/zone.h"

/* A column of a consumer in a window. */
typedef struct allot__window_change {
    int32_t consumer, index, value; /* index: of a group's columns */
} allot__window_change;

/* A window as it was added, and what it states. */
typedef struct allot__hours {
    allot_window window;
    bool slots_set;
    int64_t slots;
    struct allot_policy *policy; /* a reference is held; NULL: as without the window */
    uint32_t options_set;        /* a bit by option */
    int64_t options[ALLOT_OPTION_COUNT];
    allot__vector changes; /* of allot__window_change, in the order of setting: the last wins */
    allot__vector lend, borrow; /* of allot__peers, likewise */
} allot__hours;

struct allot__windows {
    allot__vector zones;    /* of allot__zone */
    allot__vector hours;    /* of allot__hours */
    allot__vector variants; /* of allot_plan * */
};

/* Window i of a plan that has windows. */
static inline allot__hours *allot__hours_at(const allot_plan *plan, int32_t i)
{
    return (allot__hours *)plan->windows->hours.items + i;
}
int32_t allot__hours_count(const allot_plan *plan);
/* The windows that change a group. */
uint64_t allot__windows_of(const allot_plan *plan, int32_t group);
void allot__windows_free(allot_plan *plan);

/* Visits every set of windows of `about` that can hold together: for one zone every set that occurs
 * in a week, for several zones every combination of those. Small sets come first. Stops if `visit`
 * returns nonzero, and returns that; ENOMEM; ERANGE: there are more than ALLOT__SETS_MAX. */
#define ALLOT__SETS_MAX 4096
int allot__windows_each(const allot_plan *plan, uint64_t about,
                        int (*visit)(void *ud, uint64_t windows), void *ud);

/* The windows of a variant that change a group. */
uint64_t allot__held_windows(const allot_plan *plan, const allot__group *group);
/* Overwrites a laid-out column by values of the variant's windows; does nothing on the base. */
void allot__variant_fill(const allot_plan *plan, const allot__group *group, int32_t index);
/* Do the variant's windows state that column of a consumer? */
bool allot__variant_states(const allot_plan *plan, const allot__group *group, int32_t consumer,
                           int32_t index);
/* The window to blame for a fault in a group of a variant, or -1. */
int32_t allot__variant_blames(const allot_plan *plan, const allot__fault *fault);

#endif
