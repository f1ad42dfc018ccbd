/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ask.c: what holders ask of the share pools, one by one, then together below limits. */
#include "engine/ownership/share.h"

/* Shared slots that a holder should have by its demand alone; `idle`: no more new ones than limits
 * above it hold. */
static int32_t ask(const allot__ledger *ledger, int32_t index, bool idle)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t more = allot__holder_wants(holder, holder->most) + holder->dropped;
    int64_t within = idle ? allot__books_within(ledger, index, -1) : INT64_MAX;
    int64_t spare = more > 0 ? 0 : (int64_t)allot__holder_has(holder) - holder->most;
    if (idle && within < ALLOT_AMOUNT_MAX && more > within + holder->loose)
        more = within + holder->loose;
    int64_t slots = holder->shared + more - (spare > 0 ? spare : 0);
    slots = allot__least(slots, holder->share_most);
    return slots > 0 ? (int32_t)slots : 0;
}

/* Pool slots that a holder keeps whatever others ask. */
static int32_t keeps(const allot__holder *holder)
{
    return holder->keep ? (int32_t)allot__least(holder->pooled, holder->asks) : 0;
}

/* Lists the holders below a row that take part in pools, in the order of holders. */
static int32_t list_below(allot__ledger *ledger, int32_t row)
{
    int32_t all = allot__books_below(ledger, row);
    int32_t count = 0;
    for (int32_t i = 0; i < all; i++)
        if (ledger->holders[ledger->order[i]].weight > 0)
            ledger->order[count++] = ledger->order[i];
    return count;
}

/* Writes LEVEL: slots that members keep, or ask for and are sure of, in order as far as a limit
 * holds them; and CAP: all that they ask for. Returns the sum of CAP. */
static int64_t ask_sure(allot__ledger *ledger, int32_t count, int64_t holds)
{
    int64_t asked = 0, left = holds;
    for (int32_t i = 0; i < count; i++) {
        const allot__holder *holder = &ledger->holders[ledger->order[i]];
        int64_t sure = allot__holder_missing(holder, (int64_t)holder->used + holder->in);
        int32_t level = keeps(holder);
        sure = allot__least(sure, holder->asks);
        sure = allot__least(sure, left);
        level = sure > level ? (int32_t)sure : level;
        ledger->column[ALLOT__POOL_LEVEL][i] = level;
        ledger->column[ALLOT__POOL_CAP][i] = holder->asks;
        ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
        left -= left > level ? level : left;
        asked += holder->asks;
    }
    return asked;
}

/* Shared slots that a parent's limit holds: in addition to own and borrowed ones, and to those set
 * aside for holders that do not ask for them here. */
static int64_t holds_shared(const allot__ledger *ledger, int32_t count, int32_t family,
                            int32_t limit)
{
    int64_t holds = limit - ledger->inside[family] - ledger->aside[family];
    for (int32_t i = 0; i < count; i++) {
        const allot__holder *holder = &ledger->holders[ledger->order[i]];
        int64_t missing = allot__holder_missing(holder, allot__holder_has(holder));
        int64_t more = (int64_t)holder->asks - holder->shared;
        more = allot__least(more, missing);
        holds += holder->shared + (more > 0 ? more : 0);
    }
    return holds > 0 ? holds : 0;
}

/* Cuts what holders below a parent ask for together to the shared slots that its limit holds. */
static void ask_below(allot__ledger *ledger, int32_t family, int32_t parent)
{
    int32_t count = list_below(ledger, parent);
    int64_t holds = holds_shared(ledger, count, family, ledger->work->limit[parent]);
    if (ask_sure(ledger, count, holds) <= holds)
        return;
    if (holds > 0)
        allot__pool_deserve(ledger, &(allot__share_pool){.slots = holds, .count = count}, false);
    const int32_t *floor = ledger->column[holds > 0 ? ALLOT__POOL_FLOOR : ALLOT__POOL_LEVEL];
    for (int32_t i = 0; i < count; i++)
        ledger->holders[ledger->order[i]].asks = floor[i];
}

void allot__pools_ask(allot__ledger *ledger, bool idle)
{
    for (int32_t k = 0; k < ledger->live_count; k++)
        ledger->holders[ledger->live[k]].asks = ask(ledger, ledger->live[k], idle);
    for (int32_t family = ledger->work->tree->families - 1; ledger->limited && family > 0;
         family--) {
        int32_t parent = ledger->work->group->parent[family];
        if (ledger->work->limit[parent] != ALLOT_NONE)
            ask_below(ledger, family, parent);
    }
}
