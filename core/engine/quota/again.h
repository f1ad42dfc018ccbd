/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again.h: recomputes quotas after the demands of some leaves changed, in families with a changed
 * need or a changed quota to divide.
 */
#ifndef ALLOT_ENGINE_QUOTA_AGAIN_H
#define ALLOT_ENGINE_QUOTA_AGAIN_H

#include "engine/quota/pass.h"
#include "base/bits.h"

typedef struct allot__quota_kept {
    allot__quota_pass pass;
    allot__bits changed; /* families in which a need, or the quota to divide, changed */
    int32_t *before;     /* a family's quotas before the recomputation */
    bool open;           /* use allot__need_again's `open` (quota/quota.h) */
    /* The exact shares of the only family, by row: `low` whole slots, and a fraction if `rest`. The
     * quota is `low` or one more. Such shares never fall when another row's demand does. NULL:
     * there are several families, or another rounding. */
    int32_t *low, *rest;
} allot__quota_kept;

/* Has the group one policy, and do the numbers its fills read not depend on demand? */
bool allot__quota_lasting(const allot__work *work);
/* After need and quotas; `shares`: with exact shares of the only family. *out is in the work's
 * arena. NULL: quotas also depend on ledgers, functions, several policies or columns that follow
 * from demand or quota, so all must be computed in full. ENOMEM, or what a policy's function failed
 * with. */
int allot__quota_keep(allot__work *work, bool shares, allot__quota_kept **out);
/* The demand of a leaf changed: updates need, and marks families. */
void allot__quota_change(allot__quota_kept *kept, int32_t row);
/* Recomputes the quotas of all changed families. */
void allot__quota_again(allot__quota_kept *kept);
/* The same step by step: returns the next changed family and unmarks it; -1: none. */
int32_t allot__quota_next_changed(allot__quota_kept *kept);
/* Computes the family's quotas; kept->before has those before. */
void allot__quota_pour_changed(allot__quota_kept *kept, int32_t family);
/* With `low`: the most that a row's exact share, rounded up, could be if the row needed `need` and
 * all other rows at least their present need. */
int64_t allot__quota_most(allot__quota_kept *kept, int32_t row, int64_t need);

#endif
