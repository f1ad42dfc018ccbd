/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * peers.c: inverts lists of peers: by consumer, the leaves that lend to it, so that a borrower
 * looks at no others.
 */
#include "engine/ownership/peers.h"

#include <string.h>

const allot__peers *allot__peers_of(const allot__ledger *ledger, int32_t holder, bool lend)
{
    const allot__group *group = ledger->work->group;
    const int32_t *at = lend ? group->lend_at : group->borrow_at;
    const allot__vector *all = lend ? &group->lend : &group->borrow;
    int32_t index = at ? at[ledger->holders[holder].row] : -1;
    return index >= 0 ? (const allot__peers *)all->items + index : NULL;
}

int32_t allot__peer_row(const allot__ledger *ledger, const allot__peers *peers, int32_t i)
{
    return allot__row(ledger->work->plan, ledger->work->index, peers->list[i]);
}

/* ---- Lists and loans ------------------------------------------------------------------------- */

/* Marks the rows of a list, in a column by row. */
static void mark_list(const allot__ledger *ledger, const allot__peers *peers, int32_t mark)
{
    for (int32_t i = 0; peers && i < peers->count; i++)
        ledger->column[0][allot__peer_row(ledger, peers, i)] = mark;
}

/* Does a list name a holder, or a parent above it? */
static bool means(const allot__ledger *ledger, const allot__peers *peers, int32_t mark,
                  int32_t holder)
{
    const allot__holder *it = &ledger->holders[holder];
    bool marked = ledger->column[0][it->row] == mark;
    for (int32_t family = it->family; family > 0 && !marked; family = ledger->above[family])
        marked = ledger->column[0][ledger->work->group->parent[family]] == mark;
    return peers && (peers->count < 0 || marked);
}

void allot__loans_judge(allot__ledger *ledger, uint8_t *why)
{
    int32_t *marks = ledger->column[0], mark = 0;
    memset(why, ALLOT__WHY_KEPT, (size_t)ledger->known);
    memset(marks, 0, (size_t)ledger->work->tree->rows * sizeof *marks);
    for (int32_t i = 0; i < ledger->count; i++) {
        int32_t from = ledger->lender_at[i], to = ledger->lender_at[i + 1];
        const allot__peers *list = from < to ? allot__peers_of(ledger, i, true) : NULL;
        mark_list(ledger, list, ++mark);
        for (int32_t k = from; k < to; k++) {
            int32_t loan = ledger->by_lender[k];
            if (!means(ledger, list, mark, ledger->loans[loan].borrower))
                why[loan] = ALLOT__WHY_LEND_LIST;
        }
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        int32_t loan = ledger->holders[i].loans;
        const allot__peers *list = loan >= 0 ? allot__peers_of(ledger, i, false) : NULL;
        mark_list(ledger, list, ++mark);
        for (; loan >= 0; loan = ledger->loans[loan].older)
            if (why[loan] == ALLOT__WHY_KEPT &&
                !means(ledger, list, mark, ledger->loans[loan].lender))
                why[loan] = ALLOT__WHY_BORROW_LIST;
    }
}

/* ---- Lenders --------------------------------------------------------------------------------- */

/* The first entry from `at` on that may have slots to lend; halves paths on the way. */
static int32_t skip(int32_t *next, int32_t at)
{
    while (next[at] != at) {
        next[at] = next[next[at]];
        at = next[at];
    }
    return at;
}

/* The list of the holder at a place. */
static const allot__peers *list_at(const allot__ledger *ledger, int32_t place)
{
    return allot__peers_of(ledger, ledger->at[place], true);
}

static bool take_entries(allot__lenders *lenders, size_t rows, size_t count)
{
    allot__arena *arena = lenders->ledger->work->arena;
    lenders->first = allot__arena_take(arena, rows + 1, sizeof *lenders->first);
    lenders->places = allot__arena_take(arena, count + 1, sizeof *lenders->places);
    lenders->next = allot__arena_take(arena, count + 1, sizeof *lenders->next);
    lenders->at = allot__arena_take(arena, rows, sizeof *lenders->at);
    return lenders->first != NULL && lenders->places && lenders->next && lenders->at;
}

