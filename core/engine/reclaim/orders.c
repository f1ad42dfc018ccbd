/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.c: leaves numbered in the order of distribution, so that a subtree is a range of numbers;
 * then reclaim once more, this time written down.
 */
#include "engine/reclaim/orders.h"

#include <string.h>

#include "engine/reclaim/reach.h"

/* No claims on hosts yet. */
static bool take_hosts(allot__transfers *transfers)
{
    const allot__work *work = transfers->work;
    if (!work->reach)
        return true;
    size_t units = (size_t)work->state->tasks.units[work->index].count;
    size_t count = units + (size_t)work->tree->rows;
    transfers->taken = allot__arena_take(work->arena, count, sizeof *transfers->taken);
    if (transfers->taken)
        memset(transfers->taken, 0, count * sizeof *transfers->taken);
    return transfers->taken != NULL;
}

static bool take_room(allot__transfers *transfers)
{
    allot__arena *arena = transfers->work->arena;
    size_t rows = (size_t)transfers->work->tree->rows + (size_t)transfers->work->tree->families + 1;
    size_t families = (size_t)transfers->work->tree->families;
    size_t size = sizeof(int32_t);
    transfers->number = allot__arena_take(arena, rows, size);
    transfers->leaf = allot__arena_take(arena, rows, size);
    transfers->lack = allot__arena_take(arena, rows, size);
    transfers->next = allot__arena_take(arena, rows, size);
    transfers->unowed = allot__arena_take(arena, rows, size);
    transfers->freed = allot__arena_take(arena, rows, size);
    transfers->loose = allot__arena_take(arena, rows, size);
    transfers->start = allot__arena_take(arena, families, size);
    transfers->size = allot__arena_take(arena, families, size);
    return take_hosts(transfers) && transfers->number && transfers->leaf && transfers->lack &&
           transfers->next && transfers->unowed && transfers->freed && transfers->loose &&
           transfers->start && transfers->size;
}

static void count_leaves(allot__transfers *transfers)
{
    const allot__work *work = transfers->work;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        transfers->size[family] = family > 0; /* the last member */
        for (int32_t row = first; row < first + count; row++) {
            int32_t below = allot__family_of(work, row);
            transfers->size[family] += below == 0 ? 1 : transfers->size[below];
        }
    }
    transfers->leaves = transfers->size[0];
}

static int number_leaves(allot__transfers *transfers)
{
    allot__work *work = transfers->work;
    allot__sorter sorter;
    int32_t *rows = allot__arena_take(work->arena, (size_t)work->tree->widest + 1, sizeof *rows);
    if (!rows || allot__sorter_init(work, &sorter) != ALLOT_OK)
        return ALLOT_ENOMEM;
    transfers->start[0] = 0;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        int32_t at = transfers->start[family];
        const allot__rules *rules = allot__rules_of(work, family);
        bool natural = allot__order_natural(&rules->policy->distribute);
        if (!natural)
            allot__order_sort(work, rules, &rules->policy->distribute, &sorter, first, count, rows);
        for (int32_t i = 0; i < count; i++) {
            int32_t row = natural ? first + i : rows[i];
            int32_t below = allot__family_of(work, row);
            if (below != 0) {
                transfers->start[below] = at;
                at += transfers->size[below];
            } else {
                transfers->number[row] = at;
                transfers->leaf[at++] = row;
            }
        }
        if (family > 0)
            transfers->leaf[at] = ~family;
    }
    return ALLOT_OK;
}

static void count_lacks(allot__transfers *transfers)
{
    for (int32_t i = 0; i < transfers->leaves; i++) {
        int32_t row = transfers->leaf[i];
        transfers->lack[i] = (int32_t)(row >= 0 ? allot__deficit(transfers->work, row)
                                                : allot__spare_deficit(transfers->work, ~row));
        transfers->next[i] = transfers->lack[i] > 0 ? i : i + 1;
        transfers->unowed[i] = 0;
        transfers->freed[i] = 0;
        transfers->loose[i] = 0;
    }
    transfers->next[transfers->leaves] = transfers->leaves;
}

/* The first leaf from a number on that still lacks. Paths are halved, so that many lookups cost
 * little more than one each. */
static int32_t next_lacking(allot__transfers *transfers, int32_t number)
{
    int32_t *next = transfers->next;
    while (next[number] != number) {
        next[number] = next[next[number]];
        number = next[number];
    }
    return number;
}

