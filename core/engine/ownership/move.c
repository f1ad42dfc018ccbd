/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* move.c: slots given, promised, taken and claimed. */
#include <string.h>

#include "engine/ownership/books.h"

void allot__books_has(allot__ledger *ledger, int32_t holder, int64_t slots, int64_t outside)
{
    ledger->room -= slots;
    if (!ledger->limited)
        return;
    const allot__holder *it = &ledger->holders[holder];
    int64_t has = allot__holder_has(it);
    int64_t missing = allot__holder_missing(it, has) - allot__holder_missing(it, has - slots);
    for (int32_t family = it->family;; family = ledger->above[family]) {
        ledger->inside[family] += slots;
        ledger->outside[family] += outside;
        ledger->aside[family] += missing;
        if (family == 0)
            return;
    }
}

static void add_class(allot__holder *holder, allot__class as, int64_t slots)
{
    int32_t *of = as == ALLOT__OWN      ? &holder->used
                  : as == ALLOT__SHARED ? &holder->shared
                                        : &holder->in;
    *of += (int32_t)slots;
}

/* Slots that a limit with `room` left holds for a holder: `own`, those that it is sure of and
 * lacks, or those not set aside for others. Slots that come from another holder below the limit
 * take no room, unless that holder is sure of them. */
static int64_t held_by(int64_t room, int64_t own, int64_t others, const allot__holder *from)
{
    int64_t beyond = from ? allot__holder_has(from) - from->sure : 0;
    int64_t left = room - others + allot__most(beyond, 0);
    return allot__most(left, from ? own : allot__least(own, room));
}

int64_t allot__books_within(const allot__ledger *ledger, int32_t holder, int32_t from)
{
    const allot__work *work = ledger->work;
    const allot__holder *it = &ledger->holders[holder];
    int64_t own = allot__holder_missing(it, allot__holder_has(it));
    int64_t most = INT64_MAX;
    for (int32_t family = it->family; ledger->limited && family > 0;
         family = ledger->above[family]) {
        int32_t parent = work->group->parent[family];
        if (work->limit[parent] == ALLOT_NONE)
            continue;
        bool both = from >= 0 && allot__holder_below(ledger, from, parent);
        int64_t left = held_by(work->limit[parent] - ledger->inside[family], own,
                               ledger->aside[family] - own, both ? &ledger->holders[from] : NULL);
        most = allot__least(left, most);
    }
    return most > 0 ? most : 0;
}

int64_t allot__books_outside(const allot__ledger *ledger, int32_t holder)
{
    const allot__work *work = ledger->work;
    int64_t most = INT64_MAX;
    for (int32_t family = ledger->holders[holder].family; ledger->limited && family > 0;
         family = ledger->above[family]) {
        int32_t limit = work->limit[work->group->parent[family]];
        int64_t left = limit == ALLOT_NONE ? INT64_MAX : limit - ledger->outside[family];
        most = allot__least(left, most);
    }
    return most > 0 ? most : 0;
}

int64_t allot__books_free(const allot__ledger *ledger, int32_t index)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t idle = allot__least(ledger->idle, ledger->room);
    int64_t within = allot__books_within(ledger, index, -1);
    int64_t now = allot__books_outside(ledger, index);
    idle = (idle > 0 ? idle : 0) + holder->returned;
    idle = allot__least(idle, now);
    idle += holder->loose + allot__holder_leaving(holder);
    idle = allot__least(idle, ledger->room);
    idle = allot__least(idle, within);
    return idle > 0 ? idle : 0;
}

/* The ledger's sum that a loose recall counts in. */
static int64_t *unclaimed(allot__ledger *ledger, const allot__recall *like)
{
    return like->drains ? &ledger->draining : &ledger->loose;
}

/* Undoes recalls from a holder that have no claimant. */
static void keep_loose(allot__ledger *ledger, allot__holder *holder, int32_t slots)
{
    holder->lost -= slots;
    holder->loose -= slots;
    for (int32_t i = holder->recalls; i >= 0 && slots > 0; i = ledger->recalls[i].older) {
        allot__recall *recall = &ledger->recalls[i];
        int32_t part = recall->to >= 0 || recall->firm ? 0
                       : recall->slots < slots         ? recall->slots
                                                       : slots;
        recall->slots -= part;
        *unclaimed(ledger, recall) -= part;
        slots -= part;
    }
}

/* Lets slots replace those in flight from a holder; returns how many do. */
static int32_t replace(allot__holder *holder, int64_t slots)
{
    int32_t left = allot__holder_leaving(holder);
    int32_t part = left < slots ? left : (int32_t)slots;
    holder->replaced += part;
    return part;
}

