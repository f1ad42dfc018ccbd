/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: what consumers ask of hosts, by name. */
#include <string.h>

#include "model/plan/plan.h"

/* Where a consumer stands in the list, which is by rising handle, or would. */
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
    char *copy = allot__copy(plan->engine, name, strlen(name));
    if (!copy)
        return ALLOT_ENOMEM;
    allot__require *it = find(plan, consumer);
    if (!it)
        it = insert(plan, consumer);
    if (!it) {
        allot__free_string(plan->engine, copy);
        return ALLOT_ENOMEM;
    }
    allot__free_string(plan->engine, it->name);
    it->name = copy;
    return ALLOT_OK;
}

void allot__requires_free(allot_plan *plan)
{
    allot__require *list = plan->requires.items;
    for (size_t i = 0; i < plan->requires.count; i++)
        allot__free_string(plan->engine, list[i].name);
    allot__vector_free(plan->engine, &plan->requires);
}

const char *allot__require_of(const allot_plan *plan, int32_t consumer)
{
    for (; consumer >= 0; consumer = allot_plan_parent(plan, consumer)) {
        const allot__require *it = find(plan, consumer);
        if (it)
            return it->name;
    }
    return NULL;
}
