/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* force.c: takes slots that may not stay, whatever the demand. */
#include "engine/rows/enforce.h"
#include "engine/ownership/peers.h"

/* Takes slots of a loan; they are for the lender if no other holder needs them. Returns how many.
 */
static int64_t force(allot__ledger *ledger, int32_t loan, int64_t slots, allot__why why)
{
    const allot__lent *it = &ledger->loans[loan];
    slots = allot__least(slots, it->slots);
    if (slots <= 0)
        return 0;
    allot__loan_take(ledger, loan, slots, -1, why);
    return slots;
}

/* Takes a lender's loans beyond what it may have lent. */
static void force_lender(allot__ledger *ledger, int32_t lender)
{
    const allot__holder *holder = &ledger->holders[lender];
    int32_t most = allot__holder_lend_most(holder);
    allot__why why = most < holder->lend_most ? ALLOT__WHY_OWNERSHIP : ALLOT__WHY_LEND_LIMIT;
    int64_t left = (int64_t)holder->out - most;
    for (int32_t k = ledger->lender_at[lender]; k < ledger->lender_at[lender + 1] && left > 0; k++)
        left -= force(ledger, ledger->by_lender[k], left, why);
}

static void force_lists(allot__ledger *ledger)
{
    uint8_t *why = allot__arena_take(ledger->work->arena, (size_t)ledger->known + 1, 1);
    if (!why) {
        ledger->status = ALLOT_ENOMEM;
        return;
    }
    allot__loans_judge(ledger, why);
    for (int32_t loan = 0; loan < ledger->known; loan++)
        if (why[loan] != ALLOT__WHY_KEPT)
            force(ledger, loan, ledger->loans[loan].slots, (allot__why)why[loan]);
}

void allot__force_loans(allot__ledger *ledger)
{
    if (ledger->known > 0)
        force_lists(ledger);
    for (int32_t i = 0; i < ledger->count; i++)
        force_lender(ledger, i);
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        for (int32_t loan = holder->loans; loan >= 0 && holder->in > holder->borrow_most;
             loan = ledger->loans[loan].older)
            force(ledger, loan, holder->in - holder->borrow_most, ALLOT__WHY_BORROW_LIMIT);
    }
}

static int64_t shed_loans(allot__ledger *ledger, int32_t index, int64_t slots, allot__why why)
{
    int64_t left = slots;
    for (int32_t loan = ledger->holders[index].loans; loan >= 0 && left > 0;
         loan = ledger->loans[loan].older)
        left -= force(ledger, loan, left, why);
    return slots - left;
}

/* Takes slots of a class that have arrived at a holder; returns the number. */
static int64_t shed_there(allot__ledger *ledger, int32_t index, allot__class as, int64_t slots,
                          allot__why why)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t most = as == ALLOT__BORROWED ? holder->in : allot__holder_there(holder, as);
    slots = allot__least(slots, most);
    if (slots <= 0)
        return 0;
    if (as == ALLOT__BORROWED)
        return shed_loans(ledger, index, slots, why);
    if (as == ALLOT__SHARED)
        allot__pools_less(ledger, index, slots);
    allot__books_take(ledger, index, slots, as, -1, why);
    return slots;
}

/* The same; but slots still in flight to it lose their claimant first. */
static int64_t shed_one(allot__ledger *ledger, int32_t index, allot__class as, int64_t slots,
                        allot__why why)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t has = as == ALLOT__OWN ? holder->used : as == ALLOT__SHARED ? holder->shared : 0;
    if (slots <= 0)
        return 0;
    int64_t coming = has - (has > 0 ? allot__holder_there(holder, as) : 0);
    coming = allot__least(coming, slots);
    if (coming > 0 && as == ALLOT__SHARED)
        allot__pools_less(ledger, index, coming);
    if (coming > 0) {
        allot__books_drop(ledger, index, coming, as);
        slots -= coming;
    }
    return (coming > 0 ? coming : 0) + shed_there(ledger, index, as, slots, why);
}

static const allot__class classes[] = {ALLOT__SHARED, ALLOT__BORROWED, ALLOT__OWN};
enum { CLASSES = sizeof classes / sizeof classes[0] };

