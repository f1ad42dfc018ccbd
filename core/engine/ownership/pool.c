/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool.c: share pools: how much of which pool each holder uses, and should use (C-11). */
#include <string.h>

#include "engine/ownership/books.h"
#include "engine/rows/work.h"
#include "engine/fill/pour.h"
#include "engine/fill/round.h"

/* ---- Pools and their members ----------------------------------------------------------------- */

/* Slots that a family's parent owns beyond its children, or the group beyond its first level. */
static int64_t size_of(const allot__ledger *ledger, int32_t family)
{
    const allot__work *work = ledger->work;
    int32_t parent = family > 0 ? work->group->parent[family] : -1;
    int64_t slots = ledger->slots;
    if (family == 0 && !ledger->all)
        return 0;
    if (family > 0) {
        const allot__rules *rules = allot__rules_at(work, parent);
        if (!allot__policy_ledger(rules->policy))
            return 0;
        slots = allot__own(work, rules, parent, NULL);
    }
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = allot__family_first(work, family) + i;
        slots -= allot__own(work, allot__rules_at(work, row), row, NULL);
    }
    return slots > 0 ? slots : 0;
}

static int32_t pool_above(const allot__ledger *ledger, int32_t family)
{
    return family > 0 ? ledger->pools[ledger->above[family]].nearest : -1;
}

/* The nearest pool that a holder is a member of; the next ones are those above it. */
static int32_t nearest_pool(const allot__ledger *ledger, int32_t holder)
{
    const allot__holder *it = &ledger->holders[holder];
    return it->weight > 0 ? ledger->pools[it->family].nearest : -1;
}

static int64_t idle_in(const allot__share_pool *pool)
{
    return pool->slots > pool->used ? pool->slots - pool->used : 0;
}

/* Plans shares by the ratio, in whole slots: floors, and one slot each in order for fractions, as
 * in C-4. */
static void plan_pool(allot__ledger *ledger, allot__share_pool *pool)
{
    allot__share *shares = &ledger->shares[pool->first];
    int64_t left = pool->slots;
    pool->by_plan = pool->count > 0;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__holder *holder = &ledger->holders[shares[i].holder];
        pool->by_plan = pool->by_plan && !holder->keep && !holder->adjust;
        pool->weight += holder->weight;
    }
    for (int32_t i = 0; i < pool->count && pool->by_plan; i++) {
        int32_t weight = ledger->holders[shares[i].holder].weight;
        shares[i].planned = (int32_t)(pool->slots * weight / pool->weight);
        left -= shares[i].planned;
    }
    for (int32_t i = 0; i < pool->count && pool->by_plan; i++) {
        allot__holder *holder = &ledger->holders[shares[i].holder];
        bool more = left > 0 && pool->slots * holder->weight % pool->weight != 0;
        shares[i].planned += more;
        left -= more;
        holder->planned += shares[i].planned;
    }
}

int allot__pools_open(allot__ledger *ledger)
{
    allot__arena *arena = ledger->work->arena;
    int32_t families = ledger->work->tree->families;
    int64_t total = 0;
    ledger->pools = allot__arena_take(arena, (size_t)families, sizeof *ledger->pools);
    if (!ledger->pools)
        return ALLOT_ENOMEM;
    for (int32_t family = 0; family < families; family++) {
        int64_t slots = size_of(ledger, family);
        int32_t nearest = slots > 0 ? family : pool_above(ledger, family);
        ledger->pools[family] = (allot__share_pool){.slots = slots, .nearest = nearest};
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        for (int32_t pool = nearest_pool(ledger, i); pool >= 0; pool = pool_above(ledger, pool)) {
            ledger->pools[pool].count++;
            total++;
        }
    }
    ledger->shares = allot__arena_take(arena, (size_t)total + 1, sizeof *ledger->shares);
    if (!ledger->shares || total > INT32_MAX)
        return ALLOT_ENOMEM;
    int32_t at = 0;
    for (int32_t family = 0; family < families; family++) {
        ledger->pools[family].first = at;
        at += ledger->pools[family].count;
        ledger->pools[family].count = 0;
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        for (int32_t k = nearest_pool(ledger, i); k >= 0; k = pool_above(ledger, k)) {
            allot__share_pool *pool = &ledger->pools[k];
            ledger->shares[pool->first + pool->count++] = (allot__share){.holder = i};
        }
    }
    for (int32_t family = 0; family < families; family++)
        plan_pool(ledger, &ledger->pools[family]);
    return ALLOT_OK;
}

void allot__pool_use(allot__ledger *ledger, allot__share_pool *pool, int32_t member, int64_t slots)
{
    allot__share *share = &ledger->shares[pool->first + member];
    share->used += (int32_t)slots;
    pool->used += slots;
    ledger->holders[share->holder].pooled += (int32_t)slots;
}

/* The index of a holder among the members of a pool, which are sorted. */
static int32_t member_of(const allot__ledger *ledger, const allot__share_pool *pool, int32_t holder)
{
    int32_t low = 0, count = pool->count;
    while (count - low > 1) {
        int32_t middle = low + (count - low) / 2;
        if (ledger->shares[pool->first + middle].holder <= holder)
            low = middle;
        else
            count = middle;
    }
    return low;
}

int64_t allot__pools_idle(const allot__ledger *ledger, int32_t holder)
{
    int64_t idle = 0;
    for (int32_t at = nearest_pool(ledger, holder); at >= 0; at = pool_above(ledger, at))
        idle += idle_in(&ledger->pools[at]);
    return idle;
}

void allot__pools_put(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    for (int32_t at = nearest_pool(ledger, holder); slots > 0 && at >= 0;
         at = pool_above(ledger, at)) {
        allot__share_pool *pool = &ledger->pools[at];
        int64_t part = allot__least(idle_in(pool), slots);
        if (part > 0) {
            allot__pool_use(ledger, pool, member_of(ledger, pool, holder), part);
            slots -= part;
        }
    }
}

