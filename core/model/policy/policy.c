/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * policy.c: what a policy declares: its attributes, functions and provider; and the sources from
 * which a rule may read its numbers.
 *
 * This file owns: the life of struct allot_policy.
 */
#include "model/policy/policy.h"

#include <string.h>

#include "base/name.h"

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

/* ---- Policies -------------------------------------------------------------------------------- */

int allot_policy_new(allot_engine *engine, const char *name, allot_policy **out)
{
    if (!engine || !out)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    allot_policy *policy = allot__new(engine, 1, sizeof *policy);
    if (!policy)
        return ALLOT_ENOMEM;
    policy->engine = engine;
    policy->holds = 1;
    policy->name = allot__pool_copy(engine, &policy->pool, name);
    if (!policy->name) {
        allot_policy_free(policy);
        return ALLOT_ENOMEM;
    }
    allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    allot_key worst_first = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 1};
    policy->distribute = (allot__order){{by_rank}, 1};
    policy->reclaim = (allot__order){{worst_first}, 1};
    policy->reclaim_by = (allot_source){ALLOT_FROM_COLUMN, ALLOT_OVER};
    allot_key least_important = {{ALLOT_FROM_COLUMN, ALLOT_TASK_IMPORTANCE}, 0};
    allot_key least_run = {{ALLOT_FROM_COLUMN, ALLOT_TASK_RAN}, 0};
    policy->victims = (allot__order){{least_important, least_run}, 2};
    allot__policy_jobs_init(policy);
    *out = policy;
    return ALLOT_OK;
}

void allot_policy_free(allot_policy *policy)
{
    if (!policy || --policy->holds > 0)
        return;
    allot_engine *engine = policy->engine;
    if (policy->provider.release)
        policy->provider.release(policy->provider.ud);
    allot__vector_free(engine, &policy->functions);
    allot__vector_free(engine, &policy->guards);
    allot__vector_free(engine, &policy->requirements);
    for (int i = 0; i < ALLOT_SCHEDULING_COUNT; i++)
        allot__vector_free(engine, &policy->session_fills[i]);
    allot__pool_free(engine, &policy->pool);
    allot__free(engine, policy, 1, sizeof *policy);
}

int allot_policy_attribute(allot_policy *policy, const allot_attribute *attribute)
{
    if (!allot__policy_open(policy) || !attribute)
        return ALLOT_EUSAGE;
    int status = attribute->type == ALLOT_TAG ? ALLOT_EUSAGE : allot__attribute_check(attribute);
    if (status == ALLOT_EUSAGE || status == ALLOT_ENAME)
        return status;
    const char *name = attribute->name;
    size_t len = strlen(name);
    if (allot_column_find(name, len) >= 0 ||
        allot__attribute_find(policy->attributes, policy->attribute_count, name, len) >= 0)
        return ALLOT_EEXIST;
    if (status)
        return status;
    return allot__attribute_declare(policy, attribute, policy->attributes,
                                    &policy->attribute_count);
}

const allot_provider *allot_policy_provides(const allot_policy *policy)
{
    return policy && policy->provider.compute ? &policy->provider : NULL;
}

int allot_policy_provider(allot_policy *policy, const allot_provider *provider)
{
    if (!allot__policy_open(policy) || !provider || !provider->compute || policy->provider.compute)
        return ALLOT_EUSAGE;
    policy->provider = *provider;
    return ALLOT_OK;
}

int allot_policy_rows_function(allot_policy *policy, allot_rows rows, const int32_t *columns,
                               int32_t n, int32_t *out)
{
    int32_t most = allot__policy_open(policy) ? allot__column_count(policy, rows) : -1;
    if (most < 0 || !out || n < 0 || (n > 0 && !columns) || n > most)
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < n; i++)
        if (!within(columns[i], 0, most - 1))
            return ALLOT_EUSAGE;
    allot__function function = {.count = n, .rows = rows};
    if (n > 0) {
        function.columns = allot__pool_take(policy->engine, &policy->pool,
                                            (size_t)n * sizeof *columns, sizeof *columns);
        if (!function.columns)
            return ALLOT_ENOMEM;
        memcpy(function.columns, columns, (size_t)n * sizeof *columns);
    }
    allot__function *added = allot__push(policy->engine, &policy->functions, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = function;
    *out = (int32_t)policy->functions.count - 1;
    return ALLOT_OK;
}

int allot_policy_function(allot_policy *policy, const int32_t *columns, int32_t n, int32_t *out)
{
    return allot_policy_rows_function(policy, ALLOT_CONSUMERS, columns, n, out);
}

int allot_policy_digest(allot_policy *policy, const char *hex)
{
    if (!allot__policy_open(policy) || !hex)
        return ALLOT_EUSAGE;
    size_t len = strspn(hex, "0123456789abcdefABCDEF");
    if (hex[len] || (len != 0 && len != sizeof policy->digest - 1))
        return ALLOT_EUSAGE;
    memcpy(policy->digest, hex, len + 1);
    return ALLOT_OK;
}

const char *allot_policy_name(const allot_policy *policy)
{
    return policy ? policy->name : NULL;
}

const char *allot_policy_sha256(const allot_policy *policy)
{
    return policy ? policy->digest : NULL;
}

int32_t allot_policy_attributes(const allot_policy *policy)
{
    return policy ? policy->attribute_count : 0;
}

const allot_attribute *allot_policy_attribute_at(const allot_policy *policy, int32_t i)
{
    return i >= 0 && i < allot_policy_attributes(policy) ? &policy->attributes[i] : NULL;
}

int32_t allot_policy_fills(const allot_policy *policy)
{
    return policy ? policy->fill_count : 0;
}

const char *allot_policy_fill_label(const allot_policy *policy, int32_t i)
{
    return i >= 0 && i < allot_policy_fills(policy) ? policy->fills[i].label : NULL;
}
