/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* borrow.c: phase 3: borrowers, their lenders, and the order; phase 4: lenders call back what they
 * lent. */
#include <string.h>

#include "engine/ownership/peers.h"
#include "engine/rows/order.h"

/* ---- The order of borrowers */

static const allot__order *order_of(const allot__rules *rules)
{
    const allot__fill *loan = allot__policy_part(rules->policy, ALLOT__LOAN);
    return loan ? &loan->order : NULL;
}

/* Is the borrowers' order that of holders? */
static bool is_natural(const allot__ledger *ledger)
{
    bool natural = true;
    for (int32_t i = 0; i < ledger->work->rules_count && natural; i++) {
        const allot__order *order = order_of(&ledger->work->rules[i]);
        natural = order && allot__order_natural(order);
    }
    return natural;
}

/* Computes the functions among the keys of all holders. */
static int prepare_orders(allot__ledger *ledger)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < ledger->work->rules_count && status == ALLOT_OK; i++) {
        allot__rules *rules = &ledger->work->rules[i];
        const allot__order *order = order_of(rules);
        status = order ? allot__order_prepare(ledger->work, rules, order) : ALLOT_OK;
    }
    return status;
}

/* Writes key `number` of every holder, 0 if its policy has no such key; false: no policy has. */
static bool write_keys(allot__ledger *ledger, int32_t number)
{
    bool any = false;
    for (int32_t k = 0; k < ledger->live_count; k++) {
        int32_t i = ledger->live[k], row = ledger->holders[i].row;
        const allot__rules *rules = allot__rules_at(ledger->work, row);
        const allot__order *order = order_of(rules);
        ledger->keys[i] = 0;
        if (order && number < order->count) {
            const allot_key *key = &order->keys[number];
            int64_t value = allot__order_key(ledger->work, rules, key, row);
            ledger->keys[i] = key->descending ? ~value : value;
            any = true;
        }
    }
    return any;
}

/* Sorts borrowers, each by its own policy's keys: stably, by the last key first. */
static int order_borrowers(allot__ledger *ledger, int32_t *out)
{
    bool natural = is_natural(ledger);
    int status = natural ? ALLOT_OK : prepare_orders(ledger);
    if (status != ALLOT_OK)
        return status;
    size_t size = (size_t)ledger->live_count * sizeof *out;
    memcpy(ledger->order, ledger->live, size);
    for (int32_t number = ALLOT_KEYS_MAX - 1; number >= 0 && !natural; number--)
        if (write_keys(ledger, number))
            allot__books_sort(ledger, ledger->live_count);
    memcpy(out, ledger->order, size);
    return ALLOT_OK;
}

/* ---- Loans */

void allot__lenders_list(allot__ledger *ledger)
{
    for (int32_t place = 0; place < ledger->places; place++) {
        const allot__holder *holder =
            ledger->at[place] >= 0 ? &ledger->holders[ledger->at[place]] : NULL;
        int32_t out = holder && !holder->recall_first ? holder->out : 0;
        if (holder && holder->own > (int64_t)allot__most(holder->used, holder->reserve) + out)
            ledger->lenders[ledger->lender_count++] = place;
    }
}

/* Slots that a lender can lend now. */
static int64_t can_lend(const allot__ledger *ledger, int32_t lender)
{
    const allot__holder *holder = &ledger->holders[lender];
    int64_t within = (int64_t)allot__holder_lend_most(holder) - holder->out;
    int64_t used = holder->used > holder->reserve ? holder->used : holder->reserve;
    int64_t idle = holder->own - used - holder->out;
    idle = allot__least(idle, within);
    return idle > 0 ? idle : 0;
}

static int64_t can_borrow(const allot__ledger *ledger, int32_t borrower)
{
    const allot__holder *holder = &ledger->holders[borrower];
    int64_t wants = allot__holder_wants(holder, holder->most);
    int64_t within = (int64_t)holder->borrow_most - holder->in;
    int64_t free = wants > 0 ? allot__books_free(ledger, borrower) : 0;
    wants = allot__least(wants, within);
    wants = allot__least(wants, free);
    return wants > 0 && free > allot__holder_leaving(holder) ? wants : 0;
}

