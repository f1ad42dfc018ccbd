/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reclaim.h: who gives back how much (C-6, C-7, C-9).
 *
 * Bottom-up, each inner node takes from its own members what its leaves are owed, or what would
 * break its limit once promises are kept; the root, what would break the group's size. So siblings
 * settle first.
 */
#ifndef ALLOT_ENGINE_RECLAIM_H
#define ALLOT_ENGINE_RECLAIM_H

#include "engine/giveback.h"

/* Told of every node that takes: which family is below it, how much, and how much of that is for
 * deficits inside; before the leaves' parts. */
typedef struct allot__reclaim_log {
    allot__taker taker;
    void (*node)(struct allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed);
} allot__reclaim_log;

/* Writes over, reclaimed, and sums' over ... ordered. log may be NULL; running it again decides
 * the same. */
int allot__reclaim(allot__work *work, allot__reclaim_log *log);

/* C-6: what a leaf may keep: its quota, or more where its ownership shrank (H-11). */
int64_t allot__target(const allot__work *work, int32_t row);
/* What a parent's own reserve lacks: the last member of its family (C-5). */
int64_t allot__spare_deficit(const allot__work *work, int32_t family);
/* What a leaf still lacks once its grants and earmarked slots are there. */
int64_t allot__deficit(const allot__work *work, int32_t row);

#endif
