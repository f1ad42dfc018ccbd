/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * policy.c: what a policy declares: its attributes, functions and provider.
 *
 * This file owns: the life of struct allot_policy.
 */
#include "model/policy/policy.h"

#include <string.h>

#include "base/name.h"

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
    policy->name = allot__copy(engine, name, strlen(name));
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

static void function_free(allot_engine *engine, allot__function *function)
{
    allot__free(engine, function->columns, (size_t)function->count, sizeof *function->columns);
}

void allot_policy_free(allot_policy *policy)
{
    if (!policy || --policy->holds > 0)
        return;
    allot_engine *engine = policy->engine;
    if (policy->provider.release)
        policy->provider.release(policy->provider.ud);
    for (int32_t i = 0; i < policy->attribute_count; i++)
        allot__attribute_free(engine, &policy->attributes[i]);
    allot__function *functions = policy->functions.items;
    for (size_t i = 0; i < policy->functions.count; i++)
        function_free(engine, &functions[i]);
    allot__vector_free(engine, &policy->functions);
    allot__policy_tasks_free(policy);
    for (int32_t i = 0; i < policy->fill_count; i++)
        allot__free_string(engine, policy->fills[i].label);
    allot__free_string(engine, policy->name);
    allot__free(engine, policy, 1, sizeof *policy);
}

static bool attribute_named(const allot_policy *policy, const char *name)
{
    for (int32_t i = 0; i < policy->attribute_count; i++)
        if (strcmp(policy->attributes[i].name, name) == 0)
            return true;
    return false;
}

int allot_policy_attribute(allot_policy *policy, const allot_attribute *attribute)
{
    if (!allot__policy_open(policy) || !attribute)
        return ALLOT_EUSAGE;
    int status = attribute->type == ALLOT_TAG ? ALLOT_EUSAGE : allot__attribute_check(attribute);
    if (status == ALLOT_EUSAGE || status == ALLOT_ENAME)
        return status;
    const char *name = attribute->name;
    if (allot_column_find(name, strlen(name)) >= 0 || attribute_named(policy, name))
        return ALLOT_EEXIST;
    if (status)
        return status;
    if (policy->attribute_count == ALLOT_ATTRIBUTES_MAX)
        return ALLOT_EUSAGE;
    status = allot__attribute_copy(policy->engine, attribute,
                                   &policy->attributes[policy->attribute_count]);
    policy->attribute_count += status == ALLOT_OK;
    return status;
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

static bool within(int32_t value, int32_t min, int32_t max)
{
    return value >= min && value <= max;
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
        function.columns = allot__new(policy->engine, (size_t)n, sizeof *columns);
        if (!function.columns)
            return ALLOT_ENOMEM;
        memcpy(function.columns, columns, (size_t)n * sizeof *columns);
    }
    allot__function *added = allot__push(policy->engine, &policy->functions, sizeof *added);
    if (!added) {
        function_free(policy->engine, &function);
        return ALLOT_ENOMEM;
    }
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
