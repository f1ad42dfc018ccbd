/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* layout.c: a group's columns, laid out by its rows. */
#include <string.h>

#include "base/sort.h"
#include "model/seal/seal.h"
#include "model/windows/window.h"

/* Columns start at multiples of 64 bytes, with as much slack behind each, so that loops may read
 * whole vectors. */
static size_t stride(int32_t rows)
{
    return ((size_t)rows + 15) / 16 * 16 + 16;
}

static size_t row_order_size(const allot__tree *tree)
{
    return 3 * (size_t)tree->rows + (size_t)tree->families;
}

/* ---- The order of siblings: (rank, plan order) ----------------------------------------------- */

static bool in_order(const allot__tree *tree, const int32_t *rank)
{
    for (int32_t f = 0; f < tree->families; f++) {
        for (int32_t row = tree->first[f] + 1; row < tree->first[f + 1]; row++)
            if (rank[row] < rank[row - 1])
                return false;
    }
    return true;
}

/* Fills tree_row; `keys` and `other` are room for the widest family. */
static void order_siblings(const allot__tree *tree, const int32_t *rank, int64_t *keys,
                           int32_t *other, int32_t *tree_row)
{
    for (int32_t f = 0; f < tree->families; f++) {
        int32_t first = tree->first[f], end = tree->first[f + 1];
        for (int32_t row = first; row < end; row++) {
            tree_row[row] = row;
            keys[row - first] = rank[row];
        }
        allot__sort_rows(tree_row + first, other, keys, first, end - first);
    }
}

static int make_row_order(const allot_plan *plan, allot__group *group, const int32_t *rank)
{
    const allot__tree *tree = &plan->tree;
    group->family_of = tree->family_of;
    group->parent = tree->parent;
    if (in_order(tree, rank))
        return ALLOT_OK;
    size_t widest = (size_t)tree->widest, rows = (size_t)tree->rows;
    int64_t *keys = allot__new(plan->engine, widest, sizeof *keys);
    int32_t *other = allot__new(plan->engine, widest, sizeof *other);
    group->row_order = allot__new(plan->engine, row_order_size(tree), sizeof *group->row_order);
    if (keys && other && group->row_order) {
        int32_t *tree_row = group->row_order, *group_row = tree_row + rows,
                *family_of = group_row + rows, *parent = family_of + rows;
        order_siblings(tree, rank, keys, other, tree_row);
        for (size_t i = 0; i < rows; i++) {
            group_row[tree_row[i]] = (int32_t)i;
            family_of[i] = tree->family_of[tree_row[i]];
        }
        parent[0] = -1;
        for (int32_t f = 1; f < tree->families; f++)
            parent[f] = group_row[tree->parent[f]];
        group->tree_row = tree_row;
        group->group_row = group_row;
        group->family_of = family_of;
        group->parent = parent;
    }
    allot__free(plan->engine, keys, widest, sizeof *keys);
    allot__free(plan->engine, other, widest, sizeof *other);
    return group->tree_row ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static int32_t fallback(const allot_plan *plan, const allot__group *group, int32_t index)
{
    if (index == ALLOT_OWNED)
        return allot__unset; /* derived below */
    if (index == ALLOT_RANK)
        return (int32_t)group->options[ALLOT_OPTION_DEFAULT_RANK];
    allot_attribute column = {0};
    allot_plan_column_at(plan, index, &column);
    return column.fallback;
}

static void fill_column(const allot_plan *plan, const allot__group *group, int32_t index)
{
    int32_t *out = group->columns[index], missing = fallback(plan, group, index);
    allot__column none = {0};
    const allot__column *stated = (size_t)index < group->stated.count
                                      ? (const allot__column *)group->stated.items + index
                                      : &none;
    const int32_t *handle_of = plan->tree.handle_of;
    for (int32_t row = 0; row < plan->tree.rows; row++) {
        size_t consumer = (size_t)handle_of[group->tree_row ? group->tree_row[row] : row];
        int32_t value = consumer < stated->capacity ? stated->values[consumer] : allot__unset;
        out[row] = value == allot__unset ? missing : value;
    }
    if (plan->base)
        allot__variant_fill(plan, group, index);
}

/* From the last family up: a value that is not stated becomes the sum over the children. */
static void derive_owned(const allot__tree *tree, const allot__group *group)
{
    int32_t *owned = group->columns[ALLOT_OWNED];
    for (int32_t row = 0; row < tree->rows; row++)
        if (owned[row] == allot__unset && group->family_of[row] == 0)
            owned[row] = 0;
    for (int32_t f = tree->families - 1; f > 0; f--) {
        int32_t *parent = &owned[group->parent[f]];
        if (*parent != allot__unset)
            continue;
        int64_t sum = allot__family_sum(tree, f, owned);
        *parent = sum > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)sum;
    }
}

