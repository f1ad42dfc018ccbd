/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_share.c: who should have how much of the pools: given where it is idle, reclaimed where
 * others have it. */
#include "base/wide.h"
#include "engine/ledger_books.h"

/* Shared slots that a holder should have if it were for its demand alone; of idle ones no more than
 * limits above it hold. */
static int32_t asks(const allot__ledger *ledger, int32_t index, bool idle)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t more = allot__holder_wants(holder, holder->most) + holder->dropped;
    int64_t within = idle ? allot__books_within(ledger, index, -1) : INT64_MAX;
    int64_t spare = more > 0 ? 0 : (int64_t)allot__holder_has(holder) - holder->most;
    if (idle && within < ALLOT_AMOUNT_MAX && more > within + holder->loose) {
        more = within + holder->loose;
    }
    int64_t slots = holder->shared + more - (spare > 0 ? spare : 0);
    slots = allot__least(slots, holder->share_most);
    return slots > 0 ? (int32_t)slots : 0;
}

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

/* What each holder deserves of all pools, nearest first, whoever uses them now: so it does not
 * change as slots move towards it. Where shared slots are kept, what is used is deserved. */
static void find_due(allot__ledger *ledger, bool idle)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        ledger->holders[i].due = 0;
        ledger->holders[i].pooled = idle ? ledger->holders[i].pooled : 0;
        ledger->holders[i].cut = 0;
    }
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        for (int32_t i = 0; i < pool->count; i++) {
            const allot__holder *holder = &ledger->holders[shares[i].holder];
            int32_t left = asks(ledger, shares[i].holder, idle) - holder->due;
            int32_t level = holder->keep ? shares[i].used : 0;
            left = left > level ? left : level;
            ledger->column[ALLOT__POOL_LEVEL][i] = level;
            ledger->column[ALLOT__POOL_CAP][i] = left;
            ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
        }
        if (allot__pool_deserve(ledger, pool)) {
            note_rounding(ledger, pool);
        }
        for (int32_t i = 0; i < pool->count; i++) {
            ledger->holders[shares[i].holder].due += ledger->column[ALLOT__POOL_FLOOR][i];
        }
        if (!idle) {
            put_anew(ledger, pool);
        }
    }
}

/* What a holder lacks of what it deserves. */
static int64_t short_of(const allot__holder *holder)
{
    int64_t lack = (int64_t)holder->due - holder->shared;
    return lack > 0 ? lack : 0;
}
/* The same as far as nothing is on its way to it instead. */
static int64_t lacks(const allot__holder *holder)
{
    int64_t lack = short_of(holder) - holder->dropped;
    int64_t most = allot__holder_lacks(holder, holder->most);
    lack = allot__least(lack, most);
    return lack > 0 ? lack : 0;
}
/* The same of slots that it can have at once. */
static int64_t wants(const allot__holder *holder)
{
    int64_t lack = short_of(holder);
    int64_t most = allot__holder_wants(holder, holder->most);
    return allot__least(lack, most);
}

/* ---- Phase 2 --------------------------------------------------------------------------------- */

void allot__pools_share(allot__ledger *ledger)
{
    if (!allot__books_any(ledger)) {
        return;
    }
    find_due(ledger, true);
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int64_t slots = wants(holder);
        int64_t idle = slots > 0 ? allot__pools_idle(ledger, i) : 0;
        int64_t free = slots > 0 ? allot__books_free(ledger, i) : 0;
        slots = allot__least(slots, idle);
        slots = allot__least(slots, free);
        if (slots > 0) {
            allot__books_give(ledger, i, slots, ALLOT__SHARED);
            allot__pools_put(ledger, i, slots);
        }
    }
}

/* ---- Phase 5 --------------------------------------------------------------------------------- */

/* Columns over the members of a pool, once it is known what each deserves: what a member has beyond
 * that, and what it gives of it. */
enum { OVER = ALLOT__POOL_AIM, GIVES = ALLOT__POOL_REST };

/* Parts of `slots` in proportion to what is over for the members [from, to); the remainder goes to
 * larger over, later first (C-7). */
static void share_out(allot__ledger *ledger, int32_t from, int32_t to, int64_t slots, int64_t sum)
{
    int64_t given = 0;
    for (int32_t i = from; i < to; i++) {
        int64_t over = ledger->column[OVER][i];
        int64_t part = slots < sum ? (int64_t)((allot__i128)slots * over / sum) : over;
        ledger->column[GIVES][i] = (int32_t)part;
        ledger->order[to - 1 - i] = i;
        ledger->keys[i] = -over;
        given += part;
    }
    if (given < slots && slots < sum) {
        allot__books_sort(ledger, to - from);
        for (int32_t k = 0; k < to - from && given < slots; k++) {
            int32_t i = ledger->order[k];
            int32_t more = ledger->column[GIVES][i] < ledger->column[OVER][i];
            ledger->column[GIVES][i] += more;
            given += more;
        }
    }
}

/* What each member gives of `slots`: worst rank first. */
static void give_back(allot__ledger *ledger, const allot__share_pool *pool, int64_t slots)
{
    const allot__share *shares = &ledger->shares[pool->first];
    const int32_t *rank = ledger->work->rank;
    for (int32_t to = pool->count; to > 0;) {
        int32_t from = to;
        int64_t sum = 0;
        int32_t worst = rank[ledger->holders[shares[to - 1].holder].row];
        while (from > 0 && rank[ledger->holders[shares[from - 1].holder].row] == worst) {
            sum += ledger->column[OVER][--from];
        }
        int64_t part = allot__least(sum, slots);
        share_out(ledger, from, to, part, sum);
        slots -= part;
        to = from;
    }
}

