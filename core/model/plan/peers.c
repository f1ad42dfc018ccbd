/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* peers.c: who lends to whom, as stated (E-2). */
#include <string.h>

#include "model/plan/plan.h"

int allot__peers_add(allot_engine *engine, allot__vector *peers, int32_t consumer,
                     const int32_t *list, int32_t n)
{
    int32_t *copy = NULL;
    if (n > 0) {
        copy = allot__new(engine, (size_t)n, sizeof *copy);
        if (!copy)
            return ALLOT_ENOMEM;
        memcpy(copy, list, (size_t)n * sizeof *copy);
    }
    allot__peers *added = allot__push(engine, peers, sizeof *added);
    if (!added) {
        allot__free(engine, copy, (size_t)n, sizeof *copy);
        return ALLOT_ENOMEM;
    }
    *added = (allot__peers){consumer, n < 0 ? -1 : n, copy};
    return ALLOT_OK;
}

void allot__peers_free(allot_engine *engine, allot__vector *peers)
{
    allot__peers *items = peers->items;
    for (size_t i = 0; i < peers->count; i++)
        allot__free(engine, items[i].list, (size_t)items[i].count, sizeof *items[i].list);
    allot__vector_free(engine, peers);
}

bool allot__peers_valid(const allot_plan *plan, int32_t consumer, const int32_t *list, int32_t n)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count || (n > 0 && !list))
        return false;
    for (int32_t i = 0; i < n; i++)
        if (list[i] < 0 || list[i] >= plan->names->count || list[i] == consumer)
            return false;
    return true;
}

/* Of the groups [from, to) takes away again what was added last. */
static void take_back(allot_plan *plan, int32_t from, int32_t to, bool lend)
{
    for (int32_t i = from; i < to; i++) {
        allot__vector *peers = lend ? &plan->groups[i].lend : &plan->groups[i].borrow;
        allot__peers *last = (allot__peers *)peers->items + --peers->count;
        allot__free(plan->engine, last->list, (size_t)last->count, sizeof *last->list);
    }
}

static int state_peers(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                       int32_t n, bool lend)
{
    int32_t from, to;
    if (!allot__peers_valid(plan, consumer, list, n))
        return ALLOT_EUSAGE;
    if (plan->group_count == 0 && group == ALLOT_ALL)
        group = 0;
    int status = allot__plan_range(plan, group, &from, &to);
    for (int32_t i = from; status == ALLOT_OK && i < to; i++) {
        allot__group *it = &plan->groups[i];
        status = allot__peers_add(plan->engine, lend ? &it->lend : &it->borrow, consumer, list, n);
        if (status)
            take_back(plan, from, i, lend);
    }
    if (status == ALLOT_OK)
        plan->build->stated = true;
    return status;
}

int allot_plan_lend(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                    int32_t n)
{
    return state_peers(plan, group, consumer, list, n, true);
}

int allot_plan_borrow(allot_plan *plan, int32_t group, int32_t consumer, const int32_t *list,
                      int32_t n)
{
    return state_peers(plan, group, consumer, list, n, false);
}
