/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* transfers.c: makes lists by leaf of the records: grants, reclaims, and their claims. */
#include "engine/reclaim/orders.h"

#include <stdlib.h>
#include <string.h>

#include "base/simd.h"

typedef struct lists {
    allot__transfers *transfers;
    allot__orders *out;
    const allot__run *runs; /* and one more, where the last one ends */
    int32_t *head;          /* by number: its first run, -1: none */
    int32_t *claim_of; /* by handle: its place in a reclaim's claims; NULL: only the last counts */
    int32_t claims;    /* listed so far, with those before they were gathered by leaf */
    int32_t *givers;   /* leaves that give back, last number first */
    int32_t giver_count;
} lists;

void *allot__transfers_room(allot__transfers *transfers, void *items, size_t count, size_t *room,
                            size_t more, size_t size)
{
    if (more <= *room - count)
        return items;
    size_t larger = *room + (*room > more ? *room : more);
    void *copy = allot__arena_take(transfers->work->arena, larger, size);
    if (!copy) {
        transfers->status = ALLOT_ENOMEM;
        return NULL;
    }
    *room = larger;
    return memcpy(copy, items, count * size);
}

static int by_number(const void *a, const void *b)
{
    const allot__take *x = a, *y = b;
    return x->from == y->from ? 0 : x->from > y->from ? -1 : 1;
}

void allot__takes_sort(allot__take *takes, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && takes[sorted - 1].from >= takes[sorted].from)
        sorted++;
    if (sorted < count)
        qsort(takes, count, sizeof *takes, by_number);
}

/* A leaf's slots on closed hosts that no earlier reclaim takes. */
static int64_t closing(const allot__work *work, int32_t row)
{
    return !work->closed ? 0 : work->closed->held[row] - work->closed->flying[row];
}

/* Parents have smaller rows. */
int64_t allot__transfers_grace(const allot__work *work, int32_t from, int32_t to)
{
    const int32_t *grace = work->group->columns[ALLOT_GRACE];
    int32_t a = from;
    int32_t b = to;
    while (work->group->options[ALLOT_OPTION_ANCESTOR_GRACE] && a != b && a >= 0 && b >= 0)
        if (a > b)
            a = allot__above(work, a);
        else
            b = allot__above(work, b);
    return a == b ? grace[a] : grace[from];
}

static bool list_grants(lists *it)
{
    allot__orders *out = it->out;
    const allot__work *work = it->transfers->work;
    const int32_t *leaf = it->transfers->leaves.row;
    int32_t leaves = it->transfers->leaves.count;
    out->grants = allot__arena_take(work->arena, (size_t)leaves + 1, sizeof *out->grants);
    int32_t count = 0;
    for (int32_t i = 0; i < leaves && out->grants; i++) {
        if (leaf[i] >= 0) {
            out->grants[count] = leaf[i];
            count += allot__gets(work, leaf[i]);
        }
    }
    out->grant_count = count;
    return out->grants != NULL;
}

/* Counts donors, if no option and no host makes several reclaims of one. */
ALLOT__CLONES static size_t count_givers(const int32_t *reclaimed, int32_t rows)
{
    int32_t count = 0;
    for (int32_t row = 0; row < rows; row++)
        count += reclaimed[row] > 0; /* 0 of parents */
    return (size_t)count;
}

/* Lists donors, and allocates their reclaims. */
static bool list_givers(lists *it)
{
    const allot__work *work = it->transfers->work;
    const int32_t *leaf = it->transfers->leaves.row;
    const int32_t *reclaimed = work->reclaimed;
    size_t rows =
        work->closed ? (size_t)work->tree->rows : count_givers(reclaimed, work->tree->rows);
    size_t reclaims = rows * (work->closed ? 2 : 1) + 1;
    reclaims += work->group->options[ALLOT_OPTION_ANCESTOR_GRACE] ? it->transfers->claim_count : 0;
    it->givers = allot__arena_take(work->arena, rows + 1, sizeof *it->givers);
    it->out->reclaims = allot__arena_take(work->arena, reclaims, sizeof *it->out->reclaims);
    if (!it->givers || !it->out->reclaims)
        return false;
    int32_t count = 0;
    for (int32_t i = it->transfers->leaves.count - 1; i >= 0; i--) {
        if (leaf[i] >= 0) {
            it->givers[count] = i;
            count += (reclaimed[leaf[i]] > 0) | (closing(work, leaf[i]) > 0);
        }
    }
    it->giver_count = count;
    return true;
}

/* Links the runs of each leaf, in the order of their making. */
static bool link_runs(lists *it)
{
    allot__transfers *transfers = it->transfers;
    size_t leaves = (size_t)transfers->leaves.count;
    size_t count = transfers->run_count;
    allot__run *runs = allot__transfers_room(transfers, transfers->runs, count,
                                             &transfers->run_room, 1, sizeof *runs);
    it->head = allot__arena_take(transfers->work->arena, leaves + 1, sizeof *it->head);
    if (!runs || !it->head)
        return false;
    it->runs = runs;
    runs[count].first = (int32_t)transfers->claim_count;
    memset(it->head, 0xff, leaves * sizeof *it->head);
    const allot__work *work = transfers->work;
    if (work->ledger)
        it->claim_of = allot__zeroed(work, (size_t)work->tree->rows, sizeof *it->claim_of);
    while (count-- > 0) {
        runs[count].next = it->head[runs[count].from];
        it->head[runs[count].from] = (int32_t)count;
    }
    return true;
}

static allot__order_back *add_reclaim(lists *it, allot__order_back reclaim)
{
    allot__order_back *to = &it->out->reclaims[it->out->reclaim_count++];
    *to = reclaim;
    return to;
}

