/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* order.c: stable merge sorts, last key first, over rows that begin in plan order. */
#include "engine/rows/order.h"

#include <string.h>

#include "base/simd.h"

/* Length of the runs that are sorted by counting, then merged. */
enum { FEW = 64 };

int allot__sorter_init(allot__work *work, allot__sorter *room)
{
    size_t widest = (size_t)work->widest;
    room->keys = allot__arena_take(work->arena, widest + 1, sizeof *room->keys);
    room->other = allot__arena_take(work->arena, widest + 1, sizeof *room->other);
    return room->keys != NULL && room->other ? ALLOT_OK : ALLOT_ENOMEM;
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

static bool in_order(const int32_t *rows, const int64_t *keys, int32_t first, int32_t count)
{
    for (int32_t i = 1; i < count; i++)
        if (keys[rows[i] - first] < keys[rows[i - 1] - first])
            return false;
    return true;
}

/* Merges rows[low, middle) and rows[middle, high) into out by keys[row - first]. */
static void merge(const int32_t *rows, int32_t *out, const int64_t *keys, int32_t first,
                  int32_t low, int32_t middle, int32_t high)
{
    int32_t a = low;
    int32_t b = middle;
    for (int32_t i = low; i < high; i++) {
        bool left = a < middle && (b >= high || keys[rows[a] - first] <= keys[rows[b] - first]);
        out[i] = left ? rows[a++] : rows[b++];
    }
}

/* Sorts few rows: the place of each is the number of rows before it. Comparisons have no branches
 * and do not depend on each other, so the compiler vectorises them. */
ALLOT__CLONES static void sort_few(int32_t *rows, const int64_t *keys, int32_t first, int32_t count)
{
    int64_t key[FEW];
    int32_t row[FEW];
    for (int32_t i = 0; i < count; i++) {
        row[i] = rows[i];
        key[i] = keys[rows[i] - first];
    }
    for (int32_t i = 0; i < count; i++) {
        int64_t place = 0;
        for (int32_t k = 0; k < i; k++)
            place += key[k] <= key[i];
        for (int32_t k = i + 1; k < count; k++)
            place += key[k] < key[i];
        rows[place] = row[i];
    }
}

void allot__sort_rows(int32_t *rows, int32_t *other, const int64_t *keys, int32_t first,
                      int32_t count)
{
    if (in_order(rows, keys, first, count))
        return;
    for (int32_t low = 0; low < count; low += FEW)
        sort_few(rows + low, keys, first, count - low < FEW ? count - low : FEW);
    for (int32_t width = FEW; width < count; width = width < count / 2 + 1 ? width * 2 : count) {
        for (int32_t low = 0; low < count;) {
            int32_t middle = count - low > width ? low + width : count;
            int32_t high = count - middle > width ? middle + width : count;
            merge(rows, other, keys, first, low, middle, high);
            low = high;
        }
        memcpy(rows, other, (size_t)count * sizeof *rows);
    }
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
