/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_loan.c: who has lent how much to whom; new loans, and loans that are called back. */
#include <string.h>

#include "engine/ledger_books.h"
#include "engine/order.h"

/* ---- Whom ------------------------------------------------------------------------------------ */

static const allot__peers *peers_of(const allot__ledger *ledger, int32_t holder, bool lend)
{
    const allot__group *group = ledger->work->group;
    const int32_t *at = lend ? group->lend_at : group->borrow_at;
    const allot__vector *all = lend ? &group->lend : &group->borrow;
    int32_t index = at != NULL ? at[ledger->holders[holder].row] : -1;
    return index >= 0 ? (const allot__peers *)all->items + index : NULL;
}

/* The row of a listed consumer. */
static int32_t listed(const allot__ledger *ledger, const allot__peers *peers, int32_t i)
{
    return allot__row(ledger->work->plan, ledger->work->index, peers->list[i]);
}

/* Is the other one in a holder's list, itself or by a parent? */
static bool knows(const allot__ledger *ledger, int32_t holder, int32_t other, bool lend)
{
    const allot__peers *peers = peers_of(ledger, holder, lend);
    int32_t place = ledger->holders[other].place;
    if (peers == NULL || peers->count < 0) {
        return peers != NULL;
    }
    for (int32_t i = 0; i < peers->count; i++) {
        int32_t row = listed(ledger, peers, i);
        if (place >= ledger->first[row] && place < ledger->end[row]) {
            return true;
        }
    }
    return false;
}

bool allot__loan_allowed(const allot__ledger *ledger, int32_t lender, int32_t borrower,
                         allot__why *why)
{
    if (!knows(ledger, lender, borrower, true)) {
        *why = ALLOT__WHY_LEND_LIST;
        return false;
    }
    *why = ALLOT__WHY_BORROW_LIST;
    return knows(ledger, borrower, lender, false);
}

int32_t allot__lend_most(const allot__holder *holder)
{
    int32_t most = holder->own > holder->reserve ? holder->own - holder->reserve : 0;
    return most < holder->lend_most ? most : holder->lend_most;
}

/* ---- The books ------------------------------------------------------------------------------- */

static allot__lent *push_loan(allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    if (ledger->loan_count == ledger->loan_room) {
        int32_t room = ledger->loan_room > 0 ? 2 * ledger->loan_room : 64;
        allot__lent *more = allot__arena_take(ledger->work->arena, (size_t)room, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        if (ledger->loan_count > 0) {
            memcpy(more, ledger->loans, (size_t)ledger->loan_count * sizeof *more);
        }
        ledger->loans = more;
        ledger->loan_room = room;
    }
    allot__lent *loan = &ledger->loans[ledger->loan_count];
    *loan = (allot__lent){.lender = lender,
                          .borrower = borrower,
                          .older = ledger->holders[borrower].loans,
                          .why = ALLOT__WHY_KEPT};
    ledger->holders[borrower].loans = ledger->loan_count++;
    return loan;
}

static int32_t find_loan(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    int32_t loan = ledger->holders[borrower].loans;
    while (loan >= 0 && ledger->loans[loan].lender != lender) {
        loan = ledger->loans[loan].older;
    }
    return loan;
}

static void loan_more(allot__ledger *ledger, int32_t loan, int64_t slots)
{
    ledger->loans[loan].slots += (int32_t)slots;
    ledger->holders[ledger->loans[loan].lender].out += (int32_t)slots;
}

void allot__loan_less(allot__ledger *ledger, int32_t loan, int64_t slots, allot__why why)
{
    allot__lent *it = &ledger->loans[loan];
    it->slots -= (int32_t)slots;
    it->why = why;
    ledger->holders[it->lender].out -= (int32_t)slots;
    ledger->holders[it->borrower].in -= (int32_t)slots;
}

/* Loans of a borrower beyond what it still holds have ended, the newest first. */
static void clip(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        for (int32_t loan = holder->loans; loan >= 0 && holder->in > holder->held;
             loan = ledger->loans[loan].older) {
            int32_t slots = holder->in - holder->held;
            slots = slots < ledger->loans[loan].slots ? slots : ledger->loans[loan].slots;
            allot__loan_less(ledger, loan, slots, ALLOT__WHY_ENDED);
        }
    }
}