/* Of a leaf's reclaims, from number `first` on, the one with that grace; NULL: none. */
static allot__order_back *reclaim_with(const lists *it, int32_t first, int64_t grace)
{
    for (int32_t i = first; i < it->out->reclaim_count; i++)
        if (it->out->reclaims[i].grace == grace)
            return &it->out->reclaims[i];
    return NULL;
}

/* Adds the reclaim of a leaf's slots on closed hosts, without a claimant. */
static void list_closed(lists *it, int32_t row)
{
    const allot__work *work = it->transfers->work;
    const allot__closed_slots *closed = work->closed;
    if (closing(work, row) > 0) {
        const int32_t *tasks = closed->tasks + closed->first[row];
        add_reclaim(it,
                    (allot__order_back){.row = row,
                                        .unowed = ALLOT__BY_CLOSED,
                                        .slots = closing(work, row),
                                        .grace = work->group->columns[ALLOT_GRACE][row],
                                        .first = (int32_t)it->transfers->claim_count,
                                        .tasks = tasks,
                                        .task_count = closed->first[row + 1] - closed->first[row]});
    }
}

/* Adds a claim to the last reclaim. Slots that a ledger takes from one leaf for another at
 * different times are one claim. */
static void add_claim(lists *it, allot__order_back *reclaim, allot_claim claim)
{
    allot__transfers *transfers = it->transfers;
    size_t count = transfers->claim_count;
    int32_t known = it->claim_of ? it->claim_of[claim.consumer] : reclaim->count - 1;
    allot_claim *claims = allot__transfers_room(transfers, transfers->claims, count,
                                                &transfers->claim_room, 1, sizeof *claims);
    if (!claims)
        return;
    transfers->claims = claims;
    claims += reclaim->first;
    reclaim->slots += claim.slots;
    if (known >= 0 && known < reclaim->count && claims[known].consumer == claim.consumer) {
        claims[known].slots += claim.slots;
        return;
    }
    if (it->claim_of)
        it->claim_of[claim.consumer] = reclaim->count;
    claims[reclaim->count++] = claim;
    transfers->claim_count++;
}

/* E-31: the grace of a leaf's reclaim for a claimant. */
static int64_t grace_for(const lists *it, int32_t row, int32_t claim)
{
    const allot__work *work = it->transfers->work;
    int32_t consumer = it->transfers->claims[claim].consumer;
    return allot__transfers_grace(work, row, allot__row(work->plan, work->index, consumer));
}

/* Makes a reclaim of a leaf's claims with that grace, from a run on. */
static void gather(lists *it, int32_t row, int64_t grace, int32_t run)
{
    allot__order_back *reclaim = add_reclaim(
        it, (allot__order_back){
                .row = row, .grace = grace, .first = (int32_t)it->transfers->claim_count});
    for (; run >= 0; run = it->runs[run].next)
        for (int32_t i = it->runs[run].first; i < it->runs[run + 1].first; i++)
            if (grace_for(it, row, i) == grace)
                add_claim(it, reclaim, it->transfers->claims[i]);
}

/* Makes a leaf's reclaims with their claims, one for each grace. */
static void list_owed(lists *it, int32_t row, int32_t number)
{
    const allot__work *work = it->transfers->work;
    int32_t first = it->out->reclaim_count;
    int32_t run = it->head[number];
    if (run >= 0 && it->runs[run].next < 0 && !work->ledger &&
        !work->group->options[ALLOT_OPTION_ANCESTOR_GRACE]) {
        add_reclaim(it,
                    (allot__order_back){.row = row,
                                        .slots = it->runs[run].slots,
                                        .grace = work->group->columns[ALLOT_GRACE][row],
                                        .first = it->runs[run].first,
                                        .count = it->runs[run + 1].first - it->runs[run].first});
        return;
    }
    for (int32_t at = run; at >= 0; at = it->runs[at].next) {
        for (int32_t i = it->runs[at].first; i < it->runs[at + 1].first; i++) {
            int64_t grace = grace_for(it, row, i);
            if (!reclaim_with(it, first, grace))
                gather(it, row, grace, run);
        }
    }
}

static void list_leaf(lists *it, int32_t row, int32_t number)
{
    const allot__work *work = it->transfers->work;
    int64_t grace = work->group->columns[ALLOT_GRACE][row];
    int64_t unowed = work->reclaimed[row];
    const int32_t *freed = it->transfers->freed;
    int32_t by_limit = freed && it->transfers->loose[number] > 0 ? ALLOT__BY_LIMIT : 0;
    list_closed(it, row);
    int32_t first = it->out->reclaim_count;
    list_owed(it, row, number);
    for (int32_t i = first; i < it->out->reclaim_count; i++)
        unowed -= it->out->reclaims[i].slots;
    if (unowed > 0) {
        allot__order_back *own = reclaim_with(it, first, grace);
        if (!own)
            own = add_reclaim(
                it, (allot__order_back){
                        .row = row, .grace = grace, .first = (int32_t)it->transfers->claim_count});
        own->slots += unowed;
        own->unowed = it->transfers->unowed[number] | by_limit;
    }
    it->out->reclaims[first].freed = freed ? freed[number] : 0;
}

/* Reclaims go by donor, the last number first. */
int allot__transfers_list(allot__transfers *transfers)
{
    lists it = {
        .transfers = transfers,
        .out = transfers->out,
    };
    if (!list_grants(&it) || !list_givers(&it) || !link_runs(&it))
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < it.giver_count; i++)
        list_leaf(&it, transfers->leaves.row[it.givers[i]], it.givers[i]);
    transfers->out->claims = transfers->claims;
    return transfers->status;
}
