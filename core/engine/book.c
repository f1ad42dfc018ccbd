/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* book.c: what was written down, as lists by leaf: grants, reclaims, and their claims. */
#include "engine/book.h"

#include <string.h>

typedef struct lists {
    allot__book *book;
    allot__orders *out;
    const allot__transfer *transfers;
    int32_t count;
    int32_t *head;  /* by number: its first transfer, -1: none; */
    int32_t *next;  /* ... by transfer: the next one, */
    int32_t *order; /* ... and the reclaim that it belongs to */
    int32_t room;   /* for reclaims */
} lists;

int64_t allot__granted(const allot__work *work, int32_t row)
{
    int64_t wants = (int64_t)work->demand[row] - work->allocated[row];
    wants = wants > 0 ? wants : 0;
    return wants < work->received[row] ? wants : work->received[row];
}

static bool list_grants(allot__book *book)
{
    allot__orders *out = book->out;
    for (int32_t i = 0; i < book->leaves; i++) {
        out->grant_count += book->leaf[i] >= 0 && allot__granted(book->work, book->leaf[i]) > 0;
    }
    out->grants =
        allot__arena_take(book->work->arena, (size_t)out->grant_count + 1, sizeof *out->grants);
    if (out->grants == NULL) {
        return false;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < book->leaves; i++) {
        if (book->leaf[i] >= 0 && allot__granted(book->work, book->leaf[i]) > 0) {
            out->grants[at++] = book->leaf[i];
        }
    }
    return true;
}

/* What of a leaf's slots stands on closed hosts and was not told to go before. */
static int64_t closing(const allot__work *work, int32_t row)
{
    return work->closed == NULL ? 0 : work->closed->held[row] - work->closed->flying[row];
}

/* The row of the parent of a row's siblings; -1: the root. */
static int32_t parent_of(const allot__work *work, int32_t row)
{
    int32_t family = allot__tree_holding(work->tree->first, work->tree->families, row);
    return family == 0 ? -1 : work->group->parent[family];
}

/* E-31: a leaf's own, or that of the closest common ancestor. Parents have smaller rows. */
static int64_t grace_of(const allot__work *work, int32_t from, int32_t to)
{
    const int32_t *grace = work->group->columns[ALLOT_GRACE];
    int32_t a = from;
    int32_t b = to;
    while (work->group->options[ALLOT_OPTION_ANCESTOR_GRACE] && a != b && a >= 0 && b >= 0) {
        if (a > b) {
            a = parent_of(work, a);
        } else {
            b = parent_of(work, b);
        }
    }
    return a == b ? grace[a] : grace[from];
}

static bool begin(lists *it)
{
    allot__book *book = it->book;
    allot__arena *arena = book->work->arena;
    size_t count = (size_t)it->count + 1;
    it->head = book->next; /* what lacks was served */
    it->next = allot__arena_take(arena, count, sizeof *it->next);
    it->order = allot__arena_take(arena, count, sizeof *it->order);
    if (it->next == NULL || it->order == NULL) {
        return false;
    }
    for (int32_t i = 0; i <= book->leaves; i++) {
        it->head[i] = -1;
    }
    for (int32_t i = it->count - 1; i >= 0; i--) {
        it->next[i] = it->head[it->transfers[i].from];
        it->head[it->transfers[i].from] = i;
    }
    it->room = it->count;
    for (int32_t i = 0; i < book->leaves; i++) {
        int32_t row = book->leaf[i];
        it->room +=
            row >= 0 ? (book->work->reclaimed[row] > 0) + (closing(book->work, row) > 0) : 0;
    }
    it->out->reclaims = allot__arena_take(arena, (size_t)it->room + 1, sizeof *it->out->reclaims);
    it->out->claims = allot__arena_take(arena, count, sizeof *it->out->claims);
    return it->out->reclaims != NULL && it->out->claims != NULL;
}

/* The reclaim of a leaf with that grace, from number `first` on; made where there is none. */
static int32_t reclaim_with(lists *it, int32_t first, int32_t row, int64_t grace)
{
    allot__order_back *list = it->out->reclaims;
    for (int32_t i = first; i < it->out->reclaim_count; i++) {
        if (list[i].grace == grace) {
            return i;
        }
    }
    list[it->out->reclaim_count] = (allot__order_back){.row = row, .grace = grace};
    return it->out->reclaim_count++;
}

