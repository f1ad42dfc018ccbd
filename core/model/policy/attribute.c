/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* attribute.c: attributes that policies declare, of consumers and of tasks. */
#include <string.h>

#include "base/name.h"
#include "model/policy/policy.h"

void allot__attribute_free(allot_engine *engine, allot_attribute *attribute)
{
    allot__free_string(engine, (char *)attribute->name);
    allot__free_string(engine, (char *)attribute->doc);
}

int allot__attribute_copy(allot_engine *engine, const allot_attribute *from, allot_attribute *out)
{
    allot_attribute copy = *from;
    copy.name = allot__copy(engine, from->name, strlen(from->name));
    copy.doc = from->doc ? allot__copy(engine, from->doc, strlen(from->doc)) : NULL;
    if (!copy.name || (from->doc && !copy.doc)) {
        allot__attribute_free(engine, &copy);
        return ALLOT_ENOMEM;
    }
    *out = copy;
    return ALLOT_OK;
}

bool allot__attribute_same(const allot_attribute *a, const allot_attribute *b)
{
    return a->type == b->type && a->min == b->min && a->max == b->max &&
           a->fallback == b->fallback; /* whether it is a limit is each policy's own */
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
