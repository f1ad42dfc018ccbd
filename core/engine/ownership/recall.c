/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* recall.c: phase 4: lenders call back what they lent. */
#include "engine/ownership/books.h"

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
