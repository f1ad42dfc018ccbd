/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* getters.c: reading a plan. */
#include <string.h>

#include "model/plan/plan.h"

static const allot__group *group_at(const allot_plan *plan, int32_t group)
{
    return plan && group >= 0 && group < plan->group_count ? &plan->groups[group] : NULL;
}

static bool known(const allot_plan *plan, int32_t consumer)
{
    return plan && consumer >= 0 && consumer < plan->names->count;
}

allot_engine *allot_plan_engine(const allot_plan *plan)
{
    return plan ? plan->engine : NULL;
}

int32_t allot_plan_consumers(const allot_plan *plan)
{
    return plan ? plan->names->count : 0;
}

int32_t allot_plan_groups(const allot_plan *plan)
{
    return plan ? plan->group_count : 0;
}

const char *allot_plan_group_name(const allot_plan *plan, int32_t group)
{
    const allot__group *it = group_at(plan, group);
    return it ? it->name : NULL;
}

int32_t allot_plan_group_find(const allot_plan *plan, const char *name, size_t len)
{
    for (int32_t i = 0; name && i < allot_plan_groups(plan); i++) {
        const char *own = plan->groups[i].name;
        if (strlen(own) == len && memcmp(own, name, len) == 0)
            return i;
    }
    return -1;
}

int64_t allot_plan_group_slots(const allot_plan *plan, int32_t group)
{
    const allot__group *it = group_at(plan, group);
    return it ? it->slots : 0;
}

const allot_policy *allot_plan_group_policy(const allot_plan *plan, int32_t group)
{
    const allot__group *it = group_at(plan, group);
    return it ? it->policy : NULL;
}

int64_t allot_plan_option_get(const allot_plan *plan, int32_t group, allot_option option)
{
    const allot__group *it = group_at(plan, group);
    if (!it || (int)option < 0 || option >= ALLOT_OPTION_COUNT)
        return 0;
    return it->governing ? it->governing[0].options[option] : it->options[option];
}

const char *allot_plan_name(const allot_plan *plan, int32_t consumer)
{
    size_t len;
    return known(plan, consumer) ? allot__names_at(plan->names, consumer, &len) : NULL;
}

int32_t allot_plan_parent(const allot_plan *plan, int32_t consumer)
{
    return known(plan, consumer) ? plan->names->entries[consumer].parent : ALLOT_ROOT;
}

/* The family of a consumer's children, or -1 without children. */
static int32_t family_of(const allot_plan *plan, int32_t consumer)
{
    if (!plan || !plan->sealed || consumer < ALLOT_ROOT || consumer >= plan->tree.rows)
        return -1;
    if (consumer == ALLOT_ROOT)
        return 0;
    int32_t family = plan->tree.family_of[plan->tree.row_of[consumer]];
    return family > 0 ? family : -1;
}

int32_t allot_plan_children(const allot_plan *plan, int32_t consumer)
{
    int32_t family = family_of(plan, consumer);
    return family < 0 ? 0 : plan->tree.first[family + 1] - plan->tree.first[family];
}

int32_t allot_plan_child(const allot_plan *plan, int32_t consumer, int32_t i)
{
    if (i < 0 || i >= allot_plan_children(plan, consumer))
        return ALLOT_ROOT;
    return plan->tree.handle_of[plan->tree.first[family_of(plan, consumer)] + i];
}

int32_t allot_plan_next(const allot_plan *plan, int32_t consumer)
{
    if (!plan || !plan->sealed || consumer < ALLOT_ROOT || consumer >= plan->tree.rows)
        return ALLOT_ROOT;
    return allot__tree_next(&plan->tree, plan->names, consumer);
}

int32_t allot_plan_depth(const allot_plan *plan, int32_t consumer)
{
    if (!known(plan, consumer) || !plan->sealed)
        return 0;
    const allot__tree *tree = &plan->tree;
    return allot__tree_holding(tree->level, tree->levels, tree->row_of[consumer]);
}

int32_t allot_plan_get(const allot_plan *plan, int32_t group, int32_t consumer, int32_t column)
{
    const allot__group *it = group_at(plan, group);
    if (!it || !plan->sealed || !known(plan, consumer))
        return 0;
    int32_t index = allot__column_index(plan, column), row = plan->tree.row_of[consumer];
    return index < 0 ? 0 : it->columns[index][it->group_row ? it->group_row[row] : row];
}

bool allot__plan_leaf(const allot_plan *plan, int32_t consumer)
{
    return known(plan, consumer) && plan->tree.family_of[plan->tree.row_of[consumer]] == 0;
}
