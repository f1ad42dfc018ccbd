/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wildcard.c: consumers named "*", and the newcomers that they stand for. */
#include <allot/job.h>

#include "base/name.h"
#include "model/seal/seal.h"
#include "model/windows/window.h"

/* ---- By path --------------------------------------------------------------------------------- */

int32_t allot_plan_wildcard(const allot_plan *plan, const char *path, size_t len)
{
    size_t parent = len;
    if (!plan || !path || len == 0 || path[0] != '/' || allot_plan_queues(plan) > 0 ||
        allot_plan_find(plan, path, len) >= 0)
        return ALLOT_ROOT;
    while (path[parent - 1] != '/')
        parent--;
    const char *name = path + parent;
    int32_t above = --parent > 0 ? allot_plan_find(plan, path, parent) : ALLOT_ROOT;
    if (!allot__name_valid(name, len - parent - 1) || (parent > 0 && above < 0))
        return ALLOT_ROOT;
    return allot__wildcard_below(plan, above);
}

int allot_plan_newcomer(allot_plan *plan, const char *path, size_t len, int32_t *out)
{
    if (!plan || plan->sealed || !out)
        return ALLOT_EUSAGE;
    int32_t wildcard = allot_plan_wildcard(plan, path, len), consumer;
    if (wildcard < 0)
        return ALLOT_ENOENT;
    size_t name = len;
    while (path[name - 1] != '/')
        name--;
    allot__newcomer *added = allot__push(plan->engine, &plan->newcomers, sizeof *added);
    int status = added ? allot_plan_add(plan, allot_plan_parent(plan, wildcard), path + name,
                                        len - name, &consumer)
                       : ALLOT_ENOMEM;
    if (status == ALLOT_OK) {
        *added = (allot__newcomer){consumer, wildcard};
        *out = consumer;
    } else if (added) {
        plan->newcomers.count--;
    }
    return status;
}

int32_t allot_plan_wildcard_of(const allot_plan *plan, int32_t consumer)
{
    const allot__newcomer *items = plan ? plan->newcomers.items : NULL;
    size_t low = 0, high = plan ? plan->newcomers.count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].consumer == consumer)
            return items[middle].wildcard;
        if (items[middle].consumer < consumer)
            low = middle + 1;
        else
            high = middle;
    }
    return ALLOT_ROOT;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int inherit_columns(allot_plan *plan, int32_t group, const allot__newcomer *it)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < plan->groups[group].stated.count && status == ALLOT_OK; i++) {
        const allot__column *column = (allot__column *)plan->groups[group].stated.items + i;
        int32_t value =
            (size_t)it->wildcard < column->capacity ? column->values[it->wildcard] : allot__unset;
        if (value != allot__unset)
            status =
                allot_plan_set(plan, group, it->consumer, allot__column_number((int32_t)i), value);
    }
    return status;
}

static int inherit_window(allot_plan *plan, int32_t window, const allot__newcomer *it)
{
    const allot__hours *hours = allot__hours_at(plan, window);
    int status = ALLOT_OK;
    for (size_t i = 0, n = hours->changes.count; i < n && status == ALLOT_OK; i++) {
        allot__window_change change = ((allot__window_change *)hours->changes.items)[i];
        if (change.consumer == it->wildcard)
            status = allot_plan_window_set(plan, window, it->consumer,
                                           allot__column_number(change.index), change.value);
    }
    return status;
}

static int inherit_requirement(allot_plan *plan, const allot__newcomer *it)
{
    const allot__require *list = plan->requires.items;
    for (size_t i = 0; i < plan->requires.count; i++)
        if (list[i].consumer == it->wildcard)
            return allot_plan_require(plan, it->consumer, list[i].name);
    return ALLOT_OK;
}

int allot__wildcards_inherit(allot_plan *plan)
{
    const allot__newcomer *items = plan->newcomers.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < plan->newcomers.count && status == ALLOT_OK; i++) {
        for (int32_t group = 0; group < plan->group_count && status == ALLOT_OK; group++)
            status = inherit_columns(plan, group, &items[i]);
        for (int32_t k = 0; k < allot__hours_count(plan) && status == ALLOT_OK; k++)
            status = inherit_window(plan, k, &items[i]);
        if (status == ALLOT_OK)
            status = inherit_requirement(plan, &items[i]);
    }
    return status;
}

/* ---- Checking -------------------------------------------------------------------------------- */

static int refuse(const allot_plan *plan, allot__fault fault, int32_t column, const char *found)
{
    fault.field = column;
    allot__say(plan, &fault,
               "found %s at a consumer named \"*\", which stands for any number of others: allowed "
               "is what each of them can have",
               found);
    return ALLOT_EINVALID;
}

/* What one group states of a wildcard. */
static int check_values(const allot_plan *plan, allot__fault fault)
{
    const allot__group *it = &plan->groups[fault.group];
    int32_t row = allot__row(plan, fault.group, fault.consumer);
    int status = ALLOT_OK;
    if (it->columns[ALLOT_OWNED][row] != 0)
        status = refuse(plan, fault, ALLOT_OWNED, "owned slots");
    if (it->columns[ALLOT_RESERVE][row] != 0)
        status = refuse(plan, fault, ALLOT_RESERVE, "a reserve");
    if (it->lend_at && it->lend_at[row] >= 0)
        status = refuse(plan, fault, -1, "`lend`");
    if (it->borrow_at && it->borrow_at[row] >= 0)
        status = refuse(plan, fault, -1, "`borrow`");
    return status;
}

/* What holds in all groups. */
static int check_place(const allot_plan *plan, allot__fault fault)
{
    const allot__branch *branches = plan->branches.items;
    int status = ALLOT_OK;
    if (!allot__plan_leaf(plan, fault.consumer))
        status = refuse(plan, fault, -1, "children");
    for (size_t i = 0; i < plan->branches.count; i++)
        if (branches[i].consumer == fault.consumer)
            status = refuse(plan, fault, -1, "a policy");
    return status;
}

int allot__check_wildcards(const allot_plan *plan, int32_t group, allot_report *report)
{
    int result = ALLOT_OK;
    for (int32_t i = ALLOT_ROOT; i < plan->names->count; i++) {
        bool parent = i == ALLOT_ROOT || !allot__plan_leaf(plan, i);
        int32_t wildcard =
            parent && allot_plan_queues(plan) == 0 ? allot__wildcard_below(plan, i) : ALLOT_ROOT;
        if (wildcard < 0)
            continue;
        allot__fault fault = allot__fault_of(report, "E-wildcard", NULL);
        fault.group = group;
        fault.consumer = wildcard;
        bool first = group == 0 && !plan->base;
        if (check_values(plan, fault) || (first && check_place(plan, fault)))
            result = ALLOT_EINVALID;
    }
    return result;
}
