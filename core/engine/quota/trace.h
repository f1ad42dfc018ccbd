/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * trace.h: how one row came to its quota, from the numbers that decided it.
 *
 * A row's level after each fill follows from its own columns and its family's critical fill. Only
 * these are kept, and a trace costs a few multiplications.
 */
#ifndef ALLOT_ENGINE_QUOTA_TRACE_H
#define ALLOT_ENGINE_QUOTA_TRACE_H

#include "base/wide.h"
#include "engine/rows/work.h"

/* A row's levels, after each fill, as numerators over one denominator. */
typedef struct allot__levels {
    int32_t fills;
    int32_t critical; /* the fill in which the family's slots ran out; -1: none */
    bool last_run;    /* the row was among those poured last */
    bool above;       /* ... and its level is above the total that the fill raises to (C-15) */
    allot__u128 denominator;
    allot__u128 level[ALLOT_FILLS_MAX];
    int64_t part[ALLOT_FILLS_MAX]; /* whole slots by fill; they sum to the quota */
} allot__levels;

void allot__trace(const allot__work *work, int32_t row, allot__levels *out);

/* The row's weight in a fill. */
int64_t allot__trace_weight(const allot__work *work, allot_source by, int32_t row);
/* The slots that its family divided, without those left over for whole tasks. */
int64_t allot__trace_slots(const allot__work *work, int32_t row);
/* The critical fill of a row's siblings. */
const allot__critical *allot__trace_critical(const allot__work *work, int32_t row);
/* own', exact. */
allot_ratio allot__trace_owned(const allot__work *work, int32_t row);
/* C-9: allocated - exact < 1. */
bool allot__rounding_only(const allot__work *work, int32_t row);

#endif