int64_t allot__family_sum(const allot__tree *tree, int32_t family, const int32_t *column)
{
    int64_t sum = 0;
    for (int32_t row = tree->first[family]; row < tree->first[family + 1]; row++)
        sum += column[row];
    return sum;
}

static int make_columns(const allot_plan *plan, allot__group *group)
{
    size_t count = (size_t)plan->column_count, step = stride(plan->tree.rows);
    group->columns = allot__new(plan->engine, count, sizeof *group->columns);
    group->store = allot__new(plan->engine, count * step, sizeof *group->store);
    if (!group->columns || !group->store)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        group->columns[i] = group->store + i * step;
    return ALLOT_OK;
}

/* ---- Who lends to whom, by row (E-2) --------------------------------------------------------- */

static size_t rows_of(const allot_plan *plan)
{
    return (size_t)plan->tree.rows + 1;
}

static int seat_peers(const allot_plan *plan, const allot__group *group, const allot__vector *peers,
                      int32_t **out)
{
    if (peers->count == 0)
        return ALLOT_OK;
    int32_t *at = allot__new(plan->engine, rows_of(plan), sizeof *at);
    if (!at)
        return ALLOT_ENOMEM;
    memset(at, 0xFF, rows_of(plan) * sizeof *at);
    const allot__peers *items = peers->items;
    for (size_t i = 0; i < peers->count; i++) {
        int32_t row = plan->tree.row_of[items[i].consumer];
        at[group->group_row ? group->group_row[row] : row] = (int32_t)i;
    }
    *out = at;
    return ALLOT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

int allot__layout_make(const allot_plan *plan, allot__group *group)
{
    int status = make_columns(plan, group);
    if (status == ALLOT_OK) {
        fill_column(plan, group, ALLOT_RANK); /* by the tree's rows, as there is no order yet */
        status = make_row_order(plan, group, group->columns[ALLOT_RANK]);
    }
    if (status) {
        allot__layout_free(plan, group);
        return status;
    }
    for (int32_t i = 0; i < plan->column_count; i++)
        fill_column(plan, group, i);
    derive_owned(&plan->tree, group);
    status = allot__governing_make(plan, group);
    if (status == ALLOT_OK)
        status = seat_peers(plan, group, &group->lend, &group->lend_at);
    if (status == ALLOT_OK)
        status = seat_peers(plan, group, &group->borrow, &group->borrow_at);
    if (status)
        allot__layout_free(plan, group);
    return status;
}

void allot__layout_free(const allot_plan *plan, allot__group *group)
{
    size_t count = (size_t)plan->column_count, step = stride(plan->tree.rows);
    allot__governing_free(plan, group);
    allot__free(plan->engine, group->lend_at, rows_of(plan), sizeof *group->lend_at);
    allot__free(plan->engine, group->borrow_at, rows_of(plan), sizeof *group->borrow_at);
    allot__free(plan->engine, group->columns, count, sizeof *group->columns);
    allot__free(plan->engine, group->store, count * step, sizeof *group->store);
    allot__free(plan->engine, group->row_order, row_order_size(&plan->tree),
                sizeof *group->row_order);
    group->columns = NULL;
    group->store = group->row_order = group->lend_at = group->borrow_at = NULL;
    group->tree_row = group->group_row = group->family_of = group->parent = NULL;
}
