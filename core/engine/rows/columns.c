/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * columns.c: the values that a rule reads: built-in columns, attributes, and a policy's functions.
 */
#include "engine/rows/work.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "engine/rows/own.h"
#include "engine/rows/rowset.h"

static int64_t shown(int32_t value)
{
    return value == ALLOT_NONE ? ALLOT_AMOUNT_MAX : value;
}

/* The 32-bit column of that number; NULL: zero throughout. */
static const int32_t *narrow(const allot__work *work, const allot__rules *rules, int32_t column)
{
    /* Members of a work; `owned` is as planned: for other sizes see allot__own. */
    static const size_t members[ALLOT_COLUMN_COUNT] = {
        [ALLOT_OWNED] = offsetof(allot__work, configured),
        [ALLOT_CONFIGURED] = offsetof(allot__work, configured),
        [ALLOT_RESERVE] = offsetof(allot__work, reserve),
        [ALLOT_DEMAND] = offsetof(allot__work, demand),
        [ALLOT_NEED] = offsetof(allot__work, need),
        [ALLOT_ALLOCATED] = offsetof(allot__work, allocated),
        [ALLOT_IN_FLIGHT] = offsetof(allot__work, in_flight),
        [ALLOT_QUOTA] = offsetof(allot__work, quota),
        [ALLOT_RECEIVED] = offsetof(allot__work, received),
        [ALLOT_OVER] = offsetof(allot__work, over)};
    const int32_t *values;
    if (column >= ALLOT_COLUMN_COUNT)
        return work->group->columns[rules->attribute_column[column - ALLOT_COLUMN_COUNT]];
    if (members[column] == 0)
        return column < ALLOT_PLAN_COLUMNS ? work->group->columns[column] : NULL;
    memcpy(&values, (const char *)work + members[column], sizeof values);
    return values;
}

/* The sum that a parent has in that column; NULL: its entry is like a leaf's. */
static const int64_t *wide(const allot__sums *sums, int32_t column)
{
    return column == ALLOT_DEMAND      ? &sums->demand
           : column == ALLOT_NEED      ? &sums->need
           : column == ALLOT_ALLOCATED ? &sums->allocated
           : column == ALLOT_IN_FLIGHT ? &sums->in_flight
           : column == ALLOT_OVER      ? &sums->over_left
                                       : NULL;
}

int64_t allot__value(const allot__work *work, const allot__rules *rules, int32_t column,
                     int32_t row)
{
    int32_t family = allot__family_of(work, row);
    const int64_t *sum = family != 0 ? wide(&work->sums[family], column) : NULL;
    if (sum)
        return *sum;
    if (column == ALLOT_OWNED)
        return allot__own(work, allot__rules_at(work, row), row, NULL);
    const int32_t *values = narrow(work, rules, column);
    return !values ? 0 : shown(values[row]);
}

void allot__values(const allot__work *work, const allot__rules *rules, int32_t column,
                   int32_t first, int32_t count, int64_t *out)
{
    const int32_t *values = narrow(work, rules, column);
    if (column == ALLOT_OWNED && !allot__own_planned(work)) {
        for (int32_t i = 0; i < count; i++)
            out[i] = allot__value(work, rules, column, first + i);
        return;
    }
    if (!values)
        memset(out, 0, (size_t)count * sizeof *out);
    else
        for (int32_t i = 0; i < count; i++)
            out[i] = shown(values[first + i]);
    const int32_t *family_of = work->group->family_of + first;
    for (int32_t i = 0; i < count; i++)
        if (family_of[i] != 0)
            out[i] = allot__value(work, rules, column, first + i);
}

static const int64_t *values_of(const allot__rowset *rows, int32_t column, int32_t first, int32_t n,
                                int64_t *room)
{
    allot__values(rows->work, rows->rules, column, first, n, room);
    return room;
}

int allot__function_values(allot__work *work, allot__rules *rules, int32_t function,
                           const int64_t **out)
{
    allot__rowset consumers = {.work = work,
                               .rules = rules,
                               .kind = ALLOT_CONSUMERS,
                               .count = work->tree->rows,
                               .column = values_of,
                               .functions = rules->function_values};
    allot_source source = {ALLOT_FROM_FUNCTION, function};
    int status = allot__rowset_prepare(&consumers, source);
    if (status == ALLOT_OK)
        *out = rules->function_values[function];
    return status;
}