static void push_transfer(allot__transfers *transfers, allot__vector *list, int32_t from,
                          int32_t to, int64_t slots)
{
    allot__transfer *item =
        slots > 0 ? allot__push(transfers->work->plan->engine, list, sizeof *item) : NULL;
    if (slots == 0)
        return;
    if (!item) {
        transfers->status = ALLOT_ENOMEM;
        return;
    }
    *item = (allot__transfer){from, to, slots};
}

static void sink(allot__take *heap, size_t count, size_t i)
{
    for (;;) {
        size_t best = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
            if (heap[k].from < heap[best].from)
                best = k;
        if (best == i)
            return;
        allot__take item = heap[i];
        heap[i] = heap[best];
        heap[best] = item;
        i = best;
    }
}

/* Sorts takes by falling number, as they are carried out. Of one family they mostly come so. */
static void sort_takes(allot__take *takes, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && takes[sorted - 1].from >= takes[sorted].from)
        sorted++;
    if (sorted >= count)
        return;
    for (size_t i = count / 2; i > 0; i--)
        sink(takes, count, i - 1);
    for (size_t i = count; i > 1; i--) {
        allot__take last = takes[0];
        takes[0] = takes[i - 1];
        takes[i - 1] = last;
        sink(takes, i - 1, 0);
    }
}

/* ---- What limits free ------------------------------------------------------------------------ */

static bool take_tree(allot__transfers *transfers)
{
    for (transfers->width = 1; transfers->width <= transfers->leaves;)
        transfers->width *= 2;
    size_t size = 2 * (size_t)transfers->width;
    transfers->any = allot__arena_take(transfers->work->arena, size, sizeof *transfers->any);
    if (!transfers->any) {
        transfers->status = ALLOT_ENOMEM;
        return false;
    }
    memset(transfers->any, 0, size * sizeof *transfers->any);
    return true;
}

static void set_loose(allot__transfers *transfers, int32_t number, int64_t slots)
{
    int32_t at = transfers->width + number;
    transfers->loose[number] = (int32_t)slots;
    transfers->any[at] = slots > 0;
    for (; at > 1; at /= 2)
        transfers->any[at / 2] = transfers->any[at] | transfers->any[at ^ 1];
}

/* The last number before `end` that has loose slots, or -1. */
static int32_t last_loose(const allot__transfers *transfers, int32_t end)
{
    int32_t at = transfers->width + end;
    while (at > 1 && (!(at & 1) || !transfers->any[at - 1]))
        at /= 2;
    if (at <= 1)
        return -1;
    for (at--; at < transfers->width;)
        at = 2 * at + transfers->any[2 * at + 1];
    return at - transfers->width;
}

