/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* getters.c: reading a plan: groups, consumers and their paths, columns. */
#include <string.h>

#include "model/plan/plan.h"
#include "base/getter.h"
#include "base/name.h"

static const allot__group *group_at(const allot_plan *plan, int32_t group)
{
    return plan && group >= 0 && group < plan->group_count ? &plan->groups[group] : NULL;
}

static bool known(const allot_plan *plan, int32_t consumer)
{
    return plan && consumer >= 0 && consumer < plan->names->count;
}

ALLOT__GETTER(allot_engine *, allot_plan_engine, allot_plan, it->engine, NULL)
ALLOT__GETTER(int32_t, allot_plan_consumers, allot_plan, it->names->count, 0)
ALLOT__GETTER(int32_t, allot_plan_groups, allot_plan, it->group_count, 0)
ALLOT__GETTER_AT(const char *, allot_plan_group_name, allot_plan, group_at(of, i), name, NULL)

int32_t allot_plan_group_find(const allot_plan *plan, const char *name, size_t len)
{
    for (int32_t i = 0; name && i < allot_plan_groups(plan); i++) {
        const char *own = plan->groups[i].name;
        if (strlen(own) == len && memcmp(own, name, len) == 0)
            return i;
    }
    return -1;
}

int allot_plan_decay_get(const allot_plan *plan, allot_decay *out)
{
    if (!plan || !plan->sealed || !out)
        return ALLOT_EUSAGE;
    if (!plan->fades)
        return ALLOT_ENOENT;
    *out = plan->fades->by;
    return ALLOT_OK;
}

ALLOT__GETTER_AT(int64_t, allot_plan_group_slots, allot_plan, group_at(of, i), slots, 0)
ALLOT__GETTER_AT(const allot_policy *, allot_plan_group_policy, allot_plan, group_at(of, i), policy,
                 NULL)

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

/* ---- Paths ----------------------------------------------------------------------------------- */

/* So many siblings at most are compared for a suggestion. */
enum { SIBLINGS_TRIED = 10000 };

static size_t component(const char *path, size_t len)
{
    const char *end = memchr(path, '/', len);
    return end ? (size_t)(end - path) : len;
}

int32_t allot_plan_find(const allot_plan *plan, const char *path, size_t len)
{
    if (!plan || !path || len == 0 || path[0] != '/')
        return ALLOT_ROOT;
    int32_t consumer = ALLOT_ROOT;
    for (size_t at = 1; at <= len;) {
        size_t part = component(path + at, len - at);
        consumer = allot__names_find(plan->names, consumer, path + at, part);
        if (consumer < 0)
            return ALLOT_ROOT;
        at += part + 1;
    }
    return consumer;
}

static size_t path_length(const allot__names *names, int32_t consumer)
{
    size_t total = 0, len;
    for (; consumer >= 0; consumer = names->entries[consumer].parent) {
        allot__names_at(names, consumer, &len);
        total += len + 1;
    }
    return total;
}

size_t allot_plan_path(const allot_plan *plan, int32_t consumer, char *buf, size_t size)
{
    if (!plan || consumer < 0 || consumer >= plan->names->count) {
        if (size > 0)
            buf[0] = '\0';
        return 0;
    }
    const allot__names *names = plan->names;
    size_t total = path_length(names, consumer), at = total;
    if (size > 0)
        buf[total < size ? total : size - 1] = '\0';
    for (; size > 1 && consumer >= 0; consumer = names->entries[consumer].parent) {
        size_t len;
        const char *name = allot__names_at(names, consumer, &len);
        at -= len + 1;
        if (at >= size - 1)
            continue;
        size_t room = size - 1 - at;
        buf[at] = '/';
        memcpy(buf + at + 1, name, len < room ? len : room - 1);
    }
    return total;
}

/* The child of that name, or else the one whose name is nearest, or ALLOT_ROOT. */
static int32_t nearest_child(const allot__names *names, int32_t parent, const char *name,
                             size_t len)
{
    int32_t nearest = allot__names_find(names, parent, name, len);
    if (nearest >= 0)
        return nearest;
    allot__near near = allot__near_begin(name, len);
    int32_t tried = 0;
    for (int32_t i = parent + 1; i < names->count && tried < SIBLINGS_TRIED; i++) {
        if (names->entries[i].parent != parent)
            continue;
        size_t sibling_len;
        const char *sibling = allot__names_at(names, i, &sibling_len);
        if (allot__near_try(&near, sibling, sibling_len))
            nearest = i;
        tried++;
    }
    return nearest;
}

