/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.c: building a plan: groups, their policies and options, consumers, and who lends to whom. */
#include "model/plan/plan.h"

#include <string.h>

#include "model/names/names.h"

/* Replaces a policy by another, and moves the reference. */
static void hold(allot_policy **place, allot_policy *policy)
{
    if (policy)
        policy->holds++;
    allot_policy_free(*place);
    *place = policy;
}

static int add_group(allot_plan *plan, const char *name)
{
    const char *copy = allot__pool_copy(plan->engine, &plan->pool, name);
    allot__group *group = copy ? allot__push(plan->engine, &plan->group_list, sizeof *group) : NULL;
    if (!group)
        return ALLOT_ENOMEM;
    plan->groups = plan->group_list.items;
    plan->group_count = (int32_t)plan->group_list.count;
    group->name = copy;
    hold(&group->policy, plan->build->policy);
    memcpy(group->options, plan->build->options, sizeof group->options);
    group->options_set = plan->build->options_set;
    return ALLOT_OK;
}

int allot__plan_imply(allot_plan *plan)
{
    int status = add_group(plan, "default");
    plan->build->implied = status == ALLOT_OK;
    return status;
}

int allot_plan_group(allot_plan *plan, const char *name, int32_t *out)
{
    if (!plan || plan->sealed || !out || plan->build->stated || plan->build->implied ||
        plan->group_count == INT32_MAX)
        return ALLOT_EUSAGE;
    if (!name || !allot__name_valid(name, strlen(name)))
        return ALLOT_ENAME;
    if (allot_plan_group_find(plan, name, strlen(name)) >= 0)
        return ALLOT_EEXIST;
    int status = add_group(plan, name);
    if (status == ALLOT_OK)
        *out = plan->group_count - 1;
    return status;
}

int allot__plan_range(allot_plan *plan, int32_t group, int32_t *from, int32_t *to)
{
    if (!plan || plan->sealed)
        return ALLOT_EUSAGE;
    if (plan->group_count == 0 && group == 0) {
        int status = allot__plan_imply(plan);
        if (status)
            return status;
    }
    if (group != ALLOT_ALL && (group < 0 || group >= plan->group_count))
        return ALLOT_EUSAGE;
    *from = group == ALLOT_ALL ? 0 : group;
    *to = group == ALLOT_ALL ? plan->group_count : group + 1;
    return ALLOT_OK;
}

