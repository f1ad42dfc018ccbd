/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.c: leaves numbered in the order of distribution, so that a subtree is a range of numbers;
 * then reclaim once more, this time written down.
 */
#include "engine/reclaim/orders.h"

#include <string.h>

#include "engine/reclaim/reach.h"

/* Nobody has claims on hosts yet. */
static bool take_hosts(allot__book *book)
{
    const allot__work *work = book->work;
    if (!work->reach)
        return true;
    size_t units = (size_t)work->state->tasks.units[work->index].count;
    size_t count = units + (size_t)work->tree->rows;
    book->taken = allot__arena_take(work->arena, count, sizeof *book->taken);
    if (book->taken)
        memset(book->taken, 0, count * sizeof *book->taken);
    return book->taken != NULL;
}

static bool take_room(allot__book *book)
{
    allot__arena *arena = book->work->arena;
    size_t rows = (size_t)book->work->tree->rows + (size_t)book->work->tree->families + 1;
    size_t families = (size_t)book->work->tree->families;
    size_t size = sizeof(int32_t);
    book->number = allot__arena_take(arena, rows, size);
    book->leaf = allot__arena_take(arena, rows, size);
    book->lack = allot__arena_take(arena, rows, size);
    book->next = allot__arena_take(arena, rows, size);
    book->unowed = allot__arena_take(arena, rows, size);
    book->freed = allot__arena_take(arena, rows, size);
    book->loose = allot__arena_take(arena, rows, size);
    book->start = allot__arena_take(arena, families, size);
    book->size = allot__arena_take(arena, families, size);
    return take_hosts(book) && book->number && book->leaf && book->lack && book->next &&
           book->unowed && book->freed && book->loose && book->start && book->size;
}

static void count_leaves(allot__book *book)
{
    const allot__work *work = book->work;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        book->size[family] = family > 0; /* the last member */
        for (int32_t row = first; row < first + count; row++) {
            int32_t below = allot__family_of(work, row);
            book->size[family] += below == 0 ? 1 : book->size[below];
        }
    }
    book->leaves = book->size[0];
}

static int number_leaves(allot__book *book)
{
    allot__work *work = book->work;
    allot__sorter sorter;
    int32_t *rows = allot__arena_take(work->arena, (size_t)work->tree->widest + 1, sizeof *rows);
    if (!rows || allot__sorter_init(work, &sorter) != ALLOT_OK)
        return ALLOT_ENOMEM;
    book->start[0] = 0;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        int32_t at = book->start[family];
        const allot__rules *rules = allot__rules_of(work, family);
        bool natural = allot__order_natural(&rules->policy->distribute);
        if (!natural)
            allot__order_sort(work, rules, &rules->policy->distribute, &sorter, first, count, rows);
        for (int32_t i = 0; i < count; i++) {
            int32_t row = natural ? first + i : rows[i];
            int32_t below = allot__family_of(work, row);
            if (below != 0) {
                book->start[below] = at;
                at += book->size[below];
            } else {
                book->number[row] = at;
                book->leaf[at++] = row;
            }
        }
        if (family > 0)
            book->leaf[at] = ~family;
    }
    return ALLOT_OK;
}

static void count_lacks(allot__book *book)
{
    for (int32_t i = 0; i < book->leaves; i++) {
        int32_t row = book->leaf[i];
        book->lack[i] = (int32_t)(row >= 0 ? allot__deficit(book->work, row)
                                           : allot__spare_deficit(book->work, ~row));
        book->next[i] = book->lack[i] > 0 ? i : i + 1;
        book->unowed[i] = 0;
        book->freed[i] = 0;
        book->loose[i] = 0;
    }
    book->next[book->leaves] = book->leaves;
}

/* The first leaf from a number on that still lacks. Paths are halved, so that many lookups cost
 * little more than one each. */
static int32_t next_lacking(allot__book *book, int32_t number)
{
    int32_t *next = book->next;
    while (next[number] != number) {
        next[number] = next[next[number]];
        number = next[number];
    }
    return number;
}

