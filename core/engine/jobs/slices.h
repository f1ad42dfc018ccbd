/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * slices.h: how many slots each queue of a pool may have (Q-20 ... Q-43), C-12.
 *
 * Rules, in this order:
 *  1. the pool's queues are put in order by the policy's slices; if it has none: by decayed use
 *     over share, larger PRIORITY, then as in the file;
 *  2. the base is the slots used by queues not reached yet plus the free slots of the pool's hosts,
 *     at most what MAX_SLOTS_IN_POOL leaves;
 *  3. in that order each queue gets ceil(base * share / 100), at most what it wants and what is
 *     left;
 *  4. rule 3 is repeated with what is left as the base, until nothing is left or no queue wants
 *     more; not with USE_PRIORITY_IN_POOL;
 *  5. a queue that uses more than its slice keeps it, and gets no more. Slices follow from
 *     what queues want, not from what they use, so their sum may then exceed the base: a queue gets
 *     the slots that its slice lacks as jobs of such queues end. Slots that earlier queues of that
 *     order lack are not for a later queue, even if it has its turn before them.
 */
#ifndef ALLOT_ENGINE_JOBS_SLICES_H
#define ALLOT_ENGINE_JOBS_SLICES_H

#include "engine/rows/work.h"

typedef struct allot__slice_row {
    int32_t queue;
    int32_t share;       /* percent, 1 ... 100 */
    int64_t used, wants; /* slots; wants: in all, those used included */
    int64_t slice;       /* out: slots in all */
    int64_t first;       /* out: of these the first pass of rule 3 gave; at least `used` */
} allot__slice_row;

/* How a queue's slice was cut, the last time. */
typedef struct allot__cut {
    allot__slice_row row;
    int64_t base;
    int64_t may;    /* usable slots of its slice: those before it in the order lack the rest */
    int32_t place;  /* in the pool's order, from 0 */
    int32_t number; /* which cut of its pool this is, from 1; 0: not reached */
} allot__cut;

/* `gets` is called for each row in each round, counted from 1: the round began with `base` slots,
 * of which the row gets `slots`; row->slice does not include them yet. */
typedef struct allot__slice_watch {
    void (*gets)(void *ud, const allot__slice_row *row, int64_t base, int64_t slots, int32_t round);
    void *ud;
} allot__slice_watch;

/* Cuts slices from `base`, 0 ... 2^40, for rows in their order. `watch` NULL: unwatched. */
void allot__slices_cut(allot__slice_row *rows, int32_t count, int64_t base, bool again,
                       const allot__slice_watch *watch);
/* Writes the queues of a pool to `order`, sorted; its capacity is all of them. By queue: slots in
 * use, slots pending, and decayed use as two numbers: slot-seconds, millionths. ENOMEM, ESCRIPT,
 * EBUDGET. */
int allot__slices_order(allot__work *work, int32_t pool, const int64_t *used,
                        const int64_t *pending, const int64_t *usage, int32_t *order);

#endif