int allot_plan_slots(allot_plan *plan, int32_t group, int64_t slots)
{
    if (slots < 0 || slots > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    int32_t from, to;
    int status = group == ALLOT_ALL ? ALLOT_EUSAGE : allot__plan_range(plan, group, &from, &to);
    if (status)
        return status;
    plan->groups[from].slots = slots;
    plan->groups[from].slots_set = true;
    return ALLOT_OK;
}

int allot_plan_decay(allot_plan *plan, const allot_decay *decay)
{
    if (!plan || plan->sealed || !decay)
        return ALLOT_EUSAGE;
    if (decay->period < 0 || decay->parts < 2)
        return ALLOT_ERANGE;
    plan->decay = *decay;
    return ALLOT_OK;
}

/* Adds a policy's attributes to those of the plan; attributes of the same name must be equal. */
static int adopt(allot_plan *plan, allot__vector *known, const allot_attribute *list, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const allot_attribute *it = &list[i];
        int32_t found =
            allot__attribute_find(known->items, (int32_t)known->count, it->name, strlen(it->name));
        if (found >= 0 && !allot__attribute_same((allot_attribute *)known->items + found, it))
            return ALLOT_EUSAGE;
        if (found >= 0)
            continue;
        allot_attribute *added = allot__push(plan->engine, known, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        if (allot__attribute_copy(plan->engine, &plan->pool, it, added)) {
            known->count--;
            return ALLOT_ENOMEM;
        }
    }
    return ALLOT_OK;
}

int allot__plan_adopt(allot_plan *plan, allot_policy *policy)
{
    if (!policy || policy->engine != plan->engine ||
        (policy->functions.count > 0 && !policy->provider.compute) ||
        (allot__policy_asks(policy) >= 0 && !policy->provider.relate))
        return ALLOT_EUSAGE;
    size_t before = plan->attributes.count, tasks = plan->task_attributes.count;
    int status = adopt(plan, &plan->attributes, policy->attributes, policy->attribute_count);
    if (status == ALLOT_OK)
        status = adopt(plan, &plan->task_attributes, policy->task_attributes,
                       policy->task_attribute_count);
    if (status == ALLOT_OK)
        status = allot__policy_complete(policy);
    if (status) {
        plan->attributes.count = before;
        plan->task_attributes.count = tasks;
    }
    plan->column_count = ALLOT_PLAN_COLUMNS + (int32_t)plan->attributes.count;
    plan->users_counted =
        plan->users_counted ||
        (status == ALLOT_OK && allot__policy_reads_task(policy, ALLOT_TASK_USAGE));
    return status;
}

int allot_plan_policy(allot_plan *plan, int32_t group, allot_policy *policy)
{
    if (!plan || plan->sealed)
        return ALLOT_EUSAGE;
    int32_t from, to;
    int status = allot__plan_range(plan, group, &from, &to);
    if (status == ALLOT_OK)
        status = allot__plan_adopt(plan, policy);
    if (status)
        return status;
    for (int32_t i = from; i < to; i++)
        hold(&plan->groups[i].policy, policy);
    if (group == ALLOT_ALL)
        hold(&plan->build->policy, policy);
    return ALLOT_OK;
}

int allot_plan_option(allot_plan *plan, int32_t group, allot_option option, int64_t value)
{
    int32_t from, to;
    int status = allot__option_check(option, value);
    if (status == ALLOT_OK)
        status = allot__plan_range(plan, group, &from, &to);
    if (status)
        return status;
    for (int32_t i = from; i < to; i++) {
        plan->groups[i].options[option] = value;
        plan->groups[i].options_set |= UINT32_C(1) << option;
    }
    if (group == ALLOT_ALL) {
        plan->build->options[option] = value;
        plan->build->options_set |= UINT32_C(1) << option;
    }
    return ALLOT_OK;
}

int allot_plan_add(allot_plan *plan, int32_t parent, const char *name, size_t len, int32_t *out)
{
    if (!plan || plan->sealed || !out || parent < ALLOT_ROOT || parent >= plan->names->count)
        return ALLOT_EUSAGE;
    bool wild = len == sizeof ALLOT_WILDCARD - 1 && name && *name == *ALLOT_WILDCARD;
    if (!wild && !allot__name_valid(name, len))
        return ALLOT_ENAME;
    if (allot__names_find(plan->names, parent, name, len) >= 0)
        return ALLOT_EEXIST;
    int status = allot__names_add(plan->engine, plan->names, parent, name, len);
    if (status == ALLOT_OK)
        *out = plan->names->count - 1;
    return status;
}

/* Where a group keeps a stated value of a consumer; NULL: out of memory. */
static int32_t *cell(allot_engine *engine, allot__group *group, int32_t index, int32_t consumer)
{
    while (group->stated.count <= (size_t)index)
        if (!allot__push(engine, &group->stated, sizeof(allot__column)))
            return NULL;
    allot__column *column = (allot__column *)group->stated.items + index;
    size_t before = column->capacity;
    int32_t *values = allot__grow(engine, column->values, &column->capacity, (size_t)consumer + 1,
                                  sizeof *values);
    if (!values)
        return NULL;
    column->values = values;
    for (size_t i = before; i < column->capacity; i++)
        values[i] = allot__unset;
    return &values[consumer];
}

int allot_plan_set(allot_plan *plan, int32_t group, int32_t consumer, int32_t column, int64_t value)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count)
        return ALLOT_EUSAGE;
    int32_t index = allot__column_index(plan, column), from, to;
    int status = allot__column_check(plan, column, value);
    if (plan->group_count == 0 && group == ALLOT_ALL)
        group = 0;
    if (status == ALLOT_OK)
        status = allot__plan_range(plan, group, &from, &to);
    if (status)
        return status;
    for (int32_t i = from; i < to; i++)
        if (!cell(plan->engine, &plan->groups[i], index, consumer))
            return ALLOT_ENOMEM;
    for (int32_t i = from; i < to; i++)
        *cell(plan->engine, &plan->groups[i], index, consumer) = (int32_t)value;
    plan->build->stated = true;
    return ALLOT_OK;
}

/* ---- Peers (E-2) ----------------------------------------------------------------------------- */

int allot__peers_add(allot_plan *plan, allot__vector *peers, int32_t consumer, const int32_t *list,
                     int32_t n)
{
    size_t bytes = n > 0 ? (size_t)n * sizeof *list : 0;
    int32_t *copy = allot__pool_take(plan->engine, &plan->pool, bytes, sizeof *copy);
    allot__peers *added = copy ? allot__push(plan->engine, peers, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    if (bytes > 0)
        memcpy(copy, list, bytes);
    *added = (allot__peers){consumer, n < 0 ? -1 : n, copy};
    return ALLOT_OK;
}

bool allot__peers_valid(const allot_plan *plan, int32_t consumer, const int32_t *list, int32_t n)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count || (n > 0 && !list))
        return false;
    for (int32_t i = 0; i < n; i++)
        if (list[i] < 0 || list[i] >= plan->names->count || list[i] == consumer)
            return false;
    return true;
}

static int state_peers(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                       int32_t n, bool lend)
{
    int32_t from, to;
    if (!allot__peers_valid(plan, consumer, list, n))
        return ALLOT_EUSAGE;
    if (plan->group_count == 0 && group == ALLOT_ALL)
        group = 0;
    int status = allot__plan_range(plan, group, &from, &to);
    for (int32_t i = from; status == ALLOT_OK && i < to; i++) {
        allot__group *it = &plan->groups[i];
        status = allot__peers_add(plan, lend ? &it->lend : &it->borrow, consumer, list, n);
        while (status && i-- > from)
            (lend ? &plan->groups[i].lend : &plan->groups[i].borrow)->count--;
    }
    if (status == ALLOT_OK)
        plan->build->stated = true;
    return status;
}

int allot_plan_lend(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                    int32_t n)
{
    return state_peers(plan, group, consumer, list, n, true);
}

int allot_plan_borrow(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                      int32_t n)
{
    return state_peers(plan, group, consumer, list, n, false);
}