/* Pool slots change hands. Who drains keeps its own, though nobody's pool holds them, while others
 * are idle. */
static void hand_over(allot__ledger *ledger, int32_t from, int32_t to, int64_t slots)
{
    bool drains = !ledger->holders[from].rebalance;
    allot__books_take(ledger, from, slots, ALLOT__SHARED, drains ? -1 : to, ALLOT__WHY_OVER_SHARE);
    if (drains) {
        int32_t taken = ledger->recall_count - 1;
        int64_t free = allot__books_free(ledger, to);
        int64_t now = allot__least(slots, free);
        allot__books_give(ledger, to, now, ALLOT__SHARED);
        slots -= now;
        allot__books_claim_one(ledger, taken, to, slots);
    }
    allot__books_promise(ledger, to, slots, ALLOT__SHARED);
}

/* Moves what members give, the worst first, to a member that lacks. */
static int32_t serve(allot__ledger *ledger, allot__share_pool *pool, int32_t to, int32_t giver)
{
    const allot__share *shares = &ledger->shares[pool->first];
    int32_t claimant = shares[to].holder;
    int64_t left = lacks(&ledger->holders[claimant]);
    int64_t leaving = allot__holder_leaving(&ledger->holders[claimant]);
    leaving = allot__least(leaving, left);
    if (leaving > ledger->room) {
        return giver;
    }
    allot__books_promise(ledger, claimant, leaving, ALLOT__SHARED);
    allot__pool_use(ledger, pool, to, leaving);
    left -= leaving;
    while (left > 0 && giver >= 0) {
        int64_t slots = ledger->column[GIVES][giver];
        int64_t within = allot__books_within(ledger, claimant, shares[giver].holder);
        if (slots == 0) {
            giver--;
            continue;
        }
        slots = allot__least(slots, left);
        slots = allot__least(slots, within);
        if (slots == 0) {
            break;
        }
        ledger->column[GIVES][giver] -= (int32_t)slots;
        allot__pool_use(ledger, pool, giver, -slots);
        allot__pool_use(ledger, pool, to, slots);
        hand_over(ledger, shares[giver].holder, claimant, slots);
        left -= slots;
    }
    return giver;
}

/* What members lack in all; and what all have beyond what they deserve. */
static int64_t count_over(allot__ledger *ledger, const allot__share_pool *pool, int64_t *over)
{
    int64_t lack = 0;
    *over = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        allot__holder *holder = &ledger->holders[share->holder];
        int32_t beyond = holder->shared - holder->due;
        int32_t there = holder->held - holder->lost;
        lack += lacks(holder);
        holder->rounding = holder->hold_rounding && holder->cut > 0 && beyond == 1;
        beyond = holder->rounding ? 0 : beyond;
        beyond = allot__least(beyond, there);
        beyond = allot__least(beyond, share->used);
        ledger->column[OVER][i] = holder->keep || beyond < 0 ? 0 : beyond;
        *over += ledger->column[OVER][i];
    }
    return lack;
}

/* Pool slots that no holder has, though they are not idle: one that loses slots to nobody keeps
 * them as those. */
static void keep_rest(allot__ledger *ledger, int32_t index, int64_t slots)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t most = wants(holder);
    slots = allot__least(slots, holder->loose);
    slots = allot__least(slots, most);
    if (slots > 0) {
        allot__books_give(ledger, index, slots, ALLOT__SHARED);
        allot__pools_put(ledger, index, slots);
    }
}

/* The others: they are on their way to it or to nobody, or others have them who must be made to
 * give them. */
static void promise_rest(allot__ledger *ledger, int32_t index, int64_t slots)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t most = short_of(holder);
    slots = allot__least(slots, most);
    if (slots <= 0) {
        return;
    }
    int64_t adopted = allot__books_adopt(ledger, index, slots, ALLOT__SHARED);
    slots -= adopted;
    most = lacks(holder);
    slots = allot__least(slots, most);
    if (slots > 0) {
        allot__books_claim(ledger, index, slots, ALLOT__SHARED);
    }
    allot__pools_put(ledger, index, slots + adopted);
}

/* How many pool slots that no holder has a holder can have. */
static int64_t can_have(const allot__ledger *ledger, int32_t index)
{
    int64_t idle = allot__pools_idle(ledger, index);
    int64_t within = idle > 0 ? allot__books_within(ledger, index, -1) : 0;
    idle = allot__least(idle, within);
    return allot__least(idle, ledger->room);
}

static void pour_rest(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count && ledger->room > 0; i++) {
        const allot__holder *holder = &ledger->holders[i];
        if (holder->due > holder->shared) {
            keep_rest(ledger, i, can_have(ledger, i));
            promise_rest(ledger, i, can_have(ledger, i));
        }
    }
}

void allot__pools_reclaim(allot__ledger *ledger)
{
    find_due(ledger, false);
    pour_rest(ledger);
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        int64_t over = 0;
        int64_t lack = pool->count > 0 ? count_over(ledger, pool, &over) : 0;
        if (over == 0 || lack == 0) {
            continue;
        }
        give_back(ledger, pool, lack < over ? lack : over);
        int32_t giver = pool->count - 1;
        for (int32_t i = 0; i < pool->count && giver >= 0; i++) {
            giver = serve(ledger, pool, i, giver);
        }
    }
}
