/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again.h: quotas once more after the demands of some leaves changed: those of families whose rows
 * need something else, or have something else together.
 */
#ifndef ALLOT_ENGINE_QUOTA_AGAIN_H
#define ALLOT_ENGINE_QUOTA_AGAIN_H

#include "engine/quota/pass.h"
#include "base/bits.h"

typedef struct allot__quota_kept {
    allot__quota_pass pass;
    allot__bits changed; /* families: their rows need, or have together, something else */
    int32_t *before;     /* room for a family's quotas */
    bool open;           /* rows that need more than their quotas are known (quota/need.h) */
    /* The exact shares of the only family, by row: from `low` whole slots to one more where there
     * is a rest. Such shares never fall when another row's demand does, and whole slots are one of
     * the two. NULL: there are several families, or a rounding that is not such. */
    int32_t *low, *rest;
} allot__quota_kept;

/* Do all numbers that the group's only policy reads to divide slots stay, whatever is demanded? */
bool allot__quota_lasting(const allot__work *work);
/* After need and quotas; `shares`: with exact shares of the only family. *out NULL: they depend on
 * something that is not known here (ledgers, functions, several policies, columns that follow from
 * demand or quota), so all must be computed as ever. *out is of the work's arena. ENOMEM, or what a
 * policy's function failed with. */
int allot__quota_keep(allot__work *work, bool shares, allot__quota_kept **out);
/* A leaf demands something else now: what is needed then. */
void allot__quota_change(allot__quota_kept *kept, int32_t row);
/* Quotas of what is needed now. */
void allot__quota_again(allot__quota_kept *kept);
/* The same step by step: the next family that changed, which counts as poured; -1: none. */
int32_t allot__quota_next_changed(allot__quota_kept *kept);
/* Computes its quotas; those before are kept->before. */
void allot__quota_pour_changed(allot__quota_kept *kept, int32_t family);
/* With `low`: the most that the exact share of a row, rounded up, could be if it needed so much,
 * and the other rows at least what they need now. */
int64_t allot__quota_most(allot__quota_kept *kept, int32_t row, int64_t need);

#endif
