/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger.c: what a consumer holds of its own, from pools and on loan; and every loan it has a
 * part in, with the reason for each change (C-11). */
#include <inttypes.h>

#include "engine/ownership/ledger.h"
#include "engine/explain/explain.h"

static void explain_held(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    allot__explain(about,
                   "Before this cycle %s %" PRId64 " own, %" PRId64 " shared and %" PRId64
                   " borrowed slots; %" PRId64 " of its own were lent.",
                   about->family != 0 ? "its leaves held" : "it held", verdict->own_used,
                   verdict->shared, verdict->borrowed, verdict->lent);
}

static void explain_loan(const allot__explanation *about, const allot__lent *loan, bool lends)
{
    const allot__work *work = about->work;
    const allot__ledger *ledger = work->ledger;
    int32_t other = ledger->holders[lends ? loan->borrower : loan->lender].row;
    allot__phrase path = allot__phrase_path(about, allot__handle(work, other));
    allot__phrase slots = allot__phrase_slots(loan->slots);
    const char *from = lends ? "to" : "from";
    const char *how = lends ? "lends" : "borrows";
    const char *why = allot__why_text(loan->why);
    const char *code = allot__why_code(loan->why);
    if (loan->slots == loan->before) {
        allot__explain(about, "It %s %s %s %s, as before.", how, slots.text, from, path.text);
    } else if (loan->before == 0) {
        allot__explain(about, "It %s %s %s %s: %s (%s).", how, slots.text, from, path.text, why,
                       code);
    } else {
        allot__explain(about, "It %s %s %s %s, %" PRId32 " before: %s (%s).", how, slots.text, from,
                       path.text, loan->before, why, code);
    }
}

/* Slots that go, each with its reason. */
static void explain_recalls(const allot__explanation *about, const allot__holder *holder)
{
    const allot__ledger *ledger = about->work->ledger;
    for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        int32_t slots = recall->slots - recall->cut;
        if (slots > 0) {
            allot__explain(about, "Called back from it: %s; %s (%s).",
                           allot__phrase_slots(slots).text, allot__why_text(recall->why),
                           allot__why_code(recall->why));
        }
    }
}

void allot__explain_ledger(const allot__explanation *about)
{
    const allot__ledger *ledger = about->work->ledger;
    const allot__holder *holder = allot__ledger_holder(about->work, about->row);
    explain_held(about);
    if (!holder)
        return;
    int32_t index = (int32_t)(holder - ledger->holders);
    for (int32_t i = 0; i < ledger->loan_count; i++) {
        const allot__lent *loan = &ledger->loans[i];
        if (loan->lender == index || loan->borrower == index)
            explain_loan(about, loan, loan->lender == index);
    }
    explain_recalls(about, holder);
}
