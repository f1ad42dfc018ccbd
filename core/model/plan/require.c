/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: consumers' requirements on hosts, by name. */
#include <string.h>

#include "model/plan/plan.h"

/* A consumer's place in the list, which is by rising handle, or where to insert it. */
static size_t place_of(const allot_plan *plan, int32_t consumer)
{
    const allot__require *list = plan->requires.items;
    size_t low = 0, high = plan->requires.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].consumer < consumer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static allot__require *find(const allot_plan *plan, int32_t consumer)
{
    size_t place = place_of(plan, consumer);
    allot__require *it = allot__vector_from(&plan->requires, place, sizeof *it);
    return place < plan->requires.count && it->consumer == consumer ? it : NULL;
}

static allot__require *insert(allot_plan *plan, int32_t consumer)
{
    size_t place = place_of(plan, consumer), behind = plan->requires.count - place;
    if (!allot__push(plan->engine, &plan->requires, sizeof(allot__require)))
        return NULL;
    allot__require *it = (allot__require *)plan->requires.items + place;
    memmove(it + 1, it, behind * sizeof *it);
    *it = (allot__require){.consumer = consumer};
    return it;
}

int allot_plan_require(allot_plan *plan, int32_t consumer, const char *name)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    const char *copy = allot__pool_copy(plan->engine, &plan->pool, name);
    allot__require *it = copy ? find(plan, consumer) : NULL;
    if (copy && !it)
        it = insert(plan, consumer);
    if (!it)
        return ALLOT_ENOMEM;
    it->name = copy;
    return ALLOT_OK;
}
