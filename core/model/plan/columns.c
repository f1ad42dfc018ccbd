/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* columns.c: values that a plan states of its consumers, before it is sealed. */
#include <string.h>

#include "model/plan/plan.h"

int32_t allot__column_index(const allot_plan *plan, int32_t column)
{
    if (column >= ALLOT_COLUMN_COUNT)
        column += ALLOT_PLAN_COLUMNS - ALLOT_COLUMN_COUNT;
    else if (column >= ALLOT_PLAN_COLUMNS)
        return -1;
    return column >= 0 && column < plan->column_count ? column : -1;
}

int32_t allot__column_number(int32_t index)
{
    return index < ALLOT_PLAN_COLUMNS ? index : index - ALLOT_PLAN_COLUMNS + ALLOT_COLUMN_COUNT;
}

int32_t allot_plan_columns(const allot_plan *plan)
{
    return plan ? plan->column_count : 0;
}

int32_t allot_plan_column_at(const allot_plan *plan, int32_t i, allot_attribute *out)
{
    if (i < 0 || i >= allot_plan_columns(plan) || !out)
        return -1;
    if (i >= ALLOT_PLAN_COLUMNS) {
        *out = ((const allot_attribute *)plan->attributes.items)[i - ALLOT_PLAN_COLUMNS];
        return allot__column_number(i);
    }
    bool flag = allot_rows_column_flag(ALLOT_CONSUMERS, i);
    *out = (allot_attribute){.name = allot_column_name(i),
                             .type = flag ? ALLOT_BOOLEAN : ALLOT_INTEGER,
                             .max = flag ? 1 : ALLOT_AMOUNT_MAX,
                             .fallback = i == ALLOT_LIMIT                           ? ALLOT_NONE
                                         : i == ALLOT_SHARE || i == ALLOT_REBALANCE ? 1
                                                                                    : 0,
                             .doc = allot_column_doc(i)};
    return i;
}

int32_t allot_plan_column(const allot_plan *plan, const char *name, size_t len)
{
    if (!plan || !name)
        return -1;
    int32_t column = allot_column_find(name, len);
    if (column >= 0)
        return column < ALLOT_PLAN_COLUMNS ? column : -1;
    int32_t found =
        allot__attribute_find(plan->attributes.items, (int32_t)plan->attributes.count, name, len);
    return found < 0 ? -1 : ALLOT_COLUMN_COUNT + found;
}

void allot__stated_free(allot_engine *engine, allot__group *group)
{
    allot__column *columns = group->stated.items;
    for (size_t i = 0; i < group->stated.count; i++)
        allot__free(engine, columns[i].values, columns[i].capacity, sizeof *columns[i].values);
    allot__vector_free(engine, &group->stated);
}

int allot__column_check(const allot_plan *plan, int32_t column, int64_t value)
{
    int32_t index = allot__column_index(plan, column);
    allot_attribute bounds;
    if (index < 0 || allot_plan_column_at(plan, index, &bounds) < 0)
        return ALLOT_EUSAGE;
    bool allowed = value >= bounds.min && value <= bounds.max;
    return allowed || value == bounds.fallback ? ALLOT_OK : ALLOT_ERANGE;
}

/* ---- Attributes of tasks --------------------------------------------------------------------- */

int32_t allot__task_attribute_of(const allot_plan *plan, const allot_policy *policy, int32_t i)
{
    const char *name = policy->task_attributes[i].name;
    return allot__attribute_find(plan->task_attributes.items, (int32_t)plan->task_attributes.count,
                                 name, strlen(name));
}

int32_t allot_plan_task_attributes(const allot_plan *plan)
{
    return plan ? (int32_t)plan->task_attributes.count : 0;
}

int allot_plan_task_attribute_at(const allot_plan *plan, int32_t i, allot_attribute *out)
{
    if (!out || i < 0 || i >= allot_plan_task_attributes(plan))
        return ALLOT_EUSAGE;
    *out = ((const allot_attribute *)plan->task_attributes.items)[i];
    return ALLOT_OK;
}
