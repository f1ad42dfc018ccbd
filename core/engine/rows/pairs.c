/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pairs.c: tests by a column compare in place; a function is called for one taker and all givers
 * for which the tests before it hold. */
#include "engine/rows/pairs.h"

#include <string.h>

static int64_t value_at(const allot__rowset *rows, int32_t column, int32_t row)
{
    int64_t room = 0;
    return *rows->column(rows, column, row, 1, &room);
}

static int32_t item_at(const allot__rowset *rows, int32_t row)
{
    return rows->item ? rows->item(rows, row) : allot__handle(rows->work, row);
}

/* A test by a function, in one batch. */
typedef struct asking {
    const allot__rowset *takers, *givers;
    const allot__function *function;
    int32_t index, count;
    int32_t *row, *place; /* givers, and their places in the list */
    int32_t *item, *consumer;
    int64_t *values, *answers; /* column by column; by giver */
    const int64_t **columns;
    int64_t *taker;
} asking;

static int take_room(asking *it, int32_t count)
{
    size_t size = (size_t)count, columns = (size_t)it->function->count;
    return ALLOT__TAKE_ALL(
        it->givers->work->arena,
        ALLOT__EACH(size, it->row, it->place, it->item, it->consumer, it->answers),
        ALLOT__WANTED(it->values, size * columns), ALLOT__EACH(columns, it->columns, it->taker));
}

static int call(const asking *it, int32_t taker)
{
    const allot__work *work = it->givers->work;
    const allot_provider *provider = &it->givers->rules->policy->provider;
    for (int32_t c = 0; c < it->function->count; c++) {
        int64_t *values = it->values + (size_t)c * (size_t)it->count;
        it->columns[c] = values;
        it->taker[c] = value_at(it->takers, it->function->columns[c], taker);
        for (int32_t i = 0; i < it->count; i++)
            values[i] = value_at(it->givers, it->function->columns[c], it->row[i]);
    }
    for (int32_t i = 0; i < it->count; i++) {
        it->item[i] = item_at(it->givers, it->row[i]);
        it->consumer[i] = it->givers->item ? it->givers->leaf : it->item[i];
    }
    allot_batch batch = {.count = it->count,
                         .columns = it->columns,
                         .consumers = it->consumer,
                         .plan = work->plan,
                         .group = work->index,
                         .rows = it->givers->kind,
                         .items = it->item,
                         .state = work->state,
                         .taker = it->taker,
                         .taker_item = item_at(it->takers, taker)};
    return provider->compute(provider->ud, it->index, &batch, it->answers, work->report);
}

/* Asks for the givers that are still in question. */
static int ask(asking *it, int32_t taker, const int32_t *list, int32_t count, uint8_t *may)
{
    const allot_policy *policy = it->givers->rules->policy;
    it->function = (const allot__function *)policy->functions.items + it->index;
    if (take_room(it, count) != ALLOT_OK)
        return ALLOT_ENOMEM;
    it->count = 0;
    for (int32_t i = 0; i < count; i++) {
        it->row[it->count] = list[i];
        it->place[it->count] = i;
        it->count += may[i];
    }
    int status = it->count > 0 ? call(it, taker) : ALLOT_OK;
    for (int32_t i = 0; i < it->count && status == ALLOT_OK; i++)
        may[it->place[i]] = it->answers[i] != 0;
    return status;
}

int allot__pairs_may(const allot__rowset *takers, int32_t taker, const allot__rowset *givers,
                     const allot__tests *tests, const int32_t *list, int32_t count, uint8_t *may)
{
    asking it = {.takers = takers, .givers = givers};
    int status = ALLOT_OK;
    memset(may, 1, (size_t)count);
    for (int32_t t = 0; t < tests->count && status == ALLOT_OK; t++) {
        it.index = tests->list[t].value;
        if (tests->list[t].kind == ALLOT_FROM_FUNCTION) {
            status = ask(&it, taker, list, count, may);
            continue;
        }
        int64_t value = value_at(takers, it.index, taker);
        for (int32_t i = 0; i < count; i++)
            may[i] &= value > value_at(givers, it.index, list[i]);
    }
    return status;
}
