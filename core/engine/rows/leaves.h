/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * leaves.h: a group's leaves numbered in an order of siblings, so that those of a subtree are a
 * range of numbers.
 */
#ifndef ALLOT_ENGINE_ROWS_LEAVES_H
#define ALLOT_ENGINE_ROWS_LEAVES_H

#include "engine/rows/order.h"

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
