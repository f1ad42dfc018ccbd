/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * slices.h: how many slots each queue of a pool may have (Q-20 ... Q-43), C-12.
 *
 * Rules, in this order:
 *  1. the pool's queues are put in order by the policy's slices; if it has none: by decayed use
 *     over share, larger PRIORITY, then as in the file;
 *  2. the base is what queues that were not reached yet use, and what is free on the pool's hosts,
 *     at most what MAX_SLOTS_IN_POOL leaves;
 *  3. in that order each gets ceil(base * share / 100), at most what it wants and what is left
 *     (Q-30);
 *  4. what is left is the base, and 3 is done again, until nothing is left or nobody wants more
 *     not with USE_PRIORITY_IN_POOL;
 *  5. a queue that uses more than its slice keeps it, and gets no more. Slices follow from
 *     what queues want, not from what they have, so all of them together may then be more than the
 *     base: what a queue lacks of its slice it gets as jobs of such queues end. A queue does not
 *     get what queues before it in that order lack of theirs, though it may have its turn before
 *     them.
 */
#ifndef ALLOT_ENGINE_JOBS_SLICES_H
#define ALLOT_ENGINE_JOBS_SLICES_H

#include "engine/rows/work.h"

typedef struct allot__slice_row {
    int32_t queue;
    int32_t share;       /* percent, 1 ... 100 */
    int64_t used, wants; /* slots; wants: in all, those used included */
    int64_t slice;       /* out: slots in all */
    int64_t first;       /* out: of these by rule 3 alone, the first time; what it uses at least */
} allot__slice_row;

/* What a queue's slice was cut from, the last time. */
typedef struct allot__cut {
    allot__slice_row row;
    int64_t base;
    int64_t may;    /* of its slice, what those before it in the order leave */
    int32_t place;  /* in the pool's order, from 0 */
    int32_t number; /* the how-many-th cut of its pool, from 1; 0: it was not reached */
} allot__cut;

/* Is told what a row gets of what a round, from 1, begins with; its slice is without that. */
typedef struct allot__slice_watch {
    void (*gets)(void *ud, const allot__slice_row *row, int64_t base, int64_t slots, int32_t round);
    void *ud;
} allot__slice_watch;

/* Cuts slices from `base`, 0 ... 2^40, for rows in their order. `watch` NULL: unwatched. */
void allot__slices_cut(allot__slice_row *rows, int32_t count, int64_t base, bool again,
                       const allot__slice_watch *watch);
/* Puts the queues of a pool in order: writes `order`, room for all. By queue: the slots it uses,
 * what it has pending, and its decayed use, twice: slot-seconds, millionths. ENOMEM, ESCRIPT,
 * EBUDGET. */
int allot__slices_order(allot__work *work, int32_t pool, const int64_t *used,
                        const int64_t *pending, const int64_t *usage, int32_t *order);

#endif