/* The state's loans, those of the same two added up. Between others there are none here. */
static int read_loans(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    const allot_loan *loans = work->state->loans.items;
    for (size_t i = 0; i < work->state->loans.count && !ledger->planning; i++) {
        if (loans[i].group != work->index) {
            continue;
        }
        int32_t lender = ledger->holder_of[allot__row(work->plan, work->index, loans[i].lender)];
        int32_t borrower =
            ledger->holder_of[allot__row(work->plan, work->index, loans[i].borrower)];
        if (lender < 0 || borrower < 0 || loans[i].slots == 0) {
            continue;
        }
        int32_t loan = find_loan(ledger, lender, borrower);
        if (loan < 0 && push_loan(ledger, lender, borrower) == NULL) {
            return ALLOT_ENOMEM;
        }
        loan = loan >= 0 ? loan : ledger->loan_count - 1;
        int64_t most = ALLOT_AMOUNT_MAX - ledger->holders[borrower].in;
        most = most < ALLOT_AMOUNT_MAX - ledger->holders[lender].out
                   ? most
                   : ALLOT_AMOUNT_MAX - ledger->holders[lender].out;
        int64_t slots = loans[i].slots < most ? loans[i].slots : most;
        loan_more(ledger, loan, slots);
        ledger->holders[borrower].in += (int32_t)slots;
        ledger->loans[loan].before += (int32_t)slots;
    }
    ledger->known = ledger->loan_count;
    return ALLOT_OK;
}

/* By lender; of one the worst-ranked borrower first, then the newest. */
static int order_lenders(allot__ledger *ledger)
{
    allot__arena *arena = ledger->work->arena;
    size_t count = (size_t)ledger->known + 1;
    ledger->by_lender = allot__arena_take(arena, count, sizeof(int32_t));
    ledger->lender_at = allot__arena_take(arena, (size_t)ledger->count + 2, sizeof(int32_t));
    if (ledger->by_lender == NULL || ledger->lender_at == NULL) {
        return ALLOT_ENOMEM;
    }
    memset(ledger->lender_at, 0, ((size_t)ledger->count + 2) * sizeof(int32_t));
    for (int32_t i = 0; i < ledger->known; i++) {
        const allot__lent *loan = &ledger->loans[i];
        int64_t rank = ledger->work->rank[ledger->holders[loan->borrower].row];
        ledger->order[i] = ledger->known - 1 - i;
        ledger->keys[i] = ((int64_t)loan->lender << 32) + (ALLOT_AMOUNT_MAX - rank);
        ledger->lender_at[loan->lender + 1]++;
    }
    allot__books_sort(ledger, ledger->known);
    memcpy(ledger->by_lender, ledger->order, (size_t)ledger->known * sizeof(int32_t));
    for (int32_t i = 0; i < ledger->count; i++) {
        ledger->lender_at[i + 1] += ledger->lender_at[i];
    }
    return ALLOT_OK;
}

int allot__loans_open(allot__ledger *ledger)
{
    int status = read_loans(ledger);
    if (status != ALLOT_OK) {
        return status;
    }
    clip(ledger);
    return order_lenders(ledger);
}

/* ---- Phase 3 --------------------------------------------------------------------------------- */

/* What a lender can lend now. */
static int64_t can_lend(const allot__ledger *ledger, int32_t lender)
{
    const allot__holder *holder = &ledger->holders[lender];
    int64_t within = (int64_t)allot__lend_most(holder) - holder->out;
    int64_t used = holder->used > holder->reserve ? holder->used : holder->reserve;
    int64_t idle = holder->own - used - holder->out;
    idle = idle < within ? idle : within;
    return idle > 0 ? idle : 0;
}

static int64_t can_borrow(const allot__ledger *ledger, int32_t borrower)
{
    const allot__holder *holder = &ledger->holders[borrower];
    int64_t wants = allot__holder_wants(holder, holder->most);
    int64_t within = (int64_t)holder->borrow_most - holder->in;
    int64_t free = wants > 0 ? allot__books_free(ledger, borrower) : 0;
    wants = wants < within ? wants : within;
    wants = wants < free ? wants : free;
    return wants > 0 ? wants : 0;
}

static bool lend(allot__ledger *ledger, int32_t lender, int32_t borrower, int64_t slots)
{
    int32_t loan = find_loan(ledger, lender, borrower);
    if (loan < 0) {
        if (push_loan(ledger, lender, borrower) == NULL) {
            return false;
        }
        loan = ledger->loan_count - 1;
    }
    loan_more(ledger, loan, slots);
    ledger->loans[loan].why = ALLOT__WHY_BORROWED;
    allot__books_give(ledger, borrower, slots, ALLOT__BORROWED);
    return true;
}

/* The first place from `place` on whose holder may have something to lend; paths are halved. */
static int32_t next_lender(int32_t *next, int32_t place)
{
    while (next[place] != place) {
        next[place] = next[next[place]];
        place = next[place];
    }
    return place;
}

/* Borrows from those at the places [from, to). */
static bool borrow_from(allot__ledger *ledger, int32_t *next, int32_t borrower, int32_t from,
                        int32_t to)
{
    allot__why why;
    for (int32_t at = next_lender(next, from); at < to; at = next_lender(next, at + 1)) {
        int64_t wants = can_borrow(ledger, borrower);
        int32_t lender = ledger->at[at];
        int64_t slots = can_lend(ledger, lender);
        if (wants == 0) {
            return true;
        }
        if (slots == 0) {
            next[at] = at + 1;
            continue;
        }
        if (lender == borrower || !allot__loan_allowed(ledger, lender, borrower, &why)) {
            continue;
        }
        if (!lend(ledger, lender, borrower, slots < wants ? slots : wants)) {
            return false;
        }
    }
    return true;
}

