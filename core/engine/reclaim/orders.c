/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.c: numbers leaves in the order of distribution, so that a subtree is a range of numbers;
 * then runs reclaim once more and records it.
 */
#include "engine/reclaim/orders.h"

#include <string.h>

#include "base/least.h"
#include "base/simd.h"
#include "engine/reclaim/reach.h"
#include "engine/reclaim/takes.h"

/* No claims on hosts yet. */
static bool take_hosts(allot__transfers *transfers)
{
    const allot__work *work = transfers->work;
    if (!work->reach)
        return true;
    size_t units = (size_t)work->state->tasks.units[work->index].count;
    size_t count = units + (size_t)work->tree->rows;
    transfers->taken = allot__arena_zeroed(work->arena, count, sizeof *transfers->taken);
    return transfers->taken != NULL;
}

static int take_room(allot__transfers *transfers)
{
    const allot__work *work = transfers->work;
    size_t rows = (size_t)work->tree->rows + (size_t)work->tree->families + 1;
    transfers->run_room = transfers->claim_room = rows;
    if (!take_hosts(transfers) ||
        ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, transfers->lack, transfers->unowed,
                                                 transfers->runs, transfers->claims)) != ALLOT_OK ||
        (work->relates && allot__takes_begin(transfers) != ALLOT_OK))
        return ALLOT_ENOMEM;
    return allot__leaves_take(&transfers->leaves, work, work->arena, true);
}

/* The deficits of leaves if they follow from quotas alone. */
ALLOT__CLONES static void plain_lacks(const allot__work *work, const int32_t *restrict leaf,
                                      int32_t count, int32_t *restrict lack)
{
    const int32_t *quota = work->quota;
    const int32_t *allocated = work->allocated;
    const int32_t *received = work->received;
    for (int32_t i = 0; i < count; i++) {
        int32_t row = leaf[i] > 0 ? leaf[i] : 0;
        int32_t lacks = quota[row] - allocated[row] - received[row];
        lack[i] = lacks > 0 ? lacks : 0;
    }
}

static bool count_lacks(allot__transfers *transfers)
{
    const allot__work *work = transfers->work;
    const int32_t *leaf = transfers->leaves.row;
    bool plain =
        !work->earmarked && !work->reach && !allot__any_option(work, ALLOT_OPTION_CLAIM_DELAY);
    if (plain)
        plain_lacks(work, leaf, transfers->leaves.count, transfers->lack);
    for (int32_t i = 0; i < transfers->leaves.count && !plain; i++)
        transfers->lack[i] = leaf[i] >= 0 ? (int32_t)allot__deficit(work, leaf[i]) : 0;
    for (int32_t family = 1; family < work->tree->families; family++)
        transfers->lack[transfers->leaves.start[family] + transfers->leaves.size[family] - 1] =
            (int32_t)allot__spare_deficit(work, family);
    memset(transfers->unowed, 0, (size_t)transfers->leaves.count);
    if (!allot__bits_take(&transfers->lacking, work->arena, transfers->leaves.count))
        return false;
    allot__bits_fill(&transfers->lacking, transfers->lack);
    return true;
}

/* Makes room for `more` items behind those of a vector; false: there is none. */
static bool make_room(allot__transfers *transfers, allot__vector *vector, size_t more, size_t size)
{
    if (vector->capacity - vector->count >= more)
        return true;
    if (allot__vector_room(transfers->work->plan->engine, vector, more, size) == ALLOT_OK)
        return true;
    transfers->status = ALLOT_ENOMEM;
    return false;
}

/* The run that the next claim of a leaf's slots belongs to; NULL: out of memory. */
static allot__run *open_run(allot__transfers *transfers, int32_t from)
{
    size_t count = transfers->run_count;
    if (count > 0 && transfers->runs[count - 1].from == from)
        return &transfers->runs[count - 1];
    allot__run *runs = allot__transfers_room(transfers, transfers->runs, count,
                                             &transfers->run_room, 1, sizeof *runs);
    if (!runs)
        return NULL;
    transfers->runs = runs;
    transfers->run_count++;
    runs[count] = (allot__run){.from = from, .first = (int32_t)transfers->claim_count};
    return &runs[count];
}

static int32_t claimant(const allot__transfers *transfers, int32_t number)
{
    int32_t row = transfers->leaves.row[number];
    return allot__handle(transfers->work, row >= 0 ? row : transfers->work->group->parent[~row]);
}

static void push_claim(allot__transfers *transfers, int32_t from, int32_t to, int32_t slots)
{
    allot__run *run = slots > 0 ? open_run(transfers, from) : NULL;
    if (!run)
        return;
    size_t count = transfers->claim_count;
    int32_t consumer = claimant(transfers, to);
    run->slots += slots;
    if (count > (size_t)run->first && transfers->claims[count - 1].consumer == consumer) {
        transfers->claims[count - 1].slots += slots;
        return;
    }
    allot_claim *claims = allot__transfers_room(transfers, transfers->claims, count,
                                                &transfers->claim_room, 1, sizeof *claims);
    if (!claims)
        return;
    claims[count] = (allot_claim){consumer, slots};
    transfers->claims = claims;
    transfers->claim_count++;
}

