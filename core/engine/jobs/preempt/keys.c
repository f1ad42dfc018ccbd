/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * keys.c: the keys of the policy's victims, by row.
 *
 * Keys that stand behind each other, and are not of two queues together, become one where their
 * ranges fit: each takes as many bits as it needs, so that comparing one number compares them all.
 */
#include <string.h>

#include "engine/jobs/preempt/list.h"

enum { BITS_MOST = 63 /* less than 0 is none of them */ };

typedef struct range {
    int64_t least;
    int32_t bits;
} range;

static range range_of(const int64_t *values, int32_t count)
{
    int64_t least = count > 0 ? values[0] : 0;
    int64_t most = least;
    for (int32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    uint64_t width = (uint64_t)most - (uint64_t)least;
    return (range){least, width == 0 ? 0 : 64 - __builtin_clzll(width)};
}

/* Makes the first of two keys both; false: they are too wide together. */
static bool join(int64_t *first, const int64_t *second, int32_t count)
{
    range a = range_of(first, count);
    range b = range_of(second, count);
    if (a.bits + b.bits > BITS_MOST)
        return false;
    for (int32_t i = 0; i < count; i++) {
        uint64_t high = (uint64_t)first[i] - (uint64_t)a.least;
        first[i] = (int64_t)(high << b.bits | ((uint64_t)second[i] - (uint64_t)b.least));
    }
    return true;
}

static void join_keys(allot__candidate_rows *rows)
{
    int32_t last = -1;
    for (int32_t i = 0; i < rows->key_count; i++) {
        int64_t *values = rows->values[i];
        bool both = last >= 0 && values && rows->values[last];
        if (both && join(rows->values[last], values, rows->count))
            continue;
        last++;
        rows->keys[last] = rows->keys[i];
        rows->values[last] = values;
    }
    rows->key_count = last + 1;
}

int allot__candidate_rows_read(allot__candidate_rows *rows)
{
    const allot__order *victims = &rows->work->rules[0].policy->victims;
    const allot_key *own[ALLOT_KEYS_MAX];
    int64_t *values[ALLOT_KEYS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < victims->count; i++) {
        const allot_key *key = &victims->keys[i];
        if (key->source.kind == ALLOT_FROM_NUMBER)
            continue; /* it orders nothing */
        rows->keys[rows->key_count] = *key;
        if (!allot__job_pair_column(key->source)) {
            own[count] = key;
            values[count] =
                allot__arena_take(rows->work->arena, (size_t)rows->count + 1, sizeof **values);
            rows->values[rows->key_count] = values[count];
            if (!values[count++])
                return ALLOT_ENOMEM;
        }
        rows->key_count++;
    }
    int status = allot__rowset_keys(&rows->of.rows, own, count, values);
    if (status == ALLOT_OK)
        join_keys(rows);
    return status;
}

static int64_t pair_value(const allot__candidate_rows *rows, const allot__candidate_list *list,
                          int32_t key, int32_t queue)
{
    const allot_key *of = &rows->keys[key];
    bool preference = of->source.value == ALLOT_TASK_PREFERENCE;
    int64_t value = (preference ? list->preference : list->queue_order)[queue];
    return of->descending ? ~value : value;
}

static const allot__job *job_at(const allot__candidate_rows *rows, int32_t row)
{
    return allot__job_at(rows->work->state->jobs, rows->jobs[row]);
}

int64_t allot__candidate_value(const allot__candidate_rows *rows, const allot__candidate_list *list,
                               int32_t key, int32_t row)
{
    if (key >= rows->key_count)
        return 0;
    if (rows->values[key])
        return rows->values[key][row];
    return !list ? 0 : pair_value(rows, list, key, rows->queues[row]);
}

bool allot__candidate_before(const allot__candidate_rows *rows, const allot__candidate_list *list,
                             int32_t a, int32_t b)
{
    for (int32_t key = 0; key < rows->key_count; key++) {
        int64_t x = allot__candidate_value(rows, list, key, a);
        int64_t y = allot__candidate_value(rows, list, key, b);
        if (x != y)
            return x < y;
    }
    return strcmp(job_at(rows, a)->id, job_at(rows, b)->id) > 0;
}

static void merge(const allot__candidate_rows *rows, const allot__candidate_list *list,
                  const int32_t *from, int32_t low, int32_t middle, int32_t high, int32_t *to)
{
    int32_t a = low;
    int32_t b = middle;
    for (int32_t i = low; i < high; i++) {
        bool left =
            a < middle && (b >= high || !allot__candidate_before(rows, list, from[b], from[a]));
        to[i] = left ? from[a++] : from[b++];
    }
}

void allot__candidate_sort(const allot__candidate_rows *rows, const allot__candidate_list *list,
                           int32_t *first, int32_t *other, int32_t count)
{
    for (int32_t width = 1; width < count; width = width < count / 2 + 1 ? width * 2 : count) {
        for (int32_t low = 0; low < count;) {
            int32_t middle = count - low > width ? low + width : count;
            int32_t high = count - middle > width ? middle + width : count;
            merge(rows, list, first, low, middle, high, other);
            low = high;
        }
        memcpy(first, other, (size_t)count * sizeof *first);
    }
}
