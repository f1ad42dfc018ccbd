/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slices.c: a pool's queues in order, and their slices: an ordered fill, rounded up in order,
 * poured again until nothing moves. */
#include "engine/jobs/slices.h"

#include <string.h>

#include "base/least.h"
#include "base/wide.h"
#include "engine/rows/rowset.h"
#include "model/jobs/queue.h"

/* Rule 3 with `base` slots; returns how many are left. */
static int64_t pour(allot__slice_row *rows, int32_t count, int64_t base, int32_t round,
                    const allot__slice_watch *watch)
{
    int64_t left = base;
    for (int32_t i = 0; i < count && left > 0; i++) {
        int64_t part = (base * rows[i].share + 99) / 100;
        int64_t lacks = rows[i].wants - rows[i].slice;
        part = allot__least(allot__least(part, lacks > 0 ? lacks : 0), left);
        if (watch)
            watch->gets(watch->ud, &rows[i], base, part, round);
        rows[i].slice += part;
        left -= part;
    }
    return left;
}

void allot__slices_cut(allot__slice_row *rows, int32_t count, int64_t base, bool again,
                       const allot__slice_watch *watch)
{
    for (int32_t i = 0; i < count; i++)
        rows[i].slice = 0;
    int32_t round = 1;
    int64_t left = pour(rows, count, base, round, watch);
    for (int32_t i = 0; i < count; i++)
        rows[i].first = rows[i].slice;
    for (int64_t before = again ? base : left; left > 0 && left < before;) {
        before = left;
        left = pour(rows, count, left, ++round, watch);
    }
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].slice < rows[i].used)
            rows[i].slice = rows[i].used;
        if (rows[i].first < rows[i].used)
            rows[i].first = rows[i].used;
    }
}

/* ---- The order ------------------------------------------------------------------------------- */

typedef struct pool_rows {
    allot__rowset set; /* first, as columns' functions get a pointer to it */
    const int32_t *queues;
    const int64_t *used, *pending, *usage;
    int64_t *values[ALLOT_KEYS_MAX];
} pool_rows;

static const allot_queue *queue_at(const pool_rows *rows, int32_t row)
{
    return allot__queue_at(allot__queues_of(rows->set.work->plan), rows->queues[row]);
}

static int64_t used_over_share(const pool_rows *rows, int32_t row)
{
    allot__u128 usage = (allot__u128)rows->usage[2 * rows->queues[row]];
    allot__u128 over = usage * 1000 / (allot__u128)queue_at(rows, row)->slot_share;
    return over > INT64_MAX ? INT64_MAX : (int64_t)over;
}

static int64_t value_of(const pool_rows *rows, int32_t column, int32_t row)
{
    int32_t queue = rows->queues[row];
    switch (column) {
    case ALLOT_QUEUE_SLOT_SHARE:
        return queue_at(rows, row)->slot_share;
    case ALLOT_QUEUE_PRIORITY:
        return queue_at(rows, row)->priority;
    case ALLOT_QUEUE_USED:
        return rows->used[queue];
    case ALLOT_QUEUE_USAGE:
        return rows->usage[2 * queue];
    case ALLOT_QUEUE_USED_OVER_SHARE:
        return used_over_share(rows, row);
    case ALLOT_QUEUE_PENDING:
        return rows->pending[queue];
    default:
        return queue;
    }
}

static const int64_t *column_of(const allot__rowset *set, int32_t column, int32_t first, int32_t n,
                                int64_t *room)
{
    for (int32_t i = 0; i < n; i++)
        room[i] = value_of((const pool_rows *)set, column, first + i);
    return room;
}

static int32_t item_of(const allot__rowset *set, int32_t row)
{
    return ((const pool_rows *)set)->queues[row];
}

/* Compares use over share exactly, not by truncated quotients. */
static int compare_use(const pool_rows *rows, int32_t a, int32_t b)
{
    const int64_t *x = rows->usage + 2 * rows->queues[a], *y = rows->usage + 2 * rows->queues[b];
    allot__u128 left = ((allot__u128)x[0] * 1000000 + (allot__u128)x[1]) *
                       (allot__u128)queue_at(rows, b)->slot_share;
    allot__u128 right = ((allot__u128)y[0] * 1000000 + (allot__u128)y[1]) *
                        (allot__u128)queue_at(rows, a)->slot_share;
    return left < right ? -1 : left > right;
}

static int compare(const pool_rows *rows, const allot__order *order, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < order->count; i++) {
        const allot_key *key = &order->keys[i];
        const int64_t *values = rows->values[i];
        int sign = values[a] < values[b] ? -1 : values[a] > values[b];
        if (key->source.kind == ALLOT_FROM_COLUMN &&
            key->source.value == ALLOT_QUEUE_USED_OVER_SHARE)
            sign = key->descending ? compare_use(rows, b, a) : compare_use(rows, a, b);
        if (sign != 0)
            return sign;
    }
    return 0;
}

static int read_keys(pool_rows *rows, const allot__order *order)
{
    int status = allot__rowset_begin(&rows->set);
    for (int32_t i = 0; i < order->count && status == ALLOT_OK; i++)
        status = allot__rowset_key(&rows->set, &order->keys[i], &rows->values[i]);
    return status;
}

int allot__slices_order(allot__work *work, int32_t pool, const int64_t *used,
                        const int64_t *pending, const int64_t *usage, int32_t *order)
{
    const allot__slot_pool *of = &allot__queues_of(work->plan)->pools[pool];
    const allot__order *keys = &work->rules[0].policy->slices;
    pool_rows rows = {.set = {.work = work,
                              .rules = &work->rules[0],
                              .kind = ALLOT_QUEUES,
                              .leaf = ALLOT_ROOT,
                              .count = of->count,
                              .column = column_of,
                              .item = item_of},
                      .queues = of->queues,
                      .used = used,
                      .pending = pending,
                      .usage = usage};
    int status = read_keys(&rows, keys);
    for (int32_t i = 0; i < of->count && status == ALLOT_OK; i++) {
        int32_t low = 0, high = i; /* insert behind all that go before it or tie with it */
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (compare(&rows, keys, order[middle], i) <= 0)
                low = middle + 1;
            else
                high = middle;
        }
        memmove(order + low + 1, order + low, (size_t)(i - low) * sizeof *order);
        order[low] = i;
    }
    for (int32_t i = 0; i < of->count && status == ALLOT_OK; i++)
        order[i] = of->queues[order[i]];
    return status;
}
