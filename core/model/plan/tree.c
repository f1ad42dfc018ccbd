/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tree.c: from parents by handle to rows, level by level. */
#include "model/plan/tree.h"

static size_t at_least_one(int32_t count)
{
    return count > 0 ? (size_t)count : 1;
}

/* Children of each parent in plan order: of parent p they are list[at[p + 1] ... at[p + 2] - 1]. */
typedef struct kinship {
    int32_t *at, *list;
    size_t size; /* entries of at */
} kinship;

static void kin_free(allot_engine *engine, kinship *kin, int32_t count)
{
    allot__free(engine, kin->at, kin->size, sizeof *kin->at);
    allot__free(engine, kin->list, at_least_one(count), sizeof *kin->list);
}

static int kin_make(allot_engine *engine, const allot__names *names, kinship *out)
{
    int32_t count = names->count;
    kinship kin = {.size = (size_t)count + 3};
    kin.at = allot__new(engine, kin.size, sizeof *kin.at);
    kin.list = allot__new(engine, at_least_one(count), sizeof *kin.list);
    if (!kin.at || !kin.list) {
        kin_free(engine, &kin, count);
        return ALLOT_ENOMEM;
    }
    /* A counting sort: filling moves each start to its end, which is where the next starts. */
    for (int32_t i = 0; i < count; i++)
        kin.at[names->entries[i].parent + 3]++;
    for (size_t i = 1; i < kin.size; i++)
        kin.at[i] += kin.at[i - 1];
    for (int32_t i = 0; i < count; i++)
        kin.list[kin.at[names->entries[i].parent + 2]++] = i;
    *out = kin;
    return ALLOT_OK;
}

static int32_t count_families(const kinship *kin, int32_t count)
{
    int32_t families = 1;
    for (int32_t i = 0; i < count; i++)
        families += kin->at[i + 2] > kin->at[i + 1];
    return families;
}

static int allocate(allot_engine *engine, allot__tree *tree)
{
    size_t rows = at_least_one(tree->rows), families = (size_t)tree->families;
    tree->row_of = allot__new(engine, rows, sizeof *tree->row_of);
    tree->handle_of = allot__new(engine, rows, sizeof *tree->handle_of);
    tree->family_of = allot__new(engine, rows, sizeof *tree->family_of);
    tree->first = allot__new(engine, families + 1, sizeof *tree->first);
    tree->parent = allot__new(engine, families, sizeof *tree->parent);
    tree->inner = allot__new(engine, families, sizeof *tree->inner);
    bool done = tree->row_of && tree->handle_of && tree->family_of && tree->first && tree->parent &&
                tree->inner;
    return done ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Places the children of `consumer` behind all rows so far, as family f. */
static void seat_family(allot__tree *tree, const kinship *kin, int32_t consumer, int32_t f)
{
    int32_t row = tree->first[f];
    for (int32_t i = kin->at[consumer + 1]; i < kin->at[consumer + 2]; i++, row++) {
        tree->handle_of[row] = kin->list[i];
        tree->row_of[kin->list[i]] = row;
    }
    tree->first[f + 1] = row;
    if (row - tree->first[f] > tree->widest)
        tree->widest = row - tree->first[f];
}

static void seat_all(allot__tree *tree, const kinship *kin)
{
    tree->parent[0] = -1;
    seat_family(tree, kin, ALLOT_ROOT, 0);
    int32_t last = 0, own = 0;
    for (int32_t row = 0; row < tree->rows; row++) {
        int32_t consumer = tree->handle_of[row];
        while (row >= tree->first[own + 1])
            own++;
        if (kin->at[consumer + 2] == kin->at[consumer + 1])
            continue;
        tree->family_of[row] = ++last;
        tree->parent[last] = row;
        tree->inner[own]++;
        seat_family(tree, kin, consumer, last);
    }
}

/* Finds where levels begin: a level's children are one range, up to its last family's end. */
static int32_t find_levels(const allot__tree *tree, int32_t *level)
{
    int32_t levels = 0, f = 1;
    for (int32_t begin = 0, end = tree->first[1]; begin < end; levels++) {
        if (level)
            level[levels] = begin;
        begin = end;
        while (f < tree->families && tree->parent[f] < begin)
            f++;
        end = tree->first[f];
    }
    if (level)
        level[levels] = tree->rows;
    return levels;
}

static int make(allot_engine *engine, allot__tree *tree, const kinship *kin)
{
    tree->families = count_families(kin, tree->rows);
    if (allocate(engine, tree))
        return ALLOT_ENOMEM;
    seat_all(tree, kin);
    int32_t levels = find_levels(tree, NULL);
    tree->level = allot__new(engine, (size_t)levels + 1, sizeof *tree->level);
    if (!tree->level)
        return ALLOT_ENOMEM;
    tree->levels = find_levels(tree, tree->level);
    return ALLOT_OK;
}

int allot__tree_make(allot_engine *engine, const allot__names *names, allot__tree *out)
{
    kinship kin;
    if (kin_make(engine, names, &kin))
        return ALLOT_ENOMEM;
    allot__tree tree = {.rows = names->count};
    int status = make(engine, &tree, &kin);
    kin_free(engine, &kin, names->count);
    if (status)
        allot__tree_free(engine, &tree);
    else
        *out = tree;
    return status;
}

void allot__tree_free(allot_engine *engine, allot__tree *tree)
{
    size_t rows = at_least_one(tree->rows), families = (size_t)tree->families;
    allot__free(engine, tree->row_of, rows, sizeof *tree->row_of);
    allot__free(engine, tree->handle_of, rows, sizeof *tree->handle_of);
    allot__free(engine, tree->family_of, rows, sizeof *tree->family_of);
    allot__free(engine, tree->first, families + 1, sizeof *tree->first);
    allot__free(engine, tree->parent, families, sizeof *tree->parent);
    allot__free(engine, tree->inner, families, sizeof *tree->inner);
    allot__free(engine, tree->level, (size_t)tree->levels + 1, sizeof *tree->level);
    *tree = (allot__tree){0};
}

int32_t allot__tree_next(const allot__tree *tree, const allot__names *names, int32_t consumer)
{
    int32_t family = consumer < 0 ? 0 : tree->family_of[tree->row_of[consumer]];
    if (consumer < 0 || family > 0)
        return tree->rows > 0 ? tree->handle_of[tree->first[family]] : ALLOT_ROOT;
    while (consumer >= 0) {
        int32_t parent = names->entries[consumer].parent, row = tree->row_of[consumer];
        family = parent < 0 ? 0 : tree->family_of[tree->row_of[parent]];
        if (row + 1 < tree->first[family + 1])
            return tree->handle_of[row + 1];
        consumer = parent;
    }
    return ALLOT_ROOT;
}