static void serve_lack(allot__transfers *transfers, int32_t number, int32_t slots)
{
    transfers->lack[number] -= slots;
    if (slots > 0 && transfers->lack[number] <= 0)
        allot__bits_remove(&transfers->lacking, number);
}

static int32_t record(allot__transfers *transfers, int32_t from, int32_t to, int32_t slots)
{
    push_claim(transfers, from, to, slots);
    serve_lack(transfers, to, slots);
    return slots;
}

/* ---- What limits free ------------------------------------------------------------------------ */

static bool take_loose(allot__transfers *transfers)
{
    size_t count = (size_t)transfers->leaves.count;
    int32_t *both = allot__arena_zeroed(transfers->work->arena, 2 * count, sizeof *both);
    if (!both ||
        !allot__bits_take(&transfers->has_loose, transfers->work->arena, transfers->leaves.count)) {
        transfers->status = ALLOT_ENOMEM;
        return false;
    }
    transfers->freed = both;
    transfers->loose = both + count;
    return true;
}

static void set_free(allot__transfers *transfers, int32_t number, int32_t slots)
{
    if (!transfers->freed && !take_loose(transfers))
        return;
    transfers->freed[number] += slots;
    transfers->loose[number] += slots;
    allot__bits_add(&transfers->has_loose, number);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Gives slots that no test keeps from the claimant. */
static int32_t hand(allot__transfers *transfers, int32_t from, int32_t to, int32_t slots)
{
    if (transfers->room)
        allot__takes_promise(transfers, to, slots);
    return record(transfers, from, to, slots);
}

/* Gives slots of a leaf to leaves below a family that lack some and that they serve (E-30), the
 * best first; returns the number given. */
static int32_t serve_fit(allot__transfers *transfers, int32_t from, int32_t family, int32_t slots)
{
    int32_t left = slots;
    int32_t end = transfers->leaves.start[family] + transfers->leaves.size[family];
    for (int32_t to = allot__bits_next(&transfers->lacking, transfers->leaves.start[family]);
         to < end && left > 0; to = allot__bits_next(&transfers->lacking, to + 1)) {
        int32_t row = transfers->leaves.row[to];
        int32_t part = left < transfers->lack[to] ? left : transfers->lack[to];
        if (transfers->room)
            part = (int32_t)allot__least(part, allot__takes_room(transfers, to));
        if (transfers->taken && row >= 0)
            part = (int32_t)allot__reach_take(transfers->work, transfers->leaves.row[from], row,
                                              part, transfers->taken);
        left -= hand(transfers, from, to, part);
    }
    return slots - left;
}

/* The same, whether or not the slots serve them by host. */
static int32_t serve(allot__transfers *transfers, int32_t from, int32_t family, int32_t slots)
{
    int32_t to = allot__bits_next(&transfers->lacking, transfers->leaves.start[family]);
    return hand(transfers, from, to, slots < transfers->lack[to] ? slots : transfers->lack[to]);
}

/* Serves the deficits below the node with what it took. */
static void finish_node(allot__transfers *transfers)
{
    allot__take *takes = transfers->takes.items;
    size_t count = transfers->takes.count;
    uint8_t unowed = transfers->family == ALLOT__FORCE ? ALLOT__BY_FORCE
                     : transfers->family == 0          ? ALLOT__BY_SIZE
                                                       : 0;
    allot__takes_sort(takes, count);
    for (size_t i = 0; i < count; i++) {
        int32_t left = takes[i].slots;
        int32_t owed = left < transfers->owed ? left : (int32_t)transfers->owed;
        int32_t served =
            owed > 0 ? serve_fit(transfers, takes[i].from, transfers->family, owed) : 0;
        while (served < owed)
            served += serve(transfers, takes[i].from, transfers->family, owed - served);
        left -= owed;
        transfers->owed -= owed;
        if (left > 0 && unowed == 0)
            set_free(transfers, takes[i].from, left);
        else if (left > 0)
            transfers->unowed[takes[i].from] |= unowed;
    }
    transfers->takes.count = 0;
}

static void on_node(allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    (void)slots;
    finish_node(transfers);
    transfers->family = family;
    transfers->owed = owed;
}

static int64_t on_freed(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    int32_t start = transfers->leaves.start[family];
    int32_t end = start + transfers->leaves.size[family];
    int64_t left = slots;
    finish_node(transfers);
    transfers->family = family;
    while (left > 0 && transfers->status == ALLOT_OK &&
           (end = allot__bits_last(&transfers->has_loose, end)) >= start) {
        int32_t *loose = &transfers->loose[end];
        int32_t served = serve_fit(transfers, end, family, left < *loose ? (int32_t)left : *loose);
        *loose -= served;
        left -= served;
        if (*loose == 0)
            allot__bits_remove(&transfers->has_loose, end);
    }
    return slots - left;
}

static int64_t on_match(allot__reclaim_log *log, allot__reclaim_split *split, int32_t family,
                        int64_t most)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    finish_node(transfers);
    transfers->family = family;
    return allot__takes_match(transfers, split, most);
}

