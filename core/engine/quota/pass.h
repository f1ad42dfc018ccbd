/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pass.h: a family at hand, for the two ways through it: quota.c takes families whose fills pour
 * over all siblings at once and round by rank; order.c takes all others.
 */
#ifndef ALLOT_ENGINE_QUOTA_PASS_H
#define ALLOT_ENGINE_QUOTA_PASS_H

#include "engine/rows/order.h"
#include "engine/fill/round.h"

/* What a fill reads, resolved once a cycle: columns by row, or `widest` times the same number. */
typedef struct allot__fill_columns {
    allot__amounts by, up_to;
} allot__fill_columns;

/* Rows brought into a fill's order. */
typedef struct allot__sorted {
    int32_t *rows; /* which row stands there */
    int32_t *level, *level_part, *need, *cap, *cap_part, *weight;
    int32_t *floor, *rest;
    allot__u128 *fraction;
} allot__sorted;

typedef struct allot__quota_pass {
    allot__work *work;
    allot__rules *rules;
    bool (*pour)(allot__pour *);
    bool plain; /* no fill has an order, and rounding is by rank */
    allot__fill_columns fills[ALLOT_FILLS_MAX];
    allot__pour rows;              /* of the family at hand */
    int32_t *whole[2];             /* levels and aims take turns, room for the widest family each */
    int32_t *part[2];              /* likewise their parts; NULL when unit is 1 */
    int32_t *low, *rest;           /* for quotas again: exact shares before rounding; else NULL */
    const int32_t *zeros;          /* as many */
    int32_t *totals;               /* likewise, where a fill raises totals (C-15) */
    int32_t *own, *own_part;       /* own' of the family at hand, likewise */
    double slope[ALLOT_FILLS_MAX]; /* the last family's rate, where the next one's may be near */
    allot__sorted sorted;          /* likewise; nothing when plain */
    allot__sorter sorter;
    /* planned.c, where there are fills up to what is held: sums by family, or instead of them what
     * planned_leaves.c compares leaves by. */
    int64_t *held, *lacking;
    struct allot__leaf_ranks *leaf_ranks;
} allot__quota_pass;

/* Room for `widest` items of a size. */
bool allot__quota_take(allot__quota_pass *pass, void *slot, size_t size);
/* The columns of a family's rows for a fill. */
void allot__quota_columns(allot__quota_pass *pass, int32_t fill, int32_t family);

/* Pours rows whose aims are set, as the fill says; true when it was critical. */
bool allot__quota_pour(allot__quota_pass *pass, int32_t fill, allot__pour *rows,
                       bool (*pour)(allot__pour *));

/* Begins a family: nobody has anything, all of `slots` is left. */
void allot__quota_begin(allot__quota_pass *pass, int32_t family, int64_t slots);
/* After a fill that met all aims: they are the levels, and there is room for new aims. */
void allot__quota_next(allot__quota_pass *pass);

/* quota.c: resolves what a pass reads, and takes room. ENOMEM, or what a policy's function failed
 * with. Then the quotas of a family, whose parent has its own. */
int allot__quota_open(allot__quota_pass *pass);
void allot__quota_family(allot__quota_pass *pass, int32_t family);
/* Keeps the exact shares of the family at hand, if that is wanted. */
void allot__quota_note(const allot__quota_pass *pass, const allot__shares *shares);

/* order.c */
bool allot__quota_order_begin(allot__quota_pass *pass);
/* `only` is NULL, or tells by row of the family whether it takes part: the others' quotas are left
 * alone. The rate goes to `critical`. */
void allot__quota_order_family(allot__quota_pass *pass, int32_t family, int64_t slots,
                               const bool *only, allot__critical *critical);
/* mixed.c: the first level of a mixed plan, each policy's branches by themselves. */
int allot__quota_mixed(allot__quota_pass *passes);

#endif
