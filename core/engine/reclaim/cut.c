/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cut.c: recalls that are not carried out, and the loans that then go on. */
#include "engine/reclaim/cut.h"

#include "engine/reclaim/over.h"

/* Lets a holder keep so many of the slots of a recall. */
static void cut(allot__ledger *ledger, int32_t index, int64_t slots)
{
    allot__recall *recall = &ledger->recalls[index];
    int32_t left = recall->slots - recall->cut;
    int32_t part = left < slots ? left : (int32_t)slots;
    recall->cut += part;
    ledger->holders[recall->from].kept += part;
    if (recall->loan >= 0 && part > 0) {
        ledger->loans[recall->loan].slots += part;
        ledger->loans[recall->loan].why = ALLOT__WHY_KEPT;
    }
}

/* Claimants that have not waited long enough are not served by recalls on demand. */
static void cut_young(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        int32_t row = recall->to >= 0 ? ledger->holders[recall->to].row : -1;
        if (row >= 0 && !allot__why_forced(recall->why) && allot__deficit(ledger->work, row) == 0)
            cut(ledger, i, recall->slots);
    }
}

/* Cuts recalls by the slots that a holder may keep: recalls on demand first, the newest first. */
static void cut_kept(allot__ledger *ledger, int32_t index)
{
    allot__holder *holder = &ledger->holders[index];
    allot__damped damped;
    allot__damping(ledger->work, holder->row, &damped);
    for (int forced = 0; forced < 2; forced++) {
        for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older) {
            int64_t more = (int64_t)holder->lost - holder->kept - damped.may;
            if (more > 0 && allot__why_forced(ledger->recalls[i].why) == forced)
                cut(ledger, i, more);
        }
    }
}

/* Lowers loans by slots that the holder was not given, the newest loan first. */
static void cut_ungiven(allot__ledger *ledger, const allot__holder *holder)
{
    int32_t left = holder->granted - ledger->work->received[holder->row];
    for (int32_t i = holder->loans; i >= 0 && left > 0; i = ledger->loans[i].older) {
        allot__lent *loan = &ledger->loans[i];
        int32_t new = loan->slots - loan->before;
        int32_t part = allot__least(new, left);
        loan->slots -= part > 0 ? part : 0;
        left -= part > 0 ? part : 0;
    }
}

static void cut_all(allot__ledger *ledger)
{
    if (allot__any_option(ledger->work, ALLOT_OPTION_CLAIM_DELAY))
        cut_young(ledger);
    for (int32_t i = 0; i < ledger->count; i++)
        if (ledger->holders[i].lost > 0)
            cut_kept(ledger, i);
}

void allot__ledger_cut(allot__work *work)
{
    allot__ledger *ledger = work->ledger;
    if (!ledger || ledger->cut)
        return;
    ledger->cut = true;
    if (work->kept)
        cut_all(ledger);
    for (int32_t i = 0; i < ledger->count; i++)
        cut_ungiven(ledger, &ledger->holders[i]);
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        if (recall->to >= 0)
            ledger->holders[recall->to].claimed += recall->slots - recall->cut;
    }
}
