/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lists.c: grants and reclaims as lists by leaf (reclaim/transfers.c makes them of all leaves). */
#include <stdlib.h>

#include "engine/follow/follow.h"

/* The last number first, and of one leaf in the order of their making. */
static int by_giver(const void *a, const void *b)
{
    const allot__follow_gift *x = a, *y = b;
    if (x->from != y->from)
        return x->from > y->from ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static void *add(allot__follow *follow, allot__vector *list, size_t size)
{
    void *item = allot__push(follow->work->plan->engine, list, size);
    if (!item)
        follow->status = ALLOT_ENOMEM;
    return item;
}

static void list_grants(allot__follow *follow)
{
    for (int32_t number = allot__bits_next(&follow->getting, 0);
         number < follow->getting.bound && follow->status == ALLOT_OK;
         number = allot__bits_next(&follow->getting, number + 1)) {
        int32_t *row = add(follow, &follow->grants, sizeof *row);
        if (row)
            *row = follow->leaves.row[number];
    }
}

/* The row that gets a gift. */
static int32_t row_to(const allot__follow *follow, const allot__follow_gift *gift)
{
    int32_t row = follow->leaves.row[gift->to];
    return row >= 0 ? row : follow->work->group->parent[~row];
}

static int64_t grace_of(const allot__follow *follow, int32_t row, const allot__follow_gift *gift)
{
    return allot__transfers_grace(follow->work, row, gift->to < 0 ? row : row_to(follow, gift));
}

/* Adds a gift to a reclaim, which is the last. */
static void add_claim(allot__follow *follow, allot__order_back *reclaim,
                      const allot__follow_gift *gift)
{
    reclaim->slots += gift->slots;
    if (gift->to < 0) {
        reclaim->unowed = ALLOT__BY_SIZE;
        return;
    }
    int32_t to = allot__handle(follow->work, row_to(follow, gift));
    allot_claim *last = reclaim->count == 0 ? NULL
                                            : (allot_claim *)follow->claims.items + reclaim->first +
                                                  reclaim->count - 1;
    if (last && last->consumer == to) {
        last->slots += gift->slots;
        return;
    }
    allot_claim *claim = add(follow, &follow->claims, sizeof *claim);
    if (claim) {
        *claim = (allot_claim){to, gift->slots};
        reclaim->count++;
    }
}

/* A leaf's reclaims, one for each time of grace that one of its gifts has first. */
static void list_leaf(allot__follow *follow, const allot__follow_gift *gifts, size_t count)
{
    int32_t row = follow->leaves.row[gifts->from];
    for (size_t i = 0; i < count && follow->status == ALLOT_OK; i++) {
        int64_t grace = grace_of(follow, row, &gifts[i]);
        bool listed = false;
        for (size_t k = 0; k < i && !listed; k++)
            listed = grace_of(follow, row, &gifts[k]) == grace;
        allot__order_back *reclaim =
            listed ? NULL : add(follow, &follow->reclaims, sizeof *reclaim);
        if (!reclaim)
            continue;
        *reclaim =
            (allot__order_back){.row = row, .grace = grace, .first = (int32_t)follow->claims.count};
        for (size_t k = i; k < count; k++)
            if (grace_of(follow, row, &gifts[k]) == grace)
                add_claim(follow, reclaim, &gifts[k]);
    }
}

int allot__follow_list(allot__follow *follow)
{
    const allot__follow_gift *gifts = follow->gifts.items;
    follow->grants.count = follow->reclaims.count = follow->claims.count = 0;
    list_grants(follow);
    if (follow->gifts.count > 1)
        qsort(follow->gifts.items, follow->gifts.count, sizeof *gifts, by_giver);
    for (size_t i = 0, end; i < follow->gifts.count && follow->status == ALLOT_OK; i = end) {
        for (end = i + 1; end < follow->gifts.count && gifts[end].from == gifts[i].from;)
            end++;
        list_leaf(follow, gifts + i, end - i);
    }
    follow->orders = (allot__orders){.grants = follow->grants.items,
                                     .grant_count = (int32_t)follow->grants.count,
                                     .reclaims = follow->reclaims.items,
                                     .reclaim_count = (int32_t)follow->reclaims.count,
                                     .claims = follow->claims.items};
    return follow->status;
}
