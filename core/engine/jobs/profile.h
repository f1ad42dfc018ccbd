/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* profile.h: how many slots are free from now on, step by step. */
#ifndef ALLOT_ENGINE_JOBS_PROFILE_H
#define ALLOT_ENGINE_JOBS_PROFILE_H

#include "base/memory.h"

/* The end of jobs without a run limit, and of the last step. */
#define ALLOT__FOREVER INT64_MAX

/* Step i lasts from at[i] until at[i + 1]; the last one for ever. */
typedef struct allot__profile {
    int64_t *at, *free;
    int32_t count, room;
} allot__profile;

/* From `at` on, which is not before the last step, `free` slots are free. ENOMEM. */
int allot__profile_put(allot__arena *arena, allot__profile *profile, int64_t at, int64_t free);
/* Takes slots from `from`, which is not before the first step, until `until`. ENOMEM. */
int allot__profile_take(allot__arena *arena, allot__profile *profile, int64_t from, int64_t until,
                        int64_t slots);

typedef struct allot__profile_part {
    int64_t least; /* free slots, at least so many all the time */
    int64_t next;  /* no part of this length that begins before has more, or `enough`;
                      ALLOT__FOREVER: none ever has */
} allot__profile_part;
/* The part from `from` until `until`, which is later. If it has fewer than `enough`, `least` may be
 * any number below that, so that a look may end early; INT64_MIN: it is exact. */
allot__profile_part allot__profile_look(const allot__profile *profile, int64_t from, int64_t until,
                                        int64_t enough);

/* When the first step from `from` on begins that has fewer than `below`; ALLOT__FOREVER: none. */
int64_t allot__profile_fall(const allot__profile *profile, int64_t from, int64_t below);
/* When the step after the one at `at` begins; ALLOT__FOREVER: that is the last. */
int64_t allot__profile_next(const allot__profile *profile, int64_t at);
/* A time in that part at which fewer than `enough` are free, the first; or if at no time, the first
 * of those with the fewest. */
int64_t allot__profile_low(const allot__profile *profile, int64_t from, int64_t until,
                           int64_t enough);
/* How many are free at a time. */
int64_t allot__profile_free(const allot__profile *profile, int64_t at);

#endif
