/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rowset.c: sources of tasks and sessions: columns, numbers and functions. */
#include "engine/rows/rowset.h"

enum {
    BATCH = 512,
    COLUMNS_MOST = ALLOT_COLUMN_COUNT + ALLOT_TASK_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX
};

int allot__rowset_begin(allot__rowset *rows)
{
    size_t count = rows->rules->policy->functions.count;
    rows->functions = allot__arena_take(rows->work->arena, count + 1, sizeof *rows->functions);
    if (!rows->functions)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        rows->functions[i] = NULL;
    return ALLOT_OK;
}

static int call(const allot__rowset *rows, int32_t index, int32_t first, int32_t count,
                int64_t *room, int64_t *out)
{
    const allot_policy *policy = rows->rules->policy;
    const allot__function *function = (const allot__function *)policy->functions.items + index;
    const int64_t *columns[COLUMNS_MOST];
    int32_t consumers[BATCH];
    int32_t items[BATCH];
    for (int32_t i = 0; i < function->count; i++) {
        columns[i] =
            rows->column(rows, function->columns[i], first, count, room + (size_t)i * BATCH);
    }
    for (int32_t i = 0; i < count; i++)
        consumers[i] = rows->kind == ALLOT_CONSUMERS ? allot__handle(rows->work, first + i)
                       : rows->consumer              ? rows->consumer(rows, first + i)
                                                     : rows->leaf;
    for (int32_t i = 0; rows->item && i < count; i++)
        items[i] = rows->item(rows, first + i);
    allot_batch batch = {.count = count,
                         .columns = columns,
                         .consumers = consumers,
                         .plan = rows->work->plan,
                         .group = rows->work->index,
                         .rows = rows->kind,
                         .items = rows->item ? items : NULL,
                         .jobs = rows->jobs,
                         .state = rows->work->state,
                         .taker = function->claimant ? rows->claimant : NULL,
                         .taker_item = rows->claimant_item};
    return policy->provider.compute(policy->provider.ud, index, &batch, out, rows->work->report);
}

int allot__rowset_call(const allot__rowset *rows, int32_t index, int32_t first, int32_t count,
                       int64_t *values)
{
    const allot__function *function =
        (const allot__function *)rows->rules->policy->functions.items + index;
    int32_t end = first + count;
    allot_engine *engine = rows->work->plan->engine;
    size_t size = (size_t)(function->count + 1) * BATCH * sizeof(int64_t);
    int64_t *room = allot_engine_alloc(engine, NULL, 0, size);
    int status = room ? ALLOT_OK : ALLOT_ENOMEM;
    for (; first < end && status == ALLOT_OK; first += BATCH) {
        int32_t some = end - first < BATCH ? end - first : BATCH;
        status = call(rows, index, first, some, room, values + first);
    }
    allot__free(engine, room, size, 1);
    return status;
}

int allot__rowset_prepare(allot__rowset *rows, allot_source source)
{
    if (source.kind != ALLOT_FROM_FUNCTION || rows->functions[source.value])
        return ALLOT_OK;
    int64_t *values = allot__arena_take(rows->work->arena, (size_t)rows->count + 1, sizeof *values);
    if (!values)
        return ALLOT_ENOMEM;
    int status = allot__rowset_call(rows, source.value, 0, rows->count, values);
    if (status == ALLOT_OK)
        rows->functions[source.value] = values;
    return status;
}

const int64_t *allot__rowset_values(const allot__rowset *rows, allot_source source, int32_t first,
                                    int32_t n, int64_t *room)
{
    switch (source.kind) {
    case ALLOT_FROM_COLUMN:
        return rows->column(rows, source.value, first, n, room);
    case ALLOT_FROM_FUNCTION:
        return rows->functions[source.value] + first;
    default:
        for (int32_t i = 0; i < n; i++)
            room[i] = source.value;
        return room;
    }
}

/* Reads all keys of a block of rows before the next block, while its data is in cache. */
int allot__rowset_keys(allot__rowset *rows, const allot_key *const *keys, int32_t count,
                       int64_t *const *out)
{
    int64_t room[BATCH];
    int status = ALLOT_OK;
    for (int32_t k = 0; k < count && status == ALLOT_OK; k++)
        status = allot__rowset_prepare(rows, keys[k]->source);
    for (int32_t first = 0; first < rows->count && status == ALLOT_OK; first += BATCH) {
        int32_t n = rows->count - first < BATCH ? rows->count - first : BATCH;
        for (int32_t k = 0; k < count; k++) {
            const int64_t *from = allot__rowset_values(rows, keys[k]->source, first, n, room);
            int64_t *to = out[k] + first;
            for (int32_t i = 0; i < n; i++) /* ~ reverses order; unlike - it cannot overflow */
                to[i] = keys[k]->descending ? ~from[i] : from[i];
        }
    }
    return status;
}

int allot__rowset_key(allot__rowset *rows, const allot_key *key, int64_t **out)
{
    *out = allot__arena_take(rows->work->arena, (size_t)rows->count + 1, sizeof **out);
    return *out ? allot__rowset_keys(rows, &key, 1, out) : ALLOT_ENOMEM;
}

void allot__rowset_guard(const allot__rowset *rows, const allot__guard *guard, uint8_t mark,
                         const int32_t *at, uint8_t *marks)
{
    int64_t room[BATCH];
    for (int32_t first = 0; first < rows->count; first += BATCH) {
        int32_t n = rows->count - first < BATCH ? rows->count - first : BATCH;
        const int64_t *values = allot__rowset_values(rows, guard->value, first, n, room);
        for (int32_t i = 0; i < n; i++) {
            uint8_t *of = &marks[at ? at[first + i] : first + i];
            bool outside = values[i] < guard->min || values[i] > guard->max;
            *of = outside && *of == ALLOT__ELIGIBLE ? mark : *of;
        }
    }
}
