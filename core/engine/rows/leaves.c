/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leaves.c: sizes bottom-up, from the last family to the first; then numbers top-down. */
#include "engine/rows/leaves.h"

int allot__leaves_take(allot__leaves *leaves, const allot__work *work, allot__arena *arena,
                       bool parents)
{
    size_t rows = (size_t)work->tree->rows + 1, families = (size_t)work->tree->families;
    *leaves = (allot__leaves){.parents = parents,
                              .row = allot__arena_take(arena, rows + families, sizeof *leaves->row),
                              .number = allot__arena_take(arena, rows, sizeof *leaves->number),
                              .start = allot__arena_take(arena, families, sizeof *leaves->start),
                              .size = allot__arena_take(arena, families, sizeof *leaves->size)};
    if (!leaves->row || !leaves->number || !leaves->start || !leaves->size)
        return ALLOT_ENOMEM;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t inner = work->tree->inner[family];
        leaves->size[family] = allot__family_size(work, family) - inner + (parents && family > 0);
        for (int32_t row = allot__family_first(work, family); inner > 0; row++) {
            int32_t below = allot__family_of(work, row);
            leaves->size[family] += below == 0 ? 0 : leaves->size[below];
            inner -= below != 0;
        }
    }
    leaves->count = leaves->size[0];
    return ALLOT_OK;
}

/* `order` lists the family's rows; NULL: in the order of rows. */
static void number_family(allot__leaves *leaves, const allot__work *work, int32_t family,
                          const int32_t *order)
{
    int32_t first = allot__family_first(work, family), at = family > 0 ? leaves->start[family] : 0;
    leaves->start[family] = at;
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = order ? order[i] : first + i;
        int32_t below = allot__family_of(work, row);
        if (below != 0) {
            leaves->start[below] = at;
            at += leaves->size[below];
        } else {
            leaves->number[row] = at;
            leaves->row[at++] = row;
        }
    }
    if (leaves->parents && family > 0)
        leaves->row[at] = ~family;
}

void allot__leaves_number(allot__leaves *leaves, const allot__work *work)
{
    for (int32_t family = 0; family < work->tree->families; family++)
        number_family(leaves, work, family, NULL);
}

bool allot__leaves_natural(const allot__work *work)
{
    bool natural = true;
    for (int32_t i = 0; i < work->rules_count && natural; i++)
        natural = allot__order_natural(&work->rules[i].policy->distribute);
    return natural;
}

int allot__leaves_distribute(allot__leaves *leaves, allot__work *work)
{
    allot__sorter sorter;
    int32_t *rows = allot__arena_take(work->arena, (size_t)work->tree->widest + 1, sizeof *rows);
    int status = rows ? allot__sorter_init(work, &sorter) : ALLOT_ENOMEM;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++)
        status = allot__order_prepare(work, &work->rules[i], &work->rules[i].policy->distribute);
    for (int32_t family = 0; family < work->tree->families && status == ALLOT_OK; family++) {
        const allot__rules *rules = allot__rules_of(work, family);
        const allot__order *order = &rules->policy->distribute;
        bool natural = allot__order_natural(order);
        if (!natural)
            allot__order_sort(work, rules, order, &sorter, allot__family_first(work, family),
                              allot__family_size(work, family), rows);
        number_family(leaves, work, family, natural ? NULL : rows);
    }
    return status;
}
