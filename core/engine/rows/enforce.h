/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * enforce.h: what leaves need or give back whatever the demand (C-10).
 *
 * At a switch of windows:
 *  1. a leaf whose ownership changed needs at least what it owns now, within its limit. Its
 *     quota follows, and leaves above their own give slots back to the owners. The rule skips
 *     ledgers, which enforce ownership themselves (ownership/ledger.h), and policies that do not
 *     use ownership;
 *  2. a leaf whose limit changed gives back what it holds above it;
 *  3. a leaf whose policy keeps a ledger now and did not before, or the other way round, gives back
 *     what it borrowed, or else what it holds above its ownership, whichever is more (H-16);
 *  4. a leaf with `rebalance` 0 gives nothing: it drains.
 * At any time a leaf gives back what it holds above an attribute that is a limit (TV-6), even if
 * its `limit` is lower still: slots above `limit` go by demand alone. A leaf with `rebalance` 0
 * keeps them: such slots come from a change of the limit, and the leaf drains while it has them.
 */
#ifndef ALLOT_ENGINE_ROWS_ENFORCE_H
#define ALLOT_ENGINE_ROWS_ENFORCE_H

#include "engine/rows/work.h"

/* Why slots are forced. */
typedef enum allot__forced_why {
    ALLOT__FORCED_NOT = 0,
    ALLOT__FORCED_WINDOW,   /* rules 2 and 3: "over-window" */
    ALLOT__FORCED_ATTRIBUTE /* "over-attribute" */
} allot__forced_why;

typedef struct allot__enforced {
    int32_t *least; /* by row: what a leaf needs at least; NULL: what it demands */
    uint8_t *why;   /* by row: an allot__forced_why; NULL: nothing is forced */
} allot__enforced;

/* Writes work->enforced and work->forced, both NULL when there is nothing. ENOMEM. */
int allot__enforce(allot__work *work);

/* Does a leaf drain after a switch of windows? */
static inline bool allot__drains(const allot__work *work, int32_t row)
{
    return work->state->former != NULL && work->group->columns[ALLOT_REBALANCE][row] == 0;
}

#endif