/* Reports the consumer whose number is not an amount. */
static int not_an_amount(const allot__work *work, const allot__rules *rules, int32_t row,
                         int64_t value, const char *what)
{
    char path[512];
    allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
    allot_report_say(work->report, ALLOT_ERROR, "E-range",
                     "policy \"%s\", %s: %s is %" PRId64 ", allowed is 0 ... %d",
                     rules->policy->name, path, what, value, ALLOT_AMOUNT_MAX);
    return ALLOT_ESCRIPT;
}

static int function_amounts(allot__work *work, allot__rules *rules, int32_t function,
                            allot__amounts *out)
{
    if (!rules->function_amounts[function]) {
        const int64_t *values = NULL;
        int status = allot__function_values(work, rules, function, &values);
        if (status != ALLOT_OK)
            return status;
        int32_t rows = work->tree->rows;
        int32_t *amounts = allot__arena_take(work->arena, (size_t)rows + 1, sizeof *amounts);
        if (!amounts)
            return ALLOT_ENOMEM;
        for (int32_t row = 0; row < rows; row++) {
            if (values[row] < 0 || values[row] > ALLOT_AMOUNT_MAX)
                return not_an_amount(work, rules, row, values[row], "what a function returned");
            amounts[row] = (int32_t)values[row];
        }
        rules->function_amounts[function] = amounts;
    }
    out->column = rules->function_amounts[function];
    return ALLOT_OK;
}

/* A parent's cut sum can serve as a cap, but not as a weight: proportions would change. */
static int check_weights(const allot__work *work, const allot__rules *rules, int32_t column)
{
    for (int32_t family = 1; family < work->tree->families; family++) {
        const int64_t *sum = wide(&work->sums[family], column);
        if (sum && *sum > ALLOT_AMOUNT_MAX)
            return not_an_amount(work, rules, work->group->parent[family], *sum,
                                 allot_column_name(column));
    }
    return ALLOT_OK;
}

/* Can rows have ALLOT_NONE in the column? As a weight that is the largest amount. */
static bool may_be_none(const allot__rules *rules, int32_t column)
{
    return column == ALLOT_LIMIT ||
           (column >= ALLOT_COLUMN_COUNT &&
            rules->policy->attributes[column - ALLOT_COLUMN_COUNT].fallback == ALLOT_NONE);
}

/* A copy of a leaf column with the sums of parents, cut to an amount. */
static int with_parents(allot__work *work, const allot__rules *rules, int32_t column,
                        allot__amounts *out)
{
    int32_t rows = work->tree->rows;
    int32_t *values = allot__arena_take(work->arena, (size_t)rows + 1, sizeof *values);
    if (!values)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < rows; row++) {
        int64_t value = allot__value(work, rules, column, row);
        values[row] = value > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)value;
    }
    out->column = values;
    return ALLOT_OK;
}

int allot__amounts_of(allot__work *work, allot__rules *rules, allot_source source, bool weight,
                      allot__amounts *out)
{
    *out = (allot__amounts){.number = source.value};
    switch (source.kind) {
    case ALLOT_FROM_NEED:
        out->number = ALLOT_AMOUNT_MAX;
        return ALLOT_OK;
    case ALLOT_FROM_PART:
        out->column = work->planned_part;
        return ALLOT_OK;
    case ALLOT_FROM_HELD:
        out->column = work->held_part;
        return ALLOT_OK;
    case ALLOT_FROM_NUMBER:
        return ALLOT_OK;
    case ALLOT_FROM_FUNCTION:
        return function_amounts(work, rules, source.value, out);
    case ALLOT_FROM_COLUMN:
        break;
    }
    out->column = narrow(work, rules, source.value);
    if (source.value == ALLOT_OWNED) {
        if (weight) {
            /* In a plan of no slots only exact policies own anything. */
            bool owns = work->times > 0 || rules->policy->exact;
            out->column = owns ? work->configured : NULL;
        } else {
            out->own = !allot__own_planned(work);
        }
    }
    out->number = 0; /* a column that is NULL is zero throughout */
    int status = weight ? check_weights(work, rules, source.value) : ALLOT_OK;
    bool sums = source.value == ALLOT_DEMAND || source.value == ALLOT_ALLOCATED ||
                source.value == ALLOT_IN_FLIGHT || source.value == ALLOT_OVER;
    sums = (sums && work->tree->families > 1) || (weight && may_be_none(rules, source.value));
    if (status == ALLOT_OK && sums)
        status = with_parents(work, rules, source.value, out);
    return status;
}
