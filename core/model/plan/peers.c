/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* peers.c: which leaves lend to which, as stated (E-2). */
#include <string.h>

#include "model/plan/plan.h"

int allot__peers_add(allot_plan *plan, allot__vector *peers, int32_t consumer, const int32_t *list,
                     int32_t n)
{
    size_t bytes = n > 0 ? (size_t)n * sizeof *list : 0;
    int32_t *copy = allot__pool_take(plan->engine, &plan->pool, bytes, sizeof *copy);
    allot__peers *added = copy ? allot__push(plan->engine, peers, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    if (bytes > 0)
        memcpy(copy, list, bytes);
    *added = (allot__peers){consumer, n < 0 ? -1 : n, copy};
    return ALLOT_OK;
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
        status = allot__peers_add(plan, lend ? &it->lend : &it->borrow, consumer, list, n);
        while (status && i-- > from)
            (lend ? &plan->groups[i].lend : &plan->groups[i].borrow)->count--;
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
