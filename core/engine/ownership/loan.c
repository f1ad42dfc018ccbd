/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loan.c: the loans between lenders and borrowers. */
#include <string.h>

#include "engine/ownership/books.h"

/* The index of a pair in `pairs`, or that of its free entry. */
static uint32_t pair_at(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    uint32_t mask = (uint32_t)ledger->loan_room * 2 - 1;
    uint32_t at = ((uint32_t)lender * 0x9e3779b1u ^ (uint32_t)borrower) * 0x85ebca6bu;
    at ^= at >> 15;
    for (at &= mask; ledger->pairs[at] != 0; at = (at + 1) & mask) {
        const allot__lent *loan = &ledger->loans[ledger->pairs[at] - 1];
        if (loan->lender == lender && loan->borrower == borrower)
            break;
    }
    return at;
}

static void add_pair(allot__ledger *ledger, int32_t loan)
{
    const allot__lent *it = &ledger->loans[loan];
    ledger->pairs[pair_at(ledger, it->lender, it->borrower)] = loan + 1;
}

/* Grows the arrays for so many more loans; their size is a power of two. */
static bool loan_room(allot__ledger *ledger, int32_t more_loans)
{
    if (ledger->loan_count + more_loans <= ledger->loan_room)
        return true;
    allot__arena *arena = ledger->work->arena;
    size_t room = 64;
    while (room < (size_t)ledger->loan_count + (size_t)more_loans)
        room *= 2;
    allot__lent *more = allot__arena_take(arena, room, sizeof *more);
    int32_t *pairs = allot__arena_take(arena, room, 2 * sizeof *pairs);
    if (!more || !pairs)
        return false;
    if (ledger->loan_count > 0)
        memcpy(more, ledger->loans, (size_t)ledger->loan_count * sizeof *more);
    memset(pairs, 0, room * 2 * sizeof *pairs);
    ledger->loans = more;
    ledger->pairs = pairs;
    ledger->loan_room = (int32_t)room;
    for (int32_t i = 0; i < ledger->loan_count; i++)
        add_pair(ledger, i);
    return true;
}

static bool push_loan(allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    if (!loan_room(ledger, 1))
        return false;
    ledger->loans[ledger->loan_count] = (allot__lent){.lender = lender,
                                                      .borrower = borrower,
                                                      .older = ledger->holders[borrower].loans,
                                                      .why = ALLOT__WHY_KEPT};
    ledger->holders[borrower].loans = ledger->loan_count++;
    add_pair(ledger, ledger->loan_count - 1);
    return true;
}

static int32_t find_loan(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    return ledger->loan_room > 0 ? ledger->pairs[pair_at(ledger, lender, borrower)] - 1 : -1;
}

int32_t allot__loan_between(allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    int32_t loan = find_loan(ledger, lender, borrower);
    if (loan < 0 && push_loan(ledger, lender, borrower))
        loan = ledger->loan_count - 1;
    return loan;
}

void allot__loan_more(allot__ledger *ledger, int32_t loan, int64_t slots)
{
    allot__books_touch(ledger, ledger->loans[loan].lender);
    ledger->loans[loan].slots += (int32_t)slots;
    ledger->holders[ledger->loans[loan].lender].out += (int32_t)slots;
}

void allot__loan_less(allot__ledger *ledger, int32_t loan, int64_t slots, allot__why why)
{
    allot__lent *it = &ledger->loans[loan];
    allot__books_touch(ledger, it->lender);
    allot__books_touch(ledger, it->borrower);
    it->slots -= (int32_t)slots;
    it->why = why;
    ledger->holders[it->lender].out -= (int32_t)slots;
    ledger->holders[it->borrower].in -= (int32_t)slots;
}

/* Ends loans beyond the slots that their borrower still holds, the newest first. */
static void clip(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        for (int32_t loan = holder->loans; loan >= 0 && holder->in > holder->held;
             loan = ledger->loans[loan].older) {
            int32_t slots = holder->in - holder->held;
            slots = allot__least(slots, ledger->loans[loan].slots);
            allot__loan_less(ledger, loan, slots, ALLOT__WHY_ENDED);
        }
    }
}

/* Adds a loan of the state to the books; cuts sums that are too large. */
static int read_loan(allot__ledger *ledger, int32_t lender, int32_t borrower, int64_t slots)
{
    int32_t loan = allot__loan_between(ledger, lender, borrower);
    if (loan < 0)
        return ALLOT_ENOMEM;
    slots = allot__least(slots, ALLOT_AMOUNT_MAX - ledger->holders[borrower].in);
    slots = allot__least(slots, ALLOT_AMOUNT_MAX - ledger->holders[lender].out);
    allot__loan_more(ledger, loan, slots);
    ledger->holders[borrower].in += (int32_t)slots;
    ledger->loans[loan].before += (int32_t)slots;
    return ALLOT_OK;
}

/* Reads the state's loans; loans between the same two holders add up. Loans of leaves that are not,
 * or no longer, holders have ended. */
static int read_loans(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    const allot_loan *loans = work->state->loans.items;
    for (size_t i = 0; i < work->state->loans.count && !ledger->planning; i++) {
        if (loans[i].group != work->index)
            continue;
        int32_t lender = ledger->holder_of[allot__row(work->plan, work->index, loans[i].lender)];
        int32_t borrower =
            ledger->holder_of[allot__row(work->plan, work->index, loans[i].borrower)];
        if (lender < 0 || borrower < 0 || loans[i].slots == 0)
            continue;
        int status = read_loan(ledger, lender, borrower, loans[i].slots);
        if (status != ALLOT_OK)
            return status;
    }
    ledger->known = ledger->loan_count;
    return ALLOT_OK;
}

/* Sorts loans by lender; then the worst-ranked borrower first, then the newest loan. */
static int order_lenders(allot__ledger *ledger)
{
    allot__arena *arena = ledger->work->arena;
    size_t count = (size_t)ledger->known + 1;
    ledger->by_lender = allot__arena_take(arena, count, sizeof(int32_t));
    ledger->lender_at = allot__arena_take(arena, (size_t)ledger->count + 2, sizeof(int32_t));
    if (!ledger->by_lender || !ledger->lender_at)
        return ALLOT_ENOMEM;
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
    for (int32_t i = 0; i < ledger->count; i++)
        ledger->lender_at[i + 1] += ledger->lender_at[i];
    return ALLOT_OK;
}

int allot__loans_open(allot__ledger *ledger)
{
    int status = read_loans(ledger);
    if (status != ALLOT_OK)
        return status;
    bool more = ledger->keep && ledger->work->group->lend_at; /* else each run may grow anew */
    if (more && !loan_room(ledger, ledger->count))
        return ALLOT_ENOMEM;
    clip(ledger);
    return order_lenders(ledger);
}
