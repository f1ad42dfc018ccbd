/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* order.c: stable sorts, last key first, over rows that begin in plan order; leaves numbered:
 * sizes bottom-up, from the last family to the first, then numbers top-down. */
#include "engine/rows/order.h"

int allot__sorter_init(allot__work *work, allot__sorter *room)
{
    size_t widest = (size_t)work->widest;
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(widest + 1, room->keys, room->other));
}

int allot__order_prepare(allot__work *work, allot__rules *rules, const allot__order *order)
{
    for (int32_t i = 0; i < order->count; i++) {
        if (order->keys[i].source.kind == ALLOT_FROM_FUNCTION) {
            const int64_t *values = NULL;
            int status = allot__function_values(work, rules, order->keys[i].source.value, &values);
            if (status != ALLOT_OK)
                return status;
        }
    }
    return ALLOT_OK;
}

bool allot__order_natural(const allot__order *order)
{
    return order->count == 1 && order->keys[0].source.kind == ALLOT_FROM_COLUMN &&
           order->keys[0].source.value == ALLOT_RANK && !order->keys[0].descending;
}

int64_t allot__order_key(const allot__work *work, const allot__rules *rules, const allot_key *key,
                         int32_t row)
{
    switch (key->source.kind) {
    case ALLOT_FROM_COLUMN:
        return allot__value(work, rules, key->source.value, row);
    case ALLOT_FROM_FUNCTION:
        return rules->function_values[key->source.value][row];
    default:
        return 0;
    }
}

int allot__order_compare(const allot__work *work, const allot__rules *rules,
                         const allot__order *order, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < order->count; i++) {
        int64_t x = allot__order_key(work, rules, &order->keys[i], a);
        int64_t y = allot__order_key(work, rules, &order->keys[i], b);
        if (x != y)
            return (x < y) != (order->keys[i].descending != 0) ? -1 : 1;
    }
    return 0;
}

bool allot__order_tied(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, int32_t a, int32_t b)
{
    return allot__order_compare(work, rules, order, a, b) == 0;
}

void allot__order_list(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, const allot__sorter *room, int32_t count,
                       int32_t *rows)
{
    for (int32_t k = order->count - 1; k >= 0; k--) {
        for (int32_t i = 0; i < count; i++) {
            int64_t key = allot__order_key(work, rules, &order->keys[k], rows[i]);
            room->keys[rows[i]] = order->keys[k].descending ? ~key : key;
        }
        allot__sort_rows(rows, room->other, room->keys, 0, count);
    }
}

void allot__order_sort(const allot__work *work, const allot__rules *rules,
                       const allot__order *order, const allot__sorter *room, int32_t first,
                       int32_t count, int32_t *rows)
{
    for (int32_t i = 0; i < count; i++) {
        rows[i] = first + i;
        room->keys[i] = allot__tree_row(work, first + i);
    }
    if (work->group->tree_row)
        allot__sort_rows(rows, room->other, room->keys, first, count);
    for (int32_t k = order->count - 1; k >= 0; k--) {
        for (int32_t i = 0; i < count; i++) {
            int64_t key = allot__order_key(work, rules, &order->keys[k], first + i);
            /* ~key reverses the order and, unlike -key, cannot overflow */
            room->keys[i] = order->keys[k].descending ? ~key : key;
        }
        allot__sort_rows(rows, room->other, room->keys, first, count);
    }
}

/* ---- Leaves, numbered ------------------------------------------------------------------------ */

int allot__leaves_take(allot__leaves *leaves, const allot__work *work, allot__arena *arena,
                       bool parents)
{
    size_t rows = (size_t)work->tree->rows + 1, families = (size_t)work->tree->families;
    *leaves = (allot__leaves){.parents = parents};
    if (ALLOT__TAKE_ALL(arena, ALLOT__WANTED(leaves->row, rows + families),
                        ALLOT__WANTED(leaves->number, rows),
                        ALLOT__EACH(families, leaves->start, leaves->size)))
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
