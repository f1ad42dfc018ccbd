/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule_tasks.c: a policy's rules about tasks, sessions and hosts. */
#include <string.h>

#include "base/name.h"
#include "base/getter.h"
#include "model/policy/policy.h"

/* Is it a key of tasks in documents, so that no attribute can have its name? */
static bool is_task_key(const char *name)
{
    static const char *const keys[] = {"id", "consumer", "group", "session", "slot", "tags"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], name) == 0)
            return true;
    return allot_rows_column_find(ALLOT_TASKS, name, strlen(name)) >= 0;
}

int allot_policy_task_attribute(allot_policy *policy, const allot_attribute *attribute)
{
    if (!allot__policy_open(policy) || !attribute)
        return ALLOT_EUSAGE;
    int status = allot__attribute_check(attribute);
    if (status)
        return status;
    allot_attribute *list = policy->task_attributes;
    const char *name = attribute->name;
    if (is_task_key(name) ||
        allot__attribute_find(list, policy->task_attribute_count, name, strlen(name)) >= 0)
        return ALLOT_EEXIST;
    return allot__attribute_declare(policy, attribute, list, &policy->task_attribute_count);
}

ALLOT__GETTER(int32_t, allot_policy_task_attributes, allot_policy, it->task_attribute_count, 0)

const allot_attribute *allot_policy_task_attribute_at(const allot_policy *policy, int32_t i)
{
    return i >= 0 && i < allot_policy_task_attributes(policy) ? &policy->task_attributes[i] : NULL;
}

int allot_policy_victims(allot_policy *policy, const allot_key *keys, int32_t n)
{
    if (!allot__policy_open(policy) ||
        !allot__order_make(policy, ALLOT_TASKS, keys, n, 0, &policy->victims))
        return ALLOT_EUSAGE;
    policy->victims_given = true;
    return ALLOT_OK;
}

static bool guard_named(const allot_policy *policy, const char *label)
{
    const allot__guard *guards = policy->guards.items;
    for (size_t i = 0; i < policy->guards.count; i++)
        if (strcmp(guards[i].label, label) == 0)
            return true;
    return false;
}

static bool order_reads(const allot__order *order, int32_t column)
{
    bool reads = false;
    for (int32_t i = 0; i < order->count; i++)
        reads = reads || (order->keys[i].source.kind == ALLOT_FROM_COLUMN &&
                          order->keys[i].source.value == column);
    return reads;
}

bool allot__policy_reads_task(const allot_policy *policy, int32_t column)
{
    const allot__function *functions = policy->functions.items;
    const allot__guard *guards = policy->guards.items;
    bool reads = order_reads(&policy->dispatch, column) || order_reads(&policy->victims, column);
    for (size_t i = 0; i < policy->functions.count; i++)
        for (int32_t k = 0; k < functions[i].count; k++)
            reads =
                reads || (functions[i].rows == ALLOT_TASKS && functions[i].columns[k] == column);
    for (size_t i = 0; i < policy->guards.count; i++)
        reads =
            reads || (guards[i].value.kind == ALLOT_FROM_COLUMN && guards[i].value.value == column);
    return reads;
}

bool allot__policy_by_claimant(const allot_policy *policy)
{
    const allot__guard *guards = policy->guards.items;
    bool reads = false;
    for (int32_t i = 0; i < policy->victims.count; i++)
        reads = reads || allot__of_claimant(policy, policy->victims.keys[i].source);
    for (size_t i = 0; i < policy->guards.count; i++)
        reads = reads || allot__of_claimant(policy, guards[i].value);
    return reads;
}

int allot_policy_claimant(allot_policy *policy, int32_t function)
{
    if (!allot__policy_divides(policy) || allot__policy_ledger(policy) ||
        policy->switches[ALLOT_SWITCH_ACROSS] || function < 0 ||
        (size_t)function >= policy->functions.count)
        return ALLOT_EUSAGE;
    allot__function *it = (allot__function *)policy->functions.items + function;
    if (it->rows != ALLOT_TASKS)
        return ALLOT_EUSAGE;
    it->claimant = true;
    policy->divides = true;
    return ALLOT_OK;
}

int allot_policy_inside(allot_policy *policy, allot_source test)
{
    if (!allot__policy_divides(policy))
        return ALLOT_EUSAGE;
    if (test.kind == ALLOT_FROM_COLUMN && !allot_task_column_waits(test.value))
        return ALLOT_EUSAGE;
    policy->divides = true;
    return allot__tests_add(policy, ALLOT_TASKS, test, 0, &policy->inside);
}

int allot_policy_guard(allot_policy *policy, const char *label, allot_source value, int64_t min,
                       int64_t max)
{
    if (!allot__policy_open(policy) || !allot__source_valid(policy, ALLOT_TASKS, value, 0) ||
        policy->guards.count == ALLOT_GUARDS_MAX)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(label))
        return ALLOT_ENAME;
    if (guard_named(policy, label))
        return ALLOT_EEXIST;
    const char *copy = allot__pool_copy(policy->engine, &policy->pool, label);
    allot__guard *added = copy ? allot__push(policy->engine, &policy->guards, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    *added = (allot__guard){copy, value, min, max};
    return ALLOT_OK;
}

static bool session_amount(const allot_policy *policy, allot_source source)
{
    return allot__source_valid(policy, ALLOT_SESSIONS, source, 0) &&
           (source.kind != ALLOT_FROM_COLUMN || source.value != ALLOT_SESSION_CREATED);
}

int allot_policy_session_fill(allot_policy *policy, allot_scheduling scheduling, allot_source by,
                              allot_source up_to, const allot_key *keys, int32_t n)
{
    allot__session_fill fill = {.by = by, .up_to = up_to};
    if (!allot__policy_divides(policy) || (int)scheduling < 0 ||
        scheduling >= ALLOT_SCHEDULING_COUNT || !session_amount(policy, by) ||
        (up_to.kind != ALLOT_FROM_NEED && !session_amount(policy, up_to)) ||
        !allot__order_make(policy, ALLOT_SESSIONS, keys, n, 0, &fill.order) ||
        policy->session_fills[scheduling].count == ALLOT_FILLS_MAX)
        return ALLOT_EUSAGE;
    allot__session_fill *added =
        allot__push(policy->engine, &policy->session_fills[scheduling], sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = fill;
    policy->divides = true;
    return ALLOT_OK;
}

int allot_policy_requirement(allot_policy *policy, const char *name, int32_t function)
{
    allot_source source = {ALLOT_FROM_FUNCTION, function};
    if (!allot__policy_open(policy) || !allot__source_valid(policy, ALLOT_HOSTS, source, 0) ||
        policy->requirements.count == ALLOT_REQUIREMENTS_MAX)
        return ALLOT_EUSAGE;
    if (!name || !allot__name_valid(name, strlen(name)))
        return ALLOT_ENAME;
    if (allot__requirement_find(policy, name) >= 0)
        return ALLOT_EEXIST;
    const char *copy = allot__pool_copy(policy->engine, &policy->pool, name);
    allot__requirement *added =
        copy ? allot__push(policy->engine, &policy->requirements, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    *added = (allot__requirement){copy, function};
    return ALLOT_OK;
}

int32_t allot__requirement_find(const allot_policy *policy, const char *name)
{
    const allot__requirement *requirements = policy->requirements.items;
    for (size_t i = 0; i < policy->requirements.count; i++)
        if (strcmp(requirements[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}
