/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * quota_pass.h: what the two ways through a family share: quota.c takes families whose fills pour
 * over all siblings at once and round by rank; quota_order.c takes all others.
 */
#ifndef ALLOT_ENGINE_QUOTA_PASS_H
#define ALLOT_ENGINE_QUOTA_PASS_H

#include "engine/order.h"
#include "engine/pour.h"

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
    bool (*pour)(allot__pour *);
    bool plain; /* no fill has an order, and rounding is by rank */
    allot__fill_columns fills[ALLOT_FILLS_MAX];
    allot__pour rows;     /* room for the widest family */
    allot__sorted sorted; /* likewise; nothing when plain */
    allot__sorter sorter;
} allot__quota_pass;

/* Room for `widest` items of a size. */
bool allot__quota_take(allot__quota_pass *pass, void *slot, size_t size);
/* The columns of a family's rows for a fill, `first` being its first row. */
void allot__quota_columns(allot__quota_pass *pass, int32_t fill, int32_t first, allot__pour *rows);

/* quota_order.c */
bool allot__quota_order_begin(allot__quota_pass *pass);
void allot__quota_order_family(allot__quota_pass *pass, int32_t family, int64_t slots);

#endif
