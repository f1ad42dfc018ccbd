/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * monitor.h: which consumers use whose slots, and what is planned (E-35): for people; no decision
 * depends on it.
 *
 * A leaf uses its own slots first: min(allocated, floor(own')). What it uses beyond that it has
 * borrowed, as far as others have own slots that they neither use nor reserve: siblings lend first,
 * then the branches next to their parent's, and so on. Lenders of one level lend in proportion to
 * what they have idle, borrowers borrow in proportion to what they use; remainders go one each in
 * plan order. So in a group as much is lent as is borrowed. The rest is shared: slots that no
 * consumer below the group owns. If a policy does not use `owned`, everything is shared.
 *
 * If a policy keeps a ledger, the ledger says what each leaf uses and lends.
 *
 * Planned is what the policy would give a consumer if all were busy up to their limits; functions
 * give what they gave in this cycle.
 */
#ifndef ALLOT_ENGINE_QUOTA_MONITOR_H
#define ALLOT_ENGINE_QUOTA_MONITOR_H

#include <allot/decision.h>

#include "engine/rows/work.h"

/* By row; of parents, sums over the leaves below by family, of family 0 over the group. */
typedef struct allot__watched {
    int64_t own_used, lent, borrowed, shared, planned;
} allot__watched;
typedef struct allot__monitor {
    int32_t *lent, *borrowed; /* of leaves */
    int32_t *planned;
    allot__watched *sums;
} allot__monitor;

int allot__monitor_make(allot__work *work, allot__monitor *out);
/* What was found of a row. */
void allot__monitor_row(const allot__work *work, const allot__monitor *monitor, int32_t row,
                        allot__watched *out);

#endif