/* Takes slots from holders whose places are [from, to), worst first: shared ones, then borrowed
 * ones, then own ones. */
static void shed(allot__ledger *ledger, int32_t from, int32_t to, int64_t slots, allot__why why)
{
    for (int k = 0; k < CLASSES; k++) {
        for (int32_t i = ledger->count - 1; i >= 0 && slots > 0; i--) {
            int32_t place = ledger->holders[i].place;
            if (place >= from && place < to)
                slots -= shed_one(ledger, i, classes[k], slots, why);
        }
    }
}

/* Takes shared and borrowed slots beyond those that their holders are sure of, until the limit of a
 * family's parent holds all slots that holders are sure of. Holders that keep shared slots keep
 * them (rule 5). */
static void make_way(allot__ledger *ledger, int32_t family, int32_t parent)
{
    int64_t slots = ledger->inside[family] + ledger->aside[family] - ledger->work->limit[parent];
    int32_t count = slots > 0 ? allot__books_below(ledger, parent) : 0;
    for (int k = 0; classes[k] != ALLOT__OWN; k++) {
        for (int32_t i = count - 1; i >= 0 && slots > 0; i--) {
            int32_t index = ledger->order[i];
            const allot__holder *holder = &ledger->holders[index];
            int64_t most = (int64_t)allot__holder_has(holder) - holder->sure;
            if (!(holder->keep && classes[k] == ALLOT__SHARED)) {
                slots -= shed_one(ledger, index, classes[k], allot__least(most, slots),
                                  ALLOT__WHY_OWNERS_FIRST);
            }
        }
    }
}

static void force_limits(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int64_t limit = work->limit[holder->row];
        for (int k = 0; k < CLASSES && allot__holder_has(holder) > limit; k++)
            shed_one(ledger, i, classes[k], allot__holder_has(holder) - limit,
                     ALLOT__WHY_OVER_LIMIT);
    }
    allot__books_set_aside(ledger);
    for (int32_t family = work->tree->families - 1; ledger->limited && family > 0; family--) {
        int32_t parent = work->group->parent[family];
        if (work->limit[parent] != ALLOT_NONE) {
            make_way(ledger, family, parent);
            shed(ledger, ledger->first[parent], ledger->end[parent],
                 ledger->inside[family] - work->limit[parent], ALLOT__WHY_OVER_LIMIT);
        }
    }
}

/* Makes all recalls from a holder so far firm, unless they drain: it cannot keep those slots. */
static void make_firm(allot__ledger *ledger, allot__holder *holder)
{
    for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older)
        ledger->recalls[i].firm = !ledger->recalls[i].drains;
    holder->loose = holder->rebalance ? 0 : holder->loose;
}

/* Takes slots for a switch of windows, or an attribute that is a limit. This comes first, since
 * slots that other rules take can be kept as another class. */
static void force_window(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    for (int32_t i = 0; work->forced && !ledger->planning && i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        int32_t forced = work->forced[holder->row];
        if (forced == 0)
            continue;
        allot__why why = work->enforced->why[holder->row] == ALLOT__FORCED_WINDOW
                             ? ALLOT__WHY_OVER_WINDOW
                             : ALLOT__WHY_OVER_ATTRIBUTE;
        make_firm(ledger, holder);
        for (int k = 0; k < CLASSES; k++)
            shed_there(ledger, i, classes[k], (int64_t)forced - holder->lost, why);
    }
}

void allot__force_holders(allot__ledger *ledger)
{
    force_window(ledger);
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        shed_one(ledger, i, ALLOT__SHARED, (int64_t)holder->shared - holder->share_most,
                 ALLOT__WHY_SHARE_LIMIT);
    }
    force_limits(ledger);
}

void allot__force_pools(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        shed_one(ledger, i, ALLOT__SHARED, (int64_t)holder->shared - holder->pooled,
                 ALLOT__WHY_SHARE_POOL);
    }
    shed(ledger, 0, ledger->places, -ledger->room, ALLOT__WHY_OVER_SIZE);
}
