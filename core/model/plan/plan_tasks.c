/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan_tasks.c: the attributes of tasks that a plan's policies declare. */
#include <string.h>

#include "model/plan/plan.h"

static int32_t find(const allot_plan *plan, const char *name)
{
    const allot_attribute *attributes = plan->task_attributes.items;
    for (size_t i = 0; i < plan->task_attributes.count; i++)
        if (strcmp(attributes[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

static int add(allot_plan *plan, const allot_attribute *attribute)
{
    allot_attribute copy;
    if (allot__attribute_copy(plan->engine, attribute, &copy))
        return ALLOT_ENOMEM;
    allot_attribute *added = allot__push(plan->engine, &plan->task_attributes, sizeof *added);
    if (!added) {
        allot__attribute_free(plan->engine, &copy);
        return ALLOT_ENOMEM;
    }
    *added = copy;
    return ALLOT_OK;
}

int allot__task_attributes_adopt(allot_plan *plan, const allot_policy *policy)
{
    for (int32_t i = 0; i < policy->task_attribute_count; i++) {
        const allot_attribute *it = &policy->task_attributes[i];
        int32_t known = find(plan, it->name);
        int status = ALLOT_OK;
        if (known < 0)
            status = add(plan, it);
        else if (!allot__attribute_same((allot_attribute *)plan->task_attributes.items + known, it))
            status = ALLOT_EUSAGE;
        if (status)
            return status;
    }
    return ALLOT_OK;
}

void allot__task_attributes_cut(allot_plan *plan, size_t count)
{
    allot_attribute *items = plan->task_attributes.items;
    while (plan->task_attributes.count > count)
        allot__attribute_free(plan->engine, &items[--plan->task_attributes.count]);
    if (count == 0)
        allot__vector_free(plan->engine, &plan->task_attributes);
}

int32_t allot__task_attribute_of(const allot_plan *plan, const allot_policy *policy, int32_t i)
{
    return find(plan, policy->task_attributes[i].name);
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