static void on_room(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    transfers->room[family] = slots > 0 ? slots : 0;
}

static void on_waive(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    finish_node(transfers);
    for (int32_t i = transfers->leaves.start[family] + transfers->leaves.size[family] - 1;
         slots > 0; i--) {
        int32_t part = transfers->lack[i] < slots ? transfers->lack[i] : (int32_t)slots;
        serve_lack(transfers, i, part);
        slots -= part;
    }
}

static void on_move(allot__reclaim_log *log, int32_t from, int32_t to, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    int32_t number = transfers->leaves.number[to];
    int32_t lack = transfers->lack[number];
    allot__spare_move rest = {transfers->leaves.number[from], number, (int32_t)slots};
    rest.slots -= hand(transfers, rest.from, number, lack < slots ? lack : (int32_t)slots);
    if (rest.slots > 0 && make_room(transfers, &transfers->spare, 1, sizeof rest))
        ((allot__spare_move *)transfers->spare.items)[transfers->spare.count++] = rest;
}

static void on_moved(allot__reclaim_log *log, int64_t spare)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    const allot__spare_move *list = transfers->spare.items;
    for (size_t i = 0; i < transfers->spare.count && transfers->status == ALLOT_OK; i++) {
        int32_t left = list[i].slots;
        while (left > 0 && spare > 0) {
            int32_t slots = serve(transfers, list[i].from, 0, left < spare ? left : (int32_t)spare);
            left -= slots;
            spare -= slots;
        }
        push_claim(transfers, list[i].from, list[i].to, left);
    }
}

static int64_t on_unmatched(allot__reclaim_log *log, int32_t family)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    int64_t sum = 0;
    finish_node(transfers);
    for (int32_t i = 0; i < transfers->leaves.size[family]; i++)
        sum += transfers->lack[transfers->leaves.start[family] + i];
    return sum;
}

static void on_parts(allot__split_listener *listener, int32_t first, int32_t count,
                     const int32_t *part)
{
    allot__transfers *transfers = (allot__transfers *)(void *)listener;
    if (!make_room(transfers, &transfers->takes, (size_t)count, sizeof(allot__take)))
        return;
    allot__take *takes = transfers->takes.items;
    size_t at = transfers->takes.count;
    for (int32_t i = count - 1; i >= 0; i--) {
        takes[at] = (allot__take){transfers->leaves.number[first + i], part[i]};
        at += part[i] > 0;
    }
    transfers->takes.count = at;
}

static int write_down(allot__transfers *transfers)
{
    int status = allot__leaves_distribute(&transfers->leaves, transfers->work);
    if (status != ALLOT_OK)
        return status;
    if (!count_lacks(transfers))
        return ALLOT_ENOMEM;
    status = allot__reclaim(transfers->work, &transfers->log);
    if (status != ALLOT_OK)
        return status;
    finish_node(transfers);
    if (transfers->status != ALLOT_OK)
        return transfers->status;
    if (transfers->room)
        allot__takes_end(transfers);
    return allot__transfers_list(transfers);
}

int allot__orders_make(allot__work *work, allot__chooser *chooser, allot__orders *out)
{
    allot__transfers transfers = {.log = {{on_parts},
                                          on_node,
                                          on_freed,
                                          on_waive,
                                          on_move,
                                          on_moved,
                                          on_match,
                                          on_room,
                                          on_unmatched},
                                  .work = work,
                                  .out = out,
                                  .chooser = chooser,
                                  .record = record};
    *out = (allot__orders){0};
    int status = take_room(&transfers);
    if (status == ALLOT_OK)
        status = write_down(&transfers);
    allot__vector_free(work->plan->engine, &transfers.takes);
    allot__vector_free(work->plan->engine, &transfers.spare);
    return status;
}

/* Sums over leaves whose received slots are all in their demand. */
ALLOT__CLONES static void sum_leaves(const allot__work *work, int32_t first, int32_t count,
                                     allot__sums *sums)
{
    const int32_t *demand = work->demand + first;
    const int32_t *allocated = work->allocated + first;
    const int32_t *received = work->received + first;
    const int32_t *reclaimed = work->reclaimed + first;
    int64_t held = 0;
    int64_t given = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t wants = demand[i] > allocated[i] ? demand[i] - allocated[i] : 0;
        held += received[i] > wants ? received[i] - wants : 0;
        given += reclaimed[i];
    }
    sums->held += held;
    sums->given += given;
}

void allot__orders_sum(allot__work *work)
{
    bool plain = !work->granted && !work->moved;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        allot__sums *sums = &work->sums[family];
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        sums->held = work->spare[family];
        sums->given = 0;
        if (plain && work->tree->inner[family] == 0) {
            sum_leaves(work, first, count, sums);
            continue;
        }
        for (int32_t row = first; row < first + count; row++) {
            int32_t below = allot__family_of(work, row);
            if (below != 0) {
                sums->held += work->sums[below].held;
                sums->given += work->sums[below].given;
            } else {
                sums->held += work->received[row] - allot__granted(work, row);
                sums->given += work->reclaimed[row];
            }
        }
    }
}
