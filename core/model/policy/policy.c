/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * policy.c: what a policy declares: its attributes, functions and provider.
 *
 * This file owns: the life of struct allot_policy.
 */
#include "model/policy/policy.h"

#include <string.h>

#include "base/getter.h"
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
    policy->name = allot__pool_copy(engine, &policy->pool, name);
    if (!policy->name) {
        allot_policy_free(policy);
        return ALLOT_ENOMEM;
    }
    allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    allot_key worst_first = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 1};
    policy->distribute = (allot__order){{by_rank}, 1};
    policy->reclaim = (allot__order){{worst_first}, 1};
    policy->reserve = (allot_source){ALLOT_FROM_COLUMN, ALLOT_RESERVE};
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
        if (columns[i] < 0 || allot__summed(rows, columns[i]) >= most ||
            (rows == ALLOT_CONSUMERS && columns[i] == ALLOT_SUM_OF(ALLOT_PARENT_SLOTS)))
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

ALLOT__GETTER(const char *, allot_policy_name, allot_policy, it->name, NULL)
ALLOT__GETTER(const char *, allot_policy_sha256, allot_policy, it->digest, NULL)
ALLOT__GETTER(int32_t, allot_policy_attributes, allot_policy, it->attribute_count, 0)

const allot_attribute *allot_policy_attribute_at(const allot_policy *policy, int32_t i)
{
    return i >= 0 && i < allot_policy_attributes(policy) ? &policy->attributes[i] : NULL;
}

ALLOT__GETTER(int32_t, allot_policy_fills, allot_policy, it->fill_count, 0)

const char *allot_policy_fill_label(const allot_policy *policy, int32_t i)
{
    return i >= 0 && i < allot_policy_fills(policy) ? policy->fills[i].label : NULL;
}
