/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tree.h: the consumer tree as a cycle reads it.
 *
 * Consumers have handles in the order of adding. Sealing gives each a row: rows go level by level,
 * siblings stand together in plan order, parents before children, so that a family (the children
 * of one parent) is a range of rows and a sweep up or down the tree is a loop over families, never
 * a recursion.
 */
#ifndef ALLOT_MODEL_PLAN_TREE_H
#define ALLOT_MODEL_PLAN_TREE_H

#include <stdint.h>

#include "base/memory.h"
#include "model/names/names.h"

typedef struct allot__tree {
    int32_t rows;       /* consumers */
    int32_t families;   /* consumers with children, and family 0: the first level */
    int32_t *row_of;    /* by handle */
    int32_t *handle_of; /* by row */
    int32_t *family_of; /* by row: the family of its children; 0: it is a leaf */
    int32_t *first;     /* by family, families + 1 entries: the family's rows are
                           first[f] ... first[f + 1] - 1 */
    int32_t *parent;    /* by family: the parent's row; -1 for family 0 */
    int32_t *inner;     /* by family: the number of members that have children */
    int32_t widest;     /* members of the largest family */
    int32_t levels;
    int32_t *level; /* by level, levels + 1 entries: its first row */
} allot__tree;

/* Lays out the consumers in `names`. ENOMEM: *out is unchanged. */
int allot__tree_make(allot_engine *engine, const allot__names *names, allot__tree *out);
void allot__tree_free(allot_engine *engine, allot__tree *tree);
/* The next handle in plan order; for ALLOT_ROOT the first; ALLOT_ROOT after the last. */
int32_t allot__tree_next(const allot__tree *tree, const allot__names *names, int32_t consumer);

/* Which of `count` ranges holds a row; range i begins at first[i], and they stand in order. */
static inline int32_t allot__tree_holding(const int32_t *first, int32_t count, int32_t row)
{
    int32_t low = 0;
    while (count - low > 1) {
        int32_t middle = low + (count - low) / 2;
        if (first[middle] <= row)
            low = middle;
        else
            count = middle;
    }
    return low;
}

#endif
