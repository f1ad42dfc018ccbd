/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ruled.c: mixed plans: which policy governs what. One policy governs a whole branch. */
#include <string.h>

#include "model/plan/plan.h"

enum { MOST = UINT8_MAX };

static struct allot_policy *policy_of(const allot_plan *plan, const allot__group *group,
                                      int32_t consumer)
{
    const allot__branch *branches = plan->branches.items;
    for (size_t i = plan->branches.count; i > 0; i--)
        if (branches[i - 1].consumer == consumer)
            return branches[i - 1].policy;
    return group->policy;
}

/* The number of a policy in the group's list, added if new. */
static uint8_t number_of(allot__group *group, struct allot_policy *policy)
{
    int32_t i = 0;
    while (i < group->governing_count && group->governing[i].policy != policy)
        i++;
    if (i == group->governing_count)
        group->governing[group->governing_count++].policy = policy;
    return (uint8_t)i;
}

static void find_columns(const allot_plan *plan, allot__governing *governing)
{
    for (int32_t i = 0; governing->policy && i < governing->policy->attribute_count; i++) {
        const char *name = governing->policy->attributes[i].name;
        governing->attribute_column[i] =
            allot__column_index(plan, allot_plan_column(plan, name, strlen(name)));
    }
}

/* An option that the plan states takes precedence over the policy's. */
static void find_options(const allot__group *group, allot__governing *governing)
{
    const struct allot_policy *policy = governing->policy;
    memcpy(governing->options, group->options, sizeof governing->options);
    for (int i = 0; policy && i < ALLOT_OPTION_COUNT; i++)
        if (policy->options_set >> i & ~(group->options_set >> i) & 1)
            governing->options[i] = policy->options[i];
}

/* The policy of a family is that of its parent's branch; parents' families come first. */
static void spread(const allot_plan *plan, allot__group *group)
{
    const allot__tree *tree = &plan->tree;
    const int32_t *tree_row = group->tree_row;
    for (int32_t row = 0; row < tree->first[1]; row++) {
        int32_t consumer = tree->handle_of[tree_row ? tree_row[row] : row];
        group->branch_policy[row] = number_of(group, policy_of(plan, group, consumer));
    }
    int32_t above = 0;
    for (int32_t f = 1; f < tree->families; f++) {
        /* Within a family a group may reorder parents, but not the families above. */
        int32_t parent = tree->parent[f];
        while (parent >= tree->first[above + 1])
            above++;
        group->family_policy[f] =
            above == 0 ? group->branch_policy[group->parent[f]] : group->family_policy[above];
    }
}

static bool has_limits(const allot_policy *policy)
{
    for (int32_t i = 0; policy && i < policy->attribute_count; i++)
        if (policy->attributes[i].limit)
            return true;
    return false;
}

int allot__governing_make(const allot_plan *plan, allot__group *group)
{
    size_t most = plan->branches.count + 1;
    size_t first = (size_t)plan->tree.first[1] + 1, families = (size_t)plan->tree.families;
    group->governing = allot__new(plan->engine, most, sizeof *group->governing);
    if (!group->governing)
        return ALLOT_ENOMEM;
    group->governing_count = 1;
    group->governing[0].policy = group->policy;
    if (most > 1) {
        group->branch_policy = allot__new(plan->engine, first, 1);
        group->family_policy = allot__new(plan->engine, families, 1);
        if (!group->branch_policy || !group->family_policy)
            return ALLOT_ENOMEM;
        spread(plan, group);
    }
    group->limited = false;
    group->no_ownership = group->governing_count == 1 && group->policy &&
                          group->policy->fill_count > 1 && !allot_policy_owns(group->policy);
    for (int32_t i = 0; i < group->governing_count; i++) {
        find_columns(plan, &group->governing[i]);
        find_options(group, &group->governing[i]);
        group->limited = group->limited || has_limits(group->governing[i].policy);
    }
    return ALLOT_OK;
}

void allot__governing_free(const allot_plan *plan, allot__group *group)
{
    size_t most = plan->branches.count + 1;
    if (plan->tree.first) {
        allot__free(plan->engine, group->branch_policy, (size_t)plan->tree.first[1] + 1, 1);
        allot__free(plan->engine, group->family_policy, (size_t)plan->tree.families, 1);
    }
    allot__free(plan->engine, group->governing, most, sizeof *group->governing);
    group->governing = NULL;
    group->branch_policy = group->family_policy = NULL;
    group->governing_count = 0;
}

int32_t allot__governing_of(const allot_plan *plan, const allot__group *group, int32_t row)
{
    const allot__tree *tree = &plan->tree;
    if (!group->branch_policy)
        return 0;
    if (row < tree->first[1])
        return group->branch_policy[row];
    return group->family_policy[allot__tree_holding(tree->first, tree->families, row)];
}

int32_t allot__limit_of(const allot_plan *plan, const allot__group *group, int32_t row,
                        int32_t *column)
{
    const allot__governing *governing = &group->governing[allot__governing_of(plan, group, row)];
    int32_t limit = group->columns[ALLOT_LIMIT][row];
    *column = ALLOT_LIMIT;
    for (int32_t i = 0; governing->policy && i < governing->policy->attribute_count; i++) {
        int32_t index = governing->attribute_column[i];
        if (governing->policy->attributes[i].limit == ALLOT_MOST_SLOTS &&
            group->columns[index][row] < limit) {
            limit = group->columns[index][row];
            *column = index;
        }
    }
    return limit;
}

int allot_plan_attributes(allot_plan *plan, allot_policy *policy)
{
    return plan && !plan->sealed ? allot__plan_adopt(plan, policy) : ALLOT_EUSAGE;
}

int allot_plan_branch(allot_plan *plan, int32_t consumer, allot_policy *policy)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count ||
        allot_plan_parent(plan, consumer) != ALLOT_ROOT || plan->branches.count >= MOST - 1)
        return ALLOT_EUSAGE;
    int status = allot__plan_adopt(plan, policy);
    if (status)
        return status;
    allot__branch *branch = allot__push(plan->engine, &plan->branches, sizeof *branch);
    if (!branch)
        return ALLOT_ENOMEM;
    policy->holds++;
    *branch = (allot__branch){consumer, policy};
    return ALLOT_OK;
}

const allot_policy *allot_plan_consumer_policy(const allot_plan *plan, int32_t group,
                                               int32_t consumer)
{
    if (!plan || !plan->sealed || group < 0 || group >= plan->group_count || consumer < 0 ||
        consumer >= plan->tree.rows)
        return NULL;
    const allot__group *it = &plan->groups[group];
    return it->governing[allot__governing_of(plan, it, allot__row(plan, group, consumer))].policy;
}
