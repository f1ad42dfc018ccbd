/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* attribute.c: attributes that policies declare, of consumers and of tasks. */
#include <string.h>

#include "base/name.h"
#include "model/policy/policy.h"

int32_t allot__attribute_find(const allot_attribute *list, int32_t count, const char *name,
                              size_t len)
{
    for (int32_t i = 0; i < count; i++)
        if (strlen(list[i].name) == len && memcmp(list[i].name, name, len) == 0)
            return i;
    return -1;
}

int allot__attribute_copy(allot_engine *engine, allot__pool *pool, const allot_attribute *from,
                          allot_attribute *out)
{
    allot_attribute copy = *from;
    copy.name = allot__pool_copy(engine, pool, from->name);
    copy.doc = from->doc ? allot__pool_copy(engine, pool, from->doc) : NULL;
    if (!copy.name || (from->doc && !copy.doc))
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot__attribute_declare(allot_policy *policy, const allot_attribute *attribute,
                             allot_attribute *list, int32_t *count)
{
    if (*count == ALLOT_ATTRIBUTES_MAX)
        return ALLOT_EUSAGE;
    int status = allot__attribute_copy(policy->engine, &policy->pool, attribute, &list[*count]);
    *count += status == ALLOT_OK;
    return status;
}

bool allot__attribute_same(const allot_attribute *a, const allot_attribute *b)
{
    return a->type == b->type && a->min == b->min && a->max == b->max &&
           a->fallback == b->fallback; /* each policy decides whether it is a limit */
}

static bool within(int32_t value, int32_t min, int32_t max)
{
    return value >= min && value <= max;
}

static int check_bounds(const allot_attribute *attribute)
{
    int32_t min = attribute->min, max = attribute->max, fallback = attribute->fallback;
    if (attribute->limit && (attribute->type != ALLOT_INTEGER || min < 0))
        return ALLOT_EUSAGE;
    if (attribute->type == ALLOT_BOOLEAN || attribute->type == ALLOT_TAG)
        return min == 0 && max == 1 && within(fallback, 0, 1) ? ALLOT_OK : ALLOT_ERANGE;
    if (attribute->type != ALLOT_INTEGER)
        return ALLOT_EUSAGE;
    bool bounds = min <= max && min >= -ALLOT_AMOUNT_MAX && max <= ALLOT_AMOUNT_MAX;
    return bounds && (within(fallback, min, max) || fallback == ALLOT_NONE) ? ALLOT_OK
                                                                            : ALLOT_ERANGE;
}

int allot__attribute_check(const allot_attribute *attribute)
{
    const char *name = attribute->name;
    bool tag = attribute->type == ALLOT_TAG;
    if (!name || !allot__name_valid(name, strlen(name)) || (strchr(name, '-') && !tag))
        return ALLOT_ENAME;
    return check_bounds(attribute);
}
