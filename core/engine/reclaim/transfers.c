/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* transfers.c: what was written down, as lists by leaf: grants, reclaims, and their claims. */
#include "engine/reclaim/transfers.h"

#include <string.h>

typedef struct lists {
    allot__transfers *transfers;
    allot__orders *out;
    const allot__transfer *list;
    int32_t count;
    int32_t *head;     /* by number: its first transfer, -1: none; */
    int32_t *next;     /* ... by transfer: the next one */
    int32_t *claim_of; /* by number: where it stands in a reclaim's claims; NULL: the last it is */
    int32_t claims;    /* listed so far */
} lists;

/* A leaf's slots on closed hosts that no earlier reclaim takes. */
static int64_t closing(const allot__work *work, int32_t row)
{
    return !work->closed ? 0 : work->closed->held[row] - work->closed->flying[row];
}

/* The row of the parent of a row's siblings; -1: the root. */
static int32_t parent_of(const allot__work *work, int32_t row)
{
    int32_t family = allot__tree_holding(work->tree->first, work->tree->families, row);
    return family == 0 ? -1 : work->group->parent[family];
}

/* Parents have smaller rows. */
int64_t allot__transfers_grace(const allot__work *work, int32_t from, int32_t to)
{
    const int32_t *grace = work->group->columns[ALLOT_GRACE];
    int32_t a = from;
    int32_t b = to;
    while (work->group->options[ALLOT_OPTION_ANCESTOR_GRACE] && a != b && a >= 0 && b >= 0)
        if (a > b)
            a = parent_of(work, a);
        else
            b = parent_of(work, b);
    return a == b ? grace[a] : grace[from];
}

/* Room for all lists, and the grants. */
static bool list_grants(lists *it)
{
    allot__orders *out = it->out;
    const allot__work *work = it->transfers->work;
    const int32_t *leaf = it->transfers->leaf;
    size_t reclaims = (size_t)it->count + 1;
    for (int32_t i = 0; i < it->transfers->leaves; i++) {
        if (leaf[i] >= 0) {
            out->grant_count += allot__gets(work, leaf[i]);
            reclaims += (work->reclaimed[leaf[i]] > 0) + (closing(work, leaf[i]) > 0);
        }
    }
    out->grants = allot__arena_take(work->arena, (size_t)out->grant_count + 1, sizeof *out->grants);
    out->reclaims = allot__arena_take(work->arena, reclaims, sizeof *out->reclaims);
    out->claims = allot__arena_take(work->arena, (size_t)it->count + 1, sizeof *out->claims);
    if (!out->grants || !out->reclaims || !out->claims)
        return false;
    int32_t at = 0;
    for (int32_t i = 0; i < it->transfers->leaves; i++)
        if (leaf[i] >= 0 && allot__gets(work, leaf[i]))
            out->grants[at++] = leaf[i];
    return true;
}

/* Links the transfers of each leaf, in the order of their making. */
static bool link_transfers(lists *it)
{
    allot__transfers *transfers = it->transfers;
    size_t leaves = (size_t)transfers->leaves;
    it->head = transfers->next; /* what lacks was served */
    it->next = allot__arena_take(transfers->work->arena, (size_t)it->count + 1, sizeof *it->next);
    if (!it->next)
        return false;
    for (size_t i = 0; i < leaves; i++)
        it->head[i] = -1;
    for (int32_t i = it->count - 1; i >= 0; i--) {
        it->next[i] = it->head[it->list[i].from];
        it->head[it->list[i].from] = i;
    }
    if (transfers->work->ledger) {
        it->claim_of = transfers->lack; /* what lacks was served */
        memset(it->claim_of, 0, leaves * sizeof *it->claim_of);
    }
    return true;
}

/* The row that a transfer is to. */
static int32_t row_to(const lists *it, int32_t transfer)
{
    int32_t row = it->transfers->leaf[it->list[transfer].to];
    return row >= 0 ? row : it->transfers->work->group->parent[~row];
}

static allot__order_back *add_reclaim(lists *it, int32_t row, int64_t grace)
{
    allot__order_back *reclaim = &it->out->reclaims[it->out->reclaim_count++];
    *reclaim = (allot__order_back){.row = row, .grace = grace, .first = it->claims};
    return reclaim;
}

