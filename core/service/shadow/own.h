/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* own.h: what the files of the shadow share. */
#ifndef ALLOT_SERVICE_SHADOW_OWN_H
#define ALLOT_SERVICE_SHADOW_OWN_H

#include "service/shadow/shadow.h"

typedef enum allot__shadow_life {
    ALLOT__SHADOW_NONE = 0,
    ALLOT__SHADOW_BUILDING,
    ALLOT__SHADOW_RUNNING,
    ALLOT__SHADOW_STOPPED /* it failed; the pair's report says how */
} allot__shadow_life;

typedef struct allot__shadow {
    allot_service *service;
    uv_work_t work;
    allot__shadow_life life;
    bool working; /* the pair belongs to a thread */
    bool stale;   /* the pair is to go when that is done */
    allot__pair_of *pair;
    char *plan, *policy;             /* what was asked for */
    allot__reply *reply;             /* who waits for it to be built; NULL: nobody */
    int64_t since, failures, failed; /* in a row, and in all */
    int64_t cycles, differ, skipped;
    int64_t kinds[ALLOT_DIFF_KINDS]; /* rows that differed, in all */
    int64_t live_us, shadow_us;      /* of the last cycle */
    allot__shadow_found last;        /* the last one that differed */
    uint64_t next;                   /* no copy before that time of uv_hrtime */
} allot__shadow;

/* ENOMEM: the reply stays the caller's. */
int allot__shadow_begin(allot__shadow *it, const char *plan, const char *policy,
                        allot__reply *reply);
void allot__shadow_end(allot__shadow *it);
/* Tells who waits that it will not come to that. */
void allot__shadow_busy(allot__shadow *it);

#endif
