/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * monitor.h: whose slots consumers use, planned slots (E-35) and free ones. The numbers are for
 * people; no decision depends on them.
 *
 * A leaf uses its own slots first: min(allocated, floor(own')). Slots beyond these are borrowed, as
 * far as others have own slots that they neither use nor reserve: siblings lend first, then the
 * branches next to their parent's, and so on. Lenders of one level lend in proportion to their idle
 * slots, borrowers borrow in proportion to what they use; remainders go one each in plan order. In
 * a group as much is lent as is borrowed. The rest is shared: slots that no consumer below the
 * group owns. If a policy does not use `owned`, all slots are shared.
 *
 * If a policy keeps a ledger, these numbers come from the ledger.
 *
 * Planned slots are those that the policy would give if all consumers were busy up to their limits;
 * functions return what they returned in this cycle.
 */
#ifndef ALLOT_ENGINE_QUOTA_MONITOR_H
#define ALLOT_ENGINE_QUOTA_MONITOR_H

#include <allot/decision.h>

#include "engine/rows/work.h"

/* By row; for parents, sums over the leaves below by family, for family 0 over the group. */
typedef struct allot__watched {
    int64_t own_used, lent, borrowed, shared, planned;
} allot__watched;
typedef struct allot__monitor {
    int32_t *lent, *borrowed; /* of leaves */
    int32_t *planned;
    allot__watched *sums;
} allot__monitor;

int allot__monitor_make(allot__work *work, allot__monitor *out);
/* The numbers of one row. */
void allot__monitor_row(const allot__work *work, const allot__monitor *monitor, int32_t row,
                        allot__watched *out);

/* The figure of free slots (H-13), by row, from the arena. While any leaf demands more than it
 * holds, that of a leaf is its reserve above its allocation, that of a parent the larger of its
 * children's sum and its own reserve above its allocation. Else idle slots are split by configured
 * ownership, family by family. ENOMEM. */
int allot__free_slots(allot__work *work, int32_t **out);

#endif
