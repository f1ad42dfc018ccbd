/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* source.c: what rules read: attributes that policies declare, and sources of numbers. */
#include <string.h>

#include "base/name.h"
#include "model/policy/policy.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

int32_t allot__attribute_find(const allot_attribute *list, int32_t count, const char *name,
                              size_t len)
{
    for (int32_t i = 0; i < count; i++)
        if (strlen(list[i].name) == len && memcmp(list[i].name, name, len) == 0)
            return i;
    return -1;
}

int allot__attribute_copy(allot_engine *engine, allot__pool *pool, const allot_attribute *from,
                          allot_attribute *out)
{
    allot_attribute copy = *from;
    copy.name = allot__pool_copy(engine, pool, from->name);
    copy.doc = from->doc ? allot__pool_copy(engine, pool, from->doc) : NULL;
    if (!copy.name || (from->doc && !copy.doc))
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot__attribute_declare(allot_policy *policy, const allot_attribute *attribute,
                             allot_attribute *list, int32_t *count)
{
    if (*count == ALLOT_ATTRIBUTES_MAX)
        return ALLOT_EUSAGE;
    int status = allot__attribute_copy(policy->engine, &policy->pool, attribute, &list[*count]);
    *count += status == ALLOT_OK;
    return status;
}

bool allot__attribute_same(const allot_attribute *a, const allot_attribute *b)
{
    return a->type == b->type && a->min == b->min && a->max == b->max &&
           a->fallback == b->fallback; /* each policy decides whether it is a limit */
}

static bool within(int32_t value, int32_t min, int32_t max)
{
    return value >= min && value <= max;
}

static int check_bounds(const allot_attribute *attribute)
{
    int32_t min = attribute->min, max = attribute->max, fallback = attribute->fallback;
    if (attribute->limit < 0 || attribute->limit > ALLOT_MOST_PERCENT)
        return ALLOT_EUSAGE;
    if (attribute->limit && (attribute->type != ALLOT_INTEGER || min < 0))
        return ALLOT_EUSAGE;
    if (attribute->type == ALLOT_BOOLEAN || attribute->type == ALLOT_TAG)
        return min == 0 && max == 1 && within(fallback, 0, 1) ? ALLOT_OK : ALLOT_ERANGE;
    if (attribute->type != ALLOT_INTEGER)
        return ALLOT_EUSAGE;
    bool bounds = min <= max && min >= -ALLOT_AMOUNT_MAX && max <= ALLOT_AMOUNT_MAX;
    return bounds && (within(fallback, min, max) || fallback == ALLOT_NONE) ? ALLOT_OK
                                                                            : ALLOT_ERANGE;
}

int allot__attribute_check(const allot_attribute *attribute)
{
    const char *name = attribute->name;
    bool tag = attribute->type == ALLOT_TAG;
    if (!name || !allot__name_valid(name, strlen(name)) || (strchr(name, '-') && !tag))
        return ALLOT_ENAME;
    return check_bounds(attribute);
}

/* ---- Sources --------------------------------------------------------------------------------- */

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
        if (!column_valid(policy, rows, allot__summed(rows, it->columns[i]), last))
            return false;
    return true;
}

bool allot__source_valid(const allot_policy *policy, allot_rows rows, allot_source source,
                         int32_t last)
{
    switch (source.kind) {
    case ALLOT_FROM_NEED:
    case ALLOT_FROM_PERCENT:
    case ALLOT_FROM_PART:
    case ALLOT_FROM_HELD:
        return false;
    case ALLOT_FROM_NUMBER:
        return source.value >= 0 && source.value <= ALLOT_AMOUNT_MAX;
    case ALLOT_FROM_COLUMN:
        return column_valid(policy, rows, source.value, last) &&
               (rows != ALLOT_CONSUMERS || source.value != ALLOT_PARENT_SLOTS);
    case ALLOT_FROM_FUNCTION:
        return function_valid(policy, rows, source.value, last);
    }
    return false;
}

int allot__tests_add(const allot_policy *policy, allot_rows rows, allot_source test, int32_t last,
                     allot__tests *out)
{
    if (out->count == ALLOT_TESTS_MAX || test.kind == ALLOT_FROM_NUMBER ||
        !allot__source_valid(policy, rows, test, last) || allot__of_claimant(policy, test))
        return ALLOT_EUSAGE;
    out->list[out->count++] = test;
    return ALLOT_OK;
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
