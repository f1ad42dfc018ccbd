/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* aside.c: slots that parents' limits set aside for owners below them. */
#include "engine/ownership/books.h"

int32_t allot__books_below(allot__ledger *ledger, int32_t parent)
{
    int32_t count = 0;
    for (int32_t place = ledger->first[parent]; place < ledger->end[parent]; place++) {
        int32_t index = ledger->at[place];
        if (index >= 0) {
            ledger->keys[index] = index;
            ledger->order[count++] = index;
        }
    }
    allot__books_sort(ledger, count);
    return count;
}

/* The order in which a limit holds slots that a holder is sure of: own slots in use, which no other
 * holder can have; then its reserve; then the rest. */
enum { IN_USE, RESERVED, WANTED };

static int32_t sure_before(const allot__holder *holder, int part)
{
    return part == IN_USE                                       ? 0
           : part == RESERVED || holder->used > holder->reserve ? holder->used
                                                                : holder->reserve;
}

/* Cuts what holders below a limit are sure of, in order, so that the limit holds the sum. */
static void cut_sure(allot__ledger *ledger, int32_t parent)
{
    int64_t over = -(int64_t)ledger->work->limit[parent];
    for (int32_t place = ledger->first[parent]; place < ledger->end[parent]; place++)
        over += ledger->at[place] >= 0 ? ledger->holders[ledger->at[place]].sure : 0;
    int32_t count = over > 0 ? allot__books_below(ledger, parent) : 0;
    for (int part = WANTED; part >= IN_USE && over > 0; part--) {
        for (int32_t k = count - 1; k >= 0 && over > 0; k--) {
            allot__holder *holder = &ledger->holders[ledger->order[k]];
            int64_t slots = (int64_t)holder->sure - sure_before(holder, part);
            slots = allot__least(slots, over);
            if (slots > 0) {
                holder->sure -= (int32_t)slots;
                over -= slots;
            }
        }
    }
}

void allot__books_set_aside(allot__ledger *ledger)
{
    for (int32_t i = 0; ledger->limited && i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        int32_t wanted = allot__least(holder->own, holder->need);
        holder->sure = wanted > holder->used ? wanted : holder->used;
    }
    for (int32_t family = ledger->work->tree->families - 1; ledger->limited && family > 0;
         family--) {
        int32_t parent = ledger->work->group->parent[family];
        if (ledger->work->limit[parent] != ALLOT_NONE)
            cut_sure(ledger, parent);
    }
    for (int32_t i = 0; ledger->limited && i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int64_t missing = allot__holder_missing(holder, allot__holder_has(holder));
        for (int32_t family = holder->family; missing > 0 && family > 0;
             family = ledger->above[family])
            ledger->aside[family] += missing;
    }
}

/* The number of slots that a holder loses to owners, and that no holder has claimed. */
static int64_t unclaimed(const allot__ledger *ledger, const allot__holder *holder)
{
    int64_t slots = 0;
    for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        bool way = recall->to < 0 && recall->loan < 0 && recall->why == ALLOT__WHY_OWNERS_FIRST;
        slots += way ? recall->slots : 0;
    }
    return slots;
}

void allot__books_unset_aside(allot__ledger *ledger)
{
    for (int32_t family = 0; ledger->limited && family < ledger->work->tree->families; family++)
        ledger->aside[family] = 0;
    for (int32_t i = 0; ledger->limited && i < ledger->count; i++)
        ledger->holders[i].sure = 0;
    bool any = ledger->limited && ledger->loose + ledger->draining > 0;
    for (int32_t i = 0; any && i < ledger->count; i++)
        allot__pools_give(ledger, i, unclaimed(ledger, &ledger->holders[i]));
}