static bool lend(allot__ledger *ledger, int32_t lender, int32_t borrower, int64_t slots)
{
    int32_t loan = allot__loan_between(ledger, lender, borrower);
    if (loan < 0)
        return false;
    allot__loan_more(ledger, loan, slots);
    ledger->loans[loan].why = ALLOT__WHY_BORROWED;
    allot__books_give(ledger, borrower, slots, ALLOT__BORROWED);
    return true;
}

/* Borrows from lenders at the places [from, to). */
static bool borrow_from(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower,
                        int32_t from, int32_t to)
{
    allot__lenders_begin(lenders, borrower, from);
    for (int32_t at = allot__lenders_place(lenders, borrower); at < to;
         at = allot__lenders_place(lenders, borrower)) {
        int64_t wants = can_borrow(ledger, borrower);
        int32_t lender = ledger->at[at];
        int64_t slots = can_lend(ledger, lender);
        if (wants == 0)
            return true;
        if (slots > 0 && lender != borrower &&
            !lend(ledger, lender, borrower, slots < wants ? slots : wants))
            return false;
        allot__lenders_pass(lenders, borrower, at, slots == 0);
    }
    return true;
}

static bool borrow(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower)
{
    const allot__peers *peers = allot__peers_of(ledger, borrower, false);
    if (!peers || can_borrow(ledger, borrower) == 0)
        return true;
    if (peers->count < 0)
        return borrow_from(ledger, lenders, borrower, 0, ledger->places);
    for (int32_t i = 0; i < peers->count; i++) {
        int32_t row = allot__peer_row(ledger, peers, i);
        if (!borrow_from(ledger, lenders, borrower, ledger->first[row], ledger->end[row]))
            return false;
    }
    return true;
}

/* Idle slots that leaves under other policies need for their quotas: not to be borrowed. */
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
    int32_t *lends = ledger->column[0], *order = ledger->column[1], count = 0;
    allot__lenders lenders;
    bool any = ledger->work->group->lend_at != NULL && ledger->work->group->borrow_at;
    for (int32_t i = 0; any && allot__books_any(ledger) && i < ledger->lender_count; i++)
        if (can_lend(ledger, ledger->at[ledger->lenders[i]]) > 0)
            lends[count++] = ledger->lenders[i];
    if (count == 0)
        return ALLOT_OK;
    int64_t apart = others_lack(ledger);
    ledger->idle -= apart;
    int status = allot__lenders_init(&lenders, ledger, lends, count);
    if (status == ALLOT_OK)
        status = order_borrowers(ledger, order);
    for (int32_t k = 0; k < ledger->live_count && status == ALLOT_OK && allot__books_any(ledger);
         k++)
        status = borrow(ledger, &lenders, order[k]) ? ALLOT_OK : ALLOT_ENOMEM;
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
    slots = allot__least(slots, most);
    slots = allot__least(slots, ledger->loans[loan].slots);
    slots = allot__least(slots, within);
    slots = allot__least(slots, ledger->holders[borrower].in);
    int64_t leaving = allot__holder_leaving(holder);
    leaving = allot__least(leaving, slots);
    if (slots <= 0 || leaving > ledger->room)
        return 0;
    if (slots > leaving)
        allot__loan_take(ledger, loan, slots - leaving, lender, ALLOT__WHY_RECALLED);
    allot__books_promise(ledger, lender, slots, ALLOT__OWN);
    ledger->holders[lender].recalled += (int32_t)slots;
    return slots;
}

void allot__loans_recall(allot__ledger *ledger, bool first)
{
    for (int32_t at = 0; at < ledger->live_count; at++) {
        int32_t i = ledger->live[at];
        const allot__holder *holder = &ledger->holders[i];
        if (holder->recall_first != first || holder->out == 0 ||
            allot__holder_lacks(holder, holder->most) == 0)
            continue;
        int64_t left = (int64_t)holder->out - holder->dropped;
        for (int32_t k = ledger->lender_at[i]; k < ledger->lender_at[i + 1] && left > 0; k++)
            left -= recall(ledger, i, ledger->by_lender[k], left);
    }
}
