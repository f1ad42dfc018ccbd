/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* source.c: the sources from which a rule may read its numbers. */
#include "model/policy/policy.h"

int32_t allot__column_count(const allot_policy *policy, allot_rows rows)
{
    switch (rows) {
    case ALLOT_CONSUMERS:
        return ALLOT_COLUMN_COUNT + policy->attribute_count;
    case ALLOT_TASKS:
        return ALLOT_TASK_COLUMN_COUNT + policy->task_attribute_count;
    case ALLOT_SESSIONS:
        return ALLOT_SESSION_COLUMN_COUNT;
    case ALLOT_QUEUES:
        return ALLOT_QUEUE_COLUMN_COUNT;
    case ALLOT_LEASES:
        return ALLOT_LEASE_COLUMN_COUNT;
    case ALLOT_HOSTS:
        return 0;
    }
    return -1;
}

static bool column_valid(const allot_policy *policy, allot_rows rows, int32_t column, int32_t last)
{
    if (rows != ALLOT_CONSUMERS)
        return column >= 0 && column < allot__column_count(policy, rows);
    return (column >= 0 && column <= last) ||
           (column >= ALLOT_COLUMN_COUNT && column < ALLOT_COLUMN_COUNT + policy->attribute_count);
}

static bool function_valid(const allot_policy *policy, allot_rows rows, int32_t function,
                           int32_t last)
{
    if (function < 0 || (size_t)function >= policy->functions.count)
        return false;
    const allot__function *it = (const allot__function *)policy->functions.items + function;
    if (it->rows != rows)
        return false;
    for (int32_t i = 0; i < it->count; i++)
        if (!column_valid(policy, rows, it->columns[i], last))
            return false;
    return true;
}

bool allot__source_valid(const allot_policy *policy, allot_rows rows, allot_source source,
                         int32_t last)
{
    switch (source.kind) {
    case ALLOT_FROM_NEED:
    case ALLOT_FROM_PART:
    case ALLOT_FROM_HELD:
        return false;
    case ALLOT_FROM_NUMBER:
        return source.value >= 0 && source.value <= ALLOT_AMOUNT_MAX;
    case ALLOT_FROM_COLUMN:
        return column_valid(policy, rows, source.value, last);
    case ALLOT_FROM_FUNCTION:
        return function_valid(policy, rows, source.value, last);
    }
    return false;
}

bool allot__order_make(const allot_policy *policy, allot_rows rows, const allot_key *keys,
                       int32_t n, int32_t last, allot__order *out)
{
    if (n < 0 || n > ALLOT_KEYS_MAX || (n > 0 && !keys))
        return false;
    allot__order order = {.count = n};
    for (int32_t i = 0; i < n; i++) {
        if (!allot__source_valid(policy, rows, keys[i].source, last))
            return false;
        order.keys[i] = keys[i];
        order.keys[i].descending = keys[i].descending != 0;
    }
    *out = order;
    return true;
}
