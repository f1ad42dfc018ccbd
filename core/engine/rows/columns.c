/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * columns.c: the values that a rule reads: built-in columns, attributes, and a policy's functions.
 *
 * A function is called for all rows at once, in batches, the first time a rule asks for it.
 */
#include "engine/rows/work.h"

#include <inttypes.h>
#include <string.h>

#include "engine/rows/own.h"

enum { BATCH = 512 };

static int64_t shown(int32_t value)
{
    return value == ALLOT_NONE ? ALLOT_AMOUNT_MAX : value;
}

/* The 32-bit column of that number; NULL: zero throughout. */
static const int32_t *narrow(const allot__work *work, const allot__rules *rules, int32_t column)
{
    switch (column) {
    case ALLOT_OWNED: /* as planned; for other sizes see allot__own */
    case ALLOT_CONFIGURED:
        return work->configured;
    case ALLOT_RESERVE:
        return work->reserve;
    case ALLOT_DEMAND:
        return work->demand;
    case ALLOT_NEED:
        return work->need;
    case ALLOT_ALLOCATED:
        return work->allocated;
    case ALLOT_IN_FLIGHT:
        return work->in_flight;
    case ALLOT_QUOTA:
        return work->quota;
    case ALLOT_RECEIVED:
        return work->received;
    case ALLOT_OVER:
        return work->over;
    default:
        if (column >= ALLOT_COLUMN_COUNT)
            return work->group->columns[rules->attribute_column[column - ALLOT_COLUMN_COUNT]];
        return column < ALLOT_PLAN_COLUMNS ? work->group->columns[column] : NULL;
    }
}

/* The sum that a parent has in that column; false: its entry is like a leaf's. */
static bool wide(const allot__sums *sums, int32_t column, int64_t *out)
{
    switch (column) {
    case ALLOT_DEMAND:
        *out = sums->demand;
        return true;
    case ALLOT_NEED:
        *out = sums->need;
        return true;
    case ALLOT_ALLOCATED:
        *out = sums->allocated;
        return true;
    case ALLOT_IN_FLIGHT:
        *out = sums->in_flight;
        return true;
    case ALLOT_OVER:
        *out = sums->over_left;
        return true;
    default:
        return false;
    }
}

int64_t allot__value(const allot__work *work, const allot__rules *rules, int32_t column,
                     int32_t row)
{
    int32_t family = allot__family_of(work, row);
    int64_t value;
    if (family != 0 && wide(&work->sums[family], column, &value))
        return value;
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

/* One batch: the function's columns widened into `room`, then the call. */
static int compute_batch(allot__work *work, const allot__rules *rules, int32_t index, int32_t first,
                         int32_t count, int64_t *room, int64_t *out)
{
    const allot__function *function =
        &((const allot__function *)rules->policy->functions.items)[index];
    const int64_t *columns[ALLOT_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX];
    int32_t consumers[BATCH];
    for (int32_t i = 0; i < function->count; i++) {
        allot__values(work, rules, function->columns[i], first, count, room + (size_t)i * BATCH);
        columns[i] = room + (size_t)i * BATCH;
    }
    for (int32_t i = 0; i < count; i++)
        consumers[i] = allot__handle(work, first + i);
    allot_batch batch = {.count = count,
                         .columns = columns,
                         .consumers = consumers,
                         .plan = work->plan,
                         .group = work->index};
    const allot_provider *provider = &rules->policy->provider;
    return provider->compute(provider->ud, index, &batch, out, work->report);
}

int allot__function_values(allot__work *work, allot__rules *rules, int32_t function,
                           const int64_t **out)
{
    if (rules->function_values[function]) {
        *out = rules->function_values[function];
        return ALLOT_OK;
    }
    const allot__function *of =
        &((const allot__function *)rules->policy->functions.items)[function];
    int32_t rows = work->tree->rows;
    int64_t *values = allot__arena_take(work->arena, (size_t)rows + 1, sizeof *values);
    int64_t *room = allot__arena_take(work->arena, (size_t)(of->count + 1) * BATCH, sizeof *room);
    if (!values || !room)
        return ALLOT_ENOMEM;
    for (int32_t first = 0; first < rows; first += BATCH) {
        int32_t count = rows - first < BATCH ? rows - first : BATCH;
        int status = compute_batch(work, rules, function, first, count, room, values + first);
        if (status != ALLOT_OK)
            return status;
    }
    rules->function_values[function] = values;
    *out = values;
    return ALLOT_OK;
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
        int64_t value = 0;
        if (wide(&work->sums[family], column, &value) && value > ALLOT_AMOUNT_MAX) {
            return not_an_amount(work, rules, work->group->parent[family], value,
                                 allot_column_name(column));
        }
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
