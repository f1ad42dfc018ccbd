/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * split_across.c: families that give back as one, where shares are enforced at the leaves
 * (E-22).
 *
 * Rows are numbered in plan order, a parent before those below it, so that a subtree is a range of
 * numbers and is listed in one pass.
 */
#include "engine/reclaim/split.h"

typedef struct allot__across {
    int32_t *number; /* by row */
    int32_t *row;    /* by number */
    int32_t *size;   /* by family: rows below its parent */
    allot__sorter sorter;
} across;

static bool enforced(const allot__work *work, int32_t family)
{
    return family != 0 && allot__rules_of(work, family)->policy->switches[ALLOT_SWITCH_ACROSS];
}

static void count_rows(const allot__work *work, across *to)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        to->size[family] = allot__family_size(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            to->size[family] += below != 0 ? to->size[below] : 0;
        }
    }
}

/* Families come before those below their members, so a parent has its number by then. */
static void number_rows(const allot__work *work, across *to)
{
    const int32_t *group_row = work->group->group_row;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t at = family > 0 ? to->number[work->group->parent[family]] + 1 : 0;
        int32_t first = allot__family_first(work, family);
        for (int32_t i = first; i < first + allot__family_size(work, family); i++) {
            int32_t row = group_row ? group_row[i] : i;
            int32_t below = allot__family_of(work, row);
            to->number[row] = at;
            to->row[at] = row;
            at += 1 + (below != 0 ? to->size[below] : 0);
        }
    }
}

int allot__across_init(allot__reclaim_split *split)
{
    allot__work *work = split->work;
    size_t rows = (size_t)work->tree->rows + 1;
    across *made = allot__arena_take(work->arena, 1, sizeof *made);
    if (!made)
        return ALLOT_ENOMEM;
    if (ALLOT__TAKE_ALL(work->arena, ALLOT__WANTED(made->number, rows),
                        ALLOT__WANTED(made->row, rows),
                        ALLOT__WANTED(made->size, (size_t)work->tree->families),
                        ALLOT__WANTED(made->sorter.keys, rows),
                        ALLOT__WANTED(made->sorter.other, rows)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    count_rows(work, made);
    number_rows(work, made);
    split->across = made;
    return ALLOT_OK;
}

bool allot__across_has(const allot__reclaim_split *split, int32_t family)
{
    const allot__work *work = split->work;
    int32_t left = work->tree->inner[family];
    if (!split->across || (family != 0 && !enforced(work, family)))
        return false;
    for (int32_t row = allot__family_first(work, family); left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (enforced(work, below))
            return true;
        left -= below != 0;
    }
    return false;
}

int32_t allot__across_list(allot__reclaim_split *split, int32_t family)
{
    const allot__work *work = split->work;
    const across *of = split->across;
    const allot__rules *rules = split->rule->rules;
    int32_t from = family > 0 ? of->number[work->group->parent[family]] + 1 : 0;
    int32_t count = 0;
    for (int32_t at = from; at < from + of->size[family]; at++) {
        int32_t below = allot__family_of(work, of->row[at]);
        if (enforced(work, below))
            continue; /* its members follow */
        split->order[count++] = of->row[at];
        at += below != 0 ? of->size[below] : 0;
    }
    allot__order_list(work, rules, &rules->policy->reclaim, &of->sorter, count, split->order);
    return count;
}

void allot__across_lower(const allot__reclaim_split *split, int32_t family, int32_t row,
                         int64_t part)
{
    const allot__work *work = split->work;
    for (int32_t of = allot__siblings_of(work, row); of != family;
         of = allot__siblings_of(work, work->group->parent[of]))
        work->sums[of].over_left -= part;
}

bool allot__across_before(const allot__reclaim_split *split, int32_t a, int32_t b)
{
    return split->across->number[a] < split->across->number[b];
}