/* Writes the places of each row's entries, and where they begin. */
static void fill_entries(allot__lenders *lenders, const int32_t *lends, int32_t lender_count)
{
    const allot__ledger *ledger = lenders->ledger;
    int32_t *first = lenders->first;
    memset(first, 0, ((size_t)ledger->work->tree->rows + 1) * sizeof *first);
    for (int32_t k = 0; k < lender_count; k++) {
        const allot__peers *peers = list_at(ledger, lends[k]);
        for (int32_t i = 0; peers && i < peers->count; i++)
            first[allot__peer_row(ledger, peers, i) + 1]++;
    }
    for (int32_t row = 0; row < ledger->work->tree->rows; row++) {
        first[row + 1] += first[row];
        lenders->at[row] = first[row];
    }
    for (int32_t k = 0; k < lender_count; k++) {
        const allot__peers *peers = list_at(ledger, lends[k]);
        for (int32_t i = 0; peers && i < peers->count; i++)
            lenders->places[lenders->at[allot__peer_row(ledger, peers, i)]++] = lends[k];
    }
}

int allot__lenders_init(allot__lenders *lenders, const allot__ledger *ledger, const int32_t *lends,
                        int32_t count)
{
    int32_t places = ledger->places, listed = 0, to = places;
    *lenders = (allot__lenders){.ledger = ledger};
    lenders->open = allot__arena_take(ledger->work->arena, (size_t)places + 1, sizeof(int32_t));
    if (!lenders->open)
        return ALLOT_ENOMEM;
    lenders->open[places] = places;
    for (int32_t place = places - 1, k = count - 1; place >= 0; place--) {
        const allot__peers *peers = NULL;
        if (k >= 0 && lends[k] == place)
            peers = list_at(ledger, lends[k--]);
        listed += peers && peers->count > 0 ? peers->count : 0;
        to = peers && peers->count < 0 ? place : to;
        lenders->open[place] = to;
    }
    if (listed == 0)
        return ALLOT_OK;
    if (!take_entries(lenders, (size_t)ledger->work->tree->rows, (size_t)listed))
        return ALLOT_ENOMEM;
    fill_entries(lenders, lends, count);
    for (int32_t i = 0; i <= listed; i++)
        lenders->next[i] = i;
    return ALLOT_OK;
}

/* Walks the rows by which a list may name a borrower: its own and its parents'. -1: no more. */
typedef struct naming {
    int32_t row, family;
} naming;

static naming named_first(const allot__lenders *lenders, int32_t borrower)
{
    const allot__holder *holder = &lenders->ledger->holders[borrower];
    return (naming){lenders->first != NULL ? holder->row : -1, holder->family};
}

static void named_next(const allot__lenders *lenders, naming *it)
{
    const allot__ledger *ledger = lenders->ledger;
    it->row = it->family > 0 ? ledger->work->group->parent[it->family] : -1;
    it->family = it->family > 0 ? ledger->above[it->family] : 0;
}

void allot__lenders_begin(allot__lenders *lenders, int32_t borrower, int32_t from)
{
    lenders->open_at = skip(lenders->open, from);
    for (naming it = named_first(lenders, borrower); it.row >= 0; named_next(lenders, &it)) {
        int32_t low = lenders->first[it.row];
        int32_t high = lenders->first[it.row + 1];
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (lenders->places[middle] < from)
                low = middle + 1;
            else
                high = middle;
        }
        lenders->at[it.row] = skip(lenders->next, low);
    }
}

/* Has a row an entry left? */
static bool has_entry(const allot__lenders *lenders, int32_t row)
{
    return lenders->at[row] < lenders->first[row + 1];
}

int32_t allot__lenders_place(const allot__lenders *lenders, int32_t borrower)
{
    int32_t least = lenders->open_at;
    for (naming it = named_first(lenders, borrower); it.row >= 0; named_next(lenders, &it))
        if (has_entry(lenders, it.row) && lenders->places[lenders->at[it.row]] < least)
            least = lenders->places[lenders->at[it.row]];
    return least;
}

void allot__lenders_pass(allot__lenders *lenders, int32_t borrower, int32_t place, bool spent)
{
    if (lenders->open_at == place) {
        lenders->open[place] = spent ? place + 1 : place;
        lenders->open_at = skip(lenders->open, place + 1);
    }
    for (naming it = named_first(lenders, borrower); it.row >= 0; named_next(lenders, &it)) {
        int32_t at = lenders->at[it.row];
        if (has_entry(lenders, it.row) && lenders->places[at] == place) {
            lenders->next[at] = spent ? at + 1 : at;
            lenders->at[it.row] = skip(lenders->next, at + 1);
        }
    }
}