static void push_transfer(allot__book *book, allot__vector *list, int32_t from, int32_t to,
                          int64_t slots)
{
    allot__transfer *item =
        slots > 0 ? allot__push(book->work->plan->engine, list, sizeof *item) : NULL;
    if (slots == 0)
        return;
    if (!item) {
        book->status = ALLOT_ENOMEM;
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

static bool take_tree(allot__book *book)
{
    for (book->width = 1; book->width <= book->leaves;)
        book->width *= 2;
    size_t size = 2 * (size_t)book->width;
    book->any = allot__arena_take(book->work->arena, size, sizeof *book->any);
    if (!book->any) {
        book->status = ALLOT_ENOMEM;
        return false;
    }
    memset(book->any, 0, size * sizeof *book->any);
    return true;
}

static void set_loose(allot__book *book, int32_t number, int64_t slots)
{
    int32_t at = book->width + number;
    book->loose[number] = (int32_t)slots;
    book->any[at] = slots > 0;
    for (; at > 1; at /= 2)
        book->any[at / 2] = book->any[at] | book->any[at ^ 1];
}

/* The last number before `end` that has loose slots, or -1. */
static int32_t last_loose(const allot__book *book, int32_t end)
{
    int32_t at = book->width + end;
    while (at > 1 && (!(at & 1) || !book->any[at - 1]))
        at /= 2;
    if (at <= 1)
        return -1;
    for (at--; at < book->width;)
        at = 2 * at + book->any[2 * at + 1];
    return at - book->width;
}

static void set_free(allot__book *book, int32_t number, int64_t slots)
{
    if (book->any || take_tree(book)) {
        book->freed[number] += (int32_t)slots;
        set_loose(book, number, book->loose[number] + slots);
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static int64_t hand(allot__book *book, int32_t from, int32_t to, int64_t slots)
{
    push_transfer(book, &book->transfers, from, to, slots);
    book->lack[to] -= (int32_t)slots;
    book->next[to] = book->lack[to] > 0 ? to : to + 1;
    return slots;
}

/* Hands slots of a leaf to those below a family that still lack some and that they serve (E-30),
 * the best first; how many they can have. */
static int64_t serve_fit(allot__book *book, int32_t from, int32_t family, int64_t slots)
{
    int64_t left = slots;
    int32_t end = book->start[family] + book->size[family];
    for (int32_t to = next_lacking(book, book->start[family]); to < end && left > 0;
         to = next_lacking(book, to + 1)) {
        int32_t row = book->leaf[to];
        int64_t part = left < book->lack[to] ? left : book->lack[to];
        if (book->taken && row >= 0)
            part = allot__reach_take(book->work, book->leaf[from], row, part, book->taken);
        left -= part > 0 ? hand(book, from, to, part) : 0;
    }
    return slots - left;
}

/* The same of the best, whomever they serve. */
static int64_t serve(allot__book *book, int32_t from, int32_t family, int64_t slots)
{
    int32_t to = next_lacking(book, book->start[family]);
    return hand(book, from, to, slots < book->lack[to] ? slots : book->lack[to]);
}

/* Serves the deficits below the node with what it took. */
static void finish_node(allot__book *book)
{
    allot__take *takes = book->takes.items;
    size_t count = book->takes.count;
    int32_t unowed = book->family == ALLOT__FORCE ? ALLOT__BY_FORCE
                     : book->family == 0          ? ALLOT__BY_SIZE
                                                  : 0;
    sort_takes(takes, count);
    for (size_t i = 0; i < count; i++) {
        int64_t left = takes[i].slots;
        int64_t owed = left < book->owed ? left : book->owed;
        int64_t served = owed > 0 ? serve_fit(book, takes[i].from, book->family, owed) : 0;
        while (served < owed)
            served += serve(book, takes[i].from, book->family, owed - served);
        left -= owed;
        book->owed -= owed;
        book->unowed[takes[i].from] |= left > 0 ? unowed : 0;
        if (left > 0 && unowed == 0)
            set_free(book, takes[i].from, left);
    }
    book->takes.count = 0;
}

static void on_node(allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed)
{
    allot__book *book = (allot__book *)(void *)log;
    (void)slots;
    finish_node(book);
    book->family = family;
    book->owed = owed;
}

static int64_t on_freed(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__book *book = (allot__book *)(void *)log;
    int32_t end = book->start[family] + book->size[family];
    int64_t left = slots;
    finish_node(book);
    while (left > 0 && book->status == ALLOT_OK &&
           (end = last_loose(book, end)) >= book->start[family]) {
        int64_t most = left < book->loose[end] ? left : book->loose[end];
        int64_t served = serve_fit(book, end, family, most);
        set_loose(book, end, book->loose[end] - served);
        left -= served;
    }
    return slots - left;
}

static void on_waive(allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__book *book = (allot__book *)(void *)log;
    finish_node(book);
    for (int32_t i = book->start[family] + book->size[family] - 1; slots > 0; i--) {
        int32_t part = book->lack[i] < slots ? book->lack[i] : (int32_t)slots;
        book->lack[i] -= part;
        book->next[i] = book->lack[i] > 0 ? i : i + 1;
        slots -= part;
    }
}

static void on_move(allot__reclaim_log *log, int32_t from, int32_t to, int64_t slots)
{
    allot__book *book = (allot__book *)(void *)log;
    int32_t number = book->number[to];
    int32_t served = book->lack[number] < slots ? book->lack[number] : (int32_t)slots;
    push_transfer(book, &book->transfers, book->number[from], number, served);
    push_transfer(book, &book->spare, book->number[from], number, slots - served);
    book->lack[number] -= served;
    book->next[number] = book->lack[number] > 0 ? number : number + 1;
}

static void on_moved(allot__reclaim_log *log, int64_t spare)
{
    allot__book *book = (allot__book *)(void *)log;
    const allot__transfer *list = book->spare.items;
    for (size_t i = 0; i < book->spare.count && book->status == ALLOT_OK; i++) {
        int64_t left = list[i].slots;
        while (left > 0 && spare > 0) {
            int64_t slots = serve(book, list[i].from, 0, left < spare ? left : spare);
            left -= slots;
            spare -= slots;
        }
        push_transfer(book, &book->transfers, list[i].from, list[i].to, left);
    }
}

static int64_t on_unmatched(allot__reclaim_log *log, int32_t family)
{
    allot__book *book = (allot__book *)(void *)log;
    int64_t sum = 0;
    finish_node(book);
    for (int32_t i = 0; i < book->size[family]; i++)
        sum += book->lack[book->start[family] + i];
    return sum;
}

static void on_leaf(allot__taker *taker, int32_t row, int64_t slots)
{
    allot__book *book = (allot__book *)(void *)taker;
    allot__take *item = allot__push(book->work->plan->engine, &book->takes, sizeof *item);
    if (!item) {
        book->status = ALLOT_ENOMEM;
        return;
    }
    *item = (allot__take){book->number[row], slots};
}

static int write_down(allot__book *book)
{
    count_leaves(book);
    int status = number_leaves(book);
    if (status != ALLOT_OK)
        return status;
    count_lacks(book);
    status = allot__reclaim(book->work, &book->log);
    if (status != ALLOT_OK)
        return status;
    finish_node(book);
    if (book->status != ALLOT_OK)
        return book->status;
    return allot__book_list(book);
}

int allot__orders_make(allot__work *work, allot__orders *out)
{
    allot__book book = {
        .log = {{on_leaf}, on_node, on_freed, on_waive, on_move, on_moved, on_unmatched},
        .work = work,
        .out = out};
    *out = (allot__orders){0};
    int status = take_room(&book) ? write_down(&book) : ALLOT_ENOMEM;
    allot__vector_free(work->plan->engine, &book.takes);
    allot__vector_free(work->plan->engine, &book.transfers);
    allot__vector_free(work->plan->engine, &book.spare);
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
