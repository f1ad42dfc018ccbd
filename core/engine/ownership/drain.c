/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* drain.c: slots that drain, and holders that keep them after all. */
#include <string.h>

#include "engine/ownership/books.h"

/* By family: the unclaimed draining slots below, and whether a holder below is to get slots that
 * others give. */
typedef struct drains {
    int64_t *slots;
    bool *claimed;
} drains;

static void add(const allot__ledger *ledger, drains *all, int32_t holder, int64_t slots)
{
    for (int32_t family = ledger->holders[holder].family;; family = ledger->above[family]) {
        all->slots[family] += slots;
        if (family == 0)
            return;
    }
}

static void claim(const allot__ledger *ledger, drains *all, int32_t holder)
{
    for (int32_t family = ledger->holders[holder].family; !all->claimed[family];
         family = ledger->above[family])
        all->claimed[family] = true;
}

static bool count(const allot__ledger *ledger, drains *all)
{
    size_t families = (size_t)ledger->work->tree->families;
    all->slots = allot__arena_take(ledger->work->arena, families, sizeof *all->slots);
    all->claimed = allot__arena_take(ledger->work->arena, families, sizeof *all->claimed);
    if (!all->slots || !all->claimed)
        return false;
    memset(all->slots, 0, families * sizeof *all->slots);
    memset(all->claimed, 0, families * sizeof *all->claimed);
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        if (recall->drains)
            add(ledger, all, recall->from, recall->slots);
        else if (recall->to >= 0 && recall->slots > 0)
            claim(ledger, all, recall->to);
    }
    return true;
}

/* Ends draining of so many slots of a recall: they go, without a claimant. */
static void let_go(allot__ledger *ledger, drains *all, int32_t index, int32_t slots, allot__why why)
{
    allot__recall part = ledger->recalls[index];
    part.drains = false;
    part.why = why;
    part.slots = slots;
    part.older_owed = -1;
    if (allot__recall_add(ledger, part)) {
        ledger->recalls[index].slots -= slots;
        ledger->draining -= slots;
        ledger->loose += slots;
        add(ledger, all, part.from, -slots);
    }
}

/* Lets go draining slots below a parent (-1: anywhere), in the order in which claims take them. */
static void let_go_below(allot__ledger *ledger, drains *all, int32_t parent, int64_t slots)
{
    allot__why why = parent < 0 ? ALLOT__WHY_OVER_SIZE : ALLOT__WHY_OVER_LIMIT;
    int32_t known = ledger->recall_count;
    for (int32_t i = ledger->draining_from; i < known && slots > 0; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        bool below = parent < 0 || allot__holder_below(ledger, recall->from, parent);
        int64_t part = recall->drains && below ? recall->slots : 0;
        part = allot__least(part, slots);
        if (part > 0) {
            let_go(ledger, all, i, (int32_t)part, why);
            slots -= part;
        }
    }
}

/* Lets go draining slots that limits or the group's size do not hold beside claimed ones. */
static void let_rest_go(allot__ledger *ledger, drains *all)
{
    const allot__work *work = ledger->work;
    for (int32_t family = work->tree->families - 1; ledger->limited && family > 0; family--) {
        int32_t parent = work->group->parent[family];
        int64_t over = ledger->inside[family] + all->slots[family] - work->limit[parent];
        if (all->claimed[family] && work->limit[parent] != ALLOT_NONE)
            let_go_below(ledger, all, parent, over);
    }
    if (all->claimed[0] && ledger->all)
        let_go_below(ledger, all, -1, all->slots[0] - ledger->room);
}

void allot__books_spare(allot__ledger *ledger)
{
    drains all;
    if (ledger->draining == 0)
        return;
    if (!count(ledger, &all)) {
        ledger->status = ALLOT_ENOMEM;
        return;
    }
    let_rest_go(ledger, &all);
    for (int32_t i = 0; i < ledger->recall_count && ledger->draining > 0; i++) {
        allot__recall *recall = &ledger->recalls[i];
        if (recall->drains) {
            allot__books_has(ledger, recall->from, recall->slots, 0);
            ledger->holders[recall->from].lost -= recall->slots;
            ledger->holders[recall->from].loose -= recall->slots;
            ledger->draining -= recall->slots;
            recall->slots = 0;
        }
    }
}