size_t allot_plan_nearest(const allot_plan *plan, const char *path, size_t len, char *buf,
                          size_t size)
{
    int32_t consumer = ALLOT_ROOT;
    for (size_t at = 0; plan && path && at < len;) {
        size_t part = component(path + at, len - at);
        if (part > 0) {
            consumer = nearest_child(plan->names, consumer, path + at, part);
            if (consumer < 0)
                return 0;
        }
        at += part + 1;
    }
    return consumer < 0 ? 0 : allot_plan_path(plan, consumer, buf, size);
}

/* ---- Columns --------------------------------------------------------------------------------- */

int32_t allot__column_index(const allot_plan *plan, int32_t column)
{
    if (column >= ALLOT_COLUMN_COUNT)
        column += ALLOT_PLAN_COLUMNS - ALLOT_COLUMN_COUNT;
    else if (column >= ALLOT_PLAN_COLUMNS)
        return -1;
    return column >= 0 && column < plan->column_count ? column : -1;
}

int32_t allot__column_number(int32_t index)
{
    return index < ALLOT_PLAN_COLUMNS ? index : index - ALLOT_PLAN_COLUMNS + ALLOT_COLUMN_COUNT;
}

ALLOT__GETTER(int32_t, allot_plan_columns, allot_plan, it->column_count, 0)

int32_t allot_plan_column_at(const allot_plan *plan, int32_t i, allot_attribute *out)
{
    if (i < 0 || i >= allot_plan_columns(plan) || !out)
        return -1;
    if (i >= ALLOT_PLAN_COLUMNS) {
        *out = ((const allot_attribute *)plan->attributes.items)[i - ALLOT_PLAN_COLUMNS];
        return allot__column_number(i);
    }
    bool flag = allot_rows_column_flag(ALLOT_CONSUMERS, i);
    *out = (allot_attribute){.name = allot_column_name(i),
                             .type = flag ? ALLOT_BOOLEAN : ALLOT_INTEGER,
                             .max = flag ? 1 : ALLOT_AMOUNT_MAX,
                             .fallback = i == ALLOT_LIMIT                           ? ALLOT_NONE
                                         : i == ALLOT_SHARE || i == ALLOT_REBALANCE ? 1
                                                                                    : 0,
                             .doc = allot_column_doc(i)};
    return i;
}

int32_t allot_plan_column(const allot_plan *plan, const char *name, size_t len)
{
    if (!plan || !name)
        return -1;
    int32_t column = allot_column_find(name, len);
    if (column >= 0)
        return column < ALLOT_PLAN_COLUMNS ? column : -1;
    int32_t found =
        allot__attribute_find(plan->attributes.items, (int32_t)plan->attributes.count, name, len);
    return found < 0 ? -1 : ALLOT_COLUMN_COUNT + found;
}

void allot__stated_free(allot_engine *engine, allot__group *group)
{
    allot__column *columns = group->stated.items;
    for (size_t i = 0; i < group->stated.count; i++)
        allot__free(engine, columns[i].values, columns[i].capacity, sizeof *columns[i].values);
    allot__vector_free(engine, &group->stated);
}

int allot__column_check(const allot_plan *plan, int32_t column, int64_t value)
{
    int32_t index = allot__column_index(plan, column);
    allot_attribute bounds;
    if (index < 0 || allot_plan_column_at(plan, index, &bounds) < 0)
        return ALLOT_EUSAGE;
    bool allowed = value >= bounds.min && value <= bounds.max;
    return allowed || value == bounds.fallback ? ALLOT_OK : ALLOT_ERANGE;
}

/* ---- Attributes of tasks --------------------------------------------------------------------- */

int32_t allot__task_attribute_of(const allot_plan *plan, const allot_policy *policy, int32_t i)
{
    const char *name = policy->task_attributes[i].name;
    return allot__attribute_find(plan->task_attributes.items, (int32_t)plan->task_attributes.count,
                                 name, strlen(name));
}

ALLOT__GETTER(int32_t, allot_plan_task_attributes, allot_plan, (int32_t)it->task_attributes.count,
              0)

int allot_plan_task_attribute_at(const allot_plan *plan, int32_t i, allot_attribute *out)
{
    if (!out || i < 0 || i >= allot_plan_task_attributes(plan))
        return ALLOT_EUSAGE;
    *out = ((const allot_attribute *)plan->task_attributes.items)[i];
    return ALLOT_OK;
}
