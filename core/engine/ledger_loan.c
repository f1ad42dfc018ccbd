/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_loan.c: who has lent how much to whom; new loans, and loans that are called back. */
#include <string.h>

#include "engine/ledger_peers.h"
#include "engine/order.h"

int32_t allot__lend_most(const allot__holder *holder)
{
    int32_t most = holder->own > holder->reserve ? holder->own - holder->reserve : 0;
    return most < holder->lend_most ? most : holder->lend_most;
}

/* ---- The books ------------------------------------------------------------------------------- */

/* Where a pair is among the pairs, or would be. */
static uint32_t pair_at(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    uint32_t mask = (uint32_t)ledger->loan_room * 2 - 1;
    uint32_t at = ((uint32_t)lender * 0x9e3779b1u ^ (uint32_t)borrower) * 0x85ebca6bu;
    at ^= at >> 15;
    for (at &= mask; ledger->pairs[at] != 0; at = (at + 1) & mask) {
        const allot__lent *loan = &ledger->loans[ledger->pairs[at] - 1];
        if (loan->lender == lender && loan->borrower == borrower) {
            break;
        }
    }
    return at;
}

static void add_pair(allot__ledger *ledger, int32_t loan)
{
    const allot__lent *it = &ledger->loans[loan];
    ledger->pairs[pair_at(ledger, it->lender, it->borrower)] = loan + 1;
}

/* Room for one more loan; it is a power of two. */
static bool loan_room(allot__ledger *ledger)
{
    if (ledger->loan_count < ledger->loan_room) {
        return true;
    }
    allot__arena *arena = ledger->work->arena;
    size_t room = ledger->loan_room > 0 ? 2 * (size_t)ledger->loan_room : 64;
    allot__lent *more = allot__arena_take(arena, room, sizeof *more);
    int32_t *pairs = allot__arena_take(arena, room, 2 * sizeof *pairs);
    if (more == NULL || pairs == NULL) {
        return false;
    }
    if (ledger->loan_count > 0) {
        memcpy(more, ledger->loans, (size_t)ledger->loan_count * sizeof *more);
    }
    memset(pairs, 0, room * 2 * sizeof *pairs);
    ledger->loans = more;
    ledger->pairs = pairs;
    ledger->loan_room = (int32_t)room;
    for (int32_t i = 0; i < ledger->loan_count; i++) {
        add_pair(ledger, i);
    }
    return true;
}

static allot__lent *push_loan(allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    if (!loan_room(ledger)) {
        return NULL;
    }
    allot__lent *loan = &ledger->loans[ledger->loan_count];
    *loan = (allot__lent){.lender = lender,
                          .borrower = borrower,
                          .older = ledger->holders[borrower].loans,
                          .why = ALLOT__WHY_KEPT};
    ledger->holders[borrower].loans = ledger->loan_count++;
    add_pair(ledger, ledger->loan_count - 1);
    return loan;
}

static int32_t find_loan(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    return ledger->loan_room > 0 ? ledger->pairs[pair_at(ledger, lender, borrower)] - 1 : -1;
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
    return wants > 0 && free > allot__holder_leaving(holder) ? wants : 0;
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

/* Borrows from those at the places [from, to) that lend to it. */
static bool borrow_from(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower,
                        int32_t from, int32_t to)
{
    allot__lenders_begin(lenders, borrower, from);
    for (int32_t at = allot__lenders_place(lenders, borrower); at < to;
         at = allot__lenders_place(lenders, borrower)) {
        int64_t wants = can_borrow(ledger, borrower);
        int32_t lender = ledger->at[at];
        int64_t slots = can_lend(ledger, lender);
        if (wants == 0) {
            return true;
        }
        if (slots > 0 && lender != borrower &&
            !lend(ledger, lender, borrower, slots < wants ? slots : wants)) {
            return false;
        }
        allot__lenders_pass(lenders, borrower, at, slots == 0);
    }
    return true;
}

static bool borrow(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower)
{
    const allot__peers *peers = allot__peers_of(ledger, borrower, false);
    if (peers == NULL || can_borrow(ledger, borrower) == 0) {
        return true;
    }
    if (peers->count < 0) {
        return borrow_from(ledger, lenders, borrower, 0, ledger->places);
    }
    for (int32_t i = 0; i < peers->count; i++) {
        int32_t row = allot__peer_row(ledger, peers, i);
        if (!borrow_from(ledger, lenders, borrower, ledger->first[row], ledger->end[row])) {
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
    int32_t *lends = ledger->column[0], *order = ledger->column[1];
    allot__lenders lenders;
    bool any = ledger->work->group->lend_at != NULL && ledger->work->group->borrow_at != NULL;
    if (!any || !allot__books_any(ledger)) {
        return ALLOT_OK;
    }
    for (int32_t place = 0; place < ledger->places; place++) {
        lends[place] = ledger->at[place] >= 0 && can_lend(ledger, ledger->at[place]) > 0;
    }
    int64_t apart = others_lack(ledger);
    ledger->idle -= apart;
    int status = allot__lenders_init(&lenders, ledger, lends);
    if (status == ALLOT_OK) {
        status = order_borrowers(ledger, order);
    }
    for (int32_t i = 0; i < ledger->count && status == ALLOT_OK; i++) {
        status = borrow(ledger, &lenders, order[i]) ? ALLOT_OK : ALLOT_ENOMEM;
    }
    ledger->idle += apart;
    return status;
}

/* ---- Phase 4 --------------------------------------------------------------------------------- */

/* Calls back up to `most` slots of a loan; returns how many. */
static int64_t recall(allot__ledger *ledger, int32_t lender, int32_t loan, int64_t most)
{
    const allot__holder *holder = &ledger->holders[lender];
    int32_t borrower = ledger->loans[loan].borrower;
    int64_t slots = allot__holder_lacks(holder, holder->most);
    int64_t within = allot__books_within(ledger, lender, borrower);
    slots = slots < most ? slots : most;
    slots = slots < ledger->loans[loan].slots ? slots : ledger->loans[loan].slots;
    slots = slots < within ? slots : within;
    slots = slots < ledger->holders[borrower].in ? slots : ledger->holders[borrower].in;
    int64_t leaving = allot__holder_leaving(holder);
    leaving = leaving < slots ? leaving : slots;
    if (slots <= 0 || leaving > ledger->room) {
        return 0;
    }
    if (slots > leaving) {
        allot__loan_take(ledger, loan, slots - leaving, lender, ALLOT__WHY_RECALLED);
    }
    allot__books_promise(ledger, lender, slots, ALLOT__OWN);
    return slots;
}

void allot__loans_recall(allot__ledger *ledger, bool first)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        if (ledger->holders[i].recall_first != first || ledger->holders[i].out == 0) {
            continue;
        }
        int64_t left = (int64_t)ledger->holders[i].out - ledger->holders[i].dropped;
        for (int32_t k = ledger->lender_at[i]; k < ledger->lender_at[i + 1] && left > 0; k++) {
            left -= recall(ledger, i, ledger->by_lender[k], left);
        }
    }
}