/* Of a leaf's reclaims, from number `first` on, the one with that grace; NULL: none. */
static allot__order_back *reclaim_with(const lists *it, int32_t first, int64_t grace)
{
    for (int32_t i = first; i < it->out->reclaim_count; i++)
        if (it->out->reclaims[i].grace == grace)
            return &it->out->reclaims[i];
    return NULL;
}

/* Slots that go without a claimant, since a host is closed. */
static void list_closed(lists *it, int32_t row)
{
    const allot__work *work = it->transfers->work;
    const allot__closed_slots *closed = work->closed;
    if (closing(work, row) > 0) {
        allot__order_back *reclaim = add_reclaim(it, row, work->group->columns[ALLOT_GRACE][row]);
        reclaim->unowed = ALLOT__BY_CLOSED;
        reclaim->slots = closing(work, row);
        reclaim->tasks = closed->tasks + closed->first[row];
        reclaim->task_count = closed->first[row + 1] - closed->first[row];
    }
}

/* Adds a transfer to a reclaim's claims. A ledger transfers from one leaf to another at different
 * times, which is one claim. */
static void add_claim(lists *it, allot__order_back *reclaim, int32_t transfer)
{
    allot_claim *claims = &it->out->claims[reclaim->first];
    int32_t number = it->list[transfer].to;
    int64_t slots = it->list[transfer].slots;
    int32_t to = allot__handle(it->transfers->work, row_to(it, transfer));
    int32_t known = it->claim_of ? it->claim_of[number] : reclaim->count - 1;
    reclaim->slots += slots;
    if (known >= 0 && known < reclaim->count && claims[known].consumer == to) {
        claims[known].slots += slots;
        return;
    }
    if (it->claim_of)
        it->claim_of[number] = reclaim->count;
    claims[reclaim->count++] = (allot_claim){to, slots};
    it->claims++;
}

/* A leaf's reclaims with their claims, one for each time of grace. */
static void list_owed(lists *it, int32_t row, int32_t number)
{
    const allot__work *work = it->transfers->work;
    bool alike = !work->group->options[ALLOT_OPTION_ANCESTOR_GRACE];
    int32_t first = it->out->reclaim_count;
    for (int32_t i = it->head[number]; i >= 0; i = alike ? -1 : it->next[i]) {
        int64_t grace = allot__transfers_grace(work, row, row_to(it, i));
        if (reclaim_with(it, first, grace))
            continue;
        allot__order_back *reclaim = add_reclaim(it, row, grace);
        for (int32_t k = i; k >= 0; k = it->next[k])
            if (alike || allot__transfers_grace(work, row, row_to(it, k)) == grace)
                add_claim(it, reclaim, k);
    }
}

static void list_leaf(lists *it, int32_t row, int32_t number)
{
    const allot__work *work = it->transfers->work;
    int64_t grace = work->group->columns[ALLOT_GRACE][row];
    int64_t unowed = work->reclaimed[row];
    list_closed(it, row);
    int32_t first = it->out->reclaim_count;
    list_owed(it, row, number);
    for (int32_t i = first; i < it->out->reclaim_count; i++)
        unowed -= it->out->reclaims[i].slots;
    it->transfers->unowed[number] |= it->transfers->loose[number] > 0 ? ALLOT__BY_LIMIT : 0;
    if (unowed > 0) {
        allot__order_back *own = reclaim_with(it, first, grace);
        own = own ? own : add_reclaim(it, row, grace);
        own->slots += unowed;
        own->unowed = it->transfers->unowed[number];
    }
    it->out->reclaims[first].freed = it->transfers->freed[number];
}

/* Leaves that give back, last number first. */
int allot__transfers_list(allot__transfers *transfers)
{
    lists it = {.transfers = transfers,
                .out = transfers->out,
                .list = transfers->list.items,
                .count = (int32_t)transfers->list.count};
    if (!list_grants(&it) || !link_transfers(&it))
        return ALLOT_ENOMEM;
    for (int32_t i = transfers->leaves - 1; i >= 0; i--) {
        int32_t row = transfers->leaf[i];
        if (row >= 0 && (transfers->work->reclaimed[row] > 0 || closing(transfers->work, row) > 0))
            list_leaf(&it, row, i);
    }
    return ALLOT_OK;
}
