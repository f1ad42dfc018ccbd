/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* share.c: the pool slots that each holder asks for, one by one, then together below limits, and
 * deserves; gives idle ones to holders that lack some. */
#include "engine/ownership/share.h"

/* ---- What holders ask for -------------------------------------------------------------------- */

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

static void ask_all(allot__ledger *ledger, bool idle)
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

/* ---- What they deserve ----------------------------------------------------------------------- */

/* Assigns members' slots to a pool anew: first those that they deserve of it, so that the rest is
 * in the farthest pools, where others can have it. */
static void put_anew(allot__ledger *ledger, allot__share_pool *pool)
{
    allot__share *shares = &ledger->shares[pool->first];
    pool->used = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__holder *holder = &ledger->holders[shares[i].holder];
        int32_t due = ledger->column[ALLOT__POOL_FLOOR][i];
        int32_t left = holder->shared - holder->pooled;
        shares[i].used = 0;
        allot__pool_use(ledger, pool, i, due < left ? due : left);
    }
    for (int32_t i = 0; i < pool->count && pool->used < pool->slots; i++) {
        const allot__holder *holder = &ledger->holders[shares[i].holder];
        int64_t left = holder->shared - holder->pooled;
        int64_t room = pool->slots - pool->used;
        allot__pool_use(ledger, pool, i, left < room ? left : room);
    }
}

/* Records in `cut` that rounding took a part of a slot from a holder (> 0) or added one (< 0); once
 * added, `cut` stays -1. */
static void note_part(allot__holder *holder, int64_t part)
{
    if (part != 0 && holder->cut >= 0)
        holder->cut = part > 0 ? 1 : -1;
}

/* The same for slots that members deserve of a pool, and for planned ones. */
static void note_rounding(allot__ledger *ledger, const allot__share_pool *pool, bool out,
                          bool planned)
{
    int32_t **column = ledger->column;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        allot__holder *holder = &ledger->holders[share->holder];
        if (out && column[ALLOT__POOL_REST][i] > 0)
            note_part(holder, column[ALLOT__POOL_FLOOR][i] > column[ALLOT__POOL_AIM][i] ? -1 : 1);
        if (planned)
            note_part(holder, pool->slots * holder->weight - share->planned * pool->weight);
    }
}

void allot__pool_fill(allot__ledger *ledger, const allot__share_pool *pool, allot__due by)
{
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        const allot__holder *holder = &ledger->holders[share->holder];
        int32_t left = holder->asks - holder->due;
        int32_t level = holder->keep ? share->used : 0;
        int32_t held = holder->shared > holder->due ? holder->shared - holder->due : 0;
        int32_t most = holder->planned > holder->due ? holder->planned - holder->due : 0;
        int64_t up_to = allot__least(share->planned, most > held ? most : held);
        if (by == ALLOT__DUE_PLANNED && pool->by_plan)
            left = (int32_t)allot__least(left, up_to);
        ledger->column[ALLOT__POOL_LEVEL][i] = level;
        ledger->column[ALLOT__POOL_CAP][i] = left > level ? left : level;
        ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
        ledger->column[ALLOT__POOL_UP_TO][i] = (int32_t)up_to;
        ledger->column[ALLOT__POOL_HELD][i] = held;
        ledger->column[ALLOT__POOL_RANK][i] = ledger->work->rank[holder->row];
    }
}

bool allot__pools_due(allot__ledger *ledger, bool idle, allot__due by)
{
    bool anew = by == ALLOT__DUE_HELD, any_out = false;
    ask_all(ledger, idle);
    for (int32_t k = 0; k < ledger->live_count; k++) {
        allot__holder *holder = &ledger->holders[ledger->live[k]];
        holder->due = 0;
        holder->pooled = anew ? 0 : holder->pooled;
        holder->cut = 0;
    }
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        bool planned = anew && pool->by_plan;
        allot__pool_fill(ledger, pool, by);
        bool out = allot__pool_deserve(ledger, pool, planned);
        if (ledger->rounding)
            note_rounding(ledger, pool, out, planned);
        for (int32_t i = 0; i < pool->count; i++)
            ledger->holders[shares[i].holder].due += ledger->column[ALLOT__POOL_FLOOR][i];
        if (anew)
            put_anew(ledger, pool);
        any_out = any_out || out;
    }
    return any_out;
}

/* ---- Phase 2 --------------------------------------------------------------------------------- */

/* Notes the least that holders may need for pools to share slots just so: a holder still asks for
 * more than it deserves. */
static void note_least(allot__ledger *ledger)
{
    for (int32_t k = 0; k < ledger->live_count; k++) {
        allot__holder *holder = &ledger->holders[ledger->live[k]];
        int64_t has = allot__most(allot__holder_counts(holder), allot__holder_has(holder));
        holder->least = (int32_t)allot__most(holder->least, has + holder->due + 1 - holder->shared);
    }
}

static void give_due(allot__ledger *ledger, bool idle, allot__due by)
{
    bool out = allot__pools_due(ledger, idle, by);
    if (out && ledger->kept)
        note_least(ledger);
    for (int32_t k = 0; k < ledger->live_count; k++)
        allot__pools_give(ledger, ledger->live[k],
                          allot__due_wants(&ledger->holders[ledger->live[k]]));
}

/* Could any holder have slots of a pool? */
static bool any_idle(const allot__ledger *ledger)
{
    bool idle = false;
    for (int32_t family = 0; family < ledger->work->tree->families && !idle; family++)
        idle = ledger->pools[family].slots > ledger->pools[family].used;
    return idle && allot__books_any(ledger);
}

/* Gives idle slots to holders that deserve them: first those that they could claim from others, so
 * that no slot is given and then taken back. Then slots that limits keep from these go to others.
 */
void allot__pools_share(allot__ledger *ledger)
{
    int turns = ledger->limited ? 2 : 1;
    for (int turn = 0; turn < turns; turn++) {
        if (any_idle(ledger))
            give_due(ledger, turn > 0, ALLOT__DUE_PLANNED);
        if (any_idle(ledger))
            give_due(ledger, turn > 0, ALLOT__DUE_RATIO);
    }
}