void allot__books_give(allot__ledger *ledger, int32_t index, int64_t slots, allot__class as)
{
    allot__holder *holder = &ledger->holders[index];
    int32_t kept = holder->loose < slots ? holder->loose : (int32_t)slots;
    if (kept > 0)
        keep_loose(ledger, holder, kept);
    int32_t granted = (int32_t)slots - kept;
    granted -= replace(holder, granted);
    int32_t returned = allot__least(holder->returned, granted);
    holder->returned -= returned;
    holder->granted += granted;
    ledger->idle -= granted - returned;
    ledger->returned -= returned;
    add_class(holder, as, slots);
    allot__books_has(ledger, index, slots, granted);
}

void allot__books_promise(allot__ledger *ledger, int32_t index, int64_t slots, allot__class as)
{
    allot__holder *holder = &ledger->holders[index];
    holder->promised += (int32_t)slots - replace(holder, slots);
    allot__books_await(ledger, index, slots, as);
}

void allot__books_await(allot__ledger *ledger, int32_t index, int64_t slots, allot__class as)
{
    add_class(&ledger->holders[index], as, slots);
    allot__books_has(ledger, index, slots, 0);
}

void allot__books_drop(allot__ledger *ledger, int32_t index, int64_t slots, allot__class as)
{
    ledger->holders[index].dropped += (int32_t)slots;
    allot__books_await(ledger, index, -slots, as);
}

int64_t allot__books_adopt(allot__ledger *ledger, int32_t index, int64_t slots, allot__class as)
{
    allot__holder *holder = &ledger->holders[index];
    slots = allot__least(slots, holder->dropped);
    holder->dropped -= (int32_t)slots;
    allot__books_await(ledger, index, slots, as);
    return slots;
}

bool allot__recall_add(allot__ledger *ledger, allot__recall made)
{
    if (ledger->recall_count == ledger->recall_room) {
        int32_t room = ledger->recall_room > 0 ? 2 * ledger->recall_room : 64;
        allot__recall *more = allot__arena_take(ledger->work->arena, (size_t)room, sizeof *more);
        if (!more) {
            ledger->status = ALLOT_ENOMEM;
            return false;
        }
        if (ledger->recall_count > 0)
            memcpy(more, ledger->recalls, (size_t)ledger->recall_count * sizeof *more);
        ledger->recalls = more;
        ledger->recall_room = room;
    }
    made.older = ledger->holders[made.from].recalls;
    ledger->holders[made.from].recalls = ledger->recall_count;
    ledger->recalls[ledger->recall_count++] = made;
    return true;
}

/* Adds a loose recall to those owed to the lender of its slots. */
static void owe(allot__ledger *ledger, int32_t index)
{
    allot__recall *recall = &ledger->recalls[index];
    allot__holder *owner = &ledger->holders[ledger->loans[recall->loan].lender];
    recall->older_owed = owner->owed;
    owner->owed = index;
}

static void take(allot__ledger *ledger, allot__recall made)
{
    allot__holder *holder = &ledger->holders[made.from];
    made.older_owed = -1;
    made.drains = made.to < 0 && !holder->rebalance;
    made.firm = !made.drains &&
                (made.why == ALLOT__WHY_OVER_WINDOW || made.why == ALLOT__WHY_OVER_ATTRIBUTE);
    allot__books_touch(ledger, made.from);
    ledger->moves++;
    bool listed = made.to < 0 || !ledger->draft || ledger->drains;
    if (listed && !allot__recall_add(ledger, made))
        return;
    holder->lost += made.slots;
    holder->gone += made.to >= 0 && made.loan < 0 ? made.slots : 0;
    if (made.to < 0) {
        *unclaimed(ledger, &made) += made.slots;
        holder->loose += made.firm ? 0 : made.slots;
    }
    if (made.to < 0 && made.loan >= 0)
        owe(ledger, ledger->recall_count - 1);
    allot__books_has(ledger, made.from, -(int64_t)made.slots, 0);
}

void allot__books_take(allot__ledger *ledger, int32_t from, int64_t slots, allot__class as,
                       int32_t to, allot__why why)
{
    add_class(&ledger->holders[from], as, -slots);
    take(ledger,
         (allot__recall){.from = from, .to = to, .slots = (int32_t)slots, .loan = -1, .why = why});
}

void allot__loan_take(allot__ledger *ledger, int32_t loan, int64_t slots, int32_t to,
                      allot__why why)
{
    allot__loan_less(ledger, loan, slots, why);
    take(ledger, (allot__recall){.from = ledger->loans[loan].borrower,
                                 .to = to,
                                 .slots = (int32_t)slots,
                                 .loan = loan,
                                 .why = why});
}