/* The farthest pool of which a holder uses slots, and its member number there; NULL: none. */
static allot__share_pool *farthest_used(const allot__ledger *ledger, int32_t holder,
                                        int32_t *member)
{
    allot__share_pool *farthest = NULL;
    for (int32_t at = nearest_pool(ledger, holder); at >= 0; at = pool_above(ledger, at)) {
        allot__share_pool *pool = &ledger->pools[at];
        int32_t place = member_of(ledger, pool, holder);
        if (ledger->shares[pool->first + place].used > 0) {
            farthest = pool;
            *member = place;
        }
    }
    return farthest;
}

void allot__pools_less(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    const allot__holder *it = &ledger->holders[holder];
    int64_t left = slots - (it->shared - it->pooled);
    while (left > 0) {
        int32_t member;
        allot__share_pool *pool = farthest_used(ledger, holder, &member);
        if (!pool)
            return;
        int64_t part = allot__least(ledger->shares[pool->first + member].used, left);
        allot__pool_use(ledger, pool, member, -part);
        left -= part;
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Pours `left` over the members [from, to), each up to a column. True: slots ran out; FLOOR and
 * REST have the shares. */
static bool pour_members(allot__ledger *ledger, int32_t from, int32_t to, int up_to, int64_t *left)
{
    int32_t **column = ledger->column;
    allot__pour rows = {.count = to - from,
                        .unit = 1,
                        .left = *left,
                        .level = column[ALLOT__POOL_LEVEL] + from,
                        .need = column[ALLOT__POOL_CAP] + from,
                        .cap = column[up_to] + from,
                        .weight = column[ALLOT__POOL_WEIGHT] + from,
                        .aim = column[ALLOT__POOL_AIM] + from,
                        .floor = column[ALLOT__POOL_FLOOR] + from,
                        .rest = column[ALLOT__POOL_REST] + from};
    allot__pour_aims(&rows);
    if (allot__pour_fast(&rows))
        return true;
    *left = rows.left;
    size_t size = (size_t)rows.count * sizeof(int32_t);
    memcpy(column[ALLOT__POOL_LEVEL] + from, column[ALLOT__POOL_AIM] + from, size);
    return false;
}

/* Pours up to planned shares, then up to held slots, the best rank first. True: slots ran out, at
 * the members [*from, *to). */
static bool pour_planned(allot__ledger *ledger, int32_t count, int64_t *left, int32_t *from,
                         int32_t *to)
{
    const int32_t *rank = ledger->column[ALLOT__POOL_RANK];
    *from = 0;
    *to = count;
    bool out = pour_members(ledger, 0, count, ALLOT__POOL_UP_TO, left);
    for (int32_t next = 0; next < count && !out;) {
        *from = next;
        while (next < count && rank[next] == rank[*from])
            next++;
        *to = next;
        out = pour_members(ledger, *from, *to, ALLOT__POOL_HELD, left);
    }
    return out;
}

bool allot__pool_deserve(allot__ledger *ledger, const allot__share_pool *pool, bool planned)
{
    int32_t **column = ledger->column;
    int32_t from = 0, to = pool->count;
    int64_t kept = 0;
    if (pool->slots == 0)
        return false; /* no holder is a member */
    for (int32_t i = 0; i < pool->count; i++)
        kept += column[ALLOT__POOL_LEVEL][i];
    int64_t left = pool->slots > kept ? pool->slots - kept : 0;
    int64_t whole = kept + left;
    bool out = planned && pour_planned(ledger, pool->count, &left, &from, &to);
    if (!out) {
        from = 0;
        to = pool->count;
        out = pour_members(ledger, 0, to, ALLOT__POOL_CAP, &left);
    }
    for (int32_t i = 0; i < pool->count; i++) {
        if (!out || i < from || i >= to) {
            column[ALLOT__POOL_FLOOR][i] = column[ALLOT__POOL_LEVEL][i];
            column[ALLOT__POOL_REST][i] = 0;
        }
        column[ALLOT__POOL_AIM][i] = column[ALLOT__POOL_FLOOR][i];
    }
    if (out) {
        allot__round(ALLOT_ROUND_RANK, &(allot__shares){.count = pool->count,
                                                        .whole = whole,
                                                        .floor = column[ALLOT__POOL_FLOOR],
                                                        .rest = column[ALLOT__POOL_REST],
                                                        .quota = column[ALLOT__POOL_FLOOR]});
    }
    return out;
}

/* Shared slots of a holder to be assigned to pools. Slots that a draining holder does not want are
 * in no pool while its tasks run. */
static int32_t to_put(const allot__holder *holder)
{
    int32_t slots = holder->shared;
    int32_t wanted = holder->most - holder->used - holder->in;
    if (!holder->rebalance && slots > wanted)
        slots = wanted;
    return slots > holder->pooled ? slots - holder->pooled : 0;
}

void allot__pools_attribute(allot__ledger *ledger)
{
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        int64_t all = 0;
        for (int32_t i = 0; i < pool->count; i++) {
            const allot__holder *holder = &ledger->holders[shares[i].holder];
            ledger->column[ALLOT__POOL_LEVEL][i] = 0;
            ledger->column[ALLOT__POOL_CAP][i] = to_put(holder);
            ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
            all += ledger->column[ALLOT__POOL_CAP][i];
        }
        if (all > 0)
            allot__pool_deserve(ledger, pool, false);
        for (int32_t i = 0; i < pool->count && all > 0; i++)
            allot__pool_use(ledger, pool, i, ledger->column[ALLOT__POOL_FLOOR][i]);
    }
}

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