static void set_free(allot__transfers *transfers, int32_t number, int64_t slots)
{
    if (transfers->any || take_tree(transfers)) {
        transfers->freed[number] += (int32_t)slots;
        set_loose(transfers, number, transfers->loose[number] + slots);
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static int64_t hand(allot__transfers *transfers, int32_t from, int32_t to, int64_t slots)
{
    push_transfer(transfers, &transfers->list, from, to, slots);
    transfers->lack[to] -= (int32_t)slots;
    transfers->next[to] = transfers->lack[to] > 0 ? to : to + 1;
    return slots;
}

/* Hands slots of a leaf to those below a family that still lack some and that they serve (E-30),
 * the best first; how many they can have. */
static int64_t serve_fit(allot__transfers *transfers, int32_t from, int32_t family, int64_t slots)
{
    int64_t left = slots;
    int32_t end = transfers->start[family] + transfers->size[family];
    for (int32_t to = next_lacking(transfers, transfers->start[family]); to < end && left > 0;
         to = next_lacking(transfers, to + 1)) {
        int32_t row = transfers->leaf[to];
        int64_t part = left < transfers->lack[to] ? left : transfers->lack[to];
        if (transfers->taken && row >= 0)
            part = allot__reach_take(transfers->work, transfers->leaf[from], row, part,
                                     transfers->taken);
        left -= part > 0 ? hand(transfers, from, to, part) : 0;
    }
    return slots - left;
}

/* The same of the best, whomever they serve. */
static int64_t serve(allot__transfers *transfers, int32_t from, int32_t family, int64_t slots)
{
    int32_t to = next_lacking(transfers, transfers->start[family]);
    return hand(transfers, from, to, slots < transfers->lack[to] ? slots : transfers->lack[to]);
}

/* Serves the deficits below the node with what it took. */
static void finish_node(allot__transfers *transfers)
{
    allot__take *takes = transfers->takes.items;
    size_t count = transfers->takes.count;
    int32_t unowed = transfers->family == ALLOT__FORCE ? ALLOT__BY_FORCE
                     : transfers->family == 0          ? ALLOT__BY_SIZE
                                                       : 0;
    sort_takes(takes, count);
    for (size_t i = 0; i < count; i++) {
        int64_t left = takes[i].slots;
        int64_t owed = left < transfers->owed ? left : transfers->owed;
        int64_t served =
            owed > 0 ? serve_fit(transfers, takes[i].from, transfers->family, owed) : 0;
        while (served < owed)
            served += serve(transfers, takes[i].from, transfers->family, owed - served);
        left -= owed;
        transfers->owed -= owed;
        transfers->unowed[takes[i].from] |= left > 0 ? unowed : 0;
        if (left > 0 && unowed == 0)
            set_free(transfers, takes[i].from, left);
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
    int32_t end = transfers->start[family] + transfers->size[family];
    int64_t left = slots;
    finish_node(transfers);
    while (left > 0 && transfers->status == ALLOT_OK &&
           (end = last_loose(transfers, end)) >= transfers->start[family]) {
        int64_t most = left < transfers->loose[end] ? left : transfers->loose[end];
        int64_t served = serve_fit(transfers, end, family, most);
        set_loose(transfers, end, transfers->loose[end] - served);
        left -= served;
    }
    return slots - left;
}

static void on_waive(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    finish_node(transfers);
    for (int32_t i = transfers->start[family] + transfers->size[family] - 1; slots > 0; i--) {
        int32_t part = transfers->lack[i] < slots ? transfers->lack[i] : (int32_t)slots;
        transfers->lack[i] -= part;
        transfers->next[i] = transfers->lack[i] > 0 ? i : i + 1;
        slots -= part;
    }
}

static void on_move(allot__reclaim_log *log, int32_t from, int32_t to, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    int32_t number = transfers->number[to];
    int32_t served = transfers->lack[number] < slots ? transfers->lack[number] : (int32_t)slots;
    push_transfer(transfers, &transfers->list, transfers->number[from], number, served);
    push_transfer(transfers, &transfers->spare, transfers->number[from], number, slots - served);
    transfers->lack[number] -= served;
    transfers->next[number] = transfers->lack[number] > 0 ? number : number + 1;
}

static void on_moved(allot__reclaim_log *log, int64_t spare)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    const allot__transfer *list = transfers->spare.items;
    for (size_t i = 0; i < transfers->spare.count && transfers->status == ALLOT_OK; i++) {
        int64_t left = list[i].slots;
        while (left > 0 && spare > 0) {
            int64_t slots = serve(transfers, list[i].from, 0, left < spare ? left : spare);
            left -= slots;
            spare -= slots;
        }
        push_transfer(transfers, &transfers->list, list[i].from, list[i].to, left);
    }
}

static int64_t on_unmatched(allot__reclaim_log *log, int32_t family)
{
    allot__transfers *transfers = (allot__transfers *)(void *)log;
    int64_t sum = 0;
    finish_node(transfers);
    for (int32_t i = 0; i < transfers->size[family]; i++)
        sum += transfers->lack[transfers->start[family] + i];
    return sum;
}

static void on_leaf(allot__split_listener *listener, int32_t row, int64_t slots)
{
    allot__transfers *transfers = (allot__transfers *)(void *)listener;
    allot__take *item = allot__push(transfers->work->plan->engine, &transfers->takes, sizeof *item);
    if (!item) {
        transfers->status = ALLOT_ENOMEM;
        return;
    }
    *item = (allot__take){transfers->number[row], slots};
}

static int write_down(allot__transfers *transfers)
{
    count_leaves(transfers);
    int status = number_leaves(transfers);
    if (status != ALLOT_OK)
        return status;
    count_lacks(transfers);
    status = allot__reclaim(transfers->work, &transfers->log);
    if (status != ALLOT_OK)
        return status;
    finish_node(transfers);
    if (transfers->status != ALLOT_OK)
        return transfers->status;
    return allot__transfers_list(transfers);
}

int allot__orders_make(allot__work *work, allot__orders *out)
{
    allot__transfers transfers = {
        .log = {{on_leaf}, on_node, on_freed, on_waive, on_move, on_moved, on_unmatched},
        .work = work,
        .out = out};
    *out = (allot__orders){0};
    int status = take_room(&transfers) ? write_down(&transfers) : ALLOT_ENOMEM;
    allot__vector_free(work->plan->engine, &transfers.takes);
    allot__vector_free(work->plan->engine, &transfers.list);
    allot__vector_free(work->plan->engine, &transfers.spare);
    return status;
}

void allot__orders_sum(allot__work *work)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        allot__sums *sums = &work->sums[family];
        int32_t first = allot__family_first(work, family);
        sums->held = work->spare[family];
        sums->given = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
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
