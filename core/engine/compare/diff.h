/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.h: two decisions while they are compared. */
#ifndef ALLOT_ENGINE_COMPARE_DIFF_H
#define ALLOT_ENGINE_COMPARE_DIFF_H

#include <allot/diff.h>

#include "base/name.h"

/* Which number of a thing on one side is which on the other; -1: none. */
typedef struct allot__twins {
    int32_t count[2];
    int32_t *of[2];
} allot__twins;

struct allot_diff {
    allot_engine *engine;
    const allot_decision *side[2];
    bool all;
    bool differs;
    allot__twins groups, consumers;
    allot__vector rows; /* of allot_change, kind by kind */
    int32_t first[ALLOT_DIFF_KINDS + 1];
    /* Of the kind that is being compared: its rows, by what they are about. */
    allot__index index;
};

/* What a row is about, by the numbers of one side; -1: nothing of that kind. */
typedef struct allot__about {
    int32_t group, consumer, other, item;
    const char *name;
} allot__about;

/* The row of that kind, made where it is new; NULL: out of memory. It may move with the next. */
allot_change *allot__diff_row(allot_diff *diff, allot_diff_kind kind, int side,
                              const allot__about *about);
/* Adds rows of a group's or a consumer's numbers. ENOMEM. */
int allot__diff_groups(allot_diff *diff);
int allot__diff_consumers(allot_diff *diff);
/* What one side lists, of the kinds from RECLAIM on. ENOMEM. */
int allot__diff_list(allot_diff *diff, allot_diff_kind kind, int side);
/* Of reclaims and totals: one side's tasks and lost work, of a group or ALLOT_ALL. */
void allot__diff_lost(const allot_decision *decision, int32_t group, int64_t *tasks, int64_t *lost);

#endif
