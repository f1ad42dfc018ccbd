/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * order.h: the verb `order`: a total order of siblings by integer keys.
 *
 * Rules, in this order:
 *  1. the policy's keys, first to last, rising or falling as each says;
 *  2. plan order.
 */
#ifndef ALLOT_ENGINE_ROWS_ORDER_H
#define ALLOT_ENGINE_ROWS_ORDER_H

#include "base/sort.h"
#include "engine/rows/work.h"

/* Scratch space to sort the largest family. */
typedef struct allot__sorter {
    int64_t *keys;
    int32_t *other;
} allot__sorter;
int allot__sorter_init(allot__work *work, allot__sorter *room);

/* Computes the functions among the keys; to be called before sorting. */
int allot__order_prepare(allot__work *work, allot__rules *rules, const allot__order *order);
/* Is the order that of rows: by rank, then plan order? */
bool allot__order_natural(const allot__order *order);
/* Writes the rows first ... first + count - 1 to `rows` in order. */
void allot__order_sort(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, const allot__sorter *room, int32_t first,
                       int32_t count, int32_t *rows);
/* The same for any rows: `rows` lists them in plan order, and is sorted. Keys are by row of the
 * group: `room` must have space for all rows. */
void allot__order_list(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, const allot__sorter *room, int32_t count,
                       int32_t *rows);
/* The value of key i at a row; and whether two rows agree in all keys. */
int64_t allot__order_key(const allot__work *work, const allot__rules *rules, const allot_key *key,
                         int32_t row);
bool allot__order_tied(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, int32_t a, int32_t b);
/* Negative, 0 or positive: row a stands before, with or behind row b by the keys alone. */
int allot__order_compare(const allot__work *work, const allot__rules *rules,
                         const allot__order *order, int32_t a, int32_t b);

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* A group's leaves numbered in an order of siblings, so that those of a subtree are a range of
 * numbers. */
typedef struct allot__leaves {
    int32_t count;
    bool parents;          /* parents have numbers, too, each the last of its subtree (C-5) */
    int32_t *row;          /* by number; for a parent's own number ~family */
    int32_t *number;       /* by row of a leaf */
    int32_t *start, *size; /* by family: the first number below it, and how many */
} allot__leaves;

/* Allocates, and counts leaves by family. ENOMEM. */
int allot__leaves_take(allot__leaves *leaves, const allot__work *work, allot__arena *arena,
                       bool parents);
/* Numbers all leaves: siblings in the order of rows, by rank, ... */
void allot__leaves_number(allot__leaves *leaves, const allot__work *work);
/* ... or as policies distribute. ENOMEM, or what a policy's function failed with. */
int allot__leaves_distribute(allot__leaves *leaves, allot__work *work);
/* Do all policies distribute in the order of rows, so that numbers never change? */
bool allot__leaves_natural(const allot__work *work);

#endif
