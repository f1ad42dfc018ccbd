/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* recall.c: phase 4: lenders call back what they lent. */
#include "engine/ownership/ledger.h"

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
    ledger->loans[loan].recalled += (int32_t)slots;
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

/* The borrowed slots of a holder that their lenders may call back in the next run, if a row demands
 * `target`. */
static int64_t may_recall(const allot__ledger *ledger, const allot__holder *holder, int32_t row,
                          int32_t target)
{
    const allot__work *work = ledger->work;
    int64_t slots = 0;
    for (int32_t i = holder->loans; i >= 0; i = ledger->loans[i].older) {
        const allot__holder *lender = &ledger->holders[ledger->loans[i].lender];
        int32_t most = lender->row == row ? target : work->demand[lender->row];
        int64_t lacks = allot__holder_lacks(lender, most);
        slots += allot__least(lacks, ledger->loans[i].slots);
    }
    return slots;
}

bool allot__ledger_could(const allot__work *work, int32_t row, int32_t target)
{
    allot__ledger *ledger = work->ledger;
    if (ledger->kept && ledger->used)
        allot__books_restore(ledger);
    if (!ledger->kept || !allot__books_settled(ledger) || ledger->room < 0 || work->earmarked)
        return true; /* slots that may not stay depend on needs, or so do slots in flight */
    int64_t left = ledger->slots - target;
    for (int32_t i = 0; i < ledger->count && left >= 0; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int64_t quota = work->quota[holder->row], stays = (int64_t)holder->used + holder->in;
        if (stays > quota && holder->in > 0)
            stays -= may_recall(ledger, holder, row, target);
        left -= holder->row == row ? 0 : allot__most(quota, stays);
    }
    return left >= 0;
}
