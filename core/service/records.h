/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * records.h: states that were decided about lately, to try the next version on.
 *
 * A state is copied at most once a second, and so seldom that copying takes no more than a
 * hundredth of the time; the oldest goes. They are of one plan, and are freed before it.
 */
#ifndef ALLOT_SERVICE_RECORDS_H
#define ALLOT_SERVICE_RECORDS_H

#include <stdbool.h>

#include <allot/allot.h>

#include "service/attempt.h"

typedef struct allot__record {
    allot_state *state; /* sealed */
    int64_t cycle, took;
} allot__record;

typedef struct allot__records {
    allot__record items[ALLOT__ATTEMPT_CYCLES]; /* newest first */
    int32_t count;
    uint64_t next; /* not before that time of uv_hrtime */
} allot__records;

/* Keeps a copy of what a cycle decided about, and how many microseconds it took, if it is time for
 * one. */
void allot__records_add(allot__records *records, const allot_decision *decision, int64_t cycle,
                        int64_t took);
void allot__records_clear(allot__records *records);

#endif