/* What goes for nobody's sake but a host's that is closed. */
static void list_closed(lists *it, int32_t row)
{
    const allot__work *work = it->book->work;
    const allot__closed_slots *closed = work->closed;
    if (closing(work, row) > 0) {
        it->out->reclaims[it->out->reclaim_count++] =
            (allot__order_back){.row = row,
                                .unowed = ALLOT__BY_CLOSED,
                                .slots = closing(work, row),
                                .grace = work->group->columns[ALLOT_GRACE][row],
                                .tasks = closed->tasks + closed->first[row],
                                .task_count = closed->first[row + 1] - closed->first[row]};
    }
}

static void list_leaf(lists *it, int32_t number)
{
    const allot__work *work = it->book->work;
    int32_t row = it->book->leaf[number];
    int64_t unowed = work->reclaimed[row];
    list_closed(it, row);
    int32_t first = it->out->reclaim_count;
    for (int32_t i = it->head[number]; i >= 0; i = it->next[i]) {
        int32_t to = it->book->leaf[it->transfers[i].to];
        to = to >= 0 ? to : work->group->parent[~to];
        it->order[i] = reclaim_with(it, first, row, grace_of(work, row, to));
        allot__order_back *reclaim = &it->out->reclaims[it->order[i]];
        reclaim->slots += it->transfers[i].slots;
        reclaim->count++;
        unowed -= it->transfers[i].slots;
    }
    if (unowed > 0) {
        int32_t own = reclaim_with(it, first, row, work->group->columns[ALLOT_GRACE][row]);
        it->out->reclaims[own].slots += unowed;
        it->out->reclaims[own].unowed = it->book->unowed[number];
    }
}

/* Adds a transfer to its reclaim's claims; claim_of: where those of a number were added last. */
static void list_claim(lists *it, int32_t transfer, int32_t *claim_of)
{
    const allot__work *work = it->book->work;
    allot__order_back *reclaim = &it->out->reclaims[it->order[transfer]];
    allot_claim *claims = &it->out->claims[reclaim->first];
    int32_t number = it->transfers[transfer].to;
    int32_t row = it->book->leaf[number];
    int32_t to = allot__handle(work, row >= 0 ? row : work->group->parent[~row]);
    int32_t known = claim_of != NULL ? claim_of[number] : reclaim->count - 1;
    if (known >= 0 && known < reclaim->count && claims[known].consumer == to) {
        claims[known].slots += it->transfers[transfer].slots;
        return;
    }
    if (claim_of != NULL) {
        claim_of[number] = reclaim->count;
    }
    claims[reclaim->count++] = (allot_claim){to, it->transfers[transfer].slots};
}

/* A ledger transfers from one leaf to another at different times, which is one claim; all between
 * two leaves are of one reclaim. */
static void list_claims(lists *it)
{
    allot__book *book = it->book;
    allot__orders *out = it->out;
    int32_t sum = 0;
    for (int32_t i = 0; i < out->reclaim_count; i++) {
        out->reclaims[i].first = sum;
        sum += out->reclaims[i].count;
        out->reclaims[i].count = 0;
    }
    for (int32_t i = 0; i < it->count && book->work->ledger == NULL; i++) {
        list_claim(it, i, NULL);
    }
    if (book->work->ledger != NULL) {
        int32_t *claim_of = book->lack; /* what lacks was served */
        memset(claim_of, 0, (size_t)book->leaves * sizeof *claim_of);
        for (int32_t number = 0; number < book->leaves; number++) {
            for (int32_t i = it->head[number]; i >= 0; i = it->next[i]) {
                list_claim(it, i, claim_of);
            }
        }
    }
}

/* Leaves that give back, last number first. */
int allot__book_list(allot__book *book)
{
    lists it = {.book = book,
                .out = book->out,
                .transfers = book->transfers.items,
                .count = (int32_t)book->transfers.count};
    if (!list_grants(book) || !begin(&it)) {
        return ALLOT_ENOMEM;
    }
    for (int32_t i = book->leaves - 1; i >= 0; i--) {
        int32_t row = book->leaf[i];
        if (row >= 0 && (book->work->reclaimed[row] > 0 || closing(book->work, row) > 0)) {
            list_leaf(&it, i);
        }
    }
    list_claims(&it);
    return ALLOT_OK;
}
