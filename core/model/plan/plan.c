/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan.c: building a plan: groups, their policies and options, and consumers.
 *
 * This file owns: the life of struct allot_plan.
 */
#include "model/plan/plan.h"

#include <string.h>

#include "model/jobs/queue.h"
#include "model/windows/window.h"

static const struct {
    int64_t min, max, fallback;
} options[] = {
#define OPTION(name, text, min, max, fallback) {min, max, fallback},
    ALLOT_OPTION_MAP(OPTION)
#undef OPTION
};

int allot_plan_new(allot_engine *engine, allot_plan **out)
{
    if (!engine || !out)
        return ALLOT_EUSAGE;
    allot_plan *plan = allot__new(engine, 1, sizeof *plan);
    if (!plan)
        return ALLOT_ENOMEM;
    plan->engine = engine;
    plan->column_count = ALLOT_PLAN_COLUMNS;
    plan->build = allot__new(engine, 1, sizeof *plan->build);
    plan->names = allot__new(engine, 1, sizeof *plan->names);
    if (!plan->build || !plan->names) {
        allot_plan_free(plan);
        return ALLOT_ENOMEM;
    }
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++)
        plan->build->options[i] = options[i].fallback;
    *out = plan;
    return ALLOT_OK;
}

static void group_free(allot_plan *plan, allot__group *group)
{
    allot__stated_free(plan->engine, group);
    allot__layout_free(plan, group);
    allot__peers_free(plan->engine, &group->lend);
    allot__peers_free(plan->engine, &group->borrow);
    allot_policy_free(group->policy);
    allot__free_string(plan->engine, group->name);
}

void allot_plan_free(allot_plan *plan)
{
    if (!plan || plan->base)
        return;
    allot_engine *engine = plan->engine;
    allot__editions_free(plan);
    allot__relation_free(plan);
    allot__queues_free(plan);
    allot__windows_free(plan);
    for (int32_t i = 0; i < plan->group_count; i++)
        group_free(plan, &plan->groups[i]);
    allot__vector_free(engine, &plan->group_list);
    allot__build_free(plan);
    allot_attribute *attributes = plan->attributes.items;
    for (size_t i = 0; i < plan->attributes.count; i++)
        allot__attribute_free(engine, &attributes[i]);
    allot__vector_free(engine, &plan->attributes);
    allot__task_attributes_cut(plan, 0);
    allot__hosts_free(engine, &plan->hosts);
    allot__requires_free(plan);
    allot__branch *branches = plan->branches.items;
    for (size_t i = 0; i < plan->branches.count; i++)
        allot_policy_free(branches[i].policy);
    allot__vector_free(engine, &plan->branches);
    allot__tree_free(engine, &plan->tree);
    if (plan->names)
        allot__names_free(engine, plan->names);
    allot__free(engine, plan->names, 1, sizeof *plan->names);
    allot__free(engine, plan, 1, sizeof *plan);
}

void allot__build_free(allot_plan *plan)
{
    if (!plan->build)
        return;
    allot_policy_free(plan->build->policy);
    allot__free(plan->engine, plan->build, 1, sizeof *plan->build);
    plan->build = NULL;
}

/* Puts a policy in the place of another, each with its hold. */
static void hold(allot_policy **place, allot_policy *policy)
{
    if (policy)
        policy->holds++;
    allot_policy_free(*place);
    *place = policy;
}

static int add_group(allot_plan *plan, const char *name)
{
    char *copy = allot__copy(plan->engine, name, strlen(name));
    if (!copy)
        return ALLOT_ENOMEM;
    allot__group *group = allot__push(plan->engine, &plan->group_list, sizeof *group);
    if (!group) {
        allot__free_string(plan->engine, copy);
        return ALLOT_ENOMEM;
    }
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

void allot__plan_unimply(allot_plan *plan)
{
    group_free(plan, &plan->groups[0]);
    plan->group_list.count = 0;
    plan->group_count = 0;
    plan->build->implied = false;
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

/* Makes columns of the policy's attributes; those that are there already must be the same. */
static int adopt_attributes(allot_plan *plan, const allot_policy *policy)
{
    for (int32_t i = 0; i < policy->attribute_count; i++) {
        const allot_attribute *it = &policy->attributes[i];
        int32_t column = allot_plan_column(plan, it->name, strlen(it->name));
        if (column < 0) {
            allot_attribute copy;
            if (allot__attribute_copy(plan->engine, it, &copy))
                return ALLOT_ENOMEM;
            allot_attribute *added = allot__push(plan->engine, &plan->attributes, sizeof *added);
            if (!added) {
                allot__attribute_free(plan->engine, &copy);
                return ALLOT_ENOMEM;
            }
            *added = copy;
            continue;
        }
        const allot_attribute *known =
            (const allot_attribute *)plan->attributes.items + (column - ALLOT_COLUMN_COUNT);
        if (!allot__attribute_same(known, it))
            return ALLOT_EUSAGE;
    }
    return ALLOT_OK;
}

int allot__plan_adopt(allot_plan *plan, allot_policy *policy)
{
    if (!policy || policy->engine != plan->engine ||
        (policy->functions.count > 0 && !policy->provider.compute) ||
        (policy->preempts >= 0 && !policy->provider.relate))
        return ALLOT_EUSAGE;
    size_t before = plan->attributes.count, tasks = plan->task_attributes.count;
    int status = adopt_attributes(plan, policy);
    if (status == ALLOT_OK)
        status = allot__task_attributes_adopt(plan, policy);
    if (status == ALLOT_OK)
        status = allot__policy_complete(policy);
    while (status && plan->attributes.count > before) {
        allot_attribute *items = plan->attributes.items;
        allot__attribute_free(plan->engine, &items[--plan->attributes.count]);
    }
    plan->column_count = ALLOT_PLAN_COLUMNS + (int32_t)plan->attributes.count;
    if (status)
        allot__task_attributes_cut(plan, tasks);
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

int allot__option_check(int option, int64_t value)
{
    if (option < 0 || option >= ALLOT_OPTION_COUNT)
        return ALLOT_EUSAGE;
    bool allowed = value >= options[option].min && value <= options[option].max;
    return allowed ? ALLOT_OK : ALLOT_ERANGE;
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
    if (!allot__name_valid(name, len))
        return ALLOT_ENAME;
    if (allot__names_find(plan->names, parent, name, len) >= 0)
        return ALLOT_EEXIST;
    int status = allot__names_add(plan->engine, plan->names, parent, name, len);
    if (status == ALLOT_OK)
        *out = plan->names->count - 1;
    return status;
}
