/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* net.c: a holder that would get slots and give as many keeps its own instead. */
#include "engine/ownership/books.h"

/* Passes slots of recall `index`, whose claimant itself gives by recall `other`, straight on to
 * the claimant of `other`. */
static void pass_on(allot__ledger *ledger, int32_t index, int32_t other, int32_t slots)
{
    allot__recall *gives = &ledger->recalls[other];
    allot__holder *between = &ledger->holders[gives->from];
    int32_t from = ledger->recalls[index].from;
    int32_t to = gives->to;
    gives->slots -= slots;
    between->lost -= slots;
    between->promised -= slots;
    between->loose -= to < 0 ? slots : 0;
    ledger->recalls[index].slots -= slots;
    if (to == from) {
        ledger->holders[from].lost -= slots;
        ledger->holders[from].promised -= slots;
        return;
    }
    allot__recall part = ledger->recalls[index];
    part.to = to;
    part.slots = slots;
    part.older_owed = -1;
    if (allot__recall_add(ledger, part))
        ledger->holders[from].loose += to < 0 && !part.firm ? slots : 0;
}

/* The same for idle slots granted to a holder that gives by a recall: the recall's claimant gets
 * them, or waits for those that a limit does not hold yet. */
static void pass_grant(allot__ledger *ledger, int32_t index, allot__recall *gives)
{
    allot__holder *between = &ledger->holders[index];
    int32_t slots = allot__least(between->granted, gives->slots);
    between->granted -= slots;
    between->lost -= slots;
    gives->slots -= slots;
    allot__books_has(ledger, index, 0, -(int64_t)slots);
    if (gives->to >= 0) {
        int64_t held = allot__books_outside(ledger, gives->to);
        int32_t now = held < slots ? (int32_t)held : slots;
        ledger->holders[gives->to].promised -= slots;
        ledger->holders[gives->to].granted += now;
        ledger->idle += slots - now;
        allot__books_has(ledger, gives->to, 0, now);
    } else {
        between->loose -= slots;
        ledger->loose -= slots;
        ledger->idle += slots;
    }
}

/* Passes on the grants of each holder. Returns whether a holder before it got some. */
static bool pass_grants(allot__ledger *ledger)
{
    bool back = false;
    for (int32_t i = 0; i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        for (int32_t k = holder->recalls; k >= 0 && holder->granted > 0;
             k = ledger->recalls[k].older) {
            allot__recall *gives = &ledger->recalls[k];
            if (gives->slots > 0 && !gives->firm) {
                pass_grant(ledger, i, gives);
                back = back || (gives->to >= 0 && gives->to < i);
            }
        }
    }
    return back;
}

/* Passes on slots of a recall whose claimant gives slots itself. */
static void pass_recalls(allot__ledger *ledger, int32_t index)
{
    const allot__recall *recall = &ledger->recalls[index];
    int32_t other = recall->to >= 0 ? ledger->holders[recall->to].recalls : -1;
    while (other >= 0 && ledger->recalls[index].slots > 0) {
        const allot__recall *gives = &ledger->recalls[other];
        int32_t older = gives->older;
        int64_t slots = allot__least(gives->slots, ledger->recalls[index].slots);
        if (slots > 0 && !gives->firm)
            pass_on(ledger, index, other, (int32_t)slots);
        other = older;
    }
}

void allot__books_net(allot__ledger *ledger)
{
    for (bool again = true; again;)
        again = pass_grants(ledger);
    for (int32_t i = 0; i < ledger->recall_count && ledger->status == ALLOT_OK; i++)
        pass_recalls(ledger, i);
}