/* ---- Slots without a claimant ---------------------------------------------------------------- */

/* Gives so many slots of a recall to a holder. A draining holder gives them on demand alone. */
static void claim_part(allot__ledger *ledger, int32_t index, int32_t to, int32_t slots)
{
    allot__recall part = ledger->recalls[index];
    *unclaimed(ledger, &part) -= slots;
    ledger->holders[part.from].loose -= part.firm ? 0 : slots;
    ledger->holders[part.from].gone += part.firm || part.loan >= 0 ? 0 : slots;
    part.to = to;
    part.why = part.drains ? ALLOT__WHY_RECALLED : part.why;
    part.drains = false;
    if (part.slots == slots) {
        ledger->recalls[index] = part;
        return;
    }
    ledger->recalls[index].slots -= slots;
    part.slots = slots;
    part.older_owed = -1;
    allot__recall_add(ledger, part);
}

int64_t allot__books_claim_one(allot__ledger *ledger, int32_t index, int32_t to, int64_t slots)
{
    const allot__recall *recall = &ledger->recalls[index];
    int64_t part = recall->to >= 0 || recall->from == to ? 0 : recall->slots;
    part = allot__least(part, slots);
    if (part > 0)
        claim_part(ledger, index, to, (int32_t)part);
    return part;
}

/* Claims slots that drain, or slots that go anyway. */
static int64_t claim_from(allot__ledger *ledger, int32_t holder, int64_t slots, bool drains)
{
    int64_t all = drains ? ledger->draining : ledger->loose;
    int64_t left = allot__least(slots, all);
    int64_t want = left;
    for (int32_t i = ledger->holders[holder].owed; i >= 0 && left > 0;
         i = ledger->recalls[i].older_owed)
        if (ledger->recalls[i].drains == drains)
            left -= allot__books_claim_one(ledger, i, holder, left);
    int32_t *from = drains ? &ledger->draining_from : &ledger->loose_from;
    for (int32_t i = *from; i < ledger->recall_count && left > 0; i++) {
        if (ledger->recalls[i].drains == drains)
            left -= allot__books_claim_one(ledger, i, holder, left);
        const allot__recall *recall = &ledger->recalls[i];
        bool passed = recall->to >= 0 || recall->slots == 0 || recall->drains != drains;
        *from += i == *from && passed;
    }
    return want - left;
}

/* Is it a recall of draining slots below a parent, without a claimant? */
static bool drains_below(const allot__ledger *ledger, const allot__recall *recall, int32_t parent)
{
    return recall->drains && allot__holder_below(ledger, recall->from, parent);
}

/* Of so many more slots, those that a parent's limit does not hold since others below it drain. */
static int64_t beyond(const allot__ledger *ledger, int32_t family, int64_t slots)
{
    int32_t parent = ledger->work->group->parent[family];
    int64_t limit = ledger->work->limit[parent];
    if (limit == ALLOT_NONE)
        return 0;
    int64_t all = ledger->inside[family] + slots;
    for (int32_t i = ledger->draining_from; i < ledger->recall_count; i++)
        all += drains_below(ledger, &ledger->recalls[i], parent) ? ledger->recalls[i].slots : 0;
    return all > limit ? all - limit : 0;
}

/* Claims draining slots below limits that are full with them, where no others could come from
 * elsewhere. Returns the number. */
static int64_t claim_below(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    int64_t claimed = 0;
    for (int32_t family = ledger->holders[holder].family; family > 0;
         family = ledger->above[family]) {
        int32_t parent = ledger->work->group->parent[family];
        int64_t left = beyond(ledger, family, slots);
        left = allot__least(left, slots - claimed);
        for (int32_t i = ledger->draining_from; i < ledger->recall_count && left > 0; i++) {
            if (drains_below(ledger, &ledger->recalls[i], parent)) {
                int64_t part = allot__books_claim_one(ledger, i, holder, left);
                claimed += part;
                left -= part;
            }
        }
    }
    return claimed;
}

void allot__books_hand(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    claim_from(ledger, holder, slots, false);
}

void allot__books_claim(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as)
{
    int64_t lacks = slots - allot__holder_leaving(&ledger->holders[holder]);
    if (lacks > 0 && ledger->limited && ledger->draining > 0)
        lacks -= claim_below(ledger, holder, lacks);
    if (lacks > 0)
        lacks -= claim_from(ledger, holder, lacks, false);
    if (lacks > 0 && ledger->draining > 0)
        claim_from(ledger, holder, lacks, true);
    allot__books_promise(ledger, holder, slots, as);
}