static bool borrow(allot__ledger *ledger, int32_t *next, int32_t borrower)
{
    const allot__peers *peers = peers_of(ledger, borrower, false);
    if (peers == NULL || can_borrow(ledger, borrower) == 0) {
        return true;
    }
    if (peers->count < 0) {
        return borrow_from(ledger, next, borrower, 0, ledger->places);
    }
    for (int32_t i = 0; i < peers->count; i++) {
        int32_t row = listed(ledger, peers, i);
        if (!borrow_from(ledger, next, borrower, ledger->first[row], ledger->end[row])) {
            return false;
        }
    }
    return true;
}

/* The order of borrowers, each holder by its own policy's keys. */
static int order_borrowers(allot__ledger *ledger, int32_t *out)
{
    allot__work *work = ledger->work;
    for (int32_t i = 0; i < ledger->count; i++) {
        ledger->order[i] = i;
    }
    for (int32_t k = ALLOT_KEYS_MAX - 1; k >= 0; k--) {
        bool any = false;
        for (int32_t i = 0; i < ledger->count; i++) {
            allot__rules *rules = allot__rules_at(work, ledger->holders[i].row);
            const allot__fill *part = allot__policy_part(rules->policy, ALLOT__LOAN);
            const allot_key *key =
                part != NULL && k < part->order.count ? &part->order.keys[k] : NULL;
            if (key != NULL && k == part->order.count - 1) {
                int status = allot__order_prepare(work, rules, &part->order);
                if (status != ALLOT_OK) {
                    return status;
                }
            }
            int64_t value =
                key != NULL ? allot__order_key(work, rules, key, ledger->holders[i].row) : 0;
            ledger->keys[i] = key != NULL && key->descending ? ~value : value;
            any = any || key != NULL;
        }
        if (any) {
            allot__books_sort(ledger, ledger->count);
        }
    }
    memcpy(out, ledger->order, (size_t)ledger->count * sizeof *out);
    return ALLOT_OK;
}

/* Idle slots that leaves under other policies lack of their quotas: those are not borrowed. */
static int64_t others_lack(const allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    int64_t lack = 0;
    for (int32_t row = 0; !ledger->all && row < work->tree->rows; row++) {
        bool other = allot__family_of(work, row) == 0 && ledger->holder_of[row] < 0;
        int64_t slots = other ? (int64_t)work->quota[row] - work->allocated[row] : 0;
        lack += slots > 0 ? slots : 0;
    }
    return lack;
}

int allot__loans_borrow(allot__ledger *ledger)
{
    int32_t *next = ledger->column[0], *order = ledger->column[1];
    bool any = ledger->work->group->lend_at != NULL && ledger->work->group->borrow_at != NULL;
    if (!any || (ledger->idle + ledger->pledged <= 0 && ledger->loose == 0)) {
        return ALLOT_OK;
    }
    for (int32_t place = ledger->places; place >= 0; place--) {
        bool lends = place < ledger->places && ledger->at[place] >= 0 &&
                     can_lend(ledger, ledger->at[place]) > 0;
        next[place] = lends || place == ledger->places ? place : place + 1;
    }
    int64_t apart = others_lack(ledger);
    ledger->idle -= apart;
    int status = order_borrowers(ledger, order);
    for (int32_t i = 0; i < ledger->count && status == ALLOT_OK; i++) {
        status = borrow(ledger, next, order[i]) ? ALLOT_OK : ALLOT_ENOMEM;
    }
    ledger->idle += apart;
    return status;
}

/* ---- Phase 4 --------------------------------------------------------------------------------- */

static void recall(allot__ledger *ledger, int32_t lender, int32_t loan)
{
    const allot__holder *holder = &ledger->holders[lender];
    int32_t borrower = ledger->loans[loan].borrower;
    int64_t slots = allot__holder_wants(holder, holder->most);
    int64_t within = allot__books_within(ledger, lender, borrower);
    slots = slots < ledger->loans[loan].slots ? slots : ledger->loans[loan].slots;
    slots = slots < within ? slots : within;
    slots = slots < ledger->holders[borrower].in ? slots : ledger->holders[borrower].in;
    if (slots > 0) {
        allot__loan_take(ledger, loan, slots, lender, ALLOT__WHY_RECALLED);
        allot__books_promise(ledger, lender, slots, ALLOT__OWN);
    }
}

void allot__loans_recall(allot__ledger *ledger, bool first)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        if (ledger->holders[i].recall_first != first || ledger->holders[i].out == 0) {
            continue;
        }
        for (int32_t k = ledger->lender_at[i]; k < ledger->lender_at[i + 1]; k++) {
            recall(ledger, i, ledger->by_lender[k]);
        }
    }
}
