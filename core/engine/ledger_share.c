/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_share.c: who should have how much of the pools, and gets it where it is idle. */
#include "engine/ledger_share.h"

/* Puts what members use to a pool anew: first what they deserve of it, so that what is beyond that
 * is in the farthest pools, whence others can have it. */
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

/* Remembers whether rounding took a part of a slot from a member; where it added one elsewhere, it
 * did not. */
static void note_rounding(allot__ledger *ledger, const allot__share_pool *pool)
{
    for (int32_t i = 0; i < pool->count; i++) {
        allot__holder *holder = &ledger->holders[ledger->shares[pool->first + i].holder];
        bool more = ledger->column[ALLOT__POOL_FLOOR][i] > ledger->column[ALLOT__POOL_AIM][i];
        if (ledger->column[ALLOT__POOL_REST][i] > 0 && holder->cut >= 0) {
            holder->cut = more ? -1 : 1;
        }
    }
}

/* The same of planned shares. */
static void note_planned(allot__ledger *ledger, const allot__share_pool *pool)
{
    const int32_t *weight = ledger->column[ALLOT__POOL_WEIGHT];
    int64_t sum = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        sum += weight[i];
    }
    for (int32_t i = 0; i < pool->count && sum > 0; i++) {
        allot__holder *holder = &ledger->holders[ledger->shares[pool->first + i].holder];
        int64_t whole = pool->slots * weight[i] / sum;
        if (pool->slots * weight[i] % sum != 0 && holder->cut >= 0) {
            holder->cut = ledger->column[ALLOT__POOL_UP_TO][i] > whole ? -1 : 1;
        }
    }
}

/* Is a pool shared by what is planned (E-21)? */
static bool goes_by_plan(const allot__ledger *ledger, const allot__share_pool *pool)
{
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__holder *holder = &ledger->holders[ledger->shares[pool->first + i].holder];
        if (holder->keep || holder->adjust) {
            return false;
        }
    }
    return true;
}

/* Fills in what members of a pool have of it, ask for, and held. */
static void fill_columns(allot__ledger *ledger, const allot__share_pool *pool)
{
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        const allot__holder *holder = &ledger->holders[share->holder];
        int32_t left = holder->asks - holder->due;
        int32_t level = holder->keep ? share->used : 0;
        ledger->column[ALLOT__POOL_LEVEL][i] = level;
        ledger->column[ALLOT__POOL_CAP][i] = left > level ? left : level;
        ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
        ledger->column[ALLOT__POOL_HELD][i] =
            holder->shared > holder->due ? holder->shared - holder->due : 0;
        ledger->column[ALLOT__POOL_RANK][i] = ledger->work->rank[holder->row];
    }
}

void allot__pools_due(allot__ledger *ledger, bool idle, bool planned, bool anew)
{
    allot__pools_ask(ledger, idle);
    for (int32_t i = 0; i < ledger->count; i++) {
        ledger->holders[i].due = 0;
        ledger->holders[i].pooled = anew ? 0 : ledger->holders[i].pooled;
        ledger->holders[i].cut = 0;
    }
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        fill_columns(ledger, pool);
        bool by_plan = planned && goes_by_plan(ledger, pool);
        if (allot__pool_deserve(ledger, pool, by_plan)) {
            note_rounding(ledger, pool);
        }
        if (by_plan) {
            note_planned(ledger, pool);
        }
        for (int32_t i = 0; i < pool->count; i++) {
            ledger->holders[shares[i].holder].due += ledger->column[ALLOT__POOL_FLOOR][i];
        }
        if (anew) {
            put_anew(ledger, pool);
        }
    }
}

/* ---- Phase 2 --------------------------------------------------------------------------------- */

void allot__pools_give(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    int64_t pools = slots > 0 ? allot__pools_idle(ledger, holder) : 0;
    int64_t free = slots > 0 ? allot__books_free(ledger, holder) : 0;
    slots = allot__least(slots, pools);
    slots = allot__least(slots, free);
    if (slots > 0) {
        allot__books_give(ledger, holder, slots, ALLOT__SHARED);
        allot__pools_put(ledger, holder, slots);
    }
}

/* Gives what is idle to those who deserve it: first what others would give them, so that nobody is
 * given what is then taken back. */
static void give_idle(allot__ledger *ledger, bool idle)
{
    allot__pools_due(ledger, idle, true, false);
    for (int32_t i = 0; i < ledger->count; i++) {
        ledger->holders[i].planned = ledger->holders[i].due;
    }
    allot__pools_due(ledger, idle, false, false);
    for (int32_t i = 0; i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        int32_t due = holder->due;
        holder->due = due < holder->planned ? due : holder->planned;
        allot__pools_give(ledger, i, allot__due_wants(holder));
        holder->due = due;
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        allot__pools_give(ledger, i, allot__due_wants(&ledger->holders[i]));
    }
}

/* First by what phase 5 goes by, so that it takes nothing back; then what limits keep from those
 * who deserve it goes to others. */
void allot__pools_share(allot__ledger *ledger)
{
    if (allot__books_any(ledger)) {
        give_idle(ledger, false);
    }
    if (ledger->limited && allot__books_any(ledger)) {
        give_idle(ledger, true);
    }
}
