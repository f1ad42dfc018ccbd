/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * used.h: the columns of use over time (C-14), by the group's row.
 *
 * A cycle computes them only if a policy of the group reads them; the decision, for people.
 */
#ifndef ALLOT_ENGINE_ROWS_USED_H
#define ALLOT_ENGINE_ROWS_USED_H

#include "engine/rows/work.h"

typedef struct allot__used {
    int64_t
        *usage; /* whole slot-seconds, 0 ... ALLOT__USAGE_MOST; of a parent its children's sum */
    bool *owns; /* by family: do its rows own anything? */
} allot__used;

static inline bool allot__is_use(int32_t column)
{
    return column == ALLOT_USAGE || column == ALLOT_USED_OVER_SHARE;
}
/* Does the plan count use, and a policy of the group read it? */
bool allot__used_read(const allot__work *work);
/* Computes them in the work's arena. ENOMEM. */
int allot__used_make(allot__work *work);
/* Millionths beyond a row's use; of a parent 0. */
int32_t allot__used_rest(const allot__work *work, int32_t row);
/* What a row's use is compared with: owned slots, as planned, or its share. */
int64_t allot__used_of(const allot__work *work, int32_t row, bool *owned);
/* A row's `usage`, or its `used_over_share`: usage * 1000 / what the row owns as planned, rounded
 * down, at most ALLOT__USAGE_MOST; / share if the policy does not use ownership, or if the row and
 * its siblings own nothing. What has neither, and has used something, has the most. Both are 0 in a
 * plan that does not count use, where only functions of whole rows come so far. */
int64_t allot__used_value(const allot__work *work, int32_t column, int32_t row);
/* Sums of use are cut. */
static inline int64_t allot__used_sum(int64_t a, int64_t b)
{
    return a > ALLOT__USAGE_MOST - b ? ALLOT__USAGE_MOST : a + b;
}

#endif
